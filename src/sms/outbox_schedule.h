/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox schedule: what happens to waiting messages at a time of the wall clock.
 *
 *   scheduled -> queued at send_at;   scheduled, queued, waiting_approval -> expired
 *
 * Times that count from a moment follow a clock that is set: sms/outbox_clock.h.
 *
 * The earliest time of all has a timer on CLOCK_REALTIME, which follows a clock that is set
 * forward, and one on CLOCK_BOOTTIME: what is lived ends then though the clock was set back
 * and nothing else happens (tests/integration/test_clock.py::test_set_back_and_nothing_else).
 * While nothing is due at a time nothing wakes the process.
 *
 * Private to src/sms/outbox*.c.
 */
#ifndef SMS_OUTBOX_SCHEDULE_H
#define SMS_OUTBOX_SCHEDULE_H

#include "sms/outbox_clock.h"
#include "sms/outbox_lane.h"

struct outbox_schedule {
	sd_event_source *timer; /* by the wall clock */
	sd_event_source *lived; /* in so long, as it looked when they were set */
	struct outbox_clock clock;
	int64_t next_ms; /* what both are set to; INT64_MAX: off; 0: set them anew */
};

/* 0 or -errno; outbox_schedule_deinit() is due in either case. */
int outbox_schedule_init(struct outbox_schedule *schedule, struct outbox_shared *shared);
void outbox_schedule_deinit(struct outbox_schedule *schedule);

/* Does what is due, and sets the timer for what is due next. Part of every turn. */
void outbox_schedule_run(struct outbox_schedule *schedule,
			 const struct outbox_lane_list *lanes);

#endif
