/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metric limits: what is left of each SIM's limits, as counted a moment ago.
 *
 * Counting reads the message store, so it happens at most once in METRIC_LIMITS_MS, however
 * often /metrics is read (tests/unit/test_metric_limits.c).
 */
#ifndef GATEWAY_METRIC_LIMITS_H
#define GATEWAY_METRIC_LIMITS_H

#include "policy/limit.h"
#include "tools/services.h"

enum { METRIC_LIMITS_MS = 10 * 1000, METRIC_LIMITS_MAX = 64 };

/* All zero: never read. */
struct metric_limits {
	struct metric_limits_row {
		struct limit limit;
		int64_t left;
	} rows[METRIC_LIMITS_MAX];
	unsigned count;
	int64_t read_ms; /* by the monotonic clock; 0: never */
};

/* Counts again, unless the figures are younger than METRIC_LIMITS_MS. */
void metric_limits_refresh(struct metric_limits *limits, const struct services *services);

#endif
