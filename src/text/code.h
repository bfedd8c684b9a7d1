/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Codes: the parts of the search for codes in incoming texts, each built on those above it.
 *
 * A text is read once (code_text), in words (text.h), and each word says something about codes
 * (code_word). Of it come tokens, all that has the shape of a code: numbers (code_number), and
 * pieces between two spaces and what is spelled (code_token). What stands around a token are its
 * signs (code_sign), of which code_use has what is done with it. One table says which shapes with
 * which signs are a code (code_search); what it does not know may still be one (code_guess).
 * extract.c, code_mask.c and code_list.c begin with code_search().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/extract.h"
#include "text/text.h"

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

bool code_text_is_digit(char byte);
/* Is it a digit, an ASCII letter, or a byte of another character? */
bool code_text_is_part(char byte);

/* Returns false if the text certainly has no digit. A quick test, because most texts have none. */
bool code_text_has_digits(const char *text);

/* Returns 0, or -ENOMEM with nothing to free. `text` is valid UTF-8. */
int code_text_init(struct code_text *read, const char *text);
void code_text_deinit(struct code_text *read);

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
	CODE_WORD_SECRET =
		1 << 24, /* a name that is not public: code_context.c adds it, */
	CODE_WORD_ADDRESS = 1 << 25, /* and this for what is part of a link */
	CODE_WORD_REACH = 1 << 26,   /* "finish", "back": what a code is good for */
	CODE_WORD_ACCOUNT = 1 << 27, /* "account", "in": where it lets one in */
	CODE_WORD_PICK = 1 << 28, /* "choose": of use only in a text about confirming */
	CODE_WORD_NOUN =
		1 << 29, /* "number", "digits": a name with the next beside it, */
	CODE_WORD_HIDDEN = 1 << 30, /* "secret", "one-time" */
	CODE_WORD_WITH = 1u << 31,  /* "with": what follows is a means */
};

unsigned code_word_kinds(const struct text_word *word); /* enum code_word, or 0 */

/* ---- code_token.c */

enum {
	CODE_TOKEN_LEAST = 4,	     /* letters and digits of a code */
	CODE_TOKEN_DIGITS_MOST = 10, /* of a code without letters */
};

/*
 * What a token consists of. Bits: it may have several shapes. Only the first four may be
 * returned as a code: the others are masked.
 */
enum code_shape {
	/* a number, and how much the words around it must say: */
	CODE_SHAPE_NUMBER = 1ull << 0,	 /* "4821" */
	CODE_SHAPE_UNLIKELY = 1ull << 1, /* "2026", "A7K2Q": more */
	/* or a date, or a phone number: a name right before */
	CODE_SHAPE_DOUBTFUL = 1ull << 2,
	/* "12 34 56 78": the same, and never returned */
	CODE_SHAPE_ROW = 1ull << 3,

