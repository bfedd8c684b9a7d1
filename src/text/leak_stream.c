/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each way to read a stream writes another stream, which is then searched like the first.
 * What is rare by chance may be read in more ways than what is not: pairs of pieces, skipped
 * symbols and shifted digits count for codes of six symbols or more.
 */
#include "text/leak.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	LEAK_STREAM_ROOM = 512,
	LEAK_STREAM_PIECES = 96, /* more are not paired */
	LEAK_STREAM_SKIPS_MOST = 3,
	LEAK_STREAM_TURNED = 12,  /* symbols of the longest code that is looked for so */
	LEAK_STREAM_WINDOWS = 64, /* more are not turned */
	LEAK_STREAM_PLACES = 12,
	LEAK_STREAM_BARRIER = '\1',
};

void leak_stream_init(struct leak_stream *stream)
{
	*stream = (struct leak_stream){ .has_begun = true };
}

void leak_stream_deinit(struct leak_stream *stream)
{
	free(stream->symbols);
	free(stream->begins);
	free(stream->own);
	free(stream->dates);
}

void leak_stream_clear(struct leak_stream *stream)
{
	stream->count = stream->solid = 0;
	stream->has_begun = true;
}

static bool leak_stream_resize(void **memory, size_t size)
{
	void *larger = realloc(*memory, size);

	if (larger)
		*memory = larger;
	return larger;
}

/* Makes room for one more and for the end. */
static bool leak_stream_grow(struct leak_stream *stream)
{
	size_t room = stream->room ? 2 * stream->room : LEAK_STREAM_ROOM;

	if (stream->count + 2 <= stream->room)
		return true;
	if (!stream->failed && leak_stream_resize((void **)&stream->symbols, room) &&
	    leak_stream_resize((void **)&stream->begins, room * sizeof(bool)) &&
	    leak_stream_resize((void **)&stream->own, room * sizeof(bool)) &&
	    leak_stream_resize((void **)&stream->dates, room))
		stream->room = room;
	else
		stream->failed = true;
	return !stream->failed;
}

static void leak_stream_add(struct leak_stream *stream, char symbol, bool is_own,
			    unsigned char date)
{
	size_t at = stream->count;

	if (!leak_stream_grow(stream))
		return;
	stream->symbols[at] = symbol;
	stream->begins[at] = stream->has_begun;
	stream->begins[at + 1] = true;
	stream->own[at] = is_own;
	stream->dates[at] = date;
	stream->has_begun = false;
	stream->count++;
	stream->solid += symbol != LEAK_STREAM_BARRIER;
}

void leak_stream_begin(struct leak_stream *stream)
{
	stream->has_begun = true;
}

void leak_stream_put(struct leak_stream *stream, char symbol,
		     const struct leak_text_piece *piece)
{
	leak_stream_add(stream, symbol, piece->is_own, piece->date);
}

void leak_stream_put_number(struct leak_stream *stream, unsigned long long value,
			    const struct leak_text_piece *piece)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", value);
	leak_stream_begin(stream);
	for (const char *at = digits; *at; at++)
		leak_stream_add(stream, *at, piece->is_own, 0);
	leak_stream_begin(stream);
}

void leak_stream_put_barrier(struct leak_stream *stream)
{
	if (stream->count && stream->symbols[stream->count - 1] == LEAK_STREAM_BARRIER)
		return;
	leak_stream_begin(stream);
	leak_stream_add(stream, LEAK_STREAM_BARRIER, false, 0);
	leak_stream_begin(stream);
}

/* ---- pieces -------------------------------------------------------------------------- */

static size_t leak_stream_piece_end(const struct leak_stream *stream, size_t from)
{
	size_t end = from + 1;

	while (end < stream->count && !stream->begins[end])
		end++;
	return end;
}

static void leak_stream_copy(struct leak_stream *to, const struct leak_stream *from,
			     size_t at)
{
	leak_stream_add(to, from->symbols[at], from->own[at], from->dates[at]);
}

static void leak_stream_copy_piece(struct leak_stream *to, const struct leak_stream *from,
				   size_t at)
{
	leak_stream_begin(to);
	for (size_t end = leak_stream_piece_end(from, at); at < end; at++)
		leak_stream_copy(to, from, at);
	leak_stream_begin(to);
}

/* Returns where the pieces begin; at most LEAK_STREAM_PIECES, the last ones. */
static size_t leak_stream_pieces(const struct leak_stream *stream,
				 size_t pieces[LEAK_STREAM_PIECES])
{
	size_t count = 0, skip, at;

	for (at = 0; at < stream->count; at++)
		count += stream->begins[at];
	skip = count > LEAK_STREAM_PIECES ? count - LEAK_STREAM_PIECES : 0;
	count = 0;
	for (at = 0; at < stream->count; at++) {
		if (!stream->begins[at])
			continue;
		if (skip > 0)
			skip--;
		else
			pieces[count++] = at;
	}
	return count;
}

