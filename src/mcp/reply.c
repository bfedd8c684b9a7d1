/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   connected -> (connection lost) -> lost -> (GET resumes) -> connected
 *       |                             |
 *     ended                        timeout: the request is abandoned, the reply freed
 *       |
 *   exchange released -> timeout: freed
 *
 * A reply that is not resumable is freed when it ends or loses its connection. A
 * resumable one holds its exchange, because the request lives in the exchange's arena;
 * the loop releases it later, because the code that ends a reply still runs in that
 * arena.
 */
#include "mcp/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "http/exchange.h"

struct reply_event {
	uint64_t event;
	size_t length;
	TAILQ_ENTRY(reply_event) link;
	char data[];
};

TAILQ_HEAD(reply_event_list, reply_event);

struct reply {
	struct stream *stream; /* NULL if not connected */
	struct reply_owner owner;
	bool is_ended;
	/* Resumable replies only: */
	struct sessions *sessions;     /* NULL if not resumable */
	const struct session *session; /* NULL if it ended */
	struct exchange *exchange;     /* held; NULL if released */
	sd_event_source *timer;
	struct session_event_id id; /* of the latest event */
	struct reply_event_list kept;
	size_t kept_count, kept_bytes;
	TAILQ_ENTRY(reply) link;
};

/* Kept events */

static void reply_drop_oldest_event(struct reply *reply)
{
	struct reply_event *kept = TAILQ_FIRST(&reply->kept);

	TAILQ_REMOVE(&reply->kept, kept, link);
	reply->kept_count--;
	reply->kept_bytes -= kept->length;
	free(kept);
}

/*
 * If this event cannot be kept, the earlier ones are useless: a client must not miss one.
 */
static void reply_keep_event(struct reply *reply, const struct buffer *body)
{
	struct reply_event *kept = NULL;

	while (reply->kept_count && (reply->kept_count == REPLY_EVENTS_MAX ||
				     reply->kept_bytes + body->length > REPLY_BYTES_MAX))
		reply_drop_oldest_event(reply);
	if (body->length <= REPLY_BYTES_MAX)
		kept = malloc(sizeof(*kept) + body->length);
	if (!kept) {
		while (reply->kept_count)
			reply_drop_oldest_event(reply);
		return;
	}
	kept->event = reply->id.event;
	kept->length = body->length;
	memcpy(kept->data, body->data, body->length);
	TAILQ_INSERT_TAIL(&reply->kept, kept, link);
	reply->kept_count++;
	reply->kept_bytes += body->length;
}

/* Life */

static void reply_destroy(struct reply *reply)
{
	struct exchange *exchange = reply->exchange;

	while (reply->kept_count)
		reply_drop_oldest_event(reply);
	if (reply->sessions) {
		TAILQ_REMOVE(&reply->sessions->replies, reply, link);
		sd_event_source_disable_unref(reply->timer);
	}
	free(reply);
	if (exchange)
		exchange_release(exchange);
}

static void reply_start_timer(struct reply *reply, uint64_t ms)
{
	sd_event_source_set_time_relative(reply->timer, ms * 1000);
	sd_event_source_set_enabled(reply->timer, SD_EVENT_ONESHOT);
}

static void reply_stop_timer(struct reply *reply)
{
	sd_event_source_set_enabled(reply->timer, SD_EVENT_OFF);
}

static void reply_abandon(struct reply *reply)
{
	if (!reply->is_ended)
		reply->owner.abandoned(reply->owner.data);
	reply->is_ended = true;
}

static int reply_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct reply *reply = data;
	struct exchange *exchange = reply->exchange;

	if (!reply->is_ended || !exchange || !reply->session) {
		reply_abandon(reply);
		reply_destroy(reply);
		return 0;
	}
	reply->exchange = NULL;
	exchange_release(exchange);
	reply_start_timer(reply, reply->sessions->reply_timeout_ms);
	return 0;
}

/*
 * Makes room for one more reply of a session, or (NULL) of all, by freeing the oldest that has
 * ended. Returns false if none has.
 */
static bool reply_make_room(struct sessions *sessions, const struct session *session,
			    unsigned maximum)
{
	struct reply *reply, *ended = NULL;
	unsigned count = 0;

	TAILQ_FOREACH (reply, &sessions->replies, link) {
		if (session && reply->session != session)
			continue;
		if (!ended && reply->is_ended && !reply->exchange)
			ended = reply;
		count++;
	}
	if (count < maximum)
		return true;
	if (ended)
		reply_destroy(ended);
	return ended;
}

static void reply_prime(struct stream *stream, struct session_event_id id)
{
	char text[SESSION_EVENT_ID_BYTES];

	session_event_id_write(id, text);
	stream_prime(stream, text, REPLY_RETRY_MS);
}

/* Without room for another one, the reply is not resumable. */
static void reply_make_resumable(struct reply *reply, struct exchange *exchange,
				 struct session *session)
{
	struct sessions *sessions = session->sessions;

	if (!sessions->loop || !reply_make_room(sessions, session, REPLIES_PER_SESSION) ||
	    !reply_make_room(sessions, NULL, REPLIES_MAX) ||
	    sd_event_add_time(sessions->loop, &reply->timer, CLOCK_MONOTONIC, UINT64_MAX,
			      0, reply_on_timer, reply) < 0)
		return;
	reply_stop_timer(reply);
	reply->sessions = sessions;
	reply->session = session;
	reply->exchange = exchange;
	reply->id.stream = session_next_stream_number(sessions);
	TAILQ_INSERT_TAIL(&sessions->replies, reply, link);
	exchange_hold(exchange);
	reply_prime(reply->stream, reply->id);
}

