/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/session_stream.h"

#include <string.h>

#include "mcp/endpoint.h"
#include "mcp/event_id.h"
#include "mcp/notification.h"
#include "mcp/permission.h"
#include "mcp/reply.h"
#include "mcp/watcher.h"

/* From here on an event may be empty but for its id. */
#define PRIMED_SINCE "2025-11-25"

/* lives in the exchange's arena */
struct session_stream {
	struct watcher watcher;
	struct endpoint *endpoint;
	struct session *session;  /* NULL: without one, or it ended */
	struct observer observer; /* only without one */
	uint64_t number;
	uint64_t event; /* the last */
	/* It reads on what answers a POST, which has `number`; NULL: it does not. */
	struct sessions *replies;
	TAILQ_ENTRY(session_stream) link;
};

/* Telling */

/* Of tools there is always something to be told. */
static bool may_hear(const struct session_stream *stream,
		     const struct subscription *subscription)
{
	return !subscription->subject ||
	       permission_covers(stream->watcher.scopes,
				 resource_scopes(endpoint_resources(stream->endpoint),
						 subscription->subject));
}

static bool push(struct session_stream *stream, struct subscription *subscription)
{
	char id[EVENT_ID_BYTES];

	if (!may_hear(stream, subscription))
		return false;
	event_id_write((struct event_id){ stream->number, stream->event + 1 }, id);
	if (!notification_push_change(stream->watcher.stream, id, subscription->uri,
				      NULL))
		return false;
	stream->event++;
	subscription->stream = stream->number;
	subscription->event = stream->event;
	subscription->pending = false;
	return true;
}

void session_tell(struct session *session, struct subscription *subscription)
{
	struct session_stream *stream;

	TAILQ_FOREACH (stream, &session->streams, link) {
		if (push(stream, subscription))
			return;
	}
	subscription->pending = true;
}

static void on_change(void *data, const void *event_data)
{
	const struct change *change = event_data;
	struct session_stream *stream = data;

	if (change->type == CHANGE_RESOURCE ||
	    !change_is_of(change, stream->watcher.client_id))
		return;
	if (change->type == CHANGE_TOOLS)
		notification_push_change(stream->watcher.stream, NULL, NULL, NULL);
	else
		stream_end(stream->watcher.stream, NULL);
}

static void tell_pending(struct session_stream *stream)
{
	struct session *session = stream->session;
	struct subscription *subscription;

	if (session->tools.pending)
		push(stream, &session->tools);
	TAILQ_FOREACH (subscription, &session->subscriptions, link) {
		if (subscription->pending)
			push(stream, subscription);
	}
}

/* Resuming */

static void note_if_later(struct subscription *subscription, uint64_t number,
			  uint64_t event)
{
	if (subscription->stream == number && subscription->event > event)
		subscription->pending = true;
}

/* An id of an earlier process tells nothing about what was missed: everything, then. */
static bool is_of_this_process(const struct sessions *sessions, uint64_t number)
{
	return number >> 32 == sessions->epoch;
}

/* The stream goes on under its number; whoever has it is dead, or is left now. */
static void take_over(struct session_stream *stream, uint64_t number, uint64_t event)
{
	struct session_stream *other;

	stream->number = number;
	stream->event = event;
	TAILQ_FOREACH (other, &stream->session->streams, link) {
		if (other->number != number)
			continue;
		if (other->event > stream->event)
			stream->event = other->event;
		stream_end(other->watcher.stream, NULL);
	}
}

static void resume(struct session_stream *stream, uint64_t number, uint64_t event)
{
	struct session *session = stream->session;
	struct subscription *subscription;

	if (!is_of_this_process(session->sessions, number)) {
		TAILQ_FOREACH (subscription, &session->subscriptions, link)
			subscription->pending = true;
		return;
	}
	note_if_later(&session->tools, number, event);
	TAILQ_FOREACH (subscription, &session->subscriptions, link) {
		note_if_later(subscription, number, event);
		if (subscription->stream == number && subscription->event > event)
			stream->event = subscription->event;
	}
	take_over(stream, number, event > stream->event ? event : stream->event);
}

