/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_opening.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/store.h"
#include "store/store_database.h"
#include "store/store_log_file.h"
#include "store/store_statement.h"

#define DAMAGE_ADVICE                                                                   \
	"it is left as it is: \"ofono-mcp serve\" moves it aside and begins a new one " \
	"with what can be read of it, \"ofono-mcp restore\" puts a backup in its place"

enum { VALUE_MAX = 64 << 20 }; /* no row of ours is nearly as long */

int store_opening_fail(struct store_opening *opening, int result, const char *format, ...)
{
	struct explanation *error = opening->error;
	const char *told = opening->told ? opening->told : opening->path;
	int length = snprintf(error->text, sizeof(error->text), "%s: ", told);
	va_list arguments;

	if (length < 0 || (size_t)length >= sizeof(error->text))
		return result;
	va_start(arguments, format);
	vsnprintf(error->text + length, sizeof(error->text) - (size_t)length, format,
		  arguments);
	va_end(arguments);
	return result;
}

/* The text for what SQLite refused. */
static int opening_refused(struct store_opening *opening, int result)
{
	int error = store_database_error(opening->database, result);

	if (error == -EBUSY)
		return store_opening_fail(
			opening, error, "locked by another program; stop that one first");
	if (error == -EUCLEAN)
		return store_opening_fail(opening, error, "damaged (%s); " DAMAGE_ADVICE,
					  sqlite3_errmsg(opening->database));
	if (error == STORE_E_FULL)
		return store_opening_fail(
			opening, -ENOSPC,
			"cannot be written; the disk is full or read-only");
	if ((result & 0xff) == SQLITE_CANTOPEN)
		return store_opening_fail(opening, error,
					  "it, or its -wal or -shm beside it, cannot be "
					  "opened or made: %s",
					  strerror(-error));
	return store_opening_fail(opening, error, "%s",
				  sqlite3_errmsg(opening->database));
}

/*
 * For one thread. Else an "IN (1, 2, 3)" in a statement, or in the index that it writes to,
 * takes 90 KiB from malloc() and gives them back, and a statement with a trigger 64 KiB:
 * twelve times for one message that is sent; and room for 20 pages with the first of each
 * file, which it keeps. Once SQLite is in use this changes nothing.
 */
static void configure(void)
{
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
	sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
}

/*
 * The schema may be a stranger's: no function that does more than compute is run for it, no
 * view is read, and where nothing is written no trigger either.
 */
static void distrust(sqlite3 *database, bool is_read_only)
{
	sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	if (is_read_only)
		sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_limit(database, SQLITE_LIMIT_LENGTH, VALUE_MAX);
}

int store_opening_connect(struct store_opening *opening, int flags)
{
	int result;

	configure();
	result = sqlite3_open_v2(opening->path, &opening->database,
				 flags | SQLITE_OPEN_NOMUTEX, store_log_file_vfs());
	if (!opening->database)
		return store_opening_fail(opening, -ENOMEM, "out of memory");
	if (result != SQLITE_OK)
		return opening_refused(opening, result);
	sqlite3_extended_result_codes(opening->database, 1);
	distrust(opening->database, flags & SQLITE_OPEN_READONLY);
	sqlite3_busy_timeout(opening->database, STORE_BUSY_MS);
	return 0;
}

void store_opening_abort(struct store_opening *opening)
{
	if (!opening->database)
		return;
	sqlite3_db_config(opening->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_close(opening->database);
	opening->database = NULL;
}

int store_opening_close(struct store_opening *opening)
{
	int result = sqlite3_close(opening->database);

	opening->database = NULL;
	return result == SQLITE_OK ? 0 : store_opening_fail(opening, -EIO, "not closed");
}

int store_opening_execute(struct store_opening *opening, const char *sql)
{
	int result;

	errno = 0; /* see store_database_error() */
	result = sqlite3_exec(opening->database, sql, NULL, NULL, NULL);
	return result == SQLITE_OK ? 0 : opening_refused(opening, result);
}

int store_opening_finish(struct store_opening *opening)
{
	int error = store_opening_execute(opening, "PRAGMA journal_mode = WAL");

	return error ? error : store_opening_close(opening);
}

/* One row; `read` takes what it wants of it. */
static int opening_ask(struct store_opening *opening, const char *sql,
		       void (*read)(sqlite3_stmt *statement, int64_t *value_out),
		       int64_t *value_out)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(opening->database, sql, -1, &statement, NULL);
	int error = 0;

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		read(statement, value_out);
	else
		error = opening_refused(opening, result);
	sqlite3_finalize(statement);
	return result == SQLITE_DONE ? -EIO : error;
}

static void read_number(sqlite3_stmt *statement, int64_t *value_out)
{
	*value_out = sqlite3_column_int64(statement, 0);
}

int store_opening_ask(struct store_opening *opening, const char *sql, int64_t *value_out)
{
	return opening_ask(opening, sql, read_number, value_out);
}

static void read_is_ok(sqlite3_stmt *statement, int64_t *value_out)
{
	const unsigned char *verdict = sqlite3_column_text(statement, 0);

	*value_out = verdict && !strcmp((const char *)verdict, "ok");
}

int store_opening_check(struct store_opening *opening, const char *pragma)
{
	int64_t sound = 0;
	char sql[64];
	int error;

	snprintf(sql, sizeof(sql), "PRAGMA %s(1)", pragma);
	error = opening_ask(opening, sql, read_is_ok, &sound);
	if (error || sound)
		return error;
	return store_opening_fail(
		opening, -EUCLEAN,
		"damaged (a check of its pages failed); " DAMAGE_ADVICE);
}

int store_opening_refuse_version(struct store_opening *opening, int64_t version)
{
	return store_opening_fail(
		opening, -ENOTSUP,
		"made by a newer ofono-mcp (schema %lld, this one knows %d); it is left "
		"as it is: install the newer program, or move the file away to start "
		"with an empty one",
		(long long)version, STORE_SCHEMA_VERSION);
}

static int opening_migrate_from(struct store_opening *opening, int64_t version)
{
	char set_version[40];
	int error = 0;

	if (version < 0 || version > STORE_SCHEMA_VERSION)
		return store_opening_refuse_version(opening, version);
	for (; !error && version < STORE_SCHEMA_VERSION; version++)
		error = store_opening_execute(opening, store_migrations[version]);
	if (error)
		return error;
	snprintf(set_version, sizeof(set_version), "PRAGMA user_version = %d",
		 STORE_SCHEMA_VERSION);
	return store_opening_execute(opening, set_version);
}

int store_opening_migrate(struct store_opening *opening)
{
	int error = store_opening_execute(opening, "BEGIN IMMEDIATE");
	int64_t version = 0;

	if (error)
		return error;
	error = store_opening_ask(opening, "PRAGMA user_version", &version);
	if (!error)
		error = opening_migrate_from(opening, version);
	if (!error)
		error = store_opening_execute(opening, "COMMIT");
	if (error && !sqlite3_get_autocommit(opening->database))
		sqlite3_exec(opening->database, "ROLLBACK", NULL, NULL, NULL);
	return error;
}
