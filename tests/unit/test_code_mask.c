/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sms/code_mask.h"

#define M CODE_MASK

/* NULL: nothing is hidden. */
static const struct {
	const char *text, *masked;
} cases[] = {
	{ "", NULL },
	{ "Lunch at 12:45? Room 4021", NULL },
	{ "Call 5551234 or +36201234567 if you did not ask for a code", NULL },
	{ "Your balance is 45000. Never share your PIN with anyone.", NULL },
	{ "Your code is 482910", "Your code is " M },
	{ "482910 is your code. 482910!", M " is your code. " M "!" },
	{ "Signal code: 456 789.\nKeep it", "Signal code: " M ".\nKeep it" },
	{ "A7K2Q9 is your Steam Guard code: a7k2q9", M " is your Steam Guard code: " M },
	/* also where it stands in another way */
	{ "Telegram code: 48291\nOr tap: https://t.me/login/48291",
	  "Telegram code: " M "\nOr tap: https://t.me/login/" M },
	{ "Your code is 482910 (4 8 2 9 1 0, 482-910)",
	  "Your code is " M " (" M ", " M ")" },
	{ "747723 is your code.\n\n@example.com #747723",
	  M " is your code.\n\n@example.com #" M },
	{ "@bank.example #AB-12_3!", "@bank.example #" M },
	/* two of them */
	{ "Your code is 111111, or use code 222222",
	  "Your code is " M ", or use code " M },
	/* other digits */
	{ "Your code is \uff14\uff18\uff12\uff19\uff11\uff10!", "Your code is " M "!" },
	{ "Your code is 1 2 3 4 5 6 now", "Your code is " M " now" },
	{ "Your code is 48\u200b29\u202e10.", "Your code is " M "." },
	{ "\u06a9\u062f: \u06f4\u06f8\u06f2\u06f9\u06f1\u06f0", "\u06a9\u062f: " M },
	/* nothing says what it is */
	{ "482910", M },
	{ "482 910\n", M },
	{ "12", NULL },
	{ "12345678901", NULL },
	{ "4021 please", NULL },
};

static void test_masked(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffer masked = BUFFER_INIT;
		bool any = code_mask(cases[i].text, &masked);

		buffer_append(&masked, "", 1);
		assert_string_equal(masked.data, cases[i].masked ? cases[i].masked : "");
		assert_int_equal(any, cases[i].masked != NULL);
		buffer_deinit(&masked);
	}
}

/* How long a code is tells nothing. */
static void test_one_length(void **state)
{
	struct buffer four = BUFFER_INIT, eight = BUFFER_INIT;

	(void)state;
	assert_true(code_mask("PIN: 4829", &four));
	assert_true(code_mask("PIN: 48291055", &eight));
	assert_int_equal(four.length, eight.length);
	assert_memory_equal(four.data, eight.data, four.length);
	buffer_deinit(&four);
	buffer_deinit(&eight);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_masked),
		cmocka_unit_test(test_one_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
