/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
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
	{ "+36\u00a020\u00a0123\u00a04567", "+36201234567" },
	{ "\u202a+36201234567\u202c", "+36201234567" },
	{ "\u2068+36 20 123 4567\u2069", "+36201234567" },
	{ "\u200e+36201234567\u200f\ufeff", "+36201234567" },
	{ "+36 20 123\u20114567", "+36201234567" },
	{ "+36\u201320\u2014123\u22124567", "+36201234567" },
	{ "\uff0b\uff13\uff1620 1234567", "+36201234567" },
	{ "\uff0836\uff09201234567", "36201234567" },
	{ "\u0661\u0662\u0663\u0664", "1234" },
	{ "\u202f06\u200920\u30001234567", "06201234567" },
	{ "+36\t201234567\r\n", "+36201234567" },
	{ "tel:+36-20-123-4567", "+36201234567" },
	{ "TEL: 06201234567", "06201234567" },
	{ "sms:+36201234567", "+36201234567" },
	{ "+36 (0)20 123 4567", "+36201234567" },
	{ "+36(0) 20 123 4567", "+36201234567" },
	{ "+44 ( 0 ) 20 7946 0958", "+442079460958" },
	{ "+36 (06) 20 123 4567", "+36201234567" },
	{ "(+44) (0)20 7946 0958", "+442079460958" },
	{ "+39 (0)6 1234 5678", "+390612345678" },
	{ "+378 (0)549 886377", "+3780549886377" },
	{ "+227 (0)8 12 34 56", "+22708123456" },
	{ "+267 (0)800 012 345", "+2670800012345" },
	{ "+267 (0)71 123 456", "+26771123456" },
	{ "+7 (0)912 345 67 89", "+79123456789" },
	{ "+45 (0)32 12 34 56", "+4532123456" },
	{ "+49 (0)30 123456", "+4930123456" },
	{ "+225 (0)7 01 02 03 04", "+2250701020304" },
	{ "+49 0171 1234567", "+491711234567" },
	{ "+44 07700 900123", "+447700900123" },
	{ "+36 06 20 123 4567", "+36201234567" },
	{ "+7 8 912 345 67 89", "+79123456789" },
	{ "+39 06 6982 1234", "+390669821234" },
	{ "+225 07 01 02 03 04", "+2250701020304" },
	{ "+1 (201) 555-0123", "+12015550123" },
	{ "030/1234567", "0301234567" },
	{ "+36201234567/", "+36201234567" },
	{ "+49 30/123/4567", "+49301234567" },
	{ "+36/20/123/4567", "+36201234567" },
	{ "+36 30/123/45/67", "+36301234567" },
	{ "06/30/123/45/67", "06301234567" },
	{ "+1 212 555/0100", "+12125550100" },
	{ "0711/123456", "0711123456" },
	{ "0036 (20) 123/45/67", "0036201234567" },
	{ "36201234567.0", "36201234567" }, /* from a spreadsheet */
	{ "+36201234567.0", "+36201234567" },
	{ "0620.123.456.0", "06201234560" },
	{ "+1234567", "+1234567" },
	{ "+123456789012345", "+123456789012345" },
	{ "123456789012345", "123456789012345" },
	{ "00123456789012345", "00123456789012345" },
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
	{ "+36201234567;ext=1", PHONE_NUMBER_EXTENSION },
	{ "tel:+36201234567;ext=12", PHONE_NUMBER_EXTENSION },
	{ "+36 1 234 5678/89", PHONE_NUMBER_EXTENSION },
	{ "+49 30 123456/89", PHONE_NUMBER_EXTENSION },
	{ "+36/20/1234567/8", PHONE_NUMBER_EXTENSION },
	{ "+36 20 123 4567/1234", PHONE_NUMBER_EXTENSION },
	{ "+36 (0)20 123 4567/89", PHONE_NUMBER_EXTENSION },
	{ "+39 (0)6 6982 1234/12", PHONE_NUMBER_EXTENSION },
	{ "0036 20 123 4567 / 89", PHONE_NUMBER_EXTENSION },
	{ "06 20 123 4567/89", PHONE_NUMBER_EXTENSION },
	{ "06/20/1234567/89", PHONE_NUMBER_EXTENSION },
	{ "1234567/7654321", PHONE_NUMBER_EXTENSION },
	{ "+1 212 555 0100 ext. 5", PHONE_NUMBER_EXTENSION },
	{ "+1 212 555 0100 Extension 123", PHONE_NUMBER_EXTENSION },
	{ "+1 212 555 0100 x5", PHONE_NUMBER_EXTENSION },
	{ "+1 212 555 0100,5", PHONE_NUMBER_EXTENSION },
	{ "+12125550100p12", PHONE_NUMBER_EXTENSION },
	{ "+12125550100w12#", PHONE_NUMBER_EXTENSION },
	{ "tel:+36201234567?body=x", PHONE_NUMBER_CHARACTER },
	{ "+36201234567/+36301234567", PHONE_NUMBER_CHARACTER },
	{ "\u4e00\u4e8c\u4e09", PHONE_NUMBER_CHARACTER },
	{ "+36201234567,+36201234568", PHONE_NUMBER_SEVERAL },
	{ "06201234567; 06301234567", PHONE_NUMBER_SEVERAL },
	{ "+36201234567,1234", PHONE_NUMBER_EXTENSION },
	{ "+1234567890123456", PHONE_NUMBER_LONG },
	{ "1234567890123456", PHONE_NUMBER_LONG },
	{ "001234567890123456", PHONE_NUMBER_LONG },
	{ "01234567890123456", PHONE_NUMBER_LONG },
	{ "11111111111111111111111111111111111111111111111111", PHONE_NUMBER_LONG },
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

