/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libmicrohttpd 0.9.75 has three gaps here: nothing wakes the loop after
 * MHD_resume_connection(), MHD_get_timeout() does not see a resume that is pending, and at
 * its connection limit it listens again only in the run after the one that closed a
 * connection (tests/unit/test_server_limit.c::test_limit_recovers). Each is closed by one more
 * MHD_run().
 *
 * And it has a spin: when a chunk's size line does not fit into its buffer, it wants to be
 * run at once for ever, and does nothing. So runs that move nothing are soon spaced out; the
 * connection's deadline ends it
 * (tests/unit/test_server_limit.c::test_endless_chunk_line_does_not_spin).
 *
 * And another: without a descriptor for its first connection it tries to accept for ever
 * (tests/integration/test_limits.py::test_no_descriptor_left_for_the_first).
 */
#include "http/pump.h"

#include <errno.h>
#include <sys/epoll.h>
#include <time.h>

#include "base/clock.h"
#include "base/event_count.h"
#include "base/log.h"

enum {
	PUMP_TURNS_MAX = 8,  /* then others have their turn */
	PUMP_STILL_MAX = 16, /* runs; headers come in 128 bytes a turn, 8 KiB in 64 */
	PUMP_RETRY_US = 20 * 1000,
};

void pump_starve(struct pump *pump)
{
	pump->starved = true;
}

bool pump_is_busy(const struct pump *pump)
{
	MHD_UNSIGNED_LONG_LONG timeout_ms;

	return MHD_get_timeout(pump->daemon, &timeout_ms) == MHD_YES && !timeout_ms;
}

static bool work_left(const struct pump *pump)
{
	return pump->again || pump_is_busy(pump);
}

static void run_later(struct pump *pump)
{
	int error = sd_event_source_set_enabled(pump->again_later, SD_EVENT_ONESHOT);

	if (error < 0)
		log_error("http: cannot schedule work: error %d", -error);
}

/*
 * A timer even when it is due at once: a deferred source that is switched on again in its
 * own callback stays the oldest of its priority, and sd-event (252) would never come to
 * anybody else's timer or descriptor
 * (tests/integration/test_slow_clients.py::test_busy_clients_do_not_hold_up_deadlines).
 */
static void run_after(struct pump *pump, uint64_t pause_us)
{
	int error = pause_us ? sd_event_source_set_time_relative(pump->retry, pause_us)
			     : sd_event_source_set_time(pump->retry, 0);

	if (error >= 0)
		error = sd_event_source_set_enabled(pump->retry, SD_EVENT_ONESHOT);
	if (error < 0)
		log_error("http: cannot schedule work: error %d", -error);
}

static void rest(struct pump *pump)
{
	pump->starved = false;
	sd_event_source_set_enabled(pump->readable, SD_EVENT_OFF);
	run_after(pump, PUMP_RETRY_US);
}

static void run(struct pump *pump)
{
	int turns = 0;

	event_count_serve(sd_event_source_get_event(pump->readable));
	pump->running = true;
	pump->begun_ms = clock_monotonic_ms();
	pump->moved = false;
	do {
		pump->again = false;
		MHD_run(pump->daemon);
	} while (!pump->starved && work_left(pump) && ++turns < PUMP_TURNS_MAX);
	pump->running = false;
	if (pump->starved) {
		rest(pump);
		return;
	}
	if (turns < PUMP_TURNS_MAX)
		return;
	pump->still = pump->moved || pump->again ? 0 : pump->still + 1;
	run_after(pump, pump->still < PUMP_STILL_MAX ? 0 : PUMP_RETRY_US);
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *data)
{
	(void)source;
	(void)fd;
	(void)events;
	run(data);
	return 0;
}

static int on_again_later(sd_event_source *source, void *data)
{
	(void)source;
	run(data);
	return 0;
}

static int on_retry(sd_event_source *source, uint64_t due_us, void *data)
{
	struct pump *pump = data;

	(void)source;
	(void)due_us;
	sd_event_source_set_enabled(pump->readable, SD_EVENT_ON);
	run(pump);
	return 0;
}

static int sources_add(struct pump *pump, sd_event *loop, int epoll_fd)
{
	int error = sd_event_add_io(loop, &pump->readable, epoll_fd, EPOLLIN, on_readable,
				    pump);

	if (error >= 0)
		error = sd_event_source_set_enabled(pump->readable, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_defer(loop, &pump->again_later, on_again_later,
					   pump);
	if (error >= 0)
		error = sd_event_source_set_enabled(pump->again_later, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_time(loop, &pump->retry, CLOCK_MONOTONIC, UINT64_MAX,
					  PUMP_RETRY_US, on_retry, pump);
	if (error >= 0)
		error = sd_event_source_set_enabled(pump->retry, SD_EVENT_OFF);
	return error < 0 ? error : 0;
}

int pump_init(struct pump *pump, sd_event *loop, struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
	int error;

	*pump = (struct pump){ .daemon = daemon };
	if (!info)
		return -EINVAL;
	error = sources_add(pump, loop, info->epoll_fd);
	if (error)
		pump_deinit(pump);
	return error;
}

/* The daemon's first run arms the listening socket. */
int pump_start(struct pump *pump)
{
	int error = sd_event_source_set_enabled(pump->readable, SD_EVENT_ON);

	if (error >= 0)
		error = sd_event_source_set_enabled(pump->again_later, SD_EVENT_ONESHOT);
	return error < 0 ? error : 0;
}

void pump_deinit(struct pump *pump)
{
	pump->readable = sd_event_source_disable_unref(pump->readable);
	pump->again_later = sd_event_source_disable_unref(pump->again_later);
	pump->retry = sd_event_source_disable_unref(pump->retry);
}

void pump_kick(struct pump *pump)
{
	pump->again = true;
	if (!pump->running && pump->again_later)
		run_later(pump);
}
