/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Store, indexes: the IDs of messages whose text, kind and time may match. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;
struct store_listing_filter;

/* IDs strictly between the two */
struct store_search_range {
	int64_t after_id;
	int64_t before_id;
};

enum { STORE_SEARCH_MOST = 256 };

/* Which of the two indexes a filter uses. */
enum store_search_index { STORE_SEARCH_NONE, STORE_SEARCH_TEXT, STORE_SEARCH_KIND };

enum store_search_index store_search_choose(const struct store_listing_filter *filter);

/* Finds the first ID that the index contains; INT64_MAX if there is none. Returns 0 or -errno. */
int store_search_first(struct store *store, enum store_search_index index,
		       int64_t *id_out);

struct store_search_found {
	int64_t ids[STORE_SEARCH_MOST]; /* in the order of the search */
	size_t count;
	bool is_whole; /* the range has no others */
};

/*
 * Finds the next IDs of the range. Without is_sharded it gives up after some milliseconds, with
 * what it has. With is_sharded it does not: the range is within one shard. Returns 0 or -errno.
 */
struct store_search {
	const struct store_listing_filter *filter;
	enum store_search_index index;
	bool is_upward;
	bool is_sharded;
	struct store_search_range range;
};

int store_search_run(struct store *store, const struct store_search *search,
		     struct store_search_found *found_out);

/*
 * Narrows the range to the next shard. Returns 0, STORE_E_NOT_FOUND if no message is left, or
 * -errno.
 */
int store_search_narrow_shard(struct store *store, bool is_upward,
			      struct store_search_range *range);

/*
 * Narrows the range to the next IDs, downwards or upwards, whose messages may be within the times
 * of the filter: at most `blocks` blocks of known times. All IDs that it passes over are outside
 * the times. Returns 0, STORE_E_NOT_FOUND if no ID is left, or -errno.
 */
int store_search_narrow_times(struct store *store,
			      const struct store_listing_filter *filter, bool is_upward,
			      int blocks, struct store_search_range *range);