struct reply *reply_open(struct exchange *exchange, struct session *session,
			 const struct reply_owner *owner)
{
	struct reply *reply = calloc(1, sizeof(*reply));

	if (!reply)
		return NULL;
	TAILQ_INIT(&reply->kept);
	reply->owner = *owner;
	reply->stream = exchange_stream(exchange);
	if (!reply->stream) {
		free(reply);
		return NULL;
	}
	if (session)
		reply_make_resumable(reply, exchange, session);
	return reply;
}

/* Sending */

/* Numbers and keeps the next event; its ID is written to `text`. */
static struct stream_event reply_next_event(struct reply *reply,
					    const struct buffer *body,
					    char text[SESSION_EVENT_ID_BYTES])
{
	struct stream_event event = { .data = body->data, .length = body->length };

	if (!reply->sessions)
		return event;
	reply->id.event++;
	session_event_id_write(reply->id, text);
	event.id = text;
	reply_keep_event(reply, body);
	return event;
}

bool reply_push(struct reply *reply, struct buffer *body)
{
	char id[SESSION_EVENT_ID_BYTES];
	struct stream_event event;
	bool accepted = false;

	if (!body->failed) {
		event = reply_next_event(reply, body, id);
		accepted = reply->stream && stream_push(reply->stream, &event);
		accepted |= reply->sessions != NULL;
	}
	buffer_deinit(body);
	return accepted;
}

void reply_finish(struct reply *reply, struct buffer *body)
{
	char id[SESSION_EVENT_ID_BYTES];
	struct stream_event last;
	bool has_last = !body->failed && body->length;

	if (has_last)
		last = reply_next_event(reply, body, id);
	if (reply->stream)
		stream_end(reply->stream, has_last ? &last : NULL);
	buffer_clear(body);
	reply->stream = NULL;
	reply->is_ended = true;
	if (reply->sessions)
		reply_start_timer(reply, 0);
	else
		reply_destroy(reply);
}

bool reply_lose(struct reply *reply)
{
	reply->stream = NULL;
	if (!reply->sessions) {
		reply_destroy(reply);
		return false;
	}
	reply_start_timer(reply, reply->sessions->reply_timeout_ms);
	return true;
}

bool reply_close_connection(struct reply *reply)
{
	if (!reply->sessions || !reply->stream)
		return false;
	stream_end(reply->stream, NULL);
	return reply_lose(reply);
}

struct stream *reply_stream(const struct reply *reply)
{
	return reply->stream;
}

/* Resuming */

static struct reply *reply_find_number(const struct sessions *sessions, uint64_t number)
{
	struct reply *reply;

	TAILQ_FOREACH (reply, &sessions->replies, link) {
		if (reply->id.stream == number)
			return reply;
	}
	return NULL;
}

struct reply *reply_find(const struct session *session, uint64_t number)
{
	struct reply *reply = reply_find_number(session->sessions, number);

	return reply && reply->session == session ? reply : NULL;
}

static void reply_replay(const struct reply *reply, uint64_t event, struct stream *stream)
{
	const struct reply_event *kept;

	TAILQ_FOREACH (kept, &reply->kept, link) {
		char id[SESSION_EVENT_ID_BYTES];
		struct stream_event again = {
			.id = id,
			.data = kept->data,
			.length = kept->length,
		};

		if (kept->event <= event)
			continue;
		session_event_id_write(
			(struct session_event_id){ reply->id.stream, kept->event }, id);
		stream_push(stream, &again);
	}
}

void reply_resume(struct reply *reply, uint64_t event, struct stream *stream)
{
	if (reply->stream) /* that connection is dead, or the client has left it */
		stream_end(reply->stream, NULL);
	reply->stream = stream;
	reply_prime(stream, (struct session_event_id){ reply->id.stream, event });
	reply_replay(reply, event, stream);
	if (reply->is_ended) {
		stream_end(stream, NULL);
		reply->stream = NULL;
	} else {
		reply_stop_timer(reply);
	}
}

void reply_detach(struct sessions *sessions, uint64_t number, const struct stream *stream)
{
	struct reply *reply = reply_find_number(sessions, number);

	if (reply && reply->stream == stream)
		reply_lose(reply);
}

void reply_stop(struct sessions *sessions, uint64_t number)
{
	const struct reply *reply = reply_find_number(sessions, number);

	if (reply && !reply->is_ended)
		reply->owner.stopping(reply->owner.data);
}

/*
 * Freed later, from the loop: the caller may run on behalf of the request that is
 * abandoned here.
 */
static void reply_end(struct reply *reply)
{
	if (reply->stream)
		stream_end(reply->stream, NULL);
	reply->stream = NULL;
	reply->session = NULL;
	reply_abandon(reply);
	reply_start_timer(reply, 0);
}

void reply_end_all(struct sessions *sessions, const struct session *session)
{
	struct reply *reply;

	if (!session) {
		while ((reply = TAILQ_FIRST(&sessions->replies))) {
			reply_end(reply);
			reply_destroy(reply);
		}
		return;
	}
	TAILQ_FOREACH (reply, &sessions->replies, link) {
		if (reply->session == session)
			reply_end(reply);
	}
}
