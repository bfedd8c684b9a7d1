/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 2025 family: 2025-11-25, 2025-06-18, 2025-03-26, and 2024-11-05 in initialize.
 *
 * A handshake opens it, but nothing is remembered between requests yet, so a client may
 * also skip the handshake, as the clients that this product began with do.
 */
#include "mcp/era.h"
#include "mcp/introduction.h"
#include "mcp/resource.h"
#include "mcp/tool.h"

static const struct revision revisions[] = {
	{ "2025-11-25" }, { "2025-06-18" }, { "2025-03-26", .batches = true },
	{ "2024-11-05" }, { NULL },
};

static void open_result(const struct request *request, struct json_writer *writer)
{
	(void)request;
	(void)writer; /* plain results: a client of this era refuses members it does not know */
}

static unsigned error_status(enum rpc_code code)
{
	(void)code; /* the request was understood, whatever became of it */
	return 200;
}

/* The revision asked for when it is served, else the newest: nobody is turned away. */
static const char *negotiate(const char *asked)
{
	const struct revision *revision = era_find_revision(&era_2025, asked);

	return revision ? revision->name : revisions[0].name;
}

static void run_initialize(struct request *request)
{
	const char *asked =
		json_string(json_member(request->message.params, "protocolVersion"));
	struct json_writer *writer;

	if (!asked) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "initialize needs params.protocolVersion, for example "
			     "\"2025-11-25\"");
		return;
	}
	writer = request_open_result(request);
	if (!writer)
		return;
	json_put_string(writer, "protocolVersion", negotiate(asked));
	introduction_put_capabilities(writer);
	introduction_put_server(writer, "serverInfo");
	introduction_put_instructions(writer);
	request_close_result(request);
}

static void run_ping(struct request *request)
{
	if (request_open_result(request))
		request_close_result(request);
}

static const struct method methods[] = {
	{ "initialize", run_initialize },
	{ "ping", run_ping },
	{ "tools/list", tool_run_list },
	{ "tools/call", tool_run_call },
	{ "resources/list", resource_run_list },
	{ "resources/templates/list", resource_run_list_templates },
	{ "resources/read", resource_run_read },
	{ "completion/complete", resource_run_complete },
	{ NULL, NULL },
};

const struct era era_2025 = {
	.name = "2025",
	.revisions = revisions,
	.methods = methods,
	.open_result = open_result,
	.resource_not_found = RPC_RESOURCE_NOT_FOUND,
	.error_status = error_status,
};
