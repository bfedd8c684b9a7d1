/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incoming messages, and receive gaps. */
#include "unit_test.h"
#include "base/clock.h"
#include "store/store_internal.h"
#include "store_bench.h"

#define NOW_MS INT64_C(1790000000000)

static const struct store_incoming_draft usual = {
	.sim_id = 1,
	.reported_ms = NOW_MS,
	.number = "+36201234567",
	.text = "Your code is 123456",
	.sent_time = "2026-11-21T07:30:00+0100",
};

static int64_t wall_ms;

static int64_t fake_wall(void)
{
	return wall_ms;
}

static int64_t fake_monotonic(void)
{
	return 1;
}

static const struct clock_source fake_clock = { fake_monotonic, fake_wall };

static int tear_down(void **state)
{
	clock_set_source(NULL);
	return store_tear_down(state);
}

/* Returns its ID; checks whether it counted as a repeat. */
static int64_t add(const struct store_incoming_draft *draft, bool is_repeat)
{
	int64_t id = 0;
	bool repeated = !is_repeat;

	assert_int_equal(step_add_incoming(store, draft, &id, &repeated), 0);
	assert_int_equal(repeated, is_repeat);
	return id;
}

static void get(int64_t id, struct arena *arena, struct message *message)
{
	assert_int_equal(store_message_get(store, id, arena, message), 0);
}

FIXTURE(store_set_up_with_cards, tear_down)

TEST(test_an_incoming_message_is_stored)
{
	struct arena *arena = arena_new(1 << 20);
	struct store_incoming_draft draft = usual;
	struct message message;
	int64_t id;

	draft.flags = MESSAGE_REPAIRED | MESSAGE_IMMEDIATE;
	id = add(&draft, false);
	reopen_store();
	get(id, arena, &message);
	assert_int_equal(message.id, id);
	assert_int_equal(message.direction, MESSAGE_INCOMING);
	assert_int_equal(message.sim_id, 1);
	assert_int_equal(message.client_id, 0);
	assert_string_equal(message.number, usual.number);
	assert_string_equal(message.text, usual.text);
	assert_string_equal(message.sent_time, usual.sent_time);
	assert_int_equal(message.state, STATE_RECEIVED);
	assert_string_equal(message.uuid, "");
	assert_int_equal(message.flags, MESSAGE_REPAIRED | MESSAGE_IMMEDIATE);
	assert_int_equal(message.repeats, 0);
	assert_int_equal(message.read_ms, 0);
	assert_int_equal(message.created_ms, NOW_MS);
	assert_int_equal(message.changed_ms, NOW_MS);
	assert_history(id, "");
	arena_free(arena);
}

