/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fake of http/exchange.h for the tests of mcp: a body goes in, the answer is kept.
 *
 * It defines every function of exchange.c, so that the linker leaves the real one out.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

#include "http/exchange.h"
#include "http/exchange_carrier.h"
#include "mcp/endpoint.h"

enum { FAKE_HEADERS_MAX = 4 };

struct fake_header {
	const char *name; /* NULL: no more */
	const char *value;
	bool conflict;
};

struct exchange {
	const char *method; /* NULL: "POST" */
	struct client client;
	struct arena *arena;
	void *context;
	struct fake_header headers[FAKE_HEADERS_MAX];
	unsigned status; /* 0: not answered */
	const char *content_type;
	char *body; /* NUL-terminated; NULL: none */
	size_t body_length;
	char session_id[64]; /* the answer's Mcp-Session-Id, "" none */
	char challenge[128]; /* ... WWW-Authenticate, likewise */
	struct stream *stream;
	bool held;
	char events[8192]; /* that have been taken, see fake_events() */
};

struct arena *exchange_arena(struct exchange *exchange)
{
	return exchange->arena;
}

void exchange_set_context(struct exchange *exchange, void *context)
{
	exchange->context = context;
}

void *exchange_context(const struct exchange *exchange)
{
	return exchange->context;
}

const char *exchange_method(const struct exchange *exchange)
{
	return exchange->method ? exchange->method : "POST";
}

const struct client *exchange_client(const struct exchange *exchange)
{
	return &exchange->client;
}

const char *exchange_header(struct exchange *exchange, const char *name,
			    bool *conflict_out)
{
	for (const struct fake_header *header = exchange->headers;
	     header < exchange->headers + FAKE_HEADERS_MAX && header->name; header++) {
		if (strcasecmp(name, header->name) != 0)
			continue;
		if (header->conflict && conflict_out)
			*conflict_out = true;
		return header->value;
	}
	return NULL;
}

bool exchange_header_has(struct exchange *exchange, const char *name, const char *text)
{
	const char *value = exchange_header(exchange, name, NULL);

	return value && strcasestr(value, text);
}

void exchange_answer(struct exchange *exchange, unsigned status, const char *content_type,
		     struct buffer *body)
{
	assert_int_equal(exchange->status, 0); /* exactly once */
	exchange->status = status;
	exchange->content_type = content_type;
	if (!body)
		return;
	buffer_append(body, "", 1);
	exchange->body = buffer_take(body, &exchange->body_length);
	exchange->body_length--;
}

/* `ended` is up to the test. */
void exchange_hold(struct exchange *exchange)
{
	exchange->held = true;
}

void exchange_release(struct exchange *exchange)
{
	assert_true(exchange->held);
	exchange->held = false;
}

void exchange_add_header(struct exchange *exchange, const char *name, const char *value)
{
	if (strcmp(name, "WWW-Authenticate") == 0) {
		assert_true(strlen(value) < sizeof(exchange->challenge));
		strcpy(exchange->challenge, value);
		return;
	}
	assert_string_equal(name, "Mcp-Session-Id");
	assert_true(strlen(value) < sizeof(exchange->session_id));
	strcpy(exchange->session_id, value);
}

/* Streams */

static struct streams fake_streams;

static void fake_filled(void *data)
{
}

static void fake_overrun(void *data)
{
}

struct stream *exchange_stream(struct exchange *exchange)
{
	static const struct streams_carrier carrier = { fake_filled, fake_overrun };
	sd_event *loop = NULL;

	assert_int_equal(exchange->status, 0);
	if (!fake_streams.keep_alive) {
		assert_true(sd_event_default(&loop) >= 0);
		assert_true(streams_init(&fake_streams, loop, 1000) >= 0);
	}
	exchange->status = 200;
	exchange->stream = stream_new(&fake_streams, &carrier, exchange);
	return exchange->stream;
}

/* What has been pushed since the last call, without the first comment. */
static inline const char *fake_events(struct exchange *exchange)
{
	size_t length = 0, part;

	while ((part = stream_read(exchange->stream, exchange->events + length,
				   sizeof(exchange->events) - 1 - length)))
		length += part;
	exchange->events[length] = '\0';
	return strncmp(exchange->events, ": \n\n", 4) ? exchange->events
						      : exchange->events + 4;
}

/* After `ended`. */
static inline void fake_exchange_free(struct exchange *exchange)
{
	stream_free(exchange->stream);
	arena_free(exchange->arena);
	free(exchange->body);
}

/* The whole request; `body` NULL: it has none. */
static inline void fake_exchange_send(void *endpoint, struct exchange *exchange,
				      const char *body)
{
	exchange->arena = arena_new(EXCHANGE_ARENA_MAX);
	endpoint_handler.begin(endpoint, exchange);
	if (body)
		endpoint_handler.body(endpoint, exchange, body, strlen(body));
	endpoint_handler.complete(endpoint, exchange);
}

/* Its client leaves, and so does an open stream. */
static inline void fake_exchange_close(void *endpoint, struct exchange *exchange)
{
	if (exchange->stream && !stream_is_ended(exchange->stream))
		endpoint_handler.abandoned(endpoint, exchange);
	endpoint_handler.ended(endpoint, exchange);
	fake_exchange_free(exchange);
}

static inline void assert_has(const char *text, const char *piece)
{
	if (!text || !strstr(text, piece))
		fail_msg("%s\n  is not in %s", piece, text ? text : "nothing");
}
