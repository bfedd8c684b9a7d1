/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leak: the parts of the search for received codes in an outgoing text, each built on those
 * above it. leak_search.c begins with leak_reading_has_code() and leak_cipher_undo(), at the
 * end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "text/code_index.h"

/* ---- leak_text.c */

/* An outgoing text as it reads (text/glyph.h), in pieces: numbers, words and marks. */

enum leak_text_kind {
	LEAK_NUMBER, /* digits */
	LEAK_WORD,   /* letters */
	LEAK_MARK,   /* one character that is neither, but no space */
};

struct leak_text_piece {
	enum leak_text_kind kind;
	const char *text; /* not NUL-terminated */
	size_t length;
	bool is_glued; /* nothing stands between the piece before and this one */
	bool is_own;   /* of the text that is judged, not of an earlier message */
	/* of LEAK_NUMBER: which date or time it belongs to; 0 if there is none */
	unsigned char date;
};

struct leak_text {
	char *text;
	struct leak_text_piece *pieces;
	size_t count;
	size_t words, numbers; /* of the text that is judged */
};

/*
 * `earlier` is what was sent before, or "". With `by_look` letters that look like Latin ones are
 * taken for them. Returns 0, or -ENOMEM with nothing to free. The text is valid UTF-8.
 */
int leak_text_init(struct leak_text *read, const char *earlier, const char *text,
		   bool by_look);
/* Numbers count with words only: they have been judged in another text. */
void leak_text_disown_numbers(struct leak_text *read);
void leak_text_deinit(struct leak_text *read);

/* ---- leak_stream.c */

/*
 * Symbols of a text in the order of reading (struct code_index_stream), and the search
 * for codes in it forwards, backwards, with every second one left out, in pairs, and shifted.
 */

/* How a stream is searched besides forwards and backwards. */
enum leak_stream_way {
	LEAK_STREAM_SKIPS = 1 << 0, /* every second or third symbol, or piece */
	LEAK_STREAM_PAIRS = 1 << 1, /* any two pieces */
	/* the same number added to each digit, or each digit subtracted from 9 */
	LEAK_STREAM_SHIFTS = 1 << 2,
	/* whole pieces together turned, mixed like cards, or with their places named */
	LEAK_STREAM_ORDERS = 1 << 3,
};

struct leak_stream {
	char *symbols;
	bool *begins;
	bool *own;
	unsigned char *dates;
	size_t count, room;
	size_t solid;	/* symbols other than barriers */
	bool has_begun; /* the next symbol begins a piece */
	bool failed;	/* no memory */
};

void leak_stream_init(struct leak_stream *stream);
void leak_stream_deinit(struct leak_stream *stream);
void leak_stream_clear(struct leak_stream *stream);

/* The next symbol begins a piece. */
void leak_stream_begin(struct leak_stream *stream);
void leak_stream_put(struct leak_stream *stream, char symbol,
		     const struct leak_text_piece *piece);
/* A number is a piece of its own. */
void leak_stream_put_number(struct leak_stream *stream, unsigned long long value,
			    const struct leak_text_piece *piece);
/* Nothing reaches across this place. */
void leak_stream_put_barrier(struct leak_stream *stream);

struct leak_stream_search {
	const struct code_index *index;
	enum code_index_kind kind;
	unsigned ways; /* enum leak_stream_way */
	size_t least;
	bool whole_only;
	bool dates_count;
	bool has_earlier; /* a part is not own: only whole pieces count */
};

/* Returns true also if memory runs out: nothing leaves the phone unjudged. */
bool leak_stream_has_code(const struct leak_stream *stream,
			  const struct leak_stream_search *search);

/* ---- leak_figure.c */

/*
 * The ways to write digits with other signs than digits: letters that look like
 * them or count for them, hexadecimal and binary numbers, strokes, lengths of words.
 */

struct leak_figure {
	void (*write)(const struct leak_text *text, struct leak_stream *stream);
	unsigned ways; /* enum leak_stream_way */
	size_t least;
};

/* Every way; ends with a `write` that is NULL. Only whole pieces count. */
extern const struct leak_figure leak_figures[];

/* ---- leak_reading.c */

/*
 * The ways in which a text can be read as digits, or as letters and digits:
 * as written, in number words, in numbers that words say, in letters that stand for digits.
 */

struct leak_reading {
	const struct code_index *index;
	const struct number_words *words;
	const struct leak_text *text;
	bool dates_count; /* see struct code_index_stream */
	bool has_earlier; /* earlier messages come before the text */
	bool is_hinted;	  /* the text speaks of codes, digits or ways to hide them */
	bool is_cipher;	  /* the text comes from another one: it is read in fewer ways */
	size_t least;	  /* only codes with so many symbols; 0 for all */
};

/* Does the text hold one of the codes? Also true without memory. */
bool leak_reading_has_code(const struct leak_reading *reading);

/* ---- leak_sum.c */

/*
 * Finds sums in the text: "4000 + 829", "one less than 4830", and what numbers beside each other
 * make.
 */
bool leak_sum_has_code(const struct leak_reading *reading, struct leak_stream *stream);

/* ---- leak_cipher.c */

/*
 * What a text says after the usual ways to make it unreadable are undone.
 */

enum leak_cipher_kind {
	LEAK_CIPHER_WHOLE, /* everything in the text was hidden */
	/* only its letters: its numbers also stand in the first text */
	LEAK_CIPHER_LETTERS,
	LEAK_CIPHER_LOOKS, /* only signs that look like others: dates stay dates */
	LEAK_CIPHER_GUESS, /* any text becomes something: only long codes mean anything */
};

/*
 * Visits each text that may be hidden in this one (valid UTF-8), until a visit returns true.
 * Returns true if one did, or there is no memory.
 */
bool leak_cipher_undo(const char *text,
		      bool (*visit)(void *data, const char *text,
				    enum leak_cipher_kind kind),
		      void *data);
