/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/outbox_clock.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/store_sync.h"

static int64_t earlier(int64_t one_ms, int64_t other_ms)
{
	return one_ms < other_ms ? one_ms : other_ms;
}

/* The wall clock's time of a moment; `known_ms` where that is the same. */
static int64_t wall_of(int64_t boot_ms, int64_t known_ms)
{
	int64_t wall_ms = clock_wall_ms() - clock_boot_ms() + boot_ms;

	if (llabs(wall_ms - known_ms) < CLOCK_SLEW_MS)
		return known_ms;
	return wall_ms > 0 ? wall_ms : 1; /* 0 is never, or not begun */
}

/*
 * What the row says, or CLOCK_BOOTTIME: a clock that was set forward meanwhile looks like time
 * that passed, but one that was set for the first time does not.
 */
static int64_t time_of(int64_t noted_ms, int64_t boot_ms)
{
	int64_t wall_ms = wall_of(boot_ms, noted_ms);

	if (noted_ms < CLOCK_SANE_MS && clock_wall_ms() >= CLOCK_SANE_MS)
		return wall_ms;
	return earlier(wall_ms, noted_ms);
}

static void read_boot(struct outbox_message *message, const struct message *row)
{
	message->created_ms = time_of(row->created_ms, row->created_boot_ms);
	message->lived_ms = 0;
	if (!row->expires_boot_ms)
		return;
	if (message->seen_ms) {
		message->lived_ms = wall_of(row->expires_boot_ms, row->expires_at_ms);
		return;
	}
	message->lived_ms = time_of(row->expires_at_ms, row->expires_boot_ms);
	message->expires_at_ms = message->lived_ms;
}

void outbox_clock_read(struct outbox_message *message, const struct message *row)
{
	message->created_ms = message->noted_ms = row->created_ms;
	message->send_at_ms = row->send_at_ms;
	message->expires_at_ms = row->expires_at_ms;
	message->seen_ms = row->seen_ms;
	message->yes_ends = row->flags & MESSAGE_YES_ENDS;
	message->lived_ms = row->send_at_ms ? 0 : row->expires_at_ms;
	if (!row->boot) /* it is of now */
		return;
	if (row->boot == clock_boot_number())
		read_boot(message, row);
	else if (row->changed_ms > message->seen_ms) /* the disk did not take more */
		message->seen_ms = row->changed_ms;
}

struct outgoing_deadline outbox_clock_deadline(const struct outbox_message *message)
{
	int64_t left_ms = message->lived_ms - clock_wall_ms();

	return (struct outgoing_deadline){
		.expires_at_ms = message->expires_at_ms,
		.expires_boot_ms = message->lived_ms ? clock_boot_ms() + left_ms : 0,
		.seen_ms = message->seen_ms,
		.yes_ends = message->yes_ends,
	};
}

/* In memory it has moved even if the disk refuses. */
static void save_deadline(struct outbox_message *message)
{
	struct outgoing_deadline deadline = outbox_clock_deadline(message);
	struct outbox_shared *shared = message->shared;

	store_set_lazy(shared->store, true);
	if (store_outgoing_set_deadline(shared->store, message->id, &deadline))
		log_error("outbox: message %lld: the disk does not take until when it is "
			  "valid",
			  (long long)message->id);
	store_set_lazy(shared->store, false);
	outbox_sync_later(&shared->sync);
}

void outbox_clock_begin(struct outbox_message *message)
{
	if (!message->expires_at_ms || message->lived_ms)
		return;
	message->lived_ms = message->expires_at_ms;
	save_deadline(message);
}

static void message_follow(struct outbox_message *message, int64_t later_ms)
{
	if (!message_state_is_waiting(message->state))
		return;
	message->created_ms += later_ms;
	if (!message->lived_ms)
		return;
	message->lived_ms += later_ms;
	if (message->lived_ms < 1)
		message->lived_ms = 1;
	if (message->seen_ms)
		return;
	message->expires_at_ms = message->lived_ms;
	save_deadline(message);
}

void outbox_clock_follow(struct outbox_clock *clock, const struct outbox_lane_list *lanes)
{
	int64_t epoch_ms = clock_wall_ms() - clock_boot_ms();
	int64_t later_ms = epoch_ms - clock->epoch_ms;
	struct outbox_message *message;
	struct outbox_lane *lane;

	clock->epoch_ms = epoch_ms;
	if (llabs(later_ms) < CLOCK_SLEW_MS)
		return;
	TAILQ_FOREACH (lane, lanes, link) {
		TAILQ_FOREACH (message, &lane->messages, link)
			message_follow(message, later_ms);
	}
}

/* What the message has seen is over, whatever the clock says now. */
static int64_t end_by_wall(const struct outbox_message *message, int64_t end_ms)
{
	return end_ms <= message->seen_ms ? 1 : end_ms;
}

int64_t outbox_clock_expiry(const struct outbox_message *message)
{
	if (!message->expires_at_ms)
		return INT64_MAX;
	if (!message->seen_ms)
		return message->expires_at_ms;
	return earlier(end_by_wall(message, message->expires_at_ms),
		       message->lived_ms ? message->lived_ms : INT64_MAX);
}

int64_t outbox_clock_waited(const struct outbox_message *message, int64_t wait_ms)
{
	int64_t lived_ms = message->created_ms + wait_ms;

	if (!message->seen_ms || message->noted_ms < CLOCK_SANE_MS)
		return lived_ms;
	return earlier(end_by_wall(message, message->noted_ms + wait_ms), lived_ms);
}

bool outbox_clock_holds(const struct outbox_message *message)
{
	return message->expires_at_ms && clock_wall_ms() < message->seen_ms;
}

void outbox_clock_init(struct outbox_clock *clock)
{
	clock->epoch_ms = clock_wall_ms() - clock_boot_ms();
}
