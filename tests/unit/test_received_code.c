/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Codes that came in: how many ways to write one get past, and how many ordinary texts are
 * held. Measured on tests/unit/leak_corpus, bounded for each folder of it. A sample
 * judges every tenth ordinary text: under ASan all of them take a minute.
 * LEAK_CORPUS_SHOW=1 prints what went wrong in what the rules were written with, =2 in all.
 */
#include "unit_test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "corpus.h"
#include "sample.h"
#include "sms/received_code.h"
#include "store_bench.h"

enum {
	LINE_BYTES = 2048,
	AGENT = 7,
	HELD_PER_MILLE_MOST = 10,
	DAY_MS = 24 * 60 * 60 * 1000,
};

struct half {
	const char *name;
	unsigned tries_least, ordinary_least;
};

static sd_event *loop;
static struct received_codes *codes;
static int show;

static int set_up(void **state)
{
	if (store_set_up(state))
		return -1;
	open_store();
	identify("8936", "");
	show = getenv("LEAK_CORPUS_SHOW") ? atoi(getenv("LEAK_CORPUS_SHOW")) : 0;
	return sd_event_new(&loop) < 0 ? -1 : received_codes_new(loop, store, &codes);
}

static int tear_down(void **state)
{
	received_codes_free(codes);
	sd_event_unref(loop);
	return store_tear_down(state);
}

/* A message that came in this long ago. */
static void receive(const char *text, int64_t age_ms)
{
	struct store_incoming_draft draft = {
		.sim_id = 1,
		.reported_ms = clock_wall_ms() - age_ms,
		.number = "Bank",
		.text = text,
		.sent_time = "",
	};
	struct store_incoming_entry entry = { &draft, 0, false };

	assert_int_equal(store_incoming_add_group(store, &entry, 1), 0);
}

static int64_t sent_before(const char *text, int64_t client_id)
{
	const struct store_message_draft draft = {
		.sim_id = 1,
		.client_id = client_id,
		.number = "+36201234567",
		.text = text,
		.segments = 1,
	};
	int64_t message_id;

	assert_int_equal(store_message_add(store, &draft, &message_id), 0);
	return message_id;
}

static bool holds(const char *text)
{
	const struct received_code_question question = { text, AGENT, 0 };

	return received_codes_are_in(codes, &question);
}

/* ---- the corpus ---------------------------------------------------------------------- */

/*
 * Calls `visit` with every `stride`-th line; returns how many it said yes to. `lines_out`
 * counts the lines that were visited.
 */
static unsigned each_line(const struct half *half, const char *name, unsigned stride,
			  bool (*visit)(const char *text), unsigned *lines_out)
{
	char file_name[64], line[LINE_BYTES];
	unsigned yes = 0, number = 0;
	FILE *file;

	snprintf(file_name, sizeof(file_name), "leak_corpus/%s/%s.txt", half->name, name);
	file = corpus_open(file_name);
	*lines_out = 0;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!*line || number++ % stride)
			continue;
		corpus_unescape(line);
		++*lines_out;
		yes += visit(line);
	}
	fclose(file);
	return yes;
}

static bool receive_line(const char *text)
{
	receive(text, 1000);
	return true;
}

static bool try_is_held(const char *text)
{
	bool held = holds(text);

	if (!held && show)
		printf("missed: %s\n", text);
	return held;
}

static bool ordinary_is_held(const char *text)
{
	bool held = holds(text);

	if (held && show)
		printf("held: %s\n", text);
	return held;
}

