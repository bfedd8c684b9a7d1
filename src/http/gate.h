/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: what every request must pass before anybody looks at its body.
 *
 * A list of checks in one table, each with its HTTP status and its words: Host (DNS rebinding),
 * Origin (pages of strangers), path, method, content type, length, token. That it is one
 * request, and where it ends, was decided before (http/request_head.h).
 */
#ifndef HTTP_GATE_H
#define HTTP_GATE_H

#include "http/request_head.h"
#include "http/server.h"

struct gate_request {
	const struct request_head *head;
	bool local; /* the peer is a program of this machine */
};

struct gate_verdict {
	unsigned status;		/* 0: passed; 204: answer a preflight */
	const char *text;		/* why not, and what to do */
	const struct http_route *route; /* NULL: no such path */
	const char *origin; /* allowed Origin to name in CORS headers, else NULL */
	bool close;	    /* close the connection afterwards */
	bool wrong_token;   /* one was sent, and no client has it */
	bool right_token;   /* one was asked for, and it is a client's (or auth->open) */
	unsigned retry_after_seconds; /* of 429 */
	struct client client;
};

void gate_check(const struct gate_request *request, const struct config *config,
		const struct http_route *routes, const struct auth *auth,
		struct gate_verdict *verdict);

#endif
