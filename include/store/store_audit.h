/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, audit log: a hash chain of what was decided. Part of the store of store/store.h.
 *
 * Each line contains a hash over itself and the hash of the line before
 * (store/audit.h), so changing, removing or inserting one shows (audit_reader_verify(),
 * tests/unit/test_audit_reader.c). A line about a change is written in the transaction of
 * that change: both are on disk or neither, without an fsync of its own.
 *
 * Code that strangers can trigger as often as they like writes through policy/audit.h.
 */
#pragma once

#include "base/client.h"
#include "store/audit.h"
#include "store/store.h"

enum {
	AUDIT_KEEP = 100000,	   /* lines; the oldest are pruned when there are more */
	AUDIT_DETAIL_BYTES = 8192, /* limit of one line */
};

/*
 * Adds a line whose detail is this JSON object. Durable, unless a transaction is open, whose owner
 * must then fail with this error. Returns 0, -E2BIG, STORE_E_FULL or -errno.
 */
int store_audit_add(struct store *store, enum audit_event event, const char *detail_json);

/*
 * Likewise, from facts that the event has (store/audit.h). A text that is not UTF-8 is left
 * out.
 *	store_audit_record(store, AUDIT_PAUSED,
 *			   (struct audit_event_fact[]){ { "by", "owner" }, { NULL } });
 */
int store_audit_record(struct store *store, enum audit_event event,
		       const struct audit_event_fact *facts);

/* client_paired, _changed: the permissions of the client from now on. */
int store_audit_record_client(struct store *store, enum audit_event event,
			      const struct client *client);

/*
 * Call it inside the transaction that changes an outgoing message: who requested it, who decided,
 * and how it ended. Other states are in the message's history only. `client` is the name.
 */
int store_audit_message_added(struct store *store, int64_t message_id,
			      const struct store_message_draft *draft,
			      const char *client);
int store_audit_message_edited(struct store *store, int64_t message_id,
			       const struct store_message_draft *draft,
			       const char *client);
int store_audit_message_changed(struct store *store, int64_t message_id,
				enum message_state from,
				const struct message_change *change);

/*
 * From now on lines have this text as "on_behalf_of", and new messages have it in their history,
 * until NULL ends it: a hub says for whom it makes a call. It is cut to what fits, and escaped
 * by the caller.
 */
enum { STORE_AUDIT_ACTING_FOR_BYTES = 128 };
void store_audit_act_for(struct store *store, const char *name);

/* Finds the newest line. Returns 0 or -errno. */
int store_audit_head(struct store *store, struct audit_chain_head *head_out);

/* Returns how many lines this process added since it opened the store. */
int64_t store_audit_added(const struct store *store);

/* Runs `write` in one transaction: all its lines are committed, or none. Returns 0 or the error. */
int store_audit_transaction(struct store *store,
			    int (*write)(void *data, struct store *store), void *data);

/*
 * Removes at most AUDIT_STEP_LINES of the oldest lines while there are more than `keep`. The hash
 * of the last removed line becomes the anchor of the rest. *done_out says that nothing is left to
 * remove. 0, STORE_E_FULL, -errno.
 */
enum { AUDIT_STEP_LINES = 100 };
int store_audit_prune(struct store *store, int64_t keep, bool *done_out);
