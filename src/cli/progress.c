/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/colour.h"

#define CLEAR_LINE "\r\033[K"

enum { SECOND_MS = 1000 };

void progress_clear(struct progress *progress)
{
	if (progress->is_drawn)
		fputs(CLEAR_LINE, stderr);
	progress->is_drawn = false;
}

static void draw(struct progress *progress)
{
	int64_t since_ms = clock_monotonic_ms() - progress->begun_ms;

	if (!colour_is_terminal(STDERR_FILENO))
		return;
	fprintf(stderr, CLEAR_LINE "%s (%lld s)", progress->words,
		(long long)since_ms / SECOND_MS);
	progress->is_drawn = true;
}

void progress_note(struct progress *progress, const char *words)
{
	snprintf(progress->words, sizeof(progress->words), "%s", words);
	if (progress->is_drawn)
		draw(progress);
}

void progress_begin(struct progress *progress, const char *words)
{
	int64_t now_ms = clock_monotonic_ms();

	*progress = (struct progress){ .begun_ms = now_ms, .due_ms = now_ms + SECOND_MS };
	progress_note(progress, words);
}

void progress_tick(struct progress *progress)
{
	draw(progress);
}

void progress_poll(struct progress *progress)
{
	int64_t now_ms = clock_monotonic_ms();

	if (now_ms < progress->due_ms)
		return;
	progress->due_ms = now_ms + SECOND_MS;
	draw(progress);
}
