/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/fleet_frame.h"

#include "unit_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/fleet_topic.h"
#include "fleet/fleet_window.h"

#define BENCH_RPC    "ofono/phone/p1/rpc"
#define BENCH_ANSWER "ofono/hub/answer/p1"

static const char bench_text[] = "{\"method\":\"tools/call\"}";

struct bench {
	struct fleet_frame_key key;
	struct fleet_frame frame;
	struct fleet_frame_place place;
	struct buffer sealed, text;
};

static struct bench bench;

static int bench_set_up(void **state)
{
	bench = (struct bench){
		.frame = { .kind = FLEET_REQUEST, .epoch = 7, .number = 3 },
		.place = { BENCH_RPC, "correlation", 11 }
	};
	assert_true(fleet_frame_draw(bench.key.bytes, FLEET_KEY_BYTES));
	assert_true(fleet_frame_draw(bench.frame.session, FLEET_SESSION_BYTES));
	assert_int_equal(fleet_frame_seal(&bench.key, &bench.frame, &bench.place,
					  bench_text, strlen(bench_text), &bench.sealed),
			 0);
	return 0;
}

static int bench_tear_down(void **state)
{
	buffer_deinit(&bench.sealed);
	buffer_deinit(&bench.text);
	return 0;
}

static int bench_open_with(const struct fleet_frame_key *key,
			   const struct fleet_frame_place *place)
{
	struct fleet_frame frame;

	return fleet_frame_open(key, place, bench.sealed.data, bench.sealed.length,
				&frame, &bench.text);
}

static int bench_open(void)
{
	return bench_open_with(&bench.key, &bench.place);
}

FIXTURE(bench_set_up, bench_tear_down)

TEST(a_frame_opens_where_it_was_sealed_for)
{
	struct fleet_frame frame;

	assert_int_equal(fleet_frame_open(&bench.key, &bench.place, bench.sealed.data,
					  bench.sealed.length, &frame, &bench.text),
			 0);
	assert_int_equal(bench.text.length, strlen(bench_text));
	assert_memory_equal(bench.text.data, bench_text, bench.text.length);
	assert_int_equal(frame.kind, FLEET_REQUEST);
	assert_int_equal(frame.epoch, 7);
	assert_int_equal(frame.number, 3);
	assert_memory_equal(frame.session, bench.frame.session, FLEET_SESSION_BYTES);
}

TEST(the_text_is_not_readable_on_the_way)
{
	assert_null(memmem(bench.sealed.data, bench.sealed.length, "tools", 5));
}

TEST(the_same_text_is_sealed_differently_each_time)
{
	struct buffer again = BUFFER_INIT;

	assert_int_equal(fleet_frame_seal(&bench.key, &bench.frame, &bench.place,
					  bench_text, strlen(bench_text), &again),
			 0);
	assert_int_equal(again.length, bench.sealed.length);
	assert_memory_not_equal(again.data + FLEET_FRAME_HEAD_BYTES,
				bench.sealed.data + FLEET_FRAME_HEAD_BYTES,
				strlen(bench_text));
	buffer_deinit(&again);
}

TEST(a_frame_of_another_key_is_refused)
{
	struct fleet_frame_key other = bench.key;

	other.bytes[FLEET_KEY_BYTES - 1] ^= 1;
	assert_int_equal(bench_open_with(&other, &bench.place), FLEET_E_FORGED);
	assert_int_equal(bench.text.length, 0);
}

TEST(a_frame_swapped_to_another_phone_is_refused)
{
	struct fleet_frame_place other = bench.place;

	other.topic = "ofono/phone/p2/rpc";
	assert_int_equal(bench_open_with(&bench.key, &other), FLEET_E_FORGED);
}

TEST(a_request_reflected_as_an_answer_is_refused)
{
	struct fleet_frame_place other = bench.place;

	other.topic = BENCH_ANSWER;
	assert_int_equal(bench_open_with(&bench.key, &other), FLEET_E_FORGED);
}

TEST(an_answer_swapped_to_another_request_is_refused)
{
	struct fleet_frame_place other = bench.place;

	other.correlation = "Correlation";
	assert_int_equal(bench_open_with(&bench.key, &other), FLEET_E_FORGED);
	other.correlation_length = 10;
	other.correlation = bench.place.correlation;
	assert_int_equal(bench_open_with(&bench.key, &other), FLEET_E_FORGED);
	other.correlation_length = 0;
	assert_int_equal(bench_open_with(&bench.key, &other), FLEET_E_FORGED);
}

