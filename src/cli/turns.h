/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns: the loop of a command that waits for something, with what it waits for on the
 * terminal when that takes longer than a second (cli/progress.h).
 */
#ifndef CLI_TURNS_H
#define CLI_TURNS_H

#include <stdbool.h>
#include <systemd/sd-event.h>

struct turns {
	sd_event *loop;
	/* Asked before the first turn, after each, and at least once a second. */
	bool (*is_over)(void *data);
	void *data;
	int limit_ms;
	const char *words; /* "asking oFono" */
};

/* False: the time was over first, or the loop broke. */
bool turns_run(const struct turns *turns);

#endif
