/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbering plans: the tables that generate.py writes into the build folder, and how to read
 * them.
 *
 * A plan is an automaton over digits. A state is a word, followed by the places of the states
 * that it leads to. The word holds the number of its partition and, in the lower bits, of its
 * output. A partition has ten half-bytes, one for each digit: which of those places the digit
 * leads to, or that no number continues so.
 *
 * A prefix program matches the beginning of a number like Python's re.match(): the first
 * alternative that fits wins. program.py compiles them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "numbers/country.h"

enum {
	PLAN_OUTPUT_BITS = 4,
	PLAN_NO_SLOT = 15,
	PLAN_PARTITION_BYTES = 5,
	PLAN_GROUPS_MAX = 2,
};

/* What a state of a plan says. */
enum plan_output {
	PLAN_GENERAL = 1 << 0, /* the general pattern of national numbers fits */
	PLAN_COST_SHIFT = 1,   /* two bits, enum number_cost */
	PLAN_NEEDS_TRUNK = 1 << 3,
	PLAN_ONLY_COSTLY = 1 << 4, /* not a number; all that begin so cost extra */
};

/* What a state of a plan of short numbers says. */
enum plan_short_output {
	PLAN_EMERGENCY = 1 << 0,
	PLAN_SHORT_PREMIUM = 1 << 1,
	PLAN_SHORT_VALID = 1 << 2,
};

extern const char plan_version[]; /* of libphonenumber's metadata */
extern const uint8_t plan_outputs[];
extern const uint16_t plan_words[];
extern const uint8_t plan_partitions[];
extern const uint16_t plan_programs[];
extern const struct country plan_countries[]; /* by calling code, then order */
extern const size_t plan_country_count;
extern const size_t plan_bytes; /* of all tables; tests/unit/test_number.c limits them */

/*
 * Returns the output for the digits in the plan that begins with this state; 0 if they are no
 * number.
 */
unsigned plan_lookup(uint16_t plan, const char *digits);
/* Returns the outputs for the digits and all their beginnings, or-ed. */
unsigned plan_lookup_along(uint16_t plan, const char *digits);

struct plan_prefix {
	const char *end; /* what follows the prefix */
	/* of each group; NULL if it is not there */
	const char *places[2 * PLAN_GROUPS_MAX];
};

/* Program 0 matches nothing. */
bool plan_match_prefix(uint16_t program, const char *digits,
		       struct plan_prefix *prefix_out);
