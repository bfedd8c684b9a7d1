/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code candidate: a number that has the form of a one-time code and is not part of a price,
 * date, time, phone number or address.
 *
 * Private to src/sms/code_search.c.
 */
#ifndef SMS_CODE_CANDIDATE_H
#define SMS_CODE_CANDIDATE_H

#include "sms/extract.h"
#include "sms/text_word.h"

/* how much the words around it must say */
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

#endif
