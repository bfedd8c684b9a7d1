/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Persistence: what MCP keeps over a restart of the gateway, and the clients it serves.
 *
 * mcp may not include store, so the gateway passes the store's functions. Each int is 0
 * or an error, which is logged and survived: without the store, sessions and questions
 * end with the process.
 */
#ifndef MCP_PERSISTENCE_H
#define MCP_PERSISTENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/client.h"
#include "base/elicitation_key.h"
#include "base/session_record.h"

struct store;

struct persistence {
	struct store *store; /* passed to all functions */

	int (*save_session)(struct store *store, const struct session_record *record);
	int (*remove_session)(struct store *store, const char *id);
	/* Least recently used first. */
	int (*list_sessions)(struct store *store,
			     void (*visit)(void *visit_data,
					   const struct session_record *record),
			     void *visit_data);

	/* Reads the stored key, or stores this new one. */
	int (*load_key)(struct store *store, struct elicitation_key *key);
	/* `until_ms`: wall clock. */
	int (*decline_order)(struct store *store, const char *order, int64_t until_ms);
	bool (*is_order_declined)(struct store *store, const char *order);

	/* The client's current name and scopes; false: revoked. NULL: clients never
	 * change. */
	bool (*find_client)(struct store *store, int64_t client_id,
			    struct client *client_out);
};

#endif
