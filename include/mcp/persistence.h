/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Persistence: what MCP keeps over a restart of the gateway, and the clients it serves.
 *
 * mcp may not include store, so the gateway passes the store's functions. Each int is 0
 * or an error, which is logged and survived: without the store, sessions and questions
 * end with the process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/client.h"
#include "base/crypto.h"
#include "base/feed.h"
#include "base/session_record.h"

struct store;

/* of raise_hub_epoch(): this hub is older than one that was here before */
enum { PERSISTENCE_E_STALE = 1 };

struct persistence {
	struct store *store; /* passed to all functions */

	int (*save_session)(struct store *store, const struct session_record *record);
	int (*remove_session)(struct store *store, const char *id);
	/* Lists the least recently used first. */
	int (*list_sessions)(struct store *store,
			     void (*visit)(void *visit_data,
					   const struct session_record *record),
			     void *visit_data);

	/* Reads the stored key, or stores this new one. */
	int (*load_key)(struct store *store, struct crypto_key *key);
	/* `until_ms` is by the wall clock. */
	int (*decline_order)(struct store *store, const char *order, int64_t until_ms);
	bool (*is_order_declined)(struct store *store, const char *order);

	/* The feed, see store/store_feed.h. All are NULL if there is none. */
	int (*read_feed)(struct store *store, int64_t after_id, unsigned limit,
			 bool (*visit)(void *data, const struct feed_entry *entry),
			 void *data);
	int (*find_feed_bounds)(struct store *store, int64_t *first_out,
				int64_t *head_out);
	int (*find_feed_epoch)(struct store *store, int64_t *epoch_out);
	int (*skip_older_feed)(struct store *store, int64_t after_id, int64_t since_ms,
			       enum feed_type type, int64_t *after_out,
			       bool *skipped_out);

	/* For clients with the scope hub. Returns 0, PERSISTENCE_E_STALE or -errno. May be NULL:
	 * then it is never called. */
	int (*raise_hub_epoch)(struct store *store, int64_t client_id, int64_t epoch);
	/* On whose behalf the audit log says that things are done, until it is called with NULL. */
	void (*act_for)(struct store *store, const char *name);

	/* Writes the client's current name and scopes. Returns false if it was revoked. May be
	 * NULL: then clients never change. */
	bool (*find_client)(struct store *store, int64_t client_id,
			    struct client *client_out);
};
