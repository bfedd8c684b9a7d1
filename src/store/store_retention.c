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

#include "base/log.h"
#include "store/store_database.h"
#include "store/store_internal.h"
#include "store/store_setting.h"

enum { GAPS_MAX = 1000, INCREMENTAL = 2 };

/* Its value: the wall clock in milliseconds at the jump. */
static const char jump_setting[] = "clock_leapt";

/* Its value: the time since when messages and calls are recorded. */
static const char records_setting[] = "records_since";

#define SMALL_BYTES (INT64_C(16) << 20)

/* The messages that one step removes. */
struct store_retention_batch {
	int64_t ids[RETENTION_STEP_ROWS];
	unsigned count;
	int64_t newest_ms; /* created_ms of the newest of them */
};

/* Is `id` below the border, or are there too many messages? */
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
	batch->newest_ms = sqlite3_column_int64(statement, 2) > batch->newest_ms
				   ? sqlite3_column_int64(statement, 2)
				   : batch->newest_ms;
	retention->excess--;
}

static int store_retention_read_page(struct store *store,
				     struct store_retention *retention,
				     struct store_retention_batch *batch)
{
	sqlite3_stmt *statement = store_use(store, RETENTION_PAGE);
	int64_t now_ms = clock_wall_ms();
	int result = SQLITE_DONE, rows = 0;

	store_bind_integers(statement, 1, retention->after_id, now_ms - DELIVERY_WAIT_MS,
			    now_ms - (int64_t)STORE_KEY_DAYS * CLOCK_MS_PER_DAY,
			    RETENTION_STEP_ROWS);
	while (!retention->done && (result = sqlite3_step(statement)) == SQLITE_ROW) {
		store_retention_check_row(retention, batch, statement);
		rows++;
	}
	if (result == SQLITE_DONE && rows < RETENTION_STEP_ROWS)
		retention->done = true;
	return store_finish(store, statement, result);
}

/* Call it inside a transaction; triggers update the conversations. */
static int store_retention_delete_batch(struct store *store,
					const struct store_retention_batch *batch)
{
	int error = 0;

	for (unsigned i = 0; !error && i < batch->count; i++) {
		error = store_execute(store, RETENTION_CHANGES, batch->ids[i]);
		if (!error)
			error = store_index_forget(store, batch->ids[i]);
		if (!error)
			error = store_execute(store, RETENTION_REMOVE, batch->ids[i]);
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
	if (batch.newest_ms > next.removed_ms)
		next.removed_ms = batch.newest_ms;
	*retention = next;
	return 0;
}

int store_retention_border(struct store *store, int64_t made_ms, int64_t *id_out)
{
	sqlite3_stmt *statement = store_use(store, RETENTION_BORDER);
	int64_t id = 0;
	int error;

	sqlite3_bind_int64(statement, 1, made_ms);
	error = store_read_integer(store, statement, &id);
	if (!error)
		*id_out = id ? id : INT64_MAX;
	return error;
}

static int store_retention_set_records(struct store *store, int64_t since_ms)
{
	char text[STORE_SETTING_BYTES];

	snprintf(text, sizeof(text), "%lld", (long long)since_ms);
	return store_setting_set(store, records_setting, text);
}

int store_retention_records_since(struct store *store, int64_t *since_ms_out)
{
	char text[STORE_SETTING_BYTES];
	int error = store_setting_get(store, records_setting, text);

	if (!error)
		*since_ms_out = strtoll(text, NULL, 10);
	return error;
}

/* A message store of an earlier version has no such time: its first row shows it. */
int store_retention_begin_records(struct store *store, int64_t now_ms)
{
	int64_t since_ms, first_ms = now_ms;
	int error = store_retention_records_since(store, &since_ms);
	sqlite3_stmt *statement;

	if (error != STORE_E_NOT_FOUND || now_ms < CLOCK_SANE_MS)
		return error == STORE_E_NOT_FOUND ? 0 : error;
	statement = store_use(store, RETENTION_FIRST);
	sqlite3_bind_int64(statement, 1, CLOCK_SANE_MS);
	error = store_read_integer(store, statement, &first_ms);
	if (error)
		return error;
	return store_retention_set_records(store, first_ms < now_ms ? first_ms : now_ms);
}

int store_retention_raise_records(struct store *store, int64_t removed_ms)
{
	int64_t since_ms = 0;
	int error = store_retention_records_since(store, &since_ms);

	if (error == STORE_E_NOT_FOUND || removed_ms < since_ms)
		return 0;
	return error ? error : store_retention_set_records(store, removed_ms + 1);
}

int store_retention_record_jump(struct store *store, int64_t now_ms)
{
	char text[STORE_SETTING_BYTES];

	snprintf(text, sizeof(text), "%lld", (long long)now_ms);
	return store_setting_set(store, jump_setting, text);
}

/* Finds a jump recorded within the last day, by a clock that was not set back since. */
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

/* Finds a week or more in which nothing ran, ended within the last day. */
static int store_retention_find_long_gap(struct store *store, int64_t now_ms,
					 bool *jumped_out)
{
	sqlite3_stmt *statement = store_use(store, RETENTION_LEAP);
	int64_t jumped = 0;
	int error;

	store_bind_integers(statement, 1, now_ms - CLOCK_MS_PER_DAY, now_ms,
			    RETENTION_JUMP_MS);
	error = store_read_integer(store, statement, &jumped);
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
	return store_read_integer(store, store_use(store, RETENTION_COUNT), count_out);
}

int64_t store_retention_added(const struct store *store)
{
	return store->added;
}

int store_retention_drop_gaps(struct store *store, int64_t ended_ms)
{
	return store_execute(store, RETENTION_GAPS, ended_ms, GAPS_MAX);
}

static int store_retention_query_pragma(struct store *store, const char *sql,
					int64_t *number_out)
{
	return store_check_result(
		store, store_database_read_integer(store->database, sql, number_out));
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
	store->is_checkpointed = true;
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
		log_warning(
			"store: free pages are reused, but not returned to the file system");
}
