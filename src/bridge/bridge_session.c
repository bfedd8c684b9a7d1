/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   NONE -> (initialize) BEGINNING -> (its answer) READY
 *                                        |  ^
 *              404: the gateway forgot it v  |
 *                                     REVIVING: initialize, initialized, each subscription
 *
 * While BEGINNING or REVIVING, what belongs to the session waits.  A revival sends the client's own
 * lines again, and the client sees nothing of it but one "updated" for each resource to which it is
 * subscribed: what happened meanwhile was reported to nobody.
 */
#include "bridge/bridge_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { BRIDGE_SESSION_RETRY_MS = 1000 };

/* What the client sent */

static void bridge_session_keep(struct buffer *line, const struct bridge_call *call)
{
	buffer_clear(line);
	buffer_append(line, call->line, call->length);
}

static void bridge_session_drop_subscription(struct bridge_session *session,
					     const char *uri)
{
	for (unsigned at = 0; at < session->subscription_count; at++) {
		struct bridge_subscription *subscription = &session->subscriptions[at];

		if (strcmp(subscription->uri, uri) != 0)
			continue;
		free(subscription->uri);
		buffer_deinit(&subscription->line);
		*subscription = session->subscriptions[--session->subscription_count];
		return;
	}
}

static void bridge_session_add_subscription(struct bridge_session *session,
					    const char *uri,
					    const struct bridge_call *call)
{
	struct bridge_subscription *subscription;

	bridge_session_drop_subscription(session, uri);
	if (session->subscription_count == BRIDGE_SESSION_SUBSCRIPTIONS_MAX)
		return;
	subscription = &session->subscriptions[session->subscription_count];
	*subscription = (struct bridge_subscription){ .uri = strdup(uri) };
	if (!subscription->uri)
		return;
	bridge_session_keep(&subscription->line, call);
	session->subscription_count++;
}

void bridge_session_note(struct bridge *bridge, const struct bridge_call *call)
{
	struct bridge_session *session = &bridge->session;
	const char *method = call->message.method;
	const char *uri = json_string(
		json_member(json_member(call->message.root, "params"), "uri"));

	if (strcmp(method, "initialize") == 0)
		bridge_session_keep(&session->initialize, call);
	else if (strcmp(method, "notifications/initialized") == 0)
		bridge_session_keep(&session->initialized, call);
	else if (uri && strcmp(method, "resources/subscribe") == 0)
		bridge_session_add_subscription(session, uri, call);
	else if (uri && strcmp(method, "resources/unsubscribe") == 0)
		bridge_session_drop_subscription(session, uri);
}

void bridge_session_deinit(struct bridge_session *session)
{
	while (session->subscription_count)
		bridge_session_drop_subscription(session, session->subscriptions[0].uri);
	buffer_deinit(&session->initialize);
	buffer_deinit(&session->initialized);
}

/* Calls that waited */

static struct bridge_call *bridge_session_find_held(struct bridge *bridge)
{
	struct bridge_call *call, *oldest = NULL;

	LIST_FOREACH (call, &bridge->calls, link) {
		if (call->state == BRIDGE_CALL_HELD &&
		    call->purpose == BRIDGE_CALL_LINE && !call->message.version)
			oldest = call; /* the newest is the first of the list */
	}
	return oldest;
}

/* Opening one may begin another revival, which holds those that are left. */
static void bridge_session_release(struct bridge *bridge)
{
	struct bridge_call *call;

	while (bridge->session.state != BRIDGE_SESSION_REVIVING &&
	       (call = bridge_session_find_held(bridge)))
		bridge_call_open(call);
	bridge_session_listen(bridge);
}

/* Begin */

bool bridge_session_begin(struct bridge *bridge, struct bridge_call *call)
{
	struct bridge_session *session = &bridge->session;
	const char *id = http_client_header(call->request, "mcp-session-id");
	struct arena *arena = arena_new(BRIDGE_ANSWER_MAX);
	const struct buffer *body =
		call->is_stream && !call->body.length ? &call->events.text : &call->body;
	const struct json *root =
		arena ? bridge_message_parse(arena, body->data, body->length) : NULL;
	const char *version =
		json_string(json_member(json_member(root, "result"), "protocolVersion"));

	if (version) {
		snprintf(session->id, sizeof(session->id), "%s", id ? id : "");
		snprintf(session->version, sizeof(session->version), "%s", version);
		session->has_listened = false;
	}
	arena_free(arena);
	return version;
}

