/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exchange: one HTTP request and its answer.
 *
 * The request passes the gates, then the handler's `begin`, `body` and `complete` are called, and
 * the handler answers, now or later. Waiting costs a suspended connection and nothing else. If the
 * peer leaves first, or the server is freed, `abandoned` runs instead of an answer. `ended` is the
 * last call; it runs exactly once if `begin` ran.
 *
 * The answer may be a stream of events, begun at any time after `complete`. Then `abandoned` runs
 * when the peer leaves before stream_end().
 *
 * A handler may hold an exchange to continue its work without the connection. Then `ended` runs
 * when both the connection and the handler have let it go.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/address.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/client.h"

struct exchange;

/*
 * Stream: server-sent events as the answer to an exchange, see exchange_stream().
 *
 * Events wait in a queue until the peer reads them. The queue is bounded in number and bytes: a
 * peer that does not read is disconnected and costs nobody else anything
 * (tests/integration/test_streams.py). A comment goes out at once, because some clients wait for a
 * first byte, and then every STREAM_KEEP_ALIVE_MS, because proxies close silent connections.
 *
 * Source: HTML, "Server-sent events"; MCP, basic/transports.
 */

enum {
	STREAM_EVENTS_MAX = 256,
	STREAM_BYTES_MAX = 64 * 1024,
	STREAM_KEEP_ALIVE_MS = 15 * 1000,
};

struct stream;

struct stream_event {
	const char *id; /* for Last-Event-ID; NULL if there is none */
	/* Replaces an older event with the same key that still waits; NULL if there is none. */
	const char *key;
	const char *data; /* one line, such as JSON */
	size_t length;
};

/*
 * Returns false if the stream has ended, or the peer does not keep up, or there is no memory. In
 * the last two cases the peer is disconnected and the exchange's `abandoned` follows.
 */
bool stream_push(struct stream *stream, const struct stream_event *event);

/*
 * Sends an ID for Last-Event-ID without an event, and the time after which to reconnect when the
 * stream breaks. Not for clients that take the empty data for a message. Returns as stream_push().
 */
bool stream_prime(struct stream *stream, const char *id, unsigned retry_ms);

/*
 * Returns whether an event of `length` bytes, and much more, fits into the queue; a producer that
 * can wait does, until the queue is empty. Then it has room.
 */
bool stream_has_room(const struct stream *stream, size_t length);

/*
 * `empty` (which may be NULL) runs whenever the peer has read everything that waited. It must not
 * use the stream.
 */
void stream_on_empty(struct stream *stream, void (*empty)(void *data), void *data);

/* Ends once everything has been read; `last` (which may be NULL) is not bounded by the queue. */
void stream_end(struct stream *stream, const struct stream_event *last);

/* bounds on the memory of one request */
enum {
	EXCHANGE_BODY_MAX = 64 * 1024,
	/* every body piece but the last is at least so long */
	EXCHANGE_PIECE_MIN = 4 * 1024,
	EXCHANGE_ARENA_MAX = 1024 * 1024,
	EXCHANGE_HEADERS_MAX = 8,
};

/* Every member but `complete` may be NULL. */
struct exchange_handler {
	/* The request line and headers are in. May answer at once; the body is not read then. */
	void (*begin)(void *data, struct exchange *exchange);
	/* The next piece of the body; `piece` is valid only during the call. */
	void (*body)(void *data, struct exchange *exchange, const char *piece,
		     size_t length);
	/* The request is complete: answer now, or later from the loop. */
	void (*complete)(void *data, struct exchange *exchange);
	/* The peer left before the answer or before the end of its stream: no answer and no
	 * event is possible any more. */
	void (*abandoned)(void *data, struct exchange *exchange);
	/* The server is about to stop: a waiting exchange should answer what it knows. A stream
	 * that is not ended ends after this call. */
	void (*stopping)(void *data, struct exchange *exchange);
	/* The exchange and its arena are freed after this call. */
	void (*ended)(void *data, struct exchange *exchange);
};

struct arena *exchange_arena(struct exchange *exchange);
/* For the handler's own use. */
void exchange_set_context(struct exchange *exchange, void *context);
void *exchange_context(const struct exchange *exchange);
/* Returns for example "POST"; for "HEAD" no body is sent. */
const char *exchange_method(const struct exchange *exchange);
bool exchange_is_encrypted(const struct exchange *exchange); /* by TLS */
const struct address *exchange_peer(const struct exchange *exchange);
/*
 * Returns the client as it was when the request arrived; valid as long as the exchange. Not to be
 * copied whole: the bytes behind the NUL of `allow` are missing.
 */
const struct client *exchange_client(const struct exchange *exchange);

/*
 * Returns the value of a header without surrounding spaces, or NULL when it is absent. If it occurs
 * several times with different values, *conflict_out becomes true; otherwise that is left alone
 * (NULL is fine).
 */
const char *exchange_header(struct exchange *exchange, const char *name,
			    bool *conflict_out);
/*
 * Returns whether `text` occurs in a header whose value is a list, in any case. The list may be
 * spread over several lines (RFC 9110 section 5.3).
 */
bool exchange_header_has(struct exchange *exchange, const char *name, const char *text);

/*
 * Adds a header to the answer, before answering; `name` is static. At most EXCHANGE_HEADERS_MAX.
 * Without memory the header is left out.
 */
void exchange_add_header(struct exchange *exchange, const char *name, const char *value);
/* The same for a value that outlives the exchange: it is not copied, so it is never left out. */
void exchange_add_fixed_header(struct exchange *exchange, const char *name,
			       const char *value);

/*
 * Answers with status 200 and a stream, instead of exchange_answer(). Allowed in `complete`, in
 * `stopping`, and later from the loop. The stream lives until `ended` has returned. Returns NULL if
 * there are too many streams, or memory runs out; the handler must still answer.
 */
struct stream *exchange_stream(struct exchange *exchange);

/*
 * Lets the exchange outlive its connection, with its arena, method and client but without its
 * request headers. Release it once, and not from inside something that its arena holds.
 */
void exchange_hold(struct exchange *exchange);
void exchange_release(struct exchange *exchange);

/*
 * Answers, exactly once. Takes `body` and leaves it empty; NULL if there is no body. `content_type`
 * is static, and NULL without a body. Allowed in `begin`, `body`, `complete`, `stopping`, and later
 * from the loop, until `abandoned` or `ended`.
 */
void exchange_answer(struct exchange *exchange, unsigned status, const char *content_type,
		     struct buffer *body);
