/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/watch.h"

#include "tools/message_view.h"

static void end(struct watch *watch)
{
	observer_remove(&watch->observer);
	watch->timer = sd_event_source_disable_unref(watch->timer);
}

static void finish(void *data)
{
	struct watch *watch = data;

	end(watch);
	watch->answer(watch->data);
}

static void on_change(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct watch *watch = data;

	message_view_tell_progress(watch->call, event->message_id, event->state);
	if (watch->hear(watch->data, event) || event->last)
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
	struct watch *watch = data;

	end(watch);
	if (watch->cancelled)
		watch->cancelled(watch->data);
}

static const struct request_waiting waiting = {
	.abandoned = on_abandoned,
	.cancelled = on_cancelled,
	.stopping = finish,
};

bool watch_start(struct watch *watch, struct tool_call *call, int64_t message_id,
		 uint64_t seconds)
{
	const struct services *services = call->services;

	watch->call = call;
	if (seconds == 0 || !outbox_watch(services->outbox, message_id, &watch->observer,
					  on_change, watch))
		return false;
	if (sd_event_add_time_relative(services->loop, &watch->timer, CLOCK_MONOTONIC,
				       seconds * 1000000, 0, on_timer, watch) < 0) {
		end(watch);
		return false;
	}
	tool_call_wait(call, &waiting, watch);
	return true;
}
