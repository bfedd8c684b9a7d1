/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_call.h"

#include "base/clock.h"
#include "store/store_audit.h"
#include "store/store_statement.h"
#include "store/store_usage.h"

static int note_placed(struct store *store, const struct call_draft *draft, int64_t id)
{
	return store_audit_note(
		store, AUDIT_CALL_PLACED,
		(struct audit_fact[]){
			{ "call_id", NULL, id },
			{ "client_id", NULL, draft->client_id },
			{ "client", draft->client },
			{ "number", draft->number },
			{ "subscription_id", NULL, draft->sim_id },
			{ draft->reason ? "reason" : NULL, draft->reason },
			{ NULL },
		});
}

/* Of the limits it takes what a message of one segment takes. */
static int take_usage(struct store *store, const struct call_draft *draft)
{
	return store_usage_add(store,
			       &(struct message_draft){
				       .client_id = draft->client_id,
				       .sim_id = draft->sim_id,
				       .segments = 1,
			       },
			       0);
}

int store_call_place(struct store *store, const struct call_draft *draft, int64_t *id_out)
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
		error = take_usage(store, draft);
	if (!error)
		error = note_placed(store, draft, id);
	error = store_end(store, error);
	if (error)
		store_usage_forget_clock(store);
	else
		*id_out = id;
	return error;
}

static int note_ended(struct store *store, const struct call_end *end)
{
	return store_audit_note(
		store, AUDIT_CALL_ENDED,
		(struct audit_fact[]){
			{ "call_id", NULL, end->id },
			{ "state", call_state_name(end->state) },
			{ "reason", end->reason },
			{ end->client ? "client_id" : NULL, NULL, end->client_id },
			{ "client", end->client },
			{ NULL },
		});
}

int store_call_end(struct store *store, const struct call_end *end)
{
	int error = store_begin(store);

	if (error)
		return error;
	error = store_event_end(store, end->id, end->state, end->reason);
	if (!error)
		error = note_ended(store, end);
	return store_end(store, error);
}

int store_call_placed(struct store *store, int64_t nth, int64_t until_ms,
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
	error = store_done(store, statement, result);
	if (!error)
		*at_ms_out = at_ms;
	return error;
}
