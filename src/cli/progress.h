/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress: one line on the terminal that shows what a command waits for and since when; it is
 * cleared before other output. Nothing appears within the first second, or if standard error is
 * not a terminal (tests/integration/test_owner_tools.py::test_send_shows_progress_on_a_terminal).
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

struct progress {
	char words[128]; /* "message 12: submitting" */
	int64_t begun_ms;
	int64_t due_ms; /* when progress_poll() draws next */
	bool is_drawn;
};

void progress_begin(struct progress *progress, const char *words);
void progress_set_words(struct progress *progress, const char *words);
void progress_tick(struct progress *progress);	/* call it once a second */
void progress_poll(struct progress *progress);	/* or this one, as often as you like */
void progress_clear(struct progress *progress); /* before any other output */

/* Runs an event loop until something has happened, showing progress. */
struct progress_wait_loop {
	sd_event *loop;
	/* Called first, after each iteration, and at least once a second. */
	bool (*is_over)(void *data);
	void *data;
	int timeout_ms;
	const char *words; /* "asking oFono" */
};

/* False: it timed out, or the loop failed. */
bool progress_wait_loop_run(const struct progress_wait_loop *wait);

#endif
