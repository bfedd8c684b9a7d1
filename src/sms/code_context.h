/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code context: the words of a text, what each says about codes, and how they stand to each
 * other. Words are counted from 0; an index that is none is refused, so `at - 1` is fine.
 *
 * Private to src/sms/code_search.c and code_shape.c.
 */
#ifndef SMS_CODE_CONTEXT_H
#define SMS_CODE_CONTEXT_H

#include "sms/text_word.h"

enum { NEAR_WORDS = 14 }; /* between a name and a number of one sentence */

struct code_context {
	const char *text;
	struct text_word words[TEXT_WORDS_MAX];
	unsigned kinds[TEXT_WORDS_MAX]; /* enum code_word */
	size_t count;
	bool is_advertisement; /* whose codes are no secret */
	bool has_name;	       /* a name of codes somewhere, */
	bool has_any_name;     /* also one of booking codes and the like */
	bool has_hint;	       /* a name, a verb for confirming, or "do not share" */
	bool is_typed_in;      /* something, by a word for that */
	bool has_lock;	       /* a door, a locker */
	bool shouts;	       /* mostly capitals, which then mean nothing */
};

/* `text` is one of sms/code_text.h, and outlives the context. */
void code_context_init(struct code_context *context, const char *text);

bool code_context_shares_sentence(const struct code_context *context, size_t left,
				  size_t right);
bool code_context_is_of_kind(const struct code_context *context, size_t at, size_t beside,
			     unsigned kinds);
/* "code", and not "promo code" or "booking code", nor in an advertisement. */
bool code_context_is_name(const struct code_context *context, size_t at);
/* The word that a number belongs to: before it, small words left out. False: none. */
bool code_context_find_head(const struct code_context *context, size_t at,
			    size_t *head_out);
/* Words between this one and the nearest name of its sentence; NEAR_WORDS: none. */
unsigned code_context_name_distance(const struct code_context *context, size_t at,
				    size_t behind);
/* A name or "do not share" anywhere, or a word that hints at one in the sentence. */
bool code_context_has_hint(const struct code_context *context, size_t at);
/* "code is", and not "code to" somebody's phone number. */
bool code_context_is_called(const struct code_context *context, size_t head, size_t at);
/* "Ref 771234 your code", and the code does not follow. */
bool code_context_is_called_behind(const struct code_context *context, size_t at,
				   size_t behind);

#endif
