/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store message: the steps that more than one file of the store takes with a message.
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_MESSAGE_H
#define STORE_STORE_MESSAGE_H

#include "store/store_statement.h"

/* Gives the statement, which selects MESSAGE_COLUMNS and is bound, back. See _get(). */
int store_message_fetch(struct store *store, sqlite3_stmt *statement, struct arena *arena,
			struct message *message_out);

/* 0, STORE_E_NOT_FOUND, -errno. */
int store_message_state(struct store *store, int64_t message_id,
			enum message_state *state_out);

/* A line of the history, inside a transaction. */
int store_message_note(struct store *store, int64_t message_id,
		       const struct message_change *change);

/*
 * A move of the state machine, inside a transaction. `uuid` NULL and `delivery`
 * DELIVERY_NONE: leave.
 */
int store_message_apply(struct store *store, int64_t message_id,
			const struct message_change *change, const char *uuid,
			enum delivery delivery);

#endif
