/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request head: the request line and the header lines of one HTTP/1 request, read strictly.
 *
 * It decides where a request ends, so it accepts only what every reader understands in the same
 * way: lines end in CRLF, nothing is folded, no blank stands before a colon, and the length of
 * the body is given once. Anything else is refused and the connection closes: behind a proxy
 * that reads it differently, one request could hide another (request smuggling).
 *
 * Source: RFC 9112 sections 2 to 7, RFC 9110 section 5.
 */
#ifndef HTTP_REQUEST_HEAD_H
#define HTTP_REQUEST_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	REQUEST_HEAD_BYTES_MAX = 8192,
	REQUEST_HEAD_LINES_MAX = 64,
};

#define REQUEST_BODY_CHUNKED UINT64_MAX /* its length is not known in advance */

/* Where name and value begin in the text; both end in NUL, blanks around the value are gone. */
struct request_line {
	uint16_t name, name_length;
	uint16_t value, value_length;
};

struct request_head {
	char *text; /* borrowed */
	const char *method;
	const char *path; /* as sent, not decoded; without the query */
	bool is_http_1_0;
	bool close; /* the client wants no further request on this connection */
	bool expects_continue; /* waits for "100 Continue" before it sends the body */
	uint64_t body_length;  /* or REQUEST_BODY_CHUNKED */
	unsigned line_count;
	struct request_line lines[REQUEST_HEAD_LINES_MAX];
};

struct request_flaw {
	unsigned status;  /* 400, 414, 431 or 505 */
	const char *text; /* what is wrong and what to send instead */
};

/*
 * Looks for the end of the head in the `length` bytes that have arrived. `*scanned` is 0 for a
 * new request and remembers what was looked at before. Returns the length of the head with the
 * empty line behind it; 0: not yet complete; -1: it never will be, *flaw_out says why.
 */
int request_head_scan(const char *text, size_t length, size_t *scanned,
		      struct request_flaw *flaw_out);

/*
 * Reads the head of `length` bytes that request_head_scan() found. Writes NULs into `text`, and
 * *head points into it. False: *flaw_out says why.
 */
bool request_head_parse(char *text, size_t length, struct request_head *head,
			struct request_flaw *flaw_out);

/*
 * The value of a header, NULL when it is absent. Equal values of several lines count as one; for
 * differing ones *conflict_out becomes true (otherwise it is left alone; NULL is fine).
 */
const char *request_head_find(const struct request_head *head, const char *name,
			      bool *conflict_out);

/* Overwrites the values of headers that carry secrets. */
void request_head_forget_secrets(struct request_head *head);

#endif
