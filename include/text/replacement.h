/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replacement: what to write instead of the characters that upstream oFono cannot send
 * (segments_is_unsendable()), above all emoji. The nearest characters are short and mostly
 * of the GSM alphabet, so the text needs no more segments than before.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"

enum { REPLACEMENT_BYTES = 8 };

/* The nearest characters; "" if there are none: leave it out, or use words. */
void replacement_find(uint32_t character, char instead_out[REPLACEMENT_BYTES]);

/* Returns sentences about a text that has such a character; NULL if memory runs out. */
struct replacement_advice {
	const char *characters; /* "U+1F642 (...)", comma-separated */
	const char *fix;	/* "Write ":-)" instead of ...; leave out ..." */
};

struct replacement_advice replacement_advise(struct arena *arena, const char *text);
