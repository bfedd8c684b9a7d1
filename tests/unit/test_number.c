/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdio.h>
#include <string.h>

#include "numbers/number.h"
#include "numbers/plan.h"

enum {
	HUNGARY = 216,
	ITALY = 222,
	FINLAND = 244,
	UK = 234,
	CUBA = 368,
	ISRAEL = 425,
	GERMANY = 262,
	USA = 310,
	NORWAY = 242,
	RUSSIA = 250,
	BELARUS = 257,
	TURKEY = 286,
	PUERTO_RICO = 330,
	INDIA = 404,
	BRAZIL = 724,
	ARGENTINA = 722,
	BARBADOS = 342,
	CANADA = 302,
	JAPAN = 440,
	KAZAKHSTAN = 401,
	NOWHERE = 0,
};

static const struct {
	unsigned mcc;
	const char *party, *form;
} cases[] = {
	{ HUNGARY, "+36201234567", "+36201234567" },
	{ HUNGARY, "0036201234567", "+36201234567" },
	{ HUNGARY, "06201234567", "+36201234567" },
	{ HUNGARY, "06 (20) 123-4567", "+36201234567" },
	{ HUNGARY, "36201234567", "+36201234567" },
	{ HUNGARY, "201234567", "+36201234567" },
	{ HUNGARY, "004915112345678", "+4915112345678" },
	{ HUNGARY, "1777", "1777" },
	{ HUNGARY, "123456", "123456" },
	{ GERMANY, "015112345678", "+4915112345678" },
	{ ITALY, "3331234567", "+393331234567" },
	{ ITALY, "0612345678", "+390612345678" }, /* the 0 is part of the number */
	{ NORWAY, "91234567", "+4791234567" },
	{ USA, "2025550123", "+12025550123" },
	{ USA, "12025550123", "+12025550123" },
	{ USA, "01136201234567", "+36201234567" },
	{ USA, "0036201234567", "+36201234567" },
	{ USA, "5550123", "+15550123" }, /* its area code is unknown */
	{ PUERTO_RICO, "7875550123", "+17875550123" },
	{ NORWAY, "4791234567", "+4791234567" },
	{ NORWAY, "47912345", "+4747912345" },
	{ RUSSIA, "89161234567", "+79161234567" },
	{ RUSSIA, "79161234567", "+79161234567" },
	{ RUSSIA, "81036201234567", "+36201234567" },
	{ BELARUS, "80291234567", "+375291234567" },
	/* a national number may begin with the calling code */
	{ INDIA, "9123456789", "+919123456789" },
	{ INDIA, "919123456789", "+919123456789" },
	{ BRAZIL, "55991234567", "+5555991234567" },
	{ BRAZIL, "5555991234567", "+5555991234567" },
	{ TURKEY, "9001234567", "+909001234567" },
	/* a trunk prefix after the calling code is not part of the number */
	{ HUNGARY, "+36 (06) 20 123-4567", "+36201234567" },
	{ HUNGARY, "003606201234567", "+36201234567" },
	{ HUNGARY, "0606201234567", "+36201234567" },
	{ HUNGARY, "+44 (0)20 7946 0000", "+442079460000" },
	{ HUNGARY, "+44 (00)20 7946 0000", "+442079460000" },
	{ HUNGARY, "+36 06 06 20 123 4567", "+36201234567" },
	{ NOWHERE, "+4402079460000", "+442079460000" },
	{ HUNGARY, "+3906123456", "+3906123456" }, /* in Italy it is */
	{ HUNGARY, "+3601234567", "+3601234567" }, /* not a Hungarian number */
	{ HUNGARY, "+440", "+440" },
	{ HUNGARY, "+0", "+0" },
	/* carriers that have an international prefix each */
	{ FINLAND, "99036201234567", "+36201234567" },
	{ ISRAEL, "01236201234567", "+36201234567" },
	{ CUBA, "11936201234567", "+36201234567" },
	{ UK, "01236201234567", "+441236201234567" },
	{ HUNGARY, "00112", "+112" },
	{ HUNGARY, "00", "00" },
	/* too long to be read again with a calling code */
	{ HUNGARY, "12345678901234567890", "12345678901234567890" },
	{ HUNGARY, "0606 201234567", "+36201234567" },
	{ ARGENTINA, "011 15 2345 6789", "+5491123456789" },
	{ ARGENTINA, "+54 9 11 2345 6789", "+5491123456789" },
	{ ARGENTINA, "0 11 4123 4567", "+541141234567" },
	{ BRAZIL, "0 15 11 96123 4567", "+5511961234567" }, /* through a carrier */
	{ BARBADOS, "2345678", "+12462345678" },
	{ ITALY, "4853075", "4853075" }, /* short codes */
	{ INDIA, "1160346", "1160346" },
	{ JAPAN, "0120123456", "+81120123456" },
	{ JAPAN, "0036201234567", "+36201234567" },
	{ NOWHERE, "06201234567", "06201234567" },
	{ NOWHERE, "0036201234567", "+36201234567" },
	{ NOWHERE, "+36201234567", "+36201234567" },
};

