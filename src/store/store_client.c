/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clients are found by the hash of their token with each request, so the last few found
 * are kept in memory until any client changes. That is safe because only this process
 * writes while the store is open (store_lock.h). Each change is one commit with its
 * audit line.
 *
 * A revocation that the disk refuses must still hold. Such a client is barred: it is not
 * found any more, and its requests retry the revocation once a second.
 */
#include "store/store_client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/store_audit.h"
#include "store/store_internal.h"

enum { BARRED_RETRY_MS = 1000 };

/* A row of CLIENT_COLUMNS. */
static void store_client_read(sqlite3_stmt *statement, struct client *client)
{
	client->id = sqlite3_column_int64(statement, 0);
	snprintf(client->name, sizeof(client->name), "%s",
		 store_column_text(statement, 1));
	client->scopes = (unsigned)sqlite3_column_int(statement, 2);
	client->ask = (enum client_ask)sqlite3_column_int(statement, 3);
	snprintf(client->sims, sizeof(client->sims), "%s",
		 store_column_text(statement, 4));
	snprintf(client->allow, sizeof(client->allow), "%s",
		 store_column_text(statement, 5));
	client->limits = (struct client_limits){
		.per_minute = sqlite3_column_int64(statement, 6),
		.per_hour = sqlite3_column_int64(statement, 7),
		.per_day = sqlite3_column_int64(statement, 8),
		.segments_per_month = sqlite3_column_int64(statement, 9),
	};
}

/* The parameters that CLIENT_ADD and CLIENT_CHANGE share. */
static void store_client_bind(sqlite3_stmt *statement, const struct client *client)
{
	const struct client_limits *limits = &client->limits;

	store_bind_text(statement, 1, client->name);
	sqlite3_bind_int64(statement, 2, client->scopes);
	sqlite3_bind_int64(statement, 3, client->ask);
	store_bind_text(statement, 4, client->sims);
	store_bind_text(statement, 5, client->allow);
	sqlite3_bind_int64(statement, 6, limits->per_minute);
	sqlite3_bind_int64(statement, 7, limits->per_hour);
	sqlite3_bind_int64(statement, 8, limits->per_day);
	sqlite3_bind_int64(statement, 9, limits->segments_per_month);
}

/* NULL: not kept. */
static const struct client *store_client_recall(const struct store *store,
						const uint8_t hash[CLIENT_HASH_BYTES])
{
	const struct store_known_clients *known = &store->known_clients;

	for (unsigned i = 0; i < known->count; i++) {
		if (memcmp(known->items[i].hash, hash, CLIENT_HASH_BYTES) == 0)
			return &known->items[i].client;
	}
	return NULL;
}

static void store_client_remember(struct store *store,
				  const uint8_t hash[CLIENT_HASH_BYTES],
				  const struct client *client)
{
	struct store_known_clients *known = &store->known_clients;

	if (known->count == STORE_KNOWN_CLIENTS_MAX)
		known->count = 0;
	memcpy(known->items[known->count].hash, hash, CLIENT_HASH_BYTES);
	known->items[known->count++].client = *client;
}

/* Ends the transaction with the audit line of the change. */
static int store_client_end_audited(struct store *store, int error,
				    enum audit_event event, const struct client *client)
{
	store->known_clients.count = 0;
	if (!error && (event == AUDIT_CLIENT_PAIRED || event == AUDIT_CLIENT_CHANGED))
		error = store_audit_record_client(store, event, client);
	else if (!error)
		error = store_audit_record(store, event,
					   (struct audit_event_fact[]){
						   { "client_id", NULL, client->id },
						   { "client", client->name },
						   { NULL },
					   });
	return store_end(store, error);
}

static int store_client_insert(struct store *store, const struct client *client,
			       const uint8_t hash[CLIENT_HASH_BYTES],
			       int64_t *client_id_out)
{
	sqlite3_stmt *statement = store_use(store, CLIENT_ADD);
	int error;

	store_client_bind(statement, client);
	sqlite3_bind_blob(statement, 10, hash, CLIENT_HASH_BYTES, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 11, clock_wall_ms());
	error = store_run(store, statement);
	if (error)
		return error;
	if (!sqlite3_changes(store->database))
		return STORE_E_EXISTS;
	*client_id_out = sqlite3_last_insert_rowid(store->database);
	return 0;
}

