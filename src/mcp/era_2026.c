/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 2026 family: 2026-07-28.
 *
 * There is no handshake and no session. Each request describes itself in params._meta
 * and, for proxies, again in headers; both must agree. A client that closes the
 * connection cancels its request. Results say whether they are complete, who made them
 * and how long they may be cached.
 *
 * Source: MCP 2026-07-28, basic/index, basic/transports/streamable-http, server/discover,
 * server/utilities/caching.
 */
#include <string.h>

#include "mcp/elicitation_call.h"
#include "mcp/era.h"
#include "mcp/event.h"
#include "mcp/rpc.h"
#include "mcp/task.h"
#include "mcp/tool.h"

/* The types of the members of _meta */

static bool era_2026_is_string(const struct json *value)
{
	return value->type == JSON_STRING;
}

static bool era_2026_is_object(const struct json *value)
{
	return value->type == JSON_OBJECT;
}

/* Unknown capabilities may have any type. */
static bool era_2026_is_capabilities(const struct json *value)
{
	static const char *const known[] = { "experimental", "roots", "sampling",
					     "elicitation", "extensions" };

	if (!era_2026_is_object(value))
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct json *capability = json_member(value, known[i]);

		if (capability && !era_2026_is_object(capability))
			return false;
	}
	return true;
}

static bool era_2026_is_client_info(const struct json *value)
{
	return json_string(json_member(value, "name")) &&
	       json_string(json_member(value, "version"));
}

