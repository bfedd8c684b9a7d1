/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fleet window: which numbers of requests a link has taken. Requests may be up to
 * FLEET_WINDOW_NUMBERS - 1 behind the highest number and still be taken.
 */
#pragma once

#include <stdint.h>

#include "fleet/fleet_frame.h"

enum { FLEET_WINDOW_NUMBERS = 1024 };

struct fleet_window {	/* zeroed: a new session. Keep `epoch` over sessions. */
	uint64_t epoch; /* the highest seen */
	uint64_t highest;
	uint64_t taken[FLEET_WINDOW_NUMBERS / 64];
};

/* Forgets the numbers, for a new session, but not the epoch. */
void fleet_window_clear(struct fleet_window *window);
/*
 * Returns FLEET_REQUEST if it is taken, now and never again; else FLEET_STALE_HUB or
 * FLEET_REPLAYED.
 */
enum fleet_frame_kind fleet_window_take(struct fleet_window *window, uint64_t epoch,
					uint64_t number);
