/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "base/client.h"
#include "fake_clock.h"
#include "config/config.h"
#include "sms/outbox.h"
#include "sms/reply_loop.h"
#include "store_bench.h"

#define NUMBER	  "+36201234567"
#define START_MS  INT64_C(1790000000000)
#define MINUTE_MS INT64_C(60000)
#define SECOND_MS INT64_C(1000)

static struct config config;
static unsigned stamps;

static int set_up(void **state)
{
	config_defaults(&config);
	fake_clock_begin(START_MS);
	if (store_set_up_with_cards(state))
		return -1;
	identify("8936", "216300000000001");
	return 0;
}

static int tear_down(void **state)
{
	return store_tear_down(state) + fake_clock_end(state);
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

static bool is_suspected(struct reply_loop *loop_out)
{
	const struct reply_loop_question question = {
		&config, store, { 1, NUMBER }, now_ms
	};

	return reply_loop_suspected(&question, loop_out);
}

static void expect_none(void)
{
	struct reply_loop loop = { -1, -1 };

	assert_false(is_suspected(&loop));
	assert_int_equal(loop.until_ms, -1);
	assert_int_equal(loop.waiting_id, -1);
}

static void expect_until(int64_t expected_ms)
{
	struct reply_loop loop = { 0 };

	assert_true(is_suspected(&loop));
	assert_int_equal(loop.until_ms, expected_ms);
	assert_int_equal(loop.waiting_id, 0);
}

/* A pair that answers each other: after how many answers would the next one be stopped? */
static unsigned count_until_loop(const char *const *texts, size_t count,
				 int64_t theirs_ms, int64_t ours_ms)
{
	struct reply_loop loop;

	answer(NUMBER, "Good morning, how are you?");
	for (unsigned i = 0; i < 60; i++) {
		now_ms += theirs_ms;
		come(NUMBER, texts[i % count]);
		now_ms += ours_ms;
		if (is_suspected(&loop))
			return i;
		answer(NUMBER, "Thank you, I will tell them");
	}
	return 0;
}

/* Within no time, so nobody types. */
static void exchange(unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		come_new();
		answer(NUMBER, "an answer");
	}
}

/* They get distinct texts, and nobody types so fast. */
static const char *const long_texts[] = {
	"The weather here in the mountains has been surprisingly mild this whole week",
	"Did you remember to look at the second page of the document from yesterday",
	"We could also take the later train and have dinner somewhere near the river",
	"My sister says hello and asks whether the children are coming along as well",
};

FIXTURE(set_up, tear_down)

/* Five are answered, and the next one is not. */
TEST(test_five_answered_messages_are_a_loop)
{
	expect_none();
	exchange(4);
	come_new();
	expect_none();
	answer(NUMBER, "the fifth");
	come_new();
	expect_until(START_MS + 10 * MINUTE_MS);
}

/* A loop ends when it was quiet; a machine that continues is still a loop. */
TEST(test_a_loop_lasts_until_it_is_quiet)
{
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

TEST(test_a_loop_survives_a_restart)
{
	exchange(5);
	reopen_store();
	expect_until(START_MS + 10 * MINUTE_MS);
}

/* People answer slowly. */
TEST(test_slow_exchanges_are_no_loop)
{
	for (unsigned i = 0; i < 30; i++) {
		exchange(1);
		now_ms += 3 * MINUTE_MS;
		expect_none();
	}
}

TEST(test_messages_in_one_direction_are_no_loop)
{
	for (unsigned i = 0; i < 40; i++)
		come_new();
	expect_none();
	for (unsigned i = 0; i < 40; i++)
		answer(NUMBER, "a long story in many parts");
	expect_none();
}

TEST(test_spellings_of_a_number_are_one_number)
{
	for (unsigned i = 0; i < 5; i++) {
		come_new();
		answer(i % 2 ? "06201234567" : "0036201234567", "an answer");
	}
	expect_until(START_MS + 10 * MINUTE_MS);
}

TEST(test_messages_with_others_do_not_count)
{
	for (unsigned i = 0; i < 10; i++) {
		come_new();
		answer("+36201234568", "an answer");
	}
	expect_none();
}

TEST(test_messages_that_never_went_out_do_not_count)
{
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

TEST(test_answers_that_failed_do_not_count)
{
	for (unsigned i = 0; i < 20; i++) {
		int64_t id;

		come_new();
		id = answer(NUMBER, "an answer");
		assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, "", NULL),
				 0);
		assert_int_equal(step_move_message(store, id, STATE_FAILED, "", NULL), 0);
	}
	expect_none();
	exchange(5);
	expect_until(START_MS + 10 * MINUTE_MS);
}

