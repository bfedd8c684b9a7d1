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

struct spelled_number {
	struct number_word last; /* of kind NONE: nothing was read yet */
	bool is_joined;		 /* "and" stood behind it */
	uint64_t total, part;	 /* before and after the last "thousand" */
	bool has_part;
};

/* Returns false if it does not continue the number, which has ended. Begin with an empty struct. */
bool spelled_number_add(struct spelled_number *number, const struct number_word *word);
bool spelled_number_is_empty(const struct spelled_number *number);
uint64_t spelled_number_value(const struct spelled_number *number);
