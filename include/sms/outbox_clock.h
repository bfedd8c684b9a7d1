/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox clock: times that count from a moment, and a wall clock that somebody sets.
 *
 * send_at, and a validity that counts from it, are times of the wall clock: they stay. How long
 * a message is valid, waits for a yes, or has a yes that is good, counts from when that began:
 * when the clock is set while the gateway runs it moves by as much, on disk too, so nothing
 * ends early and no yes is good for longer. What an unset clock (1970) told moves when the time
 * becomes known; what a right clock told before the machine was off stays where it was.
 *
 * While the time is not known nobody can tell whether a message that ends at a known time is
 * over: it waits until the clock is set (tests/unit/test_outbox_clock.c).
 *
 * Private to src/sms/outbox*.c.
 */
#ifndef SMS_OUTBOX_CLOCK_H
#define SMS_OUTBOX_CLOCK_H

#include "sms/outbox_lane.h"

struct outbox_clock {
	int64_t epoch_ms; /* the wall clock is clock_boot_ms() and this */
};

void outbox_clock_init(struct outbox_clock *clock);

/* Was it set since? Then the times of the messages move. Part of every turn. */
void outbox_clock_follow(struct outbox_clock *clock,
			 const struct outbox_lane_list *lanes);

/* Nobody knows yet whether it is over, so it is not handed over. */
bool outbox_clock_holds(const struct outbox_message *message);

#endif
