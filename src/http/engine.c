/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When libmicrohttpd runs: its epoll descriptor says when sockets are ready, MHD_get_timeout()
 * whether it has work left. 0.9.75 reports neither after MHD_resume_connection(), so that kicks the
 * engine (doc/libraries.md).
 *
 * A TLS handshake under way keeps the timeout at 0 although there is nothing to do, and so does, in
 * 0.9.75, the line of a chunk that is longer than the memory pool. So after ENGINE_QUIET_RUNS_MAX
 * runs without a callback the engine pauses. Fewer would slow down long heads: when half of the
 * pool is used, libmicrohttpd reads about 150 bytes in a run
 * (tests/integration/test_tls.py::test_a_silent_handshake_costs_no_processor_time).
 *
 * The source `later` is a timer, not a deferred source. A deferred source that is enabled in its own
 * callback stays the oldest of its priority, and sd-event (252, 257) would serve no other timer or
 * descriptor of that priority
 * (tests/integration/test_slow_clients.py::test_busy_clients_do_not_hold_up_deadlines).
 */
#include "http/connection.h"

#include <errno.h>
#include <sys/epoll.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

enum {
	ENGINE_RUNS_MAX = 8, /* in one turn of the loop, so that others get theirs */
	ENGINE_QUIET_RUNS_MAX = 64,
	ENGINE_PAUSE_US = 10 * 1000,
	ENGINE_ACCURACY_US = 1,
};

/* Running */

static bool engine_has_work(const struct engine *engine)
{
	MHD_UNSIGNED_LONG_LONG timeout_ms;

	return engine->kicked ||
	       (MHD_get_timeout(engine->daemon, &timeout_ms) == MHD_YES && !timeout_ms);
}

static void engine_enable(sd_event_source *source)
{
	int error = sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);

	if (error < 0)
		log_error("http: cannot schedule work: error %d", -error);
}

void engine_run(struct engine *engine)
{
	bool work = true;

	if (engine->running || !engine->daemon)
		return;
	engine->running = true;
	engine->run_began_ms = clock_monotonic_ms();
	for (int runs = 0; work && runs < ENGINE_RUNS_MAX; runs++) {
		engine->kicked = false;
		engine->quiet_runs++;
		MHD_run(engine->daemon);
		work = engine_has_work(engine);
		if (engine->quiet_runs >= ENGINE_QUIET_RUNS_MAX)
			break;
	}
	engine->running = false;
	sd_event_source_set_enabled(engine->soon, SD_EVENT_OFF);
	if (!work)
		return;
	if (engine->quiet_runs < ENGINE_QUIET_RUNS_MAX)
		sd_event_source_set_time(engine->later, 0);
	else
		sd_event_source_set_time_relative(engine->later, ENGINE_PAUSE_US);
	engine_enable(engine->later);
}

static int engine_on_input(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct engine *engine = data;

	/* a few runs for these bytes, even in a pause */
	if (engine->quiet_runs > ENGINE_QUIET_RUNS_MAX - ENGINE_RUNS_MAX)
		engine->quiet_runs = ENGINE_QUIET_RUNS_MAX - ENGINE_RUNS_MAX;
	engine_run(engine);
	return 0;
}

static int engine_on_soon(sd_event_source *source, void *data)
{
	engine_run(data);
	return 0;
}

static int engine_on_later(sd_event_source *source, uint64_t due_us, void *data)
{
	engine_run(data);
	return 0;
}

void engine_kick(struct engine *engine)
{
	engine->kicked = true;
	if (!engine->running)
		engine_enable(engine->soon);
}

void engine_heard(struct engine *engine)
{
	engine->quiet_runs = 0;
}

/* Beginning and end */

int engine_init(struct engine *engine, sd_event *loop, bool tls,
		struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *info;
	int error;

	*engine = (struct engine){ .tls = tls, .daemon = daemon };
	if (!daemon)
		return -ENOMEM;
	info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
	error = sd_event_add_io(loop, &engine->input, info->epoll_fd, EPOLLIN,
				engine_on_input, engine);
	if (error >= 0)
		error = sd_event_add_defer(loop, &engine->soon, engine_on_soon, engine);
	if (error >= 0)
		error = sd_event_source_set_enabled(engine->soon, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_time(loop, &engine->later, CLOCK_MONOTONIC,
					  UINT64_MAX, ENGINE_ACCURACY_US, engine_on_later,
					  engine);
	return error;
}

void engine_deinit(struct engine *engine)
{
	engine->input = sd_event_source_disable_unref(engine->input);
	engine->soon = sd_event_source_disable_unref(engine->soon);
	engine->later = sd_event_source_disable_unref(engine->later);
	if (engine->daemon)
		MHD_stop_daemon(engine->daemon);
	engine->daemon = NULL;
}
