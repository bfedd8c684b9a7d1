/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libmicrohttpd 0.9.75 neither wakes its epoll descriptor nor shortens MHD_get_timeout() for
 * MHD_resume_connection(), and no version lets go of a closed connection in every case without
 * one more run. So one more MHD_run() follows each of them (engine_kick()), until nothing asks for
 * another: doc/libraries.md.
 *
 * Its epoll descriptor is not watched: whatever it could hear there, we did. It has something to do
 * when we write to a pair, take from one what it has more of, close one, or resume a connection;
 * each of these kicks it.
 *
 * The source `again` is a timer that is due at once, not a deferred source: one that is switched
 * on in its own callback stays the oldest of its priority, and sd-event (252, 257) would serve no
 * other timer or descriptor of that priority
 * (tests/integration/test_slow_clients.py::test_busy_clients_do_not_hold_up_deadlines).
 */
#include "http/engine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/event_count.h"
#include "base/log.h"
#include "http/connection.h"

enum {
	RUNS_MAX = 8, /* in one turn of the loop, then others have theirs */
	ACCURACY_US = 1,
	/*
	 * What libmicrohttpd has for a request that we wrote, a piece of its body and the header
	 * of the answer, of which the console's is the longest with 780 bytes.
	 */
	CONNECTION_BYTES = 6 * 1024,
};

/* What it cannot do is for the owner. The rest tells nothing: the peer's bytes never reach it. */
static __attribute__((format(printf, 2, 0))) void on_log(void *data, const char *format,
							 va_list arguments)
{
	static const char serious[] = "Call to epoll";
	char text[256];

	(void)data;
	if (strncmp(format, serious, strlen(serious)) != 0)
		return;
	vsnprintf(text, sizeof(text), format, arguments);
	text[strcspn(text, "\n")] = '\0';
	log_warning("http: %s", text);
}

static bool has_work(const struct engine *engine)
{
	MHD_UNSIGNED_LONG_LONG timeout_ms;

	return engine->kicked ||
	       (MHD_get_timeout(engine->daemon, &timeout_ms) == MHD_YES && !timeout_ms);
}

static void enable(sd_event_source *source)
{
	int error = sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);

	if (error < 0)
		log_error("http: cannot schedule work: error %d", -error);
}

static void run(struct engine *engine)
{
	int runs = 0;

	event_count_serve(sd_event_source_get_event(engine->soon));
	engine->running = true;
	engine->begun_ms = clock_monotonic_ms();
	do {
		engine->kicked = false;
		MHD_run(engine->daemon);
		engine->ran(engine->data);
	} while (has_work(engine) && ++runs < RUNS_MAX);
	engine->running = false;
	sd_event_source_set_enabled(engine->soon, SD_EVENT_OFF);
	if (runs == RUNS_MAX) {
		sd_event_source_set_time(engine->again, 0);
		enable(engine->again);
	}
}

static int on_soon(sd_event_source *source, void *data)
{
	(void)source;
	run(data);
	return 0;
}

static int on_again(sd_event_source *source, uint64_t due_us, void *data)
{
	(void)source;
	(void)due_us;
	run(data);
	return 0;
}

static int sources_add(struct engine *engine, sd_event *loop)
{
	int error = sd_event_add_defer(loop, &engine->soon, on_soon, engine);

	if (error >= 0)
		error = sd_event_source_set_enabled(engine->soon, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_time(loop, &engine->again, CLOCK_MONOTONIC,
					  UINT64_MAX, ACCURACY_US, on_again, engine);
	if (error >= 0)
		error = sd_event_source_set_enabled(engine->again, SD_EVENT_OFF);
	return error < 0 ? error : 0;
}

static struct MHD_Daemon *daemon_start(unsigned limit, void *data)
{
	return MHD_start_daemon(
		MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
			MHD_USE_ERROR_LOG,
		0, NULL, NULL, connection_handle, data, MHD_OPTION_EXTERNAL_LOGGER,
		on_log, NULL, /* first: it hears of the rest */
		MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_TIMEOUT, 0u,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_NOTIFY_CONNECTION, connection_notify, data,
		MHD_OPTION_NOTIFY_COMPLETED, connection_completed, data,
		MHD_OPTION_URI_LOG_CALLBACK, connection_begin, data, MHD_OPTION_END);
}

int engine_init(struct engine *engine, sd_event *loop, unsigned limit,
		void (*ran)(void *data), void *data)
{
	*engine = (struct engine){ .daemon = daemon_start(limit, data),
				   .ran = ran,
				   .data = data };
	if (!engine->daemon)
		return -ENOMEM;
	return sources_add(engine, loop);
}

void engine_deinit(struct engine *engine)
{
	engine->soon = sd_event_source_disable_unref(engine->soon);
	engine->again = sd_event_source_disable_unref(engine->again);
	if (engine->daemon)
		MHD_stop_daemon(engine->daemon);
	engine->daemon = NULL;
}

void engine_kick(struct engine *engine)
{
	engine->kicked = true;
	if (!engine->running && engine->soon)
		enable(engine->soon);
}

void engine_flush(struct engine *engine)
{
	if (engine->kicked && !engine->running && engine->soon)
		run(engine);
}
