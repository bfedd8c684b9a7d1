/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers/plan.h"

enum {
	PLAN_OPERAND_BITS = 13,
	PLAN_OPERAND = (1 << PLAN_OPERAND_BITS) - 1,
};

/* The instructions of program.py. */
enum plan_instruction {
	PLAN_MATCH,
	PLAN_DIGIT, /* one of a set */
	PLAN_SPLIT, /* try the next instruction; if that fails, jump */
	PLAN_JUMP,
	PLAN_SAVE, /* a place of a group */
	PLAN_END,  /* no digit follows */
};

/* Returns the state that the digit leads to; 0 if no number continues so. */
static uint16_t plan_step(uint16_t state, char digit)
{
	unsigned place = (unsigned)(digit - '0'); /* above 9 for "+" and others */
	unsigned partition = plan_words[state] >> PLAN_OUTPUT_BITS;
	unsigned pair, slot;

	if (place > 9)
		return 0;
	pair = plan_partitions[partition * PLAN_PARTITION_BYTES + place / 2];
	slot = place % 2 ? pair >> 4 : pair & PLAN_NO_SLOT;
	return slot == PLAN_NO_SLOT ? 0 : plan_words[state + 1 + slot];
}

static unsigned plan_state_output(uint16_t state)
{
	return plan_outputs[plan_words[state] & ((1 << PLAN_OUTPUT_BITS) - 1)];
}

unsigned plan_lookup(uint16_t plan, const char *digits)
{
	while (plan && *digits)
		plan = plan_step(plan, *digits++);
	return plan ? plan_state_output(plan) : 0;
}

unsigned plan_lookup_along(uint16_t plan, const char *digits)
{
	unsigned along = 0;

	while (plan && *digits) {
		plan = plan_step(plan, *digits++);
		along |= plan ? plan_state_output(plan) : 0;
	}
	return along;
}

/* Programs have no loops, so this ends, and recurses at most once for each split. */
static bool plan_run(const uint16_t *at, const char *digits, struct plan_prefix *prefix)
{
	for (;;) {
		unsigned operand = *at & PLAN_OPERAND;
		const char *before;

		switch ((enum plan_instruction)(*at >> PLAN_OPERAND_BITS)) {
		case PLAN_MATCH:
			prefix->end = digits;
			return true;
		case PLAN_DIGIT:
			if (*digits < '0' || *digits > '9' ||
			    !(operand >> (*digits - '0') & 1))
				return false;
			digits++;
			at++;
			break;
		case PLAN_SPLIT:
			if (plan_run(at + 1, digits, prefix))
				return true;
			at += operand;
			break;
		case PLAN_JUMP:
			at += operand;
			break;
		case PLAN_SAVE:
			before = prefix->places[operand];
			prefix->places[operand] = digits;
			if (plan_run(at + 1, digits, prefix))
				return true;
			prefix->places[operand] = before;
			return false;
		case PLAN_END:
			if (*digits)
				return false;
			at++;
			break;
		}
	}
}

bool plan_match_prefix(uint16_t program, const char *digits,
		       struct plan_prefix *prefix_out)
{
	*prefix_out = (struct plan_prefix){ 0 };
	return program && plan_run(plan_programs + program, digits, prefix_out);
}
