/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 2025 family: 2025-11-25, 2025-06-18, 2025-03-26, and 2024-11-05 in initialize.
 *
 * A handshake opens it, but nothing is remembered between requests yet, so a client may
 * also skip the handshake, as the clients that this product began with do.
 */
#include "mcp/era.h"
#include "mcp/tool.h"

static const char *const versions[] = { "2025-11-25", "2025-06-18", "2025-03-26",
					"2024-11-05", NULL };

static void open_result(const struct request *request, struct json_writer *writer)
{
	(void)request;
	(void)writer; /* plain results: a client of this era refuses members it does not know */
}

static unsigned error_status(enum rpc_code code)
{
	switch (code) {
	case RPC_PARSE_ERROR:
	case RPC_INVALID_REQUEST:
	case RPC_REFUSED:
		return 400;
	case RPC_METHOD_NOT_FOUND:
	case RPC_INVALID_PARAMS:
	case RPC_INTERNAL_ERROR:
		return 200;
	}
	return 200;
}

static void write_capabilities(struct json_writer *writer)
{
	json_key(writer, "capabilities");
	json_open_object(writer);
	json_key(writer, "tools");
	json_open_object(writer);
	json_put_boolean(writer, "listChanged", false);
	json_close_object(writer);
	json_close_object(writer);
}

static void write_server(struct json_writer *writer)
{
	json_key(writer, "serverInfo");
	json_open_object(writer);
	json_put_string(writer, "name", "ofono-mcp");
	json_put_string(writer, "title", "Phone (SMS through oFono)");
	json_put_string(writer, "version", OFONO_MCP_VERSION);
	json_close_object(writer);
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
	json_put_string(writer, "protocolVersion", era_negotiate(request->era, asked));
	write_capabilities(writer);
	write_server(writer);
	json_put_string(
		writer, "instructions",
		"Sends text messages (SMS) from the SIM cards of this phone. Each "
		"one costs the owner money and cannot be recalled. When several SIMs "
		"can send, get_sms_subscriptions tells their subscription_id.");
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
	{ NULL, NULL },
};

const struct era era_2025 = {
	.name = "2025",
	.versions = versions,
	.methods = methods,
	.open_result = open_result,
	.error_status = error_status,
};
