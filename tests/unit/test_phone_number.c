/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/failure.h"
#include "numbers/phone_number.h"

static const struct {
	const char *written;
	const char *number;
} good[] = {
	{ "+36201234567", "+36201234567" },
	{ "+36 20 123-4567", "+36201234567" },
	{ " (+36) 20/123.4567 ", "+36201234567" },
	{ "06 20 123 4567", "06201234567" },
	{ "(555) 010-9999", "5550109999" },
	{ "0036201234567", "0036201234567" },
	{ "112", "112" },
	{ "+1234567", "+1234567" },
	{ "+123456789012345", "+123456789012345" },
	{ "123456789012345", "123456789012345" },
	{ "00123456789012345", "00123456789012345" },
	{ "tel:+36201234567", "+36201234567" },
	{ "TEL: +36-20-123-4567", "+36201234567" },
	{ "tel://+36201234567", "+36201234567" },
	{ "+36201234567\r\n", "+36201234567" },
	{ "\t\n +36 20 123 4567 \n\n", "+36201234567" },
	{ u8"+36\u00a020\u202f123\u20094567", "+36201234567" },
	{ u8"+36\u201020\u2011123\u20124567", "+36201234567" },
	{ u8"+36\u201320\u2014123\u20154567", "+36201234567" },
	{ u8"+36\u221220\uff0d1234567", "+36201234567" },
	{ u8"\u202a+36201234567\u202c", "+36201234567" },
	{ u8"\u202b\u202d\u202e+36201234567", "+36201234567" },
	{ u8"\u200e+3620\u200f1234567\u200b", "+36201234567" },
	{ u8"\u2066+36\u2067201234\u2068567\u2069", "+36201234567" },
	{ u8"\ufeff+36201234567\ufeff", "+36201234567" },
	{ u8"\uff0b\uff13\uff16\uff08\uff12\uff10\uff091234567", "+36201234567" },
	{ u8"\uff11\uff12\uff13", "123" },
	{ u8"\u202atel:+36201234567\u202c\n", "+36201234567" },
	{ "+36 (0)20 123 4567", "+36201234567" },
	{ "(+36)(0) 20 123 4567", "+36201234567" },
	{ "0036 (0) 20 123 4567", "0036201234567" },
	{ u8"tel:+36\u00a0(0)20\u00a0123-4567", "+36201234567" },
	{ "+44 (0)20 7946 0000", "+442079460000" },
	{ "+49 (0)30 123456", "+4930123456" },
	{ "+7 (0)912 345 67 89", "+79123456789" },
	{ "+39 (0)6 6982 1234", "+390669821234" }, /* part of the number in Italy */
	{ "(0)20 7946 0000", "02079460000" },
	/* a slash as a separator */
	{ "+36/20/123/4567", "+36201234567" },
	{ "+36 30/123/45/67", "+36301234567" },
	{ "06/30/123/45/67", "06301234567" },
	{ "+1 212 555/0100", "+12125550100" },
	{ "0711/123456", "0711123456" },
};

