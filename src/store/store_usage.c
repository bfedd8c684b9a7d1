/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_usage.h"

#include "base/clock.h"
#include "store/store_statement.h"

/* A statement for the client; the next are those for the SIM and for what was accepted. */
static sqlite3_stmt *span_use(struct store *store, enum store_statement for_client,
			      const struct usage_span *span)
{
	sqlite3_stmt *statement = store_use(store, for_client + (int)span->by);

	sqlite3_bind_int64(statement, 1, span->id);
	sqlite3_bind_int64(statement, 2, span->from_ms);
	sqlite3_bind_int64(statement, 3, span->until_ms);
	return statement;
}

static int read_times(struct store *store, sqlite3_stmt *statement, int64_t *times_out,
		      size_t room, size_t *count_out)
{
	size_t count = 0;
	int result, error;

	sqlite3_bind_int64(statement, 4, (int64_t)room);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW && count < room)
		times_out[count++] = sqlite3_column_int64(statement, 0);
	error = store_done(store, statement, result);
	if (!error)
		*count_out = count;
	return error;
}

int store_usage_until(struct store *store, const struct usage_span *span,
		      int64_t *times_out, size_t room, size_t *count_out)
{
	return read_times(store, span_use(store, USAGE_CLIENT_UNTIL, span), times_out,
			  room, count_out);
}

int store_usage_after(struct store *store, const struct usage_span *span,
		      int64_t *times_out, size_t room, size_t *count_out)
{
	return read_times(store, span_use(store, USAGE_CLIENT_AFTER, span), times_out,
			  room, count_out);
}

int store_usage_segments(struct store *store, const struct usage_span *span, int64_t rows,
			 int64_t *segments_out)
{
	sqlite3_stmt *statement = span_use(store, USAGE_CLIENT_SUM, span);
	int64_t segments = 0;
	int result, error;

	sqlite3_bind_int64(statement, 4, rows);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		segments = sqlite3_column_int64(statement, 0);
	error = store_done(store, statement, result);
	if (!error)
		*segments_out = segments;
	return error;
}

/* A few of the oldest with each message that is added, so that nothing has to wake for it. */
static int prune(struct store *store, int64_t now_ms)
{
	sqlite3_stmt *statement = store_use(store, USAGE_PRUNE);

	sqlite3_bind_int64(statement, 1,
			   now_ms - USAGE_KEEP_DAYS * (int64_t)CLOCK_MS_PER_DAY);
	sqlite3_bind_int(statement, 2, USAGE_PRUNE_ROWS);
	return store_run(store, statement);
}

int store_usage_return(struct store *store, int64_t message_id)
{
	sqlite3_stmt *statement = store_use(store, USAGE_RETURN);

	sqlite3_bind_int64(statement, 1, message_id);
	return store_run(store, statement);
}

int store_usage_add(struct store *store, const struct message_draft *draft,
		    int64_t message_id)
{
	int64_t now_ms, ahead_ms, at_ms;
	sqlite3_stmt *statement;
	int error = store_usage_now(store, &now_ms, &ahead_ms);

	if (error)
		return error;
	at_ms = draft->send_at_ms - ahead_ms;
	if (!draft->send_at_ms || at_ms < now_ms)
		at_ms = now_ms;
	statement = store_use(store, USAGE_ADD);
	sqlite3_bind_int64(statement, 1, draft->client_id);
	sqlite3_bind_int64(statement, 2, draft->sim_id);
	sqlite3_bind_int64(statement, 3, draft->segments);
	sqlite3_bind_int64(statement, 4, at_ms);
	sqlite3_bind_int64(statement, 5, now_ms);
	sqlite3_bind_int64(statement, 6, message_id);
	error = store_run(store, statement);
	return error ? error : prune(store, now_ms);
}
