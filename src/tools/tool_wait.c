/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_wait.h"

#include "tools/services.h"

/* Who is due first stands first. */
static struct {
	sd_event_source *timer; /* NULL: nobody waits */
	TAILQ_HEAD(tool_wait_list, tool_wait) list;
} waits = { .list = TAILQ_HEAD_INITIALIZER(waits.list) };

static int set_timer(void)
{
	int error =
		sd_event_source_set_time(waits.timer, TAILQ_FIRST(&waits.list)->due_us);

	return error < 0 ? error
			 : sd_event_source_set_enabled(waits.timer, SD_EVENT_ONESHOT);
}

static void leave(struct tool_wait *wait)
{
	bool was_first = wait == TAILQ_FIRST(&waits.list);

	TAILQ_REMOVE(&waits.list, wait, link);
	wait->due_us = 0;
	if (TAILQ_EMPTY(&waits.list))
		waits.timer = sd_event_source_disable_unref(waits.timer);
	else if (was_first)
		set_timer();
}

static void end(struct tool_wait *wait)
{
	observer_remove(&wait->observer);
	if (wait->due_us)
		leave(wait);
}

void tool_wait_finish(struct tool_wait *wait)
{
	end(wait);
	wait->answer(wait->data);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct tool_wait *wait;
	uint64_t now_us = usec;

	(void)data;
	sd_event_now(sd_event_source_get_event(source), CLOCK_MONOTONIC, &now_us);
	while ((wait = TAILQ_FIRST(&waits.list)) && wait->due_us <= now_us)
		tool_wait_finish(wait);
	if (wait)
		set_timer();
	return 0;
}

/* Most wait equally long: the place is near the end. */
static void insert(struct tool_wait *wait)
{
	struct tool_wait *before = TAILQ_LAST(&waits.list, tool_wait_list);

	while (before && before->due_us > wait->due_us)
		before = TAILQ_PREV(before, tool_wait_list, link);
	if (before)
		TAILQ_INSERT_AFTER(&waits.list, before, wait, link);
	else
		TAILQ_INSERT_HEAD(&waits.list, wait, link);
}

static int join(struct tool_wait *wait, sd_event *loop, uint64_t seconds)
{
	uint64_t now_us;
	int error = sd_event_now(loop, CLOCK_MONOTONIC, &now_us);

	if (error >= 0 && !waits.timer)
		error = sd_event_add_time(loop, &waits.timer, CLOCK_MONOTONIC, UINT64_MAX,
					  0, on_timer, NULL);
	if (error < 0)
		return error;
	wait->due_us = now_us + seconds * 1000000;
	insert(wait);
	return wait == TAILQ_FIRST(&waits.list) ? set_timer() : 0;
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
	wait->due_us = 0;
	if (!seconds || join(wait, services->loop, seconds) < 0) {
		end(wait);
		return false;
	}
	tool_call_wait(call, &waiting, wait);
	return true;
}