void bridge_session_settle(struct bridge *bridge)
{
	bridge->session.state =
		*bridge->session.version ? BRIDGE_SESSION_READY : BRIDGE_SESSION_NONE;
	bridge_session_release(bridge);
}

/* Revival */

static const struct buffer *bridge_session_step_line(const struct bridge_session *session)
{
	if (session->step == 0)
		return &session->initialize;
	if (session->step == 1)
		return &session->initialized;
	return &session->subscriptions[session->step - 2].line;
}

static void bridge_session_end_revival(struct bridge *bridge)
{
	struct bridge_session *session = &bridge->session;

	session->state = BRIDGE_SESSION_READY;
	for (unsigned at = 0; at < session->subscription_count; at++)
		bridge_output_updated(&bridge->output, NULL,
				      session->subscriptions[at].uri);
	bridge_session_release(bridge);
}

static void bridge_session_next_step(struct bridge *bridge)
{
	struct bridge_session *session = &bridge->session;
	const struct buffer *line;
	struct bridge_call *call;

	while (session->step < session->subscription_count + 2 &&
	       !bridge_session_step_line(session)->length)
		session->step++;
	if (session->step >= session->subscription_count + 2) {
		bridge_session_end_revival(bridge);
		return;
	}
	line = bridge_session_step_line(session);
	call = bridge_call_new(bridge, BRIDGE_CALL_REVIVAL, line->data, line->length);
	if (!call ||
	    bridge_message_read(call->arena, call->line, call->length, &call->message)) {
		if (call)
			bridge_call_free(call);
		bridge_session_end_revival(bridge);
		return;
	}
	bridge_call_open(call);
}

void bridge_session_revive(struct bridge *bridge)
{
	struct bridge_session *session = &bridge->session;

	if (session->state != BRIDGE_SESSION_READY || !session->initialize.length)
		return;
	log_info("stdio: the gateway has forgotten the session; a new one begins");
	session->state = BRIDGE_SESSION_REVIVING;
	session->step = 0;
	bridge_session_next_step(bridge);
}

bool bridge_session_step(struct bridge_call *call,
			 const struct http_client_result *result)
{
	struct bridge *bridge = call->bridge;
	struct bridge_session *session = &bridge->session;
	bool is_answered = result->outcome == HTTP_CLIENT_ANSWERED;

	if (session->step == 0 && !is_answered && !result->may_be_sent &&
	    bridge_call_rest(call, BRIDGE_RETRY_MS, BRIDGE_AWAY_MS))
		return false;
	if (session->step == 0 && (!is_answered || !bridge_session_begin(bridge, call))) {
		log_warning("stdio: the gateway began no new session (%u)", call->status);
		session->state = BRIDGE_SESSION_READY; /* the next 404 tries again */
		bridge_session_release(bridge);
		return true;
	}
	session->step++;
	bridge_session_next_step(bridge);
	return true;
}

/* What the gateway sends by itself */

void bridge_session_listen(struct bridge *bridge)
{
	struct bridge_session *session = &bridge->session;
	struct bridge_call *call;

	if (session->state != BRIDGE_SESSION_READY || session->has_listened ||
	    !*session->id || !session->initialized.length || bridge->is_ending)
		return;
	session->has_listened = true;
	bridge_channel_begin(bridge);
	LIST_FOREACH (call, &bridge->calls, link) {
		if (call->purpose == BRIDGE_CALL_SESSION)
			break;
	}
	if (call && call->state == BRIDGE_CALL_OPEN)
		return;
	if (!call)
		call = bridge_call_new(bridge, BRIDGE_CALL_SESSION, NULL, 0);
	if (call) {
		call->events.last_id[0] = '\0'; /* of another session */
		bridge_call_open(call);
	}
}

bool bridge_session_finish(struct bridge_call *call,
			   const struct http_client_result *result)
{
	struct bridge *bridge = call->bridge;

	if (call->status == 405)
		return true;
	if (call->status == 404)
		bridge_session_revive(bridge); /* and a new session opens it at once */
	call->until_ms = 0; /* it goes on trying while the client is there */
	return !bridge_call_rest(call, BRIDGE_SESSION_RETRY_MS, BRIDGE_REOPEN_MS);
}