	/* a piece between spaces: */
	CODE_SHAPE_DIGITS = 1ull << 4,	       /* "1957", of 4 to 10 digits */
	CODE_SHAPE_PLAIN = 1ull << 5,	       /* "1957", "391-55-20", of 4 to 8 */
	CODE_SHAPE_LONG = 1ull << 6,	       /* "195720", "391-55", "MZ4-K8T" */
	CODE_SHAPE_MARKED = 1ull << 7,	       /* "482/913" */
	CODE_SHAPE_MARKED_CLEARLY = 1ull << 8, /* the same, but not "14-16" */
	CODE_SHAPE_MARKED_DAY = 1ull << 9,     /* "12.10.26" */
	CODE_SHAPE_CAPITALS = 1ull << 10,      /* "ABCD" */
	CODE_SHAPE_FEW_CAPITALS = 1ull << 11,  /* "WQX" */
	CODE_SHAPE_MANY_CAPITALS = 1ull << 12, /* "ABCDE" */
	CODE_SHAPE_CONSONANTS = 1ull << 13,    /* "QWXZ" */
	CODE_SHAPE_UNSPEAKABLE = 1ull << 14,   /* "QKXWRT": a word in no language */
	CODE_SHAPE_MIXED = 1ull << 15,	       /* "7f3d9a" */
	CODE_SHAPE_MIXED_CASE = 1ull << 16,    /* "B39K", "b39K" */
	CODE_SHAPE_RANDOM = 1ull << 17,	       /* "B3K9QX" */
	/* "XK4R9", neither a flight nor a plate */
	CODE_SHAPE_ZIGZAG = 1ull << 18,
	CODE_SHAPE_MADE_UP = 1ull << 19,	  /* "MZ4-K8T", "KHM72P", "QKXWRT" */
	CODE_SHAPE_KEY = 1ull << 20,		  /* the same, longer; "k4v9" */
	CODE_SHAPE_GROUPED = 1ull << 21,	  /* "sunny-otter-71" */
	CODE_SHAPE_GROUPED_CAPITALS = 1ull << 22, /* "KQ7-ZPX" */
	CODE_SHAPE_GROUPED_KEY = 1ull << 23,	  /* "ZX81-4QPL-77" */
	CODE_SHAPE_PASSWORD = 1ull << 24,	  /* "sunShine", "melon#tree" */
	CODE_SHAPE_PASSWORD_DIGITS = 1ull << 25,  /* "Kx9" */
	CODE_SHAPE_PASSWORD_LETTERS = 1ull << 26, /* "Melon_7", no "16h25" */
	CODE_SHAPE_PASSWORD_STRONG = 1ull << 27,  /* "Kx#mP2q" */

	/* several pieces: */
	CODE_SHAPE_SPACED = 1ull << 28,	      /* "778 30 1" */
	CODE_SHAPE_SPACED_PLAIN = 1ull << 29, /* the same, of 4 to 8 digits */
	/* "884 0 19": 5 to 8, three groups or more */
	CODE_SHAPE_SPACED_GROUPS = 1ull << 30,
	CODE_SHAPE_SPELLED = 1ull << 31,	/* "forty eight two nine" */
	CODE_SHAPE_SPELLED_DIGITS = 1ull << 32, /* "four eight two nine" */
	CODE_SHAPE_LINES = 1ull << 33,		/* one group of digits per line */
	CODE_SHAPE_WHOLE = 1ull << 34,		/* nothing else is in the text */
	/* "4,8,2,9", mostly of rooms, lines or days */
	CODE_SHAPE_LISTED = 1ull << 35,
};

struct code_token {
	size_t from, to; /* in bytes of the text */
	size_t word;	 /* index of its first word */
	size_t behind; /* index of the first word after it; of lines and signs the same */
	unsigned digits, uppers, lowers;
	unsigned others; /* small letters beyond ASCII */
	unsigned marks;	 /* punctuation inside it */
	/* the only kind of mark in it; 0 if there is none, or several */
	char separator;
	unsigned groups;	       /* between separators */
	bool has_capital_inside;       /* "sunShine" */
	bool has_vowel;		       /* among ASCII capitals */
	uint64_t shapes;	       /* enum code_shape */
	char code[EXTRACT_CODE_BYTES]; /* of a number: without blanks */
};

/* ---- code_sign.c: the signs, of which the context has those of the whole text */

/* What stands around a token; X is the token. */
enum code_sign {
	/* the whole text: */
	CODE_SIGN_ADVERTISEMENT = 1ull << 0, /* its codes are public */
	CODE_SIGN_TEXT_NAMES = 1ull << 1,    /* a name of codes somewhere, */
	/* also one of booking codes and the like */
	CODE_SIGN_TEXT_NAMES_ANY = 1ull << 2,
	/* a name, a verb for confirming, or "do not share" */
	CODE_SIGN_TEXT_HINTS = 1ull << 3,
	CODE_SIGN_TEXT_ENTERS = 1ull << 4, /* a word such as "enter" */
	CODE_SIGN_TEXT_ASKS = 1ull << 5,   /* "when the screen asks" */
	CODE_SIGN_TEXT_LOCKS = 1ull << 6,  /* a door, a locker */
	/* mostly capitals, which then mean nothing */
	CODE_SIGN_TEXT_SHOUTS = 1ull << 7,

