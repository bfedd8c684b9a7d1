/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/shown_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

enum { S_PER_MINUTE = 60, MINUTES_PER_HOUR = 60, MS_PER_S = 1000 };

/* "+01:00" */
static void append_offset(struct shown_time *shown, size_t length, long offset_s)
{
	long minutes = labs(offset_s) / S_PER_MINUTE;

	snprintf(shown->text + length, sizeof(shown->text) - length, "%c%02ld:%02ld",
		 offset_s < 0 ? '-' : '+', minutes / MINUTES_PER_HOUR,
		 minutes % MINUTES_PER_HOUR);
}

/* The clock's own writing of the local time is that of UTC with another end. */
struct shown_time shown_time_of(int64_t wall_ms)
{
	struct shown_time shown = { "" };
	time_t moment = (time_t)(wall_ms / MS_PER_S);
	char text[CLOCK_TEXT_BYTES];
	struct tm local;
	int length;

	tzset();
	if (!localtime_r(&moment, &local))
		local.tm_gmtoff = 0;
	clock_format(wall_ms + local.tm_gmtoff * MS_PER_S, text);
	length = snprintf(shown.text, sizeof(shown.text), "%s", text);
	if (local.tm_gmtoff && length)
		append_offset(&shown, (size_t)length - 1,
			      local.tm_gmtoff); /* over the Z */
	return shown;
}

struct shown_time shown_time(const char *utc)
{
	struct shown_time shown;
	int64_t wall_ms;

	if (clock_parse(utc, &wall_ms))
		return shown_time_of(wall_ms);
	snprintf(shown.text, sizeof(shown.text), "%s", utc);
	return shown;
}
