/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a line of the client becomes: a call, the end of another one, or nothing. */
#include "bridge/bridge_private.h"

#include <errno.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/log.h"

static struct bridge_call *bridge_line_find(struct bridge *bridge, const struct json *id)
{
	struct bridge_call *call;

	LIST_FOREACH (call, &bridge->calls, link) {
		if (call->purpose != BRIDGE_CALL_REVIVAL && !call->is_answered &&
		    bridge_message_same_id(call->message.id, id))
			return call;
	}
	return NULL;
}

/*
 * In 2026-07-28 closing the request is what cancels it.  In the older ones the gateway has to be
 * told, unless it does not have the request yet. Returns true if nothing is left to send.
 */
static bool bridge_line_cancel(struct bridge *bridge,
			       const struct bridge_message *message)
{
	struct bridge_call *call = bridge_line_find(bridge, message->cancelled);

	if (!call)
		return message->version != NULL;
	if (call->purpose == BRIDGE_CALL_INITIALIZE)
		return true; /* the specification forbids it */
	if (!call->message.version && call->state == BRIDGE_CALL_OPEN) {
		call->is_answered = true; /* unless the gateway has answered already */
		return false;
	}
	bridge_call_free(call);
	return true;
}

static enum bridge_call_purpose bridge_line_judge(const struct bridge_message *message)
{
	if (message->kind != BRIDGE_REQUEST)
		return BRIDGE_CALL_LINE;
	if (message->version && (strcmp(message->method, "subscriptions/listen") == 0 ||
				 strcmp(message->method, "events/stream") == 0))
		return BRIDGE_CALL_LASTING;
	return !message->version && strcmp(message->method, "initialize") == 0
		       ? BRIDGE_CALL_INITIALIZE
		       : BRIDGE_CALL_LINE;
}

/* Sends it, or keeps it until there is a session. */
static void bridge_line_begin(struct bridge_call *call)
{
	struct bridge *bridge = call->bridge;
	struct bridge_session *session = &bridge->session;

	call->purpose = bridge_line_judge(&call->message);
	if (!call->message.version)
		bridge_session_note(bridge, call);
	if (call->purpose == BRIDGE_CALL_INITIALIZE)
		session->state = BRIDGE_SESSION_BEGINNING;
	else if (!call->message.version && (session->state == BRIDGE_SESSION_BEGINNING ||
					    session->state == BRIDGE_SESSION_REVIVING))
		return;
	bridge_call_open(call);
	bridge_session_listen(bridge);
}

/* A notification of 2026-07-28 has no meaning over HTTP. */
static bool bridge_line_is_needless(struct bridge *bridge,
				    const struct bridge_message *message)
{
	if (message->kind != BRIDGE_NOTIFICATION)
		return false;
	if (strcmp(message->method, "notifications/cancelled") == 0 &&
	    bridge_line_cancel(bridge, message))
		return true;
	return message->version != NULL;
}

static bool bridge_line_is_too_many(const struct bridge_call *call)
{
	unsigned max = BRIDGE_CALLS_MAX;

	if (call->message.kind != BRIDGE_REQUEST)
		max += BRIDGE_NOTES_MAX;
	return call->bridge->call_count > max;
}

/* Frees the call. */
static void bridge_line_refuse(struct bridge_call *call, int error)
{
	const char *why = "out of memory";

	if (error > 0)
		why = json_reader_error_text(error);
	else if (error == -EINVAL)
		why = "this is not a JSON-RPC message: each message needs its own line, "
		      "a \"method\", and as \"id\" a string or an integer";
	if (error != -EINVAL)
		bridge_input_refuse(call->bridge, call->line, call->length, why);
	else if (call->message.id)
		bridge_answer_fail(call, -32600, NULL, "%s", why);
	else
		bridge_answer_refuse(call->bridge, -32600, "", why);
	bridge_call_free(call);
}

void bridge_line_take(struct bridge *bridge, const char *line, size_t length)
{
	struct bridge_call *call;
	int error;

	call = bridge_call_new(bridge, BRIDGE_CALL_LINE, line, length);
	if (!call || !call->line) {
		log_error("stdio: out of memory; a message is lost");
		if (call)
			bridge_call_free(call);
		return;
	}
	error = bridge_message_read(call->arena, call->line, length, &call->message);
	if (error) {
		bridge_line_refuse(call, error);
	} else if (bridge_line_is_needless(bridge, &call->message)) {
		bridge_call_free(call);
	} else if (bridge_line_is_too_many(call)) {
		bridge_answer_fail(call, -32603, "retryable",
				   "%d requests are under way: wait until one has ended",
				   BRIDGE_CALLS_MAX);
		bridge_call_free(call);
	} else {
		bridge_line_begin(call);
	}
}
