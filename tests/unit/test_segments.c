/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "text/segments.h"

#define EURO  "\xe2\x82\xac"
#define GRIN  "\xf0\x9f\x98\x80" /* U+1F600 */
#define KANJI "\xe6\xbc\xa2"	 /* U+6F22 */

/* `count` times `piece` between the two others. */
static struct segments measure(const char *before, const char *piece, int count,
			       const char *after)
{
	static char text[300000];
	struct segments segments;
	size_t length = (size_t)snprintf(text, sizeof(text), "%s", before);

	for (; count; count--)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s",
					   piece);
	snprintf(text + length, sizeof(text) - length, "%s", after);
	segments_measure(text, &segments);
	return segments;
}

static const struct {
	const char *before, *piece;
	int times;
	const char *after;
	enum segments_encoding encoding;
	unsigned count, units, room;
} lengths[] = {
	{ "", "", 0, "", SEGMENTS_GSM7, 1, 0, 160 },
	{ "", "a", 1, "", SEGMENTS_GSM7, 1, 1, 159 },
	{ "", "a", 160, "", SEGMENTS_GSM7, 1, 160, 0 },
	{ "", "a", 161, "", SEGMENTS_GSM7, 2, 161, 145 },
	{ "", "a", 306, "", SEGMENTS_GSM7, 2, 306, 0 },
	{ "", "a", 307, "", SEGMENTS_GSM7, 3, 307, 152 },
	{ "", "a", 459, "", SEGMENTS_GSM7, 3, 459, 0 },
	{ "", "a", 39015, "", SEGMENTS_GSM7, 255, 39015, 0 },
	{ "", "a", 39016, "", SEGMENTS_GSM7, 256, 39016, 152 },
	/* an escape pair counts two, and one segment takes it wherever it stands */
	{ "", "a", 158, EURO, SEGMENTS_GSM7, 1, 160, 0 },
	{ "", "a", 159, EURO, SEGMENTS_GSM7, 2, 161, 145 },
	{ "", EURO, 80, "", SEGMENTS_GSM7, 1, 160, 0 },
	/* 76 pairs in 153 units, never 76 and a half */
	{ "", EURO, 81, "", SEGMENTS_GSM7, 2, 162, 143 },
	{ "", EURO, 152, "", SEGMENTS_GSM7, 2, 304, 1 },
	{ "", EURO, 153, "", SEGMENTS_GSM7, 3, 306, 151 },
	{ "a", EURO, 152, "", SEGMENTS_GSM7, 2, 305, 1 },
	{ "a", EURO, 152, "b", SEGMENTS_GSM7, 2, 306, 0 },
	{ EURO, "a", 304, "", SEGMENTS_GSM7, 2, 306, 0 },
	/* U+6F22 forces UCS-2 */
	{ "", KANJI, 70, "", SEGMENTS_UCS2, 1, 70, 0 },
	{ "", KANJI, 71, "", SEGMENTS_UCS2, 2, 71, 63 },
	{ "", KANJI, 134, "", SEGMENTS_UCS2, 2, 134, 0 },
	{ "", KANJI, 135, "", SEGMENTS_UCS2, 3, 135, 66 },
	{ KANJI, "a", 69, "", SEGMENTS_UCS2, 1, 70, 0 },
	{ KANJI, "a", 70, "", SEGMENTS_UCS2, 2, 71, 63 },
	{ "", "a", 160, KANJI, SEGMENTS_UCS2, 3, 161, 40 },
	{ "", EURO, 69, KANJI, SEGMENTS_UCS2, 1, 70, 0 },
	/* above U+FFFF: two units, cut between them if it comes so */
	{ "", GRIN, 35, "", SEGMENTS_UCS2, 1, 70, 0 },
	{ "", GRIN, 67, "", SEGMENTS_UCS2, 2, 134, 0 },
	{ "a", GRIN, 35, "", SEGMENTS_UCS2, 2, 71, 63 },
};

TEST(test_lengths)
{
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct segments segments = measure(lengths[i].before, lengths[i].piece,
						   lengths[i].times, lengths[i].after);

		if (segments.encoding != lengths[i].encoding ||
		    segments.count != lengths[i].count ||
		    segments.units != lengths[i].units ||
		    segments.room != lengths[i].room)
			fail_msg("case %zu: %s, %u segments, %u units, room %u", i,
				 segments_encoding_name(segments.encoding),
				 segments.count, segments.units, segments.room);
	}
}

