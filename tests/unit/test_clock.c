/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "unit_test.h"
#include "base/clock.h"

static int64_t fake_monotonic(void)
{
	return 1234;
}

static int64_t fake_wall(void)
{
	return 5678;
}

TEST(test_a_source_replaces_the_system_clocks)
{
	static const struct clock_source fake = { fake_monotonic, fake_wall };

	clock_set_source(&fake);
	assert_int_equal(clock_monotonic_ms(), 1234);
	assert_int_equal(clock_wall_ms(), 5678);
	clock_set_source(NULL);
	assert_int_not_equal(clock_wall_ms(), 5678);
	assert_int_not_equal(clock_monotonic_ms(), 1234);
}

static int64_t kernel_ms(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

TEST(test_the_clocks_are_the_kernel_s)
{
	int64_t before_ms = kernel_ms(CLOCK_REALTIME), between_ms = clock_wall_ms();

	assert_in_range(between_ms, before_ms, kernel_ms(CLOCK_REALTIME));
	before_ms = kernel_ms(CLOCK_MONOTONIC);
	between_ms = clock_monotonic_ms();
	assert_in_range(between_ms, before_ms, kernel_ms(CLOCK_MONOTONIC));
}

TEST(test_the_monotonic_clock_advances)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int64_t before = clock_monotonic_ms();

	nanosleep(&pause, NULL);
	assert_true(clock_monotonic_ms() - before >= 4);
}

TEST(test_times_are_written_as_rfc_3339)
{
	static const struct {
		int64_t wall_ms;
		const char *text;
	} cases[] = {
		{ 0, "1970-01-01T00:00:00+00:00" },
		{ 1, "1970-01-01T00:00:00+00:00" },
		{ 951782399999, "2000-02-28T23:59:59+00:00" },
		{ 951782400000, "2000-02-29T00:00:00+00:00" },
		{ 1795246200123, "2026-11-21T07:30:00+00:00" },
		{ INT64_C(4294967296000), "2106-02-07T06:28:16+00:00" },
		{ INT64_C(253402128000000), "9999-12-30T00:00:00+00:00" },
		{ INT64_C(253402128000001), "9999-12-30T00:00:00+00:00" },
		{ INT64_MAX, "9999-12-30T00:00:00+00:00" },
		{ -1, "1970-01-01T00:00:00+00:00" },
		{ INT64_MIN, "1970-01-01T00:00:00+00:00" },
	};
	size_t at;

	for (at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
		char text[CLOCK_TEXT_BYTES];

		clock_format(cases[at].wall_ms, text);
		assert_string_equal(text, cases[at].text);
	}
}

