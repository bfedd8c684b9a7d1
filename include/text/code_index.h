/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code index: the codes to look for, by their first symbols, so that a search costs the same
 * for ten codes and for ten thousand; and which codes an incoming text has (code_list.c).
 *
 * A symbol is a digit, or a digit or small letter in codes with letters (code_index_symbol()).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "text/number_word.h"

enum {
	CODE_INDEX_LEAST = 4,  /* symbols of a code */
	CODE_INDEX_MOST = 200, /* of the address in a link */
	CODE_INDEX_SURE = 6,   /* so many do not occur by chance */
};

enum code_index_kind {
	CODE_INDEX_DIGITS,
	CODE_INDEX_MIXED, /* letters and digits, or letters */
};

/*
 * Symbols of a text in the order of reading, in pieces that belong together: the numbers, or
 * the words. `begins[at]` says that a piece begins there; begins[count] is true.
 */
struct code_index_stream {
	enum code_index_kind kind;
	const char *symbols; /* '\1': nothing reaches across it */
	const bool *begins;
	/* symbols with the same value other than 0 are in one date or time; NULL if there is
	 * none */
	const unsigned char *dates;
	size_t count;
	/* what is found must have one of these; NULL if anything counts */
	const bool *own;
	size_t least;	  /* only codes with so many symbols; 0 for all */
	bool whole_only;  /* only codes that begin and end with pieces */
	bool dates_count; /* a code that is only a date or time also counts */
};

struct code_index;

struct code_index *code_index_new(void); /* Returns NULL if memory runs out */
void code_index_free(struct code_index *index);
void code_index_clear(struct code_index *index);
/* Ignores what is too short or too long. Returns false if memory runs out. */
bool code_index_add(struct code_index *index, enum code_index_kind kind,
		    const char *symbols, size_t length);
bool code_index_is_empty(const struct code_index *index);
/* Are there so many codes that one of them is found by chance if a text is read in any way? */
bool code_index_is_crowded(const struct code_index *index);
/* Is there a code of this kind with so many symbols? 0 means any number of them. */
bool code_index_has_length(const struct code_index *index, enum code_index_kind kind,
			   size_t length);

/*
 * Returns the symbol for a character of a code with letters: "O" and "0" are one; '\0' if there is
 * none.
 */
char code_index_symbol(char character);

/* Does one of the codes stand in the stream? */
bool code_index_search(const struct code_index *index,
		       const struct code_index_stream *stream);

/* ---- code_list.c */

/*
 * Every code of an incoming text in the form in which it is looked for
 * (code_index_add()): all that code_mask.h hides, and the addresses and tokens of links.
 */

struct code_list_visit {
	const struct number_words *words;
	void (*visit)(void *data, enum code_index_kind kind, const char *symbols,
		      size_t length);
	void *data;
};

/* Returns 0 or -ENOMEM. `text` is valid UTF-8. */
int code_list_read(const char *text, const struct code_list_visit *visit);
