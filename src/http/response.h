/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response: what goes out, as libmicrohttpd wants it.
 *
 * Out of memory is sticky, as in a buffer: the one check is response_take().
 */
#ifndef HTTP_RESPONSE_H
#define HTTP_RESPONSE_H

#include <microhttpd.h>
#include <stdbool.h>

#include "base/buffer.h"

struct response {
	struct MHD_Response *message; /* NULL: out of memory */
};

/* `body` is taken, NULL is an empty one; `content_type` NULL: none. */
struct response response_make(const char *content_type, struct buffer *body);
/* Bytes as `reader` gives them, until it says that this was the end; HTTP/1.0 has no chunks. */
struct response response_make_stream(MHD_ContentReaderCallback reader, void *data,
				     bool in_chunks);
/* Of a stream whose headers have gone out: they are not needed any more. */
void response_forget_headers(struct MHD_Response *message);
void response_header(struct response *response, const char *name, const char *value);
/* Lets the page of an allowed Origin read it. */
void response_allow_origin(struct response *response, const char *origin);
/* Allow, or Access-Control-Allow-Methods, from the bits of enum http_method. */
void response_methods(struct response *response, const char *name, unsigned methods);
/* The caller owns it; NULL when anything above failed. */
struct MHD_Response *response_take(struct response *response);

#endif
