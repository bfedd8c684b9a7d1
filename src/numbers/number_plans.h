/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number plans: the tables that generate.py writes into the build folder.
 *
 * A state is a word, then the places of the states that it leads to. The word has the number
 * of its partition and, in the lower bits, of what it says. A partition has ten half-bytes,
 * one for each digit: which of those places is meant, or that no number goes on so.
 */
#ifndef NUMBERS_NUMBER_PLANS_H
#define NUMBERS_NUMBER_PLANS_H

#include "numbers/country.h"

enum {
	PLAN_OUTPUT_BITS = 4,
	PLAN_NO_SLOT = 15,
	PLAN_PARTITION_BYTES = 5,
};

/* What a state of a plan says. */
enum plan_output {
	PLAN_GENERAL = 1 << 0, /* the general pattern of national numbers fits */
	PLAN_COST_SHIFT = 1,   /* two bits, enum number_cost */
	PLAN_NEEDS_TRUNK = 1 << 3,
	PLAN_ONLY_COSTLY = 1 << 4, /* no number; all that begin so cost extra */
};

/* ... and one of a plan of short numbers. */
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
extern const size_t plan_bytes; /* of all tables; tests/unit/test_number.c bounds them */

/* What the digits are in the plan that begins with this state; 0: no number. */
unsigned plan_look(uint16_t plan, const char *digits);
/* ... and what all their beginnings are, one with the other. */
unsigned plan_look_along(uint16_t plan, const char *digits);

#endif
