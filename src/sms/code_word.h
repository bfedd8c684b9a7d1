/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code word: what a word says about the numbers near it, in the languages of the table.
 *
 * Private to the search for codes (code_context.c).
 */
#ifndef SMS_CODE_WORD_H
#define SMS_CODE_WORD_H

#include "sms/text_word.h"

/* bits; a word may have several */
enum code_word {
	CODE_WORD_NAME = 1 << 0, /* "code", "PIN": a number near it is a code */
	CODE_WORD_WEAK = 1 << 1, /* "verify": perhaps */
	CODE_WORD_LINK = 1 << 2, /* "is", "your": may stand between name and code */
	CODE_WORD_THING =
		1 << 3, /* "order", "card", "balance": its number is not a code */
	CODE_WORD_MONEY = 1 << 4,   /* "EUR" before or after a number */
	CODE_WORD_UNIT = 1 << 5,    /* "minutes" after a number */
	CODE_WORD_CALL = 1 << 6,    /* "call": a phone number follows */
	CODE_WORD_BARGAIN = 1 << 7, /* "promo", "booking": the code beside it is public */
	CODE_WORD_ENTER = 1 << 8,   /* "use", "enter": the user types the code */
	CODE_WORD_TOWARDS = 1 << 9, /* "code to", "PIN for": the recipient follows */
	CODE_WORD_KEEP = 1 << 10,   /* "do not share": the text has a secret */
	CODE_WORD_IS = 1 << 11,	    /* "is", "lautet": the code follows its name */
	CODE_WORD_DIGIT = 1 << 12,  /* "four": one digit of a code in words, */
	CODE_WORD_NUMBER = 1 << 13, /* or "forty": more than one */
	CODE_WORD_SALE = 1 << 14,   /* "sale": codes in this text are public */
	CODE_WORD_LOCK = 1 << 15,   /* "door", "locker": a code may open it */
	CODE_WORD_OPEN = 1 << 16,   /* "open", "press": verbs for a lock */
	CODE_WORD_KEY = 1 << 17,    /* "passkey"; and with LOCK "padlock" */
	CODE_WORD_COURIER = 1 << 18, /* "courier", "driver": people who ask for a code */
	CODE_WORD_TELL = 1 << 19,    /* "tell", "give" */
};

unsigned code_word_kinds(const struct text_word *word); /* enum code_word, or 0 */

#endif
