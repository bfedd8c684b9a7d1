/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_wait.h"

#include "sms/received_code.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "tools/tool_failure.h"

void *tool_wait_alloc(struct tool_call *call, size_t size)
{
	void *memory = arena_alloc(call->arena, size);

	if (!memory)
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
	return memory;
}

static int tool_wait_set_timer(struct services *services)
{
	const struct tool_wait *first = TAILQ_FIRST(&services->waits.list);
	int error = sd_event_source_set_time(services->waits.timer, first->due_us);

	return error < 0 ? error
			 : sd_event_source_set_enabled(services->waits.timer,
						       SD_EVENT_ONESHOT);
}

static void tool_wait_end(void *data)
{
	struct tool_wait *wait = data;
	struct services *services = wait->call->services;

	observer_remove(&wait->observer);
	if (!wait->due_us)
		return;
	TAILQ_REMOVE(&services->waits.list, wait, link);
	wait->due_us = 0;
	if (TAILQ_EMPTY(&services->waits.list))
		services->waits.timer =
			sd_event_source_disable_unref(services->waits.timer);
	else
		tool_wait_set_timer(services);
}

void tool_wait_finish(struct tool_wait *wait)
{
	tool_wait_end(wait);
	wait->answer(wait->data);
}

static int tool_wait_on_timer(sd_event_source *source, uint64_t time_us, void *data)
{
	struct services *services = data;
	uint64_t now_us = time_us;
	struct tool_wait *wait;

	sd_event_now(sd_event_source_get_event(source), CLOCK_MONOTONIC, &now_us);
	while (services->waits.timer && (wait = TAILQ_FIRST(&services->waits.list)) &&
	       wait->due_us <= now_us)
		tool_wait_finish(wait);
	if (services->waits.timer)
		tool_wait_set_timer(services);
	return 0;
}

/* Most calls wait equally long, so the place is near the end. */
static int tool_wait_insert(struct tool_wait *wait, uint64_t due_us)
{
	struct services *services = wait->call->services;
	struct tool_wait *before = TAILQ_LAST(&services->waits.list, tool_wait_list);

	wait->due_us = due_us;
	while (before && before->due_us > due_us)
		before = TAILQ_PREV(before, tool_wait_list, link);
	if (before)
		TAILQ_INSERT_AFTER(&services->waits.list, before, wait, link);
	else
		TAILQ_INSERT_HEAD(&services->waits.list, wait, link);
	return tool_wait_set_timer(services);
}

void tool_wait_finish_after(struct tool_wait *wait, uint64_t us)
{
	struct services *services = wait->call->services;
	uint64_t now_us;

	if (sd_event_now(services->loop, CLOCK_MONOTONIC, &now_us) < 0)
		return;
	TAILQ_REMOVE(&services->waits.list, wait, link);
	tool_wait_insert(wait, now_us + us);
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

static bool tool_wait_begin(struct tool_wait *wait, struct tool_call *call,
			    uint64_t seconds)
{
	struct services *services = call->services;
	uint64_t now_us;
	int error = sd_event_now(services->loop, CLOCK_MONOTONIC, &now_us);

	wait->call = call;
	wait->due_us = 0;
	if (seconds && error >= 0 && !services->waits.timer) {
		TAILQ_INIT(&services->waits.list);
		error = sd_event_add_time(services->loop, &services->waits.timer,
					  CLOCK_MONOTONIC, UINT64_MAX, 0,
					  tool_wait_on_timer, services);
	}
	if (!seconds || error < 0 ||
	    tool_wait_insert(wait, now_us + seconds * 1000000) < 0) {
		tool_wait_end(wait);
		return false;
	}
	tool_call_wait(call, &tool_wait_waiting, wait);
	return true;
}

bool tool_wait_start(struct tool_wait *wait, struct tool_call *call, uint64_t seconds)
{
	if (call->request && seconds && !request_take_wait(call->request))
		seconds = 0;
	return tool_wait_begin(wait, call, seconds);
}

bool tool_wait_is_refused(struct tool_call *call)
{
	if (!call->request || request_may_wait(call->request))
		return false;
	tool_failure_answer(
		call, FAILURE_TOO_MANY_WAITING,
		"As many calls of this client wait as one client may have waiting.");
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

/* ---- received codes ------------------------------------------------------------------ */

enum { CODES_SECONDS = 60 }; /* then the tool runs, and reads what is left */

static void tool_wait_run_again(void *data)
{
	struct tool_wait *wait = data;

	tool_call_run_again(wait->call);
}

static void tool_wait_on_codes(void *data, const void *event)
{
	tool_wait_finish(data);
}

bool tool_wait_for_codes(struct tool_call *call)
{
	struct received_codes *codes = call->services->received_codes;
	struct tool_wait *wait;

	if (!codes || received_codes_are_ready(codes))
		return false;
	wait = arena_alloc(call->arena, sizeof(*wait));
	if (!wait)
		return false;
	*wait = (struct tool_wait){ .answer = tool_wait_run_again, .data = wait };
	observer_add(received_codes_observers(codes), &wait->observer, tool_wait_on_codes,
		     wait);
	return tool_wait_begin(wait, call, CODES_SECONDS);
}

/* ---- calls --------------------------------------------------------------------------- */

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
