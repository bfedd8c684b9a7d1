/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An answer that is JSON-RPC is passed on as it is.  Anything else becomes an error that says
 * what the client can do:
 *
 *   not sent           the gateway is away: -32603, data {"retryable":true}
 *   401, 403           the owner has to pair again: -32603
 *   404 of a session   it is gone: a new one, and once more
 *   other refusals     the gateway's own words
 *   sent, no answer    -32603, data {"outcome":"unknown"}
 */
#include "bridge/bridge_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

enum {
	BRIDGE_ANSWER_TEXT_BYTES = 1024,
	BRIDGE_ANSWER_ERROR = -32603, /* "internal error" of JSON-RPC */
};

struct bridge_answer_error {
	int code;
	const char *data_key; /* or NULL */
	const char *message;
};

static void bridge_answer_write(struct bridge *bridge, const struct json *id,
				const char *raw_id,
				const struct bridge_answer_error *error)
{
	struct json_writer *writer = bridge_output_open(&bridge->output);

	if (!writer)
		return;
	bridge_message_put_id(writer, "id", id);
	if (*raw_id) {
		json_key(writer, "id");
		json_write_raw(writer, raw_id, strlen(raw_id));
	}
	json_open_object_at(writer, "error");
	json_put_integer(writer, "code", error->code);
	json_put_string(writer, "message", error->message);
	if (error->data_key) {
		json_open_object_at(writer, "data");
		if (strcmp(error->data_key, "outcome") == 0)
			json_put_string(writer, "outcome", "unknown");
		else
			json_put_boolean(writer, error->data_key, true);
		json_close_object(writer);
	}
	json_close_object(writer);
	bridge_output_close(&bridge->output, writer);
}

void bridge_answer_refuse(struct bridge *bridge, int code, const char *id,
			  const char *message)
{
	const struct bridge_answer_error error = { code, NULL, message };

	bridge_answer_write(bridge, NULL, id, &error);
}

void bridge_answer_fail(struct bridge_call *call, int code, const char *data_key,
			const char *format, ...)
{
	char text[BRIDGE_ANSWER_TEXT_BYTES];
	const struct bridge_answer_error error = { code, data_key, text };
	va_list arguments;

	if (call->is_answered)
		return;
	call->is_answered = true;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (call->message.kind == BRIDGE_REQUEST)
		bridge_answer_write(call->bridge, call->message.id, "", &error);
}

static void bridge_answer_fail_away(struct bridge_call *call, const char *error)
{
	const struct bridge_options *options = call->bridge->options;

	log_warning("stdio: the gateway cannot be reached: %s", error);
	if (options->socket_path && access(options->socket_path, W_OK) < 0 &&
	    errno == EACCES)
		bridge_answer_fail(
			call, BRIDGE_ANSWER_ERROR, NULL,
			"this user may not control the gateway (%s): run this as "
			"root, or as a member of the group " PROGRAM_NAME,
			options->socket_path);
	else
		bridge_answer_fail(
			call, BRIDGE_ANSWER_ERROR, "retryable",
			"the gateway is not running, or cannot be reached; nothing was "
			"sent. On its machine, " PROGRAM_NAME " doctor says why");
}

static void bridge_answer_fail_unknown(struct bridge_call *call)
{
	bool is_tool = strcmp(call->message.method, "tools/call") == 0;

	bridge_answer_fail(
		call, BRIDGE_ANSWER_ERROR, "outcome",
		"the connection to the gateway broke before the answer came: whether "
		"this was carried out is unknown%s",
		is_tool ? ". Before you send a message again, call get_sms_status "
			  "with its idempotency_key"
			: "");
}

/* Returns "" or the words of a refusal. */
static const char *bridge_answer_words(const struct json *root, const char *otherwise)
{
	const char *text =
		json_string(json_member(json_member(root, "error"), "message"));

	return text ? text : otherwise;
}

static void bridge_answer_fail_status(struct bridge_call *call, const struct json *root)
{
	bool may_later = call->status == 429 || call->status == 503 ||
			 (call->status == 404 && call->is_repeated);

	if (call->status == 401 || call->status == 403)
		bridge_answer_fail(
			call, BRIDGE_ANSWER_ERROR, NULL,
			"the gateway refused access (%u): %s", call->status,
			bridge_answer_words(root, "pair again: " PROGRAM_NAME " pair"));
	else
		bridge_answer_fail(call, BRIDGE_ANSWER_ERROR,
				   may_later ? "retryable" : NULL,
				   "the gateway answered %u: %s", call->status,
				   bridge_answer_words(root, "without words"));
}

