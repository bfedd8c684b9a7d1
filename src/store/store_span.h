/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Store, times of blocks: which IDs a time window may have. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct store;
struct store_listing_filter;

/* IDs strictly between the two */
struct store_span_range {
	int64_t after_id;
	int64_t before_id;
};

/*
 * Narrows the range to the next IDs, downwards or upwards, whose messages may be within the times
 * of the filter: at most `blocks` blocks of known times. All IDs that it passes over are outside
 * the times. Returns 0, STORE_E_NOT_FOUND if no ID is left, or -errno.
 */
int store_span_narrow(struct store *store, const struct store_listing_filter *filter,
		      bool is_upward, int blocks, struct store_span_range *range);