/* ---- searching ----------------------------------------------------------------------- */

static bool leak_stream_finds(const struct leak_stream *stream,
			      const struct leak_stream_search *search)
{
	const struct code_index_stream code_stream = {
		.kind = search->kind,
		.symbols = stream->symbols,
		.begins = stream->begins,
		.dates = stream->dates,
		.count = stream->count,
		.own = stream->own,
		.least = search->least,
		.whole_only = search->whole_only || search->has_earlier,
		.dates_count = search->dates_count,
	};

	return stream->failed ||
	       (stream->count && code_index_search(search->index, &code_stream));
}

/* Returns the same search for codes that whole pieces make up. */
static struct leak_stream_search leak_stream_whole(struct leak_stream_search search)
{
	search.whole_only = true;
	return search;
}

/* Returns the same search for codes so long that a find is no coincidence. */
static struct leak_stream_search leak_stream_sure(struct leak_stream_search search)
{
	if (search.least < CODE_INDEX_SURE)
		search.least = CODE_INDEX_SURE;
	return search;
}

static bool leak_stream_has_backwards(const struct leak_stream *stream,
				      const struct leak_stream_search *search,
				      struct leak_stream *other)
{
	leak_stream_clear(other);
	for (size_t at = stream->count; at > 0; at--) {
		if (stream->begins[at])
			leak_stream_begin(other);
		leak_stream_copy(other, stream, at - 1);
	}
	return leak_stream_finds(other, search);
}

/* Looks at the pieces backwards, each of them forwards: "13 29 48". */
static bool leak_stream_has_pieces_backwards(const struct leak_stream *stream,
					     const struct leak_stream_search *search,
					     struct leak_stream *other)
{
	leak_stream_clear(other);
	for (size_t at = stream->count; at > 0; at--) {
		if (stream->begins[at - 1])
			leak_stream_copy_piece(other, stream, at - 1);
	}
	return leak_stream_finds(other, search);
}

/* Looks at two pieces that stand beside each other, the second first. */
static bool leak_stream_has_swapped(const struct leak_stream *stream,
				    const struct leak_stream_search *search,
				    struct leak_stream *other)
{
	const struct leak_stream_search whole = leak_stream_whole(*search);

	leak_stream_clear(other);
	for (size_t at = 0; at < stream->count; at = leak_stream_piece_end(stream, at)) {
		size_t second = leak_stream_piece_end(stream, at);

		if (second >= stream->count)
			break;
		leak_stream_copy_piece(other, stream, second);
		leak_stream_copy_piece(other, stream, at);
		leak_stream_put_barrier(other);
	}
	return leak_stream_finds(other, &whole);
}

static bool leak_stream_has_skipping(const struct leak_stream *stream,
				     const struct leak_stream_search *search,
				     struct leak_stream *other)
{
	const struct leak_stream_search sure = leak_stream_sure(*search);

	for (size_t step = 2; step <= LEAK_STREAM_SKIPS_MOST; step++) {
		for (size_t first = 0; first < step; first++) {
			leak_stream_clear(other);
			for (size_t at = first; at < stream->count; at += step)
				leak_stream_copy(other, stream, at);
			if (leak_stream_finds(other, &sure) && !search->has_earlier)
				return true;
		}
	}
	return false;
}

static bool leak_stream_has_skipping_pieces(const struct leak_stream *stream,
					    const struct leak_stream_search *search,
					    struct leak_stream *other)
{
	size_t pieces[LEAK_STREAM_PIECES], count = leak_stream_pieces(stream, pieces);
	const struct leak_stream_search whole = leak_stream_whole(*search);

	for (size_t step = 2; step <= LEAK_STREAM_SKIPS_MOST; step++) {
		for (size_t first = 0; first < step; first++) {
			leak_stream_clear(other);
			for (size_t at = first; at < count; at += step)
				leak_stream_copy_piece(other, stream, pieces[at]);
			if (leak_stream_finds(other, &whole))
				return true;
		}
	}
	return false;
}

static bool leak_stream_is_pair(const struct leak_stream *stream,
				const struct leak_stream_search *search, size_t one,
				size_t two)
{
	size_t length = leak_stream_piece_end(stream, one) - one +
			leak_stream_piece_end(stream, two) - two;

	return one != two && (stream->own[one] || stream->own[two]) &&
	       code_index_has_length(search->index, search->kind, length);
}

