/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A database file becomes a connection that can be trusted in steps, which the callers
 * combine: connect without running anything of its schema, check the kind and version, check
 * the pages, migrate. What SQLite refuses becomes a text for the owner here.
 *
 * The schema may come from a stranger. So every connection is defensive: functions of the
 * schema may only compute, views are not read, and triggers never run on a read-only
 * connection.
 */
#include "store/store_database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "store/store.h"
#include "store/store_file.h"
#include "store/store_schema.h"
#include "store/store_schema_index.h"

#define DAMAGE_ADVICE                                          \
	"it is left unchanged: \"" PROGRAM_NAME                \
	" serve\" moves it aside and begins a new "            \
	"one with every row that can be read, \"" PROGRAM_NAME \
	" restore\" puts a backup in "                         \
	"its place"

enum { VALUE_MAX = 64 << 20 }; /* none of our rows is nearly as long */

/*
 * Incremental vacuum gives free pages back in small steps; it must be set before the first
 * table. A database without a name need not survive: it is synced once, before it gets one.
 */
static const char birth_settings[] = "PRAGMA auto_vacuum = INCREMENTAL;"
				     "PRAGMA synchronous = OFF;"
				     "PRAGMA journal_mode = MEMORY;"
				     "PRAGMA cache_size = -32768;"
				     "PRAGMA trusted_schema = OFF;";

static bool store_database_is_full(int system_error)
{
	return system_error == ENOSPC || system_error == EDQUOT ||
	       system_error == EFBIG || system_error == EROFS;
}

int store_database_error(sqlite3 *database, int result)
{
	/* SQLite keeps no system error of a COMMIT that fails; errno has it. */
	int last = errno, system_error = last ? last : sqlite3_system_errno(database);

	switch (result & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_FULL:
	case SQLITE_READONLY:
		return STORE_E_FULL;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return -EUCLEAN;
	case SQLITE_CONSTRAINT:
		return -EINVAL;
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return -EACCES;
	case SQLITE_CANTOPEN:
		return system_error ? -system_error : -EIO;
	case SQLITE_IOERR:
		return store_database_is_full(system_error) ? STORE_E_FULL : -EIO;
	default:
		return -EIO;
	}
}

int store_database_fail(struct store_database *opening, int result, const char *format,
			...)
{
	struct explanation *error = opening->error;
	const char *shown_name =
		opening->shown_name ? opening->shown_name : opening->path;
	int length = snprintf(error->text, sizeof(error->text), "%s: ", shown_name);
	va_list arguments;

	if (length < 0 || (size_t)length >= sizeof(error->text))
		return result;
	va_start(arguments, format);
	vsnprintf(error->text + length, sizeof(error->text) - (size_t)length, format,
		  arguments);
	va_end(arguments);
	return result;
}

int store_database_explain(struct store_database *opening, int error, const char *what)
{
	return error ? store_database_fail(opening, error, "%s: %s", what,
					   strerror(-error))
		     : 0;
}

/* Explains a result of SQLite. */
static int store_database_refused(struct store_database *opening, int result)
{
	int error = store_database_error(opening->database, result);

	if (error == -EBUSY)
		return store_database_fail(
			opening, error, "locked by another program; stop that one first");
	if (error == -EUCLEAN)
		return store_database_fail(opening, error, "damaged (%s); " DAMAGE_ADVICE,
					   sqlite3_errmsg(opening->database));
	if (error == STORE_E_FULL)
		return store_database_fail(
			opening, -ENOSPC,
			"cannot be written; the disk is full or read-only");
	if ((result & 0xff) == SQLITE_CANTOPEN)
		return store_database_fail(opening, error,
					   "it, or its -wal or -shm beside it, cannot be "
					   "opened or made: %s",
					   strerror(-error));
	return store_database_fail(opening, error, "%s",
				   sqlite3_errmsg(opening->database));
}

/* ---- connections */

/*
 * Single-threaded. Otherwise an "IN (1, 2, 3)" in a statement, or in an index that it writes
 * to, allocates and frees 90 KiB, and a statement with a trigger 64 KiB, twelve times for
 * each message that is sent; and the first page of each file allocates room for 20, which
 * stays. Has no effect once SQLite is in use.
 */
static void store_database_configure(void)
{
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
	sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
}

static void store_database_distrust(sqlite3 *database, bool is_read_only)
{
	sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	if (is_read_only)
		sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_limit(database, SQLITE_LIMIT_LENGTH, VALUE_MAX);
}

