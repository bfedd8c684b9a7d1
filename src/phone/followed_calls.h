/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Followed calls: the placed calls that the dialler knows of, each as it is now, in the ledger
 * and to those who listen; hung up when it is to end, again every DIALLER_AGAIN_SECONDS until
 * oFono says that it is over.
 *
 * Private to the dialler (phone/dialler.h).
 */
#ifndef PHONE_FOLLOWED_CALLS_H
#define PHONE_FOLLOWED_CALLS_H

#include "ofono/voice_call.h"
#include "phone/dialler.h"

enum { FOLLOWED_PATH_BYTES = 160 };

struct followed_calls;

/* A call that goes on; or what is known of one that is over. */
struct followed_call {
	struct placed_call call;
	struct followed_calls *calls;
	struct modem *modem;		/* NULL: it is over */
	struct voice_call_dial *dial;	/* oFono has not answered yet */
	char path[FOLLOWED_PATH_BYTES]; /* "": not known yet */
	const char *why;		/* it is to end; NULL: it is not */
	const char *told;		/* why it ends, as oFono told; NULL: it did not */
	sd_event_source *timer;		/* to hang up, or to do so again */
};

struct followed_calls {
	struct dialler *dialler; /* whose they are */
	sd_event *loop;
	struct store *store;
	struct observers observers; /* see dialler_observers() */
	struct followed_call followed[DIALLER_CALLS];
};

void followed_calls_init(struct followed_calls *calls, struct dialler *dialler,
			 const struct dialler_parts *parts);
/* Nothing is hung up, and nobody told. */
void followed_calls_deinit(struct followed_calls *calls);

/* Some call goes on. */
bool followed_calls_go_on(const struct followed_calls *calls);
/*
 * The one of this id (0: none); the one that goes on on this modem; the one that goes on at
 * this path. NULL: none. Borrowed, and it may become another one's place when it is over.
 */
struct followed_call *followed_calls_find(struct followed_calls *calls, int64_t id);
struct followed_call *followed_calls_on(struct followed_calls *calls,
					const struct modem *modem);
struct followed_call *followed_calls_at(struct followed_calls *calls, const char *path);
/* A free place, or that of the oldest which is over, empty. NULL: all go on. */
struct followed_call *followed_calls_take(struct followed_calls *calls);
/* As store_event_end_call(); what the disk does not take is logged. */
void followed_calls_store_end(struct followed_calls *calls,
			      const struct store_event_call_end *end);

/* Hung up after so long. 0 or -errno. */
int followed_call_limit(struct followed_call *followed, int64_t seconds);
/* The place is empty again. */
void followed_call_drop(struct followed_call *followed);
void followed_call_tell(const struct followed_call *followed);
/* oFono has dialled. A path that does not fit stays unknown. */
void followed_call_dialled(struct followed_call *followed, const char *path);
/* oFono tells a state of it, or why it is about to end: see struct ofono_event. */
void followed_call_hear(struct followed_call *followed, const char *state);
/* Nothing when it is over, or on its way there. `why` is constant. */
void followed_call_hang_up(struct followed_call *followed, const char *why);
/* It is over: because of what is known of it, or with this state and reason. */
void followed_call_end(struct followed_call *followed);
void followed_call_finish(struct followed_call *followed, enum call_state state,
			  const char *reason);

#endif
