/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The open store: statements, transactions, waiting for the disk, and lost files.
 *
 * A durable commit runs with synchronous=FULL and waits for the disk. A lazy commit runs with
 * synchronous=NORMAL: SQLite writes it to the -wal and does not wait. The -wal only grows
 * between checkpoints, which wait themselves, so one wait confirms everything in it.
 * PRAGMA synchronous changes only outside a transaction, and only when the next commit needs
 * the other mode.
 *
 * The gateway goes on when the database is damaged or its files disappear: it keeps incoming
 * messages in memory and refuses to send. Files are checked at each commit by
 * store_on_commit(), which vetoes it
 * (tests/integration/test_keeping.py::test_removing_the_wal_file_loses_no_messages).
 */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/store_database.h"
#include "store/store_file.h"
#include "store/store_internal.h"
#include "store/store_message.h"
#include "store/store_schema.h"

uint64_t store_change_count(const struct store *store)
{
	return store ? (uint64_t)sqlite3_total_changes64(store->database) : 0;
}

uint64_t store_commits(const struct store *store)
{
	return store->commits;
}

void store_shrink(struct store *store)
{
	sqlite3_db_release_memory(store->database);
}

/* ---- results and damage */

/*
 * The mark makes the next start move the database aside, even if a quick check finds it
 * sound.
 */
static void store_record_damage(struct store *store)
{
	if (store->damaged)
		return;
	store->damaged = true;
	log_error(
		"store: THE MESSAGE STORE IS DAMAGED (%s): nothing more is sent, and "
		"incoming messages are kept in memory; restart the gateway, which moves "
		"the message store aside and goes on with every row that can be read",
		sqlite3_errmsg(store->database));
	if (store_file_mark_damaged(store->folder))
		log_error("store: the damage mark cannot be written");
}

int store_check_result(struct store *store, int result)
{
	int error = store_database_error(store->database, result);

	if (error == -EUCLEAN)
		store_record_damage(store);
	if (error == -EINVAL && store->files != STORE_IS_THERE)
		return STORE_E_FULL; /* the veto of store_on_commit() */
	return error;
}

bool store_is_damaged(const struct store *store)
{
	return store->damaged;
}

/* ---- lost files */

static bool store_stat_wal(const struct store *store, struct stat *status)
{
	char path[PATH_MAX];

	return store_file_path(path, store->folder, STORE_FILE, "-wal") &&
	       stat(path, status) == 0;
}

void store_identify_wal(struct store *store)
{
	struct stat status = { 0 };

	store_stat_wal(store, &status);
	store->wal_device = status.st_dev;
	store->wal_inode = status.st_ino;
}

/* SQLite itself answers this only for the database file. */
static bool store_has_lost_wal(const struct store *store)
{
	struct stat status;

	return store->wal_inode &&
	       (!store_stat_wal(store, &status) || status.st_ino != store->wal_inode ||
		status.st_dev != store->wal_device);
}

