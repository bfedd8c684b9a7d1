/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limit: how many messages may be accepted in any minute, hour or day, and how many segments
 * in a month, by one client or from one SIM.
 *
 * A message counts at the time at which it may go out: now, or its send_at. No minute, hour
 * or day, wherever it begins, holds more than its limit, in whatever order messages were
 * accepted (tests/unit/test_policy_random.c). Towards a client's hours and days it also
 * counts when it is accepted: else scheduling and cancelling would have no limit.
 */
#ifndef POLICY_LIMIT_H
#define POLICY_LIMIT_H

#include <stdbool.h>

#include "base/client.h"
#include "store/store_usage.h"

struct config_policy;

enum limit_unit { LIMIT_MINUTE, LIMIT_HOUR, LIMIT_DAY, LIMIT_MONTH };

struct limit {
	enum store_usage_by by;
	enum limit_unit unit;
	int64_t id;
	int64_t most; /* messages; LIMIT_MONTH: segments; 0: there is none */
};

enum { LIMITS_MAX = 8 };

/*
 * Those that there are, shortest first; sim_id 0: none of a SIM, client NULL: none of one.
 * The client's own come before what all have.
 */
size_t limit_list(const struct config_policy *policy, const struct client *client,
		  int64_t sim_id, struct limit limits_out[LIMITS_MAX]);

const char *limit_unit_name(enum limit_unit unit); /* "minute" */

/* What a message would be: when, by the wall clock (0 now), and how large. */
struct limit_wish {
	int64_t at_ms;
	unsigned segments;
};

struct limit_place {
	int64_t fits_ms;    /* wall clock: from when it fits in, at_ms or later */
	struct limit limit; /* if later: the one that is in the way first */
	bool is_acceptance; /* ... it is about when messages are accepted */
};

/*
 * Looks for a place that is free in each of them, months aside. 0 or -errno, -ENOMEM. With
 * very many scheduled ahead fits_ms may be too early, never too late.
 */
int limit_find_place(struct store *store, const struct limit *limits, size_t count,
		     const struct limit_wish *wish, struct limit_place *place_out);

/* The same for the months' budgets; place_out->limit.most is 0 when it fits into all. */
int limit_check_budgets(struct store *store, const struct limit *limits, size_t count,
			const struct limit_wish *wish, struct limit_place *place_out);

/* How many more fit in now, and when the next one is free again: 0, all are. 0 or -errno. */
int limit_left(struct store *store, const struct limit *limit, int64_t *left_out,
	       int64_t *frees_ms_out);

#endif
