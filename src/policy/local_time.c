/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/local_time.h"

#include <stdbool.h>
#include <time.h>

#include "config/config_policy.h"

enum {
	MS_PER_SECOND = 1000,
	MINUTES_PER_HOUR = 60,
	MS_PER_MINUTE = 60 * 1000,
	LONGEST_MINUTES = 25 * 60, /* a day with the end of daylight saving time */
	MONTHS_PER_YEAR = 12,
	SHIFT_SECONDS = 3 * 60 * 60, /* more than any daylight saving shift */
};

/* Callers call tzset() first: the phone may have moved to another time zone. */
static struct tm local_time_tm(int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / MS_PER_SECOND);
	struct tm time;

	localtime_r(&seconds, &time);
	return time;
}

static int local_time_month_number(int64_t wall_ms)
{
	struct tm time = local_time_tm(wall_ms);

	return time.tm_year * MONTHS_PER_YEAR + time.tm_mon;
}

/*
 * Returns when the local calendar first shows this month. The midnight may occur twice (Havana, 1
 * November 2026) or not at all (Asuncion, 1 October 2023), where mktime() picks one moment: so this
 * searches around it.
 */
static int64_t local_time_month_begin(int number)
{
	struct tm time = {
		.tm_year = number / MONTHS_PER_YEAR,
		.tm_mon = number % MONTHS_PER_YEAR,
		.tm_mday = 1,
		.tm_isdst = -1,
	};
	int64_t near_s = (int64_t)mktime(&time);
	int64_t before_s = near_s - SHIFT_SECONDS, in_s = near_s + SHIFT_SECONDS;

	while (in_s - before_s > 1) {
		int64_t middle_s = before_s + (in_s - before_s) / 2;

		if (local_time_month_number(middle_s * MS_PER_SECOND) < number)
			before_s = middle_s;
		else
			in_s = middle_s;
	}
	return in_s * MS_PER_SECOND;
}

static bool local_time_is_within(const struct config_policy_hours *hours, int minute)
{
	if (hours->from < hours->until)
		return minute >= hours->from && minute < hours->until;
	return minute >= hours->from || minute < hours->until;
}

static bool local_time_is_within_at(const struct config_policy_hours *hours,
				    int64_t wall_ms)
{
	struct tm time = local_time_tm(wall_ms);

	return local_time_is_within(hours, time.tm_hour * MINUTES_PER_HOUR + time.tm_min);
}

/* Minute by minute: that night the end may occur twice, or not at all. */
int64_t local_time_hours_end(const char *hours, int64_t wall_ms)
{
	int64_t end_ms = wall_ms - wall_ms % MS_PER_MINUTE;
	struct config_policy_hours parsed;

	tzset();
	if (!config_policy_parse_hours(hours, &parsed) ||
	    !local_time_is_within_at(&parsed, wall_ms))
		return 0;
	for (int minute = 0; minute < LONGEST_MINUTES; minute++) {
		end_ms += MS_PER_MINUTE;
		if (!local_time_is_within_at(&parsed, end_ms))
			break;
	}
	return end_ms;
}

void local_time_month(int64_t wall_ms, int64_t *from_ms_out, int64_t *until_ms_out)
{
	int number;

	tzset();
	number = local_time_month_number(wall_ms);
	*from_ms_out = local_time_month_begin(number);
	*until_ms_out = local_time_month_begin(number + 1);
}
