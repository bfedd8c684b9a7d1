/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, edits: an outgoing message that oFono never had gets another text, recipient or time.
 * Part of the store of store/store.h.
 *
 * The row, its history, what it uses of the limits and its audit line change in one durable
 * commit (scenario EditLater of tests/integration/test_crash_matrix.py). Its ID, its SIM, its
 * client, its idempotency key and the time of its acceptance stay.
 */
#pragma once

#include "store/store_message.h"

/* The reason of its state, unless its user approved the new version. */
extern const char store_edit_reason[];

/* A client may change a message so often; each change adds to history and audit. */
enum { STORE_EDIT_REVISIONS_MAX = 50 };

/*
 * The draft replaces what it has; sim_id and client_id are those of the message, created_ms is now.
 * With `keeps_time` it keeps its place in the rates. Returns 0; STORE_E_ILLEGAL if it does not wait
 * in the gateway, or there is none; STORE_E_FULL, -errno.
 */
int store_edit_message(struct store *store, int64_t message_id,
		       const struct store_message_draft *draft, bool keeps_time);

/*
 * Reads the phone number and text for which the idempotency key of an edited message was used
 * first. Strings live in `arena`; other members are not written. Returns 0; STORE_E_NOT_FOUND if it
 * was never edited, or has no key; -errno.
 */
int store_edit_first(struct store *store, int64_t message_id, struct arena *arena,
		     struct message *message_out);
