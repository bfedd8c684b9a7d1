/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store database: one database file, from its path to a connection that can be trusted. Every
 * function that fails fills the error text, which names the file.
 */
#ifndef STORE_STORE_DATABASE_H
#define STORE_STORE_DATABASE_H

#include <limits.h>
#include <sqlite3.h>
#include <stdint.h>

#include "base/explanation.h"
#include "store/store_backup.h"

enum { STORE_BUSY_MS = 2000 }; /* `ofono-mcp backup` reads from its own process */

struct store_database {
	char path[PATH_MAX];
	const char *shown_name; /* the name in error texts; NULL: the path */
	sqlite3 *database;	/* NULL: not open */
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
 * Connects to the file at `path`. `flags`: SQLITE_OPEN_READWRITE, _CREATE, _READONLY. 0 or
 * -errno; call store_database_abort() in either case.
 */
int store_database_connect(struct store_database *opening, int flags);

/* Closes the file without writing its -wal back; fine when it is not open. */
void store_database_abort(struct store_database *opening);
/* Closes it with everything written. 0 or -errno. */
int store_database_close(struct store_database *opening);
/* Switches a new database to WAL and closes it. 0 or -errno. */
int store_database_finish(struct store_database *opening);

int store_database_execute(struct store_database *opening, const char *sql);
/* The first column of the first row. 0 or -errno. */
int store_database_query_int(struct store_database *opening, const char *sql,
			     int64_t *value_out);

/* -EUCLEAN: some page is damaged. `pragma`: quick_check or integrity_check. */
int store_database_check(struct store_database *opening, const char *pragma);
/* -EINVAL: the tables of ofono-mcp are missing. -ENOTSUP: of a newer program. */
int store_database_check_kind(struct store_database *opening);
/* Refuses a schema of a newer program: -ENOTSUP. */
int store_database_refuse_version(struct store_database *opening, int64_t version);

/* Migrates to the present schema in one transaction. -ENOTSUP: of a newer program. */
int store_database_migrate(struct store_database *opening);

/*
 * Makes a new, empty database of the present schema at opening->path (mode 0600), in the
 * place of any file there, open for writing. 0 or -errno; call store_database_abort() on
 * error.
 */
int store_database_make(struct store_database *opening);

int store_database_summarize(struct store_database *opening,
			     struct store_backup_summary *summary);

#endif
