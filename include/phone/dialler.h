/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dialler: calls that are placed for a client, from the ledger to their end.
 *
 *   dialling -> alerting -> active -> ended
 *      |           |          +-----> unknown     the modem, oFono or the gateway went
 *      |           +----------------> unanswered
 *      +----------------------------> not_placed  nothing was dialled
 *
 * One call for each modem, and none beside another: oFono is asked for its calls before it
 * dials. None goes on for ever: when its time is over the modem is told to hang up, again
 * every DIALLER_AGAIN_SECONDS until it has. What nobody follows any more, for the gateway or
 * the modem was away, is hung up when it shows as the modem comes back: within
 * DIALLER_LEFT_SECONDS, and not much later than oFono told its calls, for then a call to that
 * number is a new one of somebody else's (phone/left_calls.h,
 * tests/integration/test_placing_calls.py). What may be dialled the caller has looked at.
 */
#ifndef PHONE_DIALLER_H
#define PHONE_DIALLER_H

#include "base/observer.h"
#include "phone/sim.h"
#include "store/store_event.h"
#include "numbers/phone_number.h"

enum {
	DIALLER_LIMIT_MS = 60 * 1000,
	DIALLER_CALLS = 16, /* those that are over are forgotten first */
	DIALLER_AGAIN_SECONDS = 5,
	DIALLER_LEFT_SECONDS = 3600,
	DIALLER_REASON_BYTES = 24,
	DIALLER_CLIENT_BYTES = 64,
};

/* outcomes of dialler_place() besides those of store_event_place_call() */
enum { DIALLER_E_BUSY = 100 };

/* A call, as it is now; also the event of the observers. */
struct placed_call {
	int64_t id; /* 0: there is none */
	int64_t client_id;
	int64_t sim_id;
	enum call_state state;
	bool is_dialled; /* oFono said so */
	int64_t ends_ms; /* wall clock: hung up then at the latest; 0 not dialled yet */
	char number[PHONE_NUMBER_BYTES];
	char client[DIALLER_CLIENT_BYTES];
	/*
	 * Why it is over: "remote", "network", "local" (at this phone) as oFono tells;
	 * "time_limit", "hung_up" (by an agent), "client_left", "revoked", "gateway_stopped",
	 * "left" (it went on while nobody followed it); or why nothing was dialled: "busy",
	 * "refused", "not_supported", "not_allowed", "not_handed"; or "lost". "" not told.
	 */
	char reason[DIALLER_REASON_BYTES];
};

struct dial_order {
	struct modem *modem; /* modem_has_calls() */
	int64_t sim_id;
	int64_t client_id;
	const char *client; /* its name */
	const char *number; /* digits, and perhaps + before them */
	int64_t most_seconds;
	const char *reason; /* see struct store_event_call_draft */
};

struct dialler;

struct dialler_parts {
	sd_event *loop;
	struct store *store;
	struct sims *sims;
	struct ofono *ofono;
	int limit_ms; /* for oFono to dial: DIALLER_LIMIT_MS but in tests */
};

/* Calls that were left when the gateway ended are ended here. 0 or -errno. */
int dialler_new(const struct dialler_parts *parts, struct dialler **dialler_out);
/*
 * Before the loop ends: what goes on is hung up, for nobody would. What the modem has not
 * confirmed when the gateway ends is looked for at the next start.
 */
void dialler_stop(struct dialler *dialler);
void dialler_free(struct dialler *dialler); /* NULL is fine */

/* Some modem can place calls. */
bool dialler_is_possible(const struct dialler *dialler);
/* Some call goes on that was placed. */
bool dialler_is_at_it(const struct dialler *dialler);

/*
 * On disk when 0 returns, and dialled after that. DIALLER_E_BUSY: there is one on that modem;
 * else as store_event_place_call(), and nothing was done.
 */
int dialler_place(struct dialler *dialler, const struct dial_order *order,
		  int64_t *id_out);
/* Of the last DIALLER_CALLS since the start. NULL: not known. */
const struct placed_call *dialler_find(struct dialler *dialler, int64_t id);
/* It is over as soon as the modem says so. Fine for one that is. */
void dialler_hang_up(struct dialler *dialler, int64_t id, const char *reason);
/* The client may do nothing any more: so with all of its calls. */
void dialler_revoke(struct dialler *dialler, int64_t client_id);

/* Told a struct placed_call whenever something of one changed. */
struct observers *dialler_observers(struct dialler *dialler);
/* Hear, without an event, that dialler_is_possible() or _is_at_it() differs. */
struct observers *dialler_use_observers(struct dialler *dialler);

#endif
