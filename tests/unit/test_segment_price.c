/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The owner's prices of a segment: what may be written, which one counts, and exact sums. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit_test.h"
#include "base/explanation.h"
#include "config/config.h"
#include "config/segment_price.h"
#include "policy/price.h"

static struct config_list list;
static struct explanation error;

static int check(const char *line)
{
	config_list_clear(&list);
	list.count = 1;
	strcpy(list.items[0], line);
	return segment_price_check_list(&list, &error);
}

TEST(test_valid_lines_are_accepted)
{
	static const char *const lines[] = {
		"0.09 EUR",	    "EUR 0.09",	       "HUF 25",
		"EUR home=0.05",    "EUR +43=0.25",    "EUR 2=0.07, 3=0.08",
		"EUR 2/+43=0.19",   "EUR 2/home=0.01", "USD 0.075 +1=0.008",
		"EUR 0 +43=999999",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (check(lines[i]))
			fail_msg("%s: %s", lines[i], error.text);
	}
}

TEST(test_invalid_lines_are_refused_with_the_reason)
{
	static const struct {
		const char *line, *flaw;
	} cases[] = {
		{ "0.09", "must have one currency" },
		{ "EUR 0.09 USD 0.10", "must have one currency" },
		{ "0.09 eur", "must have one currency" },
		{ "EUR", "has no price" },
		{ "EUR 0,09 +43=1", "is a second price for the same messages" },
		{ "EUR 2/+43=1 2/+43=2", "is a second price for the same messages" },
		{ "EUR 0.0075", "\"0.0075\" is not a price" },
		{ "EUR .09", "\".09\" is not a price" },
		{ "EUR 0.", "\"0.\" is not a price" },
		{ "EUR -1", "\"-1\" is not a price" },
		{ "EUR 1'000", "is not a price" },
		{ "EUR 1000000", "is not a price" },
		{ "EUR AT=0.25", "\"AT=0.25\" is not a price" },
		{ "EUR +=0.25", "\"+=0.25\" is not a price" },
		{ "EUR +43*=0.25", "is not a price" },
		{ "EUR 0=0.25", "is not a price" },
		{ "EUR 2/=0.25", "is not a price" },
		{ "EUR /+43=0.25", "is not a price" },
		{ "EUR 2x/+43=0.25", "is not a price" },
		{ "EUR =0.25", "is not a price" },
		{ "EUR 2=", "is not a price" },
		{ "EUR 99999999999999999999=1", "is not a price" },
		{ "EUR +1234567890123456=1", "is not a price" },
		{ "EUR 1234567890123456789012345678901234567890123456789=1",
		  "is not a price" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int expected = *cases[i].flaw ? -EINVAL : 0;

		if (check(cases[i].line) != expected ||
		    (expected && !strstr(error.text, cases[i].flaw)))
			fail_msg("%s: %s", cases[i].line, error.text);
	}
}

/* The number's digits after the +, and whether it is one of the SIM's country. */
struct number_facts {
	const char *digits;
	bool is_home;
};

static bool applies(const void *data, const struct segment_price *price)
{
	const struct number_facts *facts = data;

	if (price->is_home)
		return facts->is_home;
	return strncmp(facts->digits, price->prefix, strlen(price->prefix)) == 0;
}

static void assert_price(int64_t sim_id, const char *digits, bool is_home,
			 const char *expected)
{
	const struct number_facts facts = { digits, is_home };
	char amount[AMOUNT_BYTES], text[64] = "";
	struct segment_price price;

	if (segment_price_find(&list, sim_id, applies, &facts, &price)) {
		amount_write(&price.amount, amount);
		snprintf(text, sizeof(text), "%s %s", amount, price.currency);
	}
	assert_string_equal(text, expected);
}

TEST(test_the_most_specific_price_counts)
{
	assert_int_equal(
		check("EUR 0.09 home=0.05 +43=0.25 +4366=0.2 2=0.07 2/+43=0.190 2/home=0.0"),
		0);
	assert_price(1, "49151", false, "0.09 EUR");
	assert_price(1, "3620", true, "0.05 EUR");
	assert_price(1, "43650", false, "0.25 EUR");
	assert_price(1, "43660", false, "0.2 EUR");
	assert_price(2, "49151", false, "0.07 EUR");
	assert_price(2, "3620", true, "0.0 EUR");
	assert_price(2, "43650", false, "0.190 EUR");
	assert_price(2, "43660", false, "0.2 EUR");
	assert_price(0, "43650", false, "0.25 EUR");
}

TEST(test_each_line_has_its_own_currency)
{
	check("HUF 25");
	list.count = 2;
	strcpy(list.items[1], "+43=0.25 EUR");
	assert_price(1, "3620", true, "25 HUF");
	assert_price(1, "43650", false, "0.25 EUR");
}

TEST(test_without_a_price_that_applies_there_is_none)
{
	check("EUR 2=0.07 +43=0.25");
	assert_price(1, "3620", true, "");
	config_list_clear(&list);
	assert_price(2, "43650", false, "");
}

TEST(test_costs_are_added_exactly)
{
	struct price sum = { { 90, 2 }, "EUR" };
	char amount[AMOUNT_BYTES];

	for (int i = 0; i < 9; i++)
		assert_true(price_add(&sum, &(struct price){ { 75, 3 }, "EUR" }));
	assert_false(price_add(&sum, &(struct price){ { 1000, 0 }, "USD" }));
	amount_write(&sum.amount, amount);
	assert_string_equal(amount, "0.765");
	assert_string_equal(sum.currency, "EUR");
}
