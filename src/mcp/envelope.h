/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Envelope: what each request of 2026-07-28 says of itself, in params._meta and again, for
 * proxies, in headers.
 *
 * Source: MCP 2026-07-28, basic/index, "_meta"; basic/transports/streamable-http.
 */
#ifndef MCP_ENVELOPE_H
#define MCP_ENVELOPE_H

#include "mcp/request.h"

/* what MCP calls its members of _meta */
#define ENVELOPE_PREFIX "io.modelcontextprotocol/"

/* The protocolVersion of params._meta, of whatever type; NULL: it has none. */
const struct json *envelope_version(const struct rpc_message *message);

/* The clientCapabilities of params._meta; NULL: it has none. */
const struct json *envelope_capabilities(const struct rpc_message *message);
/* For struct era: does the request's clientCapabilities have this extension? */
bool envelope_declares(const struct request *request, const char *extension);

/*
 * For struct era: whether envelope and headers are whole and agree. That the version of
 * both is one that is served, era_decide() has seen.
 */
bool envelope_admit(struct request *request);

#endif
