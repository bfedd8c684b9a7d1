/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code search: every number in a text that may be a one-time code, and how likely it is one.
 *
 * Private to extract.c and code_mask.c.
 */
#ifndef SMS_CODE_SEARCH_H
#define SMS_CODE_SEARCH_H

#include <stddef.h>

#include "sms/code_candidate.h"

enum {
	CODE_POINTS_SURE =
		1000, /* with fewer points it is masked, but not returned as a code */
};

struct code_search_found {
	struct code_candidate candidate;
	size_t from, to; /* position in the text, in bytes */
	int points; /* above 0; most for the most likely; of equals, the first wins */
};

/* `text` comes from sms/code_text.h. `found` is valid during the call. */
void code_search(const char *text,
		 void (*visit)(void *data, const struct code_search_found *found),
		 void *data);

#endif