	/* something calls it a code: */
	/* "code for the door: X", "the code of your card is X" */
	CODE_SIGN_NAMED = 1ull << 8,
	/* "code is X", but not "code to" somebody's number */
	CODE_SIGN_CALLED_BEFORE = 1ull << 9,
	/* "X is your code", and not "Ref X your code: " */
	CODE_SIGN_CALLED_BEHIND = 1ull << 10,
	/* the same, or "X is your Bluebird confirmation code" */
	CODE_SIGN_SAID_TO_BE = 1ull << 11,
	CODE_SIGN_ENTERED = 1ull << 12, /* "enter X", "type the word X" */
	/* "We reset your password. The new one is X." */
	CODE_SIGN_NEW_ONE = 1ull << 13,
	/* "Password for your account at Northwind X." */
	CODE_SIGN_SENTENCE_END = 1ull << 14,
	/* alone on a line, in a text that names a code, */
	CODE_SIGN_ALONE = 1ull << 15,
	CODE_SIGN_ALONE_NO_PHONE = 1ull << 16, /* and does not begin with 0 */
	CODE_SIGN_CALLED = 1ull << 17,	       /* any of these */

	/* or nearly: */
	CODE_SIGN_HINTED_BEFORE = 1ull << 18, /* "Authorise: X" */
	/* a name or "do not share" anywhere, or "verify" in its sentence */
	CODE_SIGN_HINTED = 1ull << 19,
	CODE_SIGN_NAME_RIGHT_BEFORE = 1ull << 20,
	CODE_SIGN_NAME_BEFORE = 1ull << 21, /* among five words */
	/* among five words on either side, and X is nothing else */
	CODE_SIGN_NAME_NEAR = 1ull << 22,
	CODE_SIGN_NAME_IN_SENTENCE = 1ull << 23,

	/* the number belongs to something else: */
	/* "order X", "EUR X", "X minutes", and nothing calls it a code */
	CODE_SIGN_ELSE = 1ull << 24,
	/* the same; who is called or answered has no letters */
	CODE_SIGN_ELSE_OR_PHONE = 1ull << 25,
	/* "text X to 80808": what everybody sends there */
	CODE_SIGN_KEYWORD = 1ull << 26,
	CODE_SIGN_RECEIVER = 1ull << 27,     /* "Send it to X" */
	CODE_SIGN_MONEY_BEFORE = 1ull << 28, /* "EUR X" */
	CODE_SIGN_MONEY_BEHIND = 1ull << 29, /* "X EUR", "X minutes" */

	/* the word that it belongs to, skipping small words: */
	CODE_SIGN_HEAD_NAME = 1ull << 30,
	CODE_SIGN_HEAD_CALL = 1ull << 31,
	CODE_SIGN_HEAD_THING = 1ull << 32,

	/* words beside it: */
	CODE_SIGN_BESIDE_BARGAIN = 1ull << 33,
	CODE_SIGN_BESIDE_WEAK = 1ull << 34,
	CODE_SIGN_BESIDE_ENTER = 1ull << 35,
	CODE_SIGN_BESIDE_OPEN = 1ull << 36, /* or ENTER */
	CODE_SIGN_BESIDE_COURIER = 1ull << 37,
	CODE_SIGN_NEAR_TELL = 1ull << 38,
	/* at most one small word between; in no advertisement */
	CODE_SIGN_NEAR_ENTER = 1ull << 39,
	CODE_SIGN_RIGHT_ENTER = 1ull << 40, /* no word between */
	CODE_SIGN_BEHIND_KEY = 1ull << 41,
	CODE_SIGN_BEHIND_PADLOCK = 1ull << 42,
	CODE_SIGN_BEHIND_LOCK = 1ull << 43,
	CODE_SIGN_OF_LOCK = 1ull << 44, /* "locker X opens with 7319" */
	CODE_SIGN_BEFORE_THING = 1ull << 45,
	/* the word itself means something, so it is no code */
	CODE_SIGN_OWN_KIND = 1ull << 46,
	CODE_SIGN_IS = 1ull << 47,    /* "is X" */
	CODE_SIGN_WITH = 1ull << 48,  /* "with X", "X ile" */
	CODE_SIGN_MEANS = 1ull << 49, /* "Confirm with X" */
	/* "Type X into the terminal", but not "type 4000 words" */
	CODE_SIGN_TYPED = 1ull << 50,

