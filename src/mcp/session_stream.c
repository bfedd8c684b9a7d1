/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   GET without a session        -> tools/list_changed only, no IDs
 *   GET with a session           -> a new stream number; pending changes are sent
 *   GET with Last-Event-ID       -> of a reply: the reply is resumed on this stream
 *                                   of a session stream: it takes over that number, and what was
 *                                   sent after the ID is sent again
 *                                   of an earlier process: everything counts as changed
 */
#include "mcp/session.h"

#include <string.h>

#include "http/exchange.h"
#include "mcp/request.h"
#include "mcp/resource.h"

/* Clients of older revisions fail on an event that has only an ID. */
#define SESSION_STREAM_PRIMED_SINCE "2025-11-25"

/* Lives in the exchange's arena. */
struct session_stream {
	struct stream_client client;
	const struct request_context *context;
	struct session *session;  /* NULL if there is no session, or it ended */
	struct observer observer; /* without a session only */
	uint64_t number;
	uint64_t event; /* number of the last event */
	/* Set if the stream resumes the reply `number`; NULL if it does not. */
	struct sessions *replies;
	TAILQ_ENTRY(session_stream) link;
};

/* Sending */

/* Everybody may hear about tools, which have no subject. */
static bool session_stream_may_send(const struct session_stream *stream,
				    const struct session_subscription *subscription)
{
	return !subscription->subject ||
	       resource_is_readable(stream->context->resources, subscription->subject,
				    stream->client.scopes);
}

static bool session_stream_push(struct session_stream *stream,
				struct session_subscription *subscription)
{
	char id[SESSION_EVENT_ID_BYTES];

	if (!session_stream_may_send(stream, subscription))
		return false;
	session_event_id_write(
		(struct session_event_id){ stream->number, stream->event + 1 }, id);
	if (!stream_client_push_change(&stream->client, id, subscription->uri, NULL))
		return false;
	stream->event++;
	subscription->stream = stream->number;
	subscription->event = stream->event;
	subscription->pending = false;
	return true;
}

void session_stream_send(struct session *session,
			 struct session_subscription *subscription)
{
	struct session_stream *stream;

	TAILQ_FOREACH (stream, &session->streams, link) {
		if (session_stream_push(stream, subscription))
			return;
	}
	subscription->pending = true;
}

static void session_stream_on_change(void *data, const void *event_data)
{
	const struct resource_change *change = event_data;
	struct session_stream *stream = data;

	if (change->type == CHANGE_RESOURCE ||
	    !resource_change_is_of(change, stream->client.client_id))
		return;
	if (change->type == CHANGE_TOOLS)
		stream_client_push_change(&stream->client, NULL, NULL, NULL);
	else
		stream_end(stream->client.stream, NULL);
}

static void session_stream_send_pending(struct session_stream *stream)
{
	struct session *session = stream->session;
	struct session_subscription *subscription;

	if (session->tools.pending)
		session_stream_push(stream, &session->tools);
	TAILQ_FOREACH (subscription, &session->subscriptions, link) {
		if (subscription->pending)
			session_stream_push(stream, subscription);
	}
}

/* Resuming */

static void session_stream_mark_missed(struct session_subscription *subscription,
				       uint64_t number, uint64_t event)
{
	if (subscription->stream == number && subscription->event > event)
		subscription->pending = true;
}

/*
 * The stream continues under its old number. Another one with this number is dead or
 * left.
 */
static void session_stream_take_over(struct session_stream *stream, uint64_t number,
				     uint64_t event)
{
	struct session_stream *other;

	stream->number = number;
	stream->event = event;
	TAILQ_FOREACH (other, &stream->session->streams, link) {
		if (other->number != number)
			continue;
		if (other->event > stream->event)
			stream->event = other->event;
		stream_end(other->client.stream, NULL);
	}
}

