/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_event.h"

#include "store/store_statement.h"

static int bound(struct store *store, enum event_kind kind)
{
	sqlite3_stmt *statement = store_use(store, EVENT_BOUND);

	sqlite3_bind_int(statement, 1, kind);
	sqlite3_bind_int(statement, 2, EVENTS_MAX);
	return store_run(store, statement);
}

static int add(struct store *store, const struct event *event, int64_t *id_out)
{
	sqlite3_stmt *statement = store_use(store, EVENT_ADD);
	int error;

	sqlite3_bind_int(statement, 1, event->kind);
	sqlite3_bind_int64(statement, 2, event->sim_id);
	sqlite3_bind_int64(statement, 3, event->at_ms);
	statement_bind_text(statement, 4, event->number);
	statement_bind_text(statement, 5, event->text);
	sqlite3_bind_int(statement, 6, event->state);
	sqlite3_bind_int(statement, 7, event->topic);
	error = store_run(store, statement);
	*id_out = sqlite3_last_insert_rowid(store->database);
	return error;
}

int store_event_insert(struct store *store, const struct event *event, int64_t *id_out)
{
	int error = add(store, event, id_out);

	return error ? error : bound(store, event->kind);
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

int store_event_end(struct store *store, int64_t id, enum call_state state,
		    const char *reason)
{
	sqlite3_stmt *statement = store_use(store, EVENT_END);

	sqlite3_bind_int64(statement, 1, id);
	sqlite3_bind_int(statement, 2, state);
	statement_bind_text(statement, 3, reason);
	return store_run(store, statement);
}

int store_event_set_number(struct store *store, int64_t id, const char *number)
{
	sqlite3_stmt *statement = store_use(store, EVENT_NUMBER);

	sqlite3_bind_int64(statement, 1, id);
	statement_bind_text(statement, 2, number);
	return store_run(store, statement);
}

int store_events_settle(struct store *store)
{
	sqlite3_stmt *statement = store_use(store, EVENTS_SETTLE);

	sqlite3_bind_int(statement, 1, EVENT_CALL);
	return store_run(store, statement);
}

int store_events_list(struct store *store, const struct event_look *look)
{
	sqlite3_stmt *statement = store_use(store, EVENTS_LIST);
	int result;

	sqlite3_bind_int(statement, 1, look->kind);
	sqlite3_bind_int64(statement, 2, look->before_id ? look->before_id : INT64_MAX);
	sqlite3_bind_int(statement, 3, look->state);
	sqlite3_bind_int(statement, 4, (int)look->limit);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		struct event event = {
			.id = sqlite3_column_int64(statement, 0),
			.kind = look->kind,
			.sim_id = sqlite3_column_int64(statement, 1),
			.at_ms = sqlite3_column_int64(statement, 2),
			.number = statement_column_text(statement, 3),
			.text = statement_column_text(statement, 4),
			.state = sqlite3_column_int(statement, 5),
			.topic = sqlite3_column_int(statement, 6),
		};

		look->visit(look->data, &event);
	}
	return store_done(store, statement, result);
}

int store_events_prune(struct store *store, int64_t at_ms)
{
	sqlite3_stmt *statement = store_use(store, EVENTS_PRUNE);

	sqlite3_bind_int64(statement, 1, at_ms);
	return store_run(store, statement);
}

const char *call_state_name(enum call_state state)
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
