/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, MCP sessions and elicitations. Part of the store of store/store.h.
 *
 * The functions fit struct persistence of mcp/persistence.h.
 */
#ifndef STORE_STORE_SESSION_H
#define STORE_STORE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/elicitation_key.h"
#include "base/session_record.h"

struct store;

/*
 * Changes of sessions are lazy: after a loss of power the latest may be missing, and the
 * client begins a new session.
 */
int store_session_put(struct store *store, const struct session_record *record);
int store_session_remove(struct store *store, const char *id);
/* Least recently used first; `record` lives during the call. 0 or -errno. */
int store_session_list(struct store *store,
		       void (*visit)(void *visit_data,
				     const struct session_record *record),
		       void *visit_data);

enum { STORE_DECLINED_MAX = 1000 }; /* declined requests that are remembered */

/*
 * The secret with which mcp recognises its own elicitations: `key` is stored if there is none
 * yet, then filled with the stored one. 0, STORE_E_FULL, -errno.
 */
int store_session_elicitation_key(struct store *store, struct elicitation_key *key);
/* The user declined this request; remembered until then. 0, STORE_E_FULL, -errno. */
int store_session_decline_elicitation(struct store *store, const char *request,
				      int64_t until_ms);
/* True also when the store cannot be read. */
bool store_session_is_declined(struct store *store, const char *request);

#endif