/* text_contains(text, part): regardless of case, also beyond ASCII, unlike LIKE. */
static void store_database_contains(sqlite3_context *context, int count,
				    sqlite3_value **values)
{
	const char *text = (const char *)sqlite3_value_text(values[0]);
	const char *part = (const char *)sqlite3_value_text(values[1]);

	sqlite3_result_int(context, text && part && utf8_valid(text, strlen(text)) &&
					    utf8_contains(text, part));
}

int store_database_check_companions(struct store_database *opening)
{
	static const char *const suffixes[] = { "-wal", "-shm", "-journal" };
	const char *name = strrchr(opening->path, '/');
	char path[PATH_MAX];
	struct stat status;

	name = name ? name + 1 : opening->path;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (snprintf(path, PATH_MAX, "%s%s", opening->path, suffixes[i]) <
			    PATH_MAX &&
		    !lstat(path, &status) && !S_ISREG(status.st_mode))
			return store_database_fail(
				opening, -EINVAL,
				"its %s is not a regular file; move %s%s away",
				suffixes[i], name, suffixes[i]);
	}
	return 0;
}

int store_database_connect(struct store_database *opening, int flags)
{
	int result;

	store_database_configure();
	result = sqlite3_open_v2(opening->path, &opening->database,
				 flags | SQLITE_OPEN_NOMUTEX, NULL);
	if (!opening->database)
		return store_database_fail(opening, -ENOMEM, "out of memory");
	if (result != SQLITE_OK)
		return store_database_refused(opening, result);
	sqlite3_extended_result_codes(opening->database, 1);
	store_database_distrust(opening->database, flags & SQLITE_OPEN_READONLY);
	result = sqlite3_create_function_v2(
		opening->database, "text_contains", 2,
		SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
		store_database_contains, NULL, NULL, NULL);
	if (result != SQLITE_OK)
		return store_database_refused(opening, result);
	sqlite3_busy_timeout(opening->database, STORE_BUSY_MS);
	return 0;
}

void store_database_abort(struct store_database *opening)
{
	if (!opening->database)
		return;
	sqlite3_db_config(opening->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_close(opening->database);
	opening->database = NULL;
}

int store_database_close(struct store_database *opening)
{
	int result = sqlite3_close(opening->database);

	opening->database = NULL;
	return result == SQLITE_OK
		       ? 0
		       : store_database_fail(opening, -EIO, "cannot be closed");
}

int store_database_execute(struct store_database *opening, const char *sql)
{
	int result;

	errno = 0; /* see store_database_error() */
	result = sqlite3_exec(opening->database, sql, NULL, NULL, NULL);
	return result == SQLITE_OK ? 0 : store_database_refused(opening, result);
}

int store_database_finish(struct store_database *opening)
{
	int error = store_database_execute(
		opening, STORE_SCHEMA_BEGIN_FEED STORE_SCHEMA_BEGIN_INDEX
		"PRAGMA journal_mode = WAL");

	return error ? error : store_database_close(opening);
}

int store_database_read_integer(sqlite3 *database, const char *sql, int64_t *value_out)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*value_out = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return result;
}

int store_database_query_int(struct store_database *opening, const char *sql,
			     int64_t *value_out)
{
	int result = store_database_read_integer(opening->database, sql, value_out);

	if (result == SQLITE_DONE)
		return -EIO;
	return result == SQLITE_ROW ? 0 : store_database_refused(opening, result);
}

/* ---- checks */

static int store_database_check_pages(struct store_database *checking, const char *pragma,
				      int64_t *sound_out)
{
	char sql[96];

	/* Newer versions of SQLite take the argument of such a function for a table. */
	snprintf(sql, sizeof(sql), "SELECT %s = 'ok' FROM pragma_%s LIMIT 1", pragma,
		 pragma);
	return store_database_query_int(checking, sql, sound_out);
}

int store_database_fail_pages(struct store_database *opening)
{
	return store_database_fail(
		opening, -EUCLEAN,
		"damaged (a check of its pages failed); " DAMAGE_ADVICE);
}

/*
 * Through a connection without FTS5: from version 3.44 on, SQLite would have FTS5 compare its
 * whole index, which takes longer than everything else. Its pages are checked as those of all
 * tables.
 */
