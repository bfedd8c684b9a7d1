/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each turn: what is looked at whenever the loop turns, and never wakes it.
 *
 * It is asked before the loop sleeps, after whatever woke it was done. sd-event's own
 * "post" sources would do the same in a turn of their own, each with a system call
 * (tests/unit/test_each_turn.c).
 */
#ifndef BASE_EACH_TURN_H
#define BASE_EACH_TURN_H

#include <systemd/sd-event.h>

/* `look` gives 0. The source is unreferenced as any other. 0 or -errno. */
int before_sleep_add(sd_event *loop, sd_event_source **source_out,
		     int (*look)(sd_event_source *source, void *data), void *data);

#endif
