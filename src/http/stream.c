/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream is a queue of pieces, each an event or a comment as it goes over the wire. It knows no
 * socket: a carrier (http/exchange_carrier.h) reads the bytes.
 *
 *   open -> ended    stream_end(): what waits is still read, nothing more is queued
 *   open -> broken   the queue is full or memory is out: the carrier disconnects the peer
 *
 * An idle stream needs no memory but its struct: each piece is a block of its own, freed when its
 * last byte has been read.
 */
#include "http/exchange.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "http/exchange_carrier.h"

enum {
	STREAM_TIMER_ACCURACY_US = 1000 * 1000, /* wake up together with other timers */
	STREAM_FREE_BYTES = 4 * 1024,		/* may wait without the budget */
};

static const char stream_comment[] = ": \n\n";

struct stream_piece {
	TAILQ_ENTRY(stream_piece) link;
	size_t key_length; /* 0 if there is none; the key precedes the text in `bytes` */
	size_t length;	   /* of the text */
	size_t charged_bytes;
	char bytes[];
};

struct stream {
	struct streams *streams;
	const struct streams_carrier *carrier;
	void *data;
	bool ended;
	bool broken;
	bool reported;		   /* `filled` was called */
	void (*empty)(void *data); /* see stream_on_empty() */
	void *empty_data;
	unsigned count;
	size_t waiting_bytes;
	size_t read_bytes; /* of the first piece */
	TAILQ_HEAD(stream_pieces, stream_piece) pieces;
	LIST_ENTRY(stream) link;
};

static void stream_drop(struct stream *stream, struct stream_piece *piece)
{
	TAILQ_REMOVE(&stream->pieces, piece, link);
	stream->count--;
	stream->waiting_bytes -= piece->length;
	arena_budget_give(stream->streams->budget, piece->charged_bytes);
	free(piece);
}

static void stream_drop_first(struct stream *stream)
{
	stream_drop(stream, TAILQ_FIRST(&stream->pieces));
	stream->read_bytes = 0;
}

static void stream_break(struct stream *stream)
{
	stream->broken = true;
	while (!TAILQ_EMPTY(&stream->pieces))
		stream_drop_first(stream);
	stream->carrier->overrun(stream->data);
}

/* `key` may be NULL; `text` is a whole event or comment, and is freed. */
static bool stream_append(struct stream *stream, const char *key, struct buffer *text,
			  size_t charge)
{
	struct arena_budget *budget = stream->streams->budget;
	size_t key_length = key ? strlen(key) : 0;
	struct stream_piece *piece = NULL;

	if (!text->failed && arena_budget_take(budget, charge)) {
		piece = malloc(sizeof(*piece) + key_length + text->length);
		if (!piece)
			arena_budget_give(budget, charge);
	}
	if (piece) {
		piece->key_length = key_length;
		piece->length = text->length;
		piece->charged_bytes = charge;
		if (key)
			memcpy(piece->bytes, key, key_length);
		memcpy(piece->bytes + key_length, text->data, text->length);
		TAILQ_INSERT_TAIL(&stream->pieces, piece, link);
		stream->count++;
		stream->waiting_bytes += text->length;
	}
	buffer_deinit(text);
	return piece;
}

static void stream_report(struct stream *stream)
{
	if (stream->reported)
		return;
	stream->reported = true;
	stream->carrier->filled(stream->data);
}

/* Frees `text`. What waits beyond STREAM_FREE_BYTES is taken from the budget. */
static bool stream_queue(struct stream *stream, const char *key, struct buffer *text)
{
	size_t waiting = stream->waiting_bytes + text->length;
	size_t charge = waiting > STREAM_FREE_BYTES ? text->length : 0;
	bool fits = stream->count < STREAM_EVENTS_MAX && waiting <= STREAM_BYTES_MAX;

	if (!fits || !stream_append(stream, key, text, charge)) {
		buffer_deinit(text);
		stream_break(stream);
		return false;
	}
	stream_report(stream);
	return true;
}

static void stream_write_field(struct buffer *text, const char *name, const char *value,
			       size_t length)
{
	buffer_append_text(text, name);
	buffer_append_text(text, ": ");
	buffer_append(text, value, length);
	buffer_append_text(text, "\n");
}

static void stream_write_event(struct buffer *text, const struct stream_event *event)
{
	assert(!memchr(event->data, '\n', event->length));
	if (event->id)
		stream_write_field(text, "id", event->id, strlen(event->id));
	buffer_append_text(text, "event: message\n");
	stream_write_field(text, "data", event->data, event->length);
	buffer_append_text(text, "\n");
}

/* Returns the waiting event with this key, of which no byte has gone out yet; or NULL. */
static struct stream_piece *stream_find(const struct stream *stream, const char *key)
{
	size_t length = strlen(key);
	struct stream_piece *piece;

	TAILQ_FOREACH (piece, &stream->pieces, link) {
		bool begun = piece == TAILQ_FIRST(&stream->pieces) && stream->read_bytes;

		if (!begun && piece->key_length == length &&
		    memcmp(piece->bytes, key, length) == 0)
			return piece;
	}
	return NULL;
}

bool stream_push(struct stream *stream, const struct stream_event *event)
{
	struct buffer text = BUFFER_INIT;
	struct stream_piece *older;

	if (stream->ended || stream->broken)
		return false;
	older = event->key ? stream_find(stream, event->key) : NULL;
	if (older)
		stream_drop(stream, older);
	stream_write_event(&text, event);
	return stream_queue(stream, event->key, &text);
}

