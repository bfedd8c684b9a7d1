/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox deadlines: when a waiting message is due, and when it expires.
 *
 *   scheduled -> queued at send_at
 *   scheduled, queued, waiting_approval -> expired at the deadline
 *
 * Private to src/sms. src/sms/outbox_deadline.c explains the clocks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "store/store_message.h"

struct config;
struct outbox_message;
struct outbox_messages;
struct sim_queues;

/* The times of one message, by the wall clock. Only outbox_deadline.c changes them. */
struct outbox_deadline {
	int64_t created_ms;	/* moves when the clock is set */
	int64_t row_created_ms; /* does not: as the clock was then */
	int64_t send_at_ms;	/* 0 for at once */
	int64_t expires_at_ms;	/* 0 for never */
	int64_t counted_end_ms; /* end of the validity, counted by CLOCK_BOOTTIME; 0 if the validity
				 * has not begun, or has no end */
	int64_t seen_ms;    /* see struct message */
	bool ends_approval; /* the deadline is the end of an approval */
};

/* all deadlines of one outbox */
struct outbox_deadlines {
	const struct config *config;
	struct outbox_messages *messages;
	struct sim_queues *queues;
	sd_event_source *wall_timer; /* CLOCK_REALTIME */
	sd_event_source *boot_timer; /* CLOCK_BOOTTIME */
	/* stores the time that was lived; by CLOCK_BOOTTIME */
	sd_event_source *lived_timer;
	bool counts_lived;     /* some message waits and has a deadline */
	bool lived_is_armed;   /* the timer for that is on */
	bool lived_is_refused; /* by the disk, and logged */
	/* both are set to it; INT64_MAX if they are off; 0 to set them again */
	int64_t next_ms;
	int64_t epoch_ms; /* see clock_epoch_ms() */
};

/* Returns 0 or -errno; outbox_deadlines_deinit() is due in either case. */
int outbox_deadlines_init(struct outbox_deadlines *deadlines, sd_event *loop);
void outbox_deadlines_deinit(struct outbox_deadlines *deadlines);

/* Moves the times of all waiting messages when the wall clock was set. */
void outbox_deadlines_follow_clock(struct outbox_deadlines *deadlines);
/* Changes the states of all messages that are due, and sets the timers for the next one. */
void outbox_deadlines_run(struct outbox_deadlines *deadlines);

/* Reads the times of a row, which may be from an earlier start of the gateway or machine. */
void outbox_deadline_read(struct outbox_message *message, const struct message *row);
/* It waits for an approval from now on, though it was accepted earlier. */
void outbox_deadline_ask_anew(struct outbox_message *message, int64_t now_ms);

/* Returns when its own validity ends; INT64_MAX for never. */
int64_t outbox_deadline_expiry(const struct outbox_message *message);
/*
 * Returns when it expires, because its validity or the time to approve it is over; INT64_MAX for
 * never.
 */
int64_t outbox_deadline_end(const struct outbox_message *message,
			    const struct config *config);
/* Returns how long a message waits for approval. */
int64_t outbox_deadline_approval_wait_ms(const struct config *config);

/* It is to be sent although its validity may be over: then it has no end any more. */
void outbox_deadline_renew(struct outbox_message *message);
/* It waits for this time now; its validity moves with it. */
void outbox_deadline_postpone(struct outbox_message *message, int64_t send_at_ms);
/* It was approved now and expires at `expires_at_ms`, not later than before. */
void outbox_deadline_approve(struct outbox_message *message, int64_t now_ms,
			     int64_t expires_at_ms);

/* Returns the times as the store keeps them. */
struct store_message_deadline outbox_deadline_row(const struct outbox_message *message);

/*
 * Returns whether the wall clock is behind a time that the message has seen, so nobody knows
 * whether it has expired: it must not be submitted.
 */
bool outbox_deadline_is_uncertain(const struct outbox_message *message);
