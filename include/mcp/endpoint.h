/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Endpoint: MCP's one URL, and what all requests to it have in common.
 */
#ifndef MCP_ENDPOINT_H
#define MCP_ENDPOINT_H

#include "http/server.h"
#include "mcp/tool.h"

struct endpoint;

/* `tools` ends with NULL and, like `services`, outlives the endpoint. NULL: no memory. */
struct endpoint *endpoint_new(const struct tool *const *tools, void *services);
void endpoint_free(struct endpoint *endpoint); /* NULL is fine */

extern const struct exchange_handler endpoint_handler; /* its data is the endpoint */
/* A gate's refusal as a JSON-RPC error without an id. */
void endpoint_refusal(struct buffer *body, unsigned status, const char *text);

/* For methods */
const struct tool *const *endpoint_tools(const struct endpoint *endpoint);
void *endpoint_services(const struct endpoint *endpoint);
/* The tools/list array, written once. */
const struct buffer *endpoint_tool_list(const struct endpoint *endpoint);

#endif
