/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exchange carrier: the transport side of an exchange, a connection or a test without sockets.
 *
 * Order of calls: new, begin, receive*, complete, free. An exchange that is not answered after
 * `complete` waits; stop and abandon may follow then. After abandon only free is allowed.
 */
#pragma once

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/arena.h"
#include "http/exchange.h"

struct exchange_carrier {
	/* See exchange_header(). */
	const char *(*header)(void *data, const char *name, bool *conflict_out);
	/* See exchange_header_has(). */
	bool (*header_has)(void *data, const char *name, const char *text);
	/* A header of the answer; `value` lives as long as the exchange. */
	void (*header_added)(void *data, const char *name, const char *value);
	/* Begins a stream, which outlives the exchange, as the answer; or returns NULL. */
	struct stream *(*streamed)(void *data);
	/* The answer; takes `body`, which may be NULL. May run inside any call below. */
	void (*answered)(void *data, unsigned status, const char *content_type,
			 struct buffer *body);
};

struct exchange_carrier_request {
	const struct exchange_handler *handler;
	void *handler_data;
	const char *method;	     /* copied */
	const struct client *client; /* copied */
	const struct address *peer;  /* copied */
	bool encrypted;		     /* by TLS */
	uint64_t body_length;	     /* UINT64_MAX if unknown before it ends */
	struct arena_budget *budget; /* of all exchanges, kept; NULL for unlimited */
};

/* Borrows `request` for the call. Returns NULL if memory runs out. */
struct exchange *exchange_new(const struct exchange_carrier *carrier, void *carrier_data,
			      const struct exchange_carrier_request *request);
void exchange_begin(struct exchange *exchange);
/*
 * Returns 0; -EMSGSIZE if it is longer than EXCHANGE_BODY_MAX; -ENOMEM if there is no memory, or
 * the budget is used up.
 */
int exchange_receive(struct exchange *exchange, const char *data, size_t length);
void exchange_complete(struct exchange *exchange);

bool exchange_is_answered(const struct exchange *exchange);
/* Runs `stopping` if it waits or streams. */
void exchange_stop(struct exchange *exchange);
/* Runs `abandoned`, unless it is answered to the end. */
void exchange_abandon(struct exchange *exchange);
/* Abandons it if it is unanswered; NULL is fine. */
void exchange_free(struct exchange *exchange);

/*
 * Streams: all streams of the server, and the side of a stream that delivers its bytes, a
 * connection or a test without sockets.
 *
 * All streams share one timer for their keep-alive comments. It is off while there is no stream.
 */

struct streams {
	sd_event_source *keep_alive; /* enabled while there is a stream */
	uint64_t period_us;
	unsigned count;
	unsigned max_count;
	struct arena_budget *budget; /* for waiting events; NULL for unlimited */
	LIST_HEAD(streams_list, stream) list;
};

struct streams_carrier {
	/* There is something to read; called once until stream_read() has returned 0. */
	void (*filled)(void *data);
	/* The peer reads too slowly: disconnect it. */
	void (*overrun)(void *data);
};

/* -errno */
int streams_init(struct streams *streams, sd_event *loop, unsigned max_count);
void streams_deinit(struct streams *streams); /* asserts that none is left */
void streams_set_period(struct streams *streams, uint64_t period_ms); /* for tests */

/*
 * The first comment waits already, without a call of `filled`. Returns NULL if there are too many,
 * or memory runs out.
 */
struct stream *stream_new(struct streams *streams, const struct streams_carrier *carrier,
			  void *data);
void stream_free(struct stream *stream); /* NULL is fine */

/* Moves up to `room` bytes; 0 if nothing waits. */
size_t stream_read(struct stream *stream, char *to, size_t room);
/* Was stream_end() called? */
bool stream_is_ended(const struct stream *stream);
