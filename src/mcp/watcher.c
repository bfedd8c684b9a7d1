/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/watcher.h"

bool watcher_is_allowed(const struct watcher_list *list, const struct exchange *exchange)
{
	int64_t client_id = exchange_client(exchange)->id;
	const struct watcher *watcher;
	unsigned count = 0;

	LIST_FOREACH (watcher, list, link)
		count += watcher->client_id == client_id;
	return !client_id || count < WATCHERS_PER_CLIENT;
}

void watcher_open(struct watcher *watcher, struct watcher_list *list,
		  const struct exchange *exchange, struct stream *stream)
{
	watcher->client_id = exchange_client(exchange)->id;
	watcher->scopes = exchange_client(exchange)->scopes;
	watcher->stream = stream;
	LIST_INSERT_HEAD(list, watcher, link);
}

void watcher_close(struct watcher *watcher)
{
	if (!watcher->stream)
		return;
	LIST_REMOVE(watcher, link);
	watcher->stream = NULL;
}
