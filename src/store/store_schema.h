/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store schema: its migrations, and the check that a database has exactly our schema.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The first one is that of 0.1.0, the first release. */
enum { STORE_SCHEMA_FIRST = 9, STORE_SCHEMA_VERSION = 24 };

/* Can a database of that version be migrated? Version 0 is an empty one. */
bool store_schema_is_known(int64_t version);

/*
 * Migrates from one known version to another. Call it without foreign keys, in one transaction.
 * Returns SQLITE_OK, or SQLite's error.
 */
int store_schema_migrate(sqlite3 *database, int64_t from, int64_t to);

/* Replaces values that older versions wrote; also for rows that are copied from them. */
#define STORE_SCHEMA_RENAME_VALUES                                                      \
	"UPDATE OR IGNORE secret SET purpose = 'elicitation' WHERE purpose = 'asking';" \
	"UPDATE receive_gap SET reason = 'store_damaged' WHERE reason = "               \
	"'ledger_damaged';"                                                             \
	"UPDATE message SET reason = 'store_damaged' WHERE reason = 'ledger_damaged';"  \
	"UPDATE message_change SET reason = 'store_damaged'"                            \
	" WHERE reason = 'ledger_damaged';"

/*
 * From then on the triggers add entries to the feed, in a new epoch. A database without one is a
 * copy that is not complete.
 */
#define STORE_SCHEMA_BEGIN_FEED             \
	"INSERT OR REPLACE INTO feed_epoch" \
	" SELECT 1, (random() & 281474976710655) + 1;"

/*
 * A digest of the text of all tables, indexes and triggers. A database with this digest has the
 * present schema as we make it (tests/unit/test_store.c). Returns 0 if it cannot be read.
 */
#define STORE_SCHEMA_DIGEST UINT64_C(0x08d9198c3f9342f2)
uint64_t store_schema_digest(sqlite3 *database);

/*
 * Does the database have exactly the tables, indexes and triggers of that schema version? Runs
 * none of them.
 */
bool store_schema_is_ours(sqlite3 *database, int64_t version);
