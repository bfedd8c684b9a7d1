/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/outbox_schedule.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "sms/outbox_approval.h"

enum { USEC_PER_MS = 1000 };

static void message_run(struct outbox_message *message, int64_t now_ms)
{
	if (!message_state_is_waiting(message->state))
		return;
	if (message->send_at_ms && message->send_at_ms <= now_ms)
		outbox_clock_begin(message);
	if (outbox_approval_end(message) <= now_ms)
		outbox_message_become(message, STATE_EXPIRED,
				      outbox_approval_end_reason(message));
	else if (message->state == STATE_SCHEDULED && message->send_at_ms <= now_ms)
		outbox_message_become(message, STATE_QUEUED, "");
}

/* When the message is to be looked at again; INT64_MAX: never. */
static int64_t message_next(const struct outbox_message *message)
{
	int64_t next_ms;

	if (!message_state_is_waiting(message->state))
		return INT64_MAX;
	next_ms = outbox_approval_end(message);
	if (outbox_clock_holds(message) && message->seen_ms < next_ms)
		next_ms = message->seen_ms;
	if (message->state == STATE_SCHEDULED && message->send_at_ms < next_ms)
		next_ms = message->send_at_ms;
	return next_ms;
}

static int set_off(struct outbox_schedule *schedule)
{
	int error = sd_event_source_set_enabled(schedule->timer, SD_EVENT_OFF);

	return error < 0 ? error
			 : sd_event_source_set_enabled(schedule->lived, SD_EVENT_OFF);
}

static int set_on(struct outbox_schedule *schedule, int64_t next_ms, int64_t left_ms)
{
	uint64_t left_usec = left_ms > 0 ? (uint64_t)left_ms * USEC_PER_MS : 0;
	int error = sd_event_source_set_time(schedule->timer,
					     (uint64_t)next_ms * USEC_PER_MS);

	if (error >= 0)
		error = sd_event_source_set_time_relative(schedule->lived, left_usec);
	if (error >= 0)
		error = sd_event_source_set_enabled(schedule->timer, SD_EVENT_ONESHOT);
	if (error >= 0)
		error = sd_event_source_set_enabled(schedule->lived, SD_EVENT_ONESHOT);
	return error;
}

static void set_timer(struct outbox_schedule *schedule, int64_t next_ms, int64_t now_ms)
{
	int error;

	if (schedule->next_ms == next_ms)
		return;
	schedule->next_ms = next_ms;
	error = next_ms == INT64_MAX ? set_off(schedule)
				     : set_on(schedule, next_ms, next_ms - now_ms);
	if (error < 0)
		log_error("outbox: the timer of scheduled messages: %s",
			  strerror(-error));
}

void outbox_schedule_run(struct outbox_schedule *schedule,
			 const struct outbox_lane_list *lanes)
{
	int64_t now_ms = clock_wall_ms(), next_ms = INT64_MAX;
	struct outbox_message *message;
	struct outbox_lane *lane;

	outbox_clock_follow(&schedule->clock, lanes);
	TAILQ_FOREACH (lane, lanes, link) {
		TAILQ_FOREACH (message, &lane->messages, link) {
			int64_t message_ms;

			message_run(message, now_ms);
			message_ms = message_next(message);
			if (message_ms < next_ms)
				next_ms = message_ms;
		}
	}
	set_timer(schedule, next_ms, now_ms);
}

/* The clock may have been set back meanwhile: the turn looks for itself. */
static int on_time(sd_event_source *source, uint64_t usec, void *data)
{
	struct outbox_shared *shared = data;

	(void)source;
	(void)usec;
	shared->schedule->next_ms = 0; /* a timer has gone off */
	outbox_turn_later(shared);
	return 0;
}

static int add_timer(struct outbox_shared *shared, clockid_t clock,
		     sd_event_source **timer_out)
{
	int error = sd_event_add_time(shared->loop, timer_out, clock, UINT64_MAX, 0,
				      on_time, shared);

	return error < 0 ? error : sd_event_source_set_enabled(*timer_out, SD_EVENT_OFF);
}

int outbox_schedule_init(struct outbox_schedule *schedule, struct outbox_shared *shared)
{
	int error;

	shared->schedule = schedule;
	schedule->next_ms = INT64_MAX;
	outbox_clock_init(&schedule->clock);
	error = add_timer(shared, CLOCK_REALTIME, &schedule->timer);
	return error < 0 ? error : add_timer(shared, CLOCK_BOOTTIME, &schedule->lived);
}

void outbox_schedule_deinit(struct outbox_schedule *schedule)
{
	schedule->timer = sd_event_source_disable_unref(schedule->timer);
	schedule->lived = sd_event_source_disable_unref(schedule->lived);
}
