/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments: how oFono will split a text (3GPP 23.038, 23.040; reference: oFono 1.31's util.c).
 *
 * If all characters are in the GSM 7-bit default alphabet or its extension table, a single
 * segment has 160 units, several have 153 each, and an escape pair is never split. Otherwise
 * the encoding is UCS-2: 70 units, or 67 each.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum segments_encoding { SEGMENTS_GSM7, SEGMENTS_UCS2 };

struct segments {
	enum segments_encoding encoding;
	unsigned count;	  /* segments */
	unsigned units;	  /* septets or 16-bit units in all */
	unsigned room;	  /* units left in the last segment */
	uint32_t culprit; /* first character that forces UCS-2; 0 if there is none */
	uint32_t
		unsendable; /* first one above U+FFFF or a non-character, which oFono upstream cannot
			 * encode; 0 if there is none */
};

/* `text` is valid UTF-8. The empty text is one segment of no units. */
void segments_measure(const char *text, struct segments *segments_out);
const char *segments_encoding_name(enum segments_encoding encoding); /* "gsm7", "ucs2" */

/* Is it above U+FFFF, or a non-character? Upstream oFono cannot encode it. */
bool segments_is_unsendable(uint32_t character);

/* Returns "U+1F600 (...)": the number and the character. Returns NULL if memory runs out. */
const char *segments_name_character(struct arena *arena, const char *text, uint32_t code);
