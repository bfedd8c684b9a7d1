/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Approval: the times of a yes. A message waits for one so long, and the yes is good so
 * long; which messages wait; and what the history of a message calls the two who may give it.
 */
#ifndef SMS_APPROVAL_H
#define SMS_APPROVAL_H

#include <stdint.h>

#include "config/config.h"
#include "store/store.h"

enum {
	APPROVAL_GOOD_MS = 10 * 60 * 1000,
	APPROVALS_PAGE = 40, /* of the longest texts, with room in one answer */
};

/* Reasons of queued and scheduled. */
extern const char approval_by_owner[];	/* with `ofono-mcp approve` */
extern const char approval_by_person[]; /* asked by the client */

/* So long a message waits for approval. */
int64_t approval_wait_ms(const struct config *config);

/* Nobody decides about it any more then; its own validity may end before. */
int64_t approval_awaited_until(const struct config *config,
			       const struct message *message);

/* It is not handed over after: `expires_at_ms`, 0 never, as the yes makes it earlier. */
int64_t approval_expiry(int64_t yes_ms, int64_t send_at_ms, int64_t expires_at_ms);

struct approvals_page {
	int64_t after_id; /* of which it is the first page */
	int64_t ids[APPROVALS_PAGE];
	unsigned listed;
	unsigned waiting; /* all, from after_id on */
};

/* The messages after this one that wait for a yes, oldest first. 0 or an error of the store. */
int approvals_page_read(struct store *store, int64_t after_id,
			struct approvals_page *page_out);

#endif
