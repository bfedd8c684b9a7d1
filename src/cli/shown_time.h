/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shown time: a moment as the clock on the owner's wall has it, which TZ or the system says;
 * still RFC 3339, so that --since and --at take it back. JSON stays in UTC.
 */
#ifndef CLI_SHOWN_TIME_H
#define CLI_SHOWN_TIME_H

#include <stdint.h>

enum { SHOWN_TIME_BYTES = 40 };

struct shown_time {
	char text[SHOWN_TIME_BYTES];
};

/* Of a time in UTC as clock_format() writes it; what is none stays as it is. */
struct shown_time shown_time(const char *utc);
struct shown_time shown_time_of(int64_t wall_ms);

#endif