TEST(test_times_are_written_in_local_time)
{
	static const struct {
		const char *zone;
		int64_t wall_ms;
		const char *text;
	} cases[] = {
		{ "UTC", 1795246200123, "2026-11-21T07:30:00+00:00" },
		{ "Asia/Tokyo", 1795246200123, "2026-11-21T16:30:00+09:00" },
		{ "Europe/Budapest", 1795246200000, "2026-11-21T08:30:00+01:00" },
		{ "Europe/Budapest", 1779694200000, "2026-05-25T09:30:00+02:00" },
		{ "America/St_Johns", 1795246200000, "2026-11-21T04:00:00-03:30" },
		{ "Africa/Monrovia", 0, "1969-12-31T23:16:00-00:44" },
		{ "XXX12", INT64_MAX, "9999-12-29T12:00:00-12:00" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[CLOCK_TEXT_BYTES];

		setenv("TZ", cases[i].zone, 1);
		clock_format(cases[i].wall_ms, text);
		assert_string_equal(text, cases[i].text);
	}
	unsetenv("TZ");
}

TEST(test_a_time_has_the_weekday_of_local_time)
{
	static const struct {
		const char *zone;
		int64_t wall_ms;
		const char *weekday;
	} cases[] = {
		{ "UTC0", 0, "Thursday" },
		{ "<-05>5", 0, "Wednesday" },
		{ "UTC0", 1795995000000, "Sunday" }, /* 2026-11-29T23:30:00Z */
		{ "<+01>-1", 1795995000000, "Monday" },
		{ "<-12>12", 1795996800000, "Sunday" }, /* 2026-11-30T00:00:00Z */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setenv("TZ", cases[i].zone, 1);
		tzset();
		assert_string_equal(clock_weekday(cases[i].wall_ms), cases[i].weekday);
	}
	unsetenv("TZ");
}

TEST(test_a_time_zone_has_its_name_or_its_offset)
{
	static const struct {
		const char *zone, *text;
	} cases[] = {
		{ "Asia/Tokyo", "Asia/Tokyo" },
		{ ":Asia/Tokyo", "Asia/Tokyo" },
		{ "/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo" },
		{ "XXX-5:45", "+05:45" },
		{ "XXX3:30", "-03:30" },
		{ "", "+00:00" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[CLOCK_ZONE_BYTES];

		setenv("TZ", cases[i].zone, 1);
		clock_zone(text);
		assert_string_equal(text, cases[i].text);
	}
	unsetenv("TZ");
}

TEST(test_times_are_rounded_up_to_whole_seconds)
{
	assert_true(clock_ceil_ms(0) == 0);
	assert_true(clock_ceil_ms(1) == 1000);
	assert_true(clock_ceil_ms(1795246200000) == 1795246200000);
	assert_true(clock_ceil_ms(1795246200123) == 1795246201000);
}

TEST(test_rfc_3339_times_are_read)
{
	static const struct {
		const char *text;
		int64_t wall_ms;
	} cases[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "1970-01-01T00:00:00.001Z", 1 },
		{ "1970-01-01t00:00:00z", 0 },
		{ "1970-01-01T01:00:00+01:00", 0 },
		{ "1969-12-31T23:59:59-00:00", -1000 },
		{ "2026-11-21T07:30:00.123Z", 1795246200123 },
		{ "2026-11-21T08:30:00.1239999+01:00", 1795246200123 },
		{ "2026-11-21T02:00:00.12-05:30", 1795246200120 },
		{ "2000-02-29T00:00:00Z", 951782400000 },
		{ "2000-02-28T23:59:60Z", 951782400000 },
		{ "2016-12-31T15:59:60-08:00", 1483228800000 },
		{ "9999-12-31T23:59:59.999Z", INT64_C(253402300799999) },
		{ "0000-01-01T00:00:00Z", INT64_C(-62167219200000) },
		{ "0000-03-01T00:00:00Z", INT64_C(-62162035200000) },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t wall_ms = 42;

		if (!clock_parse(cases[i].text, &wall_ms) || wall_ms != cases[i].wall_ms)
			fail_msg("%s: %lld", cases[i].text, (long long)wall_ms);
	}
}

TEST(test_other_times_are_refused)
{
	static const char *const cases[] = {
		"",
		"yesterday",
		"2026-11-21",
		"2026-11-21T07:30:00", /* no offset */
		"2026-11-21T07:30Z",
		"2026-11-21 07:30:00Z",
		" 2026-11-21T07:30:00Z",
		"2026-11-21T07:30:00Z ",
		"2026-11-21T07:30:00ZZ",
		"2026-11-21T07:30:00.Z",
		"2026-11-21T07:30:00,5Z",
		"2026-11-21T07:30:00+0100",
		"2026-11-21T07:30:00+01",
		"2026-11-21T07:30:00+24:00",
		"2026-11-21T07:30:00+01:60",
		"2026-11-21T24:00:00Z",
		"2026-11-21T07:60:00Z",
		"2026-11-21T07:30:61Z",
		"2026-11-21T07:30:60Z",
		"2026-13-21T07:30:00Z",
		"2026-00-21T07:30:00Z",
		"2026-11-31T07:30:00Z",
		"2026-11-00T07:30:00Z",
		"2026-02-29T07:30:00Z",
		"2100-02-29T07:30:00Z",
		"26-11-21T07:30:00Z",
		"02026-11-21T07:30:00Z",
		"+2026-11-21T07:30:00Z",
		"2026-11-21T7:30:00Z",
		"1795246200",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t wall_ms = 42;

		if (clock_parse(cases[i], &wall_ms) || wall_ms != 42)
			fail_msg("%s: %lld", cases[i], (long long)wall_ms);
	}
}

TEST(test_a_time_without_offset_is_completed_by_the_phone_s)
{
	static const struct {
		const char *text, *complete;
		enum clock_side side;
	} cases[] = {
		{ "2026-11-21T08:30", "2026-11-21T08:30:00+01:00", CLOCK_AHEAD },
		{ "2026-07-21T08:30:15", "2026-07-21T08:30:15+02:00", CLOCK_AHEAD },
		{ "2026-07-21 08:30", "2026-07-21T08:30:00+02:00", CLOCK_AHEAD },
		{ "2026-11-21", "2026-11-21T09:00:00+01:00", CLOCK_AHEAD },
		{ "2026-11-21", "2026-11-21T00:00:00+01:00", CLOCK_PAST },
		{ "2026-03-29T08:30", "2026-03-29T08:30:00+02:00", CLOCK_PAST },
	};

	setenv("TZ", "Europe/Budapest", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char complete[CLOCK_TEXT_BYTES];

		clock_complete(cases[i].text, cases[i].side, complete);
		assert_string_equal(complete, cases[i].complete);
	}
	unsetenv("TZ");
}

TEST(test_any_other_text_is_completed_to_this_time_of_a_day_next_to_this_one)
{
	static const char *const texts[] = { "", "tomorrow", "2026-11-31", "09:00",
					     "2026-11-21T08:30:00+01:00 or so" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int64_t now_ms = clock_wall_ms(), ahead_ms = 0, past_ms = 0;
		char complete[CLOCK_TEXT_BYTES];

		clock_complete(texts[i], CLOCK_AHEAD, complete);
		assert_true(clock_parse(complete, &ahead_ms));
		assert_in_range(ahead_ms, now_ms + CLOCK_MS_PER_DAY - 1000,
				clock_wall_ms() + CLOCK_MS_PER_DAY);
		clock_complete(texts[i], CLOCK_PAST, complete);
		assert_true(clock_parse(complete, &past_ms));
		assert_in_range(past_ms, now_ms - CLOCK_MS_PER_DAY - 1000,
				clock_wall_ms() - CLOCK_MS_PER_DAY);
	}
}

TEST(test_the_parser_reads_what_the_clock_writes)
{
	for (int64_t ms = 0; ms < INT64_C(253402128000000); ms += INT64_C(7777777777)) {
		char text[CLOCK_TEXT_BYTES];
		int64_t read_ms = -1;

		clock_format(ms, text);
		assert_true(clock_parse(text, &read_ms));
		assert_true(read_ms == ms / 1000 * 1000);
	}
}
