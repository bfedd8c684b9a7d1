/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events are rows with an ascending ID. A call that is placed is written with its usage and its
 * audit line in one commit before it is dialled; its end is also one commit with an audit line.
 * Adding an event deletes the oldest of its kind beyond EVENTS_MAX.
 */
#include "store/store_event.h"

#include "base/clock.h"
#include "store/store_audit.h"
#include "store/store_internal.h"
#include "store/store_usage.h"

/* The oldest of its kind goes when there are too many. */
static int store_event_insert(struct store *store, const struct event *event,
			      int64_t *id_out)
{
	sqlite3_stmt *statement = store_use(store, EVENT_ADD);
	int error;

	store_bind_integers(statement, 1, event->kind, event->sim_id, event->at_ms);
	store_bind_text(statement, 4, event->number);
	store_bind_text(statement, 5, event->text);
	store_bind_integers(statement, 6, event->state, event->topic);
	error = store_run(store, statement);
	*id_out = sqlite3_last_insert_rowid(store->database);
	return error ? error : store_execute(store, EVENT_BOUND, event->kind, EVENTS_MAX);
}

int store_event_add(struct store *store, const struct event *event, int64_t *id_out)
{
	int64_t id = 0;
	int error = store_begin(store);

	if (error)
		return error;
	error = store_end(store, store_event_insert(store, event, &id));
	if (!error)
		*id_out = id;
	return error;
}

int store_event_set_state(struct store *store, int64_t id, enum call_state state)
{
	return store_execute(store, EVENT_STATE, id, state);
}

int store_event_set_number(struct store *store, int64_t id, const char *number)
{
	sqlite3_stmt *statement = store_use(store, EVENT_NUMBER);

	sqlite3_bind_int64(statement, 1, id);
	store_bind_text(statement, 2, number);
	return store_run(store, statement);
}

int store_event_settle(struct store *store)
{
	return store_execute(store, EVENTS_SETTLE, EVENT_CALL);
}

int store_event_list(struct store *store, const struct store_event_query *query)
{
	sqlite3_stmt *statement = store_use(store, EVENTS_LIST);
	int result;

	store_bind_integers(statement, 1, query->kind,
			    query->before_id ? query->before_id : INT64_MAX, query->state,
			    (int)query->limit);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		struct event event = {
			.id = sqlite3_column_int64(statement, 0),
			.kind = query->kind,
			.sim_id = sqlite3_column_int64(statement, 1),
			.at_ms = sqlite3_column_int64(statement, 2),
			.number = store_column_text(statement, 3),
			.text = store_column_text(statement, 4),
			.state = sqlite3_column_int(statement, 5),
			.topic = sqlite3_column_int(statement, 6),
		};

		query->visit(query->data, &event);
	}
	return store_finish(store, statement, result);
}

int store_event_prune(struct store *store, int64_t at_ms)
{
	return store_execute(store, EVENTS_PRUNE, at_ms);
}

const char *store_event_call_state_name(enum call_state state)
{
	static const char *const names[] = {
		[CALL_UNKNOWN] = "unknown",	  [CALL_RINGING] = "ringing",
		[CALL_ANSWERED] = "answered",	  [CALL_MISSED] = "missed",
		[CALL_REJECTED] = "rejected",	  [CALL_DIALLING] = "dialing",
		[CALL_ALERTING] = "alerting",	  [CALL_ACTIVE] = "active",
		[CALL_ENDED] = "ended",		  [CALL_UNANSWERED] = "unanswered",
		[CALL_NOT_PLACED] = "not_placed", [CALL_LOST] = "unknown",
	};

	return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state]
								: names[CALL_UNKNOWN];
}

static int store_event_audit_placed_call(struct store *store,
					 const struct store_event_call_draft *draft,
					 int64_t id)
{
	return store_audit_record(
		store, AUDIT_CALL_PLACED,
		(struct audit_event_fact[]){
			{ "call_id", NULL, id },
			{ "client_id", NULL, draft->client_id },
			{ "client", draft->client },
			{ "number", draft->number },
			{ "subscription_id", NULL, draft->sim_id },
			{ draft->reason ? "reason" : NULL, draft->reason },
			{ NULL },
		});
}

int store_event_place_call(struct store *store,
			   const struct store_event_call_draft *draft, int64_t *id_out)
{
	const struct event row = {
		.kind = EVENT_CALL,
		.sim_id = draft->sim_id,
		.at_ms = clock_wall_ms(),
		.number = draft->number,
		.text = "",
		.state = CALL_DIALLING,
		.topic = -1,
	};
	/* It uses as much of the limits as a message of one segment. */
	const struct store_message_draft usage = {
		.client_id = draft->client_id,
		.sim_id = draft->sim_id,
		.segments = 1,
	};
	int64_t id = 0;
	int error = store_begin(store);

	if (error)
		return error;
	error = store_event_insert(store, &row, &id);
	if (!error)
		error = store_usage_add(store, &usage, 0);
	if (!error)
		error = store_event_audit_placed_call(store, draft, id);
	error = store_end(store, error);
	if (error)
		store_usage_forget_clock(store);
	else
		*id_out = id;
	return error;
}

static int store_event_audit_ended_call(struct store *store,
					const struct store_event_call_end *end)
{
	return store_audit_record(
		store, AUDIT_CALL_ENDED,
		(struct audit_event_fact[]){
			{ "call_id", NULL, end->id },
			{ "state", store_event_call_state_name(end->state) },
			{ "reason", end->reason },
			{ end->client ? "client_id" : NULL, NULL, end->client_id },
			{ "client", end->client },
			{ NULL },
		});
}

int store_event_end_call(struct store *store, const struct store_event_call_end *end)
{
	sqlite3_stmt *statement;
	int error = store_begin(store);

	if (error)
		return error;
	statement = store_use(store, EVENT_END);
	store_bind_integers(statement, 1, end->id, end->state);
	store_bind_text(statement, 3, end->reason);
	error = store_run(store, statement);
	if (!error)
		error = store_event_audit_ended_call(store, end);
	return store_end(store, error);
}

int store_event_nth_placed_call(struct store *store, int64_t nth, int64_t until_ms,
				int64_t *at_ms_out)
{
	sqlite3_stmt *statement = store_use(store, CALL_PLACED_BEFORE);
	int64_t at_ms = 0;
	int error;

	store_bind_integers(statement, 1, EVENT_CALL, CALL_DIALLING, until_ms, nth - 1);
	error = store_read_integer(store, statement, &at_ms);
	if (!error)
		*at_ms_out = at_ms;
	return error;
}
