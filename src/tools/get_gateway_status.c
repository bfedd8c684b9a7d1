/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * get_gateway_status: how the gateway is, what is left of the limits, and what stops a
 * message now, all from what is known here; at once, or when anything changed.
 *
 * Nothing is missed between two calls: a cursor that is not the newest is answered at once,
 * also one of another run, which may be behind it when the clock was set.
 * Changes come in groups (queued, submitting, submitted, sent), so the answer waits a moment.
 */

#include "console/console.h"
#include "tools/argument.h"
#include "tools/change_source.h"
#include "tools/cursor.h"
#include "tools/kept_answer.h"
#include "tools/status_view.h"
#include "tools/tool_table.h"

enum {
	WAIT_MOST_SECONDS = 120,
	SETTLE_US = 100 * 1000,
};

static const struct schema_field input[] = {
	{ "after", SCHEMA_STRING, false,
	  "cursor of the answer before: with wait_seconds, answer when anything has "
	  "changed since. One from before a restart of the gateway is answered at once" },
	{ "wait_seconds", SCHEMA_INTEGER, false, "How long to wait for that at most", 0,
	  WAIT_MOST_SECONDS },
	{ 0 },
};

/* one call that waits; lives in the call's arena */
struct status_wait {
	struct tool_call *call;
	struct observer changes;
	sd_event_source *timer;
	bool settling;
};

static int write_answer(const struct tool_call *call, struct tool_answer *answer,
			int64_t *until_ms)
{
	const struct status_view view = {
		.services = call->services,
		.client = call->client,
		.arena = call->arena,
		.frees_ms = until_ms,
	};
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);
	int error = writer ? status_view_write(writer, &view) : 0;

	json_writer_free(writer);
	if (error)
		buffer_deinit(&structured);
	else
		tool_answer_make(answer, NULL, &structured, true);
	return error;
}

static void answer(struct tool_call *call)
{
	static const struct kept_writing writing = {
		write_answer,
		"What was sent lately, or when the gateway could not hear, could not "
		"be read.",
	};

	kept_answer_finish(call, KEPT_STATUS, &writing);
}

static void stop_waiting(void *data)
{
	struct status_wait *wait = data;

	observer_remove(&wait->changes);
	wait->timer = sd_event_source_disable_unref(wait->timer);
}

static void finish(void *data)
{
	struct status_wait *wait = data;

	stop_waiting(wait);
	answer(wait->call);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	finish(data);
	return 0;
}

static void on_change(void *data, const void *event)
{
	struct status_wait *wait = data;

	(void)event;
	if (wait->settling)
		return;
	wait->settling = true;
	sd_event_source_set_time_relative(wait->timer, SETTLE_US);
}

static const struct request_waiting waiting = {
	.abandoned = stop_waiting,
	.stopping = finish,
};

/* False: it could not be, so answer with what is known. */
static bool start_waiting(struct tool_call *call, int64_t seconds)
{
	const struct services *services = call->services;
	struct status_wait *wait = arena_alloc(call->arena, sizeof(*wait));

	if (!wait)
		return false;
	*wait = (struct status_wait){ .call = call };
	if (sd_event_add_time_relative(services->loop, &wait->timer, CLOCK_MONOTONIC,
				       (uint64_t)seconds * 1000000, 0, on_timer,
				       wait) < 0)
		return false;
	observer_add(&services->changes->observers, &wait->changes, on_change, wait);
	tool_call_wait(call, &waiting, wait);
	return true;
}

static bool is_newest(const struct tool_call *call, int64_t after)
{
	const struct services *services = call->services;

	return after && after == change_source_count(services->changes);
}

static void run(struct tool_call *call)
{
	int64_t seconds = argument_integer(call, "wait_seconds", 0), after;

	if (!cursor_argument(call, "after", CURSOR_CHANGES, &after))
		return;
	if (!seconds || !is_newest(call, after) || !start_waiting(call, seconds))
		answer(call);
}

const struct tool tool_get_gateway_status = {
	.name = "get_gateway_status",
	.title = "Ask how the gateway is",
	.description =
		"Tells whether a message could be sent now and what stops it, which SIM "
		"cards and modems there are, whether voicemail waits, how many messages "
		"wait, what the owner lets you send in words, how much is left of each "
		"limit and when there will be more, and when the gateway could not hear. "
		"Call it when a send was refused, or before many messages; with after "
		"and wait_seconds it answers when something changes. Costs nothing. It "
		"does not tell of a recipient or a text: send_sms with dry_run does.",
	.input = input,
	.output = status_view_fields,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.page = CONSOLE_URI,
	.run = run,
};
