/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Base64: the vectors of RFC 4648 section 10, and what must be refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/base64.h"

static const struct {
	const char *text;
	const char *data; /* NULL: refused */
} cases[] = {
	{ "", "" },
	{ "Zg==", "f" },
	{ "Zm8=", "fo" },
	{ "Zm9v", "foo" },
	{ "Zm9vYg==", "foob" },
	{ "Zm9vYmE=", "fooba" },
	{ "Zm9vYmFy", "foobar" },
	{ "/+/+", "\xff\xef\xfe" },
	/* padding */
	{ "Zg", NULL },
	{ "Zg=", NULL },
	{ "Zm8", NULL },
	{ "Z===", NULL },
	{ "====", NULL },
	{ "Zg==Zg==", NULL },
	{ "Zm9v====", NULL },
	{ "Zm=v", NULL },
	/* bits behind the end */
	{ "Zh==", NULL },
	{ "Zm9=", NULL },
	/* foreign characters */
	{ "_-_-", NULL },
	{ "Zm9 ", NULL },
	{ "Zm9\n", NULL },
	{ "Zm9v ", NULL },
	{ "Zm\xc3\xa9", NULL },
};

static void test_cases(void **state)
{
	char data[16], again[16];
	size_t length;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;
		bool decoded = crypto_base64_decode(text, strlen(text), data, &length);

		if (decoded != (cases[i].data != NULL))
			fail_msg("%s was %s", text, decoded ? "decoded" : "refused");
		if (!decoded)
			continue;
		assert_int_equal(length, strlen(cases[i].data));
		assert_memory_equal(data, cases[i].data, length);
		assert_int_equal(crypto_base64_length(length), strlen(text));
		crypto_base64_encode(data, length, again);
		assert_memory_equal(again, text, strlen(text));
	}
}

static void test_nul_is_no_character(void **state)
{
	char data[3];
	size_t length;

	(void)state;
	assert_false(crypto_base64_decode("Zm\0v", 4, data, &length));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_nul_is_no_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
