/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: what every request must pass before its body is read.
 *
 * One table of checks, each with its HTTP status and its text: Host (DNS rebinding), Origin (web
 * pages of strangers), path, method, content type, length, token. http/request_head.h has already
 * checked that this is one request and where it ends.
 */
#ifndef HTTP_GATE_H
#define HTTP_GATE_H

#include "http/auth.h"
#include "http/http_route.h"
#include "http/request_head.h"

struct gate_request {
	const struct request_head *head;
	bool local; /* the peer is a program on this machine */
};

struct gate_verdict {
	unsigned status;		/* 0: passed; 204: answer a preflight */
	const char *text;		/* what is wrong and what to do */
	const struct http_route *route; /* NULL: no such path */
	const char *origin;		/* allowed Origin for the CORS headers, or NULL */
	bool close;			/* close the connection afterwards */
	bool wrong_token;		/* a token was sent, and no client has it */
	bool right_token; /* a token was needed, and a client has it (or open mode) */
	unsigned retry_after_seconds; /* with 429 */
	struct client client;
};

void gate_check(const struct gate_request *request, const struct config *config,
		const struct http_route *routes, const struct auth *auth,
		struct gate_verdict *verdict);

#endif
