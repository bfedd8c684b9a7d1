/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/turns.h"

#include "base/clock.h"
#include "cli/progress.h"

enum { TICK_MS = 1000 };

static int64_t least(int64_t one, int64_t other)
{
	return one < other ? one : other;
}

bool turns_run(const struct turns *turns)
{
	int64_t now_ms = clock_monotonic_ms(), end_ms = now_ms + turns->limit_ms;
	struct progress progress;
	bool is_over;

	progress_begin(&progress, turns->words);
	while (!(is_over = turns->is_over(turns->data)) && now_ms < end_ms) {
		int64_t pause_ms = least(TICK_MS, end_ms - now_ms);

		if (sd_event_run(turns->loop, (uint64_t)pause_ms * 1000) < 0)
			break;
		progress_poll(&progress);
		now_ms = clock_monotonic_ms();
	}
	progress_clear(&progress);
	return is_over;
}
