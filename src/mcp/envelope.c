/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/envelope.h"

#include <string.h>

#include "mcp/era.h"
#include "mcp/header_value.h"

static const struct json *meta_of(const struct rpc_message *message)
{
	return json_member(message->params, "_meta");
}

const struct json *envelope_version(const struct rpc_message *message)
{
	return json_member(meta_of(message), ENVELOPE_PREFIX "protocolVersion");
}

const struct json *envelope_capabilities(const struct rpc_message *message)
{
	return json_member(meta_of(message), ENVELOPE_PREFIX "clientCapabilities");
}

bool envelope_declares(const struct request *request, const char *extension)
{
	const struct json *capabilities = envelope_capabilities(&request->message);
	const struct json *settings =
		json_member(json_member(capabilities, "extensions"), extension);

	return settings && settings->type == JSON_OBJECT;
}

/* The types of its members */

static bool is_string(const struct json *value)
{
	return value->type == JSON_STRING;
}

static bool is_object(const struct json *value)
{
	return value->type == JSON_OBJECT;
}

/* Members of next year's may be anything. */
static bool is_capabilities(const struct json *value)
{
	static const char *const known[] = { "experimental", "roots", "sampling",
					     "elicitation", "extensions" };

	if (!is_object(value))
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct json *capability = json_member(value, known[i]);

		if (capability && !is_object(capability))
			return false;
	}
	return true;
}

static bool is_client_info(const struct json *value)
{
	return json_string(json_member(value, "name")) &&
	       json_string(json_member(value, "version"));
}

static bool is_log_level(const struct json *value)
{
	static const char *const levels[] = {
		"debug", "info",     "notice", "warning",
		"error", "critical", "alert",  "emergency"
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (is_string(value) && strcmp(value->text, levels[i]) == 0)
			return true;
	return false;
}

static bool is_token(const struct json *value)
{
	return is_string(value) ||
	       (value->type == JSON_NUMBER && !strpbrk(value->text, ".eE"));
}

static const struct {
	const char *name;
	bool required;
	bool (*fits)(const struct json *value);
	const char *expected;
} members[] = {
	{ ENVELOPE_PREFIX "protocolVersion", true, is_string, "a string" },
	{ ENVELOPE_PREFIX "clientCapabilities", true, is_capabilities,
	  "an object of objects" },
	{ ENVELOPE_PREFIX "clientInfo", false, is_client_info,
	  "an object with the strings name and version" },
	{ ENVELOPE_PREFIX "logLevel", false, is_log_level, "a level of logging" },
	{ "progressToken", false, is_token, "a string or an integer" },
};

enum { MEMBER_COUNT = sizeof(members) / sizeof(members[0]) };

/* False: `text_out` says what is missing, all of it at once, or of the wrong type. */
static bool members_fit(struct request *request, const char **text_out)
{
	const struct json *meta = meta_of(&request->message);
	const char *missing = NULL;

	for (size_t i = 0; i < MEMBER_COUNT; i++) {
		const struct json *value = json_member(meta, members[i].name);

		if (value && !members[i].fits(value)) {
			*text_out = arena_printf(request->arena,
						 "params._meta: \"%s\" must be %s",
						 members[i].name, members[i].expected);
			return false;
		}
		if (!value && members[i].required)
			missing = arena_printf(request->arena, "%s \"%s\"",
					       missing ? missing : "params._meta lacks",
					       members[i].name);
	}
	*text_out = missing;
	return !missing;
}

/* `expected`: what the body says; NULL: nothing that a header could repeat. */
static bool header_agrees(struct request *request, const char *name, const char *expected,
			  const char **text_out)
{
	bool conflict = false;
	const char *value = exchange_header(request->exchange, name, &conflict);

	if (!value && !expected)
		return true;
	if (!value)
		*text_out =
			arena_printf(request->arena, "the header %s is missing", name);
	else if (conflict)
		*text_out = arena_printf(request->arena,
					 "%s stands twice with different values", name);
	else if (!expected || !header_value_is(request->arena, value, expected))
		*text_out = arena_printf(request->arena,
					 "the header %s is not what the body says", name);
	else
		return true;
	return false;
}

/* A version that differs, the ladder has refused (era.c). */
static bool version_is_there(struct request *request, const char **text_out)
{
	if (exchange_header(request->exchange, "MCP-Protocol-Version", &(bool){ false }))
		return true;
	*text_out = "the header MCP-Protocol-Version is missing";
	return false;
}

static bool headers_agree(struct request *request, const char **text_out)
{
	const struct rpc_message *message = &request->message;
	const char *parameter = request->method ? request->method->name_parameter : NULL;

	return version_is_there(request, text_out) &&
	       header_agrees(request, "Mcp-Method", message->method, text_out) &&
	       (!parameter ||
		header_agrees(request, "Mcp-Name",
			      json_string(json_member(message->params, parameter)),
			      text_out));
}

bool envelope_admit(struct request *request)
{
	struct rpc_error error = { .code = RPC_INVALID_PARAMS };

	if (members_fit(request, &error.text)) {
		error.code = RPC_HEADER_MISMATCH;
		if (headers_agree(request, &error.text))
			return true;
	}
	request_refuse(request, &error);
	return false;
}
