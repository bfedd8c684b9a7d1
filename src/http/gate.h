/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: what every request must pass before its body is read.
 *
 * One table of checks, each with its HTTP status and its text: Host (DNS rebinding), Origin (web
 * pages of strangers), path, method, content type, length, token. http/request_head.h has already
 * checked that this is one request and where it ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "http/http_server.h"
#include "http/request_head.h"

/*
 * Authority: "host[:port]" as in the Host header, and behind "http://" in the Origin header.
 */

struct authority {
	const char *host; /* within the text: without port, brackets or final dot */
	size_t host_length;
	bool literal;  /* an IP address, so no DNS answer can point it elsewhere */
	bool loopback; /* 127.0.0.0/8, ::1 or "localhost" */
};

/* Returns false if the text is not name, name:port, 192.0.2.1:port or [2001:db8::1]:port. */
bool authority_parse(const char *text, size_t length, struct authority *authority_out);
bool authority_is(const struct authority *authority, const char *name);

/* Is it an Origin of the web on this machine's loopback address? */
bool authority_origin_is_local(const char *origin);
/* Is it an Origin of the web whose authority is `host`? */
bool authority_origin_is(const char *origin, const char *host);

/* Of status 413. */
#define GATE_BODY_TOO_LONG "the body is longer than 65536 bytes: send less"

struct gate_request {
	const struct request_head *head;
	bool local;		/* the peer is a program on this machine */
	const char *local_name; /* of a local user, who needs no token; or NULL */
};

struct gate_verdict {
	/* 0 if it passed; 204 to answer a preflight */
	unsigned status;
	const char *text;		       /* what is wrong and what to do */
	const struct http_server_route *route; /* NULL if there is no such path */
	const char *origin; /* allowed Origin for the CORS headers, or NULL */
	bool close;	    /* close the connection afterwards */
	bool wrong_token;   /* a token was sent, and no client has it */
	bool right_token;   /* a token was needed, and a client has it (or open mode) */
	unsigned retry_after_seconds; /* with 429 */
	struct client client;
};

void gate_check(const struct gate_request *request, const struct config *config,
		const struct http_server_route *routes, const struct auth *auth,
		struct gate_verdict *verdict);
