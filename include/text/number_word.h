/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number word: what a word says as a number, in the languages of the table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum number_word_kind {
	NUMBER_WORD_NONE,
	NUMBER_WORD_VALUE, /* 0 to 99, 200, 300, ... 900 */
	NUMBER_WORD_TIMES, /* "hundred", "thousand": value is 100 or 1000 */
	NUMBER_WORD_AND,   /* stands between two that belong together */
	NUMBER_WORD_TWICE, /* "double": the next digit comes value times */
};

struct number_word {
	enum number_word_kind kind;
	unsigned value;
	bool is_doubtful; /* "one", "sei", "to": often no number */
	unsigned language;
};

struct number_words; /* all words, folded for looking up */

struct number_words *number_words_new(void); /* Returns NULL if memory runs out */
void number_words_free(struct number_words *words);

unsigned number_words_languages(void);

/* Returns a whole word, as glyph_write() writes it. */
struct number_word number_word_find(const struct number_words *words, const char *text,
				    size_t length);
/* Returns the longest word of this language at the beginning of `text`; its length, or 0. */
size_t number_word_begins(const struct number_words *words, unsigned language,
			  const char *text, size_t length, struct number_word *word_out);

/*
 * Returns the letter that a word of a spelling alphabet stands for ("kilo"); '\0' if there is none.
 * With `as_spoken` the letter's own name ("kay") counts as well.
 */
char number_word_letter(const char *text, size_t length, bool as_spoken);
