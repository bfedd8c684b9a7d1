/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response: builds answers and refusals for libmicrohttpd.
 *
 * Running out of memory is sticky, as in a buffer: check response_take() only.
 */
#ifndef HTTP_RESPONSE_H
#define HTTP_RESPONSE_H

#include <microhttpd.h>
#include <stdbool.h>

#include "base/buffer.h"

struct gate_verdict;
struct http_route;

enum { RESPONSE_REFUSAL_BYTES_MAX = 1024 };

struct response {
	struct MHD_Response *message; /* NULL: out of memory */
};

/* Takes `body`, NULL: empty; `content_type` NULL: none. */
struct response response_make(const char *content_type, struct buffer *body);
/* A stream of events; `reader` says when it ends. HTTP/1.0 has no chunks. */
struct response response_make_stream(MHD_ContentReaderCallback reader, void *data,
				     bool in_chunks);
/* Frees the headers of a stream after they have gone out. */
void response_drop_stream_headers(struct MHD_Response *message);
/* What the gates refused, or the answer to a preflight (204). */
struct response response_make_refusal(const struct gate_verdict *verdict);
void response_header(struct response *response, const char *name, const char *value);
/* Lets pages of this Origin read the answer. */
void response_allow_origin(struct response *response, const char *origin);
/* The caller owns it; NULL when anything above failed. */
struct MHD_Response *response_take(struct response *response);

/* `text` is one of our own sentences, so nothing in it needs escaping. */
void response_write_refusal_body(struct buffer *body, const struct http_route *route,
				 unsigned status, const char *text);
/*
 * A complete answer as bytes, for when libmicrohttpd takes none because the request is still
 * arriving. The caller closes the connection next. Returns the length; 0: no memory.
 */
size_t response_write_refusal(char message[RESPONSE_REFUSAL_BYTES_MAX],
			      const struct http_route *route, unsigned status,
			      const char *text);

#endif
