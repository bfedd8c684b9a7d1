/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A turn of sd-event serves one source (tests/unit/test_event_count.c). So turns that were
 * not announced by HTTP are known by the gap that they leave.
 */
#include "base/event_count.h"

static struct {
	uint64_t events;
	sd_event *loop; /* only compared */
	uint64_t turn;	/* of it, the last that served HTTP */
} count;

/* 0: it has not turned yet */
static uint64_t turn_of(sd_event *loop)
{
	uint64_t turn = 0;

	return loop && sd_event_get_iteration(loop, &turn) >= 0 ? turn : 0;
}

void event_count_add(void)
{
	count.events++;
}

void event_count_serve(sd_event *loop)
{
	uint64_t turn = turn_of(loop);

	if (loop != count.loop || (turn != count.turn && turn != count.turn + 1))
		count.events++;
	count.loop = loop;
	count.turn = turn;
}

bool event_count_read(sd_event *loop, uint64_t *count_out)
{
	uint64_t turn = turn_of(loop);

	if (!turn || loop != count.loop || turn != count.turn)
		return false;
	*count_out = count.events;
	return true;
}