TEST(test_an_auto_responder_is_stopped_after_few_messages)
{
	static const char *const away[] = { "I am out of office until Monday." };

	/* at once, as fast as the network, and as an agent that thinks for long */
	assert_int_equal(count_until_loop(away, 1, 1 * SECOND_MS, 1 * SECOND_MS), 5);
	now_ms += 60 * MINUTE_MS;
	assert_int_equal(count_until_loop(away, 1, 6 * SECOND_MS, 9 * SECOND_MS), 6);
	now_ms += 60 * MINUTE_MS;
	assert_int_equal(count_until_loop(away, 1, 6 * SECOND_MS, 40 * SECOND_MS), 6);
}

TEST(test_nearly_equal_texts_count_as_equal)
{
	static const char *const tickets[] = {
		"Ticket 4711 was received at 10:04. Do not reply.",
		"Ticket 4712 was received at 10:05. Do not reply!",
		"RE: Ticket 4713 was received at 10:06. Do not reply.",
	};

	assert_int_equal(count_until_loop(tickets, 3, 6 * SECOND_MS, 9 * SECOND_MS), 6);
}

TEST(test_menus_that_alternate_count_as_equal)
{
	static const char *const menus[] = { "Press 1 for opening hours",
					     "Sorry, I did not understand that" };

	assert_int_equal(count_until_loop(menus, 2, 6 * SECOND_MS, 9 * SECOND_MS), 7);
}

TEST(test_what_nobody_types_so_fast_is_a_loop)
{
	assert_int_equal(count_until_loop(long_texts, 4, 3 * SECOND_MS, 5 * SECOND_MS),
			 5);
}

/* Two programs that chat like people: nothing but their stamina tells. */
TEST(test_a_long_brisk_series_is_a_loop)
{
	assert_int_equal(count_until_loop(long_texts, 4, 9 * SECOND_MS, 9 * SECOND_MS),
			 20);
}

/* As an owner orders them: even if the contact always answers the same. */
TEST(test_sends_over_minutes_are_no_loop)
{
	for (unsigned i = 0; i < 8; i++) {
		answer(NUMBER, long_texts[i % 4]);
		now_ms += 25 * SECOND_MS;
		come(NUMBER, i % 2 ? "Thank you, see you then!" : "Thank you, see you!");
		now_ms += 65 * SECOND_MS;
		expect_none();
	}
}

/* Even if all of it is a matter of seconds. */
TEST(test_four_equal_replies_are_no_loop)
{
	for (unsigned i = 0; i < 4; i++) {
		answer(NUMBER, long_texts[i]);
		expect_none();
		come(NUMBER, "Thank you, see you then!");
		expect_none();
	}
}

