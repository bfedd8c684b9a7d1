/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's opt-outs: numbers from which STOP came, until START comes from there.
 *
 * A STOP is on disk with the message that says it, in one transaction (store_incoming_add()),
 * and the audit has a line of whatever it changes; a restore keeps those of the ledger that it
 * replaces, too (tests/unit/test_store_opt_out.c).
 */
#ifndef STORE_STORE_OPT_OUT_H
#define STORE_STORE_OPT_OUT_H

#include "store/store.h"

/*
 * Is the number, however it is spelt for this SIM (0: not known), opted out? 0,
 * STORE_E_NOT_FOUND, -errno: nothing is to go out then.
 */
int store_opt_out_known(struct store *store, int64_t sim_id, const char *number);

/*
 * Is it opted out, and was this message to it accepted before it said so? By the numbers of
 * the messages, for clocks are set; by time where that STOP is none of this ledger's.
 */
bool store_opt_out_follows(struct store *store, const struct message *message);

/*
 * A confirmation is about to be sent: true once for each STOP after a START, and on disk
 * then, whether it is sent or not.
 */
bool store_opt_out_confirm(struct store *store, int64_t sim_id, const char *number);

/* Inside the transaction of an incoming message; nothing for a sender's name. 0 or error. */
int store_opt_out_note(struct store *store, const struct incoming_draft *draft,
		       int64_t message_id);

#endif
