/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Codes: the parts of the search for codes in incoming texts, each built on those above it.
 * extract.c, code_mask.c and code_list.c begin with code_search() and code_shape_search().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/extract.h"
#include "text/text.h"

/* ---- code_word.c */

/*
 * What a word says about the numbers near it, in the languages of the table. Bits: a word may
 * say several things.
 */
enum code_word {
	CODE_WORD_NAME = 1 << 0, /* "code", "PIN": a number near it is a code */
	CODE_WORD_WEAK = 1 << 1, /* "verify": perhaps */
	CODE_WORD_LINK = 1 << 2, /* "is", "your": may stand between name and code */
	/* "order", "card", "balance": its number is not a code */
	CODE_WORD_THING = 1 << 3,
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
	CODE_WORD_TYPE = 1 << 20,    /* "key in": a number right behind it is typed */
	CODE_WORD_ASK = 1 << 21,     /* "asks": a device wants the code */
	CODE_WORD_AFTER = 1 << 22,   /* "below", "when": follows a code, counts nothing */
	CODE_WORD_PLACE = 1 << 23,   /* "form", "screen": where a code is typed */
};

unsigned code_word_kinds(const struct text_word *word); /* enum code_word, or 0 */

/* ---- code_context.c */

/*
 * The words of a text and what each says about codes. Indexes start at 0; every
 * function accepts an index outside the text, so `at - 1` is fine.
 */

enum { NEAR_WORDS = 14 }; /* between a name and a number in one sentence */

struct code_context {
	const char *text;
	struct text_word words[TEXT_WORDS_MAX];
	unsigned kinds[TEXT_WORDS_MAX]; /* enum code_word */
	size_t count;
	bool is_advertisement; /* its codes are public */
	bool has_name;	       /* a name of codes somewhere, */
	bool has_any_name;     /* also one of booking codes and the like */
	bool has_hint;	       /* a name, a verb for confirming, or "do not share" */
	bool is_typed_in;      /* a word such as "enter" */
	bool is_asked;	       /* "when the screen asks" */
	bool has_lock;	       /* a door, a locker */
	bool shouts;	       /* mostly capitals, which then mean nothing */
};

/* `text` comes from code_text_init() and outlives the context. */
void code_context_init(struct code_context *context, const char *text);

bool code_context_shares_sentence(const struct code_context *context, size_t left,
				  size_t right);
bool code_context_is_of_kind(const struct code_context *context, size_t at, size_t beside,
			     unsigned kinds);
/* "code", but not "promo code" or "booking code", and not in an advertisement. */
bool code_context_is_name(const struct code_context *context, size_t at);
/* The word before the number that it belongs to, skipping small words. False: none. */
bool code_context_find_head(const struct code_context *context, size_t at,
			    size_t *head_out);
/* Words to the nearest name in the sentence; NEAR_WORDS: none is near. */
unsigned code_context_name_distance(const struct code_context *context, size_t at,
				    size_t behind);
/* A name or "do not share" anywhere, or a verb for confirming in the sentence. */
bool code_context_has_hint(const struct code_context *context, size_t at);
/* "code is", but not "code to" somebody's phone number. */
bool code_context_is_called(const struct code_context *context, size_t head, size_t at);
/* "771234 is your code", but not "Ref 771234 your code" with the code after it. */
bool code_context_is_called_behind(const struct code_context *context, size_t at,
				   size_t behind);

/* ---- code_piece.c */

/*
 * The characters of a text between two spaces, without the punctuation around them,
 * and what they consist of. Scripts without spaces end a piece, too. "KQ7-ZPX" is one piece of
 * two groups and two words.
 */

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

/* "778 30 1": the numbers that follow, each after one space, join it. False: none does. */
bool code_piece_join(const struct code_context *context, struct code_piece *piece);

/* Letters of all kinds in it. */
unsigned code_piece_letters(const struct code_piece *piece);

bool code_piece_is_digit(char byte);
/* A digit, an ASCII letter, or a byte of another character. */
bool code_piece_is_part(char byte);

/* ---- code_phrase.c */

/* Whether the words around a piece call it a code. */

enum { CODE_PHRASE_CLAUSE_WORDS = 12 }; /* between a name and the colon before its code */

/* A name of codes in the sentence, at most `most` words before this word. */
bool code_phrase_has_name_before(const struct code_context *context, size_t word,
				 unsigned most);
/* After a colon or an equals sign. */
bool code_phrase_is_behind_colon(const struct code_context *context,
				 const struct code_piece *piece);
/* The clause ends with the piece. */
bool code_phrase_is_clause_end(const struct code_context *context,
			       const struct code_piece *piece);
/* "your code is X" */
bool code_phrase_is_called_before(const struct code_context *context,
				  const struct code_piece *piece);
/* "code for the door: X", "the code of your card is X" */
bool code_phrase_names(const struct code_context *context,
		       const struct code_piece *piece);
/* "X is your code" */
bool code_phrase_is_called_behind(const struct code_context *context,
				  const struct code_piece *piece);
/* "enter X", "type the word X". Letters with digits need no further hint. */
bool code_phrase_is_entered(const struct code_context *context,
			    const struct code_piece *piece);
/* "Password for your account at Northwind X." */
bool code_phrase_is_end_of_named_sentence(const struct code_context *context,
					  const struct code_piece *piece);
/* "We reset your password. The new one is X." */
bool code_phrase_is_named_before(const struct code_context *context,
				 const struct code_piece *piece);
