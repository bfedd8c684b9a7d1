/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   active, then the events after the cursor, oldest first
 *     -> new entries in the feed: the stream reads on where it stopped
 *     -> its queue is filled: it stops, and reads on when the client has taken everything
 *     -> the oldest entries are gone before it read them: active again, truncated
 *     -> every 25 s: heartbeat with the cursor
 *     -> the client lost its permission: terminated, and the result
 *     -> the gateway stops, or the client is to reconnect: the result
 *     -> the client closes the connection: done
 *
 * Nothing is queued for a slow client but what its stream holds: the feed is the queue.
 */
#include "mcp/era.h"

#include <string.h>
#include <time.h>

#include "base/json_reader.h"
#include "mcp/event.h"
#include "mcp/persistence.h"
#include "mcp/resource.h"

enum {
	EVENT_STREAM_ROWS = 500,		/* read in one turn of the loop */
	EVENT_STREAM_ARENA_BYTES = 1024 * 1024, /* for one entry */
	EVENT_STREAM_ACCURACY_US = 1000 * 1000,
	EVENT_STREAM_RETRY_US = 5 * 1000 * 1000,
};

/* One request; lives in its arena. */
struct event_stream {
	struct request *request;
	struct event_query query;
	struct client client; /* as it is now */
	struct event_position position;
	struct stream *stream;	  /* NULL if ended */
	struct observer observer; /* of struct resource_change */
	bool is_behind;		  /* its queue is filled */
	LIST_ENTRY(event_stream) link;
};

static struct event_streams *event_stream_others(const struct event_stream *stream)
{
	return stream->request->context->event_streams;
}

/* ---- sending */

static struct json_writer *event_stream_open(const struct event_stream *stream,
					     struct buffer *body, const char *method)
{
	return rpc_open_notification(body, method, stream->request->message.id);
}

static bool event_stream_send(struct event_stream *stream, struct buffer *body,
			      const char *key)
{
	const struct stream_event event = { .key = key,
					    .data = body->data,
					    .length = body->length };
	bool sent = !body->failed && stream_push(stream->stream, &event);

	buffer_deinit(body);
	return sent;
}

static void event_stream_put_cursor(const struct event_stream *stream,
				    struct json_writer *writer)
{
	char cursor[EVENT_CURSOR_BYTES];

	event_write_cursor(stream->position.epoch, stream->position.after_id, cursor);
	json_put_string(writer, "cursor", cursor);
}

static void event_stream_send_active(struct event_stream *stream)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		event_stream_open(stream, &body, "notifications/events/active");

	if (writer) {
		event_stream_put_cursor(stream, writer);
		json_put_boolean(writer, "truncated", stream->position.truncated);
		rpc_close_notification(writer);
	}
	event_stream_send(stream, &body, NULL);
}

static void event_stream_send_heartbeat(struct event_stream *stream)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		event_stream_open(stream, &body, "notifications/events/heartbeat");

	if (writer) {
		event_stream_put_cursor(stream, writer);
		rpc_close_notification(writer);
	}
	event_stream_send(stream, &body, "heartbeat");
}

/* The members of an occurrence stand in params, beside _meta. Returns false if it was not sent. */
static bool event_stream_send_event(struct event_stream *stream,
				    const struct feed_entry *entry)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		event_stream_open(stream, &body, "notifications/events/event");

	if (writer) {
		event_write_members(&stream->query, entry, stream->position.epoch, true,
				    writer);
		rpc_close_notification(writer);
	}
	stream->is_behind = !stream_has_room(stream->stream, body.length);
	if (!stream->is_behind)
		return event_stream_send(stream, &body, NULL);
	buffer_deinit(&body);
	return false;
}

static void event_stream_send_trouble(struct event_stream *stream)
{
	static const struct rpc_error error = {
		RPC_INTERNAL_ERROR, "the events cannot be read now; trying again"
	};
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		event_stream_open(stream, &body, "notifications/events/error");

	if (writer) {
		rpc_write_error_member(writer, &error);
		rpc_close_notification(writer);
	}
	event_stream_send(stream, &body, "error");
}

