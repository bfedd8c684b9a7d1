/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store database: opening never destroys. What is damaged or newer is left alone
 * (tests/unit/test_store_damage.c).
 *
 * A database gets its name when it is whole, so an empty gateway.db was not made by us: it
 * is damaged, and so is one that is gone while its -wal is there, which SQLite would apply
 * to whatever takes its place.
 */
#include "store/store_database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_sync.h"
#include "store/store.h"
#include "store/store_copy.h"
#include "store/store_file.h"
#include "store/store_remake.h"
#include "store/store_wal.h"

enum { FILE_LEAST = 512 }; /* SQLite takes what is shorter for new, and writes over it */

static const char store_settings[] = "PRAGMA journal_mode = WAL;"
				     "PRAGMA synchronous = FULL;"
				     "PRAGMA foreign_keys = OFF;"
				     "PRAGMA trusted_schema = OFF;"
				     "PRAGMA wal_autocheckpoint = 1000;"
				     "PRAGMA journal_size_limit = 4194304;";

/* Not before the migrations, which put tables in the place of others. */
static const char store_guards[] = "PRAGMA foreign_keys = ON;";

/*
 * Pages that are freed can be given back in small steps; only before the first table. What
 * has no name yet need not survive: it is synced once, before it gets one.
 */
static const char birth_settings[] = "PRAGMA auto_vacuum = INCREMENTAL;"
				     "PRAGMA synchronous = OFF;"
				     "PRAGMA journal_mode = MEMORY;"
				     "PRAGMA cache_size = -32768;"
				     "PRAGMA trusted_schema = OFF;";

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

/*
 * SQLite would make the file with the modes of the umask; its -wal and -shm take over the
 * mode of the file.
 */