TEST(test_a_fast_chat_of_people_is_no_loop)
{
	static const struct {
		int64_t after_ms;
		const char *text;
	} chat[] = {
		{ 4200, "hey, where are you?" },
		{ 2900, "still on the bus" },
		{ 2100, "ok" },
		{ 5400, "10 more minutes I think" },
		{ 3300, "no problem" },
		{ 2600, "do we need anything?" },
		{ 6100, "bread and maybe some milk" },
		{ 1900, "which bread" },
		{ 2800, "the dark one" },
		{ 1800, "ok!" },
		{ 3900, "and tomatoes if they have any" },
		{ 2200, "sure" },
		{ 7300, "Anna asks if she can come too" },
		{ 1700, "of course" },
		{ 2400, "great, thanks!" },
	};

	for (unsigned i = 0; i < 30; i++) {
		size_t line = i % (sizeof(chat) / sizeof(*chat));

		now_ms += chat[line].after_ms;
		if (i % 2)
			come(NUMBER, chat[line].text);
		else
			answer(NUMBER, chat[line].text);
		expect_none();
	}
}

static unsigned draw(unsigned below)
{
	static uint32_t seed = 19;

	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Reading, thinking and typing, 5 to 9 characters per second, and what the network takes. */
static int64_t draw_reaction_ms(const char *text)
{
	return 1500 + draw(5000) + (int64_t)strlen(text) * (110 + draw(90));
}

/* Chats of 30 messages, as fast as people write, who often say the same. */
TEST(test_a_hundred_random_chats_are_no_loop)
{
	static const char *const phrases[] = {
		"ok",
		"yes",
		"no idea",
		"haha",
		"thank you",
		"thank you!",
		"where are you?",
		"on my way",
		"on my way, 5 minutes",
		"see you later",
		"see you soon",
		"what do you think?",
		"sounds good to me",
		"I can't talk right now",
		"let me check that and tell you",
		"good morning, did you sleep well?",
		"did you eat already?",
		"the train is late again",
		"can you bring some bread?",
		"I will be home at seven",
		"which one do you mean?",
		"no problem at all",
		"that is what I thought",
		"tell him I said hello",
		"we are still at the station",
		"sorry, I was in a meeting",
		"maybe tomorrow then",
		"did she call you back?",
	};
	unsigned stopped = 0;

	for (unsigned chat = 0; chat < 100; chat++) {
		now_ms += 60 * MINUTE_MS;
		for (unsigned i = 0; i < 30; i++) {
			const char *text =
				phrases[draw(sizeof(phrases) / sizeof(*phrases))];
			struct reply_loop loop;

			now_ms += draw_reaction_ms(text);
			if (i % 2)
				come(NUMBER, text);
			else
				answer(NUMBER, text);
			if (is_suspected(&loop)) {
				stopped++;
				break;
			}
		}
	}
	print_message("%u of 100 chats of 30 messages taken for a loop\n", stopped);
	assert_int_equal(stopped, 0);
}

/* Each side repeats one of its texts, or both chat in long texts, at a pace of its own. */
TEST(test_forty_random_pairs_of_machines_are_stopped)
{
	static const char *const machine[] = {
		"I am on holiday until 3 March. In urgent cases call +36 1 234 5678.",
		"Thank you for your message. Our team will answer within 24 hours.",
		"This number is not monitored. Please visit our website.",
	};
	unsigned most = 0, sum = 0;

	for (unsigned pair = 0; pair < 40; pair++) {
		unsigned count;

		now_ms += 60 * MINUTE_MS;
		if (pair % 2)
			count = count_until_loop(&machine[draw(3)], 1, 1000 + draw(9000),
						 1000 + draw(40000));
		else
			count = count_until_loop(long_texts, 4, 200 + draw(3000),
						 200 + draw(9000));
		assert_true(count > 0);
		sum += count;
		most = count > most ? count : most;
	}
	print_message("40 pairs of machines stopped after %u.%02u answers, at most %u\n",
		      sum / 40, sum % 40 * 100 / 40, most);
	assert_true(most <= 8);
}

static int64_t ask_owner(const char *text)
{
	struct store_message_draft draft = {
		.sim_id = 1,
		.number = NUMBER,
		.text = text,
		.segments = 1,
		.state = STATE_WAITING_APPROVAL,
		.reason = reply_loop_reason,
	};
	int64_t message_id;

	assert_int_equal(store_message_add(store, &draft, &message_id), 0);
	return message_id;
}

TEST(test_an_approval_begins_the_count_anew)
{
	struct reply_loop loop;
	int64_t id;

	exchange(5);
	expect_until(START_MS + 10 * MINUTE_MS);
	id = ask_owner("May I go on?");
	assert_true(is_suspected(&loop));
	assert_int_equal(loop.waiting_id, id);
	assert_int_equal(step_move_message(store, id, STATE_QUEUED,
					   outbox_approval_by_owner, NULL),
			 0);
	expect_none();
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, "", NULL), 0);
	exchange(4);
	expect_none();
	exchange(1);
	expect_until(START_MS + 10 * MINUTE_MS);
}

