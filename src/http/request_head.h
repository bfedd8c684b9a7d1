/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request head: the request line and the header lines of an HTTP/1 request, parsed strictly.
 *
 * The head decides where a request ends, so only what every parser understands the same way is
 * accepted: lines end in CRLF, no line is folded, no space precedes a colon, and the length of the
 * body is given once. Anything else is refused and closes the connection: behind a proxy that
 * parses it differently, one request could hide another (request smuggling).
 *
 * Source: RFC 9112 sections 2 to 7, RFC 9110 section 5.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	REQUEST_HEAD_BYTES_MAX = 8192,
	REQUEST_HEAD_LINES_MAX = 64,
};

#define REQUEST_HEAD_BODY_CHUNKED UINT64_MAX /* the length is not known in advance */

/* Offsets into the text. Name and value end in NUL; spaces around the value are removed. */
struct request_head_line {
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
	uint64_t body_length;  /* or REQUEST_HEAD_BODY_CHUNKED */
	unsigned line_count;
	struct request_head_line lines[REQUEST_HEAD_LINES_MAX];
};

struct request_head_error {
	unsigned status;  /* 400, 414, 431 or 505 */
	const char *text; /* what is wrong and what to send instead */
};

/*
 * Searches the `length` bytes that have arrived for the end of the head. `*scanned` is 0 for a new
 * request and remembers what was searched before. Returns the length of the head including the
 * empty line; 0: not complete yet; -1: malformed, see *error_out.
 */
int request_head_scan(const char *text, size_t length, size_t *scanned,
		      struct request_head_error *error_out);

/*
 * Parses the head of `length` bytes that request_head_scan() found. Writes NULs into `text`, which
 * *head points into. False: malformed, see *error_out.
 */
bool request_head_parse(char *text, size_t length, struct request_head *head,
			struct request_head_error *error_out);

/*
 * The value of a header, NULL: absent. If it occurs several times with different values,
 * *conflict_out becomes true; otherwise that is left alone (NULL is fine).
 */
const char *request_head_find(const struct request_head *head, const char *name,
			      bool *conflict_out);

/* Overwrites the values of headers that carry secrets. */
void request_head_clear_secrets(struct request_head *head);

/*
 * Body framing: finds the end of a request's body and checks its chunks strictly.
 *
 * Chunk extensions and trailers are removed.
 *
 * Source: RFC 9112 section 7.1.
 */

enum body_framing_state {
	BODY_FRAMING_LENGTH, /* `left` bytes are still to come */
	BODY_FRAMING_SIZE,   /* within the size of a chunk */
	BODY_FRAMING_EXTENSION,
	BODY_FRAMING_SIZE_LF,
	BODY_FRAMING_DATA, /* `left` bytes of the chunk are still to come */
	BODY_FRAMING_DATA_CR,
	BODY_FRAMING_DATA_LF,
	BODY_FRAMING_TRAILER, /* at the beginning of a line after the last chunk */
	BODY_FRAMING_TRAILER_LINE,
	BODY_FRAMING_TRAILER_LF,
	BODY_FRAMING_END_LF,
	BODY_FRAMING_END,
};

struct body_framing {
	enum body_framing_state state;
	uint64_t left;
	uint64_t received; /* bytes of the body itself */
	unsigned digits;   /* of the chunk size so far */
	unsigned overhead; /* bytes of this extension, or of the trailers, so far */
};

/* `body_length` as in struct request_head. */
void body_framing_init(struct body_framing *framing, uint64_t body_length);
bool body_framing_is_over(const struct body_framing *framing);

/*
 * Reads `length` bytes at `data` and replaces them with the bytes to pass on. *used_out: how many
 * bytes belong to this body; the next request follows them. Returns how many bytes to pass on, at
 * most *used_out; -EBADMSG: the chunks are malformed; -EMSGSIZE: the body is longer than
 * `max_bytes`.
 */
int body_framing_read(struct body_framing *framing, char *data, size_t length,
		      uint64_t max_bytes, size_t *used_out);
