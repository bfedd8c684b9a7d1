/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event view: what the event types have in common, with each other and with the feed for a hub
 * (tools/change_view.h).
 */
#pragma once

#include "base/amount.h"
#include "mcp/event.h"
#include "store/store_event.h"
#include "tools/view.h"

/* For the functions of tools/argument.h, which read the arguments of a call. */
struct tool_call event_view_call(const struct event_query *query);

/* Writes as for this client. */
struct view event_view(const struct event_query *query, struct json_writer *writer);

/* Is it about what the client asked for itself? */
bool event_view_is_own(const struct event_query *query, const struct feed_entry *entry);

/* Is the entry of the SIM in the argument subscription_id, or is none given? */
bool event_view_is_of_sim(const struct event_query *query, int64_t sim_id);

/* Is `from` neither a number nor a name? For event types that have it. */
const char *event_view_find_problem(const struct event_query *query);
/* Is this number, at this SIM, the one in the argument `from`, or is none given? */
bool event_view_is_from(const struct event_query *query, int64_t sim_id,
			const char *number);

/*
 * Finds a call or alert of the store; its strings live in `arena`. Returns 0, STORE_E_NOT_FOUND if
 * it is deleted, or -errno.
 */
int event_view_find_row(struct store *store, enum event_kind kind, int64_t id,
			struct arena *arena, struct event *event_out);
/*
 * These two find what an entry is about, in the query's arena, and set query->found. They return
 * NULL if it is deleted, or on an error.
 */
const struct event *event_view_find(struct event_query *query,
				    const struct feed_entry *entry, enum event_kind kind);
const struct message *event_view_find_message(struct event_query *query,
					      const struct feed_entry *entry);

/* Returns the state that an entry of FEED_SMS_STATUS tells people and agents. */
enum message_state event_view_message_state(const struct feed_entry *entry);
/* Writes "state", and "previous" and "reason" if there are any. */
void event_view_put_message_state(struct json_writer *writer,
				  const struct feed_entry *entry);
/* Writes the key without what the gateway added for one of several recipients. */
void event_view_put_key(struct json_writer *writer, const struct message *message);
/* Writes "subscription_id" and "state", and "previous" if there is one. */
void event_view_put_sim_state(struct json_writer *writer, const struct feed_entry *entry);

/* Read what `detail` of an entry holds (base/feed.h); each returns its last part. */
const char *event_view_read_balance(
	const struct feed_entry *entry,
	char amount_out[AMOUNT_BYTES]); /* currency, "" if there is none */
const char *event_view_read_gap(const struct feed_entry *entry, int64_t *from_ms_out,
				/* reason; `until` is 0 while it goes on */
				int64_t *until_ms_out);

#define EVENT_VIEW_FROM_FIELD                                              \
	{ "from",                                                          \
	  SCHEMA_STRING,                                                   \
	  false,                                                           \
	  "Only from this number in any spelling, or this sender's exact " \
	  "name",                                                          \
	  1,                                                               \
	  64 }
#define EVENT_VIEW_SIM_FIELD \
	{ "subscription_id", SCHEMA_INTEGER, false, "Only of this SIM" }
