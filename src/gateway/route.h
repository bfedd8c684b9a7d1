/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Route: the HTTP handlers of the paths beside /mcp.
 *
 * The gates of /mcp protect these paths too (http/gate.h).  A public path answers anybody who
 * reaches the port, so it reveals nothing that a stranger may not know.
 */
#ifndef GATEWAY_ROUTE_H
#define GATEWAY_ROUTE_H

#include "http/exchange.h"

extern const struct exchange_handler route_console_handler;
extern const struct exchange_handler route_health_handler, route_live_handler,
	route_ready_handler;
extern const struct exchange_handler route_card_handler;
extern const struct exchange_handler metric_table_handler;

/*
 * Adds headers, before the answer, that keep other sites from embedding it: a page could
 * otherwise learn whether it loaded, and so that there is a gateway and its state
 * (tests/integration/test_browser.py::test_a_page_cannot_detect_the_gateway).
 */
void route_isolate(struct exchange *exchange);

#endif
