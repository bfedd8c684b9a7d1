/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code search: every number of a text that may be a one-time code, and how likely it is.
 *
 * Private to src/sms/extract.c and code_mask.c.
 */
#ifndef SMS_CODE_SEARCH_H
#define SMS_CODE_SEARCH_H

#include <stddef.h>

#include "sms/code_candidate.h"

enum {
	CODE_POINTS_SURE = 1000, /* with less it is masked, but not given out */
};

struct code_search_found {
	struct code_candidate candidate;
	size_t from, to; /* where it stands in the text, in bytes */
	int points;	 /* above 0; the most likely has most, of equals the first */
};

/* `text` is one of sms/code_text.h. `found` lives during the call. */
void code_search(const char *text,
		 void (*visit)(void *data, const struct code_search_found *found),
		 void *data);

#endif
