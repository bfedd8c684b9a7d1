/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Web routes: what stands at paths that are not MCP's, a row each and a file for each kind.
 *
 * The gates stand before them as before MCP (http/gate.h). A row that is public is for
 * whoever reaches the port: it tells nothing that a stranger may not know.
 */
#ifndef GATEWAY_WEB_ROUTE_H
#define GATEWAY_WEB_ROUTE_H

#include "gateway/metric_limits.h"
#include "http/http_server.h"
#include "mcp/endpoint.h"
#include "tools/services.h"

enum { WEB_ROUTES_MAX = 8 };

/* What the handlers get as their data; outlives the server. */
struct web {
	const struct services *services;
	const struct http_server *server;
	struct endpoint *endpoint;
	struct message_counters message_counters; /* of outbox and inbox */
	struct metric_limits limits;
};

/* Ends with a NULL path; `data` is filled in by web_routes_put(). */
extern const struct http_route web_route_table[];

/* The handlers of the table, each in a file of its name. */
extern const struct exchange_handler console_page_handler;
extern const struct exchange_handler healthz_handler, healthz_live_handler,
	healthz_ready_handler;
extern const struct exchange_handler metrics_handler;
extern const struct exchange_handler server_card_handler;

/*
 * Before the answer: no page of another site can put it into an element, and learn from that
 * whether it came, and so that there is a gateway, and how it is
 * (tests/integration/test_browser.py::test_a_page_cannot_tell_that_there_is_a_gateway).
 */
void web_keep_to_own_pages(struct exchange *exchange);

/*
 * Copies the rows, and the NULL path at their end, to `routes`, which has room for
 * WEB_ROUTES_MAX + 1.
 */
void web_routes_put(struct http_route *routes, struct web *web);

#endif
