/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times, counted in boxes that are 1/64 of their size wide: percentiles of any number of
 * them in little memory, at most 1.6 % too high.
 */
#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_PARTS = 64, HISTOGRAM_DOUBLINGS = 40 };

struct histogram {
	uint64_t count;
	uint64_t boxes[HISTOGRAM_DOUBLINGS * HISTOGRAM_PARTS];
};

void histogram_add(struct histogram *histogram, uint64_t value);

/* The upper edge of the box in which that part (0 to 1) ends; 0: there is nothing. */
double histogram_percentile(const struct histogram *histogram, double part);

#endif
