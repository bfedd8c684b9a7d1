/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store database: opening never destroys. What is damaged or newer is left alone, for the
 * owner to decide (tests/unit/test_store_damage.c).
 */
#include "sms/store_database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sms/store.h"

#define STORE_FILE "gateway.db"

enum { STORE_BUSY_TIMEOUT_MS = 2000 }; /* `ofono-mcp pair` writes from its own process */

static const char store_settings[] = "PRAGMA journal_mode = WAL;"
				     "PRAGMA synchronous = FULL;"
				     "PRAGMA foreign_keys = OFF;"
				     "PRAGMA trusted_schema = OFF;"
				     "PRAGMA wal_autocheckpoint = 200;"
				     "PRAGMA journal_size_limit = 1048576;";

/* Not before the migrations, which put tables in the place of others. */
static const char store_guards[] = "PRAGMA foreign_keys = ON;";

struct store_opening {
	char folder[PATH_MAX];
	char path[PATH_MAX];
	sqlite3 *database;
	struct config_error *error;
};

__attribute__((format(printf, 3, 4))) static int opening_fail(
	struct store_opening *opening, int result, const char *format, ...)
{
	struct config_error *error = opening->error;
	va_list arguments;
	int length = snprintf(error->text, sizeof(error->text), "%s: ", opening->path);

	if (length < 0 || (size_t)length >= sizeof(error->text))
		return result;
	va_start(arguments, format);
	vsnprintf(error->text + length, sizeof(error->text) - (size_t)length, format,
		  arguments);
	va_end(arguments);
	return result;
}

static bool is_full(int system_error)
{
	return system_error == ENOSPC || system_error == EDQUOT ||
	       system_error == EFBIG || system_error == EROFS;
}

/* When it is a COMMIT that fails SQLite keeps no error of the system; errno has it. */
static int system_error_of(sqlite3 *database)
{
	int last = errno;

	return last ? last : sqlite3_system_errno(database);
}

int store_database_error(sqlite3 *database, int result)
{
	int system_error = system_error_of(database);

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
		return is_full(system_error) ? STORE_E_FULL : -EIO;
	default:
		return -EIO;
	}
}

/* The text for what SQLite refused while opening. */
static int opening_refused(struct store_opening *opening, int result)
{
	int error = store_database_error(opening->database, result);

	if (error == -EBUSY)
		return opening_fail(opening, error,
				    "locked by another program; stop that one first");
	if (error == -EUCLEAN)
		return opening_fail(
			opening, error,
			"damaged (%s); it is left as it is: restore it from a "
			"backup, or move it away to start with an empty one",
			sqlite3_errmsg(opening->database));
	if (error == STORE_E_FULL)
		return opening_fail(opening, -ENOSPC,
				    "cannot be written; the disk is full or read-only");
	return opening_fail(opening, error, "%s", sqlite3_errmsg(opening->database));
}

/* A new name in a folder is durable once the folder is. */
static int folder_sync(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (fsync(fd) < 0)
		error = -errno;
	close(fd);
	return error;
}

static int opening_make_folder(struct store_opening *opening)
{
	if (!mkdir(opening->folder, 0700))
		return 0;
	if (errno == EEXIST)
		return 0;
	return opening_fail(opening, -errno, "the folder cannot be made: %m");
}

/*
 * SQLite would make the file with the modes of the umask; its -wal and -shm take over the
 * mode of the file.
 */
static int opening_make_file(struct store_opening *opening)
{
	int fd = open(opening->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int error;

	if (fd >= 0) {
		close(fd);
		error = folder_sync(opening->folder);
	} else {
		error = errno == EEXIST ? 0 : -errno;
	}
	if (!error && chmod(opening->path, 0600) < 0)
		error = -errno;
	if (error)
		return opening_fail(opening, error, "cannot be made: %s",
				    strerror(-error));
	return 0;
}

/* The first column of the first row, as a number. */
static int opening_ask(struct store_opening *opening, const char *sql,
		       int (*read)(sqlite3_stmt *statement))
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(opening->database, sql, -1, &statement, NULL);
	int value;

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result != SQLITE_ROW) {
		value = opening_refused(opening, result);
		sqlite3_finalize(statement);
		return value < 0 ? value : -EIO;
	}
	value = read(statement);
	sqlite3_finalize(statement);
	return value;
}

