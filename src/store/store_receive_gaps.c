/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gaps are stored when they are known to have ended, or open (until_at 0) while they
 * last.
 */
#include "store/store.h"

#include "store/store_internal.h"

/* Binds the parameters that GAP_JOIN and GAP_ADD share. */
static sqlite3_stmt *store_receive_gaps_use(struct store *store, enum store_sql_id which,
					    const struct gap *gap)
{
	sqlite3_stmt *statement = store_use(store, which);

	store_bind_integers(statement, 1, gap->from_ms, gap->until_ms);
	store_bind_text(statement, 3, gap->reason);
	return statement;
}

int store_receive_gaps_add(struct store *store, const struct gap *gap)
{
	sqlite3_stmt *statement = store_receive_gaps_use(store, GAP_JOIN, gap);
	int error;

	sqlite3_bind_int64(statement, 4, STORE_GAP_JOIN_MS);
	error = store_run(store, statement);
	if (error || sqlite3_changes(store->database))
		return error;
	return store_run(store, store_receive_gaps_use(store, GAP_ADD, gap));
}

int store_receive_gaps_end(struct store *store, const char *reason, int64_t until_ms)
{
	sqlite3_stmt *statement = store_use(store, GAP_END);

	store_bind_text(statement, 1, reason);
	sqlite3_bind_int64(statement, 2, until_ms);
	return store_run(store, statement);
}

int store_receive_gaps_shift(struct store *store, int64_t from_ms, int64_t until_ms,
			     int64_t later_ms)
{
	return store_execute(store, GAPS_SHIFT, from_ms, until_ms, later_ms);
}

int store_receive_gaps_list(struct store *store, int64_t since_ms, int64_t until_ms,
			    void (*visit)(void *data, const struct gap *gap), void *data)
{
	sqlite3_stmt *statement = store_use(store, GAPS);
	int result;

	store_bind_integers(statement, 1, since_ms, until_ms);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		struct gap gap = {
			.from_ms = sqlite3_column_int64(statement, 0),
			.until_ms = sqlite3_column_int64(statement, 1),
			.reason = store_column_text(statement, 2),
		};

		visit(data, &gap);
	}
	return store_finish(store, statement, result);
}

int store_receive_gaps_has(struct store *store, const char *reason, int64_t since_ms)
{
	sqlite3_stmt *statement = store_use(store, GAP_FIND);

	store_bind_text(statement, 1, reason);
	sqlite3_bind_int64(statement, 2, since_ms);
	return store_find_row(store, statement);
}

int store_receive_gaps_set_alive(struct store *store, int64_t wall_ms)
{
	int error = store_mark_alive(store, wall_ms);

	if (!error || !store->alive_ms)
		store->alive_ms = wall_ms;
	return error;
}

int store_receive_gaps_get_alive(struct store *store, int64_t *wall_ms_out)
{
	struct store_moment moment;
	int error = store_read_moment(store, &moment);

	if (!error)
		*wall_ms_out = moment.at_ms;
	return error;
}
