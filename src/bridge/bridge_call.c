/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   line -> HELD (there is no session yet) -> OPEN -> answered, freed
 *                                              |  nothing was sent: the gateway is away
 *                                              v
 *                                            RESTING -> OPEN ..., at most BRIDGE_AWAY_MS
 *
 * What may have been sent never goes from OPEN to RESTING, except for a lasting stream, which
 * changes nothing.  A call that the gateway refused because it does not know the session was not
 * carried out, so it is held, and sent once more in the new session.
 */
#include "bridge/bridge_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

enum {
	BRIDGE_CALL_ARENA_MAX = 2 * 1024 * 1024,
	BRIDGE_CALL_HEADERS_MAX = 10,
	BRIDGE_CALL_SILENCE_S =
		60, /* of a stream, whose gateway writes every 15 s or 30 s */
	BRIDGE_CALL_END_MS = 500,
};

/* Requests */

static bool bridge_call_is_stream(const struct bridge_call *call)
{
	return call->purpose == BRIDGE_CALL_LASTING ||
	       call->purpose == BRIDGE_CALL_SESSION;
}

/* A list that ends with NULL. The arena lives as long as the start of one request. */
struct bridge_call_headers {
	struct arena *arena;
	const char *items[BRIDGE_CALL_HEADERS_MAX];
	unsigned count;
};

static void bridge_call_add_header(struct bridge_call_headers *headers, const char *name,
				   const char *value)
{
	const char *header =
		value ? arena_printf(headers->arena, "%s: %s", name, value) : NULL;

	if (header)
		headers->items[headers->count++] = header;
}

static void bridge_call_add_modern_headers(const struct bridge_call *call,
					   struct bridge_call_headers *headers)
{
	const struct bridge_message *message = &call->message;

	bridge_call_add_header(
		headers, "MCP-Protocol-Version",
		bridge_message_header_value(headers->arena, message->version));
	bridge_call_add_header(
		headers, "Mcp-Method",
		bridge_message_header_value(headers->arena, message->method));
	if (message->name)
		bridge_call_add_header(
			headers, "Mcp-Name",
			bridge_message_header_value(headers->arena, message->name));
}

static void bridge_call_add_session_headers(const struct bridge_call *call,
					    struct bridge_call_headers *headers)
{
	const struct bridge_session *session = &call->bridge->session;

	if (call->purpose == BRIDGE_CALL_INITIALIZE ||
	    strcmp(call->message.method, "initialize") == 0)
		return;
	if (*session->id)
		bridge_call_add_header(headers, "Mcp-Session-Id", session->id);
	if (*session->version)
		bridge_call_add_header(headers, "MCP-Protocol-Version", session->version);
	if (call->purpose == BRIDGE_CALL_SESSION && *call->events.last_id)
		bridge_call_add_header(headers, "Last-Event-ID", call->events.last_id);
}

static void bridge_call_add_headers(const struct bridge_call *call,
				    struct bridge_call_headers *headers)
{
	const char *token = call->bridge->options->token;

	bridge_call_add_header(headers, "Content-Type",
			       call->line ? "application/json" : NULL);
	bridge_call_add_header(headers, "Accept", "application/json, text/event-stream");
	bridge_call_add_header(headers, "User-Agent",
			       "ofono-mcp-stdio/" OFONO_MCP_VERSION);
	if (token)
		bridge_call_add_header(headers, "Authorization",
				       arena_printf(headers->arena, "Bearer %s", token));
	if (call->message.version)
		bridge_call_add_modern_headers(call, headers);
	else
		bridge_call_add_session_headers(call, headers);
}

static void bridge_call_on_head(void *data, unsigned status)
{
	struct bridge_call *call = data;
	const char *type = http_client_header(call->request, "content-type");

	call->status = status;
	call->is_stream = type && strncasecmp(type, "text/event-stream",
					      strlen("text/event-stream")) == 0;
	call->until_ms = 0;
	call->opened_ms = clock_monotonic_ms();
}

static bool bridge_call_on_piece(void *data, const char *piece, size_t length)
{
	struct bridge_call *call = data;

	if (call->is_stream)
		bridge_event_stream_feed(&call->events, piece, length);
	else
		buffer_append(&call->body, piece, length);
	return !call->body.failed;
}

static const struct bridge_call_handler *bridge_call_handler(
	const struct bridge_call *call)
{
	return &call->bridge->handlers[call->purpose];
}

static void bridge_call_on_event(void *data, const char *text, size_t length)
{
	struct bridge_call *call = data;
	const struct bridge_call_handler *handler = bridge_call_handler(call);

	if (handler->event)
		handler->event(call, text, length);
	else
		buffer_append(&call->body, text, length);
}

static bool bridge_call_finish(struct bridge_call *call,
			       const struct http_client_result *result)
{
	const struct bridge_call_handler *handler = bridge_call_handler(call);

	return !handler->finish || handler->finish(call, result);
}

