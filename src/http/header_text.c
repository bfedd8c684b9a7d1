/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/header_text.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/* RFC 9110 section 5.6.2: what a field name is made of. */
static const bool name_characters[UCHAR_MAX + 1] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['-'] = true,
	['!'] = true,	      ['#'] = true,	    ['$'] = true,	  ['%'] = true,
	['&'] = true,	      ['\''] = true,	    ['*'] = true,	  ['+'] = true,
	['.'] = true,	      ['^'] = true,	    ['_'] = true,	  ['`'] = true,
	['|'] = true,	      ['~'] = true,
};

bool header_name_is_clean(const char *name, size_t length)
{
	for (size_t at = 0; at < length; at++)
		if (!name_characters[(unsigned char)name[at]])
			return false;
	return length > 0;
}

/* Controls, of which a tab is none here. */
static bool value_character(unsigned char c)
{
	return (c >= ' ' && c != 0x7f) || c == '\t';
}

static bool bytes_clean(const char *bytes, size_t length)
{
	bool clean = true;

	for (size_t at = 0; at < length; at++)
		clean &= value_character((unsigned char)bytes[at]);
	return clean;
}

#define EACH_BYTE(byte) (UINT64_MAX / UCHAR_MAX * (byte))

/* Is a byte of these eight below ' ', or 0x7f? */
static bool has_control(uint64_t eight)
{
	uint64_t below = (eight - EACH_BYTE(' ')) & ~eight;
	uint64_t erase = eight ^ EACH_BYTE(0x7f);

	erase = (erase - EACH_BYTE(1)) & ~erase;
	return (below | erase) & EACH_BYTE(0x80);
}

/* A tab is one, too: where there is any, each byte is looked at. */
bool header_value_is_clean(const char *value, size_t length)
{
	size_t at;

	for (at = 0; length - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
		uint64_t eight;

		memcpy(&eight, value + at, sizeof(eight));
		if (has_control(eight) && !bytes_clean(value + at, sizeof(eight)))
			return false;
	}
	return bytes_clean(value + at, length - at);
}
