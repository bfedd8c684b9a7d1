/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes old messages and vacuums in steps that block the event loop for a moment only:
 * up to 100 rows, or 32 pages, each. A step reads candidates in the order of IDs and
 * removes those that may go in one commit.
 *
 * Age is decided by the order of IDs, because clocks jump: a message between others of
 * this year is not old, whatever its time says. While the clock may have jumped ahead,
 * the caller pauses.
 */
#include "store/store_retention.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/store_database.h"
#include "store/store_internal.h"
#include "store/store_setting.h"

enum { GAPS_MAX = 1000, INCREMENTAL = 2 };

/* Its value: the wall clock in milliseconds at the jump. */
static const char jump_setting[] = "clock_leapt";

#define SMALL_BYTES (INT64_C(16) << 20)

/* The messages that one step removes. */
struct store_retention_batch {
	int64_t ids[RETENTION_STEP_ROWS];
	unsigned count;
};

/* `id` is below the border, or there are too many messages. */
static bool store_retention_is_due(const struct store_retention *retention, int64_t id)
{
	return id < retention->border_id || retention->excess > 0;
}

static void store_retention_check_row(struct store_retention *retention,
				      struct store_retention_batch *batch,
				      sqlite3_stmt *statement)
{
	int64_t id = sqlite3_column_int64(statement, 0);

	if (!store_retention_is_due(retention, id)) {
		retention->done = true;
		if (!retention->oldest_ms)
			retention->oldest_ms = sqlite3_column_int64(statement, 2);
		return;
	}
	retention->after_id = id;
	if (!sqlite3_column_int(statement, 1))
		return;
	batch->ids[batch->count++] = id;
	retention->excess--;
}

static int store_retention_read_page(struct store *store,
				     struct store_retention *retention,
				     struct store_retention_batch *batch)
{
	sqlite3_stmt *statement = store_use(store, RETENTION_PAGE);
	int64_t now_ms = clock_wall_ms();
	int result = SQLITE_DONE, rows = 0;

	sqlite3_bind_int64(statement, 1, retention->after_id);
	sqlite3_bind_int64(statement, 2, now_ms - DELIVERY_WAIT_MS);
	sqlite3_bind_int64(statement, 3,
			   now_ms - (int64_t)STORE_KEY_DAYS * CLOCK_MS_PER_DAY);
	sqlite3_bind_int(statement, 4, RETENTION_STEP_ROWS);
	while (!retention->done && (result = sqlite3_step(statement)) == SQLITE_ROW) {
		store_retention_check_row(retention, batch, statement);
		rows++;
	}
	if (result == SQLITE_DONE && rows < RETENTION_STEP_ROWS)
		retention->done = true;
	return store_finish(store, statement, result);
}

static int store_retention_delete_row(struct store *store, enum store_sql_id which,
				      int64_t id)
{
	sqlite3_stmt *statement = store_use(store, which);

	sqlite3_bind_int64(statement, 1, id);
	return store_run(store, statement);
}

/* Inside a transaction; triggers update the conversations. */
static int store_retention_delete_batch(struct store *store,
					const struct store_retention_batch *batch)
{
	int error = 0;

	for (unsigned i = 0; !error && i < batch->count; i++) {
		error = store_retention_delete_row(store, RETENTION_CHANGES,
						   batch->ids[i]);
		if (!error)
			error = store_retention_delete_row(store, RETENTION_REMOVE,
							   batch->ids[i]);
	}
	return error;
}

int store_retention_step(struct store *store, struct store_retention *retention)
{
	struct store_retention next = *retention;
	struct store_retention_batch batch = { .count = 0 };
	int error = store_retention_read_page(store, &next, &batch);

	if (!error && batch.count) {
		error = store_begin(store);
		if (!error)
			error = store_end(store,
					  store_retention_delete_batch(store, &batch));
	}
	if (error)
		return error;
	next.removed += batch.count;
	*retention = next;
	return 0;
}

/* Steps a bound statement whose row is one number. */
static int store_retention_read_int(struct store *store, sqlite3_stmt *statement,
				    int64_t *number_out)
{
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW)
		*number_out = sqlite3_column_int64(statement, 0);
	return store_finish(store, statement, result);
}

int store_retention_border(struct store *store, int64_t made_ms, int64_t *id_out)
{
	sqlite3_stmt *statement = store_use(store, RETENTION_BORDER);
	int64_t id = 0;
	int error;

	sqlite3_bind_int64(statement, 1, made_ms);
	error = store_retention_read_int(store, statement, &id);
	if (!error)
		*id_out = id ? id : INT64_MAX;
	return error;
}

