/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States:  RECEIVING -> WAITING -> STREAMING or ANSWERED.  A handler may also answer while RECEIVING.
 * Every state but ANSWERED may lead to ABANDONED.
 *
 * An exchange knows no socket: a carrier (http/exchange_carrier.h) brings the request and takes the
 * answer.
 *
 * Body pieces are joined until there are EXCHANGE_PIECE_MIN bytes. The JSON parser scans an
 * unfinished string from its start for every piece, so a peer that sends single bytes must not be
 * able to buy CPU time with them (tests/unit/test_exchange.c::test_pieces_are_joined). A body that
 * arrives at once is passed on without a copy.
 */
#include "http/exchange.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "http/exchange_carrier.h"

enum exchange_state {
	EXCHANGE_RECEIVING,
	EXCHANGE_WAITING, /* complete; the handler answers later */
	EXCHANGE_STREAMING,
	EXCHANGE_ANSWERED,
	EXCHANGE_ABANDONED,
};

struct exchange {
	enum exchange_state state;
	bool stop_requested;
	bool held;
	bool encrypted;
	struct address peer;
	const struct exchange_carrier *carrier; /* NULL if it has let the exchange go */
	void *carrier_data;
	const struct exchange_handler *handler;
	void *handler_data;
	void *context;
	struct stream *stream; /* the carrier's; NULL if not streaming */
	struct arena *arena;
	struct buffer piece; /* received, not yet passed on */
	uint64_t received_bytes;
	uint64_t body_length;
	struct arena_budget *budget;
	size_t charged_bytes; /* for the parser's share of the body, then by the handler */
	const char *method;
	const struct client *client;
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

const struct address *exchange_peer(const struct exchange *exchange)
{
	return &exchange->peer;
}

const struct client *exchange_client(const struct exchange *exchange)
{
	return exchange->client;
}

const char *exchange_header(struct exchange *exchange, const char *name,
			    bool *conflict_out)
{
	return exchange->carrier ? exchange->carrier->header(exchange->carrier_data, name,
							     conflict_out)
				 : NULL;
}

bool exchange_header_has(struct exchange *exchange, const char *name, const char *text)
{
	return exchange->carrier &&
	       exchange->carrier->header_has(exchange->carrier_data, name, text);
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

static void exchange_discharge(struct exchange *exchange)
{
	arena_budget_give(exchange->budget, exchange->charged_bytes);
	exchange->charged_bytes = 0;
}

/* Frees it with everything that it holds. */
static void exchange_destroy(struct exchange *exchange)
{
	buffer_deinit(&exchange->piece);
	exchange_discharge(exchange);
	arena_free(exchange->arena);
	arena_budget_drop(exchange->budget);
	free(exchange);
}

/*
 * Without the unused end of `allow`, which would be most of what a waiting request holds
 * (tests/bench/test_figures.py). Returns NULL if memory runs out.
 */
static const struct client *exchange_copy_client(struct arena *arena,
						 const struct client *client)
{
	size_t bytes = offsetof(struct client, allow) + strlen(client->allow) + 1;
	void *copy = arena_alloc(arena, bytes);

	return copy ? memcpy(copy, client, bytes) : NULL;
}

struct exchange *exchange_new(const struct exchange_carrier *carrier, void *carrier_data,
			      const struct exchange_carrier_request *request)
{
	struct exchange *exchange = malloc(sizeof(*exchange));

	if (!exchange)
		return NULL;
	*exchange = (struct exchange){
		.carrier = carrier,
		.carrier_data = carrier_data,
		.handler = request->handler,
		.handler_data = request->handler_data,
		.encrypted = request->encrypted,
		.peer = *request->peer,
		.body_length = request->body_length,
		.budget = arena_budget_keep(request->budget),
		.arena = arena_new_within(request->budget, EXCHANGE_ARENA_MAX),
	};
	if (exchange->arena) {
		exchange->client = exchange_copy_client(exchange->arena, request->client);
		exchange->method = arena_copy(exchange->arena, request->method,
					      strlen(request->method));
	}
	if (exchange->client && exchange->method)
		return exchange;
	exchange_destroy(exchange);
	return NULL;
}

void exchange_begin(struct exchange *exchange)
{
	if (exchange->handler->begin)
		exchange->handler->begin(exchange->handler_data, exchange);
}

static void exchange_pass_on(struct exchange *exchange, const char *data, size_t length)
{
	if (exchange->state == EXCHANGE_RECEIVING && exchange->handler->body)
		exchange->handler->body(exchange->handler_data, exchange, data, length);
}

int exchange_receive(struct exchange *exchange, const char *data, size_t length)
{
	struct buffer *piece = &exchange->piece;
	size_t charge = 0;
	bool last;

	exchange->received_bytes += length;
	if (exchange->received_bytes > EXCHANGE_BODY_MAX)
		return -EMSGSIZE;
	/* the parser keeps a string that spans pieces in a buffer that doubles */
	if (exchange->received_bytes > EXCHANGE_PIECE_MIN)
		charge = 2 * length;
	if (!arena_budget_take(exchange->budget, charge))
		return -ENOMEM;
	exchange->charged_bytes += charge;
	last = exchange->received_bytes == exchange->body_length;
	if (!piece->length && (length >= EXCHANGE_PIECE_MIN || last)) {
		exchange_pass_on(exchange, data, length);
		return 0;
	}
	buffer_append(piece, data, length);
	if (piece->failed)
		return -ENOMEM;
	if (piece->length >= EXCHANGE_PIECE_MIN) {
		exchange_pass_on(exchange, piece->data, piece->length);
		buffer_clear(piece);
	}
	return 0;
}

void exchange_complete(struct exchange *exchange)
{
	if (exchange->piece.length)
		exchange_pass_on(exchange, exchange->piece.data, exchange->piece.length);
	buffer_deinit(&exchange->piece);
	if (exchange->state != EXCHANGE_RECEIVING)
		return;
	exchange->state = EXCHANGE_WAITING;
	exchange_discharge(exchange);
	exchange->handler->complete(exchange->handler_data, exchange);
}

bool exchange_is_answered(const struct exchange *exchange)
{
	return exchange->state == EXCHANGE_ANSWERED ||
	       exchange->state == EXCHANGE_STREAMING;
}

void exchange_stop(struct exchange *exchange)
{
	bool streams = exchange->state == EXCHANGE_STREAMING;

	if ((exchange->state != EXCHANGE_WAITING && !streams) || exchange->stop_requested)
		return;
	exchange->stop_requested = true;
	if (exchange->handler->stopping &&
	    !(streams && stream_is_ended(exchange->stream)))
		exchange->handler->stopping(exchange->handler_data, exchange);
	if (exchange->state == EXCHANGE_STREAMING)
		stream_end(exchange->stream, NULL);
}

/* Will nothing more be answered or streamed? */
static bool exchange_is_over(const struct exchange *exchange)
{
	if (exchange->state == EXCHANGE_STREAMING)
		return stream_is_ended(exchange->stream);
	return exchange->state == EXCHANGE_ANSWERED ||
	       exchange->state == EXCHANGE_ABANDONED;
}

void exchange_abandon(struct exchange *exchange)
{
	if (exchange_is_over(exchange))
		return;
	exchange->state = EXCHANGE_ABANDONED;
	if (exchange->handler->abandoned)
		exchange->handler->abandoned(exchange->handler_data, exchange);
}

/* Both the carrier and the handler have let it go. */
static void exchange_end(struct exchange *exchange)
{
	if (exchange->handler->ended)
		exchange->handler->ended(exchange->handler_data, exchange);
	exchange_destroy(exchange);
}

void exchange_hold(struct exchange *exchange)
{
	exchange->held = true;
}

void exchange_release(struct exchange *exchange)
{
	exchange->held = false;
	if (!exchange->carrier)
		exchange_end(exchange);
}

void exchange_free(struct exchange *exchange)
{
	if (!exchange)
		return;
	exchange_abandon(exchange);
	exchange->carrier = NULL;
	exchange->stream = NULL;
	if (!exchange->held)
		exchange_end(exchange);
}
