/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events are rows with an ascending ID. A call that is placed is written with its usage
 * and its audit line in one commit before it is dialled; its end is one commit with an
 * audit line, too. Adding an event deletes the oldest of its kind beyond EVENTS_MAX.
 */
#include "store/store_event.h"

#include "base/clock.h"
#include "store/store_audit.h"
#include "store/store_internal.h"
#include "store/store_usage.h"

static int store_event_prune_kind(struct store *store, enum event_kind kind)
{
	sqlite3_stmt *statement = store_use(store, EVENT_BOUND);

	sqlite3_bind_int(statement, 1, kind);
	sqlite3_bind_int(statement, 2, EVENTS_MAX);
	return store_run(store, statement);
}

static int store_event_add_row(struct store *store, const struct event *event,
			       int64_t *id_out)
{
	sqlite3_stmt *statement = store_use(store, EVENT_ADD);
	int error;

	sqlite3_bind_int(statement, 1, event->kind);
	sqlite3_bind_int64(statement, 2, event->sim_id);
	sqlite3_bind_int64(statement, 3, event->at_ms);
	store_bind_text(statement, 4, event->number);
	store_bind_text(statement, 5, event->text);
	sqlite3_bind_int(statement, 6, event->state);
	sqlite3_bind_int(statement, 7, event->topic);
	error = store_run(store, statement);
	*id_out = sqlite3_last_insert_rowid(store->database);
	return error;
}

static int store_event_insert(struct store *store, const struct event *event,
			      int64_t *id_out)
{
	int error = store_event_add_row(store, event, id_out);

	return error ? error : store_event_prune_kind(store, event->kind);
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
	sqlite3_stmt *statement = store_use(store, EVENT_STATE);

	sqlite3_bind_int64(statement, 1, id);
	sqlite3_bind_int(statement, 2, state);
	return store_run(store, statement);
}

static int store_event_end(struct store *store, int64_t id, enum call_state state,
			   const char *reason)
{
	sqlite3_stmt *statement = store_use(store, EVENT_END);

	sqlite3_bind_int64(statement, 1, id);
	sqlite3_bind_int(statement, 2, state);
	store_bind_text(statement, 3, reason);
	return store_run(store, statement);
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
	sqlite3_stmt *statement = store_use(store, EVENTS_SETTLE);

	sqlite3_bind_int(statement, 1, EVENT_CALL);
	return store_run(store, statement);
}

int store_event_list(struct store *store, const struct store_event_query *query)
{
	sqlite3_stmt *statement = store_use(store, EVENTS_LIST);
	int result;

	sqlite3_bind_int(statement, 1, query->kind);
	sqlite3_bind_int64(statement, 2, query->before_id ? query->before_id : INT64_MAX);
	sqlite3_bind_int(statement, 3, query->state);
	sqlite3_bind_int(statement, 4, (int)query->limit);
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
	sqlite3_stmt *statement = store_use(store, EVENTS_PRUNE);

	sqlite3_bind_int64(statement, 1, at_ms);
	return store_run(store, statement);
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

/* A call uses as much of the limits as a message of one segment. */
static int store_event_add_call_usage(struct store *store,
				      const struct store_event_call_draft *draft)
{
	return store_usage_add(store,
			       &(struct store_message_draft){
				       .client_id = draft->client_id,
				       .sim_id = draft->sim_id,
				       .segments = 1,
			       },
			       0);
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
	int64_t id = 0;
	int error = store_begin(store);

	if (error)
		return error;
	error = store_event_insert(store, &row, &id);
	if (!error)
		error = store_event_add_call_usage(store, draft);
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
	int error = store_begin(store);

	if (error)
		return error;
	error = store_event_end(store, end->id, end->state, end->reason);
	if (!error)
		error = store_event_audit_ended_call(store, end);
	return store_end(store, error);
}

int store_event_nth_placed_call(struct store *store, int64_t nth, int64_t until_ms,
				int64_t *at_ms_out)
{
	sqlite3_stmt *statement = store_use(store, CALL_PLACED_BEFORE);
	int64_t at_ms = 0;
	int result, error;

	sqlite3_bind_int(statement, 1, EVENT_CALL);
	sqlite3_bind_int(statement, 2, CALL_DIALLING);
	sqlite3_bind_int64(statement, 3, until_ms);
	sqlite3_bind_int64(statement, 4, nth - 1);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		at_ms = sqlite3_column_int64(statement, 0);
	error = store_finish(store, statement, result);
	if (!error)
		*at_ms_out = at_ms;
	return error;
}