static int read_number(sqlite3_stmt *statement)
{
	int number = sqlite3_column_int(statement, 0);

	return number < 0 ? INT_MAX : number; /* not ours, if it is negative */
}

static int read_is_ok(sqlite3_stmt *statement)
{
	const unsigned char *verdict = sqlite3_column_text(statement, 0);

	return verdict && !strcmp((const char *)verdict, "ok");
}

static int opening_check(struct store_opening *opening)
{
	int sound = opening_ask(opening, "PRAGMA quick_check(1)", read_is_ok);

	if (sound < 0)
		return sound;
	if (sound)
		return 0;
	return opening_fail(opening, -EUCLEAN,
			    "damaged (a check of its pages failed); it is left as it is: "
			    "restore it from a backup, or move it away to start with an "
			    "empty one");
}

static int opening_execute(struct store_opening *opening, const char *sql)
{
	int result;

	errno = 0; /* see store_database_error() */
	result = sqlite3_exec(opening->database, sql, NULL, NULL, NULL);
	return result == SQLITE_OK ? 0 : opening_refused(opening, result);
}

static int opening_migrate_from(struct store_opening *opening, int version)
{
	char set_version[40];
	int error = 0;

	if (version > STORE_SCHEMA_VERSION)
		return opening_fail(
			opening, -EUCLEAN,
			"made by a newer ofono-mcp (schema %d, this one knows "
			"%d); it is left as it is: install the newer program, "
			"or move the file away to start with an empty one",
			version, STORE_SCHEMA_VERSION);
	for (; !error && version < STORE_SCHEMA_VERSION; version++)
		error = opening_execute(opening, store_migrations[version]);
	if (error)
		return error;
	snprintf(set_version, sizeof(set_version), "PRAGMA user_version = %d",
		 STORE_SCHEMA_VERSION);
	return opening_execute(opening, set_version);
}

static int opening_migrate(struct store_opening *opening)
{
	int error = opening_execute(opening, "BEGIN IMMEDIATE");
	int version;

	if (error)
		return error;
	version = opening_ask(opening, "PRAGMA user_version", read_number);
	error = version < 0 ? version : opening_migrate_from(opening, version);
	if (!error)
		error = opening_execute(opening, "COMMIT");
	if (error && !sqlite3_get_autocommit(opening->database))
		sqlite3_exec(opening->database, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

static int opening_connect(struct store_opening *opening)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
	int result = sqlite3_open_v2(opening->path, &opening->database, flags, NULL);

	if (!opening->database)
		return opening_fail(opening, -ENOMEM, "out of memory");
	if (result != SQLITE_OK)
		return opening_refused(opening, result);
	sqlite3_extended_result_codes(opening->database, 1);
	sqlite3_busy_timeout(opening->database, STORE_BUSY_TIMEOUT_MS);
	return 0;
}

int store_database_open(const char *folder, sqlite3 **database_out,
			struct config_error *error)
{
	struct store_opening opening = { .error = error };
	int failure;

	snprintf(opening.folder, sizeof(opening.folder), "%s", folder);
	if (snprintf(opening.path, sizeof(opening.path), "%s/" STORE_FILE, folder) >=
	    PATH_MAX)
		return opening_fail(&opening, -ENAMETOOLONG, "too long");
	failure = opening_make_folder(&opening);
	if (!failure)
		failure = opening_make_file(&opening);
	if (!failure)
		failure = opening_connect(&opening);
	if (!failure)
		failure = opening_execute(&opening, store_settings);
	if (!failure)
		failure = opening_check(&opening);
	if (!failure)
		failure = opening_migrate(&opening);
	if (!failure)
		failure = opening_execute(&opening, store_guards);
	if (failure) {
		sqlite3_close(opening.database);
		return failure;
	}
	*database_out = opening.database;
	return 0;
}