static bool leak_stream_has_pair(const struct leak_stream *stream,
				 const struct leak_stream_search *search,
				 struct leak_stream *other)
{
	size_t pieces[LEAK_STREAM_PIECES], count = leak_stream_pieces(stream, pieces);
	const struct leak_stream_search sure =
		leak_stream_sure(leak_stream_whole(*search));

	leak_stream_clear(other);
	for (size_t one = 0; one < count; one++) {
		for (size_t two = 0; two < count; two++) {
			if (!leak_stream_is_pair(stream, search, pieces[one],
						 pieces[two]))
				continue;
			leak_stream_copy_piece(other, stream, pieces[one]);
			leak_stream_copy_piece(other, stream, pieces[two]);
			leak_stream_put_barrier(other);
		}
	}
	return leak_stream_finds(other, &sure);
}

/* Looks at three pieces that follow each other, in any order. */
static bool leak_stream_has_shuffled(const struct leak_stream *stream,
				     const struct leak_stream_search *search,
				     struct leak_stream *other)
{
	static const unsigned char orders[][3] = {
		{ 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }
	};
	size_t pieces[LEAK_STREAM_PIECES], count = leak_stream_pieces(stream, pieces);
	const struct leak_stream_search sure =
		leak_stream_sure(leak_stream_whole(*search));

	leak_stream_clear(other);
	for (size_t at = 0; at + 2 < count; at++) {
		for (size_t order = 0; order < sizeof(orders) / sizeof(*orders);
		     order++) {
			for (size_t i = 0; i < 3; i++)
				leak_stream_copy_piece(other, stream,
						       pieces[at + orders[order][i]]);
			leak_stream_put_barrier(other);
		}
	}
	return leak_stream_finds(other, &sure);
}

/*
 * Looks for a number added to each digit, or each digit subtracted from it, without carrying. Only
 * pieces of one length count together: there are twenty ways, and any six digits might be meant.
 */
static bool leak_stream_has_shifted(const struct leak_stream *stream,
				    const struct leak_stream_search *search,
				    struct leak_stream *other)
{
	const struct leak_stream_search sure =
		leak_stream_sure(leak_stream_whole(*search));

	for (int by = 0; by < 20; by++) {
		int sign = by < 10 ? 1 : -1;
		size_t last = 0;

		leak_stream_clear(other);
		for (size_t at = 0; at < stream->count; at++) {
			int digit = stream->symbols[at] - '0';
			size_t length = 0;

			if (stream->begins[at])
				length = leak_stream_piece_end(stream, at) - at;
			if (length && length != last)
				leak_stream_put_barrier(other);
			last = length ? length : last;
			other->has_begun = stream->begins[at];
			leak_stream_add(
				other,
				digit < 0 || digit > 9
					? stream->symbols[at]
					: (char)('0' + (by + 10 + sign * digit) % 10),
				stream->own[at], stream->dates[at]);
		}
		if (leak_stream_finds(other, &sure))
			return true;
	}
	return false;
}

/*
 * Returns the place from which symbol `at` of `length` is read: halves with the first, the second
 * or both backwards, pairs swapped, from outside in and inside out, even ones behind odd ones and
 * the reverse of that, then each rotation. Returns `length` if `order` is not one of them.
 */
static size_t leak_stream_place(unsigned order, size_t at, size_t length)
{
	size_t half = length / 2, odd = (length + 1) / 2;

	switch (order) {
	case 0:
		return at < half ? half - 1 - at : at;
	case 1:
		return at < half ? at : length - 1 - (at - half);
	case 2:
		return at < half ? half - 1 - at : length - 1 - (at - half);
	case 3:
		return at == (length - 1) && length % 2 ? at : at ^ 1;
	case 4: /* written from outside in: 1 6 2 5 3 4 */
		return at < odd ? 2 * at : 2 * (length - 1 - at) + 1;
	case 5: /* 6 1 5 2 4 3 */
		return at < half ? 2 * at + 1 : 2 * (length - 1 - at);
	case 6: /* from inside out: 4 3 5 2 6 1 */
		return at < half ? 2 * (half - 1 - at) + 1 : 2 * (at - half);
	case 7: /* 3 4 2 5 1 6 */
		return at < odd ? 2 * (odd - 1 - at) : 2 * (at - odd) + 1;
	case 8: /* odd places first */
		return at % 2 ? odd + at / 2 : at / 2;
	case 9: /* even places first */
		return at % 2 ? at / 2 : half + at / 2;
	case 10:
		return at < odd ? 2 * at : 2 * (at - odd) + 1;
	case 11:
		return at < half ? 2 * at + 1 : 2 * (at - half);
	default:
		return order - 11 < length ? (at + order - 11) % length : length;
	}
}