/* A COMMIT waits for the disk; no program can test whether the disk is honest. */
TEST(test_commits_wait_for_the_disk)
{
	sqlite3_stmt *statement;

	assert_int_equal(sqlite3_prepare_v2(store->database, "PRAGMA synchronous", -1,
					    &statement, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(statement, 0), 2); /* FULL */
	sqlite3_finalize(statement);
}

TEST(test_both_directions_share_their_ids)
{
	struct store_incoming_draft draft = usual;
	int64_t first, second, third;

	first = add(&draft, false);
	second = add_message("out");
	draft.text = "another";
	third = add(&draft, false);
	assert_true(first < second && second < third);
	assert_int_equal(state_of(second), STATE_QUEUED);
	assert_int_equal(step_move_message(store, first, STATE_SUBMITTING, NULL, NULL),
			 STORE_E_ILLEGAL);
}

TEST(test_a_message_may_be_of_an_unknown_card)
{
	struct arena *arena = arena_new(1 << 20);
	struct store_incoming_draft draft = usual;
	struct message message;
	int64_t id;

	draft.sim_id = 0;
	id = add(&draft, false);
	get(id, arena, &message);
	assert_int_equal(message.sim_id, 0);
	assert_int_equal(add(&draft, true), id);
	draft.sim_id = 99; /* no card has this ID */
	assert_int_equal(step_add_incoming(store, &draft, &id, &(bool){ false }),
			 -EINVAL);
	arena_free(arena);
}

TEST(test_a_repeat_is_counted)
{
	struct arena *arena = arena_new(1 << 20);
	struct store_incoming_draft draft = usual;
	struct message message;
	int64_t id;

	id = add(&draft, false);
	assert_int_equal(add(&draft, true), id);
	draft.reported_ms +=
		STORE_REPEAT_MS; /* since it came, and again since it was repeated */
	assert_int_equal(add(&draft, true), id);
	draft.reported_ms += STORE_REPEAT_MS;
	assert_int_equal(add(&draft, true), id);
	get(id, arena, &message);
	assert_int_equal(message.repeats, 3);
	assert_int_equal(message.created_ms, NOW_MS);
	assert_int_equal(message.changed_ms, draft.reported_ms);
	assert_int_equal(sql("SELECT count(*) FROM message"), 1);
	draft.reported_ms += STORE_REPEAT_MS + 1;
	assert_int_not_equal(add(&draft, false), id);
	arena_free(arena);
}

/*
 * The gateway saw the ICCID and died; a spool file contained only the IMSI; then both
 * are seen together.
 */
TEST(test_messages_follow_a_card_identified_in_two_steps)
{
	struct store_incoming_draft draft = usual;
	struct arena *arena = arena_new(1 << 20);
	struct message message;
	int64_t card = identify("8938", ""), half = identify("", "21630"), id;

	assert_int_not_equal(card, half);
	draft.sim_id = half;
	draft.spool_file = "1";
	id = add(&draft, false);
	assert_int_equal(identify("8938", "21630"), card);
	get(id, arena, &message);
	assert_int_equal(message.sim_id, card);
	draft.sim_id = identify("", "21630");
	draft.spool_file = "2";
	assert_int_equal(add(&draft, true), id);
	arena_free(arena);
}

TEST(test_other_messages_are_no_repeats)
{
	struct store_incoming_draft draft = usual;

	add(&draft, false);
	draft.sent_time = "2026-11-21T07:30:01+0100"; /* the same text once more */
	add(&draft, false);
	draft = usual;
	draft.text = "Your code is 123457";
	add(&draft, false);
	draft = usual;
	draft.number = "36201234567";
	add(&draft, false);
	draft = usual;
	draft.sim_id = 2;
	add(&draft, false);
	draft = usual;
	draft.reported_ms -= STORE_REPEAT_MS + 1; /* our clock jumped back */
	add(&draft, false);
	draft = usual;
	draft.number = draft.text = draft.sent_time = "";
	add(&draft, false);
	add(&draft, false); /* without a time stamp nobody knows */
	assert_int_equal(sql("SELECT count(*) FROM message WHERE repeats = 0"), 8);
}

/* The clock was set between the signal and the file, as a phone network does. */
TEST(test_signal_and_file_match_although_the_clock_was_set)
{
	const int64_t year_ms = 365 * (int64_t)CLOCK_MS_PER_DAY;
	struct store_incoming_draft draft = usual;
	int64_t id = add(&draft, false);

	draft.spool_file = "1";
	draft.reported_ms -= 50 * year_ms;
	assert_int_equal(add(&draft, true), id);
	draft.text = "The file came first";
	draft.spool_file = "2";
	id = add(&draft, false);
	draft.spool_file = NULL;
	draft.reported_ms += 50 * year_ms;
	assert_int_equal(add(&draft, true), id);
	assert_int_equal(sql("SELECT count(*) FROM message WHERE repeats = 0"), 2);
	draft.reported_ms +=
		year_ms; /* both had arrived: the network repeats it, much later */
	assert_int_not_equal(add(&draft, false), id);
}

/* Only recent messages match at any time: some networks use one stamp for everything. */
TEST(test_an_old_signal_matches_no_file)
{
	struct store_incoming_draft draft = usual, other = usual;
	int64_t id = add(&draft, false);

	for (int at = 0; at < STORE_HALVES_MAX; at++) {
		char stamp[32];

		snprintf(stamp, sizeof(stamp), "2026-11-21T08:%02d:%02d+0100", at / 60,
			 at % 60);
		other.sent_time = stamp;
		add(&other, false);
	}
	draft.spool_file = "1";
	draft.reported_ms += STORE_REPEAT_MS + 1;
	assert_int_not_equal(add(&draft, false), id);
}

/* A message that we sent is not a repeat of theirs. */
TEST(test_an_outgoing_message_is_no_repeat)
{
	struct store_incoming_draft draft = usual;

	draft.sent_time = "";
	draft.reported_ms = clock_wall_ms();
	add_message(draft.text);
	add(&draft, false);
}

TEST(test_a_full_disk_stores_no_message)
{
	struct store_incoming_draft draft = usual;
	int64_t id = 42;
	bool repeated = true;

	add(&draft, false);
	fill_disk(true);
	assert_int_equal(step_add_incoming(store, &draft, &id, &repeated), STORE_E_FULL);
	draft.text = "x";
	assert_int_equal(step_add_incoming(store, &draft, &id, &repeated), STORE_E_FULL);
	assert_int_equal(id, 42);
	assert_true(repeated);
	fill_disk(false);
	assert_int_equal(sql("SELECT count(*) + sum(repeats) FROM message"), 1);
	assert_int_equal(sql("SELECT messages FROM conversation"), 1);
	add(&draft, false);
}

static char gaps[256];

static void note_gap(void *data, const struct gap *gap)
{
	size_t length = strlen(gaps);

	snprintf(gaps + length, sizeof(gaps) - length, "%s:%lld-%lld ", gap->reason,
		 (long long)gap->from_ms, (long long)gap->until_ms);
}

static void assert_gaps(int64_t since_ms, const char *expected)
{
	gaps[0] = '\0';
	assert_int_equal(
		store_receive_gaps_list(store, since_ms, INT64_MAX, note_gap, NULL), 0);
	assert_string_equal(gaps, expected);
}

static void add_gap(int64_t from_ms, int64_t until_ms, const char *reason)
{
	struct gap gap = { from_ms, until_ms, reason };

	assert_int_equal(store_receive_gaps_add(store, &gap), 0);
}

TEST(test_receive_gaps_are_stored)
{
	assert_gaps(0, "");
	add_gap(300000, 400000, "a");
	add_gap(100000, 200000, "b");
	add_gap(500000, 0, "a");
	add_gap(600000, 0, "a"); /* it is open already */
	reopen_store();
	assert_gaps(0, "b:100000-200000 a:300000-400000 a:500000-0 ");
	assert_gaps(199999, "b:100000-200000 a:300000-400000 a:500000-0 ");
	assert_gaps(200000, "a:300000-400000 a:500000-0 ");
	assert_gaps(NOW_MS, "a:500000-0 ");
	assert_int_equal(store_receive_gaps_end(store, "b", 550000), 0);
	assert_int_equal(store_receive_gaps_end(store, "a", 550000), 0);
	assert_gaps(400000, "a:500000-550000 ");
}

TEST(test_adjacent_gaps_are_joined)
{
	add_gap(100000, 200000, "a");
	add_gap(200000 + STORE_GAP_JOIN_MS, 300000, "a");
	add_gap(300001, 400000, "b");
	add_gap(300001 + STORE_GAP_JOIN_MS, 400000, "a");
	assert_gaps(0, "a:100000-300000 b:300001-400000 a:305001-400000 ");
	add_gap(400000, 0, "a"); /* the clock went back: it ends before it began */
	assert_int_equal(store_receive_gaps_end(store, "a", 200000), 0);
	assert_gaps(0, "a:100000-300000 b:300001-400000 a:305001-305001 ");
}

TEST(test_the_last_twenty_gaps_are_listed)
{
	char last[64];

	for (int64_t i = 1; i <= 120; i++)
		add_gap(i * 10000, i * 10000 + 1, "a");
	gaps[0] = '\0';
	assert_int_equal(store_receive_gaps_list(store, 0, INT64_MAX, note_gap, NULL), 0);
	assert_int_equal(strncmp(gaps, "a:1010000-1010001 ", 18), 0);
	snprintf(last, sizeof(last), "a:1200000-1200001 ");
	assert_gaps(1199999, last);
}

static int64_t alive(void)
{
	int64_t alive_ms = -1;

	assert_int_equal(store_receive_gaps_get_alive(store, &alive_ms), 0);
	return alive_ms;
}

/* Other writes update the time: at most once a minute, and only in the gateway. */
TEST(test_the_last_time_alive_is_stored_once_a_minute)
{
	clock_set_source(&fake_clock);
	wall_ms = NOW_MS;
	assert_int_equal(alive(), 0);
	add_message("by some other program");
	assert_int_equal(alive(), 0);
	assert_int_equal(store_receive_gaps_set_alive(store, NOW_MS), 0);
	wall_ms = NOW_MS + STORE_ALIVE_MS - 1;
	add_message("too soon");
	assert_int_equal(alive(), NOW_MS);
	wall_ms = NOW_MS + STORE_ALIVE_MS;
	add_message("due");
	assert_int_equal(alive(), NOW_MS + STORE_ALIVE_MS);
	wall_ms = NOW_MS - 5000; /* the clock was set back */
	add_message("due as well");
	assert_int_equal(alive(), NOW_MS - 5000);
	wall_ms = NOW_MS + 10 * STORE_ALIVE_MS;
	fill_disk(true);
	assert_int_equal(
		step_add_incoming(store, &usual, &(int64_t){ 0 }, &(bool){ false }),
		STORE_E_FULL);
	fill_disk(false);
	assert_int_equal(alive(), NOW_MS - 5000);
	add_message("still due");
	reopen_store();
	assert_int_equal(alive(), wall_ms);
}

TEST(test_a_full_disk_keeps_the_last_time_alive)
{
	clock_set_source(&fake_clock);
	wall_ms = NOW_MS;
	fill_disk(true);
	assert_int_equal(store_receive_gaps_set_alive(store, NOW_MS), STORE_E_FULL);
	fill_disk(false);
	assert_int_equal(alive(), 0);
	wall_ms = NOW_MS + STORE_ALIVE_MS;
	add_message("it is due");
	assert_int_equal(alive(), NOW_MS + STORE_ALIVE_MS);
}
