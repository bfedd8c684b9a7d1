/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store database: one database file, from its path to a connection that can be trusted. Every
 * function that fails fills the error text, which names the file.
 */
#pragma once

#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/explanation.h"
#include "store/store_backup.h"

enum { STORE_BUSY_MS = 2000 }; /* `ofono-mcp backup` reads from its own process */

struct store;

struct store_database {
	char path[PATH_MAX];
	const char *shown_name; /* the name in error texts; NULL for the path */
	sqlite3 *database;	/* NULL if not open */
	struct explanation *error;
};

/*
 * Maps a result of SQLite to 0, STORE_E_FULL or -errno. Call it right after the failed step,
 * before which errno was 0.
 */
int store_database_error(sqlite3 *database, int result);

/* Writes an error text and returns `result`. */
__attribute__((format(printf, 3, 4))) int store_database_fail(
	struct store_database *opening, int result, const char *format, ...);

/*
 * `error` as it is; if it is not 0, the error text is `what`, a colon and the system's words.
 */
int store_database_explain(struct store_database *opening, int error, const char *what);

/*
 * Refuses a folder or a pipe in the place of the file's -wal, -shm or -journal: SQLite says of it
 * that the disk is full, or that it is locked, and opening a pipe waits for ever. Call it before
 * anything reads them. Returns 0 or -EINVAL.
 */
int store_database_check_companions(struct store_database *opening);

/*
 * Connects to the file at `path`. `flags` are of SQLITE_OPEN_READWRITE, _CREATE and _READONLY.
 * Returns 0 or -errno; call store_database_abort() in either case.
 */
int store_database_connect(struct store_database *opening, int flags);

/* Closes the file without writing its -wal back; fine when it is not open. */
void store_database_abort(struct store_database *opening);
/* Closes it with everything written. Returns 0 or -errno. */
int store_database_close(struct store_database *opening);
/* Begins the feed of a new database, switches to WAL and closes it. Returns 0 or -errno. */
int store_database_finish(struct store_database *opening);

/*
 * Reads the first column of the first row. Returns SQLITE_ROW, SQLITE_DONE if there is no row, or
 * an error.
 */
int store_database_read_integer(sqlite3 *database, const char *sql, int64_t *value_out);

int store_database_execute(struct store_database *opening, const char *sql);
/* Likewise: 0 or -errno. */
int store_database_query_int(struct store_database *opening, const char *sql,
			     int64_t *value_out);

/*
 * Returns 0, -EUCLEAN if some page is damaged, or another error. `pragma` is quick_check or
 * integrity_check.
 */
int store_database_check(struct store_database *opening, const char *pragma);
/* Writes the error text of a damaged page. Returns -EUCLEAN. */
int store_database_fail_pages(struct store_database *opening);
/*
 * Returns 0; -EINVAL if the tables of ofono-mcp are missing; or -ENOTSUP if store_schema_is_known()
 * is false.
 */
int store_database_check_kind(struct store_database *opening);
/* Refuses the schema of a newer program, or of one before the first release: -ENOTSUP. */
int store_database_check_version(struct store_database *opening, int64_t version);

/* Migrates to the present schema in one transaction. Returns -ENOTSUP as above. */
int store_database_migrate(struct store_database *opening);

/*
 * Makes an empty file (mode 0600) at opening->path, in the place of any file there: SQLite would
 * make it with the mode of the umask. Its -wal and -shm inherit the mode. Returns 0 or -errno.
 */
int store_database_make_file(struct store_database *opening);

/*
 * Makes a new, empty database of the present schema at opening->path (mode 0600), in the place of
 * any file there, open for writing. Returns 0 or -errno; call store_database_abort() on error.
 */
int store_database_make(struct store_database *opening);

int store_database_summarize(struct store_database *opening,
			     struct store_backup_summary *summary);

/*
 * Opens the message store of a folder read-only, while a gateway works with it or not;
 * store/store.h has the other ways to open it. Returns 0 or -errno, with the error's text; call
 * store_database_abort() in either case.
 */
int store_open_readonly(const char *folder, struct store_database *opening);

/* ---- identity (store_identity.c) */

/*
 * Is this the database file that was used last, or a copy of it?
 *
 * In a copy, messages still wait that the original may have sent since. So at each start the
 * gateway stores which file this is: its inode and birth time, its device and file system,
 * and the inode of a mark, a file beside it that is made anew each time (gateway.mark-EPOCH).
 * A copy has other inodes. The epoch also advances before messages leave, so older content that was
 * written into the original file names a mark that is gone. Changed owners, permissions,
 * access times or further links make no copy.
 *
 * Within one boot the device must be the same, which detects a snapshot mounted elsewhere.
 * Devices are numbered anew at the next boot, so then the ID of the file system counts.
 * Where a file system has neither, or inodes that change, each start takes the database for a
 * copy, which sends nothing.
 *
 * Nothing in the folder can show that a whole disk or virtual machine was set back to an
 * earlier state. Only an audit head that was saved elsewhere reveals this
 * (tests/unit/test_store_identity.c, tests/integration/test_copies.py).
 */

/*
 * Returns false if `database`, which is `folder`/gateway.db, is a copy. A database that we made and
 * never used, or of a version that stored no identity, is none.
 */
bool store_identity_matches(sqlite3 *database, const char *folder);

/*
 * Makes this file the original. Returns 0, or -errno if nothing has changed. A crash leaves the old
 * identity or the new one, each with its mark.
 */
int store_identity_record(struct store *store);

/* ---- rebuild (store_rebuild.c) */

/*
 * A message store that cannot go on as it is becomes a new one, with our schema and its rows. The
 * old file stays beside it unchanged.
 *
 *   damaged   every row that can be read is copied
 *   copy      of the message store, or a backup that somebody put in its place
 *
 * Their unfinished messages may have been sent: they become unknown.
 *
 * Call it under the lock of the folder.
 */
enum store_rebuild_cause {
	STORE_REBUILD_DAMAGED,
	STORE_REBUILD_COPY,
};

struct store_rebuild_result {
	bool is_complete; /* every row was copied, and no sign shows that there were more */
	char aside[PATH_MAX]; /* the old file */
};

/*
 * Returns 0, or -errno with `error` filled and the old file in its place: -EUCLEAN if a copy is
 * damaged as well.
 */
int store_rebuild(const char *folder, enum store_rebuild_cause cause,
		  struct store_rebuild_result *result_out, struct explanation *error);

/* ---- write-ahead log (store_wal.c) */

/*
 * Checks the write-ahead log of a database for damage.
 *
 * SQLite reads a log up to the first wrong frame and silently ignores the rest, because a power
 * cut leaves such a log. But we sync each durable commit before we go on. So a frame that a
 * later commit follows was on disk once; if it is wrong now, committed states are lost, and a
 * message might be sent twice. Two kinds of damage look like a power cut and stay undetected:
 * damage in the last commit or so, and a log that was cut at a commit.
 *
 * `path` is that of the log; a missing one is sound. Nobody may write to it meanwhile.
 */
bool store_wal_is_sound(const char *path);