static bool era_2026_is_log_level(const struct json *value)
{
	static const char *const levels[] = {
		"debug", "info",     "notice", "warning",
		"error", "critical", "alert",  "emergency"
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (era_2026_is_string(value) && strcmp(value->text, levels[i]) == 0)
			return true;
	return false;
}

static const struct {
	const char *name;
	bool required;
	bool (*fits)(const struct json *value);
	const char *expected;
} era_2026_members[] = {
	{ RPC_META_PREFIX "protocolVersion", true, era_2026_is_string, "a string" },
	{ RPC_META_PREFIX "clientCapabilities", true, era_2026_is_capabilities,
	  "an object of objects" },
	{ RPC_META_PREFIX "clientInfo", false, era_2026_is_client_info,
	  "an object with the strings name and version" },
	{ RPC_META_PREFIX "logLevel", false, era_2026_is_log_level, "a log level" },
	{ "progressToken", false, rpc_is_id, "a string or an integer" },
};

enum { ERA_2026_MEMBERS = sizeof(era_2026_members) / sizeof(era_2026_members[0]) };

/* Returns false if *text_out names a member of the wrong type, or all missing ones. */
static bool era_2026_check_meta(struct request *request, const char **text_out)
{
	const char *missing = NULL;

	for (size_t i = 0; i < ERA_2026_MEMBERS; i++) {
		const struct json *value =
			rpc_meta(&request->message, era_2026_members[i].name);

		if (value && !era_2026_members[i].fits(value)) {
			*text_out = arena_printf(
				request->arena, "params._meta: \"%s\" must be %s",
				era_2026_members[i].name, era_2026_members[i].expected);
			return false;
		}
		if (!value && era_2026_members[i].required)
			missing = arena_printf(request->arena, "%s \"%s\"",
					       missing ? missing : "params._meta lacks",
					       era_2026_members[i].name);
	}
	*text_out = missing;
	return !missing;
}

/*
 * `expected` is the value in the body; if it is NULL, there is none, and the header must be absent
 * as well.
 */
static bool era_2026_check_header(struct request *request, const char *name,
				  const char *expected, const char **text_out)
{
	bool conflict = false;
	const char *value = exchange_header(request->exchange, name, &conflict);

	if (!value && !expected)
		return true;
	if (!value)
		*text_out =
			arena_printf(request->arena, "the header %s is missing", name);
	else if (conflict)
		*text_out = arena_printf(
			request->arena, "%s is given twice, with different values", name);
	else if (!expected || !rpc_header_is(request->arena, value, expected))
		*text_out = arena_printf(request->arena,
					 "the header %s differs from the body", name);
	else
		return true;
	return false;
}

/* era_decide() has already checked that it equals the version of the body. */
static bool era_2026_has_version_header(struct request *request, const char **text_out)
{
	if (exchange_header(request->exchange, "MCP-Protocol-Version", &(bool){ false }))
		return true;
	*text_out = "the header MCP-Protocol-Version is missing";
	return false;
}

static bool era_2026_check_headers(struct request *request, const char **text_out)
{
	const struct rpc_message *message = &request->message;
	const char *parameter = request->method ? request->method->name_parameter : NULL;

	return era_2026_has_version_header(request, text_out) &&
	       era_2026_check_header(request, "Mcp-Method", message->method, text_out) &&
	       (!parameter ||
		era_2026_check_header(
			request, "Mcp-Name",
			json_string(json_member(message->params, parameter)), text_out));
}

static bool era_2026_admit(struct request *request)
{
	struct rpc_error error = { .code = RPC_INVALID_PARAMS };

	if (era_2026_check_meta(request, &error.text)) {
		error.code = RPC_HEADER_MISMATCH;
		if (era_2026_check_headers(request, &error.text))
			return true;
	}
	request_refuse(request, 400, &error);
	return false;
}

enum {
	MINUTE_MS = 60 * 1000,
	LIST_TTL_MS = 5 * MINUTE_MS,
	DISCOVER_TTL_MS = 60 * MINUTE_MS,
};

static void era_2026_put_meta(struct json_writer *writer, const struct request *request)
{
	json_open_object_at(writer, "_meta");
	server_info_write_implementation(writer, RPC_META_PREFIX "serverInfo");
	if (request->subscription_id)
		rpc_write_id(writer, RPC_META_PREFIX "subscriptionId",
			     request->subscription_id);
	json_close_object(writer);
}

static void era_2026_open_result(const struct request *request,
				 struct json_writer *writer)
{
	const struct era_method *method = request->method;

	json_put_string(writer, "resultType",
			request->result_type ? request->result_type : "complete");
	era_2026_put_meta(writer, request);
	if (!method->cache_scope || request->result_type)
		return;
	json_put_integer(writer, "ttlMs", method->ttl_ms);
	json_put_string(writer, "cacheScope", method->cache_scope);
}

static void era_2026_run_discover(struct request *request)
{
	struct json_writer *writer = request_open_result(request);

	if (!writer)
		return;
	json_key(writer, "supportedVersions");
	revision_write_names(revision_family_2026, writer);
	server_info_write_capabilities(writer,
				       request->context->tasks ? TASK_EXTENSION : NULL,
				       request->context->events != NULL);
	server_info_write_instructions(writer, request);
	request_close_result(request);
}

/* Lists and instructions depend on the client's scopes, so they are private. */
static const struct era_method era_2026_methods[] = {
	{ "server/discover", era_2026_run_discover, .cache_scope = "private",
	  .ttl_ms = DISCOVER_TTL_MS },
	{ "tools/list", tool_run_list, .cache_scope = "private", .ttl_ms = LIST_TTL_MS },
	{ "tools/call", tool_run_call, .name_parameter = "name" },
	{ "resources/list", resource_methods_run_list, .cache_scope = "private",
	  .ttl_ms = LIST_TTL_MS },
	{ "resources/templates/list", resource_methods_run_list_templates,
	  .cache_scope = "private", .ttl_ms = LIST_TTL_MS },
	{ "resources/read", resource_methods_run_read, .name_parameter = "uri",
	  .cache_scope = "private" },
	{ "completion/complete", resource_methods_run_complete },
	{ "subscriptions/listen", listen_run },
	{ "tasks/get", task_run_get, .name_parameter = "taskId" },
	{ "tasks/update", task_run_update, .name_parameter = "taskId" },
	{ "tasks/cancel", task_run_cancel, .name_parameter = "taskId" },
	{ "events/list", event_methods_run_list },
	{ "events/poll", event_methods_run_poll },
	{ "events/stream", event_stream_run },
	{ "events/subscribe", event_subscribe_run },
	{ "events/unsubscribe", event_subscribe_run_end },
	{ NULL, NULL },
};

const struct era era_2026 = {
	.methods = era_2026_methods,
	.leaving_cancels = true,
	.admit = era_2026_admit,
	.has_extensions = true,
	.open_result = era_2026_open_result,
	.elicitation = &elicitation_2026_transport,
	.resource_not_found = RPC_INVALID_PARAMS,
	.errors_have_status = true,
};
