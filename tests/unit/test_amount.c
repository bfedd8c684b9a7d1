/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "unit_test.h"
#include "base/amount.h"

static const struct {
	const char *text;
	const char *written; /* NULL: it is none */
} cases[] = {
	{ "500", "500" },
	{ "0", "0" },
	{ "007", "7" },
	{ "1 234,56", "1234.56" },
	{ "1,234.56", "1234.56" },
	{ "1.234,56", "1234.56" },
	{ "1'234.50", "1234.50" },
	{ "1\xe2\x80\x99"
	  "234.5",
	  "1234.5" },
	{ "1\xc2\xa0"
	  "234\xc2\xa0"
	  "567,00",
	  "1234567.00" },
	{ "12\xe2\x80\xaf"
	  "500",
	  "12500" },
	{ "1,23,456.00", "123456.00" }, /* India */
	{ "1.234", "1234" },
	{ "1,234", "1234" },
	{ "0.125", "0.125" },
	{ "0,125", "0.125" },
	{ "1234.567", "1234.567" },
	{ "1 234.567", "1234.567" },
	{ "12.5", "12.5" },
	{ "1.234.567", "1234567" },
	{ "-12.50", "-12.50" },
	{ "- 12,50", "-12.50" },
	{ "\xe2\x88\x92"
	  "12",
	  "-12" },
	{ "-0.05", "-0.05" },
	{ "+7", "7" },
	{ "  80  ", "80" },
	{ "500.", "500" }, /* a sentence ended */
	{ "1234,", "1234" },
	{ "999999999999.999", "999999999999.999" },
	{ "1000000000000", NULL }, /* more digits than anybody has */
	{ "99999999999999999999999999999999999999", NULL },
	{ "1.2345", NULL },
	{ "", NULL },
	{ " ", NULL },
	{ ".", NULL },
	{ "-", NULL },
	{ "--5", NULL },
	{ "-+5", NULL },
	{ "5-", NULL },
	{ ".50", NULL },
	{ "1..5", NULL },
	{ "1,2,3", NULL },
	{ "12,34", "12.34" },
	{ "1 2", NULL },
	{ "1 23,45", NULL },
	{ "1234,567.8", NULL },
	{ "1.234,567.8", NULL },
	{ "1 234.567,00", NULL },
	{ "1,234 567.00", NULL },
	{ "HUF 500", NULL },
	{ "500 Ft", NULL },
	{ "5e3", NULL },
	{ "0x10", NULL },
	{ "\xd9\xa5", NULL }, /* Arabic five: never guessed */
	{ "1\xc2", NULL },
	{ "\xe2\x80", NULL },
};

TEST(test_amounts_are_read_in_every_notation)
{
	struct amount amount;
	char written[AMOUNT_BYTES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* exactly as long as it is: a read behind it is found */
		size_t length = strlen(cases[i].text);
		char *text = malloc(length + 1);
		bool is_one;

		memcpy(text, cases[i].text, length);
		is_one = amount_read(text, length, &amount);
		free(text);
		if (is_one != (cases[i].written != NULL))
			fail_msg("\"%s\": %d", cases[i].text, is_one);
		if (!is_one)
			continue;
		amount_write(&amount, written);
		assert_string_equal(written, cases[i].written);
	}
}

/* What is written reads as the same amount, but that "1.234" would be a thousand. */
TEST(test_a_written_amount_reads_back)
{
	char written[AMOUNT_BYTES];

	for (int64_t value = -3000000; value < 3000000; value += 37) {
		struct amount amount = { value * 10, 2 }, back;

		amount_write(&amount, written);
		assert_true(amount_read(written, strlen(written), &back));
		assert_int_equal(back.thousandths, amount.thousandths);
		assert_int_equal(back.decimals, 2);
	}
}

TEST(test_other_text_leaves_the_amount_unchanged)
{
	struct amount amount = { 7, 1 };

	assert_false(amount_read("1,2,3", 5, &amount));
	assert_int_equal(amount.thousandths, 7);
	assert_int_equal(amount.decimals, 1);
}
