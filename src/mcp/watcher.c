/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/watcher.h"

static unsigned count_of(const struct watcher_list *list, int64_t client_id)
{
	const struct watcher *watcher;
	unsigned count = 0;

	LIST_FOREACH (watcher, list, link)
		count += watcher->client_id == client_id;
	return count;
}

bool watcher_open(struct watcher *watcher, struct watcher_list *list,
		  struct exchange *exchange)
{
	int64_t client_id = exchange_client(exchange)->id;

	if (client_id && count_of(list, client_id) >= WATCHERS_PER_CLIENT)
		return false;
	watcher->stream = exchange_stream(exchange);
	if (!watcher->stream)
		return false;
	watcher->client_id = client_id;
	LIST_INSERT_HEAD(list, watcher, link);
	return true;
}

void watcher_close(struct watcher *watcher)
{
	if (!watcher->stream)
		return;
	LIST_REMOVE(watcher, link);
	watcher->stream = NULL;
}
