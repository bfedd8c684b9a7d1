/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listen: subscriptions/listen, a request whose answer is a stream of changes.
 *
 * First comes what was honoured of what was asked for; from before that on nothing is missed. A
 * task is told of as it is, at once and at each change. Every message carries the request's id.
 * A client that leaves has ended it; when the gateway stops, the result comes last. What the
 * client missed while it was away it reads again: there is nothing to resume.
 *
 * Source: MCP 2026-07-28, basic/patterns/subscriptions.
 */
#ifndef MCP_LISTEN_H
#define MCP_LISTEN_H

#include "mcp/request.h"

enum { LISTEN_URIS_MAX = 64 }; /* of one request; and so many tasks */

/* subscriptions/listen */
void listen_run(struct request *request);

#endif