/* Looks at whole pieces that have as many symbols as a long code, in each order of the above. */
static bool leak_stream_has_turned(const struct leak_stream *stream,
				   const struct leak_stream_search *search,
				   struct leak_stream *other)
{
	const struct leak_stream_search sure =
		leak_stream_sure(leak_stream_whole(*search));
	size_t windows = 0;

	leak_stream_clear(other);
	for (size_t from = 0; from < stream->count && windows < LEAK_STREAM_WINDOWS;
	     from = leak_stream_piece_end(stream, from)) {
		for (size_t length = CODE_INDEX_SURE; length <= LEAK_STREAM_TURNED;
		     length++) {
			if (from + length > stream->count ||
			    !stream->begins[from + length] ||
			    !code_index_has_length(search->index, search->kind, length))
				continue;
			windows++;
			for (unsigned order = 0;
			     leak_stream_place(order, 0, length) < length; order++) {
				for (size_t at = 0; at < length; at++)
					leak_stream_copy(
						other, stream,
						from + leak_stream_place(order, at,
									 length));
				leak_stream_put_barrier(other);
			}
		}
	}
	return leak_stream_finds(other, &sure);
}

/* Returns the number that is written in a piece of one or two digits; 0 if it is another piece. */
static size_t leak_stream_place_named(const struct leak_stream *stream, size_t at)
{
	size_t length = leak_stream_piece_end(stream, at) - at, place = 0;

	for (size_t i = 0; i < length; i++) {
		char symbol = stream->symbols[at + i];

		if (length > 2 || symbol < '0' || symbol > '9')
			return 0;
		place = 10 * place + (size_t)(symbol - '0');
	}
	return place;
}

/*
 * Writes "digit 3 is 2, digit 1 is 4, ...": of each two pieces one is the place of the other (if
 * `shift` is 0, the first). Writes them in the order of the places if these are 1 to `count`.
 */
static void leak_stream_write_places(const struct leak_stream *stream,
				     const size_t *pieces, size_t count, size_t shift,
				     struct leak_stream *other)
{
	size_t ordered[LEAK_STREAM_PLACES];
	unsigned seen = 0;

	for (size_t i = 0; i < count; i++) {
		size_t place = leak_stream_place_named(stream, pieces[2 * i + shift]);

		if (place < 1 || place > count || seen >> place & 1)
			return;
		seen |= 1u << place;
		ordered[place - 1] = pieces[2 * i + 1 - shift];
	}
	for (size_t i = 0; i < count; i++)
		leak_stream_copy_piece(other, stream, ordered[i]);
	leak_stream_put_barrier(other);
}

static bool leak_stream_has_places(const struct leak_stream *stream,
				   const struct leak_stream_search *search,
				   struct leak_stream *other)
{
	size_t pieces[LEAK_STREAM_PIECES], count = leak_stream_pieces(stream, pieces);
	const struct leak_stream_search whole = leak_stream_whole(*search);

	leak_stream_clear(other);
	for (size_t from = 0; from < count; from++) {
		for (size_t pairs = 2;
		     pairs <= LEAK_STREAM_PLACES && from + 2 * pairs <= count; pairs++) {
			leak_stream_write_places(stream, pieces + from, pairs, 0, other);
			leak_stream_write_places(stream, pieces + from, pairs, 1, other);
		}
	}
	return leak_stream_finds(other, &whole);
}

bool leak_stream_has_code(const struct leak_stream *stream,
			  const struct leak_stream_search *search)
{
	struct leak_stream other;
	bool found;

	if (!stream->failed && (stream->solid < CODE_INDEX_LEAST ||
				!code_index_has_length(search->index, search->kind, 0)))
		return false;
	leak_stream_init(&other);
	found = stream->failed || leak_stream_finds(stream, search) ||
		leak_stream_has_backwards(stream, search, &other) ||
		leak_stream_has_pieces_backwards(stream, search, &other) ||
		leak_stream_has_swapped(stream, search, &other);
	if (!found && search->ways & LEAK_STREAM_SKIPS)
		found = leak_stream_has_skipping(stream, search, &other) ||
			leak_stream_has_skipping_pieces(stream, search, &other);
	if (!found && search->ways & LEAK_STREAM_PAIRS)
		found = leak_stream_has_pair(stream, search, &other) ||
			leak_stream_has_shuffled(stream, search, &other);
	if (!found && search->ways & LEAK_STREAM_ORDERS)
		found = leak_stream_has_turned(stream, search, &other) ||
			leak_stream_has_places(stream, search, &other);
	if (!found && search->ways & LEAK_STREAM_SHIFTS &&
	    !code_index_is_crowded(search->index))
		found = leak_stream_has_shifted(stream, search, &other);
	leak_stream_deinit(&other);
	return found;
}
