/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox clock: times that count from a moment, and a wall clock that somebody sets.
 *
 * send_at, and a validity that counts from it, are times of the wall clock: they stay. How long
 * a message is valid, waits for approval, or has an approval that is good, counts from when that
 * began, by CLOCK_BOOTTIME, which nobody sets. The row has it with the start of the machine that
 * it is of, so a clock that is set moves no end; the wall clock's time of the end, which people
 * read, follows. While the gateway does not run a clock that is set forward looks like time
 * that passed, and one that is set back makes nothing later.
 *
 * At the next start of the machine nobody knows how long it was off
 * (store_deadlines_carry()). Such a message is over as soon as the first of these says so:
 *   - it has lived as long as was left when the machine was last known to run
 *   - the wall clock, which does not move its times any more
 * While the wall clock is behind a time that the message has seen, it is wrong. Then nobody
 * can tell whether the message is over, and it waits until the clock is right, or it has lived
 * too long. So no restart makes an end later (tests/unit/test_outbox_clock.c).
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

/* A row of the store: when its times are over by the clock as it is. */
void outbox_clock_read(struct outbox_message *message, const struct message *row);

/* Was it set since? Then the times of the messages move. Part of every turn. */
void outbox_clock_follow(struct outbox_clock *clock,
			 const struct outbox_lane_list *lanes);

/* Its send_at has come: from now on its validity is lived. */
void outbox_clock_begin(struct outbox_message *message);

/* When its validity is over; INT64_MAX: never. */
int64_t outbox_clock_expiry(const struct outbox_message *message);
/* When it has waited for so long. */
int64_t outbox_clock_waited(const struct outbox_message *message, int64_t wait_ms);

/* For the store: until when it is valid. */
struct outgoing_deadline outbox_clock_deadline(const struct outbox_message *message);

/* Nobody knows yet whether it is over, so it is not handed over. */
bool outbox_clock_holds(const struct outbox_message *message);

#endif