/* ---- the end */

static void event_stream_leave(void *data)
{
	struct event_stream *stream = data;
	struct event_streams *streams = event_stream_others(stream);

	if (!stream->stream)
		return;
	stream_on_empty(stream->stream, NULL, NULL);
	stream->stream = NULL;
	observer_remove(&stream->observer);
	LIST_REMOVE(stream, link);
	if (--streams->count)
		return;
	observer_remove(&streams->observer);
	sd_event_source_set_enabled(streams->heartbeat, SD_EVENT_OFF);
	sd_event_source_set_enabled(streams->more, SD_EVENT_OFF);
}

static void event_stream_finish(void *data)
{
	struct event_stream *stream = data;

	event_stream_leave(stream);
	stream->request->subscription_id = stream->request->message.id;
	request_acknowledge(stream->request);
}

static void event_stream_terminate(struct event_stream *stream, const char *reason)
{
	const struct event_failure failure = { EVENT_E_FORBIDDEN, "reason", reason };
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		event_stream_open(stream, &body, "notifications/events/terminated");

	if (writer) {
		json_key(writer, "error");
		event_write_error(writer, &failure);
		rpc_close_notification(writer);
	}
	event_stream_send(stream, &body, NULL);
	event_stream_finish(stream);
}

/* ---- reading on */

static void event_streams_read_later(struct event_streams *streams, uint64_t usec)
{
	if (!streams->more)
		return;
	sd_event_source_set_time_relative(streams->more, usec);
	sd_event_source_set_enabled(streams->more, SD_EVENT_ONESHOT);
}

/* The client has taken everything. Runs inside of what http does. */
static void event_stream_on_empty(void *data)
{
	struct event_stream *stream = data;

	if (stream->is_behind)
		event_streams_read_later(event_stream_others(stream), 0);
	stream->is_behind = false;
}

/* Returns false if there is no room yet, memory runs out, or the stream broke. */
static bool event_stream_show(struct event_stream *stream, const struct feed_entry *entry)
{
	struct event_query *query = &stream->query;
	bool shown = true;

	query->arena = arena_new(EVENT_STREAM_ARENA_BYTES);
	if (!query->arena)
		return false;
	if (event_judge(query, entry) == EVENT_MATCHES)
		shown = event_stream_send_event(stream, entry);
	arena_free(query->arena);
	return shown;
}

static bool event_stream_visit(void *data, const struct feed_entry *entry)
{
	struct event_stream *stream = data;

	if (entry->type == stream->query.type->feed &&
	    (!event_stream_show(stream, entry) || !stream->stream))
		return false;
	stream->position.after_id = entry->id;
	return true;
}

/* Entries may be gone before a slow client has taken those before. Returns 0 or -errno. */
static int event_stream_check_gap(struct event_stream *stream, int64_t *head_out)
{
	const struct persistence *persistence = stream->request->context->persistence;
	int64_t first;
	int error = persistence->find_feed_bounds(persistence->store, &first, head_out);

	if (error || stream->position.after_id >= first - 1)
		return error;
	stream->position.after_id = first - 1;
	stream->position.truncated = true;
	event_stream_send_active(stream);
	return 0;
}

/* The stream may have ended when this returns. */
static void event_stream_read_entries(struct event_stream *stream)
{
	const struct persistence *persistence = stream->request->context->persistence;
	int64_t head = 0;
	int error = event_stream_check_gap(stream, &head);

	if (!error)
		error = persistence->read_feed(
			persistence->store, stream->position.after_id, EVENT_STREAM_ROWS,
			event_stream_visit, stream);
	if (!stream->stream)
		return;
	if (error) {
		event_stream_send_trouble(stream);
		event_streams_read_later(event_stream_others(stream),
					 EVENT_STREAM_RETRY_US);
	} else if (stream->position.after_id < head && !stream->is_behind) {
		event_streams_read_later(event_stream_others(stream), 0);
	}
}

