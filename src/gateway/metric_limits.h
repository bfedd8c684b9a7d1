/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metric limits: what is left of the limits of each SIM, as it was a moment ago.
 *
 * Counting that reads the ledger, so it is done once in METRIC_LIMITS_MS, however often
 * somebody asks (tests/unit/test_metric_limits.c).
 */
#ifndef GATEWAY_METRIC_LIMITS_H
#define GATEWAY_METRIC_LIMITS_H

#include "policy/limit.h"
#include "tools/services.h"

enum { METRIC_LIMITS_MS = 10 * 1000, METRIC_LIMITS_MAX = 64 };

/* Of zeroes it was never read. */
struct metric_limits {
	struct metric_limit {
		struct limit limit;
		int64_t left;
	} rows[METRIC_LIMITS_MAX];
	unsigned count;
	int64_t read_ms; /* by the monotonic clock; 0: never */
};

/* Reads them, when that was long ago. */
void metric_limits_refresh(struct metric_limits *limits, const struct services *services);

#endif
