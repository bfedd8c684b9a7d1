/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which SIM of a hub sends a message: a test for each row of the two tables of rules. */
#include "unit_test.h"
#include "policy_bench.h"

#include "policy/routing.h"

#define NUMBER "+36201234567"

static struct routing *routing;
static struct store_pool pool;
static int64_t members[4]; /* of the pool */
static size_t member_count;

static struct modem *add_sim(int which, const char *mcc)
{
	char path[32], iccid[8];
	struct modem *modem;

	snprintf(path, sizeof(path), "/phone%04d/1", which);
	snprintf(iccid, sizeof(iccid), "%d", which);
	modem = fake_modem_add(path);
	fake_card(modem, iccid, "");
	strcpy(modem->sim.mobile_country_code, mcc);
	fake_ready(modem);
	return modem;
}

/* The bench knows two cards already, so the SIMs of the tests begin with 3. */
static int set_up(void **state)
{
	int error = policy_set_up(state);

	pool = (struct store_pool){ .name = "alerts", .fails_over = true };
	member_count = 0;
	return error ? error : routing_new(&bench_config, store, sims, &routing);
}

static int tear_down(void **state)
{
	routing_free(routing);
	return policy_tear_down(state);
}

static void put_pool(void)
{
	assert_int_equal(store_pool_put(store, &pool, members, member_count, "owner"), 0);
	assert_int_equal(routing_reload(routing), 0);
}

static void put_in_pool(int64_t sim_id)
{
	members[member_count++] = sim_id;
	put_pool();
}

static struct routing_request request_of(int64_t pool_id)
{
	return (struct routing_request){ .number = NUMBER,
					 .segments = 1,
					 .pool_id = pool_id };
}

static int64_t choose_from(int64_t pool_id)
{
	const struct routing_request request = request_of(pool_id);
	struct routing_choice choice;

	return routing_choose(routing, &request, &choice) ? choice.sim_id : 0;
}

static int64_t choose(void)
{
	return choose_from(ATTEMPT_POOL_ANY);
}

static void assert_refused(int64_t sim_id, const struct routing_request *request,
			   const char *why)
{
	size_t count = 0, place = 0;
	const struct routing_rank *ranks = routing_rank(routing, arena, request, &count);

	while (place < count && ranks[place].sim->id != sim_id)
		place++;
	assert_true(place < count);
	assert_non_null(ranks[place].refused);
	assert_string_equal(ranks[place].refused, why);
}

static int64_t store_exchange(int64_t sim_id, bool incoming)
{
	struct store_message_draft draft = { sim_id, 0, NUMBER, "x", 1 };
	struct store_incoming_draft message = { .sim_id = sim_id,
						.number = NUMBER,
						.text = "x",
						.sent_time = "",
						.reported_ms = clock_wall_ms(),
						.flags = 0 };
	struct store_incoming_entry entry = { .draft = &message };
	int64_t id = 0;

	if (incoming)
		assert_int_equal(store_incoming_add_group(store, &entry, 1), 0);
	else
		assert_int_equal(store_message_add(store, &draft, &id), 0);
	return id;
}

/* ---- filters */

FIXTURE(set_up, tear_down)

TEST(test_the_list_begins_with_the_choice_and_ends_with_those_refused)
{
	const struct routing_request request = request_of(ATTEMPT_POOL_ANY);
	struct routing_rank *ranks;
	size_t count;

	for (int which = 1; which <= 4; which++)
		add_sim(which, "216");
	assert_int_equal(routing_drain(routing, 5, true, NULL, "owner"), 0);
	for (int left = 3; left >= 0; left--) {
		ranks = routing_rank(routing, arena, &request, &count);
		assert_non_null(ranks);
		assert_int_equal(count, 4);
		assert_int_equal(ranks[0].sim->id, left ? choose() : ranks[0].sim->id);
		for (int i = 0; i < 4; i++)
			assert_int_equal(!ranks[i].refused, i < left);
		assert_string_equal(ranks[3].refused, "drained by the owner");
		assert_int_equal(
			routing_drain(routing, ranks[0].sim->id, true, NULL, "owner"), 0);
	}
}

TEST(test_a_client_gets_only_its_sims)
{
	struct client client = { .sims = "4" };
	struct routing_request request = request_of(ATTEMPT_POOL_ANY);
	struct routing_choice choice;

	add_sim(1, "216");
	add_sim(2, "216");
	request.client = &client;
	assert_true(routing_choose(routing, &request, &choice));
	assert_int_equal(choice.sim_id, 4);
	assert_refused(3, &request, "not allowed to this client");
}

