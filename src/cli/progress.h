/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress: what a command waits for and how long by now, on a line of the terminal that goes
 * again. Nothing within the first second, and nothing where standard error is no terminal
 * (tests/integration/test_owner_tools.py::test_progress_on_a_terminal).
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	char words[128]; /* "message 12: submitted" */
	int64_t begun_ms;
	int64_t due_ms; /* of the next progress_poll() that draws */
	bool is_drawn;
};

void progress_begin(struct progress *progress, const char *words);
void progress_note(struct progress *progress, const char *words);
void progress_tick(struct progress *progress);	/* to be called each second */
void progress_poll(struct progress *progress);	/* or this, as often as one likes */
void progress_clear(struct progress *progress); /* before anything else is written */

#endif
