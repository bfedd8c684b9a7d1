/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/number_form.h"
#include "base/word_list.h"

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
	{ ITALY, "0612345678", "+390612345678" }, /* the 0 belongs to it */
	{ NORWAY, "91234567", "+4791234567" },
	{ USA, "2025550123", "+12025550123" },
	{ USA, "12025550123", "+12025550123" },
	{ USA, "01136201234567", "+36201234567" },
	{ USA, "0036201234567", "+36201234567" },
	{ USA, "5550123", "5550123" }, /* of which area? */
	{ PUERTO_RICO, "7875550123", "+17875550123" },
	{ NORWAY, "4791234567", "+4791234567" },
	{ NORWAY, "47912345", "+4747912345" },
	{ RUSSIA, "89161234567", "+79161234567" },
	{ RUSSIA, "79161234567", "+79161234567" },
	{ RUSSIA, "81036201234567", "+36201234567" },
	{ BELARUS, "80291234567", "+375291234567" },
	/* a national number may begin with the code */
	{ INDIA, "9123456789", "+919123456789" },
	{ INDIA, "919123456789", "+919123456789" },
	{ BRAZIL, "55991234567", "+5555991234567" },
	{ BRAZIL, "5555991234567", "+5555991234567" },
	{ TURKEY, "9001234567", "+909001234567" },
	/* a trunk prefix behind the calling code, which is no part of the number */
	{ HUNGARY, "+36 (06) 20 123-4567", "+36201234567" },
	{ HUNGARY, "003606201234567", "+36201234567" },
	{ HUNGARY, "0606201234567", "+36201234567" },
	{ HUNGARY, "+44 (0)20 7946 0000", "+442079460000" },
	{ HUNGARY, "+44 (00)20 7946 0000", "+442079460000" },
	{ HUNGARY, "+36 06 06 20 123 4567", "+36201234567" },
	{ NOWHERE, "+4402079460000", "+442079460000" },
	{ HUNGARY, "+3906123456", "+3906123456" }, /* part of it */
	{ HUNGARY, "+3601234567", "+3601234567" }, /* not Hungary's */
	{ HUNGARY, "+440", "+440" },
	{ HUNGARY, "+0", "+0" },
	/* carriers, each with a prefix for other countries */
	{ FINLAND, "99036201234567", "+36201234567" },
	{ ISRAEL, "01236201234567", "+36201234567" },
	{ CUBA, "11936201234567", "+36201234567" },
	{ UK, "01236201234567", "+441236201234567" },
	{ HUNGARY, "00112", "+112" },
	{ HUNGARY, "00", "00" },
	/* with a calling code it would be too long to be read again */
	{ HUNGARY, "12345678901234567890", "12345678901234567890" },
	{ NOWHERE, "06201234567", "06201234567" },
	{ NOWHERE, "0036201234567", "+36201234567" },
	{ NOWHERE, "+36201234567", "+36201234567" },
};

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char form[NUMBER_FORM_BYTES];

		assert_true(number_form_write(cases[i].party, country_find(cases[i].mcc),
					      form));
		assert_string_equal(form, cases[i].form);
	}
}

static void test_names(void **state)
{
	static const char *const names[] = {
		"", "+", "Bank", "36x", "Bank24", "3+6", "123456789012345678901"
	};
	char form[NUMBER_FORM_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_false(number_form_is_number(names[i]));
		assert_false(number_form_write(names[i], NULL, form));
	}
	assert_true(number_form_is_short("1777"));
	assert_false(number_form_is_short("1234567"));
	assert_false(number_form_is_short("+36201"));
}

static void test_beginnings(void **state)
{
	static const struct {
		unsigned mcc;
		const char *beginning, *form;
	} beginnings[] = {
		{ HUNGARY, "+3620", "+3620" },	{ HUNGARY, "0620", "+3620" },
		{ HUNGARY, "003620", "+3620" }, { HUNGARY, "20", "+3620" },
		{ HUNGARY, "06", "+36" },	{ HUNGARY, "00", "+" },
		{ HUNGARY, "+", "+" },		{ USA, "212", "212" },
		{ NOWHERE, "0620", "0620" },	{ HUNGARY, "+44090", "+4490" },
		{ HUNGARY, "+440", "+440" },
	};
	char form[NUMBER_FORM_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		assert_true(number_form_write_beginning(
			beginnings[i].beginning, country_find(beginnings[i].mcc), form));
		assert_string_equal(form, beginnings[i].form);
	}
	assert_false(number_form_write_beginning("", NULL, form));
	assert_false(number_form_write_beginning("x", NULL, form));
}

/* Each spelling is read as what it spells. */
static void test_spellings(void **state)
{
	static const unsigned mccs[] = {
		HUNGARY, GERMANY, USA, BELARUS, FINLAND, NOWHERE
	};
	static const char *const forms[] = { "+36201234567",  "+4915112345678",
					     "+12025550123",  "+375291234567",
					     "+358401234567", "1777" };
	static const size_t counts[] = { 4, 4, 4, 5, 4, 1 };
	char spellings[NUMBER_SPELLINGS][NUMBER_FORM_BYTES], form[NUMBER_FORM_BYTES];

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		const struct country *country = country_find(mccs[i]);
		size_t count = number_form_spell(forms[i], country, spellings);

		assert_int_equal(count, counts[i]);
		for (size_t at = 0; at < count; at++) {
			assert_true(number_form_write(spellings[at], country, form));
			assert_string_equal(form, forms[i]);
		}
	}
	assert_int_equal(
		number_form_spell("+36201234567", country_find(GERMANY), spellings), 3);
}

static void test_countries(void **state)
{
	char code[COUNTRY_CODE_BYTES];

	(void)state;
	assert_string_equal(country_find(HUNGARY)->codes, "36");
	assert_string_equal(country_find(HUNGARY)->trunk, "06");
	assert_ptr_equal(country_of_mobile_code("216"), country_find(HUNGARY));
	assert_string_equal(country_find(202)->codes, "30"); /* the first, the last */
	assert_string_equal(country_find(750)->codes, "500");
	country_calling_code(country_find(PUERTO_RICO), code);
	assert_string_equal(code, "1");
	assert_null(country_find(1));
	assert_null(country_find(901));
}

/* Who looks for a code looks at the first letter first, of all of a country's at once. */
static void test_calling_codes_of_a_country_begin_alike(void **state)
{
	char code[COUNTRY_CODE_BYTES];
	size_t length;

	(void)state;
	for (const struct country *country = country_table; country->mobile_first;
	     country++) {
		const char *codes = country->codes;

		while (word_list_next(&codes, code, sizeof(code))) {
			assert_int_equal(*code, *country->codes);
			assert_true(country_has_digits(country, code));
			assert_non_null(country_of_digits(code, &length));
			assert_int_equal(length, strlen(code));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_beginnings),
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_countries),
		cmocka_unit_test(test_calling_codes_of_a_country_begin_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
