/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code candidate: whether a number in a text has the form of a one-time code, and is not a
 * part of a price, date, time, phone number or address.
 *
 * Private to src/sms/code_search.c.
 */
#ifndef SMS_CODE_CANDIDATE_H
#define SMS_CODE_CANDIDATE_H

#include "sms/extract.h"
#include "sms/text_word.h"

/* what must be said of it to be taken */
enum code_candidate_trust {
	CODE_TRUST_USUAL,
	CODE_TRUST_SOME, /* "2026", "A7K2Q", "ABCD-1234": named right before, or in a row of its own */
	CODE_TRUST_LITTLE, /* a date or phone number, unless it is named right before */
	CODE_TRUST_NONE,   /* as that, and too unlike a code to be given out as one */
};

struct code_candidate {
	char code[EXTRACT_CODE_BYTES];
	unsigned length; /* digits, letters and the dashes between groups of both */
	unsigned words;	 /* it is made of: "123 456" is two */
	enum code_candidate_trust trust;
};

/* `word` is one of a row of which `count` are left; `text` is where they all stand. */
bool code_candidate_read(const char *text, const struct text_word *word, size_t count,
			 struct code_candidate *candidate_out);

#endif
