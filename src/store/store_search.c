/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table message_text has for each piece of three characters the IDs of the messages that
 * contain it. A search asks for the messages that have some pieces of its phrase, and the
 * listing compares each text with the phrase itself: so the answers are the same without the table
 * (tests/unit/test_store_search.c).
 *
 *   all shards at once --- found some or all --> the listing goes on behind them
 *          |
 *          +--- nothing within BUDGET_MS: each piece is common, the phrase is not
 *                                          --> one shard at a time
 *
 * FTS5 goes through the messages of the rarest piece, and cannot be told to stop at an ID. So
 * each text also ends with the name of its shard, of 16,384 IDs, which is a piece of its own:
 * with that in the question, FTS5 stops at the end of the shard.
 */
#include "store/store_search.h"

#include <errno.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "store/store_internal.h"
#include "store/store_listing.h"
#include "store/store_schema_index.h"

enum {
	PIECE = 3, /* characters */
	PIECES_MOST = 16,
	BUDGET_MS = 3,
	BUDGET_STEPS =
		32, /* of SQLite's virtual machine, between two looks at the clock */
	SHARD_FIRST = 0x4e00,
	SHARD_SECOND = 0x100,
	SHARD_BITS = 7,
	SHARD_MASK = 0x3fff,
};

enum store_search_index store_search_choose(const struct store_listing_filter *filter)
{
	if (filter->search && utf8_count(filter->search) >= PIECE)
		return STORE_SEARCH_TEXT;
	return filter->kind ? STORE_SEARCH_KIND : STORE_SEARCH_NONE;
}

int store_search_first(struct store *store, enum store_search_index index,
		       int64_t *id_out)
{
	*id_out = INT64_MAX;
	return store_read_integer(store,
				  store_use(store, index == STORE_SEARCH_TEXT
							   ? INDEX_TEXT_FROM
							   : INDEX_KIND_FROM),
				  id_out);
}

/* ---- the question to FTS5 */

/*
 * In quotes, the characters whose bit is in `others` in their other case. Letters of ASCII are
 * small in the table, so they become small here.
 */
static void store_search_put_spelling(struct buffer *question, const char *piece,
				      unsigned others)
{
	buffer_append_text(question, "\"");
	for (unsigned i = 0; i < PIECE; i++) {
		uint32_t character = utf8_next(&piece);
		char octets[4];

		if (others & 1u << i || (character >= 'A' && character <= 'Z'))
			character = utf8_other_case(character);
		buffer_append(question, octets, utf8_write(character, octets));
		if (character == '"')
			buffer_append_text(question, "\"");
	}
	buffer_append_text(question, "\"");
}

/* Returns the bits of those characters beyond ASCII that are capital or small. */
static unsigned store_search_cased(const char *piece)
{
	unsigned cased = 0;

	for (unsigned i = 0; i < PIECE; i++) {
		uint32_t character = utf8_next(&piece);

		if (character >= 0x80 && utf8_other_case(character) != character)
			cased |= 1u << i;
	}
	return cased;
}

/* Asks for the piece in every case that the table may have it in. */
static void store_search_put_piece(struct buffer *question, const char *piece)
{
	unsigned cased = store_search_cased(piece), others = cased;

	buffer_append_text(question, question->length ? " AND (" : "(");
	store_search_put_spelling(question, piece, others);
	while (others) {
		others = (others - 1) & cased;
		buffer_append_text(question, " OR ");
		store_search_put_spelling(question, piece, others);
	}
	buffer_append_text(question, ")");
}

/* Writes the name of the shard as in STORE_INDEXED_TEXT. */
static void store_search_put_shard(struct buffer *question, int64_t id)
{
	int64_t shard = id >> STORE_SHARD_SHIFT;
	char name[1 + 2 * 4 + 1] = "\1";
	size_t length = 1;

	length += utf8_write((uint32_t)(SHARD_FIRST + (shard >> SHARD_BITS & SHARD_MASK)),
			     name + length);
	length += utf8_write((uint32_t)(SHARD_SECOND + (shard & ((1 << SHARD_BITS) - 1))),
			     name + length);
	name[length] = '\0';
	buffer_append_text(question, " AND ");
	store_search_put_spelling(question, name, 0);
}