TEST(test_a_pool_sends_from_its_sims)
{
	struct routing_request request;

	add_sim(1, "216");
	add_sim(2, "216");
	put_pool();
	assert_int_equal(choose_from(pool.id), 0);
	put_in_pool(4);
	assert_int_equal(choose_from(pool.id), 4);
	request = request_of(pool.id);
	assert_refused(3, &request, "not in the pool");
	assert_int_equal(choose_from(99), 0);
}

TEST(test_a_drained_sim_gets_nothing_new)
{
	const struct routing_request request = request_of(ATTEMPT_POOL_ANY);
	int64_t sim_id;

	add_sim(1, "216");
	add_sim(2, "216");
	sim_id = choose();
	assert_int_equal(routing_drain(routing, sim_id, true, "shop-1", "owner"), 0);
	assert_int_equal(choose(), sim_id == 3 ? 4 : 3);
	assert_refused(sim_id, &request, "drained by the owner");
	assert_int_equal(routing_reload(routing), 0); /* it is on disk */
	assert_true(routing_is_drained(routing, sim_id));
	assert_int_equal(routing_drain(routing, sim_id, false, "shop-1", "owner"), 0);
	assert_int_equal(choose(), sim_id);
}

TEST(test_a_stuck_sim_gets_nothing)
{
	const struct routing_request request = request_of(ATTEMPT_POOL_ANY);

	add_sim(1, "216");
	sims_set_stuck(sims, 3, true);
	assert_int_equal(choose(), 0);
	assert_refused(3, &request, "stuck");
}

TEST(test_a_sim_that_is_not_ready_gets_nothing_now)
{
	struct routing_request request = request_of(ATTEMPT_POOL_ANY);
	struct modem *modem = add_sim(1, "216");
	struct routing_choice choice;

	strcpy(modem->network.status, "searching");
	fake_changed(modem);
	assert_false(routing_choose(routing, &request, &choice));
	assert_string_equal(routing_explain(arena, &choice), "1 not ready");
	request.is_later = true;
	assert_true(routing_choose(routing, &request, &choice));
}

TEST(test_three_failures_rest_a_sim_for_15_minutes)
{
	const struct routing_request request = request_of(ATTEMPT_POOL_ANY);
	struct routing_choice choice;

	add_sim(1, "216");
	routing_note(routing, 3, true);
	routing_note(routing, 3, true);
	routing_note(routing, 3, false); /* one that was sent */
	routing_note(routing, 3, true);
	routing_note(routing, 3, true);
	assert_int_equal(choose(), 3);
	routing_note(routing, 3, true);
	assert_false(routing_choose(routing, &request, &choice));
	assert_int_equal(choice.frees_ms, clock_wall_ms() + 15 * MINUTE_MS);
	assert_int_equal(routing_reload(routing), 0);
	assert_refused(3, &request, "resting after failures");
	boot_now_ms += 15 * MINUTE_MS;
	assert_int_equal(choose(), 3);
}

TEST(test_a_sim_is_tried_once_for_a_message)
{
	struct routing_request request = request_of(ATTEMPT_POOL_ANY);
	const struct store_attempt_move move = { 1, "network_refused", 4, "moved" };
	struct routing_choice choice;
	int64_t id;

	add_sim(1, "216");
	add_sim(2, "216");
	id = store_exchange(3, false);
	assert_int_equal(store_attempt_begin(store, id, 1, 3, 0), 0);
	assert_int_equal(store_attempt_move(store, id, &move), 0);
	request.message_id = id;
	assert_refused(3, &request, "tried already");
	request.except_sim_id = 4;
	assert_false(routing_choose(routing, &request, &choice));
	assert_string_equal(routing_explain(arena, &choice), "2 tried already");
}

TEST(test_a_number_may_know_only_one_sim)
{
	struct routing_request request;

	add_sim(1, "216");
	add_sim(2, "216");
	pool.sticky = POOL_RULE_REQUIRE;
	put_pool();
	put_in_pool(3);
	put_in_pool(4);
	store_exchange(4, false);
	assert_int_equal(choose_from(pool.id), 4);
	assert_int_equal(routing_drain(routing, 4, true, "shop-1", "owner"), 0);
	assert_int_equal(choose_from(pool.id), 0);
	request = request_of(pool.id);
	assert_refused(3, &request, "not the SIM that this number knows");
}

TEST(test_a_pool_may_require_the_recipients_country)
{
	struct routing_request request;

	add_sim(1, "232");
	pool.country = POOL_RULE_REQUIRE;
	put_pool();
	put_in_pool(3);
	assert_int_equal(choose_from(pool.id), 0);
	request = request_of(pool.id);
	assert_refused(3, &request, "not of the recipient's country");
	add_sim(2, "216");
	put_in_pool(4);
	assert_int_equal(choose_from(pool.id), 4);
}

