/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 2026 family: 2026-07-28.
 *
 * No handshake and no session: each request brings its envelope, nothing is remembered, and
 * a client that leaves has cancelled. Results say how complete they are, who made them and
 * how long they hold.
 *
 * Source: MCP 2026-07-28, basic/index, server/discover, server/utilities/caching.
 */
#include "mcp/envelope.h"
#include "mcp/era.h"
#include "mcp/input_required.h"
#include "mcp/introduction.h"
#include "mcp/listen.h"
#include "mcp/resource.h"
#include "mcp/tool.h"

enum {
	MINUTE_MS = 60 * 1000,
	LIST_TTL_MS = 5 * MINUTE_MS,
	DISCOVER_TTL_MS = 60 * MINUTE_MS,
};

static const struct revision revisions[] = {
	{ "2026-07-28", .form = ASK_FORM_TITLES },
	{ NULL },
};

static void put_meta(struct json_writer *writer, const struct request *request)
{
	json_key(writer, "_meta");
	json_open_object(writer);
	introduction_put_server(writer, ENVELOPE_PREFIX "serverInfo");
	if (request->subscription_id)
		rpc_put_id(writer, ENVELOPE_PREFIX "subscriptionId",
			   request->subscription_id);
	json_close_object(writer);
}

static void open_result(const struct request *request, struct json_writer *writer)
{
	const struct method *method = request->method;

	json_put_string(writer, "resultType",
			request->result_type ? request->result_type : "complete");
	put_meta(writer, request);
	if (!method->cache_scope || request->result_type)
		return;
	json_put_integer(writer, "ttlMs", method->ttl_ms);
	json_put_string(writer, "cacheScope", method->cache_scope);
}

static unsigned error_status(enum rpc_code code)
{
	switch (code) {
	case RPC_METHOD_NOT_FOUND:
	case RPC_SESSION_NOT_FOUND:
		return 404;
	case RPC_PARSE_ERROR:
	case RPC_INVALID_REQUEST:
	case RPC_REFUSED:
	case RPC_HEADER_MISMATCH:
	case RPC_MISSING_CAPABILITY:
	case RPC_UNSUPPORTED_VERSION:
		return 400;
	case RPC_INVALID_PARAMS:
	case RPC_RESOURCE_NOT_FOUND:
	case RPC_INTERNAL_ERROR:
		return 200;
	}
	return 200;
}

static void run_discover(struct request *request)
{
	struct json_writer *writer = request_open_result(request);

	if (!writer)
		return;
	json_key(writer, "supportedVersions");
	era_write_revisions(request->era, writer);
	introduction_put_capabilities(writer);
	introduction_put_instructions(writer);
	request_close_result(request);
}

/* Lists will differ from client to client: private. */
static const struct method methods[] = {
	{ "server/discover", run_discover, .cache_scope = "public",
	  .ttl_ms = DISCOVER_TTL_MS },
	{ "tools/list", tool_run_list, .cache_scope = "private", .ttl_ms = LIST_TTL_MS },
	{ "tools/call", tool_run_call, .name_parameter = "name" },
	{ "resources/list", resource_run_list, .cache_scope = "private",
	  .ttl_ms = LIST_TTL_MS },
	{ "resources/templates/list", resource_run_list_templates,
	  .cache_scope = "private", .ttl_ms = LIST_TTL_MS },
	{ "resources/read", resource_run_read, .name_parameter = "uri",
	  .cache_scope = "private" },
	{ "completion/complete", resource_run_complete },
	{ "subscriptions/listen", listen_run },
	{ NULL, NULL },
};

const struct era era_2026 = {
	.name = "2026",
	.revisions = revisions,
	.methods = methods,
	.leaving_cancels = true,
	.admit = envelope_admit,
	.open_result = open_result,
	.asking = &input_required_front,
	.resource_not_found = RPC_INVALID_PARAMS,
	.missing_capability = RPC_MISSING_CAPABILITY,
	.error_status = error_status,
};