TEST(the_end_of_a_topic_cannot_move_into_the_correlation)
{
	struct fleet_frame_place longer = { BENCH_RPC "c", "orrelation", 10 };

	assert_int_equal(bench_open_with(&bench.key, &longer), FLEET_E_FORGED);
}

TEST(a_frame_with_any_changed_bit_is_refused)
{
	for (size_t bit = 0; bit < 8 * bench.sealed.length; bit++) {
		bench.sealed.data[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(bench_open(), FLEET_E_FORGED);
		bench.sealed.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	assert_int_equal(bench_open(), 0);
}

TEST(a_frame_cut_anywhere_is_refused)
{
	size_t whole = bench.sealed.length;

	for (size_t length = 0; length < whole; length++) {
		struct fleet_frame frame;
		/* a copy, so that reading beyond its end is seen */
		char *cut = malloc(length ? length : 1);

		assert_non_null(cut);
		memcpy(cut, bench.sealed.data, length);
		assert_int_equal(fleet_frame_open(&bench.key, &bench.place, cut, length,
						  &frame, &bench.text),
				 FLEET_E_FORGED);
		free(cut);
	}
}

TEST(random_bytes_are_refused)
{
	char bytes[300];
	struct fleet_frame frame;

	for (int round = 0; round < 2000; round++) {
		size_t length = (size_t)round % sizeof(bytes);

		assert_true(fleet_frame_draw(bytes, sizeof(bytes)));
		if (round % 2) {
			bytes[0] = 1;
			bytes[1] = FLEET_REQUEST;
		}
		assert_int_equal(fleet_frame_open(&bench.key, &bench.place, bytes, length,
						  &frame, &bench.text),
				 FLEET_E_FORGED);
	}
	assert_int_equal(bench.text.length, 0);
}

TEST(a_text_may_be_empty_or_as_long_as_the_bound_but_no_longer)
{
	char *text = calloc(1, FLEET_TEXT_MAX + 1);
	struct fleet_frame frame;

	assert_non_null(text);
	for (size_t length = 0; length <= FLEET_TEXT_MAX; length += FLEET_TEXT_MAX) {
		buffer_clear(&bench.sealed);
		buffer_clear(&bench.text);
		assert_int_equal(fleet_frame_seal(&bench.key, &bench.frame, &bench.place,
						  text, length, &bench.sealed),
				 0);
		assert_int_equal(fleet_frame_open(&bench.key, &bench.place,
						  bench.sealed.data, bench.sealed.length,
						  &frame, &bench.text),
				 0);
		assert_int_equal(bench.text.length, length);
	}
	buffer_clear(&bench.sealed);
	assert_int_equal(fleet_frame_seal(&bench.key, &bench.frame, &bench.place, text,
					  FLEET_TEXT_MAX + 1, &bench.sealed),
			 -EMSGSIZE);
	assert_int_equal(bench.sealed.length, 0);
	free(text);
}

TEST(frames_are_appended_to_what_is_there)
{
	buffer_append_text(&bench.text, "before ");
	assert_int_equal(bench_open(), 0);
	assert_memory_equal(bench.text.data, "before {", 8);
}

/* Window */

TEST_WITH(a_number_is_taken_once, NULL, NULL)
{
	struct fleet_window window = { 0 };

	for (uint64_t number = 1; number < 3000; number++) {
		assert_int_equal(fleet_window_take(&window, 1, number), FLEET_REQUEST);
		assert_int_equal(fleet_window_take(&window, 1, number), FLEET_REPLAYED);
	}
	for (uint64_t number = 1; number < 3000; number++)
		assert_int_equal(fleet_window_take(&window, 1, number), FLEET_REPLAYED);
}

TEST_WITH(numbers_in_disorder_are_taken_once_each, NULL, NULL)
{
	struct fleet_window window = { 0 };

	assert_int_equal(fleet_window_take(&window, 1, 1000), FLEET_REQUEST);
	for (uint64_t number = 999; number > 0; number--)
		assert_int_equal(fleet_window_take(&window, 1, number), FLEET_REQUEST);
	for (uint64_t number = 1000; number > 0; number--)
		assert_int_equal(fleet_window_take(&window, 1, number), FLEET_REPLAYED);
}

TEST_WITH(a_number_too_far_behind_is_refused, NULL, NULL)
{
	struct fleet_window window = { 0 };

	assert_int_equal(fleet_window_take(&window, 1, FLEET_WINDOW_NUMBERS + 5),
			 FLEET_REQUEST);
	assert_int_equal(fleet_window_take(&window, 1, 5), FLEET_REPLAYED);
	assert_int_equal(fleet_window_take(&window, 1, 6), FLEET_REQUEST);
}

TEST_WITH(a_leap_of_numbers_forgets_no_later_one, NULL, NULL)
{
	struct fleet_window window = { 0 };

	assert_int_equal(fleet_window_take(&window, 1, 1), FLEET_REQUEST);
	assert_int_equal(fleet_window_take(&window, 1, UINT64_MAX - 1), FLEET_REQUEST);
	assert_int_equal(fleet_window_take(&window, 1, 1), FLEET_REPLAYED);
	assert_int_equal(fleet_window_take(&window, 1, UINT64_MAX - 2), FLEET_REQUEST);
	assert_int_equal(fleet_window_take(&window, 1, UINT64_MAX), FLEET_REPLAYED);
	assert_int_equal(fleet_window_take(&window, 1, 0), FLEET_REPLAYED);
}

TEST_WITH(a_hub_with_a_lower_epoch_is_stale_also_in_a_new_session, NULL, NULL)
{
	struct fleet_window window = { 0 };

	assert_int_equal(fleet_window_take(&window, 5, 9), FLEET_REQUEST);
	assert_int_equal(fleet_window_take(&window, 4, 10), FLEET_STALE_HUB);
	fleet_window_clear(&window);
	assert_int_equal(fleet_window_take(&window, 4, 1), FLEET_STALE_HUB);
	assert_int_equal(fleet_window_take(&window, 5, 9), FLEET_REQUEST);
}

TEST_WITH(a_hub_that_started_again_counts_from_one, NULL, NULL)
{
	struct fleet_window window = { 0 };

	assert_int_equal(fleet_window_take(&window, 5, 900), FLEET_REQUEST);
	assert_int_equal(fleet_window_take(&window, 6, 1), FLEET_REQUEST);
	assert_int_equal(fleet_window_take(&window, 6, 1), FLEET_REPLAYED);
	assert_int_equal(fleet_window_take(&window, 5, 901), FLEET_STALE_HUB);
}

/* Topics */

TEST_WITH(topics_are_read_back_with_their_phone, NULL, NULL)
{
	char topic[FLEET_TOPIC_BYTES], phone[FLEET_NAME_BYTES] = "";

	fleet_topic_answer("f", "alfa-1", topic);
	assert_string_equal(topic, "f/hub/answer/alfa-1");
	assert_int_equal(fleet_topic_read("f", topic, phone), FLEET_TOPIC_ANSWER);
	assert_string_equal(phone, "alfa-1");
	fleet_topic_here("f", "9", topic);
	assert_string_equal(topic, "f/phone/9/here");
	assert_int_equal(fleet_topic_read("f", topic, phone), FLEET_TOPIC_HERE);
	assert_string_equal(phone, "9");
	fleet_topic_rpc("f", "+", topic);
	assert_string_equal(topic, "f/phone/+/rpc");
}

TEST_WITH(other_topics_are_none_of_a_fleet, NULL, NULL)
{
	static const char *const others[] = {
		"",
		"f",
		"/",
		"////////////////////",
		"no slash, but long enough for one",
		"f/phone/p1/rpc",
		"g/phone/p1/here",
		"f/phone/p1/there/here",
		"f/phone//here",
		"f/phone/P1/here",
		"f/phone/hub/here",
		"f/phone/p1/here/",
		"f/hub/answer/",
		"f/hub/answer/p1/p2",
		"f/hub/answer/-p1",
		"f/hub/answer/+",
		"f/hub/answer/p1234567890123456789012345678901234567890",
		"x/hub/answer/p1234",
	};
	char phone[FLEET_NAME_BYTES] = "unchanged";

	for (size_t at = 0; at < sizeof(others) / sizeof(others[0]); at++)
		assert_int_equal(fleet_topic_read("f", others[at], phone),
				 FLEET_TOPIC_OTHER);
	assert_string_equal(phone, "unchanged");
}

TEST_WITH(names_that_would_change_a_topic_are_refused, NULL, NULL)
{
	static const char *const bad[] = {
		"",    "+",   "#", "a/b", "A",	 "-a",
		"a b", "hub", "é", "a.b", "a\n", "123456789012345678901234567890123"
	};

	for (size_t at = 0; at < sizeof(bad) / sizeof(bad[0]); at++)
		assert_false(fleet_topic_is_name(bad[at]));
	assert_true(fleet_topic_is_name("12345678901234567890123456789012"));
	assert_true(fleet_topic_is_name("phone-1"));
	assert_false(fleet_topic_is_prefix("a/b"));
	assert_false(fleet_topic_is_prefix("$SYS"));
	assert_false(fleet_topic_is_prefix(""));
	assert_true(fleet_topic_is_prefix(FLEET_PREFIX_DEFAULT));
}
