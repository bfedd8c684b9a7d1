/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Local time: hours of the day and months as the phone's owner counts them.
 */
#ifndef POLICY_LOCAL_TIME_H
#define POLICY_LOCAL_TIME_H

#include <stdint.h>

/*
 * `hours`: "22:00-07:00", "" none. When those end that this moment is in, as wall clock; 0: it
 * is in none.
 */
int64_t local_time_hours_end(const char *hours, int64_t wall_ms);

/* The month that this moment is in; it ends when the next one begins. */
void local_time_month(int64_t wall_ms, int64_t *from_ms_out, int64_t *until_ms_out);

#endif
