/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Header value: what an MCP header says, as proxies and browsers leave it.
 *
 * Blanks around it and equal lines are gone already (exchange_header).
 * Source: MCP 2026-07-28, basic/transports/streamable-http, "Standard Request Headers".
 */
#ifndef MCP_HEADER_VALUE_H
#define MCP_HEADER_VALUE_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * "a, a" is "a" again: a proxy joined two equal lines. For MCP-Protocol-Version alone,
 * which clients and their proxies both set.
 */
const char *header_value_collapse(struct arena *arena, const char *value);

/* `value` is `text` and nothing more, as it is or in base64: =?base64?UTF-8 in base64?= */
bool header_value_is(struct arena *arena, const char *value, const char *text);

/* With "?" for every character that no header value may have: comparable, and UTF-8. */
const char *header_value_plain(struct arena *arena, const char *value);

#endif
