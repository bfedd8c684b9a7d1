/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers/prefix.h"

#include "numbers/number_plans.h"

enum { OPERAND_BITS = 13, OPERAND = (1 << OPERAND_BITS) - 1 };

/* program.py */
enum prefix_kind {
	PREFIX_MATCH,
	PREFIX_DIGIT, /* one of a set */
	PREFIX_SPLIT, /* go on here; where that fails, so much further */
	PREFIX_JUMP,
	PREFIX_SAVE, /* a place of a group */
	PREFIX_END,  /* no digit follows */
};

/* Programs have no circles: this ends, and goes no deeper than a program has splits. */
static bool run(const uint16_t *at, const char *digits, struct prefix_match *match)
{
	for (;;) {
		unsigned operand = *at & OPERAND;
		const char *before;

		switch ((enum prefix_kind)(*at >> OPERAND_BITS)) {
		case PREFIX_MATCH:
			match->end = digits;
			return true;
		case PREFIX_DIGIT:
			if (*digits < '0' || *digits > '9' ||
			    !(operand >> (*digits - '0') & 1))
				return false;
			digits++;
			at++;
			break;
		case PREFIX_SPLIT:
			if (run(at + 1, digits, match))
				return true;
			at += operand;
			break;
		case PREFIX_JUMP:
			at += operand;
			break;
		case PREFIX_SAVE:
			before = match->places[operand];
			match->places[operand] = digits;
			if (run(at + 1, digits, match))
				return true;
			match->places[operand] = before;
			return false;
		case PREFIX_END:
			if (*digits)
				return false;
			at++;
			break;
		}
	}
}

bool prefix_match(uint16_t program, const char *digits, struct prefix_match *match_out)
{
	*match_out = (struct prefix_match){ 0 };
	return program && run(plan_programs + program, digits, match_out);
}
