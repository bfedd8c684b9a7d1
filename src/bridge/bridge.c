/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end: at the end of input what is under way has BRIDGE_GRACE_MS to be answered, so that one
 * can pipe a request in; at a signal it has none.  Then requests are closed, which cancels those of
 * 2026-07-28 (the gateway goes on with a message that it has accepted), the session is deleted,
 * and what was answered is written.  All of it takes less than two seconds.
 */
#include "bridge/bridge_private.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/event_loop.h"

enum {
	BRIDGE_GRACE_MS = 1000,
	BRIDGE_FAREWELL_MS = 700, /* for DELETE and the rest of the output */
};

/* Lasting streams have no answer to wait for. */
static bool bridge_is_answered(const struct bridge *bridge)
{
	const struct bridge_call *call;

	LIST_FOREACH (call, &bridge->calls, link) {
		if (call->purpose != BRIDGE_CALL_LASTING &&
		    call->purpose != BRIDGE_CALL_SESSION)
			return false;
	}
	return true;
}

static void bridge_leave(struct bridge *bridge)
{
	sd_event_exit(bridge->loop, 0);
}

static int bridge_on_farewell(sd_event_source *source, uint64_t due_us, void *data)
{
	bridge_leave(data);
	return 0;
}

static void bridge_set_timer(struct bridge *bridge, unsigned after_ms,
			     sd_event_time_handler_t handler)
{
	bridge->end_timer = sd_event_source_disable_unref(bridge->end_timer);
	if (sd_event_add_time_relative(bridge->loop, &bridge->end_timer, CLOCK_MONOTONIC,
				       (uint64_t)after_ms * 1000, 1000, handler,
				       bridge) < 0)
		bridge_leave(bridge);
}

/* Closes what is under way and says goodbye. */
static void bridge_close(struct bridge *bridge)
{
	struct bridge_call *call;

	bridge->is_closing = true;
	while ((call = LIST_FIRST(&bridge->calls)))
		bridge_call_free(call);
	bridge_set_timer(bridge, BRIDGE_FAREWELL_MS, bridge_on_farewell);
	if (*bridge->session.id &&
	    (call = bridge_call_new(bridge, BRIDGE_CALL_END, NULL, 0)))
		bridge_call_open(call);
}

static int bridge_on_grace(sd_event_source *source, uint64_t due_us, void *data)
{
	bridge_close(data);
	return 0;
}

static void bridge_review(struct bridge *bridge)
{
	if (!bridge->is_ending || !bridge_is_answered(bridge))
		return;
	if (!bridge->is_closing) /* not from within a call that is about to be freed */
		bridge_set_timer(bridge, 0, bridge_on_grace);
	else if (bridge_output_is_empty(&bridge->output))
		bridge_leave(bridge);
}

/* Each time before the loop sleeps: has the client closed its end, and is all done? */
static int bridge_before_sleep(sd_event_source *source, void *data)
{
	struct bridge *bridge = data;

	if (bridge->input.is_over && !bridge->is_ending) {
		bridge->is_ending = true;
		bridge_set_timer(bridge, BRIDGE_GRACE_MS, bridge_on_grace);
	}
	bridge_review(bridge);
	return 0;
}

static int bridge_on_signal(sd_event_source *source, const struct signalfd_siginfo *info,
			    void *data)
{
	struct bridge *bridge = data;

	bridge->is_ending = true;
	bridge_set_timer(bridge, 0, bridge_on_grace);
	return 0;
}

static int bridge_add_signals(struct bridge *bridge)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	sigset_t blocked;
	int error = 0;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&blocked);
	for (size_t at = 0; at < sizeof(signals) / sizeof(signals[0]); at++)
		sigaddset(&blocked, signals[at]);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	for (size_t at = 0; error >= 0 && at < sizeof(signals) / sizeof(signals[0]); at++)
		error = sd_event_add_signal(bridge->loop, NULL, signals[at],
					    bridge_on_signal, bridge);
	return error;
}

static int bridge_init(struct bridge *bridge)
{
	int error = sd_event_new(&bridge->loop);

	if (error >= 0)
		error = bridge_add_signals(bridge);
	if (error < 0)
		return error;
	bridge->client = http_client_new(bridge->loop);
	if (!bridge->client)
		return -ENOMEM;
	error = http_client_load(bridge->client);
	if (!error)
		error = bridge_output_init(&bridge->output, bridge, STDOUT_FILENO);
	if (!error)
		error = bridge_input_init(&bridge->input, bridge, STDIN_FILENO);
	if (!error)
		error = event_loop_add_before_sleep(bridge->loop, &bridge->review,
						    bridge_before_sleep, bridge);
	return error;
}

int bridge_run(const struct bridge_options *options)
{
	static const struct bridge_call_handler handlers[] = {
		[BRIDGE_CALL_LINE] = { bridge_answer_finish, bridge_answer_take, NULL },
		[BRIDGE_CALL_LASTING] = { bridge_lasting_finish, bridge_lasting_take,
					  bridge_lasting_line },
		[BRIDGE_CALL_INITIALIZE] = { bridge_answer_finish, bridge_answer_take,
					     NULL },
		[BRIDGE_CALL_SESSION] = { bridge_session_finish, bridge_answer_take,
					  NULL },
		[BRIDGE_CALL_REVIVAL] = { bridge_session_step, NULL, NULL },
		[BRIDGE_CALL_END] = { NULL, NULL, NULL },
	};
	struct bridge bridge = { .options = options, .handlers = handlers };
	struct bridge_call *call;
	int error;

	LIST_INIT(&bridge.calls);
	error = bridge_init(&bridge);
	if (!error)
		error = sd_event_loop(bridge.loop);
	while ((call = LIST_FIRST(&bridge.calls)))
		bridge_call_free(call);
	bridge_input_deinit(&bridge.input);
	bridge_output_deinit(&bridge.output);
	bridge_session_deinit(&bridge.session);
	sd_event_source_disable_unref(bridge.end_timer);
	sd_event_source_disable_unref(bridge.review);
	http_client_free(bridge.client);
	sd_event_unref(bridge.loop);
	return error;
}
