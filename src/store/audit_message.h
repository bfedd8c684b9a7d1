/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit message: what the audit says of an outgoing message, in the transaction that
 * changes it: who asked for it, who decided, and how it ended. What lies between is in the
 * message's history, and a delivery report alone is none of the gateway's decisions.
 *
 * Private to src/store. 0, -errno or STORE_E_FULL.
 */
#ifndef STORE_AUDIT_MESSAGE_H
#define STORE_AUDIT_MESSAGE_H

#include "store/store.h"

int audit_message_added(struct store *store, int64_t message_id,
			const struct message_draft *draft);

int audit_message_moved(struct store *store, int64_t message_id, enum message_state from,
			const struct message_change *change);

#endif