	/* marks: */
	CODE_SIGN_COLON_BEFORE = 1ull << 51, /* or an equals sign */
	CODE_SIGN_COLON_BEHIND = 1ull << 52,
	CODE_SIGN_CLAUSE_END = 1ull << 53, /* right behind it */
	CODE_SIGN_SIX = 1ull << 54,	   /* the number has six digits or letters */
	/* first in the text or a line, or after a colon */
	CODE_SIGN_STARTS = 1ull << 55,

	/* only in the right kind of text: */
	CODE_SIGN_TEXT_COURIER = 1ull << 56,
	CODE_SIGN_REACHES = 1ull << 57,	  /* "X lets you back into your account" */
	CODE_SIGN_PICKED = 1ull << 58,	  /* "Choose X", but not "choose 400 words" */
	CODE_SIGN_TOLD = 1ull << 59,	  /* "Tell her X" */
	CODE_SIGN_SHORT = 1ull << 60,	  /* "Your number: X", a whole sentence */
	CODE_SIGN_LETS = 1ull << 61,	  /* "X logs you in", begins a sentence */
	CODE_SIGN_ASKED = 1ull << 62,	  /* "The app asks for a number: X" */
	CODE_SIGN_SENT_BACK = 1ull << 63, /* "Send X back" */
};

/* ---- code_context.c */

/*
 * The words of a text and what each says about codes. Indexes start at 0; every
 * function accepts an index outside the text, so `at - 1` is fine.
 */
struct code_context {
	const char *text;
	struct text_word words[TEXT_WORDS_MAX];
	uint32_t kinds[TEXT_WORDS_MAX]; /* enum code_word */
	size_t count;
	bool is_read;	/* kinds and signs are known */
	uint64_t signs; /* enum code_sign, of the whole text */
};

/* Its words, those of links as TEXT_OTHER. `text` comes from code_text_init() and outlives it. */
void code_context_init(struct code_context *context, const char *text);

/* Finds out what each word says, and the whole text. Does nothing the second time. */
void code_context_read(struct code_context *context);

bool code_context_shares_sentence(const struct code_context *context, size_t left,
				  size_t right);
/* Returns what a word in the sentence of another says; 0 if it is in another sentence. */
uint32_t code_context_kinds(const struct code_context *context, size_t at, size_t beside);
/* Returns what so many words of the sentence say, before a word or from another on. */
uint32_t code_context_kinds_before(const struct code_context *context, size_t at,
				   size_t most);
uint32_t code_context_kinds_behind(const struct code_context *context, size_t at,
				   size_t behind, size_t most);
/* Returns what all words of the text say. */
uint32_t code_context_kinds_of_text(const struct code_context *context);

/* ---- code_number.c */

/* Reads a number with the form of a one-time code at this word, alone or with words behind it. */
bool code_number_read(const struct code_context *context, size_t at,
		      struct code_token *token_out);

/* ---- code_token.c */

/* Where the next piece may begin; starts as { 0 }. */
struct code_token_position {
	size_t at;   /* byte of the text */
	size_t word; /* index */
};

/* The next piece between spaces that has words. Returns false if there are no more. */
bool code_token_next(const struct code_context *context,
		     struct code_token_position *position, struct code_token *token_out);

