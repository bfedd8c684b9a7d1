/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a message moves to another SIM: each row of the failure table of doc/routing.md. */
#include "unit_test.h"
#include "outbox_bench.h"

#include "base/clock.h"
#include "store/store_attempt.h"

static const struct outbox_timing quick = { 60000, 1, 2, 1, 1, 0, 0, 60000 };

static int64_t other_sim; /* where messages move; 0: nowhere */
static int64_t left_sim;  /* what waits for it is to move */
static char reasons[256];
static struct modem *first, *second;

static int64_t find_other(void *data, const struct message *message,
			  const struct store_routed *routed, const char *outcome)
{
	assert_int_equal(routed->pool_id, ATTEMPT_POOL_ANY);
	snprintf(reasons + strlen(reasons), sizeof(reasons) - strlen(reasons), "%s ",
		 *outcome ? outcome : "-");
	return message->sim_id == other_sim ? 0 : other_sim;
}

static bool is_left(void *data, int64_t sim_id)
{
	return sim_id == left_sim;
}

static int start(const struct outbox_timing *timing)
{
	int error = bench_start(timing);

	if (!error)
		outbox_failover_set_finder(outbox, find_other, is_left, NULL);
	return error;
}

static int set_up(void **state)
{
	int error = bench_set_up(state);

	bench_stop();
	reasons[0] = '\0';
	other_sim = 2;
	left_sim = 0;
	fake_ofono.sends_again_safely = true;
	error = error ? error : start(&quick);
	first = fake_modem_ready("/one/1", "1");
	second = fake_modem_ready("/two/1", "2");
	return error;
}

static int64_t accept_routed(unsigned segments, bool resends)
{
	const struct store_routed routed = { ATTEMPT_POOL_ANY, resends };
	const struct store_message_draft draft = { 1,	0,	  "+36201234567",
						   "x", segments, .routed = &routed };
	int64_t id = 0;

	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	turn();
	return id;
}