/* "Authorise: X" */
bool code_phrase_is_behind_hint(const struct code_context *context,
				const struct code_piece *piece);
/* Alone on a line, in a text that names a code; a phone number begins with 0. */
bool code_phrase_is_alone_below_name(const struct code_context *context,
				     const struct code_piece *piece);
/* Any of the above, or alone on a line of a text that names a code. */
bool code_phrase_is_called(const struct code_context *context,
			   const struct code_piece *piece);
/* "order X", "EUR X", "X minutes": the number belongs to something else. */
bool code_phrase_is_of_something_else(const struct code_context *context,
				      const struct code_piece *piece);
/* A name of codes is fewer than `most` words away, and the number belongs to nothing else. */
bool code_phrase_is_near(const struct code_context *context,
			 const struct code_piece *piece, unsigned most);
/* A word of these kinds in the sentence, a few words before or after the piece. */
bool code_phrase_has_beside(const struct code_context *context,
			    const struct code_piece *piece, unsigned kinds);
/* "with X", "X ile" */
bool code_phrase_is_behind_with(const struct code_context *context,
				const struct code_piece *piece);
/* "Confirm with X" */
bool code_phrase_is_means(const struct code_context *context,
			  const struct code_piece *piece);
/* "Type X into the terminal", but not "type 4000 words": a number that is only typed. */
bool code_phrase_is_typed(const struct code_context *context,
			  const struct code_piece *piece);
/* "Send it to 36180": a recipient, not a code. */
bool code_phrase_is_receiver(const struct code_context *context,
			     const struct code_piece *piece);
/* The number belongs to something else. A phone number to call or text has no letters. */
bool code_phrase_is_other_number(const struct code_context *context,
				 const struct code_piece *piece);
/* "text X to 80808": a public keyword. */
bool code_phrase_is_keyword(const struct code_context *context,
			    const struct code_piece *piece);
/* A number follows in the sentence. */
bool code_phrase_has_number_behind(const struct code_context *context,
				   const struct code_piece *piece);

/* ---- code_spelled.c */

/*
 * Codes that are spread over lines, spaces or words: "91 28", one group of digits
 * per line, "four eight two nine", digits in Chinese signs.
 * `visit` gets where each code stands, in bytes.
 */
void code_spelled_search(const struct code_context *context,
			 void (*visit)(void *data, size_t from, size_t to), void *data);

/* ---- code_shape.c */

/*
 * Codes that are not plain numbers. They are masked but never returned as a code:
 * letters ("ABCDEF", "KQ7-ZPX"), digits with marks between them ("482/913", "12.34.56") or
 * over several lines, passwords, and digits in words ("four eight two nine").
 * tests/unit/test_code_corpus.c measures how many it finds.
 *
 * `text` comes from code_text_init(). `visit` gets the position of each code, in bytes.
 */
void code_shape_search(const char *text,
		       void (*visit)(void *data, size_t from, size_t to), void *data);

/* ---- code_candidate.c */

/*
 * A number that has the form of a one-time code and is not part of a price,
 * date, time, phone number or address.
 */

/* How much the words around it must say. */
enum code_candidate_trust {
	CODE_TRUST_USUAL,
	CODE_TRUST_SOME, /* "2026", "A7K2Q", "ABCD-1234": a name right before, or a line of its own */
	CODE_TRUST_LITTLE, /* a date or phone number, unless a name stands right before */
	CODE_TRUST_NONE,   /* the same, and too unlike a code to be returned as one */
};

struct code_candidate {
	char code[EXTRACT_CODE_BYTES];
	unsigned length; /* digits, letters and the dashes between groups of both */
	unsigned words;	 /* "123 456" has two */
	enum code_candidate_trust trust;
};

/* `word` is the first of the `count` remaining words of `text`. */
bool code_candidate_read(const char *text, const struct text_word *word, size_t count,
			 struct code_candidate *candidate_out);

/* ---- code_search.c */

/* Every number in a text that may be a one-time code, and how likely it is one. */

enum {
	/* with fewer points it is masked, but not returned as a code */
	CODE_POINTS_SURE = 1000,
};

struct code_search_found {
	struct code_candidate candidate;
	size_t from, to; /* position in the text, in bytes */
	int points; /* above 0; most for the most likely; of equals, the first wins */
};

/* `text` comes from code_text_init(). `found` is valid during the call. */
void code_search(const char *text,
		 void (*visit)(void *data, const struct code_search_found *found),
		 void *data);

/* ---- code_text.c */

/*
 * A copy of a text in which numbers are easy to find. Digits of all scripts become ASCII,
 * invisible characters are left out, and single digits and capitals are joined: "1 2 3 4"
 * becomes "1234". Every byte has its position in the original.
 */

struct code_text {
	char *text;
	size_t *from; /* for each byte, where its character begins in the original, */
	size_t *to;   /* and where it ends */
	size_t length;
};

/* Is it a digit of any script, framed ones too, but not of ASCII? Its digit of ASCII. */
bool code_text_digit_of(uint32_t character, char *digit_out);

/* False: the text certainly has no digit. A quick test, because most texts have none. */
bool code_text_has_digits(const char *text);

/* 0, or -ENOMEM with nothing to free. `text` is valid UTF-8. */
int code_text_init(struct code_text *read, const char *text);
void code_text_deinit(struct code_text *read);
