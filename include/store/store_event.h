/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, events: what is no message: calls that came in or were placed (store_call.h), and
 * alerts of the network. Part of the store of store/store.h.
 *
 * The last EVENTS_MAX of each kind stay, and no longer than messages do
 * (tests/unit/test_store_event.c).
 */
#ifndef STORE_STORE_EVENT_H
#define STORE_STORE_EVENT_H

#include "store/store.h"

enum event_kind { EVENT_CALL = 1, EVENT_ALERT }; /* stored: only append */

enum { EVENTS_MAX = 1000 };

/* Of a call; stored: only append, and src/store/store_carry.c knows the last. */
enum call_state {
	CALL_UNKNOWN, /* nobody heard how it ended */
	CALL_RINGING,
	CALL_ANSWERED,
	CALL_MISSED,
	CALL_REJECTED, /* hung up at this end, unanswered */
	/* of one that was placed: */
	CALL_DIALLING,
	CALL_ALERTING, /* it rings there */
	CALL_ACTIVE,
	CALL_ENDED,	 /* it was answered, and is over */
	CALL_UNANSWERED, /* over before anybody answered */
	CALL_NOT_PLACED, /* refused before anything was dialled */
	CALL_LOST,	 /* nobody heard how it ended, or whether it began */
	CALL_STATE_LAST = CALL_LOST,
};

static inline bool call_was_placed(int state)
{
	return state >= CALL_DIALLING;
}

/* ... and is not over, as far as is known. */
static inline bool call_goes_on(int state)
{
	return state >= CALL_DIALLING && state <= CALL_ACTIVE;
}

/* "missed"; "unknown" of both that nobody heard the end of. */
const char *call_state_name(enum call_state state);

struct event {
	int64_t id; /* grows with every event */
	enum event_kind kind;
	int64_t sim_id;	    /* 0: not known */
	int64_t at_ms;	    /* wall clock */
	const char *number; /* of the other end, "" withheld; the kind of an emergency */
	const char *text; /* of an alert; why a call that was placed ended, "" not told */
	int state;	  /* enum call_state; of an alert 1: an emergency */
	int topic;	  /* of an alert, -1: oFono does not say */
};

/* On disk when 0 returns. Else -errno, STORE_E_FULL. `id` is not read. */
int store_event_add(struct store *store, const struct event *event, int64_t *id_out);
/* The same within a transaction; its error is to be given to store_end(). */
int store_event_insert(struct store *store, const struct event *event, int64_t *id_out);
int store_event_set_state(struct store *store, int64_t id, enum call_state state);
int store_event_set_number(struct store *store, int64_t id, const char *number);
/* The same, and why. */
int store_event_end(struct store *store, int64_t id, enum call_state state,
		    const char *reason);
/* At the start: of calls that still ring nobody heard the end. */
int store_events_settle(struct store *store);

struct event_look {
	enum event_kind kind;
	int64_t before_id; /* 0: from the newest on */
	int state;	   /* only of this one; -1: any */
	unsigned limit;
	/* strings live during the visit */
	void (*visit)(void *data, const struct event *event);
	void *data;
};

/* Newest first. 0 or -errno. */
int store_events_list(struct store *store, const struct event_look *look);

/* Those of before that time go. 0, STORE_E_FULL, -errno. */
int store_events_prune(struct store *store, int64_t at_ms);

#endif