static void bridge_call_on_done(void *data, const struct http_client_result *result)
{
	struct bridge_call *call = data;
	struct http_client_request *request = call->request;
	bool is_over = bridge_call_finish(call, result);

	if (call->request == request) /* http_client frees it */
		call->request = NULL;
	if (is_over)
		bridge_call_free(call);
}

static const char *bridge_call_method(const struct bridge_call *call)
{
	if (call->purpose == BRIDGE_CALL_SESSION)
		return "GET";
	return call->purpose == BRIDGE_CALL_END ? "DELETE" : "POST";
}

static void bridge_call_clear_answer(struct bridge_call *call)
{
	char last_id[sizeof(call->events.last_id)];

	memcpy(last_id, call->events.last_id, sizeof(last_id));
	bridge_event_stream_deinit(&call->events);
	call->events = (struct bridge_event_stream){ .event = bridge_call_on_event,
						     .data = call };
	memcpy(call->events.last_id, last_id, sizeof(last_id));
	buffer_deinit(&call->body);
	call->status = 0;
	call->is_stream = false;
}

void bridge_call_open(struct bridge_call *call)
{
	const struct bridge_options *options = call->bridge->options;
	struct bridge_call_headers headers = { arena_new(BRIDGE_CALL_ARENA_MAX) };
	size_t length = call->length;
	const struct bridge_call_handler *handler = bridge_call_handler(call);
	const char *line =
		handler->line ? handler->line(call, headers.arena, &length) : call->line;
	struct http_client_order order = {
		.method = bridge_call_method(call),
		.url = options->url,
		.headers = headers.items,
		.body = line,
		.body_length = length,
		.socket_path = options->socket_path,
		.ca_file = options->ca_file,
		.connect_timeout_ms = BRIDGE_AWAY_MS,
		.timeout_ms = call->purpose == BRIDGE_CALL_END ? BRIDGE_CALL_END_MS : 0,
		.silence_timeout_s =
			bridge_call_is_stream(call) ? BRIDGE_CALL_SILENCE_S : 0,
		.answer_max = bridge_call_is_stream(call) ? 0 : BRIDGE_ANSWER_MAX,
		.head = bridge_call_on_head,
		.piece = bridge_call_on_piece,
		.done = bridge_call_on_done,
		.data = call,
	};
	const struct http_client_result failed = {
		.outcome = HTTP_CLIENT_UNREACHABLE,
		.error = "no memory, or libcurl cannot be loaded",
	};
	bool is_started;

	call->timer = sd_event_source_disable_unref(call->timer);
	bridge_call_clear_answer(call);
	bridge_call_add_headers(call, &headers);
	call->state = BRIDGE_CALL_OPEN;
	is_started = http_client_start(call->bridge->client, &order, &call->request) == 0;
	arena_free(headers.arena);
	if (!is_started) {
		call->request = NULL;
		if (bridge_call_finish(call, &failed))
			bridge_call_free(call);
	} else if (call->bridge->output.is_full) {
		http_client_pause(call->request, true);
	}
}

/* Calls */

static int bridge_call_on_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	bridge_call_open(data);
	return 0;
}

bool bridge_call_rest(struct bridge_call *call, unsigned after_ms, int64_t patience_ms)
{
	int64_t now_ms = clock_monotonic_ms();

	if (!call->until_ms)
		call->until_ms = now_ms + patience_ms;
	if (now_ms >= call->until_ms || call->bridge->is_ending)
		return false;
	call->timer = sd_event_source_disable_unref(call->timer);
	if (sd_event_add_time_relative(call->bridge->loop, &call->timer, CLOCK_MONOTONIC,
				       (uint64_t)after_ms * 1000, 10000,
				       bridge_call_on_timer, call) < 0)
		return false;
	call->state = BRIDGE_CALL_RESTING;
	return true;
}

void bridge_call_free(struct bridge_call *call)
{
	LIST_REMOVE(call, link);
	call->bridge->call_count--;
	if (call->request)
		http_client_cancel(call->request);
	sd_event_source_disable_unref(call->timer);
	bridge_event_stream_deinit(&call->events);
	buffer_deinit(&call->body);
	buffer_deinit(&call->cursor);
	buffer_deinit(&call->ended);
	arena_free(call->arena);
	free(call);
}

struct bridge_call *bridge_call_new(struct bridge *bridge,
				    enum bridge_call_purpose purpose, const char *line,
				    size_t length)
{
	struct bridge_call *call = calloc(1, sizeof(*call));
	struct arena *arena = arena_new(BRIDGE_CALL_ARENA_MAX);

	if (!call || !arena) {
		free(call);
		arena_free(arena);
		return NULL;
	}
	call->bridge = bridge;
	call->purpose = purpose;
	call->arena = arena;
	call->message.kind = BRIDGE_NOTIFICATION;
	call->message.method = "";
	call->line = line ? arena_copy(arena, line, length) : NULL;
	call->length = length;
	LIST_INSERT_HEAD(&bridge->calls, call, link);
	bridge->call_count++;
	return call;
}