static void measure(const struct half *half)
{
	unsigned stride = sample_stride(10);
	unsigned lines, tries, held, ordinary, wrongly_held;

	each_line(half, "received", 1, receive_line, &lines);
	held = each_line(half, "tries", 1, try_is_held, &tries);
	wrongly_held = each_line(half, "ordinary", stride, ordinary_is_held, &ordinary);
	printf("%s: %u messages with codes; %u of %u tries get through, %u of %u "
	       "ordinary texts are held\n",
	       half->name, lines, tries - held, tries, wrongly_held, ordinary);
	assert_true(tries >= half->tries_least &&
		    ordinary * stride >= half->ordinary_least);
	assert_int_equal(tries - held, 0);
	assert_true(1000 * wrongly_held <= HELD_PER_MILLE_MOST * ordinary);
}

FIXTURE(set_up, tear_down)

TEST(test_no_way_to_write_a_code_gets_past_the_known_corpus)
{
	static const struct half known = { "known", 600, 2500 };

	measure(&known);
}

TEST(test_no_way_to_write_a_code_gets_past_the_held_out_corpus)
{
	static const struct half held_out = { "held_out", 300, 1000 };

	measure(&held_out);
}

/* ---- the day ------------------------------------------------------------------------- */

TEST(test_nothing_is_held_while_no_code_came_in)
{
	assert_false(holds("482913"));
	receive("See you at 18:30, gate 482913", 1000);
	assert_false(holds("1830"));
}

TEST(test_a_code_counts_as_soon_as_it_came_in_and_for_a_day)
{
	receive("Your code is 305618", DAY_MS + 60 * 1000);
	receive("Your code is 771153", DAY_MS - 60 * 1000);
	assert_false(holds("the code is 305618"));
	assert_true(holds("the code is 771153"));
	assert_false(holds("the code is 991375"));
	receive("Your code is 991375", 0);
	assert_true(holds("the code is 991375"));
}

TEST(test_codes_are_read_from_the_store_after_a_start)
{
	receive("Your code is 771153", 1000);
	received_codes_free(codes);
	assert_int_equal(received_codes_new(loop, store, &codes), 0);
	assert_true(holds("seven seven one one five three"));
}

TEST(test_half_a_code_in_each_of_two_messages_is_held)
{
	receive("Your code is 482913", 1000);
	receive("Your code is A7K2Q9", 1000);
	sent_before("first 482", AGENT);
	assert_true(holds("then 913"));
	assert_false(holds("then 914"));
	assert_false(holds("see you later"));
	sent_before("it begins with A7K", AGENT);
	sent_before("Lunch at noon?", AGENT);
	assert_true(holds("and ends with 2Q9"));
}

TEST(test_a_text_to_many_recipients_counts_once_among_those_before)
{
	receive("Your code is 482913", 1000);
	sent_before("first 482", AGENT);
	for (int i = 0; i < 100; i++)
		sent_before("Lunch at noon?", AGENT);
	assert_true(holds("then 913"));
	assert_false(holds("then 914"));
}

TEST(test_the_rest_of_a_code_counts_for_the_client_that_sent_the_first)
{
	receive("Your code is 482913", 1000);
	sent_before("first 482", AGENT + 1);
	assert_false(holds("then 913"));
}

TEST(test_a_code_in_single_digits_over_messages_is_held)
{
	static const char *const digits[] = { "4", "eight", "2", "the next is 9", "1" };

	receive("Your code is 482913", 1000);
	for (size_t i = 0; i < sizeof(digits) / sizeof(*digits); i++)
		sent_before(digits[i], AGENT);
	assert_true(holds("and 3"));
}

TEST(test_a_message_does_not_count_as_one_before_itself)
{
	struct received_code_question question = { "48", AGENT, 0 };

	receive("Your code is 4848", 1000);
	question.message_id = sent_before("48", AGENT);
	assert_false(received_codes_are_in(codes, &question));
}

TEST(test_a_date_or_time_is_a_code_only_where_codes_are_spoken_of)
{
	receive("Your code is 1830", 1000);
	receive("Your code is 2026", 1000);
	assert_false(holds("The train leaves at 18:30 from platform 4"));
	assert_false(holds("We met in Graz on 23.11.2026, it was lovely"));
	assert_true(holds("The code is 18:30"));
	assert_true(holds("The PIN they sent me is 2026"));
	assert_true(holds("1830"));
	assert_true(holds("they said one eight three zero to me"));
}

