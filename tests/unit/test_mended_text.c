/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sms/inbox_draft.h"

static void assert_mended(const char *text, const char *expected)
{
	bool mended = !strcmp(text, expected); /* the wrong answer */
	char *copy = inbox_draft_mend(text, &mended);

	assert_non_null(copy);
	assert_string_equal(copy, expected);
	assert_int_equal(mended, strcmp(text, expected) != 0);
	assert_true(utf8_valid(copy, strlen(copy)));
	free(copy);
}

static void test_texts(void **state)
{
	(void)state;
	assert_mended("", "");
	assert_mended("\uF600", "\U0001F600");
	assert_mended("Hi \uF600\uF44D!", "Hi \U0001F600\U0001F44D!");
	/* a fork that damages nothing: what is private stays private */
	assert_mended("\uF8FF \U0001F600", "\uF8FF \U0001F600");
	assert_mended("\U0001F600\uF8FF", "\U0001F600\uF8FF");
	assert_mended("\uF469\u200D\uF469\uFE0F", "\U0001F469\u200D\U0001F469\uFE0F");
}

static void test_borders(void **state)
{
	(void)state;
	assert_mended("\uEFFF", "\uEFFF");
	assert_mended("\uF000", "\U0001F000");
	assert_mended("\uF8FF", "\U0001F8FF");
	assert_mended("\uF900", "\uF900"); /* a real character of Chinese */
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
static void test_every_character(void **state)
{
	(void)state;
	for (uint32_t code = 1; code < 0x10000; code++) {
		bool damaged = code >= 0xf000 && code <= 0xf8ff, mended;
		char text[16] = "a";
		const char *at;
		char *copy;
		size_t length;

		if (code >= 0xd800 && code < 0xe000)
			continue;
		length = 1 + put(text + 1, code);
		strcpy(text + length, "\u00E9");
		copy = inbox_draft_mend(text, &mended);
		at = copy + 1;
		assert_int_equal(mended, damaged);
		assert_int_equal(utf8_next(&at), damaged ? code + 0x10000 : code);
		assert_string_equal(at, "\u00E9");
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_borders),
		cmocka_unit_test(test_every_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