TEST(test_every_spelling_has_one_form)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char form[NUMBER_FORM_BYTES];

		const struct country *home = country_of_mobile_code(cases[i].mcc);

		assert_true(number_form(cases[i].party, home, form));
		if (strcmp(form, cases[i].form) != 0)
			fail_msg("%u %s: %s", cases[i].mcc, cases[i].party, form);
	}
}

TEST(test_names_are_not_numbers)
{
	static const char *const names[] = {
		"", "+", "Bank", "36x", "Bank24", "3+6", "123456789012345678901"
	};
	char form[NUMBER_FORM_BYTES];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_false(number_is_number(names[i]));
		assert_false(number_form(names[i], NULL, form));
	}
	assert_true(number_is_short("1777"));
	assert_false(number_is_short("1234567"));
	assert_false(number_is_short("+36201"));
}

TEST(test_a_prefix_has_one_form)
{
	static const struct {
		unsigned mcc;
		const char *beginning, *form;
	} beginnings[] = {
		{ HUNGARY, "+3620", "+3620" },	{ HUNGARY, "0620", "+3620" },
		{ HUNGARY, "003620", "+3620" }, { HUNGARY, "20", "+3620" },
		{ HUNGARY, "06", "+36" },	{ HUNGARY, "00", "+" },
		{ HUNGARY, "+", "+" },		{ USA, "212", "+1212" },
		{ NOWHERE, "0620", "0620" },	{ HUNGARY, "+44090", "+4490" },
		{ HUNGARY, "+440", "+440" },
	};
	char form[NUMBER_FORM_BYTES];

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		assert_true(number_form_beginning(
			beginnings[i].beginning,
			country_of_mobile_code(beginnings[i].mcc), form));
		assert_string_equal(form, beginnings[i].form);
	}
	assert_false(number_form_beginning("", NULL, form));
	assert_false(number_form_beginning("x", NULL, form));
}

/* Each spelling is read as the number that it spells. */
TEST(test_every_spelling_is_written)
{
	static const unsigned mccs[] = {
		HUNGARY, GERMANY, USA, BELARUS, FINLAND, NOWHERE
	};
	static const char *const forms[] = { "+36201234567",  "+4915112345678",
					     "+12025550123",  "+375291234567",
					     "+358401234567", "1777" };
	static const size_t counts[] = { 4, 4, 5, 4, 4, 1 };
	char spellings[NUMBER_SPELLINGS][NUMBER_FORM_BYTES], form[NUMBER_FORM_BYTES];

	for (size_t i = 0; i < 6; i++) {
		const struct country *country = country_of_mobile_code(mccs[i]);
		size_t count = number_spell(forms[i], country, spellings);

		assert_int_equal(count, counts[i]);
		for (size_t at = 0; at < count; at++) {
			if (i == 1 && at == 2)
				continue; /* 4915... is also a number in Leer */
			assert_true(number_form(spellings[at], country, form));
			assert_string_equal(form, forms[i]);
		}
	}
	assert_int_equal(
		number_spell("+36201234567", country_of_mobile_code(GERMANY), spellings),
		3);
}

