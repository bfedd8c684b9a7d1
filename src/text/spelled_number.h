/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spelled number: number words in a row become the numbers that they say: "forty-eight" 48,
 * "vier hundert zwei und achtzig tausend" 482000.
 *
 * Private to src/text/leak_reading.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "text/number_word.h"

/* Where a number may end when two are said one after the other. */
enum spelled_number_style {
	SPELLED_LONG, /* as late as possible: "twenty-four | ninety" */
	SPELLED_UNIT_AHEAD, /* a unit belongs to what follows: "seven | twenty | four hundred" */
	SPELLED_HUNDRED_ALONE, /* "thirty-eight | hundred seventy", where "hundred" is 100 */
	SPELLED_STYLES,
};

struct spelled_number {
	struct number_word last; /* of kind NONE: nothing was read yet */
	bool is_joined;		 /* "and" stood behind it */
	uint64_t total, part;	 /* before and after the last "thousand" */
	bool has_part;
	enum spelled_number_style style;
	unsigned unit; /* that was added to a ten; 0 if none was */
};

/*
 * Returns false if it does not continue the number, which has ended. Begin with a struct in which
 * only the style is set.
 */
bool spelled_number_add(struct spelled_number *number, const struct number_word *word);
bool spelled_number_is_empty(const struct spelled_number *number);
uint64_t spelled_number_value(const struct spelled_number *number);
/*
 * Moves the unit behind a ten to a number of its own if the style puts it before `word`, which did
 * not continue the number. Returns false if it does not.
 */
bool spelled_number_split(struct spelled_number *number, const struct number_word *word,
			  struct spelled_number *next_out);
