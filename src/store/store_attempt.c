/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_attempt.h"

#include "base/clock.h"
#include "store/store_internal.h"
#include "store/store_message.h"

int store_attempt_set_routed(struct store *store, int64_t message_id,
			     const struct store_routed *routed)
{
	return store_execute(store, ROUTED_ADD, message_id, routed->pool_id,
			     routed->resends);
}

int store_attempt_get_routed(struct store *store, int64_t message_id,
			     struct store_routed *routed_out)
{
	sqlite3_stmt *statement = store_use(store, ROUTED_GET);
	int result;

	store_bind_integers(statement, 1, message_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*routed_out = (struct store_routed){
			sqlite3_column_int64(statement, 0),
			sqlite3_column_int(statement, 1),
		};
	return store_finish_row(store, statement, result);
}

int store_attempt_begin(struct store *store, int64_t message_id, unsigned number,
			int64_t sim_id, int64_t epoch)
{
	return store_execute(store, ATTEMPT_BEGIN, message_id, number, sim_id, epoch,
			     clock_wall_ms());
}

int store_attempt_list(struct store *store, int64_t message_id,
		       void (*visit)(void *data, const struct store_attempt *attempt),
		       void *data)
{
	sqlite3_stmt *statement = store_use(store, ATTEMPTS);
	int result;

	store_bind_integers(statement, 1, message_id);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const struct store_attempt attempt = {
			.number = (unsigned)sqlite3_column_int(statement, 0),
			.sim_id = sqlite3_column_int64(statement, 1),
			.at_ms = sqlite3_column_int64(statement, 2),
			.ended_ms = sqlite3_column_int64(statement, 3),
			.outcome = store_column_text(statement, 4),
			.epoch = sqlite3_column_int64(statement, 5),
		};

		visit(data, &attempt);
	}
	return store_finish(store, statement, result);
}

static int store_attempt_end(struct store *store, int64_t message_id,
			     const struct store_attempt_move *move, int64_t now_ms)
{
	sqlite3_stmt *statement;

	if (!move->number)
		return 0;
	statement = store_use(store, ATTEMPT_END);
	store_bind_integers(statement, 1, message_id, move->number, now_ms);
	store_bind_text(statement, 4, move->outcome);
	return store_run(store, statement);
}

static int store_attempt_write_move(struct store *store, int64_t message_id,
				    const struct store_attempt_move *move, int64_t now_ms)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_MOVE);
	int error;

	store_bind_integers(statement, 1, message_id);
	store_bind_text(statement, 2, move->reason);
	store_bind_integers(statement, 3, now_ms, move->sim_id);
	error = store_run(store, statement);
	return error ? error
		     : store_execute(store, USAGE_MOVE_SIM, message_id, move->sim_id);
}

/* Is it a state of messages whose radio says that it never sends them? */
static bool store_attempt_may_move(enum message_state state,
				   const struct store_attempt_move *move)
{
	return state == STATE_QUEUED || state == STATE_SUBMITTING ||
	       state == STATE_SUBMITTED || state == STATE_HELD ||
	       (state == STATE_UNKNOWN && move->is_decided);
}

static int store_attempt_apply(struct store *store, int64_t message_id,
			       const struct store_attempt_move *move)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_STATE_GET);
	const struct message_change change = {
		.state = STATE_QUEUED,
		.reason = move->reason,
		.at_ms = clock_wall_ms(),
		.by = move->is_decided ? "owner" : NULL,
	};
	int64_t state = 0;
	int error;

	store_bind_integers(statement, 1, message_id);
	error = store_read_integer(store, statement, &state);
	if (error || !state)
		return error ? error : STORE_E_NOT_FOUND;
	if (!store_attempt_may_move((enum message_state)state, move))
		return STORE_E_ILLEGAL;
	error = store_attempt_end(store, message_id, move, change.at_ms);
	if (!error)
		error = store_attempt_write_move(store, message_id, move, change.at_ms);
	return error ? error : store_message_add_change(store, message_id, &change);
}

int store_attempt_move(struct store *store, int64_t message_id,
		       const struct store_attempt_move *move)
{
	int error = store_begin_lazily(store);

	return error ? error
		     : store_end(store, store_attempt_apply(store, message_id, move));
}
