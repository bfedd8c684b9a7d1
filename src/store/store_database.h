/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store database: the file, how it is made and opened, and its schema.
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_DATABASE_H
#define STORE_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/explanation.h"
#include "store/store_opening.h"

enum { STORE_SCHEMA_VERSION = 11 };

/* Each takes the schema one version up. Run without foreign keys, in one transaction. */
extern const char *const store_migrations[STORE_SCHEMA_VERSION];

/*
 * Of the text of all tables, indexes and triggers: what has this digest is the present
 * schema as we make it (tests/unit/test_store.c). 0: it cannot be read.
 */
#define STORE_SCHEMA_DIGEST UINT64_C(0xdee34fd542e409c9)
uint64_t store_schema_digest(sqlite3 *database);

/*
 * Does the database have exactly the tables, indexes and triggers of that version of the
 * schema, and no others? Runs nothing of them.
 */
bool store_schema_is_ours(sqlite3 *database, int64_t version);

/*
 * Opens, checks and migrates `folder`/gateway.db; one that is not there is made, whole, and
 * only then gets its name. 0, or -errno with the error's text, see store_open(). Nothing is
 * left open or half migrated on error.
 */
int store_database_open(const char *folder, sqlite3 **database_out,
			struct explanation *error);

/*
 * A new and empty database of the present schema, mode 0600, at opening->path, in the place
 * of anything there; open for writing. 0 or -errno; store_opening_abort() is due on error.
 */
int store_database_make(struct store_opening *opening);

/*
 * What a result of SQLite means to callers of the store: 0, STORE_E_FULL or -errno. To be
 * called right after the failed step, before which errno was 0.
 */
int store_database_error(sqlite3 *database, int result);

#endif
