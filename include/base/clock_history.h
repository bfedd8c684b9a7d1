/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clock history: what the wall clock would say now had nobody set it since. A moment that
 * was stored by the wall clock of this boot can so be compared with now.
 */
#ifndef BASE_CLOCK_HISTORY_H
#define BASE_CLOCK_HISTORY_H

#include <stdint.h>

enum { CLOCK_HISTORY_MAX = 8 };

struct clock_history {			      /* zeroed: nothing is known */
	int64_t epochs_ms[CLOCK_HISTORY_MAX]; /* of clock_boot_ms(), the present first */
	unsigned count;
};

/* To be called before and after a moment that counts: a setting between is found. */
void clock_history_update(struct clock_history *history);

/* By the clock as it was `place` settings ago (0: as it is), place < count. */
int64_t clock_history_now_ms(const struct clock_history *history, unsigned place);

#endif
