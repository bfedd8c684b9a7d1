/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/wait_reason.h"

#include "base/clock.h"

bool wait_is_for_the_clock(const struct message *message)
{
	int64_t needed_ms = message->state == STATE_QUEUED	? message->expires_at_ms
			    : message->state == STATE_SCHEDULED ? message->send_at_ms
								: 0;

	int64_t now_ms = clock_wall_ms();

	if (message->state == STATE_QUEUED && needed_ms && now_ms < message->seen_ms)
		return true; /* see sms/outbox_deadline.h */
	return needed_ms >= CLOCK_SANE_MS && now_ms < CLOCK_SANE_MS;
}

const char *wait_reason(const struct services *services, const struct message *message)
{
	bool waits = message->state == STATE_QUEUED || message->state == STATE_SCHEDULED;

	if (waits && policy_is_paused(services->policy))
		return failure_words(FAILURE_PAUSED)->code;
	if (wait_is_for_the_clock(message))
		return "clock_unknown";
	return message->reason;
}
