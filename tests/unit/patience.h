/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * How long to wait for a condition: multiplied by LAB_TIMEOUT_SCALE, as in tests/modem/patience.py.
 * Only for what a test gives up after, never for what it asserts to last that long.
 */

#include <stdint.h>
#include <stdlib.h>

static inline int64_t patience_ms(int64_t ms)
{
	const char *scale = getenv("LAB_TIMEOUT_SCALE");

	return scale ? (int64_t)((double)ms * strtod(scale, NULL)) : ms;
}

static inline uint64_t patience_us(uint64_t us)
{
	return (uint64_t)patience_ms((int64_t)us);
}
