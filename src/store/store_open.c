/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the message store of a folder: for the gateway and the owner's commands, for readers,
 * and for a gateway that rescues a damaged one.
 *
 * store_open() finishes an interrupted replacement, checks the file and its -wal, connects,
 * checks that the schema is ours before anything of it runs, rebuilds a copied or foreign
 * database (store_rebuild.c), and migrates. Opening never destroys: a damaged or newer
 * database is left alone (tests/unit/test_store_damage.c).
 *
 * A new database gets its name when it is complete, so an empty gateway.db was not made by us
 * and counts as damaged. So does a missing gateway.db whose -wal is there: SQLite would
 * apply that to any file that takes its place.
 */
#include "store/store_database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_sync.h"
#include "base/log.h"
#include "store/store_bad_row.h"
#include "store/store_file.h"
#include "store/store_internal.h"
#include "store/store_lock.h"
#include "store/store_retention.h"
#include "store/store_schema.h"

enum {
	FILE_LEAST = 512, /* SQLite takes a shorter file for new, and overwrites it */
	CHECKPOINT_PAGES = 1000,
};

static const char store_settings[] = "PRAGMA journal_mode = WAL;"
				     "PRAGMA synchronous = FULL;"
				     "PRAGMA foreign_keys = OFF;"
				     "PRAGMA trusted_schema = OFF;"
				     "PRAGMA journal_size_limit = 4194304;";

/* After the migrations, which replace tables. */
static const char store_guards[] = "PRAGMA foreign_keys = ON;";

/* ---- the file */

/*
 * Whoever owns the folder may change every row, and whoever left a -journal there has SQLite write
 * its pages into the database. So neither may be another user: root works as the owner
 * of the folder (cli/control_client.h).
 */
static int store_open_check_owner(struct store_database *opening, const char *folder)
{
	char journal[PATH_MAX];
	struct stat status;

	if (stat(folder, &status) < 0)
		return store_database_fail(opening, -errno, "%m");
	if (status.st_uid != geteuid())
		return store_database_fail(opening, -EPERM,
					   "the folder belongs to another user (uid %u); "
					   "run this as that user",
					   (unsigned)status.st_uid);
	if (!store_file_path(journal, folder, STORE_FILE, "-journal") ||
	    lstat(journal, &status) < 0 || status.st_uid == geteuid())
		return 0;
	return store_database_fail(opening, -EPERM,
				   "its -journal is not a file of this user, and is not "
				   "applied; move it away");
}

/* Another process may also make the file: the first one wins. */
static int store_open_give_name(struct store_database *made, const char *folder,
				const char *path)
{
	int error = file_sync(made->path);
	struct stat status;

	if (!error && link(made->path, path) < 0 && errno != EEXIST) {
		if (lstat(path, &status) < 0 && rename(made->path, path) < 0)
			error = -errno;
	}
	if (!error)
		error = file_sync(folder);
	return store_database_explain(made, error, "cannot be named gateway.db");
}

/* Made under a name of this process alone, until it is complete. */
static int store_open_make_first(struct store_database *opening, const char *folder)
{
	struct store_database made = { .error = opening->error };
	int error;

	if (snprintf(made.path, PATH_MAX, "%s.new-%ld", opening->path, (long)getpid()) >=
	    PATH_MAX)
		return store_database_fail(opening, -ENAMETOOLONG, "path too long");
	error = store_database_make(&made);
	if (!error)
		error = store_database_finish(&made);
	if (!error)
		error = store_open_give_name(&made, folder, opening->path);
	store_database_abort(&made);
	store_file_remove(made.path);
	return error;
}

/* Finds damage that shows before SQLite opens the file; NULL if there is none. */
static const char *store_open_find_damage(const char *folder, const struct stat *status)
{
	char wal[PATH_MAX];

	if (status->st_size < FILE_LEAST)
		return "it is cut short";
	if (store_file_is_marked(folder))
		return "found while it was in use";
	if (store_file_path(wal, folder, STORE_FILE, "-wal") && !store_wal_is_sound(wal))
		return "commits in its -wal are corrupt";
	return NULL;
}

static int store_open_check_file(struct store_database *opening, const char *folder,
				 const struct stat *status)
{
	const char *damage;

	if (!S_ISREG(status->st_mode))
		return store_database_fail(opening, -EINVAL, "not a file");
	damage = store_open_find_damage(folder, status);
	if (damage)
		return store_database_fail(opening, -EUCLEAN,
					   "damaged (%s); \"" PROGRAM_NAME
					   " serve\" moves it aside",
					   damage);
	if (chmod(opening->path, 0600) < 0)
		return store_database_fail(opening, -errno, "%m");
	return 0;
}

static bool store_open_has_bytes(const char *path)
{
	struct stat status;

	return !stat(path, &status) && status.st_size > 0;
}