/* Ends the stream if the client may no longer have it. */
static void event_stream_review(struct event_stream *stream)
{
	bool exists = event_find_client(stream->request, &stream->client);

	if (!exists)
		event_stream_terminate(stream, "client_revoked");
	else if (!event_is_permitted(stream->query.type, &stream->client,
				     stream->query.services))
		event_stream_terminate(stream, "insufficient_scope");
}

static void event_streams_read_all(struct event_streams *streams)
{
	struct event_stream *stream, *next;

	for (stream = LIST_FIRST(&streams->list); stream; stream = next) {
		next = LIST_NEXT(stream, link);
		if (stream->is_behind)
			continue;
		event_stream_review(stream);
		if (stream->stream)
			event_stream_read_entries(stream);
	}
}

static void event_streams_on_feed(void *data, const void *event)
{
	event_streams_read_all(data);
}

static int event_streams_on_more(sd_event_source *source, uint64_t usec, void *data)
{
	event_streams_read_all(data);
	return 0;
}

static void event_streams_set_heartbeat(struct event_streams *streams)
{
	if (!streams->heartbeat)
		return;
	sd_event_source_set_time_relative(streams->heartbeat, streams->period_ms * 1000);
	sd_event_source_set_enabled(streams->heartbeat, SD_EVENT_ONESHOT);
}

static int event_streams_on_heartbeat(sd_event_source *source, uint64_t usec, void *data)
{
	struct event_streams *streams = data;
	struct event_stream *stream, *next;

	event_streams_set_heartbeat(streams);
	for (stream = LIST_FIRST(&streams->list); stream; stream = next) {
		next = LIST_NEXT(stream, link);
		if (!stream->is_behind)
			event_stream_send_heartbeat(stream);
	}
	return 0;
}

void event_streams_review(struct event_streams *streams, int64_t client_id)
{
	struct event_stream *stream, *next;

	for (stream = LIST_FIRST(&streams->list); stream; stream = next) {
		next = LIST_NEXT(stream, link);
		if (!client_id ||
		    exchange_client(stream->request->exchange)->id == client_id)
			event_stream_review(stream);
	}
}

static void event_stream_on_change(void *data, const void *event_data)
{
	const struct resource_change *change = event_data;
	struct event_stream *stream = data;
	int64_t client_id = exchange_client(stream->request->exchange)->id;

	if ((change->type != CHANGE_RECONNECT && change->type != CHANGE_EVENTS) ||
	    !resource_change_is_of(change, client_id))
		return;
	event_stream_review(stream);
	if (stream->stream && change->type == CHANGE_RECONNECT)
		event_stream_finish(stream);
}

/* ---- the beginning */

static const struct request_waiting event_stream_waiting = {
	.abandoned = event_stream_leave,
	.stopping = event_stream_finish,
};

/* The message is freed, so the arguments are read again from their text. */
static bool event_stream_keep_arguments(struct event_stream *stream)
{
	struct arena *arena = stream->request->arena;
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	bool kept = false;

	if (writer) {
		json_write_canonical(writer, stream->query.arguments);
		json_writer_free(writer);
	}
	if (writer && !text.failed)
		kept = !json_reader_read(arena, text.data, text.length,
					 &stream->query.arguments);
	buffer_deinit(&text);
	return kept;
}

static unsigned event_streams_of(const struct event_streams *streams, int64_t client_id)
{
	const struct event_stream *stream;
	unsigned count = 0;

	LIST_FOREACH (stream, &streams->list, link)
		count += exchange_client(stream->request->exchange)->id == client_id;
	return count;
}

