/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, events: incoming and placed calls, and emergency alerts of the network. Part of the
 * store of store/store.h.
 *
 * The newest EVENTS_MAX of each kind stay, at most as long as messages
 * (tests/unit/test_store_event.c).
 */
#pragma once

#include "store/store.h"

enum event_kind { EVENT_CALL = 1, EVENT_ALERT }; /* stored: only append */

enum { EVENTS_MAX = 1000 };

/* Of a call; stored: only append. src/store/store_row_copy.c checks the last one. */
enum call_state {
	CALL_UNKNOWN, /* its end was missed */
	CALL_RINGING,
	CALL_ANSWERED,
	CALL_MISSED,
	CALL_REJECTED, /* hung up at this end, unanswered */
	/* placed calls: */
	CALL_DIALLING,
	CALL_ALERTING, /* the other phone rings */
	CALL_ACTIVE,
	CALL_ENDED,	 /* over after it was answered */
	CALL_UNANSWERED, /* over before anybody answered */
	CALL_NOT_PLACED, /* refused before anything was dialled */
	CALL_LOST,	 /* its end, or even its beginning, was missed */
	CALL_STATE_LAST = CALL_LOST,
};

static inline bool store_event_call_was_placed(int state)
{
	return state >= CALL_DIALLING;
}

/* Is it a placed call that is not over, as far as the store knows? */
static inline bool store_event_call_is_ongoing(int state)
{
	return state >= CALL_DIALLING && state <= CALL_ACTIVE;
}

/* "missed"; "unknown" for CALL_UNKNOWN and CALL_LOST */
const char *store_event_call_state_name(enum call_state state);

struct event {
	int64_t id; /* ascending */
	enum event_kind kind;
	int64_t sim_id;	    /* 0 if unknown */
	int64_t at_ms;	    /* wall clock */
	const char *number; /* phone number, "" withheld; of an alert: its kind */
	const char *text;   /* of an alert; why a placed call ended, "" not known */
	int state;	    /* enum call_state; of an alert 1: an emergency */
	int topic;	    /* of an alert; -1 if oFono does not say */
};

/* `event->id` is not read. Returns 0, STORE_E_FULL or -errno. */
int store_event_add(struct store *store, const struct event *event, int64_t *id_out);
int store_event_set_state(struct store *store, int64_t id, enum call_state state);
int store_event_set_number(struct store *store, int64_t id, const char *number);
/* At the start: calls that still ring become CALL_UNKNOWN. */
int store_event_settle(struct store *store);

struct store_event_query {
	enum event_kind kind;
	int64_t before_id; /* 0 to begin at the newest */
	int state;	   /* only events of this state; -1 for any */
	unsigned limit;
	/* strings live during the visit */
	void (*visit)(void *data, const struct event *event);
	void *data;
};

/* Lists the newest first. Returns 0 or -errno. */
int store_event_list(struct store *store, const struct store_event_query *query);
/* Removes events from before that time. Returns 0, STORE_E_FULL or -errno. */
int store_event_prune(struct store *store, int64_t at_ms);

struct store_event_call_draft { /* strings borrowed */
	int64_t client_id;
	const char *client; /* its name */
	int64_t sim_id;
	const char *number; /* phone number */
	/* why it may be placed, for the audit; NULL if none is needed */
	const char *reason;
};

/*
 * Stores a call in CALL_DIALLING, what it uses of the limits of messages, and its audit line, in
 * one durable commit before anything is dialled (tests/unit/test_store_event.c). Returns 0,
 * STORE_E_FULL or -errno.
 */
int store_event_place_call(struct store *store,
			   const struct store_event_call_draft *draft, int64_t *id_out);

struct store_event_call_end {
	int64_t id;
	int64_t client_id;
	const char *client;    /* NULL if not known any more */
	enum call_state state; /* one that is not ongoing */
	const char *reason;
};

/* With its audit line. Returns 0, STORE_E_FULL or -errno. */
int store_event_end_call(struct store *store, const struct store_event_call_end *end);

/*
 * Finds the time of the `nth` newest placed call, counted from 1, among those up to `until_ms`; the
 * time is 0 if there are fewer. Returns 0 or -errno.
 */
int store_event_nth_placed_call(struct store *store, int64_t nth, int64_t until_ms,
				int64_t *at_ms_out);