static int store_open_find_file(struct store_database *opening, const char *folder)
{
	char wal[PATH_MAX];
	struct stat status;

	if (!stat(opening->path, &status))
		return store_open_check_file(opening, folder, &status);
	if (errno != ENOENT)
		return store_database_fail(opening, -errno, "%m");
	if (store_file_path(wal, folder, STORE_FILE, "-wal") && store_open_has_bytes(wal))
		return store_database_fail(
			opening, -EUCLEAN,
			"damaged (it is missing, and its -wal is there); \"" PROGRAM_NAME
			" serve\" moves that aside");
	return store_open_make_first(opening, folder);
}

/* ---- the schema */

/* https://www.sqlite.org/fileformat2.html: 1 is a file without a -wal, 2 one with it */
enum { READ_VERSION_AT = 19, WITHOUT_WAL = 1 };

/*
 * A backup that somebody copied there is a file without a -wal. A database that the gateway
 * made or used has one.
 */
static bool store_open_is_backup(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char version = 0;
	bool found;

	if (fd < 0)
		return false;
	found = pread(fd, &version, 1, READ_VERSION_AT) == 1 && version == WITHOUT_WAL;
	close(fd);
	return found;
}

static int store_open_refuse_foreign(struct store_database *opening)
{
	int error = store_database_check_kind(opening);

	if (error)
		return error;
	return store_database_fail(
		opening, -EINVAL,
		"its tables, indexes or triggers are not those of " PROGRAM_NAME
		"; it is left unchanged: \"" PROGRAM_NAME
		" restore %s\" moves it aside and begins a new one with its rows",
		opening->path);
}

/* Call it before anything that the schema contains can run. */
static int store_open_check_schema(struct store_database *opening, const char *folder,
				   bool is_copy)
{
	struct store_rebuild_result rebuilt;
	int64_t version = 0;
	int error = store_database_query_int(opening, "PRAGMA user_version", &version);

	if (!error)
		error = store_database_check_version(opening, version);
	if (!error && !store_schema_is_ours(opening->database, version))
		error = store_open_refuse_foreign(opening);
	if (error || !is_copy)
		return error;
	store_database_abort(opening);
	error = store_rebuild(folder, STORE_REBUILD_COPY, &rebuilt, opening->error);
	return error ? error : store_database_connect(opening, SQLITE_OPEN_READWRITE);
}

/* Migrates to the present schema. */
static int store_open_make_ready(struct store_database *opening)
{
	int error = store_database_execute(opening, store_settings);

	if (!error)
		error = store_database_check(opening, "quick_check");
	if (!error)
		error = store_database_migrate(opening);
	if (!error)
		error = store_database_execute(opening, store_guards);
	return error;
}

/*
 * Opens, checks and migrates `folder`/gateway.db, or makes a new one. On error nothing stays
 * open or half migrated.
 */
static int store_open_database(const char *folder, sqlite3 **database_out,
			       struct explanation *error)
{
	struct store_database opening = { .error = error };
	bool is_copy;
	int failure;

	if (!store_file_path(opening.path, folder, STORE_FILE, ""))
		return store_database_fail(&opening, -ENAMETOOLONG, "path too long");
	failure = store_file_make_folder(folder);
	if (failure)
		return store_database_explain(&opening, failure,
					      "the folder cannot be made");
	failure = store_open_check_owner(&opening, folder);
	if (!failure)
		failure = store_database_check_companions(&opening);
	if (failure)
		return failure;
	store_file_finish_replace(folder);
	is_copy = store_open_is_backup(opening.path);
	if (is_copy)
		failure =
			store_database_explain(&opening, store_file_set_wal_aside(folder),
					       "the -wal of another database beside it "
					       "cannot be moved aside");
	if (!failure)
		failure = store_open_find_file(&opening, folder);
	if (!failure)
		failure = store_database_connect(&opening, SQLITE_OPEN_READWRITE);
	if (!failure)
		failure = store_open_check_schema(&opening, folder, is_copy);
	if (!failure)
		failure = store_open_make_ready(&opening);
	if (failure) {
		store_database_abort(&opening);
		return failure;
	}
	*database_out = opening.database;
	return 0;
}

/* ---- the three ways to open */

/* Stands in for SQLite's own hook, which does not say that it ran. */
static int store_open_on_wal(void *data, sqlite3 *database, const char *name, int pages)
{
	struct store *store = data;

	if (pages < CHECKPOINT_PAGES)
		return SQLITE_OK;
	store->is_checkpointed = true;
	sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK;
}

