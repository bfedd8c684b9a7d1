/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A body with Content-Length passes unchanged. A chunked body is checked byte by byte around the
 * data of its chunks:
 *
 *   SIZE [EXTENSION] SIZE_LF DATA DATA_CR DATA_LF   for each chunk
 *   SIZE [EXTENSION] SIZE_LF TRAILER... END_LF END  for the last, of size 0
 *
 * The output is never longer than the input, because bytes are only left out, so it is written over
 * the input. An extension or a trailer is left out; everything else is passed on.
 */
#include "http/request_head.h"

#include <errno.h>
#include <string.h>

enum {
	BODY_FRAMING_DIGITS_MAX = 8,
	BODY_FRAMING_OVERHEAD_MAX = 1024, /* bytes of one extension, or of all trailers */
};

void body_framing_init(struct body_framing *framing, uint64_t body_length)
{
	*framing = (struct body_framing){ .state = BODY_FRAMING_SIZE };
	if (body_length == REQUEST_HEAD_BODY_CHUNKED)
		return;
	framing->state = body_length ? BODY_FRAMING_LENGTH : BODY_FRAMING_END;
	framing->left = body_length;
}

bool body_framing_is_over(const struct body_framing *framing)
{
	return framing->state == BODY_FRAMING_END;
}

static int body_framing_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool body_framing_is_text(char c)
{
	return (unsigned char)c >= ' ' && c != 0x7f;
}

static bool body_framing_read_size(struct body_framing *framing, char c)
{
	int digit = body_framing_hex_digit(c);

	if (digit >= 0 && framing->digits < BODY_FRAMING_DIGITS_MAX) {
		framing->left = framing->left * 16 + (unsigned)digit;
		framing->digits++;
		return true;
	}
	framing->state = c == '\r' ? BODY_FRAMING_SIZE_LF : BODY_FRAMING_EXTENSION;
	framing->overhead = 0;
	return digit < 0 && framing->digits && (c == '\r' || c == ';');
}

/* Checks a byte that is not data. False: malformed. */
static bool body_framing_read_byte(struct body_framing *framing, char c)
{
	switch (framing->state) {
	case BODY_FRAMING_SIZE:
		return body_framing_read_size(framing, c);
	case BODY_FRAMING_EXTENSION:
		if (c == '\r')
			framing->state = BODY_FRAMING_SIZE_LF;
		return c == '\r' || ((body_framing_is_text(c) || c == '\t') &&
				     framing->overhead++ < BODY_FRAMING_OVERHEAD_MAX);
	case BODY_FRAMING_SIZE_LF:
		framing->state = framing->left ? BODY_FRAMING_DATA : BODY_FRAMING_TRAILER;
		framing->digits = 0;
		framing->overhead = 0;
		return c == '\n';
	case BODY_FRAMING_DATA_CR:
		framing->state = BODY_FRAMING_DATA_LF;
		return c == '\r';
	case BODY_FRAMING_DATA_LF:
		framing->state = BODY_FRAMING_SIZE;
		return c == '\n';
	case BODY_FRAMING_TRAILER:
		framing->state =
			c == '\r' ? BODY_FRAMING_END_LF : BODY_FRAMING_TRAILER_LINE;
		return c == '\r' || (body_framing_is_text(c) && c != ' ');
	case BODY_FRAMING_TRAILER_LINE:
		if (c == '\r')
			framing->state = BODY_FRAMING_TRAILER_LF;
		return c == '\r' || ((body_framing_is_text(c) || c == '\t') &&
				     framing->overhead++ < BODY_FRAMING_OVERHEAD_MAX);
	case BODY_FRAMING_TRAILER_LF:
		framing->state = BODY_FRAMING_TRAILER;
		return c == '\n';
	case BODY_FRAMING_END_LF:
		framing->state = BODY_FRAMING_END;
		return c == '\n';
	case BODY_FRAMING_LENGTH:
	case BODY_FRAMING_DATA:
	case BODY_FRAMING_END:
		break;
	}
	return false;
}

static bool body_framing_is_passed_on(enum body_framing_state state)
{
	return state != BODY_FRAMING_EXTENSION && state != BODY_FRAMING_TRAILER &&
	       state != BODY_FRAMING_TRAILER_LINE && state != BODY_FRAMING_TRAILER_LF;
}

static bool body_framing_is_in_data(const struct body_framing *framing)
{
	return framing->state == BODY_FRAMING_LENGTH ||
	       framing->state == BODY_FRAMING_DATA;
}

/* Moves the data of a chunk or body, as far as it has arrived, and returns its length. */
static size_t body_framing_read_data(struct body_framing *framing, char *to,
				     const char *from, size_t length)
{
	if (length > framing->left)
		length = framing->left;
	if (to != from)
		memmove(to, from, length);
	framing->left -= length;
	framing->received += length;
	if (!framing->left)
		framing->state = framing->state == BODY_FRAMING_LENGTH
					 ? BODY_FRAMING_END
					 : BODY_FRAMING_DATA_CR;
	return length;
}

int body_framing_read(struct body_framing *framing, char *data, size_t length,
		      uint64_t max_bytes, size_t *used_out)
{
	size_t from = 0, to = 0;

	while (from < length && !body_framing_is_over(framing)) {
		if (body_framing_is_in_data(framing)) {
			size_t moved = body_framing_read_data(framing, data + to,
							      data + from, length - from);

			from += moved;
			to += moved;
		} else {
			enum body_framing_state before = framing->state;
			char c = data[from++];

			if (!body_framing_read_byte(framing, c))
				return -EBADMSG;
			/* "; ..." begins in SIZE, and the final CRLF in TRAILER */
			if ((body_framing_is_passed_on(before) && c != ';') ||
			    framing->state == BODY_FRAMING_SIZE_LF ||
			    framing->state == BODY_FRAMING_END_LF)
				data[to++] = c;
		}
		if (framing->received > max_bytes)
			return -EMSGSIZE;
	}
	*used_out = from;
	return (int)to;
}
