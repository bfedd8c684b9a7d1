/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/outbox_clock.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/store_sync.h"

enum { SLEW_MS = 1000 }; /* a clock that is kept right moves by less */

static bool is_known(int64_t wall_ms)
{
	return wall_ms >= CLOCK_SANE_MS;
}

/* `then_ms`: what the clock said before it was set. */
static bool moves(int64_t moment_ms, int64_t then_ms)
{
	return is_known(then_ms) || !is_known(moment_ms);
}

/* In memory it moves even if the disk refuses. */
static void move_expiry(struct outbox_message *message, int64_t later_ms)
{
	int64_t expires_at_ms = message->expires_at_ms + later_ms;
	struct outbox_shared *shared = message->shared;

	message->expires_at_ms = expires_at_ms > 0 ? expires_at_ms : 1; /* 0 is never */
	message->expiry_moved_ms += later_ms;
	store_set_lazy(shared->store, true);
	if (store_outgoing_set_expiry(shared->store, message->id, message->expires_at_ms))
		log_error("outbox: message %lld: the disk does not take until when it is "
			  "valid",
			  (long long)message->id);
	store_set_lazy(shared->store, false);
	outbox_sync_later(&shared->sync);
}

static void message_follow(struct outbox_message *message, int64_t then_ms,
			   int64_t later_ms)
{
	if (!message_state_is_waiting(message->state))
		return;
	if (moves(message->created_ms, then_ms))
		message->created_ms += later_ms;
	if (message->expires_at_ms && message->send_at_ms <= then_ms &&
	    moves(message->expires_at_ms, then_ms))
		move_expiry(message, later_ms);
}

void outbox_clock_follow(struct outbox_clock *clock, const struct outbox_lane_list *lanes)
{
	int64_t now_ms = clock_wall_ms(), epoch_ms = now_ms - clock_boot_ms();
	int64_t later_ms = epoch_ms - clock->epoch_ms;
	struct outbox_message *message;
	struct outbox_lane *lane;

	clock->epoch_ms = epoch_ms;
	if (llabs(later_ms) < SLEW_MS)
		return;
	TAILQ_FOREACH (lane, lanes, link) {
		TAILQ_FOREACH (message, &lane->messages, link)
			message_follow(message, now_ms - later_ms, later_ms);
	}
}

bool outbox_clock_holds(const struct outbox_message *message)
{
	return is_known(message->expires_at_ms) && !is_known(clock_wall_ms());
}

void outbox_clock_init(struct outbox_clock *clock)
{
	clock->epoch_ms = clock_wall_ms() - clock_boot_ms();
}
