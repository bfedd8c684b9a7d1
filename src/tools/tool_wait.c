/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_wait.h"

#include "tools/message_view.h"
#include "tools/services.h"

static void tool_wait_end(void *data)
{
	struct tool_wait *wait = data;

	observer_remove(&wait->observer);
	wait->timer = sd_event_source_disable_unref(wait->timer);
}

void tool_wait_finish(struct tool_wait *wait)
{
	tool_wait_end(wait);
	wait->answer(wait->data);
}

void tool_wait_finish_after(struct tool_wait *wait, uint64_t us)
{
	sd_event_source_set_time_relative(wait->timer, us);
}

static int tool_wait_on_timer(sd_event_source *source, uint64_t now_us, void *data)
{
	(void)source;
	(void)now_us;
	tool_wait_finish(data);
	return 0;
}

static void tool_wait_on_cancelled(void *data)
{
	struct tool_wait *wait = data;

	tool_wait_end(wait);
	if (wait->cancelled)
		wait->cancelled(wait->data);
}

static void tool_wait_on_stopping(void *data)
{
	tool_wait_finish(data);
}

static const struct request_waiting tool_wait_waiting = {
	.abandoned = tool_wait_end,
	.cancelled = tool_wait_on_cancelled,
	.stopping = tool_wait_on_stopping,
};

bool tool_wait_start(struct tool_wait *wait, struct tool_call *call, uint64_t seconds)
{
	wait->call = call;
	wait->timer = NULL;
	if (!seconds || sd_event_add_time_relative(call->services->loop, &wait->timer,
						   CLOCK_MONOTONIC, seconds * 1000000, 0,
						   tool_wait_on_timer, wait) < 0) {
		tool_wait_end(wait);
		return false;
	}
	tool_call_wait(call, &tool_wait_waiting, wait);
	return true;
}

static void tool_wait_on_message(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct tool_wait_message *message_wait = data;
	struct tool_wait *wait = &message_wait->wait;

	message_view_report_progress(wait->call, event->message_id, event->state);
	if (message_wait->changed(wait->data, event) || event->last)
		tool_wait_finish(wait);
}

bool tool_wait_for_message(struct tool_wait_message *message_wait, struct tool_call *call,
			   int64_t message_id, uint64_t seconds)
{
	return seconds &&
	       outbox_watch(call->services->outbox, message_id,
			    &message_wait->wait.observer, tool_wait_on_message,
			    message_wait) &&
	       tool_wait_start(&message_wait->wait, call, seconds);
}

static void tool_wait_on_call(void *data, const void *event_data)
{
	const struct dialler_call *placed = event_data;
	struct tool_wait_call *call_wait = data;
	struct tool_wait *wait = &call_wait->wait;

	if (placed->id != call_wait->call_id)
		return;
	tool_call_progress(wait->call, store_event_call_state_name(placed->state));
	if (call_wait->changed(wait->data, placed) ||
	    !store_event_call_is_ongoing(placed->state))
		tool_wait_finish(wait);
}

bool tool_wait_for_call(struct tool_wait_call *call_wait, struct tool_call *call,
			uint64_t seconds)
{
	observer_add(dialler_observers(call->services->dialler),
		     &call_wait->wait.observer, tool_wait_on_call, call_wait);
	return tool_wait_start(&call_wait->wait, call, seconds);
}