int store_client_add(struct store *store, const struct client *client,
		     const uint8_t hash[CLIENT_HASH_BYTES], int64_t *client_id_out)
{
	struct client added = *client;
	int error = store_begin(store);

	if (error)
		return error;
	error = store_client_insert(store, client, hash, &added.id);
	error = store_client_end_audited(store, error, AUDIT_CLIENT_PAIRED, &added);
	if (!error)
		*client_id_out = added.id;
	return error;
}

/* For a statement that changes one client by its ID. */
static int store_client_run_for_one(struct store *store, sqlite3_stmt *statement)
{
	int error = store_run(store, statement);

	if (!error && !sqlite3_changes(store->database))
		return STORE_E_NOT_FOUND;
	return error;
}

int store_client_change(struct store *store, const struct client *client)
{
	sqlite3_stmt *statement;
	int error = store_begin(store);

	if (error)
		return error;
	statement = store_use(store, CLIENT_CHANGE);
	store_client_bind(statement, client);
	sqlite3_bind_int64(statement, 10, client->id);
	return store_client_end_audited(store, store_client_run_for_one(store, statement),
					AUDIT_CLIENT_CHANGED, client);
}

int store_client_rotate(struct store *store, const struct client *client,
			const uint8_t hash[CLIENT_HASH_BYTES])
{
	sqlite3_stmt *statement;
	int error = store_begin(store);

	if (error)
		return error;
	statement = store_use(store, CLIENT_ROTATE);
	sqlite3_bind_int64(statement, 1, client->id);
	sqlite3_bind_blob(statement, 2, hash, CLIENT_HASH_BYTES, SQLITE_STATIC);
	return store_client_end_audited(store, store_client_run_for_one(store, statement),
					AUDIT_CLIENT_ROTATED, client);
}

static int store_client_delete(struct store *store, int64_t client_id)
{
	sqlite3_stmt *statement = store_use(store, CLIENT_SESSIONS_REMOVE);
	int error;

	sqlite3_bind_int64(statement, 1, client_id);
	error = store_run(store, statement);
	if (error)
		return error;
	statement = store_use(store, CLIENT_REMOVE);
	sqlite3_bind_int64(statement, 1, client_id);
	return store_client_run_for_one(store, statement);
}

/* ---- barred clients: revoked, and not yet on disk */

/* Its index, or barred->count. */
static unsigned store_client_barred_index(const struct store_barred_clients *barred,
					  int64_t client_id)
{
	unsigned place = 0;

	while (place < barred->count && barred->ids[place] != client_id)
		place++;
	return place;
}

static bool store_client_is_barred(const struct store *store, int64_t client_id)
{
	const struct store_barred_clients *barred = &store->barred_clients;

	return store_client_barred_index(barred, client_id) < barred->count;
}

bool store_client_bar(struct store *store, int64_t client_id)
{
	struct store_barred_clients *barred = &store->barred_clients;

	store->known_clients.count = 0;
	if (store_client_is_barred(store, client_id))
		return true;
	if (barred->count == STORE_BARRED_CLIENTS_MAX)
		return false;
	barred->ids[barred->count++] = client_id;
	return true;
}

static void store_client_unbar(struct store *store, int64_t client_id)
{
	struct store_barred_clients *barred = &store->barred_clients;

	if (store_client_is_barred(store, client_id))
		barred->ids[store_client_barred_index(barred, client_id)] =
			barred->ids[--barred->count];
}

int store_client_revoke(struct store *store, const struct client *client)
{
	int error = store_begin(store);

	if (!error)
		error = store_client_end_audited(store,
						 store_client_delete(store, client->id),
						 AUDIT_CLIENT_REVOKED, client);
	if (!error)
		store_client_unbar(store, client->id);
	return error;
}

