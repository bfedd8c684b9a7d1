/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream knows no socket: a carrier takes the bytes.
 *
 * An idle stream holds no memory but its struct: each event is a block of its own, freed
 * when its last byte has been taken.
 */
#include "http/stream_carrier.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"

enum {
	ACCURACY_US = 1000 * 1000, /* wakes up together with others */
	FREE_BYTES = 4 * 1024,	   /* that may wait without the budget */
};

static const char comment[] = ": \n\n";

struct piece {
	TAILQ_ENTRY(piece) link;
	size_t key_length; /* 0: none; it stands in front of the text */
	size_t length;	   /* of the text */
	size_t charged;	   /* to the budget */
	char bytes[];
};

struct stream {
	struct streams *streams;
	const struct stream_carrier *carrier;
	void *data;
	bool ended;
	bool broken; /* the carrier was told to close */
	bool told;   /* that something waits */
	unsigned count;
	size_t bytes; /* that wait */
	size_t taken; /* of the first piece */
	TAILQ_HEAD(piece_list, piece) pieces;
	LIST_ENTRY(stream) link;
};

static void drop(struct stream *stream, struct piece *piece)
{
	TAILQ_REMOVE(&stream->pieces, piece, link);
	stream->count--;
	stream->bytes -= piece->length;
	memory_budget_give(stream->streams->budget, piece->charged);
	free(piece);
}

static void drop_first(struct stream *stream)
{
	drop(stream, TAILQ_FIRST(&stream->pieces));
	stream->taken = 0;
}

static void break_off(struct stream *stream)
{
	stream->broken = true;
	while (!TAILQ_EMPTY(&stream->pieces))
		drop_first(stream);
	stream->carrier->overrun(stream->data);
}

/* `key` may be NULL; the text is a whole event or comment. */
static bool add_piece(struct stream *stream, const char *key, const struct buffer *text)
{
	size_t key_length = key ? strlen(key) : 0;
	struct piece *piece = malloc(sizeof(*piece) + key_length + text->length);

	if (!piece)
		return false;
	piece->key_length = key_length;
	piece->length = text->length;
	piece->charged = 0;
	if (key)
		memcpy(piece->bytes, key, piece->key_length);
	memcpy(piece->bytes + key_length, text->data, text->length);
	TAILQ_INSERT_TAIL(&stream->pieces, piece, link);
	stream->count++;
	stream->bytes += text->length;
	return true;
}

static bool add_within_budget(struct stream *stream, const char *key,
			      const struct buffer *text)
{
	struct memory_budget *budget = stream->streams->budget;
	size_t charge = stream->bytes + text->length > FREE_BYTES ? text->length : 0;

	if (!memory_budget_take(budget, charge))
		return false;
	if (!add_piece(stream, key, text)) {
		memory_budget_give(budget, charge);
		return false;
	}
	TAILQ_LAST(&stream->pieces, piece_list)->charged = charge;
	return true;
}

static void tell(struct stream *stream)
{
	if (stream->told)
		return;
	stream->told = true;
	stream->carrier->filled(stream->data);
}

/* The text is used up. */
static bool push(struct stream *stream, const char *key, struct buffer *text)
{
	bool fits = stream->count < STREAM_EVENTS_MAX &&
		    stream->bytes + text->length <= STREAM_BYTES_MAX;
	bool added = fits && !text->failed && add_within_budget(stream, key, text);

	buffer_deinit(text);
	if (added)
		tell(stream);
	else
		break_off(stream);
	return added;
}

static void write_field(struct buffer *text, const char *name, const char *value,
			size_t length)
{
	buffer_append_text(text, name);
	buffer_append_text(text, ": ");
	buffer_append(text, value, length);
	buffer_append_text(text, "\n");
}

static void write_event(struct buffer *text, const struct stream_event *event)
{
	assert(!memchr(event->data, '\n', event->length));
	if (event->id)
		write_field(text, "id", event->id, strlen(event->id));
	buffer_append_text(text, "event: message\n");
	write_field(text, "data", event->data, event->length);
	buffer_append_text(text, "\n");
}

/* One of which some bytes have gone out goes on. NULL: none. */
static struct piece *find_waiting(const struct stream *stream, const char *key)
{
	size_t length = strlen(key);
	struct piece *piece;

	TAILQ_FOREACH (piece, &stream->pieces, link) {
		bool begun = piece == TAILQ_FIRST(&stream->pieces) && stream->taken;

		if (!begun && piece->key_length == length &&
		    memcmp(piece->bytes, key, length) == 0)
			return piece;
	}
	return NULL;
}

