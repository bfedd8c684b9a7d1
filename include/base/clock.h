/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clock: the only place that asks what time it is, so that tests can set it.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

enum { CLOCK_MS_PER_DAY = 24 * 60 * 60 * 1000 };

struct clock_source {
	int64_t (*monotonic_ms)(void);
	int64_t (*wall_ms)(void); /* since 1970-01-01T00:00:00Z; may jump, may be 1970 */
	int64_t (*boot_ms)(void); /* as monotonic, and runs on in suspend; NULL: as it */
	const char *(*boot_id)(void); /* NULL: as the system has it */
};

int64_t clock_monotonic_ms(void);
int64_t clock_wall_ms(void);
int64_t clock_boot_ms(void);
/* Differs after each start of the machine, when clock_boot_ms() begins anew; "" unknown. */
const char *clock_boot_id(void);
/* The same as a positive number, for rows of the store; 0 unknown. */
int64_t clock_boot_number(void);
void clock_set_source(const struct clock_source *source); /* NULL: the system's clocks */

/* A clock that is kept right moves by less at once. */
enum { CLOCK_SLEW_MS = 1000 };

/* 2024-01-01T00:00:00Z: a phone that has not heard the time yet says 1970. */
#define CLOCK_SANE_MS INT64_C(1704067200000)

/* "2026-11-21T07:30:00.123Z" into text[CLOCK_TEXT_BYTES]; RFC 3339, UTC. */
enum { CLOCK_TEXT_BYTES = 32 };
void clock_format(int64_t wall_ms, char text[CLOCK_TEXT_BYTES]);

#endif