int store_open(const char *folder, struct store **store_out, struct explanation *error)
{
	struct store *store = calloc(1, sizeof(*store));
	int failure;

	if (!store) {
		explanation_set(error, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	snprintf(store->folder, sizeof(store->folder), "%s", folder);
	failure = store_open_database(folder, &store->database, error);
	if (failure) {
		free(store);
		return failure;
	}
	sqlite3_commit_hook(store->database, store_on_commit, store);
	sqlite3_wal_hook(store->database, store_open_on_wal, store);
	failure = store_prepare_all(store);
	if (failure) {
		snprintf(error->text, sizeof(error->text),
			 "%s: its tables are not those of " PROGRAM_NAME " (%s)", folder,
			 sqlite3_errmsg(store->database));
		store_close(store);
		return failure < 0 ? failure : -ENOSPC;
	}
	failure = store_read_moment(store, &store->before);
	if (failure) {
		explanation_set(error, failure, "%s: cannot be read: %s", folder,
				sqlite3_errmsg(store->database));
		store_close(store);
		return failure;
	}
	store_identify_wal(store); /* SQLite has opened it for that read */
	*store_out = store;
	return 0;
}

int store_open_readonly(const char *folder, struct store_database *opening)
{
	char wal[PATH_MAX];
	struct stat status;
	int error;

	if (!store_file_path(opening->path, folder, STORE_FILE, "") ||
	    !store_file_path(wal, folder, STORE_FILE, "-wal"))
		return store_database_fail(opening, -ENAMETOOLONG, "path too long");
	if (stat(opening->path, &status) < 0)
		return store_database_fail(opening, -errno, "%m");
	error = store_database_check_companions(opening);
	if (error)
		return error;
	if (!store_lock_is_taken(folder) &&
	    (store_file_has_stale_wal(folder) || !store_wal_is_sound(wal)))
		return store_database_fail(opening, -EUCLEAN,
					   "its -wal is damaged or belongs to another "
					   "database; start the gateway, which goes on "
					   "with every row that can be read");
	error = store_database_connect(opening, SQLITE_OPEN_READONLY);
	return error ? error : store_database_check_kind(opening);
}

static int64_t store_open_count_rows(struct store *store, const char *sql)
{
	int64_t count = 0;

	store_database_read_integer(store->database, sql, &count);
	return count;
}

static void store_open_report_rescue(struct store *store,
				     const struct store_rebuild_result *rebuilt,
				     const char *cause)
{
	log_error("store: THE MESSAGE STORE WAS DAMAGED: %s", cause);
	log_error("store: it was moved to %s unchanged; a new one begins with %s: %lld "
		  "messages, %lld SIM cards, %lld clients",
		  rebuilt->aside,
		  rebuilt->is_complete ? "all its rows" : "every row that could be read",
		  (long long)store_open_count_rows(store, "SELECT count(*) FROM message"),
		  (long long)store_open_count_rows(store, "SELECT count(*) FROM sim"),
		  (long long)store_open_count_rows(store, "SELECT count(*) FROM client"));
	snprintf(store->notice, sizeof(store->notice),
		 "the message store was damaged and is now at %.440s", rebuilt->aside);
}

static int store_open_rescue(const char *folder, struct store **store_out,
			     const struct explanation *cause, struct explanation *error)
{
	struct store_rebuild_result rebuilt;
	int failure = store_rebuild(folder, STORE_REBUILD_DAMAGED, &rebuilt, error);

	if (!failure)
		failure = store_open(folder, store_out, error);
	if (!failure)
		store_open_report_rescue(*store_out, &rebuilt, cause->text);
	return failure;
}

static int store_open_try(const char *folder, struct store **store_out,
			  struct explanation *error)
{
	struct explanation cause = { "" };
	int failure = store_open(folder, store_out, &cause);

	if (!failure)
		store_retention_enable_vacuum(*store_out);
	if (failure == -EUCLEAN)
		return store_open_rescue(folder, store_out, &cause, error);
	*error = cause;
	return failure;
}

/* The rebuilt store is no copy any more, because nothing waits in it. */
static int store_open_replace_copy(const char *folder, struct store **store,
				   struct explanation *error)
{
	struct store_rebuild_result rebuilt;
	int failure;

	store_close(*store);
	*store = NULL;
	failure = store_rebuild(folder, STORE_REBUILD_COPY, &rebuilt, error);
	if (failure == -EUCLEAN) {
		const struct explanation cause = *error;

		return store_open_rescue(folder, store, &cause, error);
	}
	return failure ? failure : store_open_try(folder, store, error);
}

/* On error the store is closed. */
static int store_open_set_bad_rows_aside(const char *folder, struct store *store,
					 struct explanation *error)
{
	int failure;

	errno = 0; /* see store_database_error() */
	failure = store_database_error(store->database,
				       store_bad_row_set_aside(store->database));
	if (!failure)
		return 0;
	explanation_set(error, failure, "%s: bad rows cannot be set aside: %s", folder,
			sqlite3_errmsg(store->database));
	store_close(store);
	return failure < 0 ? failure : -ENOSPC;
}

int store_open_or_rescue(const char *folder, struct store **store_out,
			 struct explanation *error)
{
	struct store *store = NULL;
	int failure = store_open_try(folder, &store, error);

	if (!failure && !store_identity_matches(store->database, folder))
		failure = store_open_replace_copy(folder, &store, error);
	if (!failure)
		failure = store_open_set_bad_rows_aside(folder, store, error);
	if (failure)
		return failure;
	store->is_gateway = true;
	failure = store_identity_record(store);
	if (failure) /* the last identity still holds; without one, nothing is sent yet */
		log_warning("store: the identity of the file cannot be stored: %s",
			    strerror(-failure));
	*store_out = store;
	return 0;
}
