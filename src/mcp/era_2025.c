/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 2025 family: 2025-11-25, 2025-06-18, 2025-03-26, and the initialize of 2024-11-05.
 *
 * initialize begins a session. A client may also skip it, or lose the session: then it is
 * served without one, except by methods that need a session.
 *
 * Source: MCP 2025-11-25, basic/lifecycle, basic/utilities/cancellation,
 * server/resources.
 */
#include <errno.h>
#include <string.h>

#include "mcp/elicitation.h"
#include "mcp/elicitation_call.h"
#include "mcp/era.h"
#include "mcp/session.h"
#include "mcp/tool.h"

/* Returns the requested revision if it is served, else the newest: no client is refused. */
static const char *era_2025_negotiate(const char *asked)
{
	const struct revision *revision = revision_find(revision_family_2025, asked);

	return revision ? revision->name : revision_family_2025[0].name;
}

static unsigned era_2025_read_capabilities(const struct request *request)
{
	const struct json *capabilities =
		json_member(request->message.params, "capabilities");
	const struct json *elicitation = json_member(capabilities, "elicitation");
	unsigned known = 0;

	if (elicitation_is_declared(capabilities))
		known |= SESSION_ELICITS_FORMS;
	if (json_member(elicitation, "url"))
		known |= SESSION_ELICITS_URLS;
	return known;
}

/* Without memory the client gets no session: it does not depend on one. */
static void era_2025_begin_session(struct request *request, const char *revision)
{
	const struct session *session = session_begin(
		request->context->sessions, exchange_client(request->exchange), revision,
		era_2025_read_capabilities(request));

	if (session)
		exchange_add_header(request->exchange, "Mcp-Session-Id", session->id);
}

static void era_2025_run_initialize(struct request *request)
{
	const char *asked =
		json_string(json_member(request->message.params, "protocolVersion"));
	struct json_writer *writer;

	if (!asked) {
		request_fail(
			request, RPC_INVALID_PARAMS,
			"initialize needs params.protocolVersion, for example \"2025-11-25\"");
		return;
	}
	era_2025_begin_session(request, era_2025_negotiate(asked));
	writer = request_open_result(request);
	if (!writer)
		return;
	json_put_string(writer, "protocolVersion", era_2025_negotiate(asked));
	server_info_write_capabilities(writer, NULL, false);
	server_info_write_implementation(writer, "serverInfo");
	server_info_write_instructions(writer, request);
	request_close_result(request);
}

/* Subscriptions to resources */

/* Returns NULL if there is no session; then the request has been answered. */
static struct session *era_2025_need_session(struct request *request)
{
	struct session *session = session_of_request(request);

	if (!session)
		request_fail(request, RPC_REFUSED,
			     "Subscriptions belong to a session: begin one with "
			     "initialize and send its Mcp-Session-Id");
	return session;
}

static void era_2025_run_subscribe(struct request *request)
{
	struct session *session = era_2025_need_session(request);
	struct resource_call call;
	int error;

	if (!session || !resource_methods_find(request, &call))
		return;
	error = session_subscribe(
		session, json_string(json_member(request->message.params, "uri")),
		call.subject);
	if (error)
		request_fail(request, error == -ENOSPC ? RPC_REFUSED : RPC_INTERNAL_ERROR,
			     error == -ENOSPC ? "This session has the maximum of 32 "
						"subscriptions: unsubscribe from some"
					      : "out of memory: try again later");
	else
		request_acknowledge(request);
}

static void era_2025_run_unsubscribe(struct request *request)
{
	const char *uri = json_string(json_member(request->message.params, "uri"));
	struct session *session = era_2025_need_session(request);

	if (!session)
		return;
	if (!uri) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.uri must be the URI of a subscription");
		return;
	}
	session_unsubscribe(session, uri);
	request_acknowledge(request);
}

/* IDs are equal if type and text are: 1 is not "1". */
static bool era_2025_is_same_id(const struct json *one, const struct json *other)
{
	return one->type == other->type && one->length == other->length &&
	       memcmp(one->text, other->text, one->length) == 0;
}

/*
 * notifications/cancelled ends a waiting request of the same session with the same token;
 * IDs of clients without a session are ambiguous. The request gets no answer, and its
 * POST ends without one.
 */
static void era_2025_cancel(struct request *notification)
{
	const struct session *session = session_of_request(notification);
	const struct json *id = json_member(notification->message.params, "requestId");
	struct request *request;

	if (!session || !id || (id->type != JSON_STRING && id->type != JSON_NUMBER))
		return;
	LIST_FOREACH (request, notification->context->cancellable, link) {
		if (strcmp(request->session_id, session->id) != 0 ||
		    !era_2025_is_same_id(request->message.id, id))
			continue;
		request_cancel(request);
		return;
	}
}

/* Other notifications need no action. */
static void era_2025_receive(struct request *message)
{
	if (message->message.kind == RPC_RESPONSE)
		elicitation_2025_receive(message);
	else if (strcmp(message->message.method, "notifications/cancelled") == 0)
		era_2025_cancel(message);
}

static const struct era_method era_2025_methods[] = {
	{ "initialize", era_2025_run_initialize },
	{ "ping", request_acknowledge },
	{ "tools/list", tool_run_list },
	{ "tools/call", tool_run_call },
	{ "resources/list", resource_methods_run_list },
	{ "resources/templates/list", resource_methods_run_list_templates },
	{ "resources/read", resource_methods_run_read },
	{ "resources/subscribe", era_2025_run_subscribe },
	{ "resources/unsubscribe", era_2025_run_unsubscribe },
	{ "completion/complete", resource_methods_run_complete },
	{ NULL, NULL },
};

const struct era era_2025 = {
	.methods = era_2025_methods,
	.elicitation = &elicitation_2025_transport,
	.receive = era_2025_receive,
	.resource_not_found = RPC_RESOURCE_NOT_FOUND,
};
