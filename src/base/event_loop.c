/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/event_loop.h"

#include <signal.h>
#include <stdint.h>
#include <systemd/sd-daemon.h>
#include <time.h>

sd_event *event_loop_new(void)
{
	sd_event *loop = NULL;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0 || sd_event_new(&loop) < 0)
		return NULL;
	if (sd_event_add_signal(loop, NULL, SIGTERM, NULL, NULL) < 0 ||
	    sd_event_add_signal(loop, NULL, SIGINT, NULL, NULL) < 0)
		return sd_event_unref(loop);
	return loop;
}

/* Without a service manager, and without a watchdog of its, these calls do nothing. */
bool event_loop_run(sd_event *loop)
{
	bool ended_by_signal;

	sd_event_set_watchdog(loop, true);
	sd_notify(0, "READY=1");
	ended_by_signal = sd_event_loop(loop) >= 0;
	sd_notify(0, "STOPPING=1");
	return ended_by_signal;
}

/*
 * A timer that never expires: sd-event calls the "prepare" callback of every enabled source
 * before it sleeps, whatever the source is.
 */
static int event_loop_on_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	return 0;
}

int event_loop_add_before_sleep(sd_event *loop, sd_event_source **source_out,
				int (*run)(sd_event_source *source, void *data),
				void *data)
{
	sd_event_source *source = NULL;
	int error = sd_event_add_time(loop, &source, CLOCK_MONOTONIC, UINT64_MAX, 0,
				      event_loop_on_timer, data);

	if (error >= 0)
		error = sd_event_source_set_enabled(source, SD_EVENT_ON);
	if (error >= 0)
		error = sd_event_source_set_prepare(source, run);
	if (error < 0) {
		sd_event_source_unref(source);
		return error;
	}
	*source_out = source;
	return 0;
}

int event_loop_add_timer(sd_event *loop, sd_event_source **timer_out,
			 uint64_t accuracy_us, sd_event_time_handler_t expired,
			 void *data)
{
	int error = sd_event_add_time_relative(loop, timer_out, CLOCK_MONOTONIC, 0,
					       accuracy_us, expired, data);

	if (error >= 0)
		error = sd_event_source_set_enabled(*timer_out, SD_EVENT_OFF);
	return error < 0 ? error : 0;
}

void event_loop_start_timer(sd_event_source *timer, uint64_t after_us)
{
	sd_event_source_set_time_relative(timer, after_us);
	sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}
