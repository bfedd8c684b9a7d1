/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table message_span has the first and the last time of each block of 256 IDs, so that a
 * time window passes over blocks that have none of its messages. Clocks jump, so times are not
 * in the order of IDs, and a block counts when its times and the window overlap; the time of
 * each message is still compared.
 *
 * A trigger adds a block when the first message behind it is stored, and store_index.c adds
 * those of an older version from the newest down to the oldest. So between the lowest and the
 * highest block every block with messages is there; below and above, all blocks may have
 * messages of the window. Times of messages never change; removed messages leave times that
 * are too wide.
 */
#include "store/store_span.h"

#include "store/store_internal.h"
#include "store/store_listing.h"
#include "store/store_schema_index.h"

struct store_span_bounds {
	int64_t lowest;	 /* 0 when there are none */
	int64_t highest; /* -1 when there are none */
};

static int store_span_read_bounds(struct store *store, struct store_span_bounds *bounds)
{
	int error;

	*bounds = (struct store_span_bounds){ 0, -1 };
	error = store_read_integer(store, store_use(store, SPAN_LOWEST), &bounds->lowest);
	if (!error)
		error = store_read_integer(store, store_use(store, SPAN_HIGHEST),
					   &bounds->highest);
	return error;
}

/* *block_out is -1 if there is none. `edge` is a block, `end` bounds the search. */
static int store_span_find(struct store *store, enum store_sql_id which,
			   const struct store_listing_filter *filter, int64_t edge,
			   int64_t end, int64_t *block_out)
{
	sqlite3_stmt *statement = store_use(store, which);

	store_bind_integers(statement, 1, edge,
			    filter->since_ms ? filter->since_ms : INT64_MIN,
			    filter->until_ms ? filter->until_ms : INT64_MAX, end);
	*block_out = -1;
	return store_read_integer(store, statement, block_out);
}

static int64_t store_span_first_id(int64_t block)
{
	return block << STORE_SPAN_SHIFT;
}

static void store_span_keep_above(struct store_span_range *range, int64_t block)
{
	int64_t after_id = store_span_first_id(block) - 1;

	if (after_id > range->after_id)
		range->after_id = after_id;
}

static void store_span_keep_below(struct store_span_range *range, int64_t block)
{
	int64_t before_id = store_span_first_id(block);

	if (before_id < range->before_id)
		range->before_id = before_id;
}

static int store_span_narrow_down(struct store *store,
				  const struct store_listing_filter *filter, int blocks,
				  const struct store_span_bounds *bounds,
				  struct store_span_range *range)
{
	int64_t top = (range->before_id - 1) >> STORE_SPAN_SHIFT, hit, miss;
	int error;

	if (top > bounds->highest) {
		store_span_keep_above(range, bounds->highest + 1);
		return 0;
	}
	if (top < bounds->lowest)
		return 0;
	error = store_span_find(store, SPAN_WITHIN_BELOW, filter, top, 0, &hit);
	if (error)
		return error;
	store_span_keep_below(range, hit < 0 ? bounds->lowest : hit + 1);
	if (hit < 0)
		return 0;
	error = store_span_find(store, SPAN_OUTSIDE_BELOW, filter, hit, hit - blocks,
				&miss);
	if (!error)
		store_span_keep_above(range, miss >= 0	    ? miss + 1
					     : hit > blocks ? hit - blocks + 1
							    : 0);
	return error;
}

static int store_span_narrow_up(struct store *store,
				const struct store_listing_filter *filter, int blocks,
				const struct store_span_bounds *bounds,
				struct store_span_range *range)
{
	int64_t bottom = (range->after_id + 1) >> STORE_SPAN_SHIFT, hit, miss;
	int error;

	if (bottom > bounds->highest)
		return 0;
	if (bottom < bounds->lowest) {
		store_span_keep_below(range, bounds->lowest);
		return 0;
	}
	error = store_span_find(store, SPAN_WITHIN_ABOVE, filter, bottom, 0, &hit);
	if (error)
		return error;
	store_span_keep_above(range, hit < 0 ? bounds->highest + 1 : hit);
	if (hit < 0)
		return 0;
	error = store_span_find(store, SPAN_OUTSIDE_ABOVE, filter, hit, hit + blocks,
				&miss);
	if (!error)
		store_span_keep_below(range, miss >= 0 ? miss : hit + blocks);
	return error;
}

int store_span_narrow(struct store *store, const struct store_listing_filter *filter,
		      bool is_upward, int blocks, struct store_span_range *range)
{
	struct store_span_bounds bounds;
	int error = 0;

	if (filter->since_ms || filter->until_ms) {
		error = store_span_read_bounds(store, &bounds);
		if (!error)
			error = is_upward ? store_span_narrow_up(store, filter, blocks,
								 &bounds, range)
					  : store_span_narrow_down(store, filter, blocks,
								   &bounds, range);
	}
	if (error)
		return error;
	return range->before_id - range->after_id > 1 ? 0 : STORE_E_NOT_FOUND;
}
