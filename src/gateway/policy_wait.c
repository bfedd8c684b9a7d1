/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/policy_wait.h"

#include "base/clock.h"

enum { LOOK_USEC = 200 * 1000, LIMIT_MS = 12 * 1000 };

struct policy_wait {
	struct control_call *call;
	void (*run)(struct control_call *call);
	sd_event_source *timer;
	int64_t until_ms;
};

static bool is_over(const struct policy_wait *wait)
{
	struct ofono *ofono = wait->call->control->ofono;

	if (clock_monotonic_ms() >= wait->until_ms)
		return true;
	return ofono_is_refused(ofono) ? !ofono_may_be_allowed_soon(ofono)
				       : ofono_is_settled(ofono);
}

static void on_abandoned(struct control_call *call)
{
	struct policy_wait *wait = call->state;

	wait->timer = sd_event_source_disable_unref(wait->timer);
}

static int on_look(sd_event_source *source, uint64_t usec, void *data)
{
	struct policy_wait *wait = data;
	struct control_call *call = wait->call;

	(void)usec;
	if (!is_over(wait)) {
		ofono_retry_now(call->control->ofono);
		sd_event_source_set_time_relative(source, LOOK_USEC);
		return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	}
	wait->timer = sd_event_source_disable_unref(wait->timer);
	call->state = NULL;
	call->abandoned = NULL;
	wait->run(call);
	return 0;
}

static bool begin(struct control_call *call, void (*run)(struct control_call *call))
{
	struct policy_wait *wait = arena_alloc(call->arena, sizeof(*wait));

	if (!wait)
		return false;
	*wait = (struct policy_wait){ call, run, NULL, clock_monotonic_ms() + LIMIT_MS };
	if (sd_event_add_time_relative(call->control->loop, &wait->timer, CLOCK_MONOTONIC,
				       LOOK_USEC, 0, on_look, wait) < 0)
		return false;
	call->state = wait;
	call->abandoned = on_abandoned;
	return true;
}

void policy_wait_run(struct control_call *call, void (*run)(struct control_call *call))
{
	struct ofono *ofono = call->control->ofono;

	if (ofono_is_refused(ofono)) {
		ofono_retry_now(ofono);
		if (begin(call, run)) {
			control_progress(call, "the bus has not read the gateway's D-Bus "
					       "policy yet; waiting for that");
			return;
		}
	}
	run(call);
}
