/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/web_route.h"
#include "config/config.h"

static bool trusts_loopback(const struct config *config)
{
	return config->metrics_on_loopback;
}

const struct http_route web_route_table[] = {
	{ .path = "/",
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &console_page_handler },
	{ .path = "/healthz",
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &healthz_handler },
	{ .path = "/healthz/live",
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &healthz_live_handler },
	{ .path = "/healthz/ready",
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &healthz_ready_handler },
	{ .path = "/metrics",
	  .methods = HTTP_GET,
	  .scopes = CLIENT_METRICS,
	  .trusts_loopback = trusts_loopback,
	  .handler = &metrics_handler },
	{ .path = "/mcp/server-card",
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &server_card_handler },
	{ .path = "/.well-known/mcp/server-card.json", /* where older drafts have it */
	  .methods = HTTP_GET,
	  .public = true,
	  .handler = &server_card_handler },
	{ .path = NULL },
};

_Static_assert(sizeof(web_route_table) / sizeof(web_route_table[0]) <= WEB_ROUTES_MAX + 1,
	       "WEB_ROUTES_MAX is too small");

void web_routes_put(struct http_route *routes, struct web *web)
{
	const struct http_route *row = web_route_table;

	for (; row->path; row++, routes++) {
		*routes = *row;
		routes->data = web;
	}
	*routes = *row;
}
