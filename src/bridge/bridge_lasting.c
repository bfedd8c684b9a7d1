/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   open -> its first event -> events ... -> the gateway stops or is gone
 *                 ^                                     |
 *                 |  "acknowledged" again: swallowed     v
 *                 +------------- opened again, for BRIDGE_REOPEN_MS
 *
 * events/stream goes on at the last cursor, so that nothing is missed.  subscriptions/listen has
 * none: each resource that it honours is reported as updated, so that the client reads it again.
 * A stream that never began is answered like any call.
 */
#include "bridge/bridge_private.h"

#include <string.h>

#include "base/clock.h"

enum {
	BRIDGE_LASTING_SETTLED_MS = 1000,
	BRIDGE_LASTING_ENDS_MAX = 2, /* in a row, as soon as it was open: it is meant */
};

static bool bridge_lasting_is_first(const char *method)
{
	return strcmp(method, "notifications/subscriptions/acknowledged") == 0 ||
	       strcmp(method, "notifications/events/active") == 0;
}

static void bridge_lasting_note_cursor(struct bridge_call *call,
				       const struct json *params)
{
	const char *cursor = json_string(json_member(params, "cursor"));
	struct json_writer *writer;

	if (!cursor)
		return;
	buffer_clear(&call->cursor);
	writer = json_writer_new(&call->cursor);
	if (!writer)
		return;
	json_write_string(writer, cursor);
	json_writer_free(writer);
}

static void bridge_lasting_report_updates(struct bridge_call *call,
					  const struct json *params)
{
	const struct json *uris = json_member(json_member(params, "notifications"),
					      "resourceSubscriptions");

	if (!uris || uris->type != JSON_ARRAY)
		return;
	json_foreach (uri, uris) {
		if (json_string(uri))
			bridge_output_updated(&call->bridge->output, call->message.id,
					      uri->text);
	}
}

/* Returns true if the first event of a stream that was opened again, and no news. */
static bool bridge_lasting_swallows(struct bridge_call *call, const char *method,
				    const struct json *params)
{
	const struct json *truncated = json_member(params, "truncated");

	if (!bridge_lasting_is_first(method))
		return false;
	call->was_open = true;
	if (!call->is_reopened)
		return false;
	call->is_reopened = false;
	bridge_lasting_report_updates(call, params);
	return !(truncated && truncated->boolean);
}

void bridge_lasting_take(struct bridge_call *call, const char *text, size_t length)
{
	struct arena *arena = arena_new(4 * BRIDGE_ANSWER_MAX);
	const struct json *root =
		arena ? bridge_message_parse(arena, text, length) : NULL;
	const struct json *params = json_member(root, "params");
	const char *method = json_string(json_member(root, "method"));

	if (!root && !call->is_channel) {
		bridge_output_line(&call->bridge->output, text, length);
	} else if (!method) {
		buffer_clear(&call->ended); /* passed on if it stays ended */
		buffer_append(&call->ended, text, length);
	} else {
		bridge_lasting_note_cursor(call, params);
		call->is_answered |=
			strcmp(method, "notifications/events/terminated") == 0;
		if (call->is_channel)
			bridge_channel_take(call, method, params);
		else if (!bridge_lasting_swallows(call, method, params))
			bridge_output_line(&call->bridge->output, text, length);
	}
	arena_free(arena);
}

/* Tells the client that the stream is over, in the way that stdio has for that. */
static void bridge_lasting_report_end(struct bridge_call *call)
{
	struct bridge_output *output = &call->bridge->output;
	struct json_writer *writer = bridge_output_open(output);

	if (!writer)
		return;
	json_put_string(writer, "method", "notifications/cancelled");
	json_open_object_at(writer, "params");
	bridge_message_put_id(writer, "requestId", call->message.id);
	json_put_string(writer, "reason", "the gateway can no longer be reached");
	json_close_object(writer);
	bridge_output_close(output, writer);
}

/* Did the gateway end it, and not because it stops? */
static bool bridge_lasting_is_meant(struct bridge_call *call, bool was_brief)
{
	if (call->ended.length)
		call->brief_ends = was_brief ? call->brief_ends + 1 : 0;
	return call->is_answered ||
	       (call->ended.length && call->brief_ends >= BRIDGE_LASTING_ENDS_MAX);
}

bool bridge_lasting_finish(struct bridge_call *call,
			   const struct http_client_result *result)
{
	bool is_refused = result->outcome == HTTP_CLIENT_ANSWERED && !call->is_stream &&
			  call->status != 503;
	bool was_brief =
		clock_monotonic_ms() - call->opened_ms < BRIDGE_LASTING_SETTLED_MS;

	if (call->is_channel)
		return bridge_channel_finish(call, result);
	if (!call->was_open && (is_refused || !result->may_be_sent))
		return bridge_answer_finish(call, result);
	if (!is_refused && !bridge_lasting_is_meant(call, was_brief)) {
		buffer_clear(&call->ended);
		call->is_reopened = call->was_open;
		if (bridge_call_rest(
			    call, was_brief ? BRIDGE_LASTING_SETTLED_MS : BRIDGE_RETRY_MS,
			    BRIDGE_REOPEN_MS))
			return false;
	}
	if (call->ended.length)
		bridge_output_line(&call->bridge->output, call->ended.data,
				   call->ended.length);
	else if (!call->is_answered && !call->bridge->is_ending)
		bridge_lasting_report_end(call);
	return true;
}

/* Writes the parameters with the cursor, instead of any other. */
static void bridge_lasting_write_params(struct json_writer *writer,
					const struct json *params,
					const struct buffer *cursor)
{
	json_open_object_at(writer, "params");
	json_foreach (member, params) {
		if (strcmp(member->name, "cursor") != 0)
			bridge_message_write_member(writer, member);
	}
	json_key(writer, "cursor");
	json_write_raw(writer, cursor->data, cursor->length);
	json_close_object(writer);
}

const char *bridge_lasting_line(const struct bridge_call *call, struct arena *arena,
				size_t *length_out)
{
	struct buffer line = BUFFER_INIT;
	struct json_writer *writer;
	const char *copy = NULL;

	*length_out = call->length;
	if (!call->cursor.length || strcmp(call->message.method, "events/stream") != 0)
		return call->line;
	writer = json_writer_new(&line);
	if (!writer)
		return call->line;
	json_open_object(writer);
	json_foreach (member, call->message.root) {
		if (strcmp(member->name, "params") == 0)
			bridge_lasting_write_params(writer, member, &call->cursor);
		else
			bridge_message_write_member(writer, member);
	}
	json_close_object(writer);
	json_writer_free(writer);
	if (!line.failed)
		copy = arena_copy(arena, line.data, line.length);
	*length_out = copy ? line.length : call->length;
	buffer_deinit(&line);
	return copy ? copy : call->line;
}
