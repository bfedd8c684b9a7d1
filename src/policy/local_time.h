/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Local time: quiet hours and months in the time zone of the phone.
 */
#pragma once

#include <stdint.h>

/*
 * `hours` is "22:00-07:00", or "" for none. Returns the wall clock time at which they end if this
 * moment is in them, otherwise 0.
 */
int64_t local_time_hours_end(const char *hours, int64_t wall_ms);

/* The calendar month of this moment: its beginning, and that of the next one. */
void local_time_month(int64_t wall_ms, int64_t *from_ms_out, int64_t *until_ms_out);
