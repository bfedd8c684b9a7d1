/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code piece: the characters of a text between two spaces, without the punctuation around them,
 * and what they consist of. Scripts without spaces end a piece, too. "KQ7-ZPX" is one piece of
 * two groups and two words.
 *
 * Private to the search for codes (code_shape.c).
 */
#ifndef SMS_CODE_PIECE_H
#define SMS_CODE_PIECE_H

#include <stdbool.h>
#include <stddef.h>

#include "sms/code_context.h"

enum {
	CODE_PIECE_LEAST = 4,	     /* letters and digits of a code */
	CODE_PIECE_DIGITS_MOST = 10, /* of a code without letters */
};

struct code_piece {
	size_t from, to; /* in bytes of the text */
	size_t word;	 /* index of its first word */
	size_t behind;	 /* index of the first word after it */
	unsigned digits, uppers, lowers;
	unsigned others;	 /* small letters beyond ASCII */
	unsigned marks;		 /* punctuation inside it */
	char separator;		 /* the only kind of mark in it; 0: none, or several */
	unsigned groups;	 /* between separators */
	bool has_capital_inside; /* "sunShine" */
	bool has_vowel;		 /* among ASCII capitals */
};

/* Where the next piece may begin; starts as { 0 }. */
struct code_piece_position {
	size_t at;   /* byte of the text */
	size_t word; /* index */
};

/* The next piece that has words. False: there are no more. */
bool code_piece_next(const struct code_context *context,
		     struct code_piece_position *position, struct code_piece *piece_out);

/*
 * "7390-nel", "7390'le": in some languages a case ending follows the code. True: it was
 * removed, and the piece measured again.
 */
bool code_piece_cut_ending(const struct code_context *context, struct code_piece *piece);

/* Letters of all kinds in it. */
unsigned code_piece_letters(const struct code_piece *piece);

bool code_piece_is_digit(char byte);
/* A digit, an ASCII letter, or a byte of another character. */
bool code_piece_is_part(char byte);

#endif
