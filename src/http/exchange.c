/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An exchange knows no socket: a carrier brings the request and takes the answer.
 *
 * Body pieces are joined until there are EXCHANGE_PIECE_MIN bytes, because the parser behind
 * scans a string again from its start at each piece: a peer that drips bytes must not buy
 * CPU with them (tests/unit/test_exchange.c::test_pieces_are_joined). A body that arrives at
 * once is handed on without a copy.
 */
#include "http/exchange.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "http/client_copy.h"
#include "http/exchange_carrier.h"
#include "http/stream_carrier.h"

enum exchange_state {
	EXCHANGE_RECEIVING,
	EXCHANGE_WAITING, /* whole, and the handler answers later */
	EXCHANGE_STREAMING,
	EXCHANGE_ANSWERED,
	EXCHANGE_ABANDONED,
};

struct exchange {
	enum exchange_state state;
	bool told_to_stop;
	bool held;
	bool encrypted;
	const struct exchange_carrier *carrier; /* NULL: it has let it go */
	void *carrier_data;
	const struct exchange_handler *handler;
	void *handler_data;
	void *context;
	struct stream *stream; /* the carrier's; NULL: not streaming */
	struct arena *arena;
	struct buffer piece; /* what came and is not handed on yet */
	uint64_t received;
	struct memory_budget *budget;
	size_t charged; /* for what the parser keeps of the body, then by the handler */
	uint64_t body_length;
	const char *method;
	const struct client *client; /* a copy of its own, see client_copy.h */
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
	return exchange->method;
}

bool exchange_is_encrypted(const struct exchange *exchange)
{
	return exchange->encrypted;
}

