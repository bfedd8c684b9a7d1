/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clock: the only place that reads the time, so that tests can set it; and times as text,
 * RFC 3339.
 *
 * Wall clock: milliseconds since 1970-01-01T00:00:00Z. It may jump, and a phone that has not
 * received the time yet says 1970. Monotonic: never jumps, stops during suspend. Boot: never
 * jumps, runs on during suspend, begins anew when the machine starts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	CLOCK_MS_PER_DAY = 24 * 60 * 60 * 1000,
	CLOCK_SLEW_MS = 1000, /* time synchronisation moves a clock by less at once */
	CLOCK_TEXT_BYTES = 32,
	CLOCK_HISTORY_MAX = 8,
};

/* 2024-01-01T00:00:00Z: an earlier wall clock was never set. */
#define CLOCK_SANE_MS INT64_C(1704067200000)

struct clock_source {
	int64_t (*monotonic_ms)(void);
	int64_t (*wall_ms)(void);
	int64_t (*boot_ms)(void);     /* NULL means the same as monotonic_ms */
	const char *(*boot_id)(void); /* NULL for the system's */
};

int64_t clock_monotonic_ms(void);
int64_t clock_wall_ms(void);
int64_t clock_boot_ms(void);
/* Returns an ID that differs after each start of the machine; "" if unknown. */
const char *clock_boot_id(void);
/* Returns the boot ID as a positive number, for rows of the store; 0 if unknown. */
int64_t clock_boot_number(void);
/* NULL for the system's clocks */
void clock_set_source(const struct clock_source *source);

/* Writes the phone's local time, "2026-11-21T08:30:00+01:00"; milliseconds are cut off. */
void clock_format(int64_t wall_ms, char text[CLOCK_TEXT_BYTES]);
/* Returns the day of the week in local time, in English. */
const char *clock_weekday(int64_t wall_ms);
/* Returns the next whole second, for a "not before" that clock_format() writes. */
int64_t clock_ceil_ms(int64_t wall_ms);

enum { CLOCK_ZONE_BYTES = 64 };

/* The phone's time zone: "Europe/Budapest", or "+01:00" if the system has no name for it. */
void clock_zone(char text[CLOCK_ZONE_BYTES]);

/*
 * Reads "2026-11-21T08:30:00+01:00", strictly; fractions of a millisecond are cut off, and a leap
 * second counts as the second after it. Returns false if it is not such a time, or has no offset.
 */
bool clock_parse(const char *text, int64_t *wall_ms_out);
/*
 * What the writer of a time without offset, "2026-11-21T08:30", "2026-11-21 08:30" or
 * "2026-11-21", may have meant: that time on the phone's clock. A day alone is 9:00 where the
 * time is ahead, and its first moment where it is past; any other text this time tomorrow, or
 * yesterday. Only to be suggested: around a change of the offset it can be an hour off.
 */
enum clock_side { CLOCK_AHEAD, CLOCK_PAST };
void clock_complete(const char *text, enum clock_side side,
		    char complete[CLOCK_TEXT_BYTES]);

/* Wall time minus boot time: it changes when the clock is set, and hardly when it slews. */
int64_t clock_epoch_ms(void);
/*
 * Returns by how much the clock was set since clock_epoch_ms() returned `epoch_ms`: negative if it
 * was set back, and 0 as long as it has only slewed.
 */
int64_t clock_set_by_ms(int64_t epoch_ms);

/*
 * Clock history: what the wall clock would say now if nobody had set it. So a time that was
 * stored by the wall clock earlier in this boot can be compared with now.
 */
struct clock_history { /* zeroed: empty */
	/* wall time minus boot time, newest first */
	int64_t epochs_ms[CLOCK_HISTORY_MAX];
	unsigned count;
};

/* Call it before and after a time that matters, to notice when the clock is set between. */
void clock_history_update(struct clock_history *history);

/* Now, by the clock as it was before the last `place` settings; place < count. */
int64_t clock_history_now_ms(const struct clock_history *history, unsigned place);
