/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/hooks.h"

#include <errno.h>

#include "base/log.h"
#include "http_client/http_client.h"
#include "store/store_feed.h"
#include "webhook/webhook.h"

static void hooks_on_network(void *data)
{
	const struct hooks *hooks = data;

	webhook_network_changed(hooks->services->webhooks);
}

/* Without the watch, a suspended delivery waits for its next attempt, an hour at most. */
static void hooks_watch_network(struct hooks *hooks)
{
	int error = network_interface_watch_init(&hooks->watch, hooks->services->loop,
						 hooks_on_network, hooks);

	if (error)
		log_warning("webhook: changes of the network go unnoticed: error %d",
			    -error);
}

int hooks_open(struct hooks *hooks, struct services *services,
	       const struct event_type *const *types)
{
	int error;

	hooks->services = services;
	hooks->words =
		(struct event_subscribe_words){ .types = types, .services = services };
	event_subscribe_init_words(&hooks->words);
	error = store_feed_epoch(services->store, &hooks->words.epoch);
	if (error)
		return error;
	hooks->http = http_client_new(services->loop);
	if (!hooks->http)
		return -ENOMEM;
	error = webhook_new(
		&(struct webhook_parts){
			.loop = services->loop,
			.config = services->config,
			.store = services->store,
			.http = hooks->http,
			.feed = &services->feed->observers,
			.source = &hooks->words.source,
		},
		&services->webhooks);
	if (!error)
		hooks_watch_network(hooks);
	return error;
}

void hooks_close(struct hooks *hooks)
{
	if (!hooks->services)
		return;
	network_interface_watch_deinit(&hooks->watch);
	webhook_free(hooks->services->webhooks);
	hooks->services->webhooks = NULL;
	http_client_free(hooks->http);
}