bool stream_prime(struct stream *stream, const char *id, unsigned retry_ms)
{
	struct buffer text = BUFFER_INIT;
	char retry[16];
	int length = snprintf(retry, sizeof(retry), "%u", retry_ms);

	if (stream->ended || stream->broken)
		return false;
	stream_write_field(&text, "id", id, strlen(id));
	stream_write_field(&text, "retry", retry, (size_t)length);
	buffer_append_text(&text, "data: \n\n");
	return stream_queue(stream, NULL, &text);
}

bool stream_has_room(const struct stream *stream, size_t length)
{
	return TAILQ_EMPTY(&stream->pieces) ||
	       (stream->count < STREAM_EVENTS_MAX / 4 &&
		stream->waiting_bytes + length < STREAM_BYTES_MAX / 4);
}

void stream_on_empty(struct stream *stream, void (*empty)(void *data), void *data)
{
	stream->empty = empty;
	stream->empty_data = data;
}

void stream_end(struct stream *stream, const struct stream_event *last)
{
	struct buffer text = BUFFER_INIT;

	if (stream->ended || stream->broken)
		return;
	if (last)
		stream_write_event(&text, last);
	if (last && !stream_append(stream, NULL, &text, 0)) {
		stream_break(stream);
		return;
	}
	stream->ended = true;
	stream_report(stream);
}

static int streams_on_keep_alive(sd_event_source *source, uint64_t due_us, void *data)
{
	struct streams *streams = data;
	struct stream *stream, *next;

	for (stream = LIST_FIRST(&streams->list); stream; stream = next) {
		struct buffer text = BUFFER_INIT;

		next = LIST_NEXT(stream, link);
		/* others have something to send anyway */
		if (stream->ended || stream->broken || stream->count)
			continue;
		buffer_append_text(&text, stream_comment);
		stream_queue(stream, NULL, &text);
	}
	sd_event_source_set_time_relative(source, streams->period_us);
	sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

int streams_init(struct streams *streams, sd_event *loop, unsigned max_count)
{
	*streams = (struct streams){
		.max_count = max_count,
		.period_us =
			(uint64_t)STREAM_KEEP_ALIVE_MS * 1000 - STREAM_TIMER_ACCURACY_US,
	};
	LIST_INIT(&streams->list);
	return sd_event_add_time(loop, &streams->keep_alive, CLOCK_MONOTONIC, UINT64_MAX,
				 STREAM_TIMER_ACCURACY_US, streams_on_keep_alive,
				 streams);
}

void streams_deinit(struct streams *streams)
{
	assert(!streams->count);
	streams->keep_alive = sd_event_source_disable_unref(streams->keep_alive);
}

static void streams_start_timer(struct streams *streams)
{
	int error = sd_event_source_set_time_relative(streams->keep_alive,
						      streams->period_us);

	if (error >= 0)
		error = sd_event_source_set_enabled(streams->keep_alive,
						    SD_EVENT_ONESHOT);
	if (error < 0)
		log_error("http: no keep-alive for streams: error %d", -error);
}

void streams_set_period(struct streams *streams, uint64_t period_ms)
{
	streams->period_us = period_ms * 1000;
	if (streams->count)
		streams_start_timer(streams);
}

struct stream *stream_new(struct streams *streams, const struct streams_carrier *carrier,
			  void *data)
{
	struct stream *stream = NULL;
	struct buffer text = BUFFER_INIT;

	if (streams->count < streams->max_count)
		stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->streams = streams;
	stream->carrier = carrier;
	stream->data = data;
	stream->reported = true;
	TAILQ_INIT(&stream->pieces);
	buffer_append_text(&text, stream_comment);
	if (!stream_append(stream, NULL, &text, 0)) {
		free(stream);
		return NULL;
	}
	LIST_INSERT_HEAD(&streams->list, stream, link);
	if (!streams->count++)
		streams_start_timer(streams);
	return stream;
}

void stream_free(struct stream *stream)
{
	struct streams *streams;

	if (!stream)
		return;
	streams = stream->streams;
	while (!TAILQ_EMPTY(&stream->pieces))
		stream_drop_first(stream);
	LIST_REMOVE(stream, link);
	if (!--streams->count)
		sd_event_source_set_enabled(streams->keep_alive, SD_EVENT_OFF);
	free(stream);
}

size_t stream_read(struct stream *stream, char *to, size_t room)
{
	size_t length = 0;

	while (length < room && !TAILQ_EMPTY(&stream->pieces)) {
		struct stream_piece *piece = TAILQ_FIRST(&stream->pieces);
		size_t part = piece->length - stream->read_bytes;

		if (part > room - length)
			part = room - length;
		memcpy(to + length, piece->bytes + piece->key_length + stream->read_bytes,
		       part);
		length += part;
		stream->read_bytes += part;
		if (stream->read_bytes == piece->length)
			stream_drop_first(stream);
	}
	if (!length)
		stream->reported = false;
	if (stream->empty && TAILQ_EMPTY(&stream->pieces))
		stream->empty(stream->empty_data);
	return length;
}

bool stream_is_ended(const struct stream *stream)
{
	return stream->ended;
}