/* Opening */

static void begin(struct session_stream *stream, const struct event_id *last)
{
	struct session *session = stream->session;
	char id[EVENT_ID_BYTES];

	stream->number = sessions_number_stream(session->sessions);
	if (last)
		resume(stream, last->stream, last->event);
	event_id_write((struct event_id){ stream->number, stream->event }, id);
	if (strcmp(session->revision, PRIMED_SINCE) >= 0)
		stream_prime(stream->watcher.stream, id, SESSION_RETRY_MS);
	tell_pending(stream);
}

/* Those that were ended may still be in the list. */
static void make_room(struct session *session)
{
	struct session_stream *stream, *oldest = NULL;
	unsigned count = 0;

	TAILQ_FOREACH (stream, &session->streams, link) {
		oldest = stream;
		count++;
	}
	if (count >= SESSION_STREAMS_MAX)
		stream_end(oldest->watcher.stream, NULL);
}

static void join(struct session_stream *stream, struct session *session,
		 const struct event_id *last)
{
	stream->session = session;
	make_room(session);
	begin(stream, last);
	TAILQ_INSERT_HEAD(&session->streams, stream, link);
	sessions_add_interest(session->sessions);
}

static void read_on(struct session_stream *stream, struct reply *reply,
		    const struct event_id *last, struct sessions *sessions)
{
	stream->replies = sessions;
	stream->number = last->stream;
	reply_resume(reply, last->event, stream->watcher.stream);
}

static void open_in(struct session_stream *stream, struct session *session,
		    const char *last_event_id)
{
	struct event_id last;
	bool named = last_event_id && event_id_read(last_event_id, &last);
	struct reply *reply = named ? reply_find(session, last.stream) : NULL;

	if (reply)
		read_on(stream, reply, &last, session->sessions);
	else
		join(stream, session, named ? &last : NULL);
}

static void refuse(struct exchange *exchange)
{
	struct buffer body = BUFFER_INIT;

	rpc_write_error(&body, NULL,
			&(struct rpc_error){ RPC_REFUSED,
					     "Too many streams are open: close some, or "
					     "try again later" });
	exchange_answer(exchange, 503, "application/json", &body);
}

void session_stream_open(struct endpoint *endpoint, struct exchange *exchange,
			 struct session *session)
{
	struct session_stream *stream =
		arena_alloc(exchange_arena(exchange), sizeof(*stream));
	struct watcher_list *watchers = endpoint_watchers(endpoint);
	struct stream *events;

	if (!stream || !watcher_is_allowed(watchers, exchange) ||
	    !(events = exchange_stream(exchange))) {
		refuse(exchange);
		return;
	}
	watcher_open(&stream->watcher, watchers, exchange, events);
	stream->endpoint = endpoint;
	exchange_set_context(exchange, stream);
	if (session)
		open_in(stream, session,
			exchange_header(exchange, "Last-Event-ID", NULL));
	else if (endpoint_changes(endpoint))
		observer_add(endpoint_changes(endpoint), &stream->observer, on_change,
			     stream);
}

static void leave(struct session_stream *stream, struct session *session)
{
	TAILQ_REMOVE(&session->streams, stream, link);
	sessions_drop_interest(session->sessions);
	stream->session = NULL;
}

void session_stream_stopping(struct exchange *exchange)
{
	const struct session_stream *stream = exchange_context(exchange);

	if (stream && stream->replies)
		reply_stop(stream->replies, stream->number);
}

void session_stream_ended(struct exchange *exchange)
{
	struct session_stream *stream = exchange_context(exchange);

	if (!stream)
		return;
	if (stream->replies)
		reply_leave(stream->replies, stream->number, stream->watcher.stream);
	observer_remove(&stream->observer);
	if (stream->session)
		leave(stream, stream->session);
	watcher_close(&stream->watcher);
}

void session_streams_end(struct session *session)
{
	struct session_stream *stream;

	while ((stream = TAILQ_FIRST(&session->streams))) {
		stream_end(stream->watcher.stream, NULL);
		leave(stream, session);
	}
}
