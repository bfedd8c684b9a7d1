/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each rule of the policy, their order, and the pause; what is about numbers is in
 * test_policy_numbers.c.
 */
#include "unit_test.h"
#include "config/config.h"
#include "policy_request.h"
#include "sms/outbox.h"
#include "store/store_setting.h"
#include "store_steps.h"

enum { FOUR_SEGMENTS = 3 * 153 + 1 };

static char long_text[FOUR_SEGMENTS + 1];

static int set_up(void **state)
{
	memset(long_text, 'x', FOUR_SEGMENTS);
	return request_set_up(state);
}

static void accept_one(void)
{
	struct store_message_draft draft = {
		.sim_id = request.sim_id,
		.client_id = client.id,
		.number = request.number,
		.text = request.text,
		.segments = request.segments,
		.send_at_ms = request.send_at_ms,
	};
	int64_t id;

	assert_int_equal(store_message_add(store, &draft, &id), 0);
}

FIXTURE(set_up, policy_tear_down)

TEST(test_nothing_passes_while_paused)
{
	assert_false(policy_is_paused(policy));
	assert_int_equal(policy_set_paused(policy, true), 0);
	assert_string_equal(code(), "paused_by_owner");
	policy_restart(NULL);
	assert_true(policy_is_paused(policy));
	assert_string_equal(code(), "paused_by_owner");
	assert_int_equal(store_setting_set(store, "paused", NULL),
			 0); /* by another program */
	assert_true(policy_is_paused(policy));
	policy_review(policy);
	assert_string_equal(code(), "");
}

static void count(void *data, const void *event)
{
	++*(unsigned *)data;
}

TEST(test_observers_are_notified_of_changes)
{
	struct observer observer = { 0 };
	unsigned told = 0;

	observer_add(policy_observers(policy), &observer, count, &told);
	policy_review(policy);
	assert_int_equal(told, 0);
	configure("deny", "+36*");
	policy_review(policy);
	policy_review(policy);
	assert_int_equal(told, 1);
	policy_set_paused(policy, true);
	policy_set_paused(policy, true);
	assert_int_equal(told, 2);
	store_setting_set(store, STORE_SETTING_PAUSED, NULL);
	policy_review(policy);
	assert_int_equal(told, 3);
	observer_remove(&observer);
}

/* The owner can pause on a full disk. */
TEST(test_a_pause_holds_on_a_full_disk)
{
	fill_disk(true);
	assert_int_not_equal(policy_set_paused(policy, true), 0);
	assert_true(policy_is_paused(policy));
	fill_disk(false);
	assert_int_equal(policy_set_paused(policy, true), 0);
	fill_disk(true); /* a restart would bring the pause back, so it stays */
	assert_int_not_equal(policy_set_paused(policy, false), 0);
	assert_true(policy_is_paused(policy));
}

/* Nothing is submitted, what oFono has goes on, and everything continues after the pause. */
TEST(test_a_pause_keeps_waiting_messages)
{
	int64_t sim_id, first, second;

	fake_modem_ready("/sim0", "8936");
	turn();
	assert_int_equal(store_sim_identify(store, "8936", "", &sim_id), 0);
	first = submit(sim_id, "one");
	second = submit(sim_id, "two");
	turn();
	policy_set_paused(policy, true);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(TAILQ_FIRST(&fake_ofono.modems), "A1", MESSAGE_SENT);
	turn();
	assert_int_equal(state_of(first), STATE_SENT);
	assert_int_equal(state_of(second), STATE_QUEUED);
	assert_int_equal(sends_pending(), 0);
	policy_restart(NULL);
	turn();
	assert_int_equal(sends_pending(), 0);
	policy_set_paused(policy, false);
	turn();
	assert_string_equal(only_send()->text, "two");
}

TEST(test_a_client_uses_only_its_sims)
{
	strcpy(client.sims, "2 12");
	assert_string_equal(code(), "subscription_not_allowed");
	request.sim_id = 0; /* not known yet */
	assert_string_equal(code(), "");
	request.sim_id = 12;
	assert_true(policy_sim_is_allowed(&client, 12));
	assert_false(policy_sim_is_allowed(&client, 1));
	strcpy(client.sims, "1");
	request.sim_id = 1;
	assert_string_equal(code(), "");
}

TEST(test_an_invalid_number_is_refused)
{
	assert_string_equal(code_of("Anna"), "invalid_number");
	assert_string_equal(code_of(""), "invalid_number");
	assert_string_equal(code_of("+36 20 123-4567"), "");
}

