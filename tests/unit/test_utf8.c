/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <string.h>

#include "base/utf8.h"

/* The decoder of RFC 3629, written as its ABNF says, to compare with. */
static bool in(unsigned char byte, unsigned char least, unsigned char most)
{
	return byte >= least && byte <= most;
}

static bool abnf_valid(const unsigned char *b, size_t n)
{
	if (n == 1)
		return b[0] <= 0x7f;
	if (n == 2)
		return in(b[0], 0xc2, 0xdf) && in(b[1], 0x80, 0xbf);
	if (n == 3 && !in(b[2], 0x80, 0xbf))
		return false;
	if (n == 3)
		return (b[0] == 0xe0 && in(b[1], 0xa0, 0xbf)) ||
		       (in(b[0], 0xe1, 0xec) && in(b[1], 0x80, 0xbf)) ||
		       (b[0] == 0xed && in(b[1], 0x80, 0x9f)) ||
		       (in(b[0], 0xee, 0xef) && in(b[1], 0x80, 0xbf));
	return false;
}

/* Every string of one to three bytes that begins with no ASCII, placed in other text. */
TEST(test_all_short_sequences_match_rfc_3629)
{
	unsigned int first, second, third;

	for (first = 0x80; first < 0x100; first++) {
		unsigned char b[3] = { (unsigned char)first, 0, 0 };

		assert_false(utf8_valid((char *)b, 1));
		for (second = 0x80; second < 0x100; second++) {
			b[1] = (unsigned char)second;
			if (utf8_valid((char *)b, 2) != abnf_valid(b, 2))
				fail_msg("%02x %02x", first, second);
			for (third = 0x80; third < 0x100; third++) {
				b[2] = (unsigned char)third;
				if (utf8_valid((char *)b, 3) != abnf_valid(b, 3))
					fail_msg("%02x %02x %02x", first, second, third);
			}
		}
	}
}

TEST(test_four_byte_sequences_match_rfc_3629)
{
	static const struct {
		const char *text;
		bool valid;
	} cases[] = {
		{ "\xf0\x90\x80\x80", true },  /* U+10000 */
		{ "\xf0\x8f\xbf\xbf", false }, /* overlong */
		{ "\xf4\x8f\xbf\xbf", true },  /* U+10FFFF */
		{ "\xf4\x90\x80\x80", false }, /* above */
		{ "\xf5\x80\x80\x80", false },
		{ "\xf8\x88\x80\x80\x80", false },
		{ "\xf0\x9f\x98", false },
		{ "\xf0\x9f\x98\x80", true },
		{ "\xf0\x9f\x98\x41", false },
		{ "\xf0\x9f\x41\x80", false },
		{ "\xff", false },
		{ "\xfe\xfe", false },
	};
	size_t at;

	for (at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
		if (utf8_valid(cases[at].text, strlen(cases[at].text)) != cases[at].valid)
			fail_msg("case %zu", at);
	}
}

TEST(test_sequences_are_checked_at_every_offset)
{
	char text[40];
	size_t at;

	assert_true(utf8_valid("", 0));
	assert_true(utf8_valid("a\0b", 3));
	for (at = 0; at + 3 <= sizeof(text); at++) {
		memset(text, 'x', sizeof(text));
		memcpy(text + at, "\xe2\x82\xac", 3);
		assert_true(utf8_valid(text, sizeof(text)));
		assert_false(utf8_valid(text, at + 2)); /* cut inside */
		memcpy(text + at, "\xed\xa0\x80", 3);
		assert_false(utf8_valid(text, sizeof(text)));
	}
}

static size_t encode(uint32_t c, char *out)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

TEST(test_every_code_point_is_written_and_read)
{
	uint32_t code_point;

	for (code_point = 0; code_point <= 0x10ffff; code_point++) {
		char text[5] = "";
		size_t length = encode(code_point, text);
		const char *at = text;
		char written[4];
		bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;

		if (utf8_valid(text, length) == surrogate)
			fail_msg("U+%04X", code_point);
		if (surrogate)
			continue;
		if (utf8_next(&at) != code_point || at != text + length)
			fail_msg("next of U+%04X", code_point);
		if (utf8_write(code_point, written) != length ||
		    memcmp(written, text, length) != 0)
			fail_msg("writing U+%04X", code_point);
	}
}

TEST(test_cut_counts_characters)
{
	static const char text[] = "a\xc3\xa9\xf0\x9f\x98\x80z";

	assert_int_equal(utf8_cut(text, 0), 0);
	assert_int_equal(utf8_cut(text, 1), 1);
	assert_int_equal(utf8_cut(text, 2), 3);
	assert_int_equal(utf8_cut(text, 3), 7);
	assert_int_equal(utf8_cut(text, 4), 8);
	assert_int_equal(utf8_cut(text, 99), 8);
	assert_int_equal(utf8_cut("", 9), 0);
	assert_int_equal(utf8_count(text), 4);
	assert_int_equal(utf8_count(""), 0);
}

TEST(test_each_letter_is_the_other_case_of_its_other_case)
{
	static const char *const pairs[] = { "Zz", "Éé", "Őő", "Žž", "Ňň", "Əə", "Ưư",
					     "Șș", "Άά", "Ώώ", "Ωω", "Ёё", "Яя", "Ґґ",
					     "Ӂӂ", "Әә", "Աա", "Ḃḃ", "Ệệ" };
	static const char *const lone[] = { "1", "×", "ß", "İ", "ı", "ς", "会", "م" };

	for (uint32_t code_point = 0; code_point <= 0x10ffff; code_point++) {
		if (utf8_other_case(utf8_other_case(code_point)) != code_point)
			fail_msg("U+%04X", code_point);
	}
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		const char *at = pairs[i];
		uint32_t capital = utf8_next(&at);

		assert_int_equal(utf8_other_case(capital), utf8_next(&at));
	}
	for (size_t i = 0; i < sizeof(lone) / sizeof(*lone); i++) {
		uint32_t character = utf8_next(&(const char *){ lone[i] });

		assert_int_equal(utf8_other_case(character), character);
	}
}

TEST(test_a_part_is_found_in_any_case)
{
	static const struct {
		const char *text, *part;
		bool is_found;
	} rows[] = {
		{ "A találkozó helye", "TALÁLKOZÓ", true },
		{ "Привет, ГДЕ ты?", "привет, где", true },
		{ "Привет", "ПРИВЕТ", true },
		{ "abcabd", "ABD", true },
		{ "abc", "", true },
		{ "", "", true },
		{ "", "a", false },
		{ "ab", "abc", false },
		{ "talalkozo", "találkozó", false },
		{ "明天会议", "会议", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (utf8_contains(rows[i].text, rows[i].part) != rows[i].is_found)
			fail_msg("\"%s\" in \"%s\"", rows[i].part, rows[i].text);
	}
}
