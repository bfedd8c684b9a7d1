/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Header value: what an MCP header says, as proxies and browsers leave it.
 *
 * exchange_header() has already removed surrounding spaces and repeated equal lines.
 * Source: MCP 2026-07-28, basic/transports/streamable-http, "Standard Request Headers".
 */
#ifndef MCP_HEADER_VALUE_H
#define MCP_HEADER_VALUE_H

#include <stdbool.h>

#include "base/arena.h"
#include "http/exchange.h"

/*
 * Turns "a, a" into "a": a proxy joined two equal lines. For MCP-Protocol-Version only,
 * which both clients and their proxies set.
 */
const char *header_value_collapse(struct arena *arena, const char *value);

/* Whether `value` equals `text`, plain or as =?base64?UTF-8 in base64?= */
bool header_value_is(struct arena *arena, const char *value, const char *text);

/* Replaces every character that is invalid in a header value with "?": comparable, and
 * UTF-8. */
const char *header_value_plain(struct arena *arena, const char *value);

/*
 * Whether the client accepts text/event-stream. Accept counts only where it excludes a
 * type; without the header every type is acceptable (RFC 9110 section 12.5.1).
 */
bool header_value_accepts_streams(struct exchange *exchange);

#endif
