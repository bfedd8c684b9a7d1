/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times that policy_find_slot() finds: for lists of messages against minute, hour and day
 * limits, the monthly budget and quiet hours.
 */
#include "unit_test.h"
#include "policy_request.h"

enum { MESSAGES_MAX = 100, OTHERS_MAX = 40, ROUNDS = 12 };

static struct limit_planned planned[MESSAGES_MAX];
static struct limit_plan plan;
static struct policy_verdict verdict;

static int set_up(void **state)
{
	int error = request_set_up(state);

	plan = (struct limit_plan){ .items = planned };
	request.plan = &plan;
	bench_config.duplicate_seconds = 0;
	bench_config.policy.client = (struct client_limits){ 0, 0, 0, 0 };
	bench_config.policy.sim = (struct client_limits){ 0, 0, 0, 0 };
	bench_config.queue_limit = 1000;
	return error;
}

/* The slot of one more message of the list; 0: none. */
static int64_t slot(int64_t wished_ms)
{
	struct policy_request wish = request;

	wish.send_at_ms = wished_ms;
	if (policy_find_slot(policy, &wish, &verdict)) {
		assert_int_equal(wish.send_at_ms, wished_ms);
		return 0;
	}
	if (!wish.send_at_ms)
		return bench_wall_ms();
	return wish.send_at_ms;
}

static int64_t plan_one(int64_t wished_ms)
{
	int64_t at_ms = slot(wished_ms);

	if (at_ms)
		planned[plan.count++] =
			(struct limit_planned){ at_ms, at_ms, request.segments };
	return at_ms;
}

static void store_one(int64_t send_at_ms)
{
	const struct store_message_draft draft = {
		.sim_id = 1,
		.client_id = client.id,
		.number = "+36201234567",
		.text = "x",
		.segments = request.segments,
		.send_at_ms = send_at_ms,
	};
	int64_t id;

	assert_int_equal(store_message_add(store, &draft, &id), 0);
}

FIXTURE(set_up, policy_tear_down)

TEST(test_what_fits_now_goes_now)
{
	assert_int_equal(slot(0), bench_wall_ms());
	assert_int_equal(slot(NOON_MS + HOUR_MS), NOON_MS + HOUR_MS);
}

TEST(test_a_full_minute_moves_messages_to_the_next)
{
	bench_config.policy.client.per_minute = 3;
	for (int i = 0; i < 9; i++)
		assert_int_equal(plan_one(0), NOON_MS + i / 3 * (int64_t)MINUTE_MS);
}

TEST(test_slots_are_whole_seconds_after_a_margin)
{
	bench_config.policy.client.per_minute = 1;
	boot_now_ms += 700;
	assert_int_equal(plan_one(0), NOON_MS + 700);
	assert_int_equal(plan_one(0), NOON_MS + MINUTE_MS + 2 * SECOND_MS);
	assert_int_equal(plan_one(0), NOON_MS + 2 * MINUTE_MS + 2 * SECOND_MS);
}

TEST(test_a_slot_is_never_before_the_wished_time)
{
	bench_config.policy.sim.per_hour = 2;
	for (int i = 0; i < 6; i++)
		assert_int_equal(plan_one(NOON_MS + 5 * HOUR_MS),
				 NOON_MS + (5 + i / 2) * (int64_t)HOUR_MS);
}

TEST(test_quiet_hours_stay_free)
{
	configure("quiet_hours", "13:00-15:30");
	bench_config.policy.client.per_hour = 1;
	assert_int_equal(plan_one(0), NOON_MS);
	assert_int_equal(plan_one(0), NOON_MS + 3 * HOUR_MS + 30 * MINUTE_MS);
	assert_int_equal(plan_one(0), NOON_MS + 4 * HOUR_MS + 30 * MINUTE_MS);
	assert_int_equal(slot(NOON_MS + 2 * HOUR_MS),
			 NOON_MS + 5 * HOUR_MS + 30 * MINUTE_MS);
}

/* 21 November: the month ends in less than ten days. */
TEST(test_a_used_up_month_moves_messages_to_the_next)
{
	const int64_t december_ms =
		NOON_MS - 12 * HOUR_MS + 10 * (int64_t)CLOCK_MS_PER_DAY;

	bench_config.policy.client.segments_per_month = 5;
	request.segments = 2;
	assert_int_equal(plan_one(0), NOON_MS);
	assert_int_equal(plan_one(0), NOON_MS);
	assert_int_equal(plan_one(0), december_ms);
	assert_int_equal(plan_one(0), december_ms);
	assert_int_equal(plan_one(0), 0);
	assert_string_equal(verdict.code, "budget_exhausted");
}

