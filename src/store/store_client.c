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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/store_audit.h"
#include "store/store_internal.h"
#include "store/store_setting.h"

enum { BARRED_RETRY_MS = 1000 };

/* Reads a row of CLIENT_COLUMNS. */
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
	store_bind_integers(statement, 2, client->scopes, client->ask);
	store_bind_text(statement, 4, client->sims);
	store_bind_text(statement, 5, client->allow);
	store_bind_integers(statement, 6, limits->per_minute, limits->per_hour,
			    limits->per_day, limits->segments_per_month);
}

/* Returns NULL if it is not kept. */
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

/* Runs a statement that changes one client by its ID. */
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

/* Whoever had the token may have made them. */
static int store_client_end_webhooks(struct store *store, int64_t client_id)
{
	int error = store_execute(store, WEBHOOK_CLIENT_DELIVERIES_REMOVE, client_id);

	return error ? error : store_execute(store, WEBHOOK_CLIENT_REMOVE, client_id);
}

int store_client_rotate(struct store *store, const struct client *client,
			const uint8_t hash[CLIENT_HASH_BYTES])
{
	sqlite3_stmt *statement;
	int error = store_begin(store);

	if (error)
		return error;
	error = store_client_end_webhooks(store, client->id);
	if (error)
		return store_end(store, error);
	statement = store_use(store, CLIENT_ROTATE);
	sqlite3_bind_int64(statement, 1, client->id);
	sqlite3_bind_blob(statement, 2, hash, CLIENT_HASH_BYTES, SQLITE_STATIC);
	return store_client_end_audited(store, store_client_run_for_one(store, statement),
					AUDIT_CLIENT_ROTATED, client);
}

/* A local client would come back with the next connection of its user, so its row stays. */
static int store_client_delete(struct store *store, const struct client *client)
{
	sqlite3_stmt *statement;
	int error = store_execute(store, CLIENT_SESSIONS_REMOVE, client->id);

	if (!error)
		error = store_client_end_webhooks(store, client->id);
	if (!error)
		error = store_execute(store, WEBHOOK_CLIENT_CONSENTS_REMOVE, client->id);
	if (error)
		return error;
	statement =
		store_use(store, client_is_local(client) ? CLIENT_CLOSE : CLIENT_REMOVE);
	sqlite3_bind_int64(statement, 1, client->id);
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
						 store_client_delete(store, client),
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

/* Reads a row of CLIENT_GET or CLIENTS. */
static void store_client_read_row(sqlite3_stmt *statement, struct store_client_row *row)
{
	store_client_read(statement, &row->client);
	row->created_ms = sqlite3_column_int64(statement, 10);
}

int store_client_get(struct store *store, const char *name,
		     struct store_client_row *row_out)
{
	sqlite3_stmt *statement = store_use(store, CLIENT_GET);
	int result;

	store_bind_text(statement, 1, name);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		store_client_read_row(statement, row_out);
	return store_finish_row(store, statement, result);
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
	const char *name = client_id == CLIENT_OWNER	 ? CLIENT_OWNER_NAME
			   : client_id == CLIENT_GATEWAY ? CLIENT_GATEWAY_NAME
			   : client_id == CLIENT_PHONE	 ? CLIENT_PHONE_NAME
							 : NULL;

	if (name) {
		snprintf(name_out, CLIENT_NAME_BYTES, "%s", name);
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
	const struct store_barred_clients *barred = &store->barred_clients;
	int64_t count = 0;
	int error = store_read_integer(store, store_use(store, CLIENT_COUNT), &count);

	for (unsigned at = 0; at < barred->count && !error; at++) {
		struct client client;

		error = store_client_name(store, barred->ids[at], client.name);
		count -= !client_is_local(&client);
	}
	if (!error)
		*count_out = count;
	return error;
}

int store_client_raise_epoch(struct store *store, int64_t client_id, int64_t epoch)
{
	char name[32], value[STORE_SETTING_BYTES] = "0";
	int64_t highest;
	int error;

	snprintf(name, sizeof(name), "hub_epoch.%lld", (long long)client_id);
	error = store_setting_get(store, name, value);
	if (error && error != STORE_E_NOT_FOUND)
		return error;
	highest = strtoll(value, NULL, 10);
	if (epoch <= highest)
		return epoch == highest ? 0 : STORE_E_ILLEGAL;
	snprintf(value, sizeof(value), "%lld", (long long)epoch);
	return store_setting_set(store, name, value);
}
