/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: what every request must pass before its body is read.
 *
 * One table of checks, each with its HTTP status and its text: Host (DNS rebinding), Origin (web
 * pages of strangers), path, method, content type, length, token. request_head_check() has already
 * checked that this is one request and where it ends.
 */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/http_server.h"

/*
 * Request head: the request line and the header lines of a request, checked strictly.
 *
 * libmicrohttpd has parsed them already. But the head decides where a request ends, so only what
 * every parser understands the same way is accepted: names and values have no odd characters, and
 * the length of the body is given once. 0.9.75 also accepts folded lines, bare LF and NUL; where it
 * put the pieces shows that there were none. Anything else is refused and closes the connection:
 * behind a proxy that parses it differently, one request could hide another (request smuggling).
 *
 * Source: RFC 9112 sections 2 to 7, RFC 9110 section 5.
 */

enum {
	REQUEST_HEAD_BYTES_MAX = 8192,
	REQUEST_HEAD_LINES_MAX = 64,
};

#define REQUEST_HEAD_BODY_CHUNKED UINT64_MAX /* the length is not known in advance */

/* The text is libmicrohttpd's and lives until the request has been answered. */
struct request_head {
	const char *method;
	const char *target; /* where the path and the query began */
	size_t target_length;
	bool target_is_clean;
	size_t length;	     /* from the method to the empty line */
	const char *path;    /* as sent, not decoded, without the query */
	const char *version; /* "HTTP/1.1" */
	bool is_http_1_0;
	uint64_t body_length; /* or REQUEST_HEAD_BODY_CHUNKED */
	size_t line_count;
	struct request_head_line {
		char *name;
		char *value; /* request_head_check() removes the spaces around it */
	} *lines;
};

struct request_head_error {
	unsigned status;  /* 400, 431 or 505 */
	const char *text; /* what is wrong and what to send instead */
};

/* Is it not empty, and printable ASCII without spaces? */
bool request_head_target_is_clean(const char *target);

/* Allocates the lines, which the caller frees. Returns false if memory runs out. */
bool request_head_read_lines(struct request_head *head, struct MHD_Connection *mhd);

/*
 * Checks the head and sets is_http_1_0 and body_length. Returns false if it is malformed, ambiguous
 * or too long, see *error_out.
 */
bool request_head_check(struct request_head *head, struct request_head_error *error_out);

/*
 * Returns whether the bytes of the head are exactly the pieces that libmicrohttpd 0.9.75 cut them
 * into, with CRLF at the end of each line. Call this before the check.
 */
bool request_head_is_whole(const struct request_head *head);

/*
 * Returns the value of the first header with this name, or NULL. If there are others with different
 * values, *conflict_out becomes true (NULL is fine).
 */
const char *request_head_find(const struct request_head *head, const char *name,
			      bool *conflict_out);
/* See exchange_header_has(). */
bool request_head_has(const struct request_head *head, const char *name,
		      const char *text);

/* Overwrites tokens and cookies, after the gates have seen them. */
void request_head_clear_secrets(struct request_head *head, bool keep_cookie);
/* Overwrites all of it, when the request is over: a token may have been in the wrong place. */
void request_head_clear(struct request_head *head);

/* Of status 413. */
#define GATE_BODY_TOO_LONG "the body is longer than 65536 bytes: send less"

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

struct gate_request {
	const struct request_head *head;
	const struct config *config;
	const struct http_server_route *routes;
	const struct auth *auth;
	bool local;		      /* the peer is a program on this machine */
	const char *local_name;	      /* of a local user, who needs no token; or NULL */
	struct gate_verdict *verdict; /* the result */
};

void gate_check(const struct gate_request *request);