/* Asks for pieces side by side, and the last one; some are left out of a long phrase. */
static void store_search_ask(const struct store_search *search, struct buffer *question)
{
	const char *phrase = search->filter->search;
	size_t last = utf8_count(phrase) - PIECE;
	size_t step = (last + PIECES_MOST - 2) / (PIECES_MOST - 1);

	if (step < PIECE)
		step = PIECE;
	for (size_t place = 0; place < last; place += step)
		store_search_put_piece(question, phrase + utf8_cut(phrase, place));
	store_search_put_piece(question, phrase + utf8_cut(phrase, last));
	if (search->is_sharded)
		store_search_put_shard(question, search->range.after_id + 1);
	buffer_append(question, "", 1);
}

/* ---- running it */

static int store_search_is_over(void *data)
{
	const int64_t *end_ms = data;

	return clock_monotonic_ms() >= *end_ms;
}

static int store_search_collect(struct store *store, const struct store_search *search,
				sqlite3_stmt *statement, struct store_search_found *found)
{
	int64_t end_ms = clock_monotonic_ms() + BUDGET_MS;
	int result = SQLITE_ROW;

	if (!search->is_sharded)
		sqlite3_progress_handler(store->database, BUDGET_STEPS,
					 store_search_is_over, &end_ms);
	while (found->count < STORE_SEARCH_MOST &&
	       (result = sqlite3_step(statement)) == SQLITE_ROW)
		found->ids[found->count++] = sqlite3_column_int64(statement, 0);
	sqlite3_progress_handler(store->database, 0, NULL, NULL);
	found->is_whole = result == SQLITE_DONE;
	return store_finish(store, statement,
			    (result & 0xff) == SQLITE_INTERRUPT ? SQLITE_DONE : result);
}

static int store_search_run_text(struct store *store, const struct store_search *search,
				 struct store_search_found *found)
{
	struct buffer question = BUFFER_INIT;
	sqlite3_stmt *statement;
	int error;

	store_search_ask(search, &question);
	if (question.failed) {
		buffer_deinit(&question);
		return -ENOMEM;
	}
	statement = store_use(store, search->is_upward ? TEXT_FOUND_UP : TEXT_FOUND);
	store_bind_integers(statement, 1, search->range.after_id,
			    search->range.before_id);
	store_bind_text(statement, 3, question.data);
	error = store_search_collect(store, search, statement, found);
	buffer_deinit(&question);
	return error;
}

static int store_search_run_kind(struct store *store, const struct store_search *search,
				 struct store_search_found *found)
{
	sqlite3_stmt *statement =
		store_use(store, search->is_upward ? KIND_FOUND_UP : KIND_FOUND);

	store_bind_integers(statement, 1, search->range.after_id, search->range.before_id,
			    search->filter->kind);
	return store_search_collect(store, search, statement, found);
}

int store_search_run(struct store *store, const struct store_search *search,
		     struct store_search_found *found_out)
{
	found_out->count = 0;
	if (search->index == STORE_SEARCH_TEXT)
		return store_search_run_text(store, search, found_out);
	return store_search_run_kind(store, search, found_out);
}

int store_search_narrow_shard(struct store *store, bool is_upward,
			      struct store_search_range *range)
{
	int64_t newest = 0, shard;
	int error = store_message_newest(store, &newest);

	if (error)
		return error;
	if (range->before_id > newest + 1)
		range->before_id = newest + 1;
	if (range->after_id < 0)
		range->after_id = 0;
	if (range->before_id - range->after_id < 2)
		return STORE_E_NOT_FOUND;
	if (is_upward) {
		shard = (range->after_id + 1) >> STORE_SHARD_SHIFT;
		if (range->before_id > (shard + 1) << STORE_SHARD_SHIFT)
			range->before_id = (shard + 1) << STORE_SHARD_SHIFT;
	} else {
		shard = (range->before_id - 1) >> STORE_SHARD_SHIFT;
		if (range->after_id < (shard << STORE_SHARD_SHIFT) - 1)
			range->after_id = (shard << STORE_SHARD_SHIFT) - 1;
	}
	return 0;
}

/* ---- times of blocks */

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
struct store_search_bounds {
	int64_t lowest;	 /* 0 when there are none */
	int64_t highest; /* -1 when there are none */
};

