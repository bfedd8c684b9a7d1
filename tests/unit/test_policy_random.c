/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of clients, and of their shares of SIMs, against random requests: of several clients and
 * SIMs, immediate, scheduled and spread, with restarts of the program and of the machine, and a
 * clock that is set forward and back. After each accepted message every window that contains it is
 * counted again from the real times. A refused message must fit when the refusal says so, and not
 * before.
 *
 * The argument can be a seed, to repeat one run.
 */
#include "unit_test.h"
#include "config/config.h"
#include "policy_bench.h"
#include "sample.h"

enum {
	STEPS = 250,
	ROUNDS = 24,
	CLIENTS = 3,
	SIMS = 2,
	LIST_MAX = 8,
	MESSAGES_MAX = STEPS * LIST_MAX,
};

static unsigned first_seed = 1, rounds;

/* Accepted messages, in real time. */
static struct truth {
	int64_t client_id;
	int64_t sim_id;
	int64_t at_ms; /* real time; of a scheduled message, by the present clock */
	int64_t wall_ms;
	unsigned segments;
} truths[MESSAGES_MAX];

static unsigned accepted;
static size_t spread_count;
static int64_t real_ms; /* real time, which cannot be set */
static bool clock_was_set;

static bool chance(int percent)
{
	return rand() % 100 < percent;
}

static void pass(int64_t ms)
{
	real_ms += ms;
	boot_now_ms += ms;
}

/* Scheduled messages go out by the clock, due ones at once. */
static void move_clock(int64_t by_ms)
{
	clock_was_set = true;
	wall_epoch_ms += by_ms;
	for (unsigned i = 0; i < accepted; i++) {
		if (truths[i].at_ms <= real_ms)
			continue;
		truths[i].at_ms -= by_ms;
		if (truths[i].at_ms < real_ms)
			truths[i].at_ms = real_ms;
	}
}

/* The gateway checks the clock whenever something wakes it. */
static void set_clock(int64_t by_ms)
{
	int64_t now_ms, ahead_ms;

	move_clock(by_ms);
	assert_int_equal(store_usage_now(store, &now_ms, &ahead_ms), 0);
}

static void set_clock_meanwhile(void)
{
	move_clock((rand() % 200 - 100) * (int64_t)MINUTE_MS);
}

static void start_machine(void)
{
	int64_t off_ms = rand() % (3 * HOUR_MS);
	int64_t wall_ms = bench_wall_ms() + off_ms;

	real_ms += off_ms;
	snprintf(boot_id, sizeof(boot_id), "%d", atoi(boot_id) + 1);
	boot_now_ms = 20 * SECOND_MS;
	wall_epoch_ms = wall_ms - boot_now_ms;
}

static bool is_of(const struct truth *one, const struct truth *other,
		  enum store_usage_by by)
{
	return one->client_id == other->client_id &&
	       (by == USAGE_BY_CLIENT || one->sim_id == other->sim_id);
}

/* The most messages in any window of this length that contains the message. */
static int64_t fullest(const struct truth *message, enum store_usage_by by,
		       int64_t span_ms)
{
	int64_t most = 0;

	for (unsigned i = 0; i < accepted; i++) {
		int64_t from_ms = truths[i].at_ms, count = 0;

		if (!is_of(&truths[i], message, by) || from_ms > message->at_ms ||
		    message->at_ms - from_ms >= span_ms)
			continue;
		for (unsigned j = 0; j < accepted; j++)
			count += is_of(&truths[j], message, by) &&
				 truths[j].at_ms >= from_ms &&
				 truths[j].at_ms - from_ms < span_ms;
		if (count > most)
			most = count;
	}
	return most;
}

static int month_of(int64_t wall_ms)
{
	time_t seconds = wall_ms / 1000;

	return gmtime(&seconds)->tm_mon;
}

static int64_t month_used(const struct truth *message, enum store_usage_by by)
{
	int64_t segments = 0;

	for (unsigned i = 0; i < accepted; i++) {
		if (is_of(&truths[i], message, by) &&
		    month_of(truths[i].wall_ms) == month_of(message->wall_ms))
			segments += truths[i].segments;
	}
	return segments;
}

static void assert_limits(const struct truth *message, enum store_usage_by by,
			  const struct client_limits *limits)
{
	assert_in_range(fullest(message, by, MINUTE_MS), 1, limits->per_minute);
	assert_in_range(fullest(message, by, HOUR_MS), 1, limits->per_hour);
	assert_in_range(fullest(message, by, CLOCK_MS_PER_DAY), 1, limits->per_day);
	if (!clock_was_set) /* a month is by the wall clock */
		assert_in_range(month_used(message, by), 1, limits->segments_per_month);
}

static struct client client_of(int64_t id)
{
	struct client client = client_open;

	client.id = id;
	if (id == 2)
		client.limits = (struct client_limits){ 2, -1, 5, -1 };
	return client;
}

static struct client_limits limits_in_force(const struct client *client)
{
	struct client_limits limits = bench_config.policy.client;

	if (client->limits.per_minute >= 0)
		limits.per_minute = client->limits.per_minute;
	if (client->limits.per_day >= 0)
		limits.per_day = client->limits.per_day;
	return limits;
}

