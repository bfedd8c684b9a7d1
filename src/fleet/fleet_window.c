/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/fleet_window.h"

#include <stdbool.h>
#include <string.h>

void fleet_window_clear(struct fleet_window *window)
{
	*window = (struct fleet_window){ .epoch = window->epoch };
}

static bool fleet_window_mark(struct fleet_window *window, uint64_t number)
{
	uint64_t *word = &window->taken[number % FLEET_WINDOW_NUMBERS / 64];
	uint64_t bit = UINT64_C(1) << number % 64;
	bool is_new = !(*word & bit);

	*word |= bit;
	return is_new;
}

/* The places of the numbers between are free again: those that used them fell out. */
static void fleet_window_advance(struct fleet_window *window, uint64_t number)
{
	uint64_t steps = number - window->highest;

	if (steps >= FLEET_WINDOW_NUMBERS) {
		memset(window->taken, 0, sizeof(window->taken));
	} else {
		for (uint64_t at = window->highest + 1; at <= number; at++)
			window->taken[at % FLEET_WINDOW_NUMBERS / 64] &=
				~(UINT64_C(1) << at % 64);
	}
	window->highest = number;
}

enum fleet_frame_kind fleet_window_take(struct fleet_window *window, uint64_t epoch,
					uint64_t number)
{
	if (epoch < window->epoch)
		return FLEET_STALE_HUB;
	if (epoch > window->epoch) {
		window->epoch = epoch;
		fleet_window_clear(window);
	}
	if (number == 0 || number == UINT64_MAX ||
	    (number <= window->highest &&
	     window->highest - number >= FLEET_WINDOW_NUMBERS))
		return FLEET_REPLAYED;
	if (number > window->highest)
		fleet_window_advance(window, number);
	return fleet_window_mark(window, number) ? FLEET_REQUEST : FLEET_REPLAYED;
}
