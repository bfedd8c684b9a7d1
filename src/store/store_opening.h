/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store opening: one database file from its path to a connection that can be trusted, step
 * by step. Every step writes the error's text, which names the file.
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_OPENING_H
#define STORE_STORE_OPENING_H

#include <limits.h>
#include <sqlite3.h>
#include <stdint.h>

#include "base/explanation.h"

struct store_opening {
	char path[PATH_MAX];
	const char *told;  /* the name that a person knows it by; NULL: its path */
	sqlite3 *database; /* NULL: not open */
	struct explanation *error;
};

/* Gives `result`, with a text. */
__attribute__((format(printf, 3, 4))) int store_opening_fail(
	struct store_opening *opening, int result, const char *format, ...);

/*
 * Connects to the file, whose path is set. `flags`: SQLITE_OPEN_READWRITE, _CREATE,
 * _READONLY. 0 or -errno; store_opening_abort() is due in either case.
 */
int store_opening_connect(struct store_opening *opening, int flags);

/* Closes the file without writing a byte of its -wal into it; fine when not open. */
void store_opening_abort(struct store_opening *opening);
/* Closes it with all that is to be written. 0 or -errno. */
int store_opening_close(struct store_opening *opening);

/* Closes one that was made to be a ledger; likewise. */
int store_opening_finish(struct store_opening *opening);

int store_opening_execute(struct store_opening *opening, const char *sql); /* or -errno */

/* The first column of the first row. 0 or -errno. */
int store_opening_ask(struct store_opening *opening, const char *sql, int64_t *value_out);

/* -EUCLEAN: some page is damaged. `pragma`: quick_check or integrity_check. */
int store_opening_check(struct store_opening *opening, const char *pragma);

/* -ENOTSUP, with a text. */
int store_opening_refuse_version(struct store_opening *opening, int64_t version);

/* To the present schema, in one transaction. -ENOTSUP: of a newer program. */
int store_opening_migrate(struct store_opening *opening);

#endif