static void receive(const char *number, const char *text, enum opt opt)
{
	struct store_incoming_draft draft = {
		.sim_id = 1,
		.reported_ms = clock_wall_ms(),
		.number = number,
		.text = text,
		.sent_time = "",
		.opt = opt,
		.opt_word = text,
	};
	int64_t message_id;
	bool known;

	assert_int_equal(step_add_incoming(store, &draft, &message_id, &known), 0);
}

/* A client learns nothing about a number that it may not write to. */
TEST(test_nothing_is_revealed_of_a_number_that_is_not_allowed)
{
	receive("+36201234567", "stop", OPT_OUT);
	strcpy(client.allow, "+36309999999");
	assert_string_equal(code_of("+36201234567"), "recipient_not_allowed");
	assert_string_equal(all_codes(), "recipient_not_allowed ");
	client.allow[0] = '\0';
	assert_string_equal(all_codes(), "recipient_opted_out ");
}

TEST(test_a_number_that_opted_out_is_refused)
{
	receive("+36201234567", "stop", OPT_OUT);
	assert_string_equal(code_of("+36201234567"), "recipient_opted_out");
	assert_string_equal(code_of("0036201234567"), "recipient_opted_out");
	assert_string_equal(code_of("+36309999999"), "");
	receive("+36201234567", "start", OPT_IN);
	assert_string_equal(code_of("+36201234567"), "");
}

TEST(test_only_upstream_ofono_refuses_emoji_beforehand)
{
	struct policy_verdict verdict;

	request.text = "Hi \U0001f642";
	fake_ofono.line = OFONO_LINE_UNKNOWN;
	assert_string_equal(code(), ""); /* it is not known yet which oFono runs */
	fake_ofono.line = OFONO_LINE_FORK;
	assert_string_equal(code(), "");
	fake_ofono.line = OFONO_LINE_UPSTREAM;
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REFUSED);
	assert_string_equal(verdict.code, "invalid_text");
	assert_string_equal(verdict.fix, "Write \":-)\" instead of \U0001f642.");
	request.text = "Hi \u2764\ufe0f";
	assert_string_equal(code(), "");
}

/* As often as two machines would answer each other, and once more. */
static void answer_each_other(const char *number)
{
	char text[24];

	request.number = number;
	for (int i = 0; i <= bench_config.loop_exchanges; i++) {
		snprintf(text, sizeof(text), "number %d", i);
		receive(number, text, OPT_NONE);
		accept_one();
	}
}

static int64_t ask_owner(const char *reason)
{
	const struct store_message_draft draft = {
		.sim_id = request.sim_id,
		.client_id = client.id,
		.number = request.number,
		.text = "May I go on?",
		.segments = 1,
		.state = STATE_WAITING_APPROVAL,
		.reason = reason,
	};
	int64_t id;

	assert_int_equal(store_message_add(store, &draft, &id), 0);
	return id;
}

/* The first message after it waits for the owner, further ones are refused until then. */
TEST(test_a_reply_loop_needs_the_owner)
{
	struct policy_verdict verdict;
	int64_t id;

	bench_config.policy.client.per_minute = 0;
	bench_config.policy.sim.per_minute = 0;
	bench_config.duplicate_seconds = 0;
	answer_each_other("+36301111111");
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_NEEDS_OWNER);
	assert_string_equal(verdict.code, "loop_suspected");
	assert_true(verdict.needs_owner);
	id = ask_owner(verdict.code);
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REFUSED);
	assert_string_equal(verdict.code, "loop_suspected");
	assert_int_equal(verdict.retry_after_seconds, bench_config.loop_minutes * 60);
	assert_non_null(strstr(verdict.message, "ofono-mcp approve"));
	client.id = CLIENT_OWNER;
	assert_string_equal(code(), "");
	client.id = 0;
	assert_int_equal(step_move_message(store, id, STATE_QUEUED,
					   outbox_approval_by_owner, NULL),
			 0);
	assert_string_equal(code(), "");
	assert_string_equal(code_of("+36309999999"), "");
}

/* A later rule may refuse: then nobody is asked. */
TEST(test_the_owner_is_not_asked_about_what_is_refused)
{
	bench_config.policy.client.per_minute = 0;
	bench_config.policy.sim.per_minute = 0;
	bench_config.duplicate_seconds = 0;
	answer_each_other("+36301111111");
	request.text = long_text;
	request.segments = 4;
	assert_string_equal(code(), "text_too_long");
}

