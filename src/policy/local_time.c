/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/local_time.h"

#include <stdbool.h>
#include <time.h>

#include "base/config_policy.h"

enum { MS_PER_SECOND = 1000, MINUTES_PER_HOUR = 60, MS_PER_HOUR = 60 * 60 * 1000 };

/* The phone may have been carried to another time zone. */
static struct tm local(int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / MS_PER_SECOND);
	struct tm time;

	tzset();
	localtime_r(&seconds, &time);
	return time;
}

static int64_t wall_of(struct tm time)
{
	time.tm_sec = 0;
	time.tm_isdst = -1;
	return (int64_t)mktime(&time) * MS_PER_SECOND;
}

static bool is_within(const struct config_hours *hours, int minute)
{
	if (hours->from < hours->until)
		return minute >= hours->from && minute < hours->until;
	return minute >= hours->from || minute < hours->until;
}

int64_t local_time_hours_end(const char *hours, int64_t wall_ms)
{
	struct tm time = local(wall_ms);
	int minute = time.tm_hour * MINUTES_PER_HOUR + time.tm_min;
	struct config_hours parsed;
	int64_t end_ms;

	if (!config_hours_parse(hours, &parsed) || !is_within(&parsed, minute))
		return 0;
	if (minute >= parsed.until)
		time.tm_mday++;
	time.tm_hour = parsed.until / MINUTES_PER_HOUR;
	time.tm_min = parsed.until % MINUTES_PER_HOUR;
	end_ms = wall_of(time);
	/* In the night in which an hour comes twice its first one may be meant. */
	return end_ms > wall_ms ? end_ms : end_ms + MS_PER_HOUR;
}

void local_time_month(int64_t wall_ms, int64_t *from_ms_out, int64_t *until_ms_out)
{
	struct tm time = local(wall_ms);

	time.tm_mday = 1;
	time.tm_hour = 0;
	time.tm_min = 0;
	*from_ms_out = wall_of(time);
	time.tm_mon++;
	*until_ms_out = wall_of(time);
}