static bool bridge_answer_is_ours(const struct bridge_call *call, const struct json *root)
{
	return bridge_message_same_id(call->message.id, json_member(root, "id")) &&
	       (json_member(root, "result") || json_member(root, "error"));
}

static void bridge_answer_take_body(struct bridge_call *call)
{
	struct arena *arena = arena_new(4 * BRIDGE_ANSWER_MAX);
	const struct json *root =
		arena ? bridge_message_parse(arena, call->body.data, call->body.length)
		      : NULL;

	/* what is too long to be read is passed on unread */
	if (bridge_answer_is_ours(call, root) ||
	    (!root && call->status == 200 && call->body.length &&
	     *call->body.data == '{')) {
		if (call->purpose == BRIDGE_CALL_INITIALIZE)
			bridge_session_begin(call->bridge, call);
		call->is_answered = true;
		if (call->purpose != BRIDGE_CALL_INITIALIZE ||
		    !bridge_channel_print_initialize(call, root))
			bridge_output_line(&call->bridge->output, call->body.data,
					   call->body.length);
	} else {
		bridge_answer_fail_status(call, root);
	}
	arena_free(arena);
}

/* Returns true if the call waits for a new session. */
static bool bridge_answer_is_held(struct bridge_call *call)
{
	if (call->status != 404 || call->message.version || call->is_repeated ||
	    call->purpose == BRIDGE_CALL_INITIALIZE ||
	    call->message.kind == BRIDGE_RESPONSE || !*call->bridge->session.id ||
	    call->bridge->is_ending)
		return false;
	call->is_repeated = true;
	call->state = BRIDGE_CALL_HELD;
	bridge_session_revive(call->bridge);
	return true;
}

static bool bridge_answer_expects_none(const struct bridge_call *call)
{
	return call->message.kind == BRIDGE_NOTIFICATION ||
	       call->message.kind == BRIDGE_RESPONSE;
}

bool bridge_answer_finish(struct bridge_call *call,
			  const struct http_client_result *result)
{
	bool is_unsent = result->outcome != HTTP_CLIENT_ANSWERED && !result->may_be_sent;

	if (is_unsent && bridge_call_rest(call, BRIDGE_RETRY_MS, BRIDGE_AWAY_MS))
		return false;
	if (result->outcome == HTTP_CLIENT_ANSWERED && bridge_answer_is_held(call))
		return false;
	if (bridge_answer_expects_none(call)) {
		if (result->outcome != HTTP_CLIENT_ANSWERED || call->status >= 300)
			log_warning("stdio: a notification was not accepted (%u)",
				    call->status);
	} else if (is_unsent) {
		bridge_answer_fail_away(call, result->error);
	} else if (result->outcome == HTTP_CLIENT_TOO_LARGE) {
		bridge_answer_fail(call, BRIDGE_ANSWER_ERROR, NULL,
				   "the answer is longer than %d bytes: ask for less",
				   BRIDGE_ANSWER_MAX);
	} else if (result->outcome != HTTP_CLIENT_ANSWERED || call->is_stream) {
		bridge_answer_fail_unknown(call); /* unless the stream had the answer */
	} else {
		bridge_answer_take_body(call);
	}
	if (call->purpose == BRIDGE_CALL_INITIALIZE)
		bridge_session_settle(call->bridge);
	return true;
}

void bridge_answer_take(struct bridge_call *call, const char *text, size_t length)
{
	struct arena *arena = arena_new(4 * BRIDGE_ANSWER_MAX);
	const struct json *root =
		arena ? bridge_message_parse(arena, text, length) : NULL;

	if (call->purpose == BRIDGE_CALL_INITIALIZE && !json_member(root, "method"))
		bridge_session_begin(call->bridge, call);
	if (call->message.id && !json_member(root, "method") &&
	    (!root || bridge_message_same_id(call->message.id, json_member(root, "id"))))
		call->is_answered = true; /* what is too long to be read is also one */
	arena_free(arena);
	bridge_output_line(&call->bridge->output, text, length);
}
