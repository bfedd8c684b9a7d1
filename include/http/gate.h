/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: what every request must pass before anybody looks at its body.
 *
 * A list of checks in one table, each with its HTTP status and its words: framing that could
 * smuggle a second request, Host (DNS rebinding), Origin (pages of strangers), path, method,
 * content type, length, token.
 */
#ifndef HTTP_GATE_H
#define HTTP_GATE_H

#include "http/server.h"

enum { GATE_HEADERS_MAX = 64 };

#define GATE_LENGTH_UNKNOWN UINT64_MAX /* chunked */

struct gate_header {
	const char *name;
	size_t name_length;
	const char *value; /* "" when it has none */
	size_t value_length;
};

/* what the gates look at: plain data, so that tests need no socket */
struct gate_request {
	const char *method;
	const char *path;    /* as sent, undecoded, without the query */
	const char *version; /* "HTTP/1.1" */
	bool local;	     /* the peer is a program of this machine */
	bool torn; /* bytes lie between the lines: a folded line, NUL or a bare LF */
	struct gate_header headers[GATE_HEADERS_MAX];
	size_t header_count; /* GATE_HEADERS_MAX + 1: there were more */
};

struct gate_verdict {
	unsigned status;		/* 0: passed; 204: answer a preflight */
	const char *text;		/* why not, and what to do */
	const struct http_route *route; /* NULL: no such path */
	const char *origin; /* allowed Origin to name in CORS headers, else NULL */
	bool close;	    /* framing cannot be trusted: close afterwards */
	bool wrong_token;   /* one was sent, and no client has it */
	unsigned retry_after_seconds; /* of 429 */
	uint64_t body_length;	      /* GATE_LENGTH_UNKNOWN: chunked */
	struct client client;
};

void gate_check(const struct gate_request *request, const struct config *config,
		const struct http_route *routes, const struct auth *auth,
		struct gate_verdict *verdict);

#endif
