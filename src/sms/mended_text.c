/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/mended_text.h"

#include <stdlib.h>
#include <string.h>

/*
 * In UTF-8 U+F000..U+F8FF are EF 80..A3 xx, and U+1F000..U+1F8FF are F0 9F 80..A3 xx: only the
 * bytes before 80..A3 differ. Valid text never ends after an EF.
 */
static bool mended_text_is_damaged(const char *at)
{
	const unsigned char *bytes = (const unsigned char *)at;

	return bytes[0] == 0xef && bytes[1] >= 0x80 && bytes[1] <= 0xa3;
}

/* Has a character of four bytes, so the oFono that delivered it does not damage them. */
static bool mended_text_is_beyond_16_bits(const char *at)
{
	return (unsigned char)*at >= 0xf0;
}

static size_t mended_text_count_damaged(const char *text)
{
	size_t count = 0;

	for (; *text; text++) {
		if (mended_text_is_beyond_16_bits(text))
			return 0;
		count += mended_text_is_damaged(text);
	}
	return count;
}

char *mended_text(const char *text, bool *mended_out)
{
	size_t damaged = mended_text_count_damaged(text);
	char *mended = malloc(strlen(text) + damaged + 1), *end = mended;

	if (!mended)
		return NULL;
	for (; *text; text++) {
		if (damaged && mended_text_is_damaged(text)) {
			*end++ = '\xf0';
			*end++ = '\x9f';
		} else {
			*end++ = *text;
		}
	}
	*end = '\0';
	*mended_out = damaged;
	return mended;
}