TEST(test_nothing_passes_in_quiet_hours)
{
	struct policy_verdict verdict;

	configure("quiet_hours", "22:00-07:00");
	assert_string_equal(code(), "");
	request.send_at_ms = NOON_MS + 10 * HOUR_MS; /* the time of sending counts */
	assert_string_equal(code(), "quiet_hours");
	boot_now_ms += 10 * HOUR_MS; /* 22:00 */
	request.send_at_ms = 0;
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REFUSED);
	assert_string_equal(verdict.code, "quiet_hours");
	assert_int_equal(verdict.retry_after_seconds, 9 * 60 * 60);
	request.send_at_ms = NOON_MS + 19 * HOUR_MS; /* 07:00 */
	assert_string_equal(code(), "");
	boot_now_ms += 9 * HOUR_MS - 1;
	request.send_at_ms = 0;
	policy_check(policy, &request, &verdict);
	assert_int_equal(verdict.retry_after_seconds, 1);
	boot_now_ms++;
	assert_string_equal(code(), "");
	configure("quiet_hours", "12:00-13:00");
	boot_now_ms += 5 * HOUR_MS;
	assert_string_equal(code(), "quiet_hours");
}

/* In the phone's time zone: 11:30 UTC is 12:30 in Budapest, and 13:30 in summer. */
TEST(test_quiet_hours_are_local_time)
{
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	configure("quiet_hours", "12:30-13:00");
	assert_string_equal(code(), "");
	boot_now_ms -= HOUR_MS / 2;
	assert_string_equal(code(), "quiet_hours");
	boot_now_ms +=
		212 * (int64_t)CLOCK_MS_PER_DAY; /* daylight saving time has begun */
	assert_string_equal(code(), "");
	boot_now_ms -= HOUR_MS;
	assert_string_equal(code(), "quiet_hours");
}

TEST(test_a_repeated_request_sends_nothing_new)
{
	struct policy_verdict verdict;

	accept_one();
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REPEAT);
	assert_int_equal(verdict.repeat, POLICY_REPEAT_SAME);
	assert_string_equal(verdict.first.text, "hello");
	assert_string_equal(all_codes(), "repeat ");
	bench_config.policy.client.per_minute =
		1; /* a repeat does not count for a limit */
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REPEAT);
	request.text = "another";
	assert_string_equal(code(), "rate_limited");
}

TEST(test_a_long_text_is_refused)
{
	request.text = long_text;
	request.segments = 4;
	assert_string_equal(code(), "text_too_long");
	bench_config.max_segments = 4;
	assert_string_equal(code(), "");
}

TEST(test_rates_are_limited)
{
	struct policy_verdict verdict;

	bench_config.duplicate_seconds = 0;
	for (int i = 0; i < 10; i++) { /* the default */
		assert_string_equal(code(), "");
		accept_one();
		boot_now_ms += SECOND_MS;
	}
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REFUSED);
	assert_string_equal(verdict.code, "rate_limited");
	assert_non_null(strstr(verdict.message, "10 messages per minute"));
	assert_int_equal(verdict.retry_after_seconds, 50);
	client.id = 5; /* another client has its own share of the SIM */
	assert_string_equal(code(), "");
	client.id = 0;
	client.limits.per_minute = 0; /* no limit, but that of the SIM */
	assert_string_equal(code(), "rate_limited");
	bench_config.policy.sim.per_minute = 0;
	assert_string_equal(code(), "");
	client.limits.per_minute = 0; /* no limit */
	client.id = 0;
	assert_string_equal(code(), "");
}

enum { APPROVED = 12, SIM_PER_MINUTE = 3 };

static void set_clock_meanwhile(void)
{
	wall_epoch_ms += 20 * MINUTE_MS;
}

/* What the outbox does when a message is to be submitted. True: it was. */
static bool submit_due(int64_t id, int64_t client_id)
{
	const struct message message = { .id = id,
					 .client_id = client_id,
					 .sim_id = request.sim_id,
					 .segments = 1,
					 .number = request.number,
					 .text = request.text };
	struct store_message_transition later = { .to = STATE_SCHEDULED };
	struct outbox_slot slot;

	assert_int_equal(step_move_message(store, id, STATE_QUEUED, "", NULL), 0);
	assert_int_equal(policy_find_due_slot(policy, &message, arena, &slot), 0);
	if (slot.send_at_ms) {
		assert_string_equal(slot.reason, "rate_limited");
		assert_true(slot.send_at_ms > bench_wall_ms());
		later.reason = slot.reason;
		later.send_at_ms = slot.send_at_ms;
		assert_int_equal(store_message_change_state(store, id, &later), 0);
		return false;
	}
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, "", NULL), 0);
	return true;
}

