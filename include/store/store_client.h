/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, clients: the paired agents, their tokens and permissions. Part of the store of
 * store/store.h.
 */
#pragma once

#include "base/client.h"
#include "store/store.h"

struct store_client_row {
	struct client client;
	int64_t created_ms; /* wall clock */
};

/*
 * Adds a client with the hash of its token and gives it an ID. IDs are never reused. Returns 0,
 * STORE_E_EXISTS, STORE_E_FULL or -errno.
 */
int store_client_add(struct store *store, const struct client *client,
		     const uint8_t hash[CLIENT_HASH_BYTES], int64_t *client_id_out);
/* The next three return 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno. */
int store_client_change(struct store *store, const struct client *client); /* by its ID */
/* Removes its webhooks. */
int store_client_rotate(struct store *store, const struct client *client,
			const uint8_t hash[CLIENT_HASH_BYTES]);
/*
 * Also removes its sessions and webhooks; its messages stay. A local client keeps its row, without
 * scopes.
 */
int store_client_revoke(struct store *store, const struct client *client);
/*
 * Bars a client whose revocation the disk refused: until the store is closed it is not found, and
 * each of its requests tries the disk again. Returns false if too many clients are barred.
 */
bool store_client_bar(struct store *store, int64_t client_id);
/* Fits struct auth of http/http_server.h: `data` is the store. */
bool store_client_find(void *data, const uint8_t hash[CLIENT_HASH_BYTES],
		       struct client *client_out);
/* Fits struct persistence of mcp/persistence.h. */
bool store_client_find_id(struct store *store, int64_t client_id,
			  struct client *client_out);
/* Returns 0, STORE_E_NOT_FOUND or -errno. */
int store_client_get(struct store *store, const char *name,
		     struct store_client_row *row_out);
/* Lists them ordered by name; `visit` must not use clients of the store. Returns 0 or -errno. */
int store_client_list(struct store *store,
		      void (*visit)(void *data, const struct store_client_row *row),
		      void *data);
/*
 * Finds its name. The owner has one as well; it is "" for an ID that is not paired. Returns 0 or
 * -errno.
 */
int store_client_name(struct store *store, int64_t client_id,
		      char name_out[CLIENT_NAME_BYTES]);
/*
 * A hub's epoch grows with each of its starts. Returns 0 if none from this client was higher, and
 * this one is on disk; STORE_E_ILLEGAL if it is an older hub's; STORE_E_FULL or -errno.
 */
int store_client_raise_epoch(struct store *store, int64_t client_id, int64_t epoch);
/* Counts those that have a token, so no local clients. Returns 0 or -errno. */
int store_client_count(struct store *store, int64_t *count_out);