/* Returns 0 if there is room; else the limit. */
static unsigned event_stream_limit(const struct event_stream *stream)
{
	const struct event_streams *streams = event_stream_others(stream);
	int64_t client_id = exchange_client(stream->request->exchange)->id;

	if (client_id && event_streams_of(streams, client_id) >= EVENT_STREAMS_PER_CLIENT)
		return EVENT_STREAMS_PER_CLIENT;
	return streams->count >= EVENT_STREAMS_MAX ? EVENT_STREAMS_MAX : 0;
}

static void event_stream_fail_full(struct event_stream *stream, unsigned limit)
{
	event_fail(stream->request,
		   &(struct event_failure){
			   EVENT_E_EXHAUSTED, "limit", "streams", "max", .maximum = limit,
			   .detail = "Close a stream, or use events/poll." });
}

static void event_stream_start(struct event_stream *stream)
{
	struct request *request = stream->request;
	struct event_streams *streams = event_stream_others(stream);

	LIST_INSERT_HEAD(&streams->list, stream, link);
	if (!streams->count++) {
		event_streams_set_heartbeat(streams);
		if (streams->feed)
			observer_add(streams->feed, &streams->observer,
				     event_streams_on_feed, streams);
	}
	if (request->context->changes)
		observer_add(request->context->changes, &stream->observer,
			     event_stream_on_change, stream);
	stream_on_empty(stream->stream, event_stream_on_empty, stream);
	request->waiting = &event_stream_waiting;
	request->waiting_data = stream;
	request_forget(request);
	event_stream_send_active(stream);
	stream->query.client = &stream->client;
	event_stream_review(stream);
	if (stream->stream)
		event_stream_read_entries(stream);
}

void event_stream_run(struct request *request)
{
	struct event_stream *stream = arena_alloc(request->arena, sizeof(*stream));
	unsigned limit;

	if (!stream) {
		request_fail_no_memory(request);
		return;
	}
	stream->request = request;
	if (!event_read_query(request, &stream->query) ||
	    !event_read_position(request, stream->query.type, &stream->position))
		return;
	stream->query.may_show_text = true;
	limit = event_stream_limit(stream);
	if (!rpc_header_accepts_streams(request->exchange))
		request_fail(request, RPC_INVALID_REQUEST,
			     "the answer is a stream: send Accept: application/json, "
			     "text/event-stream");
	else if (limit)
		event_stream_fail_full(stream, limit);
	else if (stream->query.arguments && !event_stream_keep_arguments(stream))
		request_fail_no_memory(request);
	else if (!(stream->stream = request_stream(request)))
		event_stream_fail_full(stream, event_stream_others(stream)->count);
	else
		event_stream_start(stream);
}

/* ---- all streams */

static int event_streams_add_timer(sd_event *loop, sd_event_source **timer,
				   uint64_t accuracy_us, sd_event_time_handler_t expired,
				   struct event_streams *streams)
{
	int error = sd_event_add_time(loop, timer, CLOCK_MONOTONIC, UINT64_MAX,
				      accuracy_us, expired, streams);

	return error < 0 ? error : sd_event_source_set_enabled(*timer, SD_EVENT_OFF);
}

int event_streams_init(struct event_streams *streams, sd_event *loop,
		       struct observers *feed)
{
	int error;

	*streams = (struct event_streams){ .feed = feed,
					   .period_ms = EVENT_STREAM_HEARTBEAT_MS };
	LIST_INIT(&streams->list);
	if (!loop)
		return 0;
	error = event_streams_add_timer(loop, &streams->heartbeat,
					EVENT_STREAM_ACCURACY_US,
					event_streams_on_heartbeat, streams);
	if (error >= 0)
		error = event_streams_add_timer(loop, &streams->more, 1,
						event_streams_on_more, streams);
	return error < 0 ? error : 0;
}

void event_streams_deinit(struct event_streams *streams)
{
	streams->heartbeat = sd_event_source_disable_unref(streams->heartbeat);
	streams->more = sd_event_source_disable_unref(streams->more);
}
