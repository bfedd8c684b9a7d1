/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times, counted in boxes whose width is 1/64 of their value: percentiles of any number
 * of times in little memory, at most 1.6 % too high. */
#pragma once

#include <stdint.h>

enum { HISTOGRAM_PARTS = 64, HISTOGRAM_DOUBLINGS = 40 };

struct histogram {
	uint64_t count;
	uint64_t boxes[HISTOGRAM_DOUBLINGS * HISTOGRAM_PARTS];
};

void histogram_add(struct histogram *histogram, uint64_t value);

/* The upper edge of the box that holds this quantile (0 to 1); 0 if there are no times. */
double histogram_percentile(const struct histogram *histogram, double part);