/* How a number may be written; and spellings that are refused, with a suggestion. */
TEST(test_a_refused_number_gets_a_suggestion)
{
	static const struct {
		unsigned mcc;
		const char *text;
		enum number_spelling spelling;
		const char *suggestion; /* NULL: none */
	} ways[] = {
		{ HUNGARY, "+36201234567", NUMBER_PLUS, NULL },
		{ HUNGARY, "0036201234567", NUMBER_ABROAD, NULL },
		{ HUNGARY, "06201234567", NUMBER_NATIONAL, NULL },
		{ HUNGARY, "1777", NUMBER_SHORT, NULL },
		{ HUNGARY, "201234567", NUMBER_BARE, "+36201234567" },
		{ HUNGARY, "36201234567", NUMBER_BARE, "+36201234567" },
		{ HUNGARY, "4915112345678", NUMBER_BARE, "+4915112345678" },
		{ HUNGARY, "1900123456", NUMBER_BARE, NULL },
		{ HUNGARY, "0606201234567", NUMBER_BARE, "+36201234567" },
		{ USA, "2025550123", NUMBER_NATIONAL, NULL },
		{ USA, "12025550123", NUMBER_NATIONAL, NULL },
		{ USA, "01136201234567", NUMBER_ABROAD, NULL },
		{ USA, "0036201234567", NUMBER_ABROAD, NULL },
		{ USA, "5550123", NUMBER_BARE, NULL },
		{ CANADA, "2025550123", NUMBER_NATIONAL, NULL },
		{ NORWAY, "91234567", NUMBER_NATIONAL, NULL },
		{ ITALY, "3331234567", NUMBER_NATIONAL, NULL },
		{ ARGENTINA, "011 15 2345 6789", NUMBER_NATIONAL, NULL },
		{ NOWHERE, "06201234567", NUMBER_UNPLACED, NULL },
		{ NOWHERE, "36201234567", NUMBER_UNPLACED, "+36201234567" },
		{ NOWHERE, "+36201234567", NUMBER_PLUS, NULL },
	};
	char suggestion[NUMBER_FORM_BYTES];

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const struct country *home = country_of_mobile_code(ways[i].mcc);
		struct number number;

		assert_true(number_read(ways[i].text, home, &number));
		if (number.spelling != ways[i].spelling)
			fail_msg("%u %s: %d", ways[i].mcc, ways[i].text, number.spelling);
		if (number.spelling != NUMBER_BARE && number.spelling != NUMBER_UNPLACED)
			continue;
		assert_int_equal(number_suggest(ways[i].text, home, suggestion),
				 ways[i].suggestion != NULL);
		if (ways[i].suggestion)
			assert_string_equal(suggestion, ways[i].suggestion);
	}
}

static void assert_number(const char *text, const char *country, enum number_cost cost,
			  bool costs_extra)
{
	struct number number;

	assert_true(number_read(text, NULL, &number));
	if (strcmp(number.country ? number.country->code : "", country) != 0 ||
	    number.cost != cost || number.costs_extra != costs_extra)
		fail_msg("%s: %s, %d, %d", text,
			 number.country ? number.country->code : "-", number.cost,
			 number.costs_extra);
}

TEST(test_countries_and_costs)
{
	assert_number("+36201234567", "HU", NUMBER_USUAL, false);
	assert_number("+12025550123", "US", NUMBER_USUAL, false);
	assert_number("+12045550123", "CA", NUMBER_USUAL, false);
	assert_number("+17215201234", "SX", NUMBER_USUAL, false);
	assert_number("+77012345678", "KZ", NUMBER_USUAL, false);
	assert_number("+79161234567", "RU", NUMBER_USUAL, false);
	assert_number("+99999999999", "", NUMBER_INVALID, false);
	assert_number("+979123456789", "001", NUMBER_PREMIUM, true);
	assert_number("+3690123456", "HU", NUMBER_PREMIUM, true);
	assert_number("+36 06 90 123456", "HU", NUMBER_PREMIUM, true);
	assert_number("+3990012345", "", NUMBER_INVALID, false);
	assert_number("+39848123456", "IT", NUMBER_SHARED, true);
	assert_number("+64900123456", "NZ", NUMBER_PREMIUM, true);
	assert_number("+96190123456", "LB", NUMBER_PREMIUM, true);
	assert_number("+33899123456", "FR", NUMBER_PREMIUM, true);
	assert_number("+19005551234", "US", NUMBER_PREMIUM, true);
	/* not numbers: one with extra digits, and the beginning of one */
	assert_number("+36901234567", "HU", NUMBER_INVALID, true);
	assert_number("+440901234567", "", NUMBER_INVALID, true);
	assert_number("+36201", "HU", NUMBER_INVALID, false);
}