int store_database_check(struct store_database *opening, const char *pragma)
{
	struct store_database checking = { .shown_name = opening->shown_name,
					   .error = opening->error };
	int64_t sound = 0;
	int error;

	memcpy(checking.path, opening->path, sizeof(checking.path));
	error = store_database_connect(&checking, SQLITE_OPEN_READONLY);
	if (!error)
		sqlite3_drop_modules(checking.database, NULL);
	if (!error)
		error = store_database_check_pages(&checking, pragma, &sound);
	store_database_abort(&checking);
	return error || sound ? error : store_database_fail_pages(opening);
}

/* `advice` is the end of the text, about the file. */
static int store_database_check_known(struct store_database *opening, int64_t version,
				      const char *advice)
{
	if (store_schema_is_known(version))
		return 0;
	if (version > STORE_SCHEMA_VERSION)
		return store_database_fail(opening, -ENOTSUP,
					   "made by a newer " PROGRAM_NAME
					   " (schema %lld, this one knows %d); "
					   "install that one first%s",
					   (long long)version, STORE_SCHEMA_VERSION,
					   advice);
	return store_database_fail(
		opening, -ENOTSUP,
		"made by " PROGRAM_NAME " before its first release, 0.1.0 (schema %lld, "
		"this one knows %d to %d)%s",
		(long long)version, STORE_SCHEMA_FIRST, STORE_SCHEMA_VERSION, advice);
}

int store_database_check_version(struct store_database *opening, int64_t version)
{
	return store_database_check_known(
		opening, version,
		"; this file is left unchanged: move it away to start with an empty one");
}

int store_database_check_kind(struct store_database *opening)
{
	int64_t version = 0, tables = 0;
	int error = store_database_query_int(opening, "PRAGMA user_version", &version);

	if (!error)
		error = store_database_query_int(
			opening,
			"SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
			" AND name IN ('sim', 'client', 'message', 'message_change')",
			&tables);
	if (error)
		return error;
	if (version > STORE_SCHEMA_VERSION || (version >= 0 && tables == 4))
		return store_database_check_known(opening, version, "");
	return store_database_fail(opening, -EINVAL,
				   "not a message store of " PROGRAM_NAME);
}

/* ---- the schema */

static int store_database_migrate_from(struct store_database *opening, int64_t version)
{
	int result;

	errno = 0; /* see store_database_error() */
	result = store_schema_migrate(opening->database, version, STORE_SCHEMA_VERSION);
	return result == SQLITE_OK ? 0 : store_database_refused(opening, result);
}

int store_database_migrate(struct store_database *opening)
{
	int error = store_database_execute(opening, "BEGIN IMMEDIATE");
	int64_t version = 0;

	if (error)
		return error;
	error = store_database_query_int(opening, "PRAGMA user_version", &version);
	if (!error)
		error = store_database_check_version(opening, version);
	if (!error)
		error = store_database_migrate_from(opening, version);
	if (!error)
		error = store_database_execute(opening, "COMMIT");
	if (error && !sqlite3_get_autocommit(opening->database))
		sqlite3_exec(opening->database, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

int store_database_make_file(struct store_database *opening)
{
	int fd;

	store_file_remove(opening->path);
	fd = open(opening->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return store_database_fail(opening, -errno, "cannot be made: %m");
	close(fd);
	return 0;
}

int store_database_make(struct store_database *opening)
{
	int error = store_database_make_file(opening);

	if (!error)
		error = store_database_connect(opening, SQLITE_OPEN_READWRITE);
	if (!error)
		error = store_database_execute(opening, birth_settings);
	if (!error)
		error = store_database_migrate(opening);
	if (!error) /* never used: store/store_database.h; not in the feed: store_schema.c */
		error = store_database_execute(
			opening, "DELETE FROM file_identity; DELETE FROM feed_epoch;"
				 "DELETE FROM message_index;");
	return error;
}

int store_database_summarize(struct store_database *opening,
			     struct store_backup_summary *summary)
{
	struct stat status;
	int error = store_database_query_int(opening, "SELECT count(*) FROM message",
					     &summary->messages);

	if (!error)
		error = store_database_query_int(opening, "SELECT count(*) FROM sim",
						 &summary->sims);
	if (!error)
		error = store_database_query_int(opening, "SELECT count(*) FROM client",
						 &summary->clients);
	if (!error && stat(opening->path, &status) < 0)
		error = store_database_fail(opening, -errno, "%m");
	if (!error)
		summary->bytes = status.st_size;
	return error;
}
