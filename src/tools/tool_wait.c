/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_wait.h"

#include "tools/services.h"

static void end(struct tool_wait *wait)
{
	observer_remove(&wait->observer);
	wait->timer = sd_event_source_disable_unref(wait->timer);
}

void tool_wait_finish(struct tool_wait *wait)
{
	end(wait);
	wait->answer(wait->data);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	tool_wait_finish(data);
	return 0;
}

static void on_abandoned(void *data)
{
	end(data);
}

static void on_cancelled(void *data)
{
	struct tool_wait *wait = data;

	end(wait);
	if (wait->cancelled)
		wait->cancelled(wait->data);
}

static void on_stopping(void *data)
{
	tool_wait_finish(data);
}

static const struct request_waiting waiting = {
	.abandoned = on_abandoned,
	.cancelled = on_cancelled,
	.stopping = on_stopping,
};

bool tool_wait_start(struct tool_wait *wait, struct tool_call *call, uint64_t seconds)
{
	const struct services *services = call->services;

	wait->call = call;
	if (!seconds ||
	    sd_event_add_time_relative(services->loop, &wait->timer, CLOCK_MONOTONIC,
				       seconds * 1000000, 0, on_timer, wait) < 0) {
		end(wait);
		return false;
	}
	tool_call_wait(call, &waiting, wait);
	return true;
}