TEST(test_a_rejected_message_lifts_nothing)
{
	struct reply_loop loop;
	int64_t id;

	exchange(5);
	id = ask_owner("May I go on?");
	assert_int_equal(
		step_move_message(store, id, STATE_FAILED, "approval_rejected", NULL), 0);
	expect_until(START_MS + 10 * MINUTE_MS);
	assert_true(is_suspected(&loop));
	assert_int_equal(loop.rejected_id, id);
}

TEST(test_a_message_of_the_owner_begins_the_count_anew)
{
	struct store_message_draft draft = {
		.sim_id = 1,
		.client_id = CLIENT_OWNER,
		.number = NUMBER,
		.text = "It is me",
		.segments = 1,
	};
	int64_t message_id;

	exchange(5);
	assert_int_equal(store_message_add(store, &draft, &message_id), 0);
	expect_none();
}

/* Some machines answer with two messages. */
TEST(test_several_messages_at_once_are_one_reply)
{
	answer(NUMBER, "hello?");
	for (unsigned i = 0; i < 5; i++) {
		expect_none();
		come(NUMBER, long_texts[0]);
		come(NUMBER, "No reply possible to this number");
		answer(NUMBER, "an answer");
	}
	expect_until(START_MS + 10 * MINUTE_MS);
}

/* Without an answer in between somebody only repeats a text. */
TEST(test_equal_texts_without_an_answer_are_no_loop)
{
	for (unsigned i = 0; i < 10; i++)
		come(NUMBER, "I am away");
	expect_none();
}

TEST(test_an_echo_is_a_loop)
{
	answer(NUMBER, "What is the time?");
	for (unsigned i = 0; i < 5; i++) {
		expect_none();
		come(NUMBER, i % 2 ? "What is the date?" : "What is the time?");
		answer(NUMBER, i % 2 ? "What is the time?" : "What is the date?");
	}
	expect_until(START_MS + 10 * MINUTE_MS);
}

TEST(test_short_texts_may_repeat)
{
	for (unsigned i = 0; i < 12; i++) {
		now_ms += 2 * SECOND_MS;
		come(NUMBER, "ok");
		now_ms += 2 * SECOND_MS;
		answer(NUMBER, "ok");
	}
	expect_none();
}

/* The owner is a person, but bounced texts count there, too. */
TEST(test_the_owner_may_exchange_any_amount)
{
	struct explanation error;

	assert_int_equal(
		config_set(&config, "incoming.owner_numbers", NUMBER, "test", &error), 0);
	exchange(12);
	expect_none();
	for (unsigned i = 0; i < 6; i++) {
		come(NUMBER, "I am driving");
		answer(NUMBER, "an answer");
	}
	expect_until(START_MS + 10 * MINUTE_MS);
}

TEST(test_the_configuration_decides)
{
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
TEST(test_a_clock_that_is_set_ends_a_loop)
{
	exchange(5);
	now_ms -= 60 * MINUTE_MS;
	expect_none();
	now_ms += 120 * MINUTE_MS;
	expect_none();
}