TEST(test_a_due_message_to_an_emergency_number_is_never_submitted)
{
	struct message message = { .id = 1,
				   .sim_id = request.sim_id,
				   .segments = 1,
				   .number = "06112",
				   .text = "x" };
	struct outbox_slot slot;

	assert_int_equal(policy_find_due_slot(policy, &message, arena, &slot), 0);
	assert_true(slot.is_never);
	assert_string_equal(slot.reason, "emergency_number_blocked");
	message.number = request.number;
	assert_int_equal(policy_find_due_slot(policy, &message, arena, &slot), 0);
	assert_false(slot.is_never);
}

/* All are approved at once; the program restarts and the clock is set in between. */
TEST(test_submissions_never_exceed_the_limit_of_a_sim)
{
	int64_t ids[APPROVED], sent_ms[APPROVED];
	struct store_message_draft draft = {
		.sim_id = request.sim_id,
		.number = request.number,
		.text = "approved",
		.segments = 1,
		.state = STATE_WAITING_APPROVAL,
	};
	size_t sent = 0;

	bench_config.policy.sim.per_minute = SIM_PER_MINUTE;
	for (size_t i = 0; i < APPROVED; i++) {
		draft.client_id = 1 + i % 2;
		assert_int_equal(store_message_add(store, &draft, &ids[i]), 0);
	}
	for (int round = 0; sent < APPROVED && round < 100; round++) {
		for (size_t i = 0; i < APPROVED; i++) {
			if (!ids[i] || !submit_due(ids[i], 1 + i % 2))
				continue;
			ids[i] = 0;
			sent_ms[sent++] = boot_now_ms;
		}
		if (round == 3)
			policy_restart(NULL);
		if (round == 5)
			policy_restart(set_clock_meanwhile);
		boot_now_ms += 10 * SECOND_MS;
	}
	assert_int_equal(sent, APPROVED);
	for (size_t i = SIM_PER_MINUTE; i < APPROVED; i++)
		assert_true(sent_ms[i] - sent_ms[i - SIM_PER_MINUTE] >= MINUTE_MS);
}

/* Scheduled messages count at their times, before and after the requested one. */
TEST(test_a_scheduled_message_counts_at_its_time)
{
	bench_config.duplicate_seconds = 0;
	request.send_at_ms = NOON_MS + 2 * MINUTE_MS;
	for (int i = 0; i < 10; i++) {
		assert_string_equal(code(), "");
		accept_one();
	}
	assert_string_equal(code(), "rate_limited");
	request.send_at_ms = 0;
	assert_string_equal(code(), "");
	boot_now_ms += MINUTE_MS + 1; /* they are within the minute now */
	assert_string_equal(code(), "rate_limited");
	request.send_at_ms = NOON_MS + 3 * MINUTE_MS;
	assert_string_equal(code(), "");
}

TEST(test_the_monthly_budget_is_limited)
{
	struct policy_verdict verdict;

	bench_config.duplicate_seconds = 0;
	bench_config.policy.client.segments_per_month = 6;
	request.segments = 3;
	accept_one();
	assert_string_equal(code(), "");
	accept_one();
	request.segments = 1;
	assert_int_equal(policy_check(policy, &request, &verdict), POLICY_E_REFUSED);
	assert_string_equal(verdict.code, "budget_exhausted");
	assert_int_equal(verdict.retry_after_seconds, (9 * 24 + 12) * 60 * 60);
	request.send_at_ms = NOON_MS + 10 * (int64_t)CLOCK_MS_PER_DAY; /* in December */
	assert_string_equal(code(), "");
	request.send_at_ms = 0;
	boot_now_ms += (9 * 24 + 12) * (int64_t)HOUR_MS - 1;
	assert_string_equal(code(), "budget_exhausted");
	boot_now_ms++;
	assert_string_equal(code(), "");
	bench_config.policy.client.segments_per_month = 0;
	bench_config.policy.sim.segments_per_month = 1;
	request.segments = 2;
	assert_string_equal(code(), "budget_exhausted");
}

/* Setting the clock frees neither the limit per minute nor the one per month. */
TEST(test_setting_the_clock_frees_no_limit)
{
	bench_config.duplicate_seconds = 0;
	bench_config.policy.client.segments_per_month = 10;
	for (int i = 0; i < 10; i++)
		accept_one();
	wall_epoch_ms += 40 * (int64_t)CLOCK_MS_PER_DAY;
	assert_string_equal(code(), "rate_limited");
	assert_string_equal(all_codes(), "rate_limited budget_exhausted ");
	policy_restart(NULL);
	assert_string_equal(all_codes(), "rate_limited budget_exhausted ");
	wall_epoch_ms -= 80 * (int64_t)CLOCK_MS_PER_DAY;
	policy_restart(NULL);
	assert_string_equal(all_codes(), "rate_limited budget_exhausted ");
	boot_now_ms += MINUTE_MS;
	assert_string_equal(all_codes(), "budget_exhausted ");
}

