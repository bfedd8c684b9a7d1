/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The message store is read at most once in METRIC_LIMITS_MS. */
#include "unit_test.h"
#include "policy_request.h"
#include "gateway/web.h"

static struct metric_limits limits;
static struct services services;

static int set_up(void **state)
{
	int error = request_set_up(state);

	memset(&limits, 0, sizeof(limits));
	services = (struct services){ .sims = sims, .policy = policy };
	fake_modem_ready("/sim0", "1");
	turn();
	return error;
}

/* What is left of the only SIM's hourly limit, as /metrics would show it now. */
static int64_t left(void)
{
	metric_limits_refresh(&limits, &services);
	for (unsigned at = 0; at < limits.count; at++) {
		if (limits.rows[at].limit.unit == LIMIT_HOUR)
			return limits.rows[at].left;
	}
	return -1;
}

FIXTURE(set_up, policy_tear_down)

TEST(test_limits_are_counted_once_in_ten_seconds)
{
	int64_t sim_id = TAILQ_FIRST(sims_list(sims))->id;

	configure("sim_per_hour", "5");
	assert_int_equal(left(), 5);
	submit(sim_id, "one");
	turn();
	assert_int_equal(left(), 5);
	boot_now_ms += METRIC_LIMITS_MS - 1;
	assert_int_equal(left(), 5);
	boot_now_ms++;
	assert_int_equal(left(), 4);
	submit(sim_id, "two");
	turn();
	boot_now_ms += METRIC_LIMITS_MS;
	assert_int_equal(left(), 4); /* it waits for the first one */
}

TEST(test_a_limit_of_zero_is_left_out)
{
	configure("sim_per_hour", "0");
	assert_int_equal(left(), -1);
}
