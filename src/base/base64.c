/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

enum {
	GROUP_CHARACTERS = 4,
	GROUP_BYTES = 3,
	BITS = 6, /* of one character */
};

static const char alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Characters that carry bits: 2 to 4 of the last group, 4 of any other. */
static size_t meant_characters(const char *group, bool last)
{
	if (!last || group[3] != '=')
		return 4;
	return group[2] == '=' ? 2 : 3;
}

static bool read_character(char c, uint32_t *bits_out)
{
	const char *at = c ? strchr(alphabet, c) : NULL;

	if (at)
		*bits_out = (uint32_t)(at - alphabet);
	return at;
}

/* Bits behind the last whole byte must be zero, so that each value has one writing. */
static bool decode_group(const char *group, size_t meant, char *bytes_out)
{
	uint32_t bits = 0, more;

	for (size_t i = 0; i < GROUP_CHARACTERS; i++) {
		more = 0;
		if (i < meant && !read_character(group[i], &more))
			return false;
		bits = bits << BITS | more;
	}
	for (size_t i = 0; i < meant - 1; i++)
		bytes_out[i] = (char)(bits >> (8 * (GROUP_BYTES - 1 - i)) & 0xff);
	return !(bits & ((UINT32_C(1) << (8 * (GROUP_CHARACTERS - meant))) - 1));
}

bool crypto_base64_decode(const char *text, size_t length, char *data_out,
			  size_t *length_out)
{
	size_t done = 0;

	if (length % GROUP_CHARACTERS != 0)
		return false;
	for (size_t at = 0; at < length; at += GROUP_CHARACTERS) {
		size_t meant =
			meant_characters(text + at, at + GROUP_CHARACTERS == length);

		if (!decode_group(text + at, meant, data_out + done))
			return false;
		done += meant - 1;
	}
	*length_out = done;
	return true;
}

size_t crypto_base64_length(size_t length)
{
	return (length + GROUP_BYTES - 1) / GROUP_BYTES * GROUP_CHARACTERS;
}

void crypto_base64_encode(const char *data, size_t length, char *text_out)
{
	for (size_t at = 0; at < length; at += GROUP_BYTES) {
		uint32_t bits = 0;

		for (size_t i = 0; i < GROUP_BYTES; i++)
			bits = bits << 8 | (at + i < length ? (uint8_t)data[at + i] : 0);
		for (size_t i = 0; i < GROUP_CHARACTERS; i++)
			*text_out++ = at + i > length
					      ? '='
					      : alphabet[bits >> (18 - BITS * i) & 63];
	}
}
