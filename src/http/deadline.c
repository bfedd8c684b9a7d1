/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/connection.h"

#include <assert.h>
#include <time.h>

#include "base/log.h"

enum { DEADLINE_ACCURACY_US = 50 * 1000 };

static uint64_t deadlines_now_us(struct deadlines *deadlines)
{
	uint64_t now = 0;

	sd_event_now(deadlines->loop, CLOCK_MONOTONIC, &now);
	return now;
}

static void deadlines_set_timer(struct deadlines *deadlines, uint64_t due_us)
{
	int error;

	if (due_us >= deadlines->timer_us)
		return;
	deadlines->timer_us = due_us;
	error = sd_event_source_set_time(deadlines->timer, due_us);
	if (error >= 0)
		error = sd_event_source_set_enabled(deadlines->timer, SD_EVENT_ONESHOT);
	if (error < 0)
		log_warning("http: deadline timer: error %d", -error);
}

static void deadlines_expire(struct deadlines *deadlines, enum deadline_kind kind,
			     uint64_t now)
{
	struct deadline_list *list = &deadlines->kinds[kind].list;
	struct deadline *deadline;

	while ((deadline = TAILQ_FIRST(list)) && deadline->due_us <= now) {
		deadline_clear(deadlines, deadline);
		deadline->expired(deadline);
	}
	if (deadline)
		deadlines_set_timer(deadlines, deadline->due_us);
}

static int deadlines_on_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	struct deadlines *deadlines = data;
	uint64_t now = deadlines_now_us(deadlines);

	deadlines->timer_us = UINT64_MAX;
	for (int kind = 0; kind < DEADLINE_KINDS; kind++)
		deadlines_expire(deadlines, kind, now);
	return 0;
}

int deadlines_init(struct deadlines *deadlines, sd_event *loop,
		   const uint64_t period_ms[DEADLINE_KINDS])
{
	int kind;

	deadlines->loop = loop;
	deadlines->timer = NULL;
	deadlines->timer_us = UINT64_MAX;
	for (kind = 0; kind < DEADLINE_KINDS; kind++) {
		TAILQ_INIT(&deadlines->kinds[kind].list);
		deadlines->kinds[kind].period_us = period_ms[kind] * 1000;
	}
	return sd_event_add_time(loop, &deadlines->timer, CLOCK_MONOTONIC, UINT64_MAX,
				 DEADLINE_ACCURACY_US, deadlines_on_timer, deadlines);
}

void deadlines_deinit(struct deadlines *deadlines)
{
	for (int kind = 0; kind < DEADLINE_KINDS; kind++)
		assert(TAILQ_EMPTY(&deadlines->kinds[kind].list));
	deadlines->timer = sd_event_source_disable_unref(deadlines->timer);
}

void deadline_set(struct deadlines *deadlines, struct deadline *deadline,
		  enum deadline_kind kind)
{
	deadline_clear(deadlines, deadline);
	deadline->due_us = deadlines_now_us(deadlines) + deadlines->kinds[kind].period_us;
	deadline->kind = kind;
	TAILQ_INSERT_TAIL(&deadlines->kinds[kind].list, deadline, link);
	deadlines_set_timer(deadlines, deadline->due_us);
}

void deadline_clear(struct deadlines *deadlines, struct deadline *deadline)
{
	if (!deadline->due_us)
		return;
	TAILQ_REMOVE(&deadlines->kinds[deadline->kind].list, deadline, link);
	deadline->due_us = 0;
}
