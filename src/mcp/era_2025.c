/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 2025 family: 2025-11-25, 2025-06-18, 2025-03-26, and 2024-11-05 in initialize.
 *
 * A handshake opens it and begins a session. A client may also skip the handshake, as the
 * clients that this product began with do, or forget the session: then it is served without
 * one, but for what needs one.
 */
#include <errno.h>
#include <string.h>

#include "mcp/ask.h"
#include "mcp/cancellation.h"
#include "mcp/elicitation.h"
#include "mcp/endpoint.h"
#include "mcp/era.h"
#include "mcp/introduction.h"
#include "mcp/resource.h"
#include "mcp/tool.h"

static const struct revision revisions[] = {
	{ "2025-11-25", .resumes = true, .form = ASK_FORM_TITLES },
	{ "2025-06-18", .form = ASK_FORM_NAMES },
	{ "2025-03-26", .batches = true },
	{ "2024-11-05" },
	{ NULL },
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

static unsigned read_capabilities(const struct request *request)
{
	const struct json *capabilities =
		json_member(request->message.params, "capabilities");
	const struct json *elicitation = json_member(capabilities, "elicitation");
	unsigned known = 0;

	if (ask_is_declared(capabilities))
		known |= SESSION_ELICITS_FORMS;
	if (json_member(elicitation, "url"))
		known |= SESSION_ELICITS_URLS;
	return known;
}

/* Without memory for one the client is served without: it may also forget it. */
static void begin_session(struct request *request, const char *revision)
{
	const struct session *session = session_begin(
		endpoint_sessions(request->endpoint), exchange_client(request->exchange),
		revision, read_capabilities(request));

	if (session)
		exchange_add_header(request->exchange, "Mcp-Session-Id", session->id);
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
	begin_session(request, negotiate(asked));
	writer = request_open_result(request);
	if (!writer)
		return;
	json_put_string(writer, "protocolVersion", negotiate(asked));
	introduction_put_capabilities(writer, NULL);
	introduction_put_server(writer, "serverInfo");
	introduction_put_instructions(writer);
	request_close_result(request);
}

static void run_nothing(struct request *request)
{
	if (request_open_result(request))
		request_close_result(request);
}

/* Subscriptions to resources */

/* NULL: it has none, and has been answered. */
static struct session *need_session(struct request *request)
{
	struct session *session = request_session(request);

	if (!session)
		request_fail(request, RPC_REFUSED,
			     "Subscriptions belong to a session: begin one with "
			     "initialize and send its Mcp-Session-Id");
	return session;
}

static void run_subscribe(struct request *request)
{
	struct session *session = need_session(request);
	struct resource_call call;
	int error;

	if (!session || !resource_of_request(request, &call))
		return;
	error = session_subscribe(
		session, json_string(json_member(request->message.params, "uri")),
		call.subject);
	if (error)
		request_fail(request, error == -ENOSPC ? RPC_REFUSED : RPC_INTERNAL_ERROR,
			     error == -ENOSPC
				     ? "This session has 32 subscriptions, no more are "
				       "kept: unsubscribe from some"
				     : "out of memory: try again later");
	else
		run_nothing(request);
}

static void run_unsubscribe(struct request *request)
{
	const char *uri = json_string(json_member(request->message.params, "uri"));
	struct session *session = need_session(request);

	if (!session)
		return;
	if (!uri) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.uri must be what was subscribed to");
		return;
	}
	session_unsubscribe(session, uri);
	run_nothing(request);
}

/* What is no notification of these needs nothing but to be taken. */
static void hear(struct request *message)
{
	if (message->message.kind == RPC_RESPONSE)
		elicitation_hear(message);
	else if (strcmp(message->message.method, "notifications/cancelled") == 0)
		cancellation_hear(message);
}

static const struct method methods[] = {
	{ "initialize", run_initialize },
	{ "ping", run_nothing },
	{ "tools/list", tool_run_list },
	{ "tools/call", tool_run_call },
	{ "resources/list", resource_run_list },
	{ "resources/templates/list", resource_run_list_templates },
	{ "resources/read", resource_run_read },
	{ "resources/subscribe", run_subscribe },
	{ "resources/unsubscribe", run_unsubscribe },
	{ "completion/complete", resource_run_complete },
	{ NULL, NULL },
};

const struct era era_2025 = {
	.name = "2025",
	.revisions = revisions,
	.methods = methods,
	.open_result = open_result,
	.asking = &elicitation_front,
	.hear = hear,
	.resource_not_found = RPC_RESOURCE_NOT_FOUND,
	.missing_capability = RPC_REFUSED,
	.error_status = error_status,
};