static void session_stream_resume(struct session_stream *stream, uint64_t number,
				  uint64_t event)
{
	struct session *session = stream->session;
	struct session_subscription *subscription;

	/* After a restart the numbers say nothing about what was missed. */
	if (number >> 32 != session->sessions->epoch) {
		TAILQ_FOREACH (subscription, &session->subscriptions, link)
			subscription->pending = true;
		return;
	}
	session_stream_mark_missed(&session->tools, number, event);
	TAILQ_FOREACH (subscription, &session->subscriptions, link) {
		session_stream_mark_missed(subscription, number, event);
		if (subscription->stream == number && subscription->event > event)
			stream->event = subscription->event;
	}
	session_stream_take_over(stream, number,
				 event > stream->event ? event : stream->event);
}

/* Opening */

static void session_stream_begin(struct session_stream *stream,
				 const struct session_event_id *last)
{
	struct session *session = stream->session;
	char id[SESSION_EVENT_ID_BYTES];

	stream->number = session_next_stream_number(session->sessions);
	if (last)
		session_stream_resume(stream, last->stream, last->event);
	session_event_id_write((struct session_event_id){ stream->number, stream->event },
			       id);
	if (strcmp(session->revision, SESSION_STREAM_PRIMED_SINCE) >= 0)
		stream_prime(stream->client.stream, id, SESSION_STREAM_RETRY_MS);
	session_stream_send_pending(stream);
}

/* Streams that were ended but not yet closed also count. */
static void session_stream_make_room(struct session *session)
{
	struct session_stream *stream, *oldest = NULL;
	unsigned count = 0;

	TAILQ_FOREACH (stream, &session->streams, link) {
		oldest = stream;
		count++;
	}
	if (count >= SESSION_STREAMS_MAX)
		stream_end(oldest->client.stream, NULL);
}

static void session_stream_join(struct session_stream *stream, struct session *session,
				const struct session_event_id *last)
{
	stream->session = session;
	session_stream_make_room(session);
	session_stream_begin(stream, last);
	TAILQ_INSERT_HEAD(&session->streams, stream, link);
	session_add_interest(session->sessions);
}

static void session_stream_open_in(struct session_stream *stream, struct session *session,
				   const char *last_event_id)
{
	struct session_event_id last;
	bool named = last_event_id && session_event_id_read(last_event_id, &last);
	struct reply *reply = named ? reply_find(session, last.stream) : NULL;

	if (!reply) {
		session_stream_join(stream, session, named ? &last : NULL);
		return;
	}
	stream->replies = session->sessions;
	stream->number = last.stream;
	reply_resume(reply, last.event, stream->client.stream);
}

void session_stream_open(const struct request_context *context, struct exchange *exchange,
			 struct session *session)
{
	struct session_stream *stream =
		arena_alloc(exchange_arena(exchange), sizeof(*stream));
	struct stream_client_list *clients = context->stream_clients;
	struct stream *events;

	if (!stream || !stream_client_is_allowed(clients, exchange) ||
	    !(events = exchange_stream(exchange))) {
		rpc_refuse(exchange, 503, RPC_REFUSED,
			   "Too many streams are open: close some, or try again later");
		return;
	}
	stream_client_open(&stream->client, clients, exchange, events);
	stream->context = context;
	exchange_set_context(exchange, stream);
	if (session)
		session_stream_open_in(stream, session,
				       exchange_header(exchange, "Last-Event-ID", NULL));
	else if (context->changes)
		observer_add(context->changes, &stream->observer,
			     session_stream_on_change, stream);
}

static void session_stream_leave(struct session_stream *stream, struct session *session)
{
	TAILQ_REMOVE(&session->streams, stream, link);
	session_drop_interest(session->sessions);
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
		reply_detach(stream->replies, stream->number, stream->client.stream);
	observer_remove(&stream->observer);
	if (stream->session)
		session_stream_leave(stream, stream->session);
	stream_client_close(&stream->client);
}

void session_stream_end_all(struct session *session)
{
	struct session_stream *stream;

	while ((stream = TAILQ_FIRST(&session->streams))) {
		stream_end(stream->client.stream, NULL);
		session_stream_leave(stream, session);
	}
}