/*
 * The alphabet as ofono 1.31's src/util.c has it (def_unicode and def_ext_unicode), apart
 * from letters and digits: an independent list.
 */
static const uint16_t one_unit[] = {
	0x0a,	0x0d,	0x20,	0x21,	0x22,	0x23,	0x24,	0x25,	0x26,	0x27,
	0x28,	0x29,	0x2a,	0x2b,	0x2c,	0x2d,	0x2e,	0x2f,	0x3a,	0x3b,
	0x3c,	0x3d,	0x3e,	0x3f,	0x40,	0x5f,	0xa0,	0xa1,	0xa3,	0xa4,
	0xa5,	0xa7,	0xbf,	0xc4,	0xc5,	0xc6,	0xc7,	0xc9,	0xd1,	0xd6,
	0xd8,	0xdc,	0xdf,	0xe0,	0xe4,	0xe5,	0xe6,	0xe8,	0xe9,	0xec,
	0xf1,	0xf2,	0xf6,	0xf8,	0xf9,	0xfc,	0x0393, 0x0394, 0x0398, 0x039b,
	0x039e, 0x03a0, 0x03a3, 0x03a6, 0x03a8, 0x03a9,
};
static const uint16_t two_units[] = {
	0x0c, 0x5b, 0x5c, 0x5d, 0x5e, 0x7b, 0x7c, 0x7d, 0x7e, 0x20ac,
};

static unsigned expected_units(uint32_t character)
{
	size_t i;

	for (i = 0; i < sizeof(two_units) / sizeof(*two_units); i++) {
		if (two_units[i] == character)
			return 2;
	}
	for (i = 0; i < sizeof(one_unit) / sizeof(*one_unit); i++) {
		if (one_unit[i] == character)
			return 1;
	}
	if (character >= 0x80)
		return 0;
	return strchr("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
		      (int)character) != NULL;
}

static void encode(uint32_t character, char text[5])
{
	unsigned char *bytes = (unsigned char *)text;

	memset(text, 0, 5);
	if (character < 0x80) {
		bytes[0] = (unsigned char)character;
	} else if (character < 0x800) {
		bytes[0] = (unsigned char)(0xc0 | character >> 6);
		bytes[1] = (unsigned char)(0x80 | (character & 0x3f));
	} else if (character < 0x10000) {
		bytes[0] = (unsigned char)(0xe0 | character >> 12);
		bytes[1] = (unsigned char)(0x80 | (character >> 6 & 0x3f));
		bytes[2] = (unsigned char)(0x80 | (character & 0x3f));
	} else {
		bytes[0] = (unsigned char)(0xf0 | character >> 18);
		bytes[1] = (unsigned char)(0x80 | (character >> 12 & 0x3f));
		bytes[2] = (unsigned char)(0x80 | (character >> 6 & 0x3f));
		bytes[3] = (unsigned char)(0x80 | (character & 0x3f));
	}
}

static bool expected_unsendable(uint32_t character)
{
	return character > 0xffff || character == 0xfffe || character == 0xffff ||
	       (character >= 0xfdd0 && character <= 0xfdef);
}

TEST(test_every_character)
{
	uint32_t character;
	struct segments segments;
	char text[5];

	for (character = 1; character < 0x11000; character++) {
		unsigned units = expected_units(character);

		if (character >= 0xd800 && character < 0xe000)
			continue;
		encode(character, text);
		segments_measure(text, &segments);
		assert_int_equal(segments.encoding,
				 units ? SEGMENTS_GSM7 : SEGMENTS_UCS2);
		assert_int_equal(segments.culprit, units ? 0 : character);
		assert_int_equal(segments.units,
				 units ? units : 1 + (character > 0xffff));
		assert_int_equal(segments.unsendable,
				 expected_unsendable(character) ? character : 0);
	}
}

TEST(test_first_culprit)
{
	struct segments segments = measure("abc\xc3\xa7", KANJI, 2, GRIN EURO);

	assert_int_equal(segments.culprit, 0xe7); /* c with cedilla, lower case */
	assert_int_equal(segments.unsendable, 0x1f600);
	assert_int_equal(segments.units, 3 + 1 + 2 + 2 + 1);
}
