/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event subscribe: how events are written for webhooks (webhook/webhook.h).
 */
#pragma once

#include "webhook/webhook.h"

struct event_type;
struct services;

struct event_subscribe_words {
	const struct event_type *const *types; /* ends with NULL */
	struct services *services;
	int64_t epoch; /* of the feed */
	/* filled by event_subscribe_init_words(): */
	struct webhook_source source;
};

/* The other members are set before. It must not move afterwards. */
void event_subscribe_init_words(struct event_subscribe_words *webhook);
