/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inbox queue: messages that came in and are not on disk yet, in the order of their coming.
 *
 * Private to src/sms/inbox.c.
 */
#ifndef SMS_INBOX_QUEUE_H
#define SMS_INBOX_QUEUE_H

#include <stdbool.h>
#include <sys/queue.h>

#include "ofono/ofono.h"
#include "sms/inbox.h"
#include "store/store.h"

/* The draft's texts are its own. */
struct unstored {
	struct incoming_draft draft;
	struct sim_facts card; /* its number may be what the disk refused */
	TAILQ_ENTRY(unstored) link;
};

struct inbox_queue {
	TAILQ_HEAD(unstored_list, unstored) list;
	unsigned count; /* INBOX_MEMORY_MAX at most */
};

void inbox_queue_init(struct inbox_queue *queue);
/* A copy at the end. False: there is no room, or no memory. */
bool inbox_queue_put(struct inbox_queue *queue, const struct incoming_draft *draft,
		     const struct sim_facts *card);
/* Frees the oldest one. */
void inbox_queue_drop(struct inbox_queue *queue);

#endif
