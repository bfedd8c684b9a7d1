/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text: splits a text into words and numbers, each with its neighbouring characters, and
 * folded for comparing: small letters without accents; and finds its links.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TEXT_WORDS_MAX = 512, /* further words are ignored */
	TEXT_WORD_FOLDED_BYTES = 128,
};

enum text_word_type {
	TEXT_WORD,   /* letters */
	TEXT_NUMBER, /* digits of ASCII */
	TEXT_MIXED,  /* letters and digits of ASCII */
	TEXT_OTHER,  /* digits among letters of other alphabets */
};

struct text_word {
	enum text_word_type type;
	const char *text; /* as written, not NUL-terminated */
	unsigned length;
	unsigned letters;  /* position of its first character, in characters */
	unsigned sentence; /* counted from 0 */
	/* the characters right before and after it; 0 if there is none */
	uint32_t before;
	uint32_t behind;
	bool starts;   /* first in the text or a line, or after a colon */
	bool is_upper; /* no small letter in it */
	char folded[TEXT_WORD_FOLDED_BYTES]; /* cut if longer */
};

/* Returns the number of words written. `text` is valid UTF-8. */
size_t text_word_split(const char *text, struct text_word words[TEXT_WORDS_MAX]);

/* Is it a capital letter? Knows Latin, Greek and Cyrillic except for rare ones. */
bool text_word_is_capital(uint32_t character);

/*
 * Returns the first link (http or https) at or after `text`, without the punctuation around it;
 * NULL if there is none. An invisible character ends it.
 */
const char *text_link_find(const char *text, size_t *length_out);

/*
 * Returns whether the text has something that phones turn into a link: "www.example.com",
 * "example.com/a".
 */
bool text_link_is_hinted(const char *text);
