/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code context: the words of a text and what each says about codes. Indexes start at 0; every
 * function accepts an index outside the text, so `at - 1` is fine.
 *
 * Private to the search for codes (code_search.c, code_shape.c).
 */
#ifndef SMS_CODE_CONTEXT_H
#define SMS_CODE_CONTEXT_H

#include "sms/text_word.h"

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
	bool has_lock;	       /* a door, a locker */
	bool shouts;	       /* mostly capitals, which then mean nothing */
};

/* `text` comes from sms/code_text.h and outlives the context. */
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

#endif
