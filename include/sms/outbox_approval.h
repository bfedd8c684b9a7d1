/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox approval: the owner approves or rejects messages that wait for it, and how long an
 * approval is waited for and is valid.
 */
#ifndef SMS_OUTBOX_APPROVAL_H
#define SMS_OUTBOX_APPROVAL_H

#include <stdint.h>

#include "sms/outbox.h"
#include "store/store.h"

struct config;

enum {
	OUTBOX_APPROVAL_VALID_MS = 10 * 60 * 1000,
	OUTBOX_APPROVAL_PAGE =
		40, /* with the longest texts one answer has room for them */
};

/* Reasons of the states queued and scheduled. */
extern const char outbox_approval_by_owner[]; /* with `ofono-mcp approve` */
extern const char outbox_approval_by_user[];  /* in a form of the agent */

/*
 * Approves a message that waits for it, with its present number, text and SIM. The approval
 * is valid once, for ten minutes or until the message's own validity ends; then the message
 * expires. 0: decided, on disk. Otherwise nothing has changed: OUTBOX_E_NOT_WAITING (the
 * store has its state), OUTBOX_E_STORAGE, -errno. `who` is for the log and the audit.
 */
int outbox_approval_give(struct outbox *outbox, int64_t message_id, const char *who);
/* Rejects it, with words for the agent ("" none). Results as above. */
int outbox_approval_reject(struct outbox *outbox, int64_t message_id, const char *who,
			   const char *words);

/*
 * Until when a message that waits for approval can be approved: wall clock, as set now.
 * Without an outbox (NULL) the answer comes from the row alone.
 */
int64_t outbox_approval_until(const struct outbox *outbox, const struct config *config,
			      const struct message *row);

/*
 * When a message expires that is approved at `approved_ms`: the end of the approval, or
 * `expires_at_ms` (0 never) if that is earlier.
 */
int64_t outbox_approval_expiry(int64_t approved_ms, int64_t send_at_ms,
			       int64_t expires_at_ms);

struct outbox_approval_page {
	int64_t after_id; /* the page begins after this message ID */
	int64_t ids[OUTBOX_APPROVAL_PAGE];
	unsigned listed;
	unsigned waiting; /* all after after_id */
};

/* Lists messages after this one that wait for approval, oldest first. 0 or a store error. */
int outbox_approval_page_read(struct store *store, int64_t after_id,
			      struct outbox_approval_page *page_out);

#endif
