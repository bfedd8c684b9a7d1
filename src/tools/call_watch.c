/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/call_watch.h"

static void end(struct call_watch *watch)
{
	observer_remove(&watch->observer);
	watch->timer = sd_event_source_disable_unref(watch->timer);
}

static void finish(void *data)
{
	struct call_watch *watch = data;

	end(watch);
	watch->answer(watch->data);
}

static void on_change(void *data, const void *event)
{
	const struct placed_call *placed = event;
	struct call_watch *watch = data;

	if (placed->id != watch->id)
		return;
	tool_call_progress(watch->call, call_state_name(placed->state));
	if (watch->hear(watch->data, placed) || !call_goes_on(placed->state))
		finish(watch);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	finish(data);
	return 0;
}

static void on_abandoned(void *data)
{
	end(data);
}

static void on_cancelled(void *data)
{
	struct call_watch *watch = data;

	end(watch);
	if (watch->cancelled)
		watch->cancelled(watch->data);
}

static const struct request_waiting waiting = {
	.abandoned = on_abandoned,
	.cancelled = on_cancelled,
	.stopping = finish,
};

bool call_watch_start(struct call_watch *watch, struct tool_call *call, int64_t seconds)
{
	const struct services *services = call->services;

	if (!seconds || sd_event_add_time_relative(
				services->loop, &watch->timer, CLOCK_MONOTONIC,
				(uint64_t)seconds * 1000000, 0, on_timer, watch) < 0)
		return false;
	watch->call = call;
	observer_add(dialler_observers(services->dialler), &watch->observer, on_change,
		     watch);
	tool_call_wait(call, &waiting, watch);
	return true;
}