bool stream_push(struct stream *stream, const struct stream_event *event)
{
	struct buffer text = BUFFER_INIT;
	struct piece *older;

	if (stream->ended || stream->broken)
		return false;
	older = event->key ? find_waiting(stream, event->key) : NULL;
	if (older)
		drop(stream, older);
	write_event(&text, event);
	return push(stream, event->key, &text);
}

bool stream_prime(struct stream *stream, const char *id, unsigned retry_ms)
{
	struct buffer text = BUFFER_INIT;
	char retry[16];
	int length = snprintf(retry, sizeof(retry), "%u", retry_ms);

	if (stream->ended || stream->broken)
		return false;
	write_field(&text, "id", id, strlen(id));
	write_field(&text, "retry", retry, (size_t)length);
	buffer_append_text(&text, "data: \n\n");
	return push(stream, NULL, &text);
}

void stream_end(struct stream *stream, const struct stream_event *last)
{
	struct buffer text = BUFFER_INIT;

	if (stream->ended || stream->broken)
		return;
	if (last)
		write_event(&text, last);
	if (text.failed || (last && !add_piece(stream, NULL, &text))) {
		buffer_deinit(&text);
		break_off(stream);
		return;
	}
	buffer_deinit(&text);
	stream->ended = true;
	tell(stream);
}

/* Only to those that have nothing to say anyhow. */
static void keep_alive(struct stream *stream)
{
	struct buffer text = BUFFER_INIT;

	if (stream->ended || stream->broken || stream->count)
		return;
	buffer_append_text(&text, comment);
	push(stream, NULL, &text);
}

static int on_keep_alive(sd_event_source *source, uint64_t due_us, void *data)
{
	struct streams *streams = data;
	struct stream *stream, *next;

	(void)due_us;
	for (stream = LIST_FIRST(&streams->list); stream; stream = next) {
		next = LIST_NEXT(stream, link);
		keep_alive(stream);
	}
	sd_event_source_set_time_relative(source, streams->period_us);
	sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

int streams_init(struct streams *streams, sd_event *loop, unsigned most)
{
	int error;

	*streams = (struct streams){
		.loop = loop,
		.most = most,
		.period_us = (uint64_t)STREAM_KEEP_ALIVE_MS * 1000 - ACCURACY_US,
	};
	LIST_INIT(&streams->list);
	error = sd_event_add_time(loop, &streams->keep_alive, CLOCK_MONOTONIC, UINT64_MAX,
				  ACCURACY_US, on_keep_alive, streams);
	if (error < 0)
		return error;
	sd_event_source_set_enabled(streams->keep_alive, SD_EVENT_OFF);
	return 0;
}

void streams_deinit(struct streams *streams)
{
	assert(!streams->count);
	streams->keep_alive = sd_event_source_disable_unref(streams->keep_alive);
}

static void timer_start(struct streams *streams)
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
		timer_start(streams);
}

struct stream *stream_new(struct streams *streams, const struct stream_carrier *carrier,
			  void *data)
{
	struct stream *stream = NULL;
	struct buffer text = BUFFER_INIT;

	if (streams->count < streams->most)
		stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->streams = streams;
	stream->carrier = carrier;
	stream->data = data;
	stream->told = true;
	TAILQ_INIT(&stream->pieces);
	buffer_append_text(&text, comment);
	if (text.failed || !add_piece(stream, NULL, &text)) {
		buffer_deinit(&text);
		free(stream);
		return NULL;
	}
	buffer_deinit(&text);
	LIST_INSERT_HEAD(&streams->list, stream, link);
	if (!streams->count++)
		timer_start(streams);
	return stream;
}

void stream_free(struct stream *stream)
{
	struct streams *streams;

	if (!stream)
		return;
	streams = stream->streams;
	while (!TAILQ_EMPTY(&stream->pieces))
		drop_first(stream);
	LIST_REMOVE(stream, link);
	if (!--streams->count)
		sd_event_source_set_enabled(streams->keep_alive, SD_EVENT_OFF);
	free(stream);
}

size_t stream_take(struct stream *stream, char *to, size_t room)
{
	size_t length = 0;

	while (length < room && !TAILQ_EMPTY(&stream->pieces)) {
		struct piece *piece = TAILQ_FIRST(&stream->pieces);
		size_t part = piece->length - stream->taken;

		if (part > room - length)
			part = room - length;
		memcpy(to + length, piece->bytes + piece->key_length + stream->taken,
		       part);
		length += part;
		stream->taken += part;
		if (stream->taken == piece->length)
			drop_first(stream);
	}
	if (!length)
		stream->told = false;
	return length;
}

bool stream_is_ended(const struct stream *stream)
{
	return stream->ended;
}
