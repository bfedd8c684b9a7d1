/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks that stand at now_ms until the test moves it. */
#pragma once

#include "base/clock.h"

static int64_t now_ms;

static inline int64_t fake_clock_now(void)
{
	return now_ms;
}

static inline void fake_clock_begin(int64_t at_ms)
{
	static const struct clock_source source = { .monotonic_ms = fake_clock_now,
						    .wall_ms = fake_clock_now };

	now_ms = at_ms;
	clock_set_source(&source);
}

static inline int fake_clock_end(void **state)
{
	clock_set_source(NULL);
	return 0;
}
