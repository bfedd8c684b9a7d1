/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Body framing: finds the end of a request's body, and checks chunks strictly.
 *
 * Extensions and trailers are left out of what is passed on.
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
	BODY_FRAMING_LENGTH, /* `left` bytes are due */
	BODY_FRAMING_SIZE,   /* in the size of a chunk */
	BODY_FRAMING_EXTENSION,
	BODY_FRAMING_SIZE_LF,
	BODY_FRAMING_DATA, /* `left` bytes of the chunk are due */
	BODY_FRAMING_DATA_CR,
	BODY_FRAMING_DATA_LF,
	BODY_FRAMING_TRAILER, /* at the beginning of a line behind the last chunk */
	BODY_FRAMING_TRAILER_LINE,
	BODY_FRAMING_TRAILER_LF,
	BODY_FRAMING_END_LF,
	BODY_FRAMING_END,
};

struct body_framing {
	enum body_framing_state state;
	uint64_t left;
	uint64_t received; /* of the body itself */
	unsigned digits;   /* of the size, so far */
	unsigned overhead; /* bytes of this extension, or of the trailers */
};

/* `body_length` as request_head.h has it. */
void body_framing_init(struct body_framing *framing, uint64_t body_length);
bool body_framing_is_over(const struct body_framing *framing);

/*
 * Reads `length` bytes at `data` and leaves in their place what is to be passed on.
 * *used_out: how many bytes belong to this body; the next request follows them. Returns how many
 * bytes to pass on, at most as many as were used; -EBADMSG: the chunks are malformed;
 * -EMSGSIZE: there is more body than `most` bytes.
 */
int body_framing_read(struct body_framing *framing, char *data, size_t length,
		      uint64_t most, size_t *used_out);

#endif
