/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sms/mended_text.h"
#include "store/store_message.h"

static void assert_outcome(const char *text, const char *expected, bool doubtful)
{
	unsigned flags = 0;
	char *copy = mended_text(text, &flags);

	assert_non_null(copy);
	assert_string_equal(copy, expected);
	assert_int_equal(!(flags & MESSAGE_REPAIRED), strcmp(text, expected) == 0);
	assert_int_equal(!(flags & MESSAGE_DOUBTFUL), !doubtful);
	assert_true(utf8_valid(copy, strlen(copy)));
	free(copy);
}

static void assert_mended(const char *text, const char *expected)
{
	assert_outcome(text, expected, false);
}

static void assert_kept(const char *text)
{
	assert_outcome(text, text, true);
}

TEST(test_texts)
{
	assert_mended("", "");
	assert_mended("\uF600", "\U0001F600");
	assert_mended("Hi \uF600\uF44D!", "Hi \U0001F600\U0001F44D!");
	/* a fork that damages nothing: what is private stays private */
	assert_mended("\uF8FF \U0001F600", "\uF8FF \U0001F600");
	assert_mended("\U0001F600\uF8FF", "\U0001F600\uF8FF");
	assert_mended("\uF469\u200D\uF469\uFE0F", "\U0001F469\u200D\U0001F469\uFE0F");
}

TEST(test_emoji_cut_to_an_ideograph_are_restored)
{
	assert_mended("\uF923", "\U0001F923");
	assert_mended("so funny \uF923\uF602", "so funny \U0001F923\U0001F602");
	assert_mended("\u041F\u0440\u0438\u0432\u0435\u0442 \uF970",
		      "\u041F\u0440\u0438\u0432\u0435\u0442 \U0001F970");
	assert_mended("\uF937\u200D\u2640\uFE0F", "\U0001F937\u200D\u2640\uFE0F");
	assert_mended("\uFAF6 \uF9E1", "\U0001FAF6 \U0001F9E1");
}

TEST(test_ideographs_stay_among_their_like_and_are_doubtful)
{
	assert_kept("\u674E\uF923"); /* Chinese, */
	assert_kept("\u304B\uF923"); /* Japanese */
	assert_kept("\uAC00\uF923"); /* and Korean */
	assert_outcome("\u674E\uF600\uF923", "\u674E\U0001F600\uF923", true);
	assert_mended("\uF900", "\uF900"); /* no emoji ends like this one */
	assert_kept("\uF900\uF923");
}

TEST(test_private_characters_of_fonts_stay_and_are_doubtful)
{
	assert_kept("\uF0B7 milk");
	assert_kept("\uF8FF");
	assert_kept("\uF0FC done");
	assert_kept("\uE000");
	assert_outcome("\uF0B7 \uF44D", "\uF0B7 \U0001F44D", true);
}

/* Their letters are ASCII after the cut, and so is the end of the flag. */
TEST(test_flags_of_england_scotland_and_wales_are_restored)
{
	assert_mended("go \uF3F4gbeng\x7f!",
		      "go \U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067"
		      "\U000E007F!");
	assert_mended("\uF3F4gbsct\x7f\uF3F4gbwls\x7f",
		      "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074"
		      "\U000E007F\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C"
		      "\U000E0073\U000E007F");
	assert_mended("\uF3F4gbeng", "\U0001F3F4gbeng"); /* a black flag, and a word */
	assert_mended("\uF3F4\x7f", "\U0001F3F4\x7f");
	assert_mended("\uF3F4gbenglish\x7f", "\U0001F3F4gbenglish\x7f");
	assert_mended("gbeng\x7f", "gbeng\x7f");
}

/* U+1D407 is a bold H, and U+D407 a Korean syllable. */
TEST(test_mathematical_letters_cut_to_korean_are_doubtful)
{
	assert_kept("\uD407\uD41E\uD425 there");
	assert_kept("\uD558\uD558\uD558");		 /* "ha ha ha", */
	assert_mended("\uC548 \uD558", "\uC548 \uD558"); /* and surely Korean */
	assert_outcome("\uD558 \uF923", "\uD558 \uF923", true);
}

TEST(test_borders)
{
	assert_mended("\uD3FF", "\uD3FF");
	assert_kept("\uD400");
	assert_kept("\uD7FF");
	assert_kept("\uF003");
	assert_mended("\uF004", "\U0001F004");
	assert_kept("\uF005");
	assert_mended("\uFAFF", "\U0001FAFF");
	assert_mended("\uFB00", "\uFB00");
	assert_mended("\uFFFD\uFE0F", "\uFFFD\uFE0F");
	assert_mended("\u00EF\u00A0\U000EF000", "\u00EF\u00A0\U000EF000");
}

static size_t put(char *text, uint32_t code)
{
	if (code < 0x80) {
		text[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		text[0] = (char)(0xc0 | code >> 6);
		text[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	text[0] = (char)(0xe0 | code >> 12);
	text[1] = (char)(0x80 | (code >> 6 & 0x3f));
	text[2] = (char)(0x80 | (code & 0x3f));
	return 3;
}

/* Every character that 16 bits hold, between two others: one of them changes or none. */
TEST(test_every_character)
{
	unsigned changed = 0;

	for (uint32_t code = 1; code < 0x10000; code++) {
		char text[16] = "a";
		unsigned flags = 0;
		const char *at;
		char *copy;
		size_t length;

		if (code >= 0xd800 && code < 0xe000)
			continue;
		length = 1 + put(text + 1, code);
		strcpy(text + length, "\u00E9");
		copy = mended_text(text, &flags);
		at = copy + 1;
		assert_int_equal(utf8_next(&at),
				 flags & MESSAGE_REPAIRED ? code + 0x10000 : code);
		assert_string_equal(at, "\u00E9");
		assert_true(!(flags & MESSAGE_REPAIRED) ||
			    (code >= 0xf004 && code <= 0xfaff));
		changed += !!(flags & MESSAGE_REPAIRED);
		free(copy);
	}
	assert_in_range(changed, 1200, 1400); /* emoji beyond 16 bits */
}
