/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/word_list.h"

static void test_words_are_read_one_by_one(void **state)
{
	const char *at = ", one\ttwo,,three ";
	char word[4];

	(void)state;
	assert_true(word_list_next(&at, word, sizeof(word)));
	assert_string_equal(word, "one");
	assert_true(word_list_next(&at, word, sizeof(word)));
	assert_string_equal(word, "two");
	assert_true(word_list_next(&at, word, sizeof(word)));
	assert_string_equal(word, ""); /* it does not fit */
	assert_false(word_list_next(&at, word, sizeof(word)));
}

static void test_has_finds_whole_words(void **state)
{
	(void)state;
	assert_true(word_list_has("wlan0 usb0", "wlan0"));
	assert_true(word_list_has(" wlan0,usb0", "usb0"));
	assert_true(word_list_has("wlan0\tusb0 ", "usb0"));
	assert_false(word_list_has("wlan0 usb0", "wlan"));
	assert_false(word_list_has("wlan0 usb0", "usb01"));
	assert_false(word_list_has("wlan0 usb0", ""));
	assert_false(word_list_has(" , ", "wlan0"));
	assert_false(word_list_has("", "wlan0"));
	assert_false(word_list_has(NULL, "wlan0"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_are_read_one_by_one),
		cmocka_unit_test(test_has_finds_whole_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
