/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/batch_turn.h"

#include <assert.h>

/* A timer that is due at once: see doc/architecture.md, sd-event 1. */
static bool start_timer(struct batch_turns *turns)
{
	return sd_event_source_set_time(turns->timer, 0) >= 0 &&
	       sd_event_source_set_enabled(turns->timer, SD_EVENT_ONESHOT) >= 0;
}

static int on_turn(sd_event_source *source, uint64_t usec, void *data)
{
	struct batch_turns *turns = data;
	struct batch_turn *turn = TAILQ_FIRST(&turns->waiting);

	(void)source;
	(void)usec;
	batch_turn_leave(turn);
	if (!TAILQ_EMPTY(&turns->waiting))
		start_timer(turns);
	turn->go_on(turn);
	return 0;
}

int batch_turns_init(struct batch_turns *turns, sd_event *loop)
{
	int error;

	turns->timer = NULL;
	TAILQ_INIT(&turns->waiting);
	if (!loop)
		return 0;
	error = sd_event_add_time(loop, &turns->timer, CLOCK_MONOTONIC, UINT64_MAX, 1,
				  on_turn, turns);
	if (error < 0)
		return error;
	return sd_event_source_set_enabled(turns->timer, SD_EVENT_OFF);
}

void batch_turns_deinit(struct batch_turns *turns)
{
	assert(TAILQ_EMPTY(&turns->waiting));
	turns->timer = sd_event_source_disable_unref(turns->timer);
}

bool batch_turn_wait(struct batch_turns *turns, struct batch_turn *turn)
{
	if (!turns->timer || !start_timer(turns))
		return false;
	turn->turns = turns;
	TAILQ_INSERT_TAIL(&turns->waiting, turn, link);
	return true;
}

void batch_turn_leave(struct batch_turn *turn)
{
	if (!turn->turns)
		return;
	TAILQ_REMOVE(&turn->turns->waiting, turn, link);
	if (TAILQ_EMPTY(&turn->turns->waiting))
		sd_event_source_set_enabled(turn->turns->timer, SD_EVENT_OFF);
	turn->turns = NULL;
}