TEST(test_written_numbers_are_read)
{
	char number[PHONE_NUMBER_BYTES];
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		memset(number, 'x', sizeof(number));
		assert_int_equal(phone_number_parse(good[i].written, number),
				 PHONE_NUMBER_OK);
		assert_string_equal(number, good[i].number);
	}
}

TEST(test_wrong_numbers_are_refused)
{
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char number[PHONE_NUMBER_BYTES] = "untouched";

		if (phone_number_parse(bad[i].written, number) != bad[i].problem)
			fail_msg("\"%s\" gives %d, not %d", bad[i].written,
				 phone_number_parse(bad[i].written, number),
				 bad[i].problem);
		assert_string_equal(number, "untouched");
	}
}

/* Every byte that is neither digit nor separator nor "+" is refused, wherever it stands. */
TEST(test_every_byte_is_read_or_refused)
{
	char number[PHONE_NUMBER_BYTES];
	int byte;

	for (byte = 1; byte < 256; byte++) {
		char written[] = "361234567";
		bool allowed = (byte >= '0' && byte <= '9') || strchr(" -./()", byte) ||
			       (byte >= '\t' && byte <= '\r');

		written[4] = (char)byte;
		assert_int_equal(phone_number_parse(written, number),
				 allowed ? PHONE_NUMBER_OK : PHONE_NUMBER_CHARACTER);
	}
}

/* What the fix says they leave to it. */
TEST(test_every_problem_has_a_text)
{
	const char *fix = failure_words(FAILURE_INVALID_NUMBER)->fix;
	enum phone_number_problem problem;

	assert_non_null(strstr(fix, "+ and country code, for example +36201234567"));
	for (problem = PHONE_NUMBER_EMPTY; problem <= PHONE_NUMBER_BEGINNING; problem++)
		assert_null(strstr(phone_number_problem_text(problem), "country code"));
}

TEST(test_a_beginning_has_digits_before_its_star)
{
	static const struct {
		const char *written, *beginning; /* NULL: it is none */
	} cases[] = {
		{ "+3620*", "+3620" },
		{ "tel:+36-20*", "+3620" },
		{ "\u202a+36\u00a020\u00a0*\u202c\n", "+3620" },
		{ "+36 (0)20*", "+3620" },
		{ "0*", "0" },
		{ "*", "" },
		{ "+3620", NULL },
		{ "+*", NULL },
		{ "+36*20*", NULL },
		{ "**", NULL },
		{ "Bank*", NULL },
		{ "3+6*", NULL },
		{ "123456789012345678*", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char beginning[PHONE_NUMBER_BYTES] = "untouched";
		bool is_one = phone_number_parse_beginning(cases[i].written, beginning);

		assert_int_equal(is_one, cases[i].beginning != NULL);
		assert_string_equal(beginning, is_one ? cases[i].beginning : "untouched");
	}
}

TEST(test_messages_come_from_numbers_and_short_names)
{
	static const char *const senders[] = {
		"+36201234567", "1777",	      "12",	   "1-800-555",	 "MyBank",
		"3Mobile",	"My Bank-24", "Bank & Co", "1-800-BANK", "\u4e2d\u56fd",
	};
	static const char *const others[] = {
		"",
		"+",
		"()",
		" - ",
		"!!!",
		"+3620abc",
		"06201234567l",
		"+36201234567/89",
		"+36201234567 ext. 5",
		"1234567890123456",
		"12345#678",
		"My\x01 Bank",
		"a name that is too long",
	};

	for (size_t i = 0; i < sizeof(senders) / sizeof(*senders); i++)
		assert_true(phone_number_may_send(senders[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(phone_number_may_send(others[i]));
}
