/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers/number_plans.h"

/* Where the digit leads; 0: no number goes on so. */
static uint16_t step(uint16_t state, char digit)
{
	unsigned place = (unsigned)(digit - '0'); /* of "+" and others: above 9 */
	unsigned partition = plan_words[state] >> PLAN_OUTPUT_BITS;
	unsigned pair, slot;

	if (place > 9)
		return 0;
	pair = plan_partitions[partition * PLAN_PARTITION_BYTES + place / 2];
	slot = place % 2 ? pair >> 4 : pair & PLAN_NO_SLOT;
	return slot == PLAN_NO_SLOT ? 0 : plan_words[state + 1 + slot];
}

static unsigned output_of(uint16_t state)
{
	return plan_outputs[plan_words[state] & ((1 << PLAN_OUTPUT_BITS) - 1)];
}

unsigned plan_look(uint16_t plan, const char *digits)
{
	while (plan && *digits)
		plan = step(plan, *digits++);
	return plan ? output_of(plan) : 0;
}

unsigned plan_look_along(uint16_t plan, const char *digits)
{
	unsigned along = 0;

	while (plan && *digits) {
		plan = step(plan, *digits++);
		along |= plan ? output_of(plan) : 0;
	}
	return along;
}
