/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store schema: its migrations, and the check that a database has exactly our schema.
 */
#ifndef STORE_STORE_SCHEMA_H
#define STORE_STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum { STORE_SCHEMA_VERSION = 12 };

/* Each takes the schema one version up. Run without foreign keys, in one transaction. */
extern const char *const store_schema_migrations[STORE_SCHEMA_VERSION];

/* Replaces values that older versions wrote; also for rows that are copied from them. */
#define STORE_SCHEMA_RENAME_VALUES                                                      \
	"UPDATE OR IGNORE secret SET purpose = 'elicitation' WHERE purpose = 'asking';" \
	"UPDATE receive_gap SET reason = 'store_damaged' WHERE reason = "               \
	"'ledger_damaged';"                                                             \
	"UPDATE message SET reason = 'store_damaged' WHERE reason = 'ledger_damaged';"  \
	"UPDATE message_change SET reason = 'store_damaged'"                            \
	" WHERE reason = 'ledger_damaged';"

/*
 * The name that the table or column had in older versions, from which rows are copied; NULL:
 * the same. `column` NULL: of the table.
 */
const char *store_schema_former_name(const char *table, const char *column);

/*
 * A digest of the text of all tables, indexes and triggers. A database with this digest has
 * the present schema as we make it (tests/unit/test_store.c). 0: it cannot be read.
 */
#define STORE_SCHEMA_DIGEST UINT64_C(0xa5457557fef7fdee)
uint64_t store_schema_digest(sqlite3 *database);

/*
 * Does the database have exactly the tables, indexes and triggers of that schema version? Runs
 * none of them.
 */
bool store_schema_is_ours(sqlite3 *database, int64_t version);

#endif
