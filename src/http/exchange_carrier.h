/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exchange carrier: the transport side of an exchange, a connection or a test without sockets.
 *
 * Order of calls: new, begin, receive*, complete, free. An exchange that is not answered after
 * `complete` waits; stop and abandon may follow then. After abandon only free is allowed.
 */
#ifndef HTTP_EXCHANGE_CARRIER_H
#define HTTP_EXCHANGE_CARRIER_H

#include <stdint.h>

#include "base/memory_budget.h"
#include "http/exchange.h"

struct exchange_carrier {
	/* See exchange_header(). */
	const char *(*header)(void *data, const char *name, bool *conflict_out);
	/* A header of the answer; `value` lives as long as the exchange. */
	void (*header_added)(void *data, const char *name, const char *value);
	/* Begins a stream, which outlives the exchange, as the answer. NULL: it cannot. */
	struct stream *(*streamed)(void *data);
	/* The answer; takes `body`, which may be NULL. May run inside any call below. */
	void (*answered)(void *data, unsigned status, const char *content_type,
			 struct buffer *body);
};

struct exchange_carrier_request {
	const struct exchange_handler *handler;
	void *handler_data;
	const char *method;	      /* copied */
	const struct client *client;  /* copied */
	bool encrypted;		      /* by TLS */
	uint64_t body_length;	      /* UINT64_MAX: unknown before it ends */
	struct memory_budget *budget; /* of all exchanges, kept; NULL: unlimited */
};

/* Borrows `request` for the call. NULL: no memory. */
struct exchange *exchange_new(const struct exchange_carrier *carrier, void *carrier_data,
			      const struct exchange_carrier_request *request);
void exchange_begin(struct exchange *exchange);
/* 0; -EMSGSIZE: longer than EXCHANGE_BODY_MAX; -ENOMEM: no memory, or the budget is used up. */
int exchange_receive(struct exchange *exchange, const char *data, size_t length);
void exchange_complete(struct exchange *exchange);

bool exchange_is_answered(const struct exchange *exchange);
/* Runs `stopping` if it waits or streams. */
void exchange_stop(struct exchange *exchange);
/* Runs `abandoned`, unless it is answered to the end. */
void exchange_abandon(struct exchange *exchange);
/* Abandons it if it is unanswered; NULL is fine. */
void exchange_free(struct exchange *exchange);

#endif
