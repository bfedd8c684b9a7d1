/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/terminal.h"
#include "ofono/ofono.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"

#define CLEAR_LINE "\r\033[K"

enum { SECOND_MS = 1000 };

void progress_clear(struct progress *progress)
{
	if (progress->is_drawn)
		fputs(CLEAR_LINE, stderr);
	progress->is_drawn = false;
}

/*
 * The line is cut to the width of the terminal: of a line that wraps, only the last part is
 * cleared.
 */
void progress_tick(struct progress *progress)
{
	int64_t since_ms = clock_monotonic_ms() - progress->begun_ms;
	unsigned columns = terminal_columns(STDERR_FILENO);
	char text[sizeof(progress->words) + 32];

	if (!terminal_is_capable(STDERR_FILENO))
		return;
	snprintf(text, sizeof(text), "%s (%lld s)", progress->words,
		 (long long)since_ms / SECOND_MS);
	if (columns)
		text[utf8_cut(text, columns - 1)] = '\0';
	fprintf(stderr, CLEAR_LINE "%s", text);
	progress->is_drawn = true;
}

void progress_set_words(struct progress *progress, const char *words)
{
	snprintf(progress->words, sizeof(progress->words), "%s", words);
	if (progress->is_drawn)
		progress_tick(progress);
}

void progress_begin(struct progress *progress, const char *words)
{
	int64_t now_ms = clock_monotonic_ms();

	*progress = (struct progress){
		.begun_ms = now_ms,
		.due_ms = now_ms + SECOND_MS,
	};
	progress_set_words(progress, words);
}

void progress_poll(struct progress *progress)
{
	int64_t now_ms = clock_monotonic_ms();

	if (now_ms < progress->due_ms)
		return;
	progress->due_ms = now_ms + SECOND_MS;
	progress_tick(progress);
}

bool progress_wait_loop_run(const struct progress_wait_loop *wait)
{
	int64_t now_ms = clock_monotonic_ms(), end_ms = now_ms + wait->timeout_ms;
	struct progress progress;
	bool is_over;

	progress_begin(&progress, wait->words);
	while (!(is_over = wait->is_over(wait->data)) && now_ms < end_ms) {
		int64_t left_ms = end_ms - now_ms;
		int64_t pause_ms = left_ms < SECOND_MS ? left_ms : SECOND_MS;

		if (sd_event_run(wait->loop, (uint64_t)pause_ms * 1000) < 0)
			break;
		progress_poll(&progress);
		now_ms = clock_monotonic_ms();
	}
	progress_clear(&progress);
	return is_over;
}

static bool progress_ofono_is_settled(void *data)
{
	return ofono_is_settled(data);
}

void progress_wait_for_ofono(sd_event *loop, struct ofono *ofono, int timeout_ms)
{
	progress_wait_loop_run(&(struct progress_wait_loop){
		.loop = loop,
		.is_over = progress_ofono_is_settled,
		.data = ofono,
		.timeout_ms = timeout_ms,
		.words = "asking oFono",
	});
}