TEST(test_a_sim_at_its_limit_is_passed_over_until_it_frees)
{
	const struct routing_request request = request_of(ATTEMPT_POOL_ANY);
	struct routing_choice choice;
	int64_t first;

	bench_config.policy.sim.per_hour = 1;
	add_sim(1, "216");
	add_sim(2, "216");
	pool.sticky = POOL_RULE_OFF;
	put_pool();
	first = choose();
	store_exchange(first, false);
	assert_int_equal(choose(), first == 3 ? 4 : 3);
	assert_refused(first, &request, "at their limit");
	store_exchange(first == 3 ? 4 : 3, false);
	assert_false(routing_choose(routing, &request, &choice));
	assert_string_equal(routing_explain(arena, &choice), "2 at their limit");
	assert_in_range(choice.frees_ms, clock_wall_ms() + 59 * MINUTE_MS,
			clock_wall_ms() + HOUR_MS + SECOND_MS);
	boot_now_ms = boot_now_ms + HOUR_MS + SECOND_MS;
	assert_int_not_equal(choose(), 0);
}

TEST(test_a_sim_has_so_many_recipients_a_month)
{
	struct routing_request request;

	add_sim(1, "216");
	pool.recipients_per_month = 1;
	put_pool();
	put_in_pool(3);
	routing_use(routing, 3, "+36209999999", 1);
	assert_int_equal(choose_from(pool.id), 0);
	request = request_of(pool.id);
	assert_refused(3, &request, "without a new recipient left this month");
	request.number = "+36209999999"; /* no new one */
	assert_int_equal(choose(), 3);
	boot_now_ms += 31 * 24 * (int64_t)HOUR_MS;
	assert_int_equal(choose_from(pool.id), 3);
}

/* ---- preferences */

TEST(test_the_sim_that_got_the_last_message_answers)
{
	add_sim(1, "216");
	add_sim(2, "216");
	store_exchange(3, false);
	store_exchange(4, true);
	assert_int_equal(choose(), 4);
	boot_now_ms += HOUR_MS; /* or it were a repeat */
	store_exchange(3, true);
	assert_int_equal(choose(), 3);
}

TEST(test_the_sim_that_wrote_last_is_preferred)
{
	add_sim(1, "216");
	add_sim(2, "216");
	store_exchange(3, false);
	assert_int_equal(choose(), 3);
	store_exchange(4, false);
	assert_int_equal(choose(), 4);
}

TEST(test_a_sim_of_the_recipients_country_is_preferred)
{
	for (int i = 1; i <= 6; i++)
		add_sim(i, i == 5 ? "216" : "232");
	assert_int_equal(choose(), 7);
}

TEST(test_a_sim_that_failed_comes_later)
{
	int64_t first;

	add_sim(1, "216");
	add_sim(2, "216");
	first = choose();
	routing_note(routing, first, true);
	assert_int_not_equal(choose(), first);
}

TEST(test_the_sim_with_most_budget_left_is_preferred)
{
	struct store_message_draft draft = { 0, 0, "+36207777777", "x", 3 };
	int64_t first, id;

	bench_config.policy.sim.segments_per_month = 10;
	add_sim(1, "216");
	add_sim(2, "216");
	first = choose();
	draft.sim_id = first;
	assert_int_equal(store_message_add(store, &draft, &id), 0);
	boot_now_ms += 2 * MINUTE_MS; /* what is left is read once a minute */
	assert_int_not_equal(choose(), first);
}

TEST(test_the_same_number_keeps_its_sim_and_others_spread)
{
	struct routing_request request = request_of(ATTEMPT_POOL_ANY);
	unsigned used[14] = { 0 }, sims_used = 0;
	struct routing_choice choice;
	char number[24];
	int64_t first;

	for (int i = 1; i <= 10; i++)
		add_sim(i, "216");
	first = choose();
	for (int i = 0; i < 5; i++)
		assert_int_equal(choose(), first);
	request.number = number;
	for (int i = 0; i < 200; i++) {
		snprintf(number, sizeof(number), "+3620%07d", i);
		assert_true(routing_choose(routing, &request, &choice));
		used[choice.sim_id]++;
	}
	for (int i = 3; i < 13; i++) {
		sims_used += used[i] > 0;
		assert_in_range(used[i], 5, 50);
	}
	assert_int_equal(sims_used, 10);
}
