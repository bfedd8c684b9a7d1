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
	unsigned scopes;       /* its client's, by now */
	struct stream *stream; /* NULL: not open */
	LIST_ENTRY(watcher) link;
};

/* May this client have one more? */
bool watcher_is_allowed(const struct watcher_list *list, const struct exchange *exchange);
/* `stream` is the answer of the exchange. */
void watcher_open(struct watcher *watcher, struct watcher_list *list,
		  const struct exchange *exchange, struct stream *stream);
void watcher_close(struct watcher *watcher); /* fine when not open */

#endif
