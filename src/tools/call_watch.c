/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/call_watch.h"

static void on_change(void *data, const void *event)
{
	const struct placed_call *placed = event;
	struct call_watch *watch = data;

	if (placed->id != watch->id)
		return;
	tool_call_progress(watch->wait.call, store_event_call_state_name(placed->state));
	if (watch->hear(watch->wait.data, placed) ||
	    !store_event_call_is_ongoing(placed->state))
		tool_wait_finish(&watch->wait);
}

bool call_watch_start(struct call_watch *watch, struct tool_call *call, int64_t seconds)
{
	const struct services *services = call->services;

	observer_add(dialler_observers(services->dialler), &watch->wait.observer,
		     on_change, watch);
	return tool_wait_start(&watch->wait, call, (uint64_t)seconds);
}
