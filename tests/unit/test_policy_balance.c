/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a low balance refuses, and what ends that. */
#include "unit_test.h"
#include "config/config.h"
#include "policy/policy.h"
#include "policy_request.h"

static void read_balance(int64_t sim_id, int64_t whole)
{
	const struct balance balance = { { whole * 1000, 0 }, "HUF" };

	assert_int_equal(policy_put_balance(policy, sim_id, "*100#", &balance), 0);
}

static void wait_hours(int hours)
{
	boot_now_ms += hours * (int64_t)HOUR_MS;
}

FIXTURE(request_set_up, policy_tear_down)

TEST(test_a_low_balance_refuses_until_a_new_reading)
{
	struct policy_verdict verdict;

	configure("minimum_balance", "500");
	assert_string_equal(code(), ""); /* it was never read */
	read_balance(1, 499);
	assert_string_equal(code(), "budget_exhausted");
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REFUSED);
	assert_string_equal(
		verdict.message,
		"The balance of the SIM with subscription_id 1 was 499 HUF at "
		"2026-11-21T12:00:00+00:00 (the network's answer to *100#), and the "
		"owner's minimum is 500.");
	assert_non_null(strstr(verdict.fix, "send_ussd"));
	assert_int_equal(verdict.retry_after_seconds, 24 * 60 * 60);
	read_balance(1, 500);
	assert_string_equal(code(), "");
}

TEST(test_a_low_balance_refuses_calls)
{
	configure("minimum_balance", "500");
	request.act = POLICY_CALL;
	request.text = NULL;
	request.segments = 0;
	assert_string_equal(code(), "");
	read_balance(1, 499);
	assert_string_equal(code(), "budget_exhausted");
}

TEST(test_a_forgotten_balance_refuses_nothing)
{
	configure("minimum_balance", "500");
	read_balance(1, 0);
	assert_string_equal(code(), "budget_exhausted");
	assert_int_equal(policy_forget_balance(policy, 2), STORE_E_NOT_FOUND);
	assert_string_equal(code(), "budget_exhausted");
	assert_int_equal(policy_forget_balance(policy, 1), 0);
	assert_string_equal(code(), "");
}

/* Also after a restart; setting the clock makes a reading no older. */
TEST(test_an_old_reading_refuses_nothing)
{
	configure("minimum_balance", "500");
	configure("balance_hours", "48");
	read_balance(1, 1);
	wait_hours(47);
	wall_epoch_ms += 30 * (int64_t)CLOCK_MS_PER_DAY;
	policy_restart(NULL);
	assert_string_equal(code(), "budget_exhausted");
	wait_hours(1);
	assert_string_equal(code(), "");
	configure("balance_hours", "49");
	assert_string_equal(code(), "budget_exhausted");
}

TEST(test_a_balance_belongs_to_its_sim)
{
	struct policy_balance_state balance;

	configure("countries", "any");
	configure("minimum_balance", "500 2=-10.50");
	read_balance(1, 400);
	read_balance(2, -10);
	assert_string_equal(code(), "budget_exhausted");
	request.sim_id = 2;
	assert_string_equal(code(), "");
	assert_int_equal(policy_get_balance(policy, 2, &balance), 0);
	assert_true(balance.has_minimum && !balance.is_low);
	read_balance(2, -11);
	assert_string_equal(code(), "budget_exhausted");
	request.sim_id = 0; /* not known yet */
	assert_string_equal(code(), "");
}

TEST(test_without_a_minimum_nothing_is_refused)
{
	struct policy_balance_state balance;

	read_balance(1, -1000);
	assert_string_equal(code(), "");
	configure("minimum_balance", "2=5");
	assert_string_equal(code(), "");
	assert_int_equal(policy_get_balance(policy, 1, &balance), 0);
	assert_false(balance.has_minimum || balance.is_low);
}

static void count(void *data, const void *event)
{
	++*(unsigned *)data;
}

TEST(test_observers_are_notified_of_readings)
{
	struct observer observer = { 0 };
	unsigned told = 0;

	observer_add(policy_observers(policy), &observer, count, &told);
	read_balance(1, 5);
	assert_int_equal(told, 1);
	policy_forget_balance(policy, 1);
	assert_int_equal(told, 2);
	policy_forget_balance(policy, 1);
	assert_int_equal(told, 2);
	observer_remove(&observer);
}

TEST(test_each_sim_can_have_its_own_minimum)
{
	static const char *const wrong[] = { "none", "1 500", "12,50", "0=5", "=5",
					     "2=",   "2=3=4", "+5",    "5 6", "1.2.3" };
	struct config_policy config;
	struct explanation error;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		config = bench_config.policy;
		config.minimum_balance.count = 1;
		strcpy(config.minimum_balance.items[0], wrong[i]);
		if (!config_policy_check(&config, &error))
			fail_msg("%s", wrong[i]);
		assert_non_null(strstr(error.text, "policy.minimum_balance: "));
	}
}