TEST(test_nothing_is_planned_beyond_the_horizon)
{
	bench_config.policy.client.per_day = 1;
	for (int day = 0; day <= POLICY_SLOT_DAYS; day++)
		assert_int_equal(plan_one(0), NOON_MS + day * (int64_t)CLOCK_MS_PER_DAY);
	assert_int_equal(plan_one(0), 0);
	assert_string_equal(verdict.code, "rate_limited");
	assert_int_equal(verdict.fits, 1);
}

/* Scheduling and cancelling uses up a client's hours; spreading does not get around that. */
TEST(test_accepted_messages_hold_back_slots)
{
	request.plan = NULL;
	bench_config.policy.client.per_hour = 3;
	for (int day = 1; day <= 3; day++)
		store_one(NOON_MS + day * (int64_t)CLOCK_MS_PER_DAY);
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REFUSED);
	assert_int_equal(slot(0), NOON_MS + HOUR_MS);
}

TEST(test_what_time_does_not_end_stays_refused)
{
	bench_config.policy.client.per_minute = 1;
	plan_one(0);
	configure("deny", "+36201234567");
	assert_int_equal(slot(0), 0);
	assert_string_equal(verdict.code, "recipient_not_allowed");
}

TEST(test_a_refusal_says_how_many_fit_and_when)
{
	request.plan = NULL;
	bench_config.policy.client.per_minute = 3;
	store_one(0);
	boot_now_ms += 20 * SECOND_MS;
	store_one(0);
	store_one(0);
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REFUSED);
	assert_int_equal(verdict.retry_after_seconds, 40);
	assert_int_equal(verdict.fits, 1);
	boot_now_ms += 40 * SECOND_MS;
	store_one(0);
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REFUSED);
	assert_int_equal(verdict.retry_after_seconds, 20);
	assert_int_equal(verdict.fits, 2);
}

TEST(test_a_full_queue_counts_the_messages_of_the_list)
{
	bench_config.queue_limit = 3;
	for (int i = 0; i < 3; i++)
		assert_int_not_equal(plan_one(0), 0);
	assert_int_equal(plan_one(0), 0);
	assert_string_equal(verdict.code, "queue_full");
}

/* ---- random lists -------------------------------------------------------------------- */

static int64_t times_ms[MESSAGES_MAX + OTHERS_MAX];
static size_t time_count;

/* The most in any window of this length. */
static int64_t fullest(int64_t span_ms)
{
	int64_t most = 0;

	for (size_t i = 0; i < time_count; i++) {
		int64_t count = 0;

		for (size_t j = 0; j < time_count; j++)
			count += times_ms[j] >= times_ms[i] &&
				 times_ms[j] - times_ms[i] < span_ms;
		most = count > most ? count : most;
	}
	return most;
}

/* Is there room for one more at this time, by the definition of the limits? */
static bool fits(int64_t at_ms)
{
	const struct client_limits *limits = &bench_config.policy.client;
	bool fit;

	times_ms[time_count++] = at_ms;
	fit = fullest(MINUTE_MS) <= limits->per_minute &&
	      fullest(HOUR_MS) <= limits->per_hour &&
	      fullest(CLOCK_MS_PER_DAY) <= limits->per_day;
	time_count--;
	return fit;
}

static void add_others(void)
{
	for (int i = 0; i < OTHERS_MAX; i++) {
		int64_t at_ms = NOON_MS + rand() % (6 * HOUR_MS) / SECOND_MS * SECOND_MS;

		if (!fits(at_ms))
			continue;
		store_one(at_ms);
		times_ms[time_count++] = at_ms;
	}
}

static void spread_a_list(unsigned seed)
{
	int64_t before_ms = 0;

	srand(seed);
	time_count = plan.count = 0;
	bench_config.policy.client =
		(struct client_limits){ 1 + rand() % 4, 5 + rand() % 20, 60, 0 };
	add_others();
	for (int i = 0; i < MESSAGES_MAX; i++) {
		int64_t at_ms = plan_one(0);

		if (!at_ms)
			break;
		assert_true(at_ms >= before_ms);
		assert_true(fits(at_ms));
		times_ms[time_count++] = before_ms = at_ms;
	}
	assert_true(plan.count > MESSAGES_MAX / 2);
}

TEST(test_random_lists_exceed_no_limit)
{
	for (unsigned seed = 1; seed <= ROUNDS; seed++) {
		print_message("seed %u\n", seed);
		spread_a_list(seed);
		policy_tear_down(state);
		set_up(state);
	}
}
