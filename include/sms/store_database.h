/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store database: the file, how it is opened, and its schema.
 *
 * Private to src/sms/store*.c.
 */
#ifndef SMS_STORE_DATABASE_H
#define SMS_STORE_DATABASE_H

#include <sqlite3.h>

#include "base/config.h"

enum { STORE_SCHEMA_VERSION = 3 };

/* Each takes the schema one version up. Run without foreign keys, in one transaction. */
extern const char *const store_migrations[STORE_SCHEMA_VERSION];

/*
 * Opens, checks and migrates `folder`/gateway.db. 0, or -errno with the error's text.
 * Nothing is left open or half migrated on error.
 */
int store_database_open(const char *folder, sqlite3 **database_out,
			struct config_error *error);

/*
 * What a result of SQLite means to callers of the store: 0, STORE_E_FULL or -errno. To be
 * called right after the failed step, before which errno was 0.
 */
int store_database_error(sqlite3 *database, int result);

#endif