static int make_file(struct store_opening *opening)
{
	int fd;

	store_file_remove(opening->path);
	fd = open(opening->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return store_opening_fail(opening, -errno, "cannot be made: %m");
	close(fd);
	return 0;
}

int store_database_make(struct store_opening *opening)
{
	int error = make_file(opening);

	if (!error)
		error = store_opening_connect(opening, SQLITE_OPEN_READWRITE);
	if (!error)
		error = store_opening_execute(opening, birth_settings);
	if (!error)
		error = store_opening_migrate(opening);
	if (!error) /* nobody has used it */
		error = store_opening_execute(opening, "DELETE FROM place");
	return error;
}

/* Somebody else may be making it as well: the first one has it. */
static int give_name(struct store_opening *made, const char *folder, const char *path)
{
	int error = file_sync(made->path);
	struct stat status;

	if (!error && link(made->path, path) < 0 && errno != EEXIST) {
		if (lstat(path, &status) < 0 && rename(made->path, path) < 0)
			error = -errno;
	}
	if (!error)
		error = file_sync(folder);
	if (error)
		return store_opening_fail(made, error, "cannot be named gateway.db: %s",
					  strerror(-error));
	return 0;
}

/* Under a name of this process alone, until it is whole. */
static int make_first(struct store_opening *opening, const char *folder)
{
	struct store_opening made = { .error = opening->error };
	int error;

	if (snprintf(made.path, PATH_MAX, "%s.new-%ld", opening->path, (long)getpid()) >=
	    PATH_MAX)
		return store_opening_fail(opening, -ENAMETOOLONG, "too long");
	error = store_database_make(&made);
	if (!error)
		error = store_opening_finish(&made);
	if (!error)
		error = give_name(&made, folder, opening->path);
	store_opening_abort(&made);
	store_file_remove(made.path);
	return error;
}

/* NULL: none that can be seen before SQLite touches it. */
static const char *find_damage(const char *folder, const struct stat *status)
{
	char wal[PATH_MAX];

	if (status->st_size < FILE_LEAST)
		return "it is cut short";
	if (store_file_is_marked(folder))
		return "that was found while it was used";
	if (store_file_path(wal, folder, STORE_FILE, "-wal") && !store_wal_is_sound(wal))
		return "what was committed to its -wal is wrong now";
	return NULL;
}

static int look_at_file(struct store_opening *opening, const char *folder,
			const struct stat *status)
{
	const char *damage;

	if (!S_ISREG(status->st_mode))
		return store_opening_fail(opening, -EINVAL, "not a file");
	damage = find_damage(folder, status);
	if (damage)
		return store_opening_fail(opening, -EUCLEAN,
					  "damaged (%s); \"ofono-mcp serve\" moves it "
					  "aside",
					  damage);
	if (chmod(opening->path, 0600) < 0)
		return store_opening_fail(opening, -errno, "%m");
	return 0;
}

static bool has_bytes(const char *path)
{
	struct stat status;

	return !stat(path, &status) && status.st_size > 0;
}

static int find_file(struct store_opening *opening, const char *folder)
{
	char wal[PATH_MAX];
	struct stat status;

	if (!stat(opening->path, &status))
		return look_at_file(opening, folder, &status);
	if (errno != ENOENT)
		return store_opening_fail(opening, -errno, "%m");
	if (store_file_path(wal, folder, STORE_FILE, "-wal") && has_bytes(wal))
		return store_opening_fail(opening, -EUCLEAN,
					  "damaged (it is gone, and its -wal is there); "
					  "\"ofono-mcp serve\" moves that aside");
	return make_first(opening, folder);
}

/* https://www.sqlite.org/fileformat2.html: 1 is a file without, 2 one with a -wal */
enum { READ_VERSION_AT = 19, WITHOUT_LOG = 1 };

/*
 * A backup that somebody copied there: that is one file, and a store that the gateway has
 * used, or made, has a -wal.
 */
static bool is_backup(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char version = 0;
	bool found;

	if (fd < 0)
		return false;
	found = pread(fd, &version, 1, READ_VERSION_AT) == 1 && version == WITHOUT_LOG;
	close(fd);
	return found;
}

/* The -wal that is beside it is another's. */
static int set_log_aside(struct store_opening *opening, const char *folder)
{
	int error = store_file_set_log_aside(folder);

	if (!error)
		return 0;
	return store_opening_fail(opening, error,
				  "a -wal that is not its own cannot be moved aside: %s",
				  strerror(-error));
}

static int remake(struct store_opening *opening, const char *folder,
		  enum store_remake_cause cause)
{
	struct store_remade remade;
	int error;

	store_opening_abort(opening);
	error = store_remake(folder, cause, &remade, opening->error);
	return error ? error : store_opening_connect(opening, SQLITE_OPEN_READWRITE);
}

/* Before anything that its schema says is run. */
static int check_schema(struct store_opening *opening, const char *folder, bool is_copy)
{
	int64_t version = 0;
	int error = store_opening_ask(opening, "PRAGMA user_version", &version);

	if (error)
		return error;
	if (version < 0 || version > STORE_SCHEMA_VERSION)
		return store_opening_refuse_version(opening, version);
	if (!is_copy && store_schema_is_ours(opening->database, version))
		return 0;
	error = store_copy_check_kind(opening);
	if (error)
		return error;
	return remake(opening, folder,
		      is_copy ? STORE_REMAKE_COPY : STORE_REMAKE_FOREIGN);
}

/* Up to the present schema. */
static int make_ready(struct store_opening *opening)
{
	int error = store_opening_execute(opening, store_settings);

	if (!error)
		error = store_opening_check(opening, "quick_check");
	if (!error)
		error = store_opening_migrate(opening);
	if (!error)
		error = store_opening_execute(opening, store_guards);
	return error;
}

int store_database_open(const char *folder, sqlite3 **database_out,
			struct explanation *error)
{
	struct store_opening opening = { .error = error };
	bool is_copy;
	int failure;

	if (!store_file_path(opening.path, folder, STORE_FILE, ""))
		return store_opening_fail(&opening, -ENAMETOOLONG, "too long");
	failure = store_file_make_folder(folder);
	if (failure)
		return store_opening_fail(&opening, failure,
					  "the folder cannot be made: %s",
					  strerror(-failure));
	store_file_complete(folder);
	is_copy = is_backup(opening.path);
	failure = is_copy ? set_log_aside(&opening, folder) : 0;
	if (!failure)
		failure = find_file(&opening, folder);
	if (!failure)
		failure = store_opening_connect(&opening, SQLITE_OPEN_READWRITE);
	if (!failure)
		failure = check_schema(&opening, folder, is_copy);
	if (!failure)
		failure = make_ready(&opening);
	if (failure) {
		store_opening_abort(&opening);
		return failure;
	}
	*database_out = opening.database;
	return 0;
}
