/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exchange, the side of who brings it: a connection, or a test without sockets.
 *
 * Order of calls: new, begin, receive*, complete, free. After complete without an answer the
 * exchange waits; stop and abandon may come then. Nothing but free comes after abandon.
 */
#ifndef HTTP_EXCHANGE_CARRIER_H
#define HTTP_EXCHANGE_CARRIER_H

#include <stdint.h>

#include "http/exchange.h"

struct exchange_carrier {
	/* See exchange_header(). */
	const char *(*header)(void *data, const char *name, bool *conflict_out);
	/* A header of the answer; `value` lives as long as the exchange. */
	void (*header_added)(void *data, const char *name, const char *value);
	/* The answer is this stream, which outlives the exchange. NULL: no. */
	struct stream *(*streamed)(void *data);
	/* The answer; `body` (may be NULL) is to be taken. May come within any call below. */
	void (*answered)(void *data, unsigned status, const char *content_type,
			 struct buffer *body);
};

struct exchange_request {
	const struct exchange_handler *handler;
	void *handler_data;
	const char *method;	      /* copied */
	const struct client *client;  /* copied */
	bool encrypted;		      /* it came over TLS */
	uint64_t body_length;	      /* UINT64_MAX: not known before it ends */
	struct memory_budget *budget; /* what all share; it is kept; NULL: no bounds */
};

/* NULL: no memory. `request` is borrowed for the call. */
struct exchange *exchange_new(const struct exchange_carrier *carrier, void *carrier_data,
			      const struct exchange_request *request);
void exchange_begin(struct exchange *exchange);
/*
 * 0; -EMSGSIZE: the body is longer than EXCHANGE_BODY_MAX; -ENOMEM, also when the budget is
 * used up.
 */
int exchange_receive(struct exchange *exchange, const char *data, size_t length);
void exchange_complete(struct exchange *exchange);

bool exchange_answered(const struct exchange *exchange);
void exchange_stop(struct exchange *exchange);	  /* tells it `stopping` if it waits */
void exchange_abandon(struct exchange *exchange); /* nothing when answered to the end */
void exchange_free(
	struct exchange *exchange); /* abandons what is unanswered; NULL is fine */

#endif
