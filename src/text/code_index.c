/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A code with six symbols or more counts wherever it stands in a stream: that is no chance. A
 * shorter one must be within one piece ("77482913"), or begin and end with pieces ("48 29"):
 * otherwise one message in fifty would have it by chance, over two prices or a date.
 */
#include "text/code_index.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	CODE_INDEX_SLOTS = 1 << 14,
	CODE_INDEX_CROWD = 200,
};

struct code_index_code {
	struct code_index_code *next; /* in its slot */
	enum code_index_kind kind;
	size_t length;
	char symbols[];
};

struct code_index {
	struct code_index_code *slots[CODE_INDEX_SLOTS];
	bool has_length[2][CODE_INDEX_MOST + 1]; /* of each kind; [0]: any */
	size_t count;
};

struct code_index *code_index_new(void)
{
	return calloc(1, sizeof(struct code_index));
}

void code_index_clear(struct code_index *index)
{
	for (size_t i = 0; i < CODE_INDEX_SLOTS && index->count; i++) {
		while (index->slots[i]) {
			struct code_index_code *code = index->slots[i];

			index->slots[i] = code->next;
			free(code);
		}
	}
	memset(index->has_length, 0, sizeof(index->has_length));
	index->count = 0;
}

void code_index_free(struct code_index *index)
{
	if (!index)
		return;
	code_index_clear(index);
	free(index);
}

static uint32_t code_index_hash(const char *symbols)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < CODE_INDEX_LEAST; i++)
		hash = (hash ^ (unsigned char)symbols[i]) * 16777619u;
	return (hash ^ hash >> 14) % CODE_INDEX_SLOTS;
}

static bool code_index_is(const struct code_index_code *code, enum code_index_kind kind,
			  const char *symbols, size_t length)
{
	return code->kind == kind && code->length == length &&
	       memcmp(code->symbols, symbols, length) == 0;
}

bool code_index_add(struct code_index *index, enum code_index_kind kind,
		    const char *symbols, size_t length)
{
	struct code_index_code *code, **slot;

	if (length < CODE_INDEX_LEAST || length > CODE_INDEX_MOST)
		return true;
	slot = &index->slots[code_index_hash(symbols)];
	for (code = *slot; code; code = code->next) {
		if (code_index_is(code, kind, symbols, length))
			return true;
	}
	code = malloc(sizeof(*code) + length);
	if (!code)
		return false;
	*code = (struct code_index_code){ *slot, kind, length };
	memcpy(code->symbols, symbols, length);
	*slot = code;
	index->has_length[kind][length] = index->has_length[kind][0] = true;
	index->count++;
	return true;
}

bool code_index_is_crowded(const struct code_index *index)
{
	return index->count > CODE_INDEX_CROWD;
}

bool code_index_has_length(const struct code_index *index, enum code_index_kind kind,
			   size_t length)
{
	return length <= CODE_INDEX_MOST && index->has_length[kind][length];
}

bool code_index_is_empty(const struct code_index *index)
{
	return !index->count;
}

char code_index_symbol(char character)
{
	static const char twins[][2] = {
		{ 'o', '0' }, { 'i', '1' }, { 'l', '1' },
		{ 'z', '2' }, { 's', '5' }, { 'b', '8' },
	};

	if (character >= 'A' && character <= 'Z')
		character = (char)(character - 'A' + 'a');
	for (size_t i = 0; i < sizeof(twins) / sizeof(*twins); i++) {
		if (character == twins[i][0])
			return twins[i][1];
	}
	return (character >= 'a' && character <= 'z') ||
			       (character >= '0' && character <= '9')
		       ? character
		       : '\0';
}

static bool code_index_is_year(const char *symbols, size_t length)
{
	return length == 4 &&
	       (memcmp(symbols, "19", 2) == 0 || memcmp(symbols, "20", 2) == 0);
}

/*
 * Perhaps no code but a date or time: a long one if all of it is in one of them, a short one
 * if any of it is.
 */
static bool code_index_is_date(const struct code_index_stream *stream, size_t at,
			       size_t length)
{
	size_t dated = 0, same = 0;

	if (!stream->dates || stream->dates_count)
		return false;
	for (size_t i = 0; i < length; i++) {
		dated += stream->dates[at + i] != 0;
		same += stream->dates[at + i] == stream->dates[at];
	}
	return length < CODE_INDEX_SURE ? dated > 0 : dated == length && same == length;
}

static bool code_index_is_own(const struct code_index_stream *stream, size_t at,
			      size_t length)
{
	return !stream->own || memchr(stream->own + at, 1, length);
}

static bool code_index_is_in_one_piece(const struct code_index_stream *stream, size_t at,
				       size_t length)
{
	for (size_t i = 1; i < length; i++) {
		if (stream->begins[at + i])
			return false;
	}
	return true;
}

static bool code_index_counts(const struct code_index_stream *stream, size_t at,
			      size_t length)
{
	bool is_whole = stream->begins[at] && stream->begins[at + length];

	if (length < stream->least || !code_index_is_own(stream, at, length) ||
	    code_index_is_date(stream, at, length))
		return false;
	if (is_whole)
		return true;
	if (stream->whole_only)
		return false;
	if (length >= CODE_INDEX_SURE)
		return true;
	return stream->kind == CODE_INDEX_DIGITS &&
	       code_index_is_in_one_piece(stream, at, length) &&
	       (stream->dates_count || !code_index_is_year(stream->symbols + at, length));
}

bool code_index_search(const struct code_index *index,
		       const struct code_index_stream *stream)
{
	for (size_t at = 0; at + CODE_INDEX_LEAST <= stream->count; at++) {
		const char *symbols = stream->symbols + at;
		const struct code_index_code *code =
			index->slots[code_index_hash(symbols)];

		for (; code; code = code->next) {
			if (code->kind == stream->kind &&
			    code->length <= stream->count - at &&
			    memcmp(code->symbols, symbols, code->length) == 0 &&
			    code_index_counts(stream, at, code->length))
				return true;
		}
	}
	return false;
}
