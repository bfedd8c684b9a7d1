/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hooks: the webhooks of the gateway that runs, with what they work with: libcurl on the loop, the
 * words of MCP, and news about the network.
 */
#pragma once

#include "http/network_interface.h"
#include "mcp/event_subscribe.h"
#include "tools/services.h"

/* All zero before hooks_open(). */
struct hooks {
	struct services *services;
	struct http_client *http;
	struct event_subscribe_words words;
	struct network_interface_watch watch;
};

/*
 * Sets services->webhooks. `types` ends with NULL. Call hooks_close() in either case. Returns 0 or
 * -errno.
 */
int hooks_open(struct hooks *hooks, struct services *services,
	       const struct event_type *const *types);
/* No request may wait for webhooks any more. */
void hooks_close(struct hooks *hooks);
