/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event loop: what sd-event leaves to its users.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

/*
 * For the small programs beside the gateway. Makes a loop that SIGTERM and SIGINT end; SIGPIPE is
 * ignored. Returns NULL if it cannot be made, which means that memory ran out.
 */
sd_event *event_loop_new(void);

/*
 * Runs until a signal. The service manager learns when the program is ready and when it stops, and
 * its watchdog is answered. Returns false if the loop failed.
 */
bool event_loop_run(sd_event *loop);

/*
 * Adds a callback that runs each time before the loop sleeps, after everything that woke it is
 * done, and that never wakes the loop itself. sd-event's own "post" sources would need an
 * iteration of their own, each with a system call (tests/unit/test_event_loop.c).
 *
 * `run` returns 0. The caller owns the source and unreferences it. Returns 0 or -errno.
 */
int event_loop_add_before_sleep(sd_event *loop, sd_event_source **source_out,
				int (*run)(sd_event_source *source, void *data),
				void *data);

/*
 * Adds a timer that is off. `expired` runs once after each start, and returns 0. The caller owns
 * the source and unreferences it. Returns 0 or -errno.
 */
int event_loop_add_timer(sd_event *loop, sd_event_source **timer_out,
			 uint64_t accuracy_us, sd_event_time_handler_t expired,
			 void *data);
/* Starts it, or starts it anew. */
void event_loop_start_timer(sd_event_source *timer, uint64_t after_us);
