/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Refusal: the words of a gate, or of the server itself, as an answer.
 */
#ifndef HTTP_REFUSAL_H
#define HTTP_REFUSAL_H

#include "http/gate.h"
#include "http/response.h"

/* `text` is one of our own sentences: nothing in it needs escaping. */
void refusal_body(struct buffer *body, const struct http_route *route, unsigned status,
		  const char *text);
/* The answer to what the gates did not let pass, or to a preflight (204). */
struct response refusal_response(const struct gate_verdict *verdict);
enum { REFUSAL_BYTES_MAX = 1024 };
/*
 * A whole answer as bytes, for when libmicrohttpd takes none: while a request is still coming in.
 * The connection is to be closed next. Its length; 0: no memory.
 */
size_t refusal_write(char message[REFUSAL_BYTES_MAX], const struct http_route *route,
		     unsigned status, const char *text);

#endif