/* Milliseconds for each of many texts. */
static double judging_ms(void)
{
	enum { TEXTS = 40 };
	int64_t from_ms = clock_monotonic_ms();
	char text[80];

	for (int i = 0; i < TEXTS; i++) {
		snprintf(text, sizeof(text),
			 "Shall we have lunch at noon? Bring friends and a %c", 'a' + i);
		assert_false(holds(text));
	}
	return (double)(clock_monotonic_ms() - from_ms) / TEXTS;
}

/* As messages that came in just now, with the codes 100000, 100083, ... 929917. */
static void receive_ten_thousand_codes(void)
{
	char text[64], statement[512];

	snprintf(text, sizeof(text), "%lld", (long long)clock_wall_ms());
	sql(strcat(strcpy(statement,
			  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 "
			  "FROM n WHERE i < 10000) INSERT INTO message (direction, "
			  "sim_id, phone_number, text, state, created, changed) SELECT "
			  "1, 1, 'Bank', 'Your code is ' || (100000 + 83 * i), 9, "),
		   strcat(text, ", 1 FROM n")));
}

static void start_anew(void)
{
	received_codes_free(codes);
	assert_int_equal(received_codes_new(loop, store, &codes), 0);
}

static void note_ready(void *data, const void *event)
{
	bool *is_ready = data;

	assert_true(received_codes_are_ready(codes));
	*is_ready = true;
}

TEST(test_after_a_start_the_loop_reads_the_codes_in_many_turns)
{
	struct observer observer = { 0 };
	bool is_ready = false;
	unsigned turns = 0;

	receive_ten_thousand_codes();
	start_anew();
	assert_false(received_codes_are_ready(codes));
	observer_add(received_codes_observers(codes), &observer, note_ready, &is_ready);
	for (; !is_ready; turns++)
		assert_true(sd_event_run(loop, 0) > 0);
	observer_remove(&observer);
	printf("10,000 messages are read in %u turns\n", turns);
	assert_true(turns > 10);
	assert_true(holds("it is 929917"));
}

TEST(test_a_text_is_never_judged_on_a_part_of_the_codes)
{
	receive_ten_thousand_codes();
	start_anew();
	assert_true(sd_event_run(loop, 0) > 0);
	assert_false(received_codes_are_ready(codes));
	receive("Your code is 55512077", 0);
	assert_true(holds("it is 100083"));
	assert_true(holds("it is 929917"));
	assert_true(holds("it is 55512077"));
	while (!received_codes_are_ready(codes))
		assert_true(sd_event_run(loop, 0) > 0);
	receive("Your code is 55512089", 0);
	assert_true(holds("it is 55512089"));
}

/* Times are compared only in "make check-all": SAMPLE stands for "make check". */
TEST(test_ten_thousand_codes_cost_no_more_than_a_few)
{
	double few_ms, many_ms;
	int64_t from_ms;

	receive("Your code is 482913", 1000);
	for (int i = 0; i < 12; i++)
		sent_before(
			"Hi Tom, the train at 18:30 is late, so I take a bus. See you "
			"at 20:15 or so, keep a beer for me!",
			AGENT);
	few_ms = judging_ms();
	receive_ten_thousand_codes();
	from_ms = clock_monotonic_ms();
	assert_false(holds("Lunch at noon?"));
	printf("10,000 new messages are read in %lld ms\n",
	       (long long)(clock_monotonic_ms() - from_ms));
	many_ms = judging_ms();
	printf("a text is judged in %.2f ms with one code, in %.2f ms with 10,000\n",
	       few_ms, many_ms);
	assert_true(many_ms < 4 * few_ms + 10 || sample_stride(2) > 1);
	assert_true(holds("it is 929917"));
}
