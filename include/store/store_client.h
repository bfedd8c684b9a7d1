/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, clients: who may ask, and what. Part of the store of store/store.h.
 */
#ifndef STORE_STORE_CLIENT_H
#define STORE_STORE_CLIENT_H

#include "base/client.h"
#include "store/store.h"

/* A client and the hash of its token. 0, STORE_E_EXISTS, STORE_E_FULL, -errno. */
int store_client_add(struct store *store, const char *name,
		     const uint8_t hash[CLIENT_HASH_BYTES], int64_t *client_id_out);
/* Fits struct auth of http/auth.h: `data` is the store. */
bool store_client_find(void *data, const uint8_t hash[CLIENT_HASH_BYTES],
		       struct client *client_out);
int store_client_count(struct store *store, int64_t *count_out);

#endif
