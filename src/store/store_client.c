/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_client.h"

#include <stdio.h>

#include "base/clock.h"
#include "store/store_statement.h"

/* A row of a statement that selects CLIENT_COLUMNS. */
static void read_client(sqlite3_stmt *statement, struct client *client)
{
	client->id = sqlite3_column_int64(statement, 0);
	snprintf(client->name, sizeof(client->name), "%s",
		 statement_column_text(statement, 1));
	client->scopes = (unsigned)sqlite3_column_int(statement, 2);
	client->ask = (enum client_ask)sqlite3_column_int(statement, 3);
	snprintf(client->sims, sizeof(client->sims), "%s",
		 statement_column_text(statement, 4));
	snprintf(client->allow, sizeof(client->allow), "%s",
		 statement_column_text(statement, 5));
	client->limits = (struct client_limits){
		.per_minute = sqlite3_column_int64(statement, 6),
		.per_hour = sqlite3_column_int64(statement, 7),
		.per_day = sqlite3_column_int64(statement, 8),
		.segments_per_month = sqlite3_column_int64(statement, 9),
	};
}

int store_client_add(struct store *store, const char *name,
		     const uint8_t hash[CLIENT_HASH_BYTES], int64_t *client_id_out)
{
	sqlite3_stmt *statement = store_use(store, CLIENT_ADD);
	int error;

	statement_bind_text(statement, 1, name);
	sqlite3_bind_blob(statement, 2, hash, CLIENT_HASH_BYTES, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 3, clock_wall_ms());
	error = store_run(store, statement);
	if (error)
		return error;
	if (!sqlite3_changes(store->database))
		return STORE_E_EXISTS;
	*client_id_out = sqlite3_last_insert_rowid(store->database);
	return 0;
}

bool store_client_find(void *data, const uint8_t hash[CLIENT_HASH_BYTES],
		       struct client *client_out)
{
	struct store *store = data;
	sqlite3_stmt *statement = store_use(store, CLIENT_FIND);
	int result;

	sqlite3_bind_blob(statement, 1, hash, CLIENT_HASH_BYTES, SQLITE_STATIC);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		read_client(statement, client_out);
	store_done(store, statement, result);
	return result == SQLITE_ROW;
}

int store_client_count(struct store *store, int64_t *count_out)
{
	sqlite3_stmt *statement = store_use(store, CLIENT_COUNT);
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW)
		*count_out = sqlite3_column_int64(statement, 0);
	return store_done(store, statement, result);
}
