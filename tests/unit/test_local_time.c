/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quiet hours and months across changes of daylight saving time. */
#include <stdlib.h>
#include <string.h>

#include "unit_test.h"
#include "base/clock.h"
#include "policy/local_time.h"

#define CENTRAL_EUROPE "CET-1CEST,M3.5.0,M10.5.0/3"
#define LORD_HOWE      "LHST-10:30LHDT-11,M10.1.0,M4.1.0"
#define NEPAL	       "NPT-5:45"

static int64_t ms_of(const char *text)
{
	int64_t ms = 0;

	assert_true(clock_parse(text, &ms));
	return ms;
}

static const struct {
	const char *zone, *hours, *now, *end; /* NULL: not in quiet hours */
} cases[] = {
	/* 2026-03-29, 02:00 is 03:00 */
	{ CENTRAL_EUROPE, "22:00-07:00", "2026-03-28T22:30:00+01:00",
	  "2026-03-29T07:00:00+02:00" },
	{ CENTRAL_EUROPE, "01:00-02:30", "2026-03-29T01:59:59+01:00",
	  "2026-03-29T03:00:00+02:00" },
	{ CENTRAL_EUROPE, "02:00-03:00", "2026-03-29T01:59:59+01:00", NULL },
	{ CENTRAL_EUROPE, "02:00-03:00", "2026-03-29T03:00:00+02:00", NULL },
	{ CENTRAL_EUROPE, "02:30-05:00", "2026-03-29T03:00:00+02:00",
	  "2026-03-29T05:00:00+02:00" },
	/* 2026-10-25, 03:00 is 02:00 again */
	{ CENTRAL_EUROPE, "22:00-07:00", "2026-10-24T22:30:00+02:00",
	  "2026-10-25T07:00:00+01:00" },
	{ CENTRAL_EUROPE, "22:00-02:30", "2026-10-25T02:10:00+02:00",
	  "2026-10-25T02:30:00+02:00" },
	{ CENTRAL_EUROPE, "22:00-02:30", "2026-10-25T02:40:00+02:00", NULL },
	{ CENTRAL_EUROPE, "22:00-02:30", "2026-10-25T02:10:00+01:00",
	  "2026-10-25T02:30:00+01:00" },
	{ CENTRAL_EUROPE, "02:00-03:00", "2026-10-25T02:59:00+02:00",
	  "2026-10-25T03:00:00+01:00" },
	{ LORD_HOWE, "01:00-01:45", "2026-04-05T01:40:00+11:00",
	  "2026-04-05T01:45:00+11:00" }, /* half an hour occurs twice */
	{ LORD_HOWE, "01:00-01:45", "2026-04-05T01:40:00+10:30",
	  "2026-04-05T01:45:00+10:30" },
	{ NEPAL, "22:00-07:00", "2026-04-05T06:59:59.999+05:45",
	  "2026-04-05T07:00:00+05:45" },
	{ "UTC", "22:00-07:00", "1970-01-01T00:01:00Z", "1970-01-01T07:00:00Z" },
};

TEST(test_quiet_hours_end_in_local_time)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t end_ms = cases[i].end ? ms_of(cases[i].end) : 0, told_ms;

		setenv("TZ", cases[i].zone, 1);
		told_ms = local_time_hours_end(cases[i].hours, ms_of(cases[i].now));
		if (told_ms != end_ms)
			fail_msg("%s at %s: %lld s too late", cases[i].hours,
				 cases[i].now, (long long)(told_ms - end_ms) / 1000);
	}
}

/* Quiet hours hold until they end, at any end time. */
TEST(test_quiet_hours_hold_in_both_nights_of_a_time_change)
{
	static const char *const days[] = { "2026-03-28T12:00:00Z",
					    "2026-10-24T12:00:00Z" };
	static const char hours[] = "23:15-02:30";

	setenv("TZ", CENTRAL_EUROPE, 1);
	for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++) {
		int64_t from_ms = ms_of(days[i]), end_ms = 0;

		for (int64_t ms = from_ms; ms < from_ms + CLOCK_MS_PER_DAY; ms += 60000) {
			int64_t told_ms = local_time_hours_end(hours, ms);

			if (end_ms > ms)
				assert_int_equal(told_ms, end_ms);
			assert_true(!told_ms || told_ms > ms);
			end_ms = told_ms;
		}
	}
}

/* "0:00-24:00" has no end; the answer is the next day. */
TEST(test_quiet_hours_of_a_whole_day_end_the_next_day)
{
	int64_t now_ms = ms_of("2026-11-21T12:00:00Z");

	setenv("TZ", CENTRAL_EUROPE, 1);
	assert_true(local_time_hours_end("0:00-24:00", now_ms) > now_ms);
	assert_int_equal(local_time_hours_end("", now_ms), 0);
}

TEST(test_months_begin_in_local_time)
{
	static const struct {
		const char *now, *from, *until;
	} months[] = {
		{ "2026-03-29T03:00:00+02:00", "2026-03-01T00:00:00+01:00",
		  "2026-04-01T00:00:00+02:00" },
		{ "2026-10-25T02:30:00+01:00", "2026-10-01T00:00:00+02:00",
		  "2026-11-01T00:00:00+01:00" },
		{ "2026-12-31T23:59:59+01:00", "2026-12-01T00:00:00+01:00",
		  "2027-01-01T00:00:00+01:00" },
		{ "1970-01-01T00:01:00Z", "1970-01-01T00:00:00+01:00",
		  "1970-02-01T00:00:00+01:00" },
	};

	setenv("TZ", CENTRAL_EUROPE, 1);
	for (size_t i = 0; i < sizeof(months) / sizeof(months[0]); i++) {
		int64_t from_ms, until_ms;

		local_time_month(ms_of(months[i].now), &from_ms, &until_ms);
		assert_int_equal(from_ms, ms_of(months[i].from));
		assert_int_equal(until_ms, ms_of(months[i].until));
	}
}

/* The clock changes at the first midnight of a month: every minute is in exactly one month. */
TEST(test_months_may_begin_twice_or_late)
{
	static const struct {
		const char *zone, *from, *begins, *until;
	} nights[] = {
		/* Havana, 1 November 2026: 01:00 is 00:00 again */
		{ "CST5CDT,M3.2.0/0,M11.1.0/1", "2026-10-31T12:00:00-04:00",
		  "2026-11-01T00:00:00-04:00", "2026-11-01T12:00:00-05:00" },
		/* Asuncion, 1 October 2023: 00:00 is 01:00 */
		{ "PYT4PYST3,M10.1.0/0,M3.4.0/0", "2023-09-30T12:00:00-04:00",
		  "2023-10-01T01:00:00-03:00", "2023-10-01T12:00:00-03:00" },
	};

	for (size_t i = 0; i < sizeof(nights) / sizeof(nights[0]); i++) {
		int64_t begins_ms = ms_of(nights[i].begins), from_ms, until_ms;

		setenv("TZ", nights[i].zone, 1);
		for (int64_t ms = ms_of(nights[i].from); ms < ms_of(nights[i].until);
		     ms += 60000) {
			local_time_month(ms, &from_ms, &until_ms);
			assert_true(from_ms <= ms && ms < until_ms);
			assert_int_equal(ms < begins_ms ? until_ms : from_ms, begins_ms);
		}
	}
}