/*
 * "778 30 1": the numbers that follow, each after one space, join it. Returns false if none does.
 */
bool code_token_join(const struct code_context *context, struct code_token *token);

/*
 * "7390-nel", "7390'le": in some languages a case ending follows the code. Returns true if it was
 * removed, and the token measured again.
 */
bool code_token_cut_ending(const struct code_context *context, struct code_token *token);

/* Counts letters of all kinds in it. */
unsigned code_token_letters(const struct code_token *token);

struct code_token_visit {
	void (*visit)(void *data, struct code_token *token);
	void *data;
};

/*
 * Finds codes that are spread over lines or words, one group of digits per line or "four eight two
 * nine", and digits in Chinese signs. The context is read.
 */
void code_token_spelled(const struct code_context *context,
			const struct code_token_visit *visit);

/* ---- code_use.c: what is done with a token */

enum {
	CODE_CLAUSE_WORDS = 12, /* between a name and the colon before its code */
	CODE_CLOSE_WORDS = 5,	/* from "enter" to the code, with small words between */
	CODE_VERB_BEFORE = 5,	/* words from a verb to the code, */
	CODE_VERB_BEHIND = 3,	/* and from the code to a verb */
	CODE_MEANS_BEHIND = 6,	/* "With X you complete your registration" */
	CODE_TOLD_BEFORE = 3,	/* "Tell her X", "Your number: X" */
};

/* "into", "und" */
bool code_use_is_small(const struct text_word *word);
/* "4000 words": a noun follows, not one of the small words that follow a code. */
bool code_use_is_count(const struct code_context *context,
		       const struct code_token *token);
/* "with X", "X ile" */
bool code_use_is_behind_with(const struct code_context *context,
			     const struct code_token *token);
/* behind "with": "The parcel box opens", "Sign" */
bool code_use_is_opening(const struct code_context *context,
			 const struct code_token *token);
/* behind "with": "you are back in your account" */
bool code_use_is_good_for(const struct code_context *context,
			  const struct code_token *token);
/* behind "with": any use of a code */
bool code_use_is_means(const struct code_context *context,
		       const struct code_token *token);
/* CODE_SIGN_PICKED, _SHORT, _LETS and _TYPED, each */
bool code_use_is_picked(const struct code_context *context,
			const struct code_token *token);
bool code_use_is_short(const struct code_context *context,
		       const struct code_token *token);
bool code_use_is_letting(const struct code_context *context,
			 const struct code_token *token);
bool code_use_is_typed(const struct code_context *context,
		       const struct code_token *token);

/* ---- code_sign.c */

enum { CODE_NEAR_WORDS = 14 }; /* between a name and a number in one sentence */

/* Returns the signs of a token, and of the whole text, which it reads (code_context_read()). */
uint64_t code_sign_read(struct code_context *context, const struct code_token *token);

/* Returns the words to the nearest name in the sentence; CODE_NEAR_WORDS if none is near. */
unsigned code_sign_name_distance(const struct code_context *context,
				 const struct code_token *token);

/* ---- code_guess.c */

/* Is a token that no rule knows still a code, because nothing else explains it? */
bool code_guess_is_code(const struct code_context *context,
			const struct code_token *token, uint64_t signs);

/* ---- code_search.c */

/* Everything in a text that may be a one-time code, and how likely it is one. */

enum {
	/* with fewer points it is masked, but not returned as a code */
	CODE_POINTS_SURE = 1000,
	CODE_POINTS_LEAST = 1,
};

struct code_search_visit {
	int least; /* points; CODE_POINTS_SURE finds plain numbers alone, and faster */
	/* points: most for the most likely; of equals, the first wins */
	void (*visit)(void *data, const struct code_token *token, int points);
	void *data;
};

/* `text` comes from code_text_init(). `token` is valid during the call. */
void code_search(const char *text, const struct code_search_visit *visit);
