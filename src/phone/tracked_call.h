/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracked call: a placed call that the dialler follows. Each change goes to the message store
 * and to the observers. A call that is to end is hung up, again every DIALLER_RETRY_SECONDS,
 * until oFono says that it is over.
 */
#pragma once

#include "ofono/modem_call.h"
#include "phone/dialler.h"

enum { TRACKED_CALL_PATH_BYTES = 160 };

struct tracked_calls;

/* An active call, or what is known of a finished one. */
struct tracked_call {
	struct dialler_call call;
	struct tracked_calls *calls;
	struct modem *modem;		    /* NULL if it is over */
	struct voice_call_dial *dial;	    /* not NULL until oFono has answered */
	char path[TRACKED_CALL_PATH_BYTES]; /* "" if not known yet */
	const char *hang_up_reason; /* why the gateway hangs up; NULL if it does not */
	const char *ofono_reason;   /* DisconnectReason; NULL if not signalled */
	sd_event_source *timer;	    /* to hang up, or to repeat that */
};

struct tracked_calls {
	struct dialler *dialler; /* the owner */
	sd_event *loop;
	struct store *store;
	struct observers observers; /* see dialler_observers() */
	struct tracked_call list[DIALLER_CALLS];
};

void tracked_calls_init(struct tracked_calls *calls, struct dialler *dialler,
			const struct dialler_parts *parts);
/* Hangs up nothing and reports nothing. */
void tracked_calls_deinit(struct tracked_calls *calls);

/* Returns whether some call is not over. */
bool tracked_calls_are_active(const struct tracked_calls *calls);
/*
 * Returns NULL if there is none. A result is borrowed; the place of a finished call may be used for
 * another.
 */
struct tracked_call *tracked_calls_find(struct tracked_calls *calls, int64_t id);
struct tracked_call *tracked_calls_find_active_on(struct tracked_calls *calls,
						  const struct modem *modem);
struct tracked_call *tracked_calls_find_active_at(struct tracked_calls *calls,
						  const char *path);
/*
 * Returns an empty place: a free one, or that of the oldest finished call. Returns NULL if all are
 * active.
 */
struct tracked_call *tracked_calls_take_place(struct tracked_calls *calls);
/* Works like store_event_end_call(), and logs what the disk refuses. */
void tracked_calls_store_end(struct tracked_calls *calls,
			     const struct store_event_call_end *end);

/* Hangs it up after so long. Returns 0 or -errno. */
int tracked_call_set_limit(struct tracked_call *tracked, int64_t seconds);
/* Empties the place again. */
void tracked_call_clear(struct tracked_call *tracked);
/* Logs the call and notifies the observers. */
void tracked_call_report(const struct tracked_call *tracked);
/* oFono has dialled. A path that does not fit stays unknown. */
void tracked_call_on_dialled(struct tracked_call *tracked, const char *path);
/* oFono signalled a state, or why the call is about to end: .call_state of ofono_event. */
void tracked_call_on_state(struct tracked_call *tracked, const char *state);
/* oFono signalled that it is over. */
void tracked_call_on_removed(struct tracked_call *tracked);
/* Does nothing when it is over or being hung up. `reason` is constant. */
void tracked_call_hang_up(struct tracked_call *tracked, const char *reason);
/* It is over. */
void tracked_call_finish(struct tracked_call *tracked, enum call_state state,
			 const char *reason);
