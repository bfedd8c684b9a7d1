/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, closed keys: idempotency keys with which nothing may be sent any more, although no message
 * has them. Part of the store of store/store.h.
 *
 * A hub whose request may still be under way closes its key before it sends the message from
 * another phone. A key is kept as long as those of messages, STORE_KEY_DAYS, in usage time
 * (store/store_usage.h): setting the clock opens none (tests/unit/test_store_closed_key.c).
 */
#pragma once

#include <stdint.h>

struct store;

enum { STORE_CLOSED_KEYS_MAX = 20 * 1000 }; /* of a client */

/*
 * Closes the key; fine if it is closed. Durable. Returns 0; STORE_E_FULL if the disk is full, or
 * this client has too many; or -errno.
 */
int store_closed_key_add(struct store *store, int64_t client_id, const char *key);
/* Returns 0 if it is closed; STORE_E_NOT_FOUND; -errno. */
int store_closed_key_find(struct store *store, int64_t client_id, const char *key);
