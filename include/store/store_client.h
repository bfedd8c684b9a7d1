/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, clients: who may ask, and what. Part of the store of store/store.h.
 */
#ifndef STORE_STORE_CLIENT_H
#define STORE_STORE_CLIENT_H

#include "base/client.h"
#include "store/store.h"

struct client_row {
	struct client client;
	int64_t created_ms; /* wall clock */
};

/*
 * A new client, whose id is made, and the hash of its token. Numbers are never given out
 * twice. 0, STORE_E_EXISTS, STORE_E_FULL, -errno.
 */
int store_client_add(struct store *store, const struct client *client,
		     const uint8_t hash[CLIENT_HASH_BYTES], int64_t *client_id_out);
/* Each: 0, STORE_E_NOT_FOUND, STORE_E_FULL, -errno. */
int store_client_change(struct store *store, const struct client *client); /* by its id */
int store_client_rotate(struct store *store, const struct client *client,
			const uint8_t hash[CLIENT_HASH_BYTES]);
/* Its sessions go with it; its messages stay. */
int store_client_revoke(struct store *store, const struct client *client);
/*
 * For one that the disk refused to revoke: it is not found any more until this store is
 * closed, and whenever it asks the disk is tried again. False: too many are.
 */
bool store_client_bar(struct store *store, int64_t client_id);
/* Fits struct auth of http/auth.h: `data` is the store. */
bool store_client_find(void *data, const uint8_t hash[CLIENT_HASH_BYTES],
		       struct client *client_out);
/* Fits struct persistence of mcp/persistence.h. */
bool store_client_find_id(struct store *store, int64_t client_id,
			  struct client *client_out);
/* 0, STORE_E_NOT_FOUND, -errno. */
int store_client_get(struct store *store, const char *name, struct client_row *row_out);
/* In the order of their names; visit uses no clients of the store. 0 or -errno. */
int store_clients_list(struct store *store,
		       void (*visit)(void *data, const struct client_row *row),
		       void *data);
/* Of the owner, too; "" for one that is not, or no more, paired. 0 or -errno. */
int store_client_name(struct store *store, int64_t client_id,
		      char name_out[CLIENT_NAME_BYTES]);
int store_client_count(struct store *store, int64_t *count_out);

#endif
