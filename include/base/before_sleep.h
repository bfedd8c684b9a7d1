/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before sleep: a callback that runs each time before the event loop sleeps, after
 * everything that woke it is done, and that never wakes the loop itself.
 *
 * sd-event's own "post" sources would need an iteration of their own, each with a system
 * call (tests/unit/test_before_sleep.c).
 */
#pragma once

#include <systemd/sd-event.h>

/* `run` returns 0. The caller owns the source and unreferences it. Returns 0 or -errno. */
int before_sleep_add(sd_event *loop, sd_event_source **source_out,
		     int (*run)(sd_event_source *source, void *data), void *data);
