/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Body framing: finds the end of a request's body and checks its chunks strictly.
 *
 * Chunk extensions and trailers are removed.
 *
 * Source: RFC 9112 section 7.1.
 */
#ifndef HTTP_BODY_FRAMING_H
#define HTTP_BODY_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/request_head.h"

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
 * Reads `length` bytes at `data` and replaces them by the bytes to pass on. *used_out: how many
 * bytes belong to this body; the next request follows them. Returns how many bytes to pass on, at
 * most *used_out; -EBADMSG: the chunks are malformed; -EMSGSIZE: the body is longer than
 * `max_bytes`.
 */
int body_framing_read(struct body_framing *framing, char *data, size_t length,
		      uint64_t max_bytes, size_t *used_out);

#endif