int store_retention_record_jump(struct store *store, int64_t now_ms)
{
	char text[STORE_SETTING_BYTES];

	snprintf(text, sizeof(text), "%lld", (long long)now_ms);
	return store_setting_set(store, jump_setting, text);
}

/* Recorded within the last day, by a clock that was not set back since. */
static int store_retention_find_recorded_jump(struct store *store, int64_t now_ms,
					      bool *jumped_out)
{
	char text[STORE_SETTING_BYTES];
	int error = store_setting_get(store, jump_setting, text);
	long long recorded_ms = error ? 0 : strtoll(text, NULL, 10);

	*jumped_out = !error && recorded_ms <= now_ms &&
		      now_ms - CLOCK_MS_PER_DAY < recorded_ms;
	return error == STORE_E_NOT_FOUND ? 0 : error;
}

/* A week or more in which nothing ran, ended within the last day. */
static int store_retention_find_long_gap(struct store *store, int64_t now_ms,
					 bool *jumped_out)
{
	sqlite3_stmt *statement = store_use(store, RETENTION_LEAP);
	int64_t jumped = 0;
	int error;

	sqlite3_bind_int64(statement, 1, now_ms - CLOCK_MS_PER_DAY);
	sqlite3_bind_int64(statement, 2, now_ms);
	sqlite3_bind_int64(statement, 3, RETENTION_JUMP_MS);
	error = store_retention_read_int(store, statement, &jumped);
	if (!error)
		*jumped_out = jumped != 0;
	return error;
}

int store_retention_has_jumped(struct store *store, int64_t now_ms, bool *jumped_out)
{
	bool recorded = false, ran_nothing = false;
	int error = store_retention_find_recorded_jump(store, now_ms, &recorded);

	if (!error)
		error = store_retention_find_long_gap(store, now_ms, &ran_nothing);
	if (!error)
		*jumped_out = recorded || ran_nothing;
	return error;
}

int store_retention_count(struct store *store, int64_t *count_out)
{
	return store_retention_read_int(store, store_use(store, RETENTION_COUNT),
					count_out);
}

int64_t store_retention_added(const struct store *store)
{
	return store->added;
}

int store_retention_drop_gaps(struct store *store, int64_t ended_ms)
{
	sqlite3_stmt *statement = store_use(store, RETENTION_GAPS);

	sqlite3_bind_int64(statement, 1, ended_ms);
	sqlite3_bind_int(statement, 2, GAPS_MAX);
	return store_run(store, statement);
}

static int store_retention_query_pragma(struct store *store, const char *sql,
					int64_t *number_out)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*number_out = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return store_check_result(store, result);
}

int store_retention_vacuum(struct store *store, int64_t *left_out)
{
	int64_t mode = 0, left = 0;
	char sql[48];
	int error = store_retention_query_pragma(store, "PRAGMA auto_vacuum", &mode);

	if (!error && mode == INCREMENTAL) {
		snprintf(sql, sizeof(sql), "PRAGMA incremental_vacuum(%d)",
			 RETENTION_STEP_PAGES);
		error = store_run_pragma(store, sql);
		if (!error)
			error = store_retention_query_pragma(
				store, "PRAGMA freelist_count", &left);
	}
	if (!error)
		*left_out = left;
	return error;
}

/*
 * With a timeout it would wait for readers, such as a backup; a later call does it then.
 */
void store_retention_checkpoint(struct store *store)
{
	sqlite3_busy_timeout(store->database, 0);
	sqlite3_wal_checkpoint_v2(store->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
				  NULL);
	sqlite3_busy_timeout(store->database, STORE_BUSY_MS);
}

void store_retention_enable_vacuum(struct store *store)
{
	int64_t mode = 0, pages = 0, page_bytes = 0;

	if (store_retention_query_pragma(store, "PRAGMA auto_vacuum", &mode) ||
	    mode == INCREMENTAL ||
	    store_retention_query_pragma(store, "PRAGMA page_count", &pages) ||
	    store_retention_query_pragma(store, "PRAGMA page_size", &page_bytes) ||
	    pages * page_bytes > SMALL_BYTES)
		return;
	if (store_run_pragma(store, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM"))
		log_warning("store: free pages are reused, and not given back to the "
			    "file system");
}
