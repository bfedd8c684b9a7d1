/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change source: what happens to messages, calls, alerts and SIMs, told as resources that changed.
 *
 * Costs nothing while nobody listens, but that changes are counted.
 */
#ifndef TOOLS_CHANGE_SOURCE_H
#define TOOLS_CHANGE_SOURCE_H

#include "base/observer.h"
#include "tools/services.h"

struct change_source {
	const struct services *services;
	int64_t count; /* of changes; begins with the clock, so as to go on over a restart */
	uint64_t modems;	    /* modem_facts_sum() when it was last told */
	unsigned waiting;	    /* outbox_waiting() */
	struct observers observers; /* of struct change */
	struct observer inbox, calls, placed, alerts, outbox, sims, ofono, policy;
};

/* `services` are complete, and outlive it. */
void change_source_init(struct change_source *source, const struct services *services);
void change_source_deinit(struct change_source *source); /* fine when never begun */

/* Another number after each change; 0 for NULL. */
int64_t change_source_count(const struct change_source *source);

/* Messages were marked as read. NULL is fine. */
void change_source_read(struct change_source *source, const int64_t *message_ids,
			size_t count);

#endif
