/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock_history.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

void clock_history_update(struct clock_history *history)
{
	int64_t *epochs_ms = history->epochs_ms;
	int64_t epoch_ms = clock_wall_ms() - clock_boot_ms();

	if (history->count && llabs(epoch_ms - epochs_ms[0]) < CLOCK_SLEW_MS)
		return;
	memmove(&epochs_ms[1], &epochs_ms[0],
		(CLOCK_HISTORY_MAX - 1) * sizeof(*epochs_ms));
	epochs_ms[0] = epoch_ms;
	if (history->count < CLOCK_HISTORY_MAX)
		history->count++;
}

int64_t clock_history_now_ms(const struct clock_history *history, unsigned place)
{
	return clock_boot_ms() + history->epochs_ms[place];
}
