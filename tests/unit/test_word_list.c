/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "base/word_list.h"

TEST(test_words_are_read_one_by_one)
{
	const char *at = ", one\ttwo,,three ";
	char word[4];

	assert_true(word_list_next(&at, word, sizeof(word)));
	assert_string_equal(word, "one");
	assert_true(word_list_next(&at, word, sizeof(word)));
	assert_string_equal(word, "two");
	assert_true(word_list_next(&at, word, sizeof(word)));
	assert_string_equal(word, ""); /* it does not fit */
	assert_false(word_list_next(&at, word, sizeof(word)));
}

TEST(test_has_finds_whole_words)
{
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