static bool store_check_files(struct store *store)
{
	enum store_files_state now = STORE_IS_THERE;
	int moved = 0;

	sqlite3_file_control(store->database, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	if (moved)
		now = STORE_FILE_IS_LOST;
	else if (store_has_lost_wal(store))
		now = STORE_WAL_IS_LOST;
	if (now != store->files && now == STORE_IS_THERE)
		log_info("store: %s/" STORE_FILE " is back", store->folder);
	else if (now != store->files)
		log_error("store: %s/" STORE_FILE
			  "%s is gone, or is another file: nothing "
			  "is sent or stored until it is back; "
			  "incoming messages are kept in memory",
			  store->folder, now == STORE_WAL_IS_LOST ? "-wal" : "");
	store->files = now;
	return now == STORE_IS_THERE;
}

/* A file of that name with any content is not ours to remove. */
static bool store_may_renew_wal(const struct store *store)
{
	char path[PATH_MAX];
	struct stat status;

	if (!store_file_path(path, store->folder, STORE_FILE, "-wal"))
		return false;
	return lstat(path, &status) < 0 ? errno == ENOENT : status.st_size == 0;
}

/*
 * SQLite still has the removed -wal open: its content moves into the database first. Both
 * pragmas commit while there is no -wal, which must not count as a loss.
 */
static void store_renew_wal(struct store *store)
{
	const ino_t removed = store->wal_inode;

	store->wal_inode = 0;
	sqlite3_busy_timeout(store->database, 0);
	if (sqlite3_exec(store->database, "PRAGMA journal_mode = DELETE", NULL, NULL,
			 NULL) == SQLITE_OK &&
	    sqlite3_exec(store->database,
			 "PRAGMA journal_mode = WAL; SELECT count(*) FROM sqlite_schema",
			 NULL, NULL, NULL) == SQLITE_OK)
		store_identify_wal(store);
	if (!store->wal_inode)
		store->wal_inode = removed;
	sqlite3_busy_timeout(store->database, STORE_BUSY_MS);
}

/* After a loss, outside a transaction: checks again, and makes a removed -wal anew. */
static void store_recover_files(struct store *store)
{
	if (store->files == STORE_IS_THERE || !sqlite3_get_autocommit(store->database))
		return;
	if (!store_check_files(store) && store->files == STORE_WAL_IS_LOST &&
	    store_may_renew_wal(store)) {
		store_renew_wal(store);
		store_check_files(store);
	}
}

bool store_is_gone(struct store *store)
{
	store_recover_files(store);
	return store->files != STORE_IS_THERE;
}

const char *store_trouble(struct store *store)
{
	if (store_is_damaged(store))
		return "The gateway's message store is damaged. Nothing is sent until "
		       "the gateway is restarted.";
	if (store_is_gone(store))
		return "The gateway's message store was removed. Nothing is sent until "
		       "the file is back or the gateway is restarted.";
	return NULL;
}

const char *store_rescue_notice(const struct store *store)
{
	return *store->notice ? store->notice : NULL;
}

int store_on_commit(void *data)
{
	struct store *store = data;

	if (!store_check_files(store))
		return 1;
	store->commits += !store->lazy;
	store->unsynced |= store->lazy;
	return 0;
}

/* ---- statements */

static int store_prepare_one(struct store *store, enum store_sql_id which)
{
	return sqlite3_prepare_v3(store->database, store_sql[which], -1,
				  SQLITE_PREPARE_PERSISTENT, &store->statements[which],
				  NULL);
}

/* These end a transaction, which must need no memory. */
static bool store_is_always_prepared(enum store_sql_id which)
{
	return which == BEGIN || which == COMMIT || which == ROLLBACK ||
	       which == SNAPSHOT;
}

int store_prepare_all(struct store *store)
{
	bool is_ours = store_schema_digest(store->database) == STORE_SCHEMA_DIGEST;

	for (int which = 0; which < STATEMENT_COUNT; which++) {
		int result;

		if (is_ours && !store_is_always_prepared(which))
			continue;
		result = store_prepare_one(store, which);
		if (result != SQLITE_OK)
			return store_database_error(store->database, result);
		if (store_is_always_prepared(which))
			continue;
		sqlite3_finalize(store->statements[which]);
		store->statements[which] = NULL;
	}
	return 0;
}

static void store_set_synchronous(struct store *store, bool lazy)
{
	const char *level =
		lazy ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL";

	if (store->lazy == lazy || !sqlite3_get_autocommit(store->database))
		return;
	if (sqlite3_exec(store->database, level, NULL, NULL, NULL) == SQLITE_OK)
		store->lazy = lazy;
	else if (!lazy) /* store_sync() is called all the same */
		log_error("store: out of memory: commits do not wait for the disk");
}

/*
 * A prepared statement takes 4 KiB and many are never used, so each is prepared at its first
 * use. When that fails, the statement is NULL: SQLite ignores bindings to it, stepping it
 * fails, and store_finish() returns the reason.
 */
static sqlite3_stmt *store_use_as(struct store *store, enum store_sql_id which, bool lazy)
{
	sqlite3_stmt *statement;

	if (!store->statements[which])
		store->unprepared = store_prepare_one(store, which);
	statement = store->statements[which];
	assert(!sqlite3_stmt_busy(statement));
	if (statement && !sqlite3_stmt_readonly(statement)) {
		store_snapshot_end(store);
		store_set_synchronous(store, lazy || store->all_lazy);
	}
	return statement;
}

sqlite3_stmt *store_use(struct store *store, enum store_sql_id which)
{
	return store_use_as(store, which, false);
}

sqlite3_stmt *store_use_lazily(struct store *store, enum store_sql_id which)
{
	return store_use_as(store, which, true);
}

int store_finish(struct store *store, sqlite3_stmt *statement, int result)
{
	int error = store_check_result(store, statement ? result : store->unprepared);

	if (!statement)
		return error;
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return error;
}

int store_run(struct store *store, sqlite3_stmt *statement)
{
	errno = 0; /* see store_database_error() */
	return store_finish(store, statement, sqlite3_step(statement));
}

int store_finish_row(struct store *store, sqlite3_stmt *statement, int result)
{
	return store_finish(store, statement, result)
		       ?: (result == SQLITE_ROW ? 0 : STORE_E_NOT_FOUND);
}

int store_find_row(struct store *store, sqlite3_stmt *statement)
{
	return store_finish_row(store, statement, sqlite3_step(statement));
}

int store_read_integer(struct store *store, sqlite3_stmt *statement, int64_t *integer_out)
{
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
		*integer_out = sqlite3_column_int64(statement, 0);
	return store_finish(store, statement, result);
}

int store_run_pragma(struct store *store, const char *sql)
{
	store_set_synchronous(store, store->all_lazy);
	errno = 0; /* see store_database_error() */
	return store_check_result(store,
				  sqlite3_exec(store->database, sql, NULL, NULL, NULL));
}

void store_bind_array(sqlite3_stmt *statement, int first, const int64_t *integers,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		sqlite3_bind_int64(statement, first + (int)i, integers[i]);
}

int store_execute_array(struct store *store, enum store_sql_id which,
			const int64_t *integers, size_t count)
{
	sqlite3_stmt *statement = store_use(store, which);

	store_bind_array(statement, 1, integers, count);
	return store_run(store, statement);
}

void store_bind_text(sqlite3_stmt *statement, int place, const char *text)
{
	sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

const char *store_column_text(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}

static enum delivery store_delivery_of(int64_t stored)
{
	return stored >= DELIVERY_NONE && stored <= DELIVERY_LAST ? (enum delivery)stored
								  : DELIVERY_NONE;
}

void store_read_message(sqlite3_stmt *statement, struct message *message_out)
{
	*message_out = (struct message){
		.id = sqlite3_column_int64(statement, 0),
		.sim_id = sqlite3_column_int64(statement, 1), /* 0 for SQL's NULL */
		.client_id = sqlite3_column_int64(statement, 2),
		.number = store_column_text(statement, 3),
		.text = store_column_text(statement, 4),
		.segments = (unsigned)sqlite3_column_int(statement, 5),
		.state = message_state_of(sqlite3_column_int64(statement, 6)),
		.reason = store_column_text(statement, 7),
		.uuid = store_column_text(statement, 8),
		.created_ms = sqlite3_column_int64(statement, 9),
		.changed_ms = sqlite3_column_int64(statement, 10),
		.direction = sqlite3_column_int64(statement, 11) == MESSAGE_INCOMING
				     ? MESSAGE_INCOMING
				     : MESSAGE_OUTGOING,
		.sent_time = store_column_text(statement, 12),
		.flags = (unsigned)sqlite3_column_int(statement, 13),
		.repeats = (unsigned)sqlite3_column_int(statement, 14),
		.read_ms = sqlite3_column_int64(statement, 15),
		.idempotency_key = store_column_text(statement, 16),
		.send_at_ms = sqlite3_column_int64(statement, 17),
		.expires_at_ms = sqlite3_column_int64(statement, 18),
		.delivery = store_delivery_of(sqlite3_column_int64(statement, 19)),
		.boot = sqlite3_column_int64(statement, 20),
		.created_boot_ms = sqlite3_column_int64(statement, 21),
		.expires_boot_ms = sqlite3_column_int64(statement, 22),
		.seen_ms = sqlite3_column_int64(statement, 23),
		.revision = (unsigned)sqlite3_column_int(statement, 24),
		.valid_ms = sqlite3_column_int64(statement, 25),
	};
}

/* ---- snapshots and transactions */

bool store_is_writing(const struct store *store)
{
	return !store->in_snapshot && !sqlite3_get_autocommit(store->database);
}

/* If this fails, each read shows its own moment. */
void store_snapshot_begin(struct store *store)
{
	if (!store_is_writing(store))
		store->in_snapshot = store_run(store, store_use(store, SNAPSHOT)) == 0;
}

void store_snapshot_end(struct store *store)
{
	if (!store->in_snapshot)
		return;
	store->in_snapshot = false;
	store_run(store, store_use(store, COMMIT));
}

int store_begin(struct store *store)
{
	sqlite3_stmt *begin = store_use(store, BEGIN);

	store_recover_files(store);
	return store_run(store, begin);
}

int store_begin_lazily(struct store *store)
{
	sqlite3_stmt *begin = store_use_lazily(store, BEGIN);

	store_recover_files(store);
	return store_run(store, begin);
}

int store_mark_alive(struct store *store, int64_t now_ms)
{
	int64_t boot_ms = clock_boot_ms(), until_ms = store->lived_until_ms;

	/* A minute that is stored as lived stays so. */
	if (until_ms < boot_ms || until_ms > boot_ms + STORE_LIVED_MS)
		until_ms = boot_ms;
	return store_execute(store, ALIVE_SET, now_ms, clock_boot_number(), until_ms);
}

int store_read_moment(struct store *store, struct store_moment *moment_out)
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
	error = store_finish(store, statement, result);
	if (!error)
		*moment_out = moment;
	return error;
}

static bool store_is_alive_due(const struct store *store, int64_t now_ms)
{
	return store->alive_ms && now_ms >= CLOCK_SANE_MS &&
	       (now_ms < store->alive_ms || now_ms - store->alive_ms >= STORE_ALIVE_MS);
}

/* The time of life goes into the transaction of another change: no wake-up, no fsync. */
int store_end(struct store *store, int error)
{
	int64_t now_ms = clock_wall_ms();
	bool due = store_is_alive_due(store, now_ms);

	if (!error && due)
		error = store_mark_alive(store, now_ms);
	if (!error)
		error = store_run(store, store_use(store, COMMIT));
	if (!error && !store->lazy)
		/* earlier lazy commits are then on disk as well */
		store->unsynced = false;
	if (!error && due)
		store->alive_ms = now_ms;
	if (error && !sqlite3_get_autocommit(store->database))
		store_run(store, store_use(store, ROLLBACK));
	return error;
}

/* ---- waiting for the disk */

bool store_is_synced(const struct store *store)
{
	return !store->unsynced;
}

int store_sync(struct store *store)
{
	sqlite3_file *log = NULL;

	if (!store->unsynced)
		return 0;
	if (sqlite3_file_control(store->database, "main", SQLITE_FCNTL_JOURNAL_POINTER,
				 &log) != SQLITE_OK ||
	    !log || !log->pMethods)
		return -EIO;
	if (log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) != SQLITE_OK)
		return -EIO;
	store->commits++;
	store->unsynced = false;
	return 0;
}

int store_sync_once(struct store *store, int (*work)(void *data), void *data,
		    int *synced_out)
{
	int result;

	store->all_lazy = true;
	result = work(data);
	store->all_lazy = false;
	*synced_out = store_sync(store);
	return result;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	for (int which = 0; which < STATEMENT_COUNT; which++)
		sqlite3_finalize(store->statements[which]);
	sqlite3_close(store->database);
	free(store);
}
