/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "cli/terminal.h"

#define CLEAR_LINE "\r\033[K"

enum { SECOND_MS = 1000 };

void progress_clear(struct progress *progress)
{
	if (progress->is_drawn)
		fputs(CLEAR_LINE, stderr);
	progress->is_drawn = false;
}

/* One that is too long would break, and only its last line be cleared. */
static void draw(struct progress *progress)
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