/* A boot with an unset clock begins no new month, and neither does the next one. */
TEST(test_an_unset_clock_renews_no_budget)
{
	bench_config.duplicate_seconds = 0;
	bench_config.policy.client.segments_per_month = 2;
	accept_one();
	for (int boot = 2; boot < 4; boot++) {
		strcpy(boot_id, boot == 2 ? "2" : "3");
		boot_now_ms = MINUTE_MS;
		wall_epoch_ms = 0;
		policy_restart(NULL);
		assert_string_equal(code(), boot == 2 ? "" : "budget_exhausted");
		accept_one();
	}
	wall_epoch_ms = NOON_MS; /* the network sets the clock: still November */
	assert_string_equal(code(), "budget_exhausted");
	wall_epoch_ms = 0;
	boot_now_ms += 31 * (int64_t)CLOCK_MS_PER_DAY + 1;
	assert_string_equal(code(), "");
}

/* A message that cannot be counted is not sent. */
TEST(test_an_unreadable_store_refuses)
{
	fill_disk(true);
	wall_epoch_ms += HOUR_MS; /* which would have to be stored */
	assert_string_equal(code(), "internal");
	fill_disk(false);
	assert_string_equal(code(), "");
}

TEST(test_rules_are_checked_in_order)
{
	bench_config.duplicate_seconds = 0;
	answer_each_other("+36301111111");
	ask_owner("loop_suspected");
	request.number = "+36901234567";
	policy_set_paused(policy, true);
	client.scopes = 0;
	strcpy(client.sims, "2");
	strcpy(client.allow, "+1*");
	configure("deny", "+36*");
	configure("quiet_hours", "11:00-13:00");
	request.segments = 4;
	request.text = long_text;
	bench_config.policy.client.per_minute = 1;
	bench_config.policy.client.segments_per_month = 1;
	submit(1, "one");
	bench_config.queue_limit = 1;
	assert_string_equal(
		all_codes(),
		"paused_by_owner insufficient_scope subscription_not_allowed "
		"premium_number_blocked recipient_not_allowed "
		"quiet_hours text_too_long rate_limited budget_exhausted queue_full ");
	request.number = "+36301111111";
	client.allow[0] = '\0';
	config_list_clear(&bench_config.policy.deny);
	assert_string_equal(all_codes(),
			    "paused_by_owner insufficient_scope subscription_not_allowed "
			    "quiet_hours loop_suspected text_too_long rate_limited "
			    "budget_exhausted queue_full ");
	request = (struct policy_request){ .arena = arena, .client = &client };
	assert_string_equal(all_codes(), "paused_by_owner insufficient_scope quiet_hours "
					 "rate_limited budget_exhausted queue_full ");
}

static int64_t left_of[LIMITS_MAX], frees_of[LIMITS_MAX];
static size_t limit_count;

static void take_limit(void *data, const struct limit *limit, int64_t left,
		       int64_t frees_ms)
{
	left_of[limit_count] = left;
	frees_of[limit_count++] = frees_ms;
}

TEST(test_the_rest_of_each_limit_is_reported)
{
	struct policy_limit_visit visit = { take_limit, NULL, 0 };

	bench_config.policy.client.per_minute = 2;
	bench_config.policy.client.per_day = 0;
	limit_count = 0;
	policy_list_limits(policy, &client, 0, &visit);
	assert_int_equal(limit_count, 3);
	assert_int_equal(left_of[0], 2);
	assert_int_equal(frees_of[0], 0);
	accept_one();
	boot_now_ms += SECOND_MS;
	accept_one();
	limit_count = 0;
	policy_list_limits(policy, &client, 0, &visit);
	assert_int_equal(visit.error, 0);
	assert_int_equal(left_of[0], 0);
	assert_int_equal(frees_of[0], NOON_MS + MINUTE_MS);
	assert_int_equal(left_of[1], 58);
	assert_int_equal(left_of[2], 998);
	assert_int_equal(frees_of[2],
			 NOON_MS + (9 * 24 + 12) * (int64_t)HOUR_MS); /* December */
	limit_count = 0;
	policy_list_limits(policy, NULL, 2, &visit);
	assert_int_equal(limit_count, 4);
	assert_int_equal(left_of[0], 10);
}
