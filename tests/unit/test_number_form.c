/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/number_form.h"

enum { HUNGARY = 216, ITALY = 222, GERMANY = 262, USA = 310, NORWAY = 242, NOWHERE = 0 };

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
	{ NOWHERE, "06201234567", "06201234567" },
	{ NOWHERE, "0036201234567", "+36201234567" },
	{ NOWHERE, "+36201234567", "+36201234567" },
};

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char form[NUMBER_FORM_BYTES];

		assert_true(number_form_write(cases[i].party,
					      dial_plan_find(cases[i].mcc), form));
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

/* Each spelling is read as what it spells. */
static void test_spellings(void **state)
{
	static const unsigned mccs[] = { HUNGARY, GERMANY, USA, NOWHERE };
	static const char *const forms[] = { "+36201234567", "+4915112345678",
					     "+12025550123", "1777" };
	char spellings[NUMBER_SPELLINGS][NUMBER_FORM_BYTES], form[NUMBER_FORM_BYTES];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const struct dial_plan *country = dial_plan_find(mccs[i]);
		size_t count = number_form_spell(forms[i], country, spellings);

		assert_int_equal(count, i == 3 ? 1 : 4);
		for (size_t at = 0; at < count; at++) {
			assert_true(number_form_write(spellings[at], country, form));
			assert_string_equal(form, forms[i]);
		}
	}
	assert_int_equal(
		number_form_spell("+36201234567", dial_plan_find(GERMANY), spellings), 3);
}

static void test_countries(void **state)
{
	(void)state;
	assert_string_equal(dial_plan_find(HUNGARY)->calling, "36");
	assert_string_equal(dial_plan_find(HUNGARY)->national, "06");
	assert_string_equal(dial_plan_find(202)->calling, "30"); /* the first, the last */
	assert_string_equal(dial_plan_find(750)->calling, "500");
	assert_null(dial_plan_find(1));
	assert_null(dial_plan_find(901));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_countries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
