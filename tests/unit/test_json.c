/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <string.h>
#include <time.h>

#include "base/json.h"

static bool integer(const char *text, int64_t *integer_out)
{
	struct json value = { .type = JSON_NUMBER, .text = text, .length = strlen(text) };

	return json_integer(&value, integer_out);
}

TEST(test_whole_numbers_are_read_exactly)
{
	static const struct {
		const char *text;
		int64_t integer;
	} cases[] = {
		{ "0", 0 },
		{ "-0", 0 },
		{ "-0.0e5", 0 },
		{ "14", 14 },
		{ "-3", -3 },
		{ "14.0", 14 },
		{ "1e2", 100 },
		{ "1E+2", 100 },
		{ "-1.5e1", -15 },
		{ "0.000012e6", 12 },
		{ "1200e-2", 12 },
		{ "12.500e3", 12500 },
		{ "100e-2", 1 },
		{ "0e400", 0 },
		{ "0e-99999999999999999999", 0 },
		{ "0.0e99999999999999999999", 0 },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN },
		{ "9223372036854775807.000", INT64_MAX },
		{ "-0.9223372036854775808e19", INT64_MIN },
		{ "1e18", INT64_C(1000000000000000000) },
	};
	size_t at;

	for (at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
		int64_t value = 77;

		if (!integer(cases[at].text, &value) || value != cases[at].integer)
			fail_msg("%s: %lld", cases[at].text, (long long)value);
	}
}

TEST(test_fractions_and_large_numbers_are_no_integers)
{
	static const char *const texts[] = {
		"14.5",
		"0.1",
		"1e-1",
		"-0.0001",
		"15e-1",
		"1e400",
		"1e19",
		"-1e19",
		"1e999",
		"9223372036854775808",
		"-9223372036854775809",
		"9223372036854775807.5",
		"12345678901234567890123",
		"0.92233720368547758080e20",
		"1e9223372036854775807",
		"1e99999999999999999999999999999999",
		"1e-99999999999999999999999999999999",
		"-1e-9223372036854775808",
	};
	clock_t before = clock();
	size_t at;

	for (at = 0; at < sizeof(texts) / sizeof(texts[0]); at++) {
		int64_t value = 77;

		if (integer(texts[at], &value))
			fail_msg("%s: %lld", texts[at], (long long)value);
		assert_int_equal(value, 77);
	}
	assert_true(clock() - before < CLOCKS_PER_SEC); /* no loop over the exponent */
}

TEST(test_a_number_of_any_length_is_read)
{
	char text[60000] = "1";
	int64_t value;

	memset(text + 1, '0', sizeof(text) - 16);
	assert_false(integer(text, &value));
	strcpy(text + sizeof(text) - 15, "e-59984"); /* a one, 59984 zeros, and back */
	assert_int_equal(strlen(text), sizeof(text) - 8);
	assert_true(integer(text, &value));
	assert_int_equal(value, 1);
}

TEST(test_other_types_are_no_integers)
{
	struct json value = { .type = JSON_STRING, .text = "14", .length = 2 };
	int64_t integer_out;

	assert_false(json_integer(&value, &integer_out));
	assert_false(json_integer(NULL, &integer_out));
}

TEST(test_a_member_is_found_by_name)
{
	struct json b = { .type = JSON_NULL, .name = "b" };
	struct json a = { .type = JSON_STRING, .name = "a", .text = "x", .next = &b };
	struct json object = { .type = JSON_OBJECT, .count = 2, .first = &a };
	struct json item = { .type = JSON_NULL };
	struct json array = { .type = JSON_ARRAY, .count = 1, .first = &item };

	assert_ptr_equal(json_member(&object, "a"), &a);
	assert_ptr_equal(json_member(&object, "b"), &b);
	assert_null(json_member(&object, "c"));
	assert_null(json_member(&object, ""));
	assert_null(json_member(&array, "a"));
	assert_null(json_member(&a, "a"));
	assert_null(json_member(NULL, "a"));
	assert_string_equal(json_string(&a), "x");
	assert_null(json_string(&b));
	assert_null(json_string(NULL));
	assert_null(json_string(json_member(&object, "c")));
}

TEST(test_foreach_visits_children_in_order)
{
	struct json second = { .type = JSON_BOOLEAN };
	struct json first = { .type = JSON_NULL, .next = &second };
	struct json array = { .type = JSON_ARRAY, .count = 2, .first = &first };
	const struct json *seen[2];
	size_t count = 0;

	json_foreach (child, &array)
		seen[count++] = child;
	assert_int_equal(count, 2);
	assert_ptr_equal(seen[0], &first);
	assert_ptr_equal(seen[1], &second);
}
