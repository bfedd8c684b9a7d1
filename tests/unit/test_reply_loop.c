/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "config/config.h"
#include "sms/reply_loop.h"
#include "store_bench.h"

#define NUMBER	  "+36201234567"
#define START_MS  INT64_C(1790000000000)
#define MINUTE_MS INT64_C(60000)

static struct config config;
static int64_t now_ms;
static unsigned stamps;

static int64_t fake_time(void)
{
	return now_ms;
}

static const struct clock_source fake_clock = { fake_time, fake_time, fake_time };

static int set_up(void **state)
{
	config_defaults(&config);
	now_ms = START_MS;
	clock_set_source(&fake_clock);
	if (store_set_up_with_cards(state))
		return -1;
	identify("8936", "216300000000001");
	return 0;
}

static int tear_down(void **state)
{
	int failed = store_tear_down(state);

	clock_set_source(NULL);
	return failed;
}

static void come(const char *number, const char *text)
{
	char stamp[32];
	struct store_incoming_draft draft = {
		.sim_id = 1,
		.reported_ms = now_ms,
		.number = number,
		.text = text,
		.sent_time = stamp,
	};
	int64_t message_id;
	bool known;

	snprintf(stamp, sizeof(stamp), "%u", stamps++);
	assert_int_equal(step_add_incoming(store, &draft, &message_id, &known), 0);
}

static void come_new(void)
{
	char text[32];

	snprintf(text, sizeof(text), "message %u", stamps);
	come(NUMBER, text);
}

static int64_t answer(const char *number, const char *text)
{
	struct store_message_draft draft = {
		.sim_id = 1,
		.number = number,
		.text = text,
		.segments = 1,
	};
	int64_t message_id;

	assert_int_equal(store_message_add(store, &draft, &message_id), 0);
	return message_id;
}

static bool is_suspected(int64_t *until_ms)
{
	const struct reply_loop_question question = {
		&config, store, { 1, NUMBER }, now_ms
	};

	return reply_loop_suspected(&question, until_ms);
}

static void expect_none(void)
{
	int64_t until_ms = -1;

	assert_false(is_suspected(&until_ms));
	assert_int_equal(until_ms, -1);
}

static void expect_until(int64_t expected_ms)
{
	int64_t until_ms = -1;

	assert_true(is_suspected(&until_ms));
	assert_int_equal(until_ms, expected_ms);
}

static void exchange(unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		come_new();
		answer(NUMBER, "an answer");
	}
}

/* Five are answered, and the next one is not. */
static void test_five_answered_messages_are_a_loop(void **state)
{
	(void)state;
	expect_none();
	exchange(4);
	come_new();
	expect_none();
	answer(NUMBER, "the fifth");
	come_new();
	expect_until(START_MS + 10 * MINUTE_MS);
}

/* A loop ends when it was quiet; a machine that continues is still a loop. */
static void test_a_loop_lasts_until_it_is_quiet(void **state)
{
	(void)state;
	exchange(5);
	expect_until(START_MS + 10 * MINUTE_MS);
	now_ms += 9 * MINUTE_MS;
	come_new();
	expect_until(START_MS + 19 * MINUTE_MS);
	now_ms += 9 * MINUTE_MS;
	expect_until(START_MS + 19 * MINUTE_MS);
	now_ms += MINUTE_MS;
	expect_none();
	come_new();
	expect_none();
}

static void test_a_loop_survives_a_restart(void **state)
{
	(void)state;
	exchange(5);
	reopen_store();
	expect_until(START_MS + 10 * MINUTE_MS);
}

/* People answer slowly. */
static void test_slow_exchanges_are_no_loop(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		exchange(1);
		now_ms += 3 * MINUTE_MS;
		expect_none();
	}
}

static void test_messages_in_one_direction_are_no_loop(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++)
		come_new();
	expect_none();
	for (unsigned i = 0; i < 40; i++)
		answer(NUMBER, "a long story in many parts");
	expect_none();
}

static void test_spellings_of_a_number_are_one_number(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		come_new();
		answer(i % 2 ? "06201234567" : "0036201234567", "an answer");
	}
	expect_until(START_MS + 10 * MINUTE_MS);
}

static void test_messages_with_others_do_not_count(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		come_new();
		answer("+36201234568", "an answer");
	}
	expect_none();
}

static void test_messages_that_never_went_out_do_not_count(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		int64_t message_id;

		come_new();
		message_id = answer(NUMBER, "an answer");
		assert_int_equal(
			step_move_message(store, message_id, STATE_CANCELLED, NULL, NULL),
			0);
	}
	expect_none();
}

static void test_a_text_that_comes_again_after_answers_is_a_loop(void **state)
{
	(void)state;
	come(NUMBER, "I am away");
	answer(NUMBER, "hello?");
	come(NUMBER, "I am away");
	answer(NUMBER, "is there somebody?");
	expect_none();
	come(NUMBER, "I am away");
	expect_until(START_MS + 10 * MINUTE_MS);
}

/* Without an answer in between somebody only repeats a text. */
static void test_equal_texts_without_an_answer_are_no_loop(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++)
		come(NUMBER, "I am away");
	expect_none();
}

static void test_an_echo_is_a_loop(void **state)
{
	(void)state;
	answer(NUMBER, "good morning");
	come(NUMBER, "good morning");
	expect_none();
	answer(NUMBER, "good evening");
	come(NUMBER, "good evening");
	expect_until(START_MS + 10 * MINUTE_MS);
}

static void test_short_texts_may_repeat(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		come(NUMBER, "ok");
		answer(NUMBER, "ok");
	}
	expect_none();
}

/* The owner is a person, but bounced texts count there, too. */
static void test_the_owner_may_exchange_any_amount(void **state)
{
	struct explanation error;

	(void)state;
	assert_int_equal(
		config_set(&config, "incoming.owner_numbers", NUMBER, "test", &error), 0);
	exchange(12);
	expect_none();
	for (unsigned i = 0; i < 3; i++) {
		come(NUMBER, "I am driving");
		answer(NUMBER, "an answer");
	}
	expect_until(START_MS + 10 * MINUTE_MS);
}

static void test_the_configuration_decides(void **state)
{
	(void)state;
	exchange(5);
	config.loop_exchanges = 6;
	expect_none();
	exchange(1);
	expect_until(START_MS + 10 * MINUTE_MS);
	config.loop_minutes = 30;
	expect_until(START_MS + 30 * MINUTE_MS);
	config.loop_exchanges = 0;
	expect_none();
}

/* A clock that was set back makes no loop last for ever. */
static void test_a_clock_that_is_set_ends_a_loop(void **state)
{
	(void)state;
	exchange(5);
	now_ms -= 60 * MINUTE_MS;
	expect_none();
	now_ms += 120 * MINUTE_MS;
	expect_none();
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_five_answered_messages_are_a_loop),
		TEST(test_a_loop_lasts_until_it_is_quiet),
		TEST(test_a_loop_survives_a_restart),
		TEST(test_slow_exchanges_are_no_loop),
		TEST(test_messages_in_one_direction_are_no_loop),
		TEST(test_spellings_of_a_number_are_one_number),
		TEST(test_messages_with_others_do_not_count),
		TEST(test_messages_that_never_went_out_do_not_count),
		TEST(test_a_text_that_comes_again_after_answers_is_a_loop),
		TEST(test_equal_texts_without_an_answer_are_no_loop),
		TEST(test_an_echo_is_a_loop),
		TEST(test_short_texts_may_repeat),
		TEST(test_the_owner_may_exchange_any_amount),
		TEST(test_the_configuration_decides),
		TEST(test_a_clock_that_is_set_ends_a_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
