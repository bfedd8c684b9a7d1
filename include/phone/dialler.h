/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dialler: places calls for clients and follows each to its end, in the message store and for
 * its observers.
 *
 *   dialling -> alerting -> active -> ended
 *      |           |          +-----> unknown     the modem, oFono or the gateway went away
 *      |           +----------------> unanswered
 *      +----------------------------> not_placed  nothing was dialled
 *
 * A modem has one call at a time, and none next to a call of another program: oFono is asked
 * for its calls before it dials. No call lasts for ever: when its time is up, oFono is asked
 * to hang up, again every DIALLER_RETRY_SECONDS until it has.
 *
 * A call that the gateway lost sight of, because it or the modem was away, is hung up when it
 * shows after the modem came back: within DIALLER_LOST_SECONDS of the loss, and soon after
 * oFono listed its calls, since a later call to that number is a new one of the phone's user
 * (tests/integration/test_placing_calls.py).
 *
 * The caller has checked that the number may be dialled.
 */
#pragma once

#include "base/observer.h"
#include "numbers/phone_number.h"
#include "phone/sim.h"
#include "store/store_event.h"

enum {
	DIALLER_TIMEOUT_MS = 60 * 1000,
	DIALLER_CALLS = 16, /* calls kept; finished ones are forgotten first */
	DIALLER_RETRY_SECONDS = 5,
	DIALLER_LOST_SECONDS = 3600,
	DIALLER_REASON_BYTES = 24,
	DIALLER_CLIENT_BYTES = 64,
};

/* outcomes of dialler_place() besides those of store_event_place_call() */
enum { DIALLER_E_BUSY = 100 };

/* A call as it is now; also the event of the observers. */
struct dialler_call {
	int64_t id; /* 0 if there is none */
	int64_t client_id;
	int64_t sim_id;
	enum call_state state;
	bool is_dialled; /* oFono has confirmed it */
	int64_t ends_ms; /* wall clock: hung up then at the latest; 0 not dialled yet */
	char number[PHONE_NUMBER_BYTES];
	char client[DIALLER_CLIENT_BYTES];
	/*
	 * Why it ended: "remote", "network" or "local" (at this phone) from oFono; "time_limit",
	 * "hung_up" (by an agent), "client_left", "revoked", "gateway_stopped", "left" (it went on
	 * while the gateway had lost it). Why nothing was dialled: "busy", "refused",
	 * "not_supported", "not_allowed", "not_handed". "lost": unknown; "" if oFono gave no
	 * reason.
	 */
	char reason[DIALLER_REASON_BYTES];
};

struct dialler_order {
	struct modem *modem; /* modem_has_calls() */
	int64_t sim_id;
	int64_t client_id;
	const char *client; /* its name */
	const char *number; /* digits with an optional leading + */
	int64_t most_seconds;
	const char *reason; /* see struct store_event_call_draft */
};

struct dialler;

struct dialler_parts {
	sd_event *loop;
	struct store *store;
	struct sims *sims;
	struct ofono *ofono;
	int limit_ms; /* for oFono to dial: DIALLER_TIMEOUT_MS except in tests */
};

/* Ends the calls in the store that an earlier gateway left open. Returns 0 or -errno. */
int dialler_new(const struct dialler_parts *parts, struct dialler **dialler_out);
/*
 * Hangs up all calls, before the loop ends. Those that the modem has not confirmed when the
 * gateway ends are looked for at the next start.
 */
void dialler_stop(struct dialler *dialler);
void dialler_free(struct dialler *dialler); /* NULL is fine */

/* Returns whether some modem can place calls. */
bool dialler_is_possible(const struct dialler *dialler);
/* Returns whether some placed call is not over. */
bool dialler_is_busy(const struct dialler *dialler);

/*
 * The call is on disk when 0 returns, and dialled after that. Returns DIALLER_E_BUSY if the modem
 * has a placed call; otherwise what store_event_place_call() does. After an error nothing was done.
 */
int dialler_place(struct dialler *dialler, const struct dialler_order *order,
		  int64_t *id_out);
/* Returns one of the last DIALLER_CALLS since the start; NULL if it is unknown. */
const struct dialler_call *dialler_find(struct dialler *dialler, int64_t id);
/* Asks oFono to hang up; the call is over when oFono says so. Fine for a finished call. */
void dialler_hang_up(struct dialler *dialler, int64_t id, const char *reason);
/* Hangs up all calls of a client that lost its permission. */
void dialler_revoke(struct dialler *dialler, int64_t client_id);

/* The event is a struct dialler_call: something of it changed. */
struct observers *dialler_observers(struct dialler *dialler);
/* No event data: dialler_is_possible() or dialler_is_busy() differs. */
struct observers *dialler_state_observers(struct dialler *dialler);
