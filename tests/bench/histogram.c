/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "histogram.h"

#include <stddef.h>

enum {
	COUNT = HISTOGRAM_DOUBLINGS * HISTOGRAM_PARTS,
	PARTS_BITS = 6,
	EXACT = 2 * HISTOGRAM_PARTS, /* each of these values has its own box */
};

static size_t box_of(uint64_t value)
{
	size_t doublings, box;

	if (value < EXACT)
		return value;
	doublings = (size_t)(63 - __builtin_clzll(value) - PARTS_BITS);
	box = doublings * HISTOGRAM_PARTS + (value >> doublings);
	return box < COUNT ? box : COUNT - 1;
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->boxes[box_of(value)]++;
	histogram->count++;
}

static double upper_edge(size_t box)
{
	size_t doublings;

	if (box < EXACT)
		return (double)box;
	doublings = box / HISTOGRAM_PARTS - 1;
	return (double)((uint64_t)(box - doublings * HISTOGRAM_PARTS + 1) << doublings);
}

double histogram_percentile(const struct histogram *histogram, double part)
{
	double wanted = part * (double)histogram->count;
	uint64_t seen = 0;

	for (size_t box = 0; box < COUNT; box++) {
		seen += histogram->boxes[box];
		if (histogram->boxes[box] && (double)seen >= wanted)
			return upper_edge(box);
	}
	return 0;
}