static void note(const struct client *client, const struct store_message_draft *draft)
{
	int64_t wall_ms = bench_wall_ms(), later_ms = draft->send_at_ms - wall_ms;
	struct client_limits limits = limits_in_force(client);
	struct truth *message = &truths[accepted];
	int64_t id;

	assert_true(accepted < MESSAGES_MAX);
	assert_int_equal(store_message_add(store, draft, &id), 0);
	if (!draft->send_at_ms || later_ms < 0)
		later_ms = 0;
	*message = (struct truth){ draft->client_id, draft->sim_id, real_ms + later_ms,
				   wall_ms + later_ms, draft->segments };
	accepted++;
	assert_limits(message, USAGE_BY_CLIENT, &limits);
	assert_limits(message, USAGE_BY_SHARE, &bench_config.policy.sim);
}

static int judge(const struct client *client, const struct store_message_draft *draft,
		 struct policy_verdict *verdict)
{
	struct policy_request request = {
		.arena = arena,
		.client = client,
		.segments = draft->segments,
		.sim_id = draft->sim_id,
		.send_at_ms = draft->send_at_ms,
	};

	return policy_check(policy, &request, verdict);
}

/* The time at which a refused message fits is exact to the second. */
static void wait_it_out(const struct client *client,
			const struct store_message_draft *draft, int64_t seconds)
{
	struct policy_verdict verdict;

	assert_in_range(seconds, 1, 40 * 24 * 60 * 60);
	pass((seconds - 1) * SECOND_MS);
	assert_int_equal(judge(client, draft, &verdict), POLICY_E_REFUSED);
	pass(SECOND_MS);
	assert_int_equal(judge(client, draft, &verdict) == 0 ||
				 strcmp(verdict.code, "budget_exhausted") == 0,
			 1);
	if (!judge(client, draft, &verdict))
		note(client, draft);
}

static void call(void)
{
	struct client client = client_of(rand() % CLIENTS);
	struct store_message_draft draft = {
		.sim_id = 1 + rand() % SIMS,
		.client_id = client.id,
		.number = "+36201234567",
		.text = "x",
		.segments = 1 + (unsigned)rand() % 3,
	};
	struct policy_verdict verdict;

	if (chance(30)) {
		draft.send_at_ms = bench_wall_ms() + rand() % (2 * HOUR_MS);
		draft.state = STATE_SCHEDULED;
	}
	if (!judge(&client, &draft, &verdict))
		note(&client, &draft);
	else if (!draft.send_at_ms && strcmp(verdict.code, "rate_limited") == 0 &&
		 chance(10))
		wait_it_out(&client, &draft, verdict.retry_after_seconds);
}

/* A call to several recipients: each gets the first free time after those before it. */
static void spread(void)
{
	struct client client = client_of(rand() % CLIENTS);
	struct limit_planned planned[LIST_MAX];
	struct limit_plan plan = { .items = planned };
	struct store_message_draft draft = {
		.sim_id = 1 + rand() % SIMS,
		.client_id = client.id,
		.number = "+36201234567",
		.text = "x",
		.segments = 1,
	};
	struct policy_request request = {
		.arena = arena,
		.client = &client,
		.segments = 1,
		.sim_id = draft.sim_id,
		.plan = &plan,
	};
	struct policy_verdict verdict;

	for (int count = 2 + rand() % (LIST_MAX - 2); count; count--) {
		request.send_at_ms = 0;
		if (policy_find_slot(policy, &request, &verdict))
			break;
		planned[plan.count++] = (struct limit_planned){ request.send_at_ms,
								request.send_at_ms, 1 };
	}
	for (size_t i = 0; i < plan.count; i++) {
		draft.send_at_ms = planned[i].at_ms;
		draft.state = draft.send_at_ms ? STATE_SCHEDULED : STATE_QUEUED;
		note(&client, &draft);
	}
	spread_count += plan.count;
}

static void step(bool sets_clock)
{
	if (chance(10))
		spread();
	else if (chance(80))
		call();
	else if (chance(50))
		pass(rand() % (chance(80) ? 2 * MINUTE_MS : 20 * HOUR_MS));
	else if (chance(40))
		policy_restart(NULL);
	else if (!sets_clock)
		policy_restart(start_machine);
	else if (chance(30))
		policy_restart(set_clock_meanwhile);
	else
		set_clock((rand() % 3000 - 1500) * (int64_t)MINUTE_MS);
}

static void run(unsigned seed)
{
	void *state = NULL;

	srand(seed);
	accepted = 0;
	spread_count = 0;
	clock_was_set = false;
	real_ms = 0;
	assert_int_equal(policy_set_up(&state), 0);
	bench_config.policy.client = (struct client_limits){ 3, 6, 12, 60 };
	bench_config.policy.sim = (struct client_limits){ 4, 9, 16, 80 };
	for (int i = 0; i < STEPS; i++)
		step(seed % 2);
	assert_true(accepted > 20);
	assert_true(spread_count > 5);
	assert_int_equal(policy_tear_down(&state), 0);
}

TEST(test_no_window_ever_exceeds_its_limit)
{
	for (unsigned seed = first_seed; seed < first_seed + rounds; seed++) {
		print_message("seed %u\n", seed);
		run(seed);
	}
}

void before_tests(int argc, char **argv)
{
	rounds = ROUNDS / sample_stride(4);
	if (argc > 1) {
		first_seed = (unsigned)atoi(argv[1]);
		rounds = 1;
	}
	log_set_level(LOG_LEVEL_ERROR);
}
