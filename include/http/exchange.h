/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exchange: one HTTP request and its one answer.
 *
 * Life: headers pass the gates -> begin -> body pieces -> complete -> answered, now or
 * later. A handler that answers later costs a suspended connection, nothing else. When the
 * peer leaves first, or the server stops, `abandoned` runs instead of an answer. `ended` is
 * always the last call and runs exactly once after `begin` ran.
 *
 * An answer may be a stream of events, begun at any time after `complete`: then `abandoned`
 * runs when the peer leaves before stream_end().
 *
 * A handler may hold an exchange, for what it began goes on without its connection: then
 * `ended` runs when both have let it go.
 */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "http/auth.h"
#include "http/stream.h"

struct exchange;

/* memory of one request: arena and body together stay in bounds */
enum {
	EXCHANGE_BODY_MAX = 64 * 1024,
	EXCHANGE_PIECE_MIN = 4 * 1024, /* a body piece is no smaller, but for the last */
	EXCHANGE_ARENA_MAX = 1024 * 1024,
	EXCHANGE_HEADERS_MAX = 6,
};

/* all but `complete` may be NULL: nothing to do */
struct exchange_handler {
	/* The request line and headers are in. May answer at once (the body is not read). */
	void (*begin)(void *data, struct exchange *exchange);
	/* The next piece of the body; `piece` is valid during the call only. */
	void (*body)(void *data, struct exchange *exchange, const char *piece,
		     size_t length);
	/* The request is whole: answer now, or later from the loop. */
	void (*complete)(void *data, struct exchange *exchange);
	/* The peer left before the answer, or before the end of its stream: no answer and
	 * no event is possible any more. */
	void (*abandoned)(void *data, struct exchange *exchange);
	/* The server is about to stop: an exchange that waits is to answer what it knows. A
	 * stream that is not ended then ends without a last event. */
	void (*stopping)(void *data, struct exchange *exchange);
	/* The exchange and its arena go now. */
	void (*ended)(void *data, struct exchange *exchange);
};

struct arena *exchange_arena(struct exchange *exchange);
void exchange_set_context(struct exchange *exchange,
			  void *context); /* the handler's own */
void *exchange_context(const struct exchange *exchange);
const char *exchange_method(
	const struct exchange *exchange); /* "POST"; of HEAD no body goes out */
bool exchange_is_encrypted(const struct exchange *exchange); /* over TLS */
const struct client *exchange_client(const struct exchange *exchange);

/*
 * The value of a header without outer blanks, or NULL when absent. When it stands several
 * times: equal values are one; for differing ones *conflict_out becomes true (it is left
 * alone otherwise; NULL is fine).
 */
const char *exchange_header(struct exchange *exchange, const char *name,
			    bool *conflict_out);

/*
 * A header of the answer, before it is given; `name` is static. At most
 * EXCHANGE_HEADERS_MAX; without memory it is left out.
 */
void exchange_add_header(struct exchange *exchange, const char *name, const char *value);
/* The same, with a value that outlives the exchange: it is never left out. */
void exchange_add_fixed_header(struct exchange *exchange, const char *name,
			       const char *value);

/*
 * Answers with 200 and a stream, in place of exchange_answer(). Allowed in `complete`,
 * `stopping` and later from the loop. It lives until `ended` has returned. NULL: there are
 * too many streams, or no memory; then an answer is still due.
 */
struct stream *exchange_stream(struct exchange *exchange);

/*
 * It outlives its connection until it is released, with its arena, method and client; its
 * headers are absent then. Released once, and not from within what its arena holds.
 */
void exchange_hold(struct exchange *exchange);
void exchange_release(struct exchange *exchange);

/*
 * What the handler holds for it beside its arena counts in what all exchanges may hold
 * together, until it is discharged or has ended. False: there is no room, and it does not.
 */
bool exchange_charge(struct exchange *exchange, size_t bytes);
void exchange_discharge(struct exchange *exchange); /* of all that was charged */

/*
 * Answers, exactly once. `body` is taken (left empty); NULL is no body. `content_type` is
 * static, NULL without a body. Allowed from `begin`, `body`, `complete`, `stopping` and
 * later from the loop, until `abandoned` or `ended`.
 */
void exchange_answer(struct exchange *exchange, unsigned status, const char *content_type,
		     struct buffer *body);

#endif