const struct client *exchange_client(const struct exchange *exchange)
{
	return exchange->client;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

const char *exchange_header(struct exchange *exchange, const char *name,
			    bool *conflict_out)
{
	const char *value;
	size_t length, whole;

	if (!exchange->carrier)
		return NULL;
	value = exchange->carrier->header(exchange->carrier_data, name, conflict_out);
	if (!value)
		return NULL;
	while (blank(*value))
		value++;
	for (whole = length = strlen(value); length && blank(value[length - 1]);)
		length--;
	return length == whole ? value : arena_copy(exchange->arena, value, length);
}

void exchange_add_fixed_header(struct exchange *exchange, const char *name,
			       const char *value)
{
	exchange->carrier->header_added(exchange->carrier_data, name, value);
}

void exchange_add_header(struct exchange *exchange, const char *name, const char *value)
{
	const char *copy = arena_copy(exchange->arena, value, strlen(value));

	if (copy)
		exchange_add_fixed_header(exchange, name, copy);
}

struct stream *exchange_stream(struct exchange *exchange)
{
	assert(exchange->state == EXCHANGE_WAITING);
	exchange->stream = exchange->carrier->streamed(exchange->carrier_data);
	if (exchange->stream)
		exchange->state = EXCHANGE_STREAMING;
	return exchange->stream;
}

void exchange_answer(struct exchange *exchange, unsigned status, const char *content_type,
		     struct buffer *body)
{
	assert(exchange->state == EXCHANGE_RECEIVING ||
	       exchange->state == EXCHANGE_WAITING);
	exchange->state = EXCHANGE_ANSWERED;
	exchange->carrier->answered(exchange->carrier_data, status, content_type, body);
}

bool exchange_charge(struct exchange *exchange, size_t bytes)
{
	if (!memory_budget_take(exchange->budget, bytes))
		return false;
	exchange->charged += bytes;
	return true;
}

void exchange_discharge(struct exchange *exchange)
{
	memory_budget_give(exchange->budget, exchange->charged);
	exchange->charged = 0;
}

/* All that it holds. */
static void destroy(struct exchange *exchange)
{
	buffer_deinit(&exchange->piece);
	exchange_discharge(exchange);
	client_copy_drop(exchange->client);
	arena_free(exchange->arena);
	memory_budget_drop(exchange->budget);
	free(exchange);
}

struct exchange *exchange_new(const struct exchange_carrier *carrier, void *carrier_data,
			      const struct exchange_request *request)
{
	struct exchange *exchange = malloc(sizeof(*exchange));

	if (!exchange)
		return NULL;
	*exchange = (struct exchange){
		.carrier = carrier,
		.carrier_data = carrier_data,
		.handler = request->handler,
		.handler_data = request->handler_data,
		.client = client_copy_take(request->client),
		.encrypted = request->encrypted,
		.body_length = request->body_length,
		.budget = memory_budget_keep(request->budget),
		.arena = arena_new_within(request->budget, EXCHANGE_ARENA_MAX),
	};
	if (exchange->arena)
		exchange->method = arena_copy(exchange->arena, request->method,
					      strlen(request->method));
	if (exchange->client && exchange->method)
		return exchange;
	destroy(exchange);
	return NULL;
}

void exchange_begin(struct exchange *exchange)
{
	if (exchange->handler->begin)
		exchange->handler->begin(exchange->handler_data, exchange);
}

static void hand_on(struct exchange *exchange, const char *data, size_t length)
{
	if (exchange->state == EXCHANGE_RECEIVING && exchange->handler->body)
		exchange->handler->body(exchange->handler_data, exchange, data, length);
}

/* A string that spans pieces is kept by the parser, in a buffer that doubles. */
static bool charge_parser(struct exchange *exchange, size_t length)
{
	return exchange->received <= EXCHANGE_PIECE_MIN ||
	       exchange_charge(exchange, 2 * length);
}

int exchange_receive(struct exchange *exchange, const char *data, size_t length)
{
	struct buffer *piece = &exchange->piece;
	bool last;

	exchange->received += length;
	if (exchange->received > EXCHANGE_BODY_MAX)
		return -EMSGSIZE;
	if (!charge_parser(exchange, length))
		return -ENOMEM;
	last = exchange->received == exchange->body_length;
	if (!piece->length && (length >= EXCHANGE_PIECE_MIN || last)) {
		hand_on(exchange, data, length);
		return 0;
	}
	buffer_append(piece, data, length);
	if (piece->failed)
		return -ENOMEM;
	if (piece->length >= EXCHANGE_PIECE_MIN) {
		hand_on(exchange, piece->data, piece->length);
		buffer_clear(piece);
	}
	return 0;
}

void exchange_complete(struct exchange *exchange)
{
	if (exchange->piece.length)
		hand_on(exchange, exchange->piece.data, exchange->piece.length);
	buffer_deinit(&exchange->piece);
	if (exchange->state != EXCHANGE_RECEIVING)
		return;
	exchange->state = EXCHANGE_WAITING;
	exchange_discharge(exchange);
	exchange->handler->complete(exchange->handler_data, exchange);
}

bool exchange_answered(const struct exchange *exchange)
{
	return exchange->state == EXCHANGE_ANSWERED ||
	       exchange->state == EXCHANGE_STREAMING;
}

void exchange_stop(struct exchange *exchange)
{
	bool streams = exchange->state == EXCHANGE_STREAMING;

	if ((exchange->state != EXCHANGE_WAITING && !streams) || exchange->told_to_stop)
		return;
	exchange->told_to_stop = true;
	if (exchange->handler->stopping &&
	    !(streams && stream_is_ended(exchange->stream)))
		exchange->handler->stopping(exchange->handler_data, exchange);
	if (exchange->state == EXCHANGE_STREAMING)
		stream_end(exchange->stream, NULL);
}

/* Nobody is owed anything any more. */
static bool is_over(const struct exchange *exchange)
{
	switch (exchange->state) {
	case EXCHANGE_RECEIVING:
	case EXCHANGE_WAITING:
		return false;
	case EXCHANGE_STREAMING:
		return stream_is_ended(exchange->stream);
	case EXCHANGE_ANSWERED:
	case EXCHANGE_ABANDONED:
		break;
	}
	return true;
}

void exchange_abandon(struct exchange *exchange)
{
	if (is_over(exchange))
		return;
	exchange->state = EXCHANGE_ABANDONED;
	if (exchange->handler->abandoned)
		exchange->handler->abandoned(exchange->handler_data, exchange);
}

/* Both have let it go. */
static void end(struct exchange *exchange)
{
	if (exchange->handler->ended)
		exchange->handler->ended(exchange->handler_data, exchange);
	destroy(exchange);
}

void exchange_hold(struct exchange *exchange)
{
	exchange->held = true;
}

void exchange_release(struct exchange *exchange)
{
	exchange->held = false;
	if (!exchange->carrier)
		end(exchange);
}

void exchange_free(struct exchange *exchange)
{
	if (!exchange)
		return;
	exchange_abandon(exchange);
	exchange->carrier = NULL;
	exchange->stream = NULL;
	if (!exchange->held)
		end(exchange);
}
