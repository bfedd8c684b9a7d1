/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watcher: a client that holds a stream open to be told of changes. They are counted, so
 * that one client cannot take all streams for itself.
 */
#ifndef MCP_WATCHER_H
#define MCP_WATCHER_H

#include <sys/queue.h>

#include "http/exchange.h"

/* with one token; without tokens all are one client, and only http bounds them */
enum { WATCHERS_PER_CLIENT = 32 };

LIST_HEAD(watcher_list, watcher);

struct watcher { /* embedded in its owner; all zero: not open */
	int64_t client_id;
	struct stream *stream; /* NULL: not open */
	LIST_ENTRY(watcher) link;
};

/* False: there are too many, or no memory; the exchange is still to be answered. */
bool watcher_open(struct watcher *watcher, struct watcher_list *list,
		  struct exchange *exchange);
void watcher_close(struct watcher *watcher); /* fine when not open */

#endif