static int store_search_read_bounds(struct store *store,
				    struct store_search_bounds *bounds)
{
	int error;

	*bounds = (struct store_search_bounds){ 0, -1 };
	error = store_read_integer(store, store_use(store, SPAN_LOWEST), &bounds->lowest);
	if (!error)
		error = store_read_integer(store, store_use(store, SPAN_HIGHEST),
					   &bounds->highest);
	return error;
}

/* *block_out is -1 if there is none. `edge` is a block, `end` bounds the search. */
static int store_search_find_block(struct store *store, enum store_sql_id which,
				   const struct store_listing_filter *filter,
				   int64_t edge, int64_t end, int64_t *block_out)
{
	sqlite3_stmt *statement = store_use(store, which);

	store_bind_integers(statement, 1, edge,
			    filter->since_ms ? filter->since_ms : INT64_MIN,
			    filter->until_ms ? filter->until_ms : INT64_MAX, end);
	*block_out = -1;
	return store_read_integer(store, statement, block_out);
}

static int64_t store_search_first_id(int64_t block)
{
	return block << STORE_SPAN_SHIFT;
}

static void store_search_keep_above(struct store_search_range *range, int64_t block)
{
	int64_t after_id = store_search_first_id(block) - 1;

	if (after_id > range->after_id)
		range->after_id = after_id;
}

static void store_search_keep_below(struct store_search_range *range, int64_t block)
{
	int64_t before_id = store_search_first_id(block);

	if (before_id < range->before_id)
		range->before_id = before_id;
}

static int store_search_narrow_down(struct store *store,
				    const struct store_listing_filter *filter, int blocks,
				    const struct store_search_bounds *bounds,
				    struct store_search_range *range)
{
	int64_t top = (range->before_id - 1) >> STORE_SPAN_SHIFT, hit, miss;
	int error;

	if (top > bounds->highest) {
		store_search_keep_above(range, bounds->highest + 1);
		return 0;
	}
	if (top < bounds->lowest)
		return 0;
	error = store_search_find_block(store, SPAN_WITHIN_BELOW, filter, top, 0, &hit);
	if (error)
		return error;
	store_search_keep_below(range, hit < 0 ? bounds->lowest : hit + 1);
	if (hit < 0)
		return 0;
	error = store_search_find_block(store, SPAN_OUTSIDE_BELOW, filter, hit,
					hit - blocks, &miss);
	if (!error)
		store_search_keep_above(range, miss >= 0      ? miss + 1
					       : hit > blocks ? hit - blocks + 1
							      : 0);
	return error;
}

static int store_search_narrow_up(struct store *store,
				  const struct store_listing_filter *filter, int blocks,
				  const struct store_search_bounds *bounds,
				  struct store_search_range *range)
{
	int64_t bottom = (range->after_id + 1) >> STORE_SPAN_SHIFT, hit, miss;
	int error;

	if (bottom > bounds->highest)
		return 0;
	if (bottom < bounds->lowest) {
		store_search_keep_below(range, bounds->lowest);
		return 0;
	}
	error = store_search_find_block(store, SPAN_WITHIN_ABOVE, filter, bottom, 0,
					&hit);
	if (error)
		return error;
	store_search_keep_above(range, hit < 0 ? bounds->highest + 1 : hit);
	if (hit < 0)
		return 0;
	error = store_search_find_block(store, SPAN_OUTSIDE_ABOVE, filter, hit,
					hit + blocks, &miss);
	if (!error)
		store_search_keep_below(range, miss >= 0 ? miss : hit + blocks);
	return error;
}

int store_search_narrow_times(struct store *store,
			      const struct store_listing_filter *filter, bool is_upward,
			      int blocks, struct store_search_range *range)
{
	struct store_search_bounds bounds;
	int error = 0;

	if (filter->since_ms || filter->until_ms) {
		error = store_search_read_bounds(store, &bounds);
		if (!error)
			error = is_upward
					? store_search_narrow_up(store, filter, blocks,
								 &bounds, range)
					: store_search_narrow_down(store, filter, blocks,
								   &bounds, range);
	}
	if (error)
		return error;
	return range->before_id - range->after_id > 1 ? 0 : STORE_E_NOT_FOUND;
}
