/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fleet errors: what a link answers itself, in place of its gateway, as a JSON-RPC error:
 *
 *   {"jsonrpc":"2.0","id":ID,"error":{"code":-32010,"message":"...",
 *    "data":{"error":"gateway_away","may_have_run":false}}}
 *
 * `may_have_run` false: the gateway certainly did not see the request.
 */
#pragma once

enum { FLEET_ERROR_CODE = -32010 };

/* The gateway does not run, or cannot be reached: nothing was done. */
#define FLEET_ERROR_AWAY "gateway_away"
/* The gateway was reached, and its answer is missing or cut. */
#define FLEET_ERROR_SILENT "gateway_silent"
/* The gateway refuses the link's token, or its version of the protocol. */
#define FLEET_ERROR_REFUSED "gateway_refused"
/* The answer does not fit into a frame: ask for less. */
#define FLEET_ERROR_TOO_LARGE "answer_too_large"
/* The link has as many requests as it takes: nothing was done. */
#define FLEET_ERROR_BUSY "link_busy"
/* Not an MCP request: nothing was done. */
#define FLEET_ERROR_INVALID "invalid_request"