/* At most once a second, because the client may send any number of requests. */
static void store_client_retry_revoke(struct store *store, const struct client *client)
{
	struct store_barred_clients *barred = &store->barred_clients;

	if (barred->tried_ms && clock_boot_ms() < barred->tried_ms + BARRED_RETRY_MS)
		return;
	barred->tried_ms = clock_boot_ms();
	if (store_client_revoke(store, client) == 0)
		log_info("store: the revocation of %s is on disk now", client->name);
}

/* Steps a bound statement of CLIENT_COLUMNS. */
static bool store_client_find_row(struct store *store, sqlite3_stmt *statement,
				  struct client *client_out)
{
	int result = sqlite3_step(statement);
	struct client client;

	if (result == SQLITE_ROW)
		store_client_read(statement, &client);
	store_finish(store, statement, result);
	if (result != SQLITE_ROW)
		return false;
	if (store_client_is_barred(store, client.id)) {
		store_client_retry_revoke(store, &client);
		return false;
	}
	*client_out = client;
	return true;
}

bool store_client_find(void *data, const uint8_t hash[CLIENT_HASH_BYTES],
		       struct client *client_out)
{
	const struct client *known = store_client_recall(data, hash);
	sqlite3_stmt *statement;

	if (known) {
		*client_out = *known;
		return true;
	}
	statement = store_use(data, CLIENT_FIND);
	sqlite3_bind_blob(statement, 1, hash, CLIENT_HASH_BYTES, SQLITE_STATIC);
	if (!store_client_find_row(data, statement, client_out))
		return false;
	store_client_remember(data, hash, client_out);
	return true;
}

bool store_client_find_id(struct store *store, int64_t client_id,
			  struct client *client_out)
{
	sqlite3_stmt *statement = store_use(store, CLIENT_FIND_ID);

	sqlite3_bind_int64(statement, 1, client_id);
	return store_client_find_row(store, statement, client_out);
}

/* A row of CLIENT_GET or CLIENTS. */
static void store_client_read_row(sqlite3_stmt *statement, struct store_client_row *row)
{
	store_client_read(statement, &row->client);
	row->created_ms = sqlite3_column_int64(statement, 10);
}

int store_client_get(struct store *store, const char *name,
		     struct store_client_row *row_out)
{
	sqlite3_stmt *statement = store_use(store, CLIENT_GET);
	int error, result;

	store_bind_text(statement, 1, name);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		store_client_read_row(statement, row_out);
	error = store_finish(store, statement, result);
	return error || result == SQLITE_ROW ? error : STORE_E_NOT_FOUND;
}

int store_client_list(struct store *store,
		      void (*visit)(void *data, const struct store_client_row *row),
		      void *data)
{
	sqlite3_stmt *statement = store_use(store, CLIENTS);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		struct store_client_row row;

		store_client_read_row(statement, &row);
		if (!store_client_is_barred(store, row.client.id))
			visit(data, &row);
	}
	return store_finish(store, statement, result);
}

int store_client_name(struct store *store, int64_t client_id,
		      char name_out[CLIENT_NAME_BYTES])
{
	sqlite3_stmt *statement;
	int result;

	if (client_id == CLIENT_OWNER) {
		snprintf(name_out, CLIENT_NAME_BYTES, "%s", CLIENT_OWNER_NAME);
		return 0;
	}
	statement = store_use(store, CLIENT_NAME);
	sqlite3_bind_int64(statement, 1, client_id);
	result = sqlite3_step(statement);
	snprintf(name_out, CLIENT_NAME_BYTES, "%s",
		 result == SQLITE_ROW ? store_column_text(statement, 0) : "");
	return store_finish(store, statement, result);
}

int store_client_count(struct store *store, int64_t *count_out)
{
	sqlite3_stmt *statement = store_use(store, CLIENT_COUNT);
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW)
		*count_out =
			sqlite3_column_int64(statement, 0) - store->barred_clients.count;
	return store_finish(store, statement, result);
}
