/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listen: subscriptions/listen, a request whose answer is a stream of changes.
 *
 * Source: MCP 2026-07-28, basic/patterns/subscriptions.
 */
#ifndef MCP_LISTEN_H
#define MCP_LISTEN_H

#include "mcp/request.h"

enum { LISTEN_URIS_MAX = 64 }; /* per request; and as many tasks */

void listen_run(struct request *request);

#endif