/* The message is with the second SIM now, under another attempt, and is sent there. */
static void assert_sent_by_the_second(int64_t id)
{
	turn_until(sends_pending());
	assert_ptr_equal(only_send()->modem, second);
	assert_int_equal(only_send()->order.id, id);
	assert_int_equal(only_send()->order.attempt, 2);
	assert_false(only_send()->order.is_repeat);
	fake_answer(only_send(), SEND_ACCEPTED, "B1");
	fake_message_state(second, "B1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_int_equal(fake_send_count, 2);
}

static void list_attempt(void *data, const struct store_attempt *attempt)
{
	snprintf((char *)data + strlen(data), 128 - strlen(data), "%u:sim%lld:%s ",
		 attempt->number, (long long)attempt->sim_id, attempt->outcome);
}

static void assert_attempts(int64_t id, const char *expected)
{
	char attempts[128] = "";

	assert_int_equal(store_attempt_list(store, id, list_attempt, attempts), 0);
	assert_string_equal(attempts, expected);
}

FIXTURE(set_up, bench_tear_down)

TEST(test_what_never_reached_the_phone_moves_at_once)
{
	int64_t id = accept_routed(1, false);

	fake_answer(only_send(), SEND_NOT_SUBMITTED, "absent");
	assert_sent_by_the_second(id);
	assert_string_equal(reasons, "not_delivered ");
	assert_attempts(id, "1:sim1:not_delivered 2:sim2: ");
}

TEST(test_without_another_sim_it_waits_for_its_own)
{
	int64_t id;

	other_sim = 0;
	id = accept_routed(1, false);
	fake_answer(only_send(), SEND_NOT_SUBMITTED, "absent");
	turn_until(sends_pending());
	assert_int_equal(only_send()->order.attempt, 1);
	assert_ptr_equal(only_send()->modem, first);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(first, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
	assert_attempts(id, "1:sim1: ");
}

TEST(test_a_refusal_that_kept_nothing_moves_at_once)
{
	static const char *const codes[] = { "rate_limited", "not_registered",
					     "modem_stuck" };

	for (size_t i = 0; i < 3; i++) {
		int64_t id = accept_routed(2, false);

		fake_answer(only_send(), SEND_NOT_HERE, codes[i]);
		fake_send_count = 1;
		assert_sent_by_the_second(id);
	}
	assert_string_equal(reasons, "rate_limited not_registered modem_stuck ");
}

TEST(test_a_limit_of_the_last_phone_makes_it_fail)
{
	int64_t id;

	other_sim = 0;
	id = accept_routed(1, false);
	fake_answer(only_send(), SEND_NOT_HERE, "rate_limited");
	turn();
	assert_message(id, STATE_FAILED, "rate_limited");
	id = accept_routed(1, false);
	fake_answer(only_send(), SEND_NOT_HERE, "not_registered");
	turn_until(sends_pending());
	assert_int_equal(only_send()->order.attempt, 2);
	assert_message(id, STATE_SUBMITTING, "");
}

TEST(test_a_rule_of_the_last_phone_makes_it_fail_and_the_next_one_goes_out)
{
	static const char *const codes[] = {
		"recipient_not_allowed",
		"premium_number_blocked",
		"international_blocked",
		"insufficient_scope",
		"subscription_not_allowed",
		"invalid_text",
		"text_too_long",
		"loop_suspected",
	};

	other_sim = 0;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		int64_t refused = accept_routed(1, false), next = accept_routed(1, false);

		fake_answer(only_send(), SEND_NOT_HERE, codes[i]);
		turn();
		assert_message(refused, STATE_FAILED, codes[i]);
		turn_until(sends_pending());
		assert_int_equal(only_send()->order.id, next);
		fake_answer(only_send(), SEND_ACCEPTED, codes[i]);
		fake_message_state(first, codes[i], MESSAGE_SENT);
		assert_false(outbox_failover_is_failure(codes[i]));
	}
}

TEST(test_a_final_refusal_does_not_move)
{
	int64_t id = accept_routed(1, false);

	fake_answer(only_send(), SEND_REFUSED, "invalid_number");
	turn();
	assert_message(id, STATE_FAILED, "invalid_number");
	assert_string_equal(reasons, "");
}

TEST(test_one_segment_that_the_network_refused_moves)
{
	int64_t id = accept_routed(1, false);

	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(first, "A1", MESSAGE_FAILED);
	assert_sent_by_the_second(id);
	assert_attempts(id, "1:sim1:network_refused 2:sim2: ");
}

TEST(test_several_segments_that_the_network_refused_do_not_move)
{
	int64_t id = accept_routed(2, false);

	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(first, "A1", MESSAGE_FAILED);
	turn();
	assert_message(id, STATE_FAILED, "network_refused");
	assert_string_equal(reasons, "");
}

TEST(test_silence_moves_only_after_the_phone_has_closed_it)
{
	int64_t id = accept_routed(1, false);

	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	assert_message(id, STATE_HELD, "in_doubt");
	bench_take_away(first);
	turn_ms(5);
	assert_int_equal(sends_pending(), 0); /* the second SIM does not get it */
	first->interfaces = MODEM_SIM_MANAGER | MODEM_MESSAGE_MANAGER;
	strcpy(first->network.status, "searching"); /* back, but unable to send */
	fake_changed(first);
	turn_until(!TAILQ_EMPTY(&fake_cancels));
	assert_int_equal(TAILQ_FIRST(&fake_cancels)->order.id, id);
	assert_int_equal(sends_pending(), 0);
	fake_cancel_answer(CANCEL_DONE);
	assert_sent_by_the_second(id);
	assert_attempts(id, "1:sim1:closed 2:sim2: ");
}

TEST(test_what_the_phone_does_not_close_stays_with_it)
{
	int64_t id = accept_routed(1, false);

	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	bench_take_away(first);
	first->interfaces = MODEM_SIM_MANAGER | MODEM_MESSAGE_MANAGER;
	strcpy(first->network.status, "searching");
	fake_changed(first);
	turn_until(!TAILQ_EMPTY(&fake_cancels));
	fake_cancel_answer(CANCEL_REFUSED); /* it is sending it */
	fake_ready(first);
	turn_until(sends_pending());
	assert_ptr_equal(only_send()->modem, first);
	assert_true(only_send()->order.is_repeat);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(first, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
	assert_string_equal(reasons, "");
}

TEST(test_a_phone_that_is_back_goes_on_with_the_same_key)
{
	int64_t id = accept_routed(1, false);

	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	bench_take_away(first);
	fake_ready(first);
	turn_until(sends_pending());
	assert_ptr_equal(only_send()->modem, first);
	assert_int_equal(only_send()->order.id, id);
	assert_int_equal(only_send()->order.attempt, 1);
	assert_true(only_send()->order.is_repeat);
}

TEST(test_a_restart_goes_on_with_the_attempt_that_was_moved)
{
	int64_t id = accept_routed(1, false);

	fake_answer(only_send(), SEND_NOT_HERE, "modem_stuck");
	turn_until(sends_pending());
	assert_int_equal(only_send()->order.attempt, 2);
	bench_stop();
	assert_int_equal(start(&quick), 0);
	turn_until(sends_pending());
	assert_int_equal(only_send()->order.id, id);
	assert_int_equal(only_send()->order.attempt, 2);
	assert_ptr_equal(only_send()->modem, second);
	assert_true(only_send()->order.is_repeat);
}

TEST(test_one_dead_phone_strands_one_message)
{
	int64_t doubtful = accept_routed(1, false), waiting;

	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	bench_take_away(first);
	waiting = accept_routed(1, false);
	turn_until(sends_pending());
	assert_ptr_equal(only_send()->modem, second);
	assert_int_equal(only_send()->order.id, waiting);
	assert_int_equal(only_send()->order.attempt, 1); /* it was never released */
	assert_message(doubtful, STATE_HELD, "in_doubt");
	fake_answer(only_send(), SEND_ACCEPTED, "B1");
}

TEST(test_a_named_sim_keeps_its_message)
{
	int64_t id;

	id = submit(1, "x");
	turn();
	fake_answer(only_send(), SEND_NOT_HERE, "modem_stuck");
	bench_take_away(first);
	turn_ms(5);
	assert_message(id, STATE_QUEUED, "not_taken");
	assert_int_equal(sends_pending(), 0);
	assert_string_equal(reasons, "");
}

TEST(test_what_waits_leaves_a_sim_that_the_owner_drains)
{
	int64_t sending = accept_routed(1, false), waiting = accept_routed(1, false);

	left_sim = 1;
	outbox_failover_review(outbox);
	turn_until(sends_pending() == 2);
	assert_attempts(sending, "1:sim1: ");
	assert_int_equal(TAILQ_LAST(&fake_sends, fake_send_list)->order.id, waiting);
	assert_ptr_equal(TAILQ_LAST(&fake_sends, fake_send_list)->modem, second);
	fake_answer(TAILQ_LAST(&fake_sends, fake_send_list), SEND_ACCEPTED, "B1");
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
}

TEST(test_what_the_radio_has_after_all_is_not_sent_again_by_decision)
{
	int64_t id = accept_routed(1, false);

	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	turn_until(sends_pending());
	assert_true(only_send()->order.is_repeat);
	assert_int_equal(outbox_failover_resend(outbox, id, "owner"), 0);
	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn_ms(5);
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_SUBMITTED, "");
	assert_attempts(id, "1:sim1: ");
	fake_message_state(first, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
}

TEST(test_a_closed_attempt_does_not_cancel_the_next_one)
{
	int64_t id = accept_routed(1, false);

	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	turn_until(sends_pending());
	fake_answer(only_send(), SEND_NOT_HERE, "not_registered");
	turn_until(!TAILQ_EMPTY(&fake_cancels));
	assert_int_equal(outbox_failover_resend(outbox, id, "owner"), 0);
	turn_until(sends_pending());
	assert_int_equal(only_send()->order.attempt, 2);
	fake_answer(only_send(), SEND_ACCEPTED, "B1");
	fake_cancel_answer(CANCEL_DONE); /* of the first attempt, late */
	assert_message(id, STATE_SUBMITTED, "");
	fake_message_state(second, "B1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
}

TEST(test_a_client_may_want_it_sent_again_when_in_doubt)
{
	static const struct outbox_timing soon = { 60000, 60000, 60000, 60000,
						   60000, 0,	 0,	20 };
	int64_t plain = accept_routed(1, false), id;

	outbox_set_timing(outbox, &soon);
	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	bench_take_away(first);
	turn_ms(60);
	assert_message(plain, STATE_HELD, "in_doubt");
	fake_ready(first);
	outbox_set_timing(outbox, &quick);
	bench_stop();
	assert_int_equal(start(&quick), 0);
	turn_until(sends_pending());
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(first, "A1", MESSAGE_SENT);
	outbox_set_timing(outbox, &soon);
	id = accept_routed(1, true);
	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	bench_take_away(first);
	turn_until(sends_pending());
	assert_ptr_equal(only_send()->modem, second);
	assert_int_equal(only_send()->order.id, id);
	assert_int_equal(only_send()->order.attempt, 2);
	assert_attempts(id, "1:sim1:in_doubt 2:sim2: ");
	fake_answer(only_send(), SEND_ACCEPTED, "B1");
}

static int64_t accept_and_lose(void)
{
	int64_t id = accept_routed(1, false);

	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	turn_until(sends_pending());
	fake_answer(only_send(), SEND_FORGOTTEN, NULL);
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
	turn();
	return id;
}

TEST(test_what_is_sent_again_waits_although_its_validity_was_over)
{
	const struct store_message_deadline over = { .expires_at_ms =
							     clock_wall_ms() - 1000 };
	int64_t id = accept_and_lose();

	assert_int_equal(store_message_set_deadline(store, id, &over), 0);
	other_sim = 0;
	bench_take_away(first);
	assert_int_equal(outbox_failover_resend(outbox, id, "owner"), 0);
	turn_ms(5);
	assert_message(id, STATE_QUEUED, "resent");
}

TEST(test_the_owner_may_send_again_what_is_unknown)
{
	int64_t id = accept_and_lose(), fine;

	fake_send_count = 1;
	assert_int_equal(outbox_failover_resend(outbox, id, "owner"), 0);
	assert_sent_by_the_second(id);
	fine = id;
	assert_int_equal(outbox_failover_resend(outbox, fine, "owner"),
			 OUTBOX_E_TOO_LATE);
	assert_int_equal(outbox_failover_resend(outbox, 99, "owner"), OUTBOX_E_TOO_LATE);
}

static void set_other_hub(struct modem *modem)
{
	strcpy(modem->network.status, "");
	modem->has_other_hub = true;
	fake_changed(modem);
}

TEST(test_what_waits_leaves_a_radio_that_works_with_another_hub)
{
	int64_t id = accept_routed(1, false), next = accept_routed(1, false), named;

	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	named = submit(1, "named");
	set_other_hub(first);
	turn();
	assert_message(id, STATE_UNKNOWN, "stale_hub");
	assert_message(named, STATE_CANCELLED, "stale_hub");
	assert_int_equal(only_send()->order.id, next);
	assert_ptr_equal(only_send()->modem, second);
	fake_answer(only_send(), SEND_NOT_SUBMITTED, NULL);
	other_sim = 0;
	set_other_hub(second);
	turn();
	assert_message(next, STATE_CANCELLED, "stale_hub");
}

/* The doubt ends, and so does a message whose call the radio refuses with the same words. */
TEST(test_nothing_waits_for_ever_for_a_radio_that_works_with_another_hub)
{
	int64_t doubtful = accept_routed(1, false), called;

	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	assert_message(doubtful, STATE_HELD, "in_doubt");
	set_other_hub(first);
	turn();
	assert_message(doubtful, STATE_UNKNOWN, "stale_hub");
	first->has_other_hub = false;
	fake_ready(first);
	other_sim = 0;
	called = accept_routed(1, false);
	assert_message(called, STATE_SUBMITTING, "");
	set_other_hub(first);
	turn();
	fake_answer(only_send(), SEND_NOT_SUBMITTED, NULL);
	turn();
	assert_message(called, STATE_CANCELLED, "stale_hub");
}