/* The cost is judged by the country of the SIM card. */
TEST(test_a_number_may_belong_to_several_countries)
{
	assert_true(number_is_of("+12025550123", country_of_iso("US")));
	assert_false(number_is_of("+12025550123", country_of_iso("CA")));
	assert_true(number_is_of("+18005551234", country_of_iso("CA")));
	assert_false(number_is_of("+36201234567", country_of_iso("CA")));
	assert_false(number_is_of("1777", country_of_iso("CA")));
}

TEST(test_short_and_emergency_numbers_are_known)
{
	static const struct {
		const char *country, *digits;
	} emergency[] = { { "HU", "112" }, { "HU", "107" }, { "LT", "01" },
			  { "LT", "033" }, { "LT", "112" }, { "NZ", "111" },
			  { "US", "911" }, { "FR", "15" },  { "IN", "1298" } };

	for (size_t i = 0; i < sizeof(emergency) / sizeof(*emergency); i++)
		assert_true(number_is_emergency(emergency[i].digits,
						country_of_iso(emergency[i].country)));
	assert_false(number_is_emergency("108", country_of_iso("HU")));
	assert_false(number_is_emergency("+112", country_of_iso("HU")));
	assert_false(number_is_emergency("", country_of_iso("HU")));
	assert_false(number_is_emergency("112", NULL));
	assert_true(number_begins_as_emergency("9112345678", country_of_iso("US")));
	assert_false(number_begins_as_emergency("2025550123", country_of_iso("US")));
	assert_false(number_begins_as_emergency("1901", country_of_iso("BR")));
	assert_true(number_is_short_premium("4853075", country_of_iso("IT")));
	assert_true(number_is_short_premium("1160346", country_of_iso("IN")));
	assert_false(number_is_short_premium("4853075", country_of_iso("HU")));
}

TEST(test_a_tidy_number_keeps_its_spelling)
{
	const struct country *hungary = country_of_iso("HU");
	char number[NUMBER_FORM_BYTES];

	assert_true(number_tidy("06201234567", hungary, number));
	assert_string_equal(number, "06201234567");
	assert_true(number_tidy("0036201234567", hungary, number));
	assert_string_equal(number, "0036201234567");
	assert_true(number_tidy("+3606201234567", hungary, number));
	assert_string_equal(number, "+36201234567");
	assert_true(number_tidy("01136201234567", country_of_iso("US"), number));
	assert_string_equal(number, "+36201234567");
	assert_true(number_tidy("01115 23456789", country_of_iso("AR"), number));
	assert_string_equal(number, "+5491123456789");
	assert_true(number_tidy("1777", hungary, number));
	assert_string_equal(number, "1777");
	assert_false(number_tidy("Bank", hungary, number));
}

TEST(test_countries_are_found_by_code)
{
	size_t length;

	assert_string_equal(country_of_mobile_code(HUNGARY)->code, "HU");
	assert_string_equal(country_of_mobile_code(HUNGARY)->trunk, "06");
	assert_ptr_equal(country_of_mobile_digits("216"),
			 country_of_mobile_code(HUNGARY));
	assert_string_equal(country_of_mobile_code(202)->code, "GR");
	assert_string_equal(country_of_mobile_code(750)->code, "FK");
	assert_null(country_of_mobile_code(1));
	assert_null(country_of_mobile_code(901));
	assert_null(country_of_mobile_digits(""));
	assert_string_equal(country_of_digits("36201234567", &length)->code, "HU");
	assert_int_equal(length, 2);
	assert_string_equal(country_of_digits("1876", &length)->code, "US");
	assert_null(country_of_digits("0", &length));
	assert_null(country_of_digits("", &length));
	assert_null(country_of_digits("999", &length));
	assert_true(country_is_none(country_of_digits("881", &length)));
}

/* Each mobile country code leads to a country of the table. */
TEST(test_countries_are_found_by_mobile_code)
{
	unsigned known = 0;

	for (unsigned code = 0; code < 1000; code++) {
		const struct country *country = country_of_mobile_code(code);

		known += country != NULL;
		assert_true(!country || !country_is_none(country));
	}
	assert_int_equal(known, 241);
}

/* The tables made from the metadata stay small. */
TEST(test_the_tables_are_small)
{
	printf("numbering plans of libphonenumber %s: %zu bytes\n", plan_version,
	       plan_bytes);
	assert_in_range(plan_bytes, 1, 200 * 1024);
	assert_in_range(plan_country_count, 245, 300);
}
