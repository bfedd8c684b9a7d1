/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

static int64_t fake_monotonic(void)
{
	return 1234;
}

static int64_t fake_wall(void)
{
	return 5678;
}

static void test_source(void **state)
{
	static const struct clock_source fake = { fake_monotonic, fake_wall };

	(void)state;
	clock_set_source(&fake);
	assert_int_equal(clock_monotonic_ms(), 1234);
	assert_int_equal(clock_wall_ms(), 5678);
	clock_set_source(NULL);
	assert_true(llabs(clock_wall_ms() / 1000 - (int64_t)time(NULL)) <= 1);
	assert_int_not_equal(clock_monotonic_ms(), 1234);
}

static void test_monotonic_goes_on(void **state)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int64_t before = clock_monotonic_ms();

	(void)state;
	nanosleep(&pause, NULL);
	assert_true(clock_monotonic_ms() - before >= 4);
	assert_true(clock_monotonic_ms() - before < 60000);
}

static void test_format(void **state)
{
	static const struct {
		int64_t wall_ms;
		const char *text;
	} cases[] = {
		{ 0, "1970-01-01T00:00:00.000Z" },
		{ 1, "1970-01-01T00:00:00.001Z" },
		{ 951782399999, "2000-02-28T23:59:59.999Z" },
		{ 951782400000, "2000-02-29T00:00:00.000Z" },
		{ 1795246200123, "2026-11-21T07:30:00.123Z" },
		{ INT64_C(4294967296000), "2106-02-07T06:28:16.000Z" },
		{ INT64_C(253402300799999), "9999-12-31T23:59:59.999Z" },
		{ INT64_C(253402300800000), "9999-12-31T23:59:59.999Z" },
		{ INT64_MAX, "9999-12-31T23:59:59.999Z" },
		{ -1, "1970-01-01T00:00:00.000Z" },
		{ INT64_MIN, "1970-01-01T00:00:00.000Z" },
	};
	size_t at;

	(void)state;
	for (at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
		char text[CLOCK_TEXT_BYTES];

		clock_format(cases[at].wall_ms, text);
		assert_string_equal(text, cases[at].text);
	}
}

static void test_format_is_utc(void **state)
{
	char text[CLOCK_TEXT_BYTES];

	(void)state;
	setenv("TZ", "Asia/Tokyo", 1);
	tzset();
	clock_format(1795246200123, text);
	assert_string_equal(text, "2026-11-21T07:30:00.123Z");
	unsetenv("TZ");
	tzset();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_monotonic_goes_on),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_format_is_utc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
