/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/web.h"

#include "base/clock.h"

static void metric_limits_add(void *data, const struct limit *limit, int64_t left,
			      int64_t frees_ms)
{
	struct metric_limits *limits = data;

	if (limits->count == METRIC_LIMITS_MAX)
		return;
	limits->rows[limits->count++] = (struct metric_limits_row){ *limit, left };
}

void metric_limits_refresh(struct metric_limits *limits, const struct services *services)
{
	struct policy_limit_visit visit = { .visit = metric_limits_add, .data = limits };
	int64_t now_ms = clock_monotonic_ms();
	const struct sim *sim;

	if (limits->read_ms && now_ms - limits->read_ms < METRIC_LIMITS_MS)
		return;
	limits->read_ms = now_ms;
	limits->count = 0;
	TAILQ_FOREACH (sim, sims_list(services->sims), link)
		policy_list_limits(services->policy, NULL, sim->id, &visit);
}
