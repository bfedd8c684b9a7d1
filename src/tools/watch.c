/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/watch.h"

#include "tools/message_view.h"

static void on_change(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct watch *watch = data;

	message_view_tell_progress(watch->wait.call, event->message_id, event->state);
	if (watch->hear(watch->data, event) || event->last)
		tool_wait_finish(&watch->wait);
}

bool watch_start(struct watch *watch, struct tool_call *call, int64_t message_id,
		 uint64_t seconds)
{
	const struct services *services = call->services;

	watch->wait = (struct tool_wait){
		.answer = watch->answer,
		.cancelled = watch->cancelled,
		.data = watch->data,
		.call = call,
	};
	return seconds &&
	       outbox_watch(services->outbox, message_id, &watch->wait.observer,
			    on_change, watch) &&
	       tool_wait_start(&watch->wait, call, seconds);
}
