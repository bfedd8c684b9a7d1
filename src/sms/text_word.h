/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text words: a text as a row of words and numbers, each with what stands around it, and
 * folded so that languages can be compared: small letters, no accents.
 *
 * Private to src/sms/extract.c and what it is made of.
 */
#ifndef SMS_TEXT_WORD_H
#define SMS_TEXT_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TEXT_WORDS_MAX = 512, /* what comes behind them is not looked at */
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
	unsigned letters;  /* where it begins, in characters of the text */
	unsigned sentence; /* counted from 0 */
	uint32_t before;   /* the characters right before and behind it, 0 none */
	uint32_t behind;
	bool starts;   /* first of the text, a line or after a colon */
	bool is_upper; /* no small letter in it */
	char folded[TEXT_WORD_FOLDED_BYTES]; /* what is longer is cut */
};

/* How many words were written to `words`. Valid UTF-8. */
size_t text_word_split(const char *text, struct text_word words[TEXT_WORDS_MAX]);

/* A capital letter: Latin, Greek and Cyrillic except for rare ones. */
bool text_word_is_capital(uint32_t character);

#endif
