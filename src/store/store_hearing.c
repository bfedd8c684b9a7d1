/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the store knows of the times in which nobody could have told of a message. */
#include "store/store.h"
#include "store/store_statement.h"

/* What GAP_JOIN and GAP_ADD have in common. */
static sqlite3_stmt *gap_use(struct store *store, enum store_statement which,
			     const struct gap *gap)
{
	sqlite3_stmt *statement = store_use(store, which);

	sqlite3_bind_int64(statement, 1, gap->from_ms);
	sqlite3_bind_int64(statement, 2, gap->until_ms);
	statement_bind_text(statement, 3, gap->reason);
	return statement;
}

int store_gap_add(struct store *store, const struct gap *gap)
{
	sqlite3_stmt *statement = gap_use(store, GAP_JOIN, gap);
	int error;

	sqlite3_bind_int64(statement, 4, STORE_GAP_JOIN_MS);
	error = store_run(store, statement);
	if (error || sqlite3_changes(store->database))
		return error;
	return store_run(store, gap_use(store, GAP_ADD, gap));
}

int store_gap_end(struct store *store, const char *reason, int64_t until_ms)
{
	sqlite3_stmt *statement = store_use(store, GAP_END);

	statement_bind_text(statement, 1, reason);
	sqlite3_bind_int64(statement, 2, until_ms);
	return store_run(store, statement);
}

int store_gaps_shift(struct store *store, int64_t from_ms, int64_t until_ms,
		     int64_t later_ms)
{
	sqlite3_stmt *statement = store_use(store, GAPS_SHIFT);

	sqlite3_bind_int64(statement, 1, from_ms);
	sqlite3_bind_int64(statement, 2, until_ms);
	sqlite3_bind_int64(statement, 3, later_ms);
	return store_run(store, statement);
}

int store_gaps_list(struct store *store, int64_t since_ms,
		    void (*visit)(void *data, const struct gap *gap), void *data)
{
	sqlite3_stmt *statement = store_use(store, GAPS);
	int result;

	sqlite3_bind_int64(statement, 1, since_ms);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		struct gap gap = {
			.from_ms = sqlite3_column_int64(statement, 0),
			.until_ms = sqlite3_column_int64(statement, 1),
			.reason = statement_column_text(statement, 2),
		};

		visit(data, &gap);
	}
	return store_done(store, statement, result);
}

int store_gap_known(struct store *store, const char *reason, int64_t since_ms)
{
	sqlite3_stmt *statement = store_use(store, GAP_KNOWN);
	int result, error;

	statement_bind_text(statement, 1, reason);
	sqlite3_bind_int64(statement, 2, since_ms);
	result = sqlite3_step(statement);
	error = store_done(store, statement, result);
	if (error)
		return error;
	return result == SQLITE_ROW ? 0 : STORE_E_NOT_FOUND;
}

int store_alive_set(struct store *store, int64_t wall_ms)
{
	int error = store_mark_alive(store, wall_ms);

	if (!error || !store->alive_ms)
		store->alive_ms = wall_ms;
	return error;
}

int store_moment_read(struct store *store, struct store_moment *moment_out)
{
	sqlite3_stmt *statement = store_use(store, ALIVE_GET);
	struct store_moment moment = { 0 };
	int result = sqlite3_step(statement), error;

	if (result == SQLITE_ROW)
		moment = (struct store_moment){
			.at_ms = sqlite3_column_int64(statement, 0),
			.boot = sqlite3_column_int64(statement, 1),
			.boot_ms = sqlite3_column_int64(statement, 2),
		};
	error = store_done(store, statement, result);
	if (!error)
		*moment_out = moment;
	return error;
}

int store_alive_get(struct store *store, int64_t *wall_ms_out)
{
	struct store_moment moment;
	int error = store_moment_read(store, &moment);

	if (!error)
		*wall_ms_out = moment.at_ms;
	return error;
}