static const struct {
	const char *written;
	enum phone_number_problem problem;
} bad[] = {
	{ "", PHONE_NUMBER_EMPTY },
	{ "   ", PHONE_NUMBER_EMPTY },
	{ "()-./", PHONE_NUMBER_EMPTY },
	{ "+", PHONE_NUMBER_SHORT },
	{ "+ -", PHONE_NUMBER_SHORT },
	{ "12", PHONE_NUMBER_SHORT },
	{ "+123456", PHONE_NUMBER_SHORT },
	{ "++36201234567", PHONE_NUMBER_CHARACTER },
	{ "36+201234567", PHONE_NUMBER_CHARACTER },
	{ "+36201234567+", PHONE_NUMBER_CHARACTER },
	{ "+36abc", PHONE_NUMBER_CHARACTER },
	{ "+3620123456l", PHONE_NUMBER_CHARACTER },
	{ "Vodafone", PHONE_NUMBER_CHARACTER },
	{ "*#06#", PHONE_NUMBER_CHARACTER },
	{ "+36201234567,+36201234568", PHONE_NUMBER_CHARACTER },
	{ "+36\t201234567", PHONE_NUMBER_CHARACTER },
	{ "+36201234567\n+36201234568", PHONE_NUMBER_CHARACTER },
	{ "1234567\n7654321", PHONE_NUMBER_CHARACTER },
	{ "1234567\xe2\x80\xa8"
	  "7654321",
	  PHONE_NUMBER_CHARACTER },				/* U+2028 */
	{ "\xd9\xa1\xd9\xa2\xd9\xa3", PHONE_NUMBER_CHARACTER }, /* Arabic-Indic digits */
	{ "+1234567890123456", PHONE_NUMBER_LONG },
	{ "1234567890123456", PHONE_NUMBER_LONG },
	{ "001234567890123456", PHONE_NUMBER_LONG },
	{ "01234567890123456", PHONE_NUMBER_LONG },
	{ "11111111111111111111111111111111111111111111111111", PHONE_NUMBER_LONG },
	{ "+36 20 123 4567/89", PHONE_NUMBER_EXTENSION },
	{ "+36/20/1234567/8", PHONE_NUMBER_EXTENSION },
	{ "+36 (0)20 123 4567/89", PHONE_NUMBER_EXTENSION },
	{ "+39 (0)6 6982 1234/12", PHONE_NUMBER_EXTENSION },
	{ "0036 20 123 4567 / 89", PHONE_NUMBER_EXTENSION },
	{ "06 20 123 4567/89", PHONE_NUMBER_EXTENSION },
	{ "06/20/1234567/89", PHONE_NUMBER_EXTENSION },
	{ "1234567/7654321", PHONE_NUMBER_EXTENSION },
	{ "+36201234567 ext. 5", PHONE_NUMBER_EXTENSION },
	{ "+36201234567 Ext 5", PHONE_NUMBER_EXTENSION },
	{ "+36201234567 extension: 5", PHONE_NUMBER_EXTENSION },
	{ "+36201234567x12", PHONE_NUMBER_EXTENSION },
	{ "+36201234567 X 12", PHONE_NUMBER_EXTENSION },
	{ "+36201234567#12", PHONE_NUMBER_EXTENSION },
	{ "+36201234567;ext=1", PHONE_NUMBER_EXTENSION },
	{ "tel:+36-20-1234567;ext=1", PHONE_NUMBER_EXTENSION },
	{ "+36201234567p1", PHONE_NUMBER_EXTENSION },
	{ "+36201234567,1", PHONE_NUMBER_EXTENSION },
	{ "+36201234567,,,1#", PHONE_NUMBER_EXTENSION },
	{ "+36201234567;1", PHONE_NUMBER_EXTENSION },
	{ "+36201234567w1", PHONE_NUMBER_EXTENSION },
	{ u8"+36201234567 \uff58\uff11", PHONE_NUMBER_EXTENSION },
	{ "1400x5", PHONE_NUMBER_EXTENSION },
	{ "+06201234567", PHONE_NUMBER_COUNTRY },
	{ "+0", PHONE_NUMBER_COUNTRY },
	{ "+0036201234567", PHONE_NUMBER_COUNTRY },
	{ "-36201234567", PHONE_NUMBER_BEGINNING },
	{ " - 06201234567", PHONE_NUMBER_BEGINNING },
	{ ".06201234567", PHONE_NUMBER_BEGINNING },
	{ "/06201234567", PHONE_NUMBER_BEGINNING },
	{ ")06201234567", PHONE_NUMBER_BEGINNING },
	{ "-+36201234567", PHONE_NUMBER_BEGINNING },
};

static void test_written_numbers_are_read(void **state)
{
	char number[PHONE_NUMBER_BYTES];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		memset(number, 'x', sizeof(number));
		assert_int_equal(phone_number_parse(good[i].written, number),
				 PHONE_NUMBER_OK);
		assert_string_equal(number, good[i].number);
	}
}

static void test_wrong_numbers_are_refused(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char number[PHONE_NUMBER_BYTES] = "untouched";

		if (phone_number_parse(bad[i].written, number) != bad[i].problem)
			fail_msg("\"%s\" gives %d, not %d", bad[i].written,
				 phone_number_parse(bad[i].written, number),
				 bad[i].problem);
		assert_string_equal(number, "untouched");
	}
}

/* Every byte that is neither digit nor separator is refused between digits. */
static void test_every_byte_is_read_or_refused(void **state)
{
	char number[PHONE_NUMBER_BYTES];
	int byte;

	(void)state;
	for (byte = 1; byte < 256; byte++) {
		char written[] = "361234567";
		bool allowed = (byte >= '0' && byte <= '9') || strchr(" -./()", byte);
		bool extends = strchr("xXpPwWmM#,;~", byte);

		written[4] = (char)byte;
		assert_int_equal(phone_number_parse(written, number),
				 allowed   ? PHONE_NUMBER_OK
				 : extends ? PHONE_NUMBER_EXTENSION
					   : PHONE_NUMBER_CHARACTER);
	}
}

/* What the fix says they leave to it. */
static void test_every_problem_has_a_text(void **state)
{
	const char *fix = failure_words(FAILURE_INVALID_NUMBER)->fix;
	enum phone_number_problem problem;

	(void)state;
	assert_non_null(strstr(fix, "+ and country code, for example +36201234567"));
	for (problem = PHONE_NUMBER_EMPTY; problem <= PHONE_NUMBER_TRUNK_ZERO; problem++)
		assert_null(strstr(phone_number_problem_text(problem), "country code"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_numbers_are_read),
		cmocka_unit_test(test_wrong_numbers_are_refused),
		cmocka_unit_test(test_every_byte_is_read_or_refused),
		cmocka_unit_test(test_every_problem_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
