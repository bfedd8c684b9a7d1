/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inbox, receive gaps, SIMs and store are real; oFono (fake_ofono.h) and the clocks are fake. */
#include "unit_test.h"
#include "inbox_bench.h"
#include "patience.h"

static void receive_immediate(struct modem *modem, const char *text)
{
	struct ofono_event event = {
		.type = MESSAGE_RECEIVED,
		.modem = modem,
		.sender = "112",
		.text = text,
		.sent_time = STAMP,
		.local_sent_time = STAMP,
		.immediate = true,
	};

	observers_notify(&fake_ofono.observers, &event);
	end_turn();
}

static struct arena *message_arena;

/* Its strings are valid until the next call. */
static struct message get(int64_t id)
{
	static struct message message;

	arena_free(message_arena);
	message_arena = arena_new(1 << 20);
	assert_int_equal(store_message_get(store, id, message_arena, &message), 0);
	return message;
}

static int free_last(void **state)
{
	arena_free(message_arena);
	message_arena = NULL;
	return inbox_tear_down(state);
}

FIXTURE(inbox_set_up, free_last)

TEST(test_flags_describe_the_message)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	receive(modem, "Hi \uF600");
	assert_string_equal(get(1).text, "Hi \U0001F600");
	assert_int_equal(get(1).flags, MESSAGE_REPAIRED);
	receive(modem, "");
	assert_int_equal(get(2).flags, MESSAGE_UNREADABLE);
	receive_immediate(modem, "flood");
	assert_int_equal(get(3).flags, MESSAGE_IMMEDIATE);
	receive_immediate(modem, "");
	assert_int_equal(get(4).flags, MESSAGE_IMMEDIATE | MESSAGE_UNREADABLE);
	now.wall_ms = 3600000; /* 1970-01-01 */
	receive(modem, "\uF44D");
	assert_int_equal(get(5).flags, MESSAGE_REPAIRED | MESSAGE_CLOCK_WRONG);
	assert_int_equal(get(5).created_ms, 3600000);
	now.wall_ms = INT64_C(1704067200000) - 1;
	receive(modem, "New Year's Eve");
	assert_int_equal(get(6).flags, MESSAGE_CLOCK_WRONG);
	now.wall_ms++;
	receive(modem, "2024");
	assert_int_equal(get(7).flags, 0);
	assert_heard("1 2 3 4 5 6 7 ");
}

TEST(test_a_service_text_is_flagged_and_counts_as_read)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	receive(modem, "//VVM:SYNC:ev=NM;c=1");
	assert_int_equal(get(1).flags, MESSAGE_SERVICE);
	assert_int_equal(get(1).read_ms, NOW_MS);
	receive(modem, "my phone got //VVM:SYNC:ev=NM");
	assert_int_equal(get(2).flags, 0);
	assert_int_equal(get(2).read_ms, 0);
	now.wall_ms = 0;
	receive(modem, "//VVM:SYNC:ev=GU");
	assert_int_equal(get(3).flags, MESSAGE_SERVICE | MESSAGE_CLOCK_WRONG);
	assert_true(get(3).read_ms > 0);
}

/* Forks damage nothing, so private-use characters are kept there. */
TEST(test_only_emoji_of_upstream_ofono_are_repaired)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	fake_ofono.line = OFONO_LINE_FORK;
	receive(modem, "Hi \uF600");
	fake_ofono.line = OFONO_LINE_UNKNOWN;
	receive(modem, "\uF44D");
	receive(modem, "STOP");
	fake_ofono.line = OFONO_LINE_UPSTREAM;
	receive(modem, "\uF44D");
	assert_string_equal(get(1).text, "Hi \uF600");
	assert_int_equal(get(1).flags, 0);
	assert_string_equal(get(2).text, "\uF44D");
	assert_int_equal(get(2).flags, 0);
	assert_int_equal(get(3).flags, 0);
	assert_string_equal(get(4).text, "\U0001F44D");
	assert_int_equal(get(4).flags, MESSAGE_REPAIRED);
}

TEST(test_senders_are_stored_as_they_came)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	receive_from(modem, "Te|ekom @'", "x");
	receive_from(modem, "", "x");
	receive_from(modem, "1234", "x");
	assert_string_equal(get(1).number, "Te|ekom @'");
	assert_string_equal(get(2).number, "");
	assert_string_equal(get(3).number, "1234");
	assert_heard("1 2 3 ");
}

TEST(test_a_repeat_is_counted_and_not_reported)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	receive(modem, "hello");
	pass(60000);
	receive(modem, "hello");
	receive(modem, "hello");
	assert_heard("1 "); /* observers see no repeats */
	assert_int_equal(get(1).repeats, 2);
	receive(modem, "\uF600");
	receive(modem, "\uF600");
	assert_int_equal(get(2).repeats, 1);
	assert_heard("2 ");
}

/* A message belongs to the card that the modem has at that moment. */
TEST(test_a_message_belongs_to_its_card)
{
	struct modem *modem = fake_modem_add("/sim0"), *other;

	receive(modem, "of nobody"); /* the card is unknown */
	assert_int_equal(get(1).sim_id, 0);
	fake_card(modem, ICCID, "");
	receive(modem, "before sims heard of the card");
	assert_int_equal(get(2).sim_id, 1);
	other = fake_modem_ready("/sim1", "8937");
	receive(other, "of the other");
	receive(modem, "of the one");
	assert_int_equal(get(3).sim_id, 2);
	assert_int_equal(get(4).sim_id, 1);
	fake_card(other, "", "21630");
	receive(other, "by IMSI");
	assert_int_equal(get(5).sim_id, 3);
	assert_heard("1 2 3 4 5 ");
}

/* ---- what comes in one turn of the loop ------------------------------------------- */

TEST(test_messages_of_a_turn_wait_for_the_disk_once)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);
	uint64_t commits = store_commits(store);
	char text[24];

	for (int i = 1; i <= 3; i++) {
		snprintf(text, sizeof(text), "%d", i);
		signal_from(modem, "+36201234567", text);
	}
	signal_from(modem, "+36201234567", "2"); /* a repeat */
	assert_heard("");
	end_turn();
	assert_heard("1 2 3 ");
	assert_int_equal(store_commits(store), commits + 1);
	assert_string_equal(get(3).text, "3");
	assert_int_equal(get(2).repeats, 1);
	end_turn();
	assert_int_equal(store_commits(store), commits + 1);
}

/* More than one group. */
TEST(test_a_flood_in_one_turn_loses_nothing)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);
	uint64_t commits = store_commits(store);
	char text[24];

	for (int i = 1; i <= INBOX_MEMORY_MAX + 1; i++) {
		snprintf(text, sizeof(text), "%d", i);
		signal_from(modem, "+36201234567", text);
	}
	end_turn();
	assert_int_equal(inbox_unstored(inbox), 0);
	assert_string_equal(get(INBOX_MEMORY_MAX + 1).text, text);
	assert_true(store_commits(store) <= commits + INBOX_MEMORY_MAX / 16);
}

/* Messages before and after it are stored. */
TEST(test_a_message_the_store_refuses_takes_no_other_with_it)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	sql("CREATE TRIGGER refuse BEFORE INSERT ON message WHEN new.text = 'bad' "
	    "BEGIN SELECT raise(ABORT, 'no'); END");
	signal_from(modem, "+36201234567", "one");
	signal_from(modem, "+36201234567", "bad");
	signal_from(modem, "+36201234567", "two");
	end_turn();
	assert_int_equal(inbox_unstored(inbox), 0);
	assert_heard("1 2 ");
	assert_string_equal(get(2).text, "two");
}

/* ---- the disk is full ----------------------------------------------------------- */

TEST(test_refused_messages_are_stored_with_the_next_one)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	fill_disk(true);
	receive(modem, "one");
	pass(1000);
	receive(modem, "two");
	assert_int_equal(inbox_unstored(inbox), 2);
	assert_heard("");
	pass(1000);
	fill_disk(false);
	receive(modem, "three");
	assert_int_equal(inbox_unstored(inbox), 0);
	assert_heard("1 2 3 ");
	assert_string_equal(get(1).text, "one");
	assert_int_equal(get(1).created_ms, NOW_MS);
	assert_string_equal(get(2).text, "two");
	assert_int_equal(get(2).created_ms, NOW_MS + 1000);
	assert_string_equal(get(3).text, "three");
}

static void turn_until_stored(void)
{
	for (int i = 0; i < 100 && inbox_unstored(inbox); i++)
		sd_event_run(loop, patience_us(100 * 1000));
	assert_int_equal(inbox_unstored(inbox), 0);
}

TEST(test_refused_messages_are_stored_by_the_timer)
{
	static const struct inbox_timing hasty = { .retry_ms = 1, .grace_ms = 60000 };
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	inbox_set_timing(inbox, &hasty);
	fill_disk(true);
	receive(modem, "one");
	receive(modem, "two");
	sd_event_run(loop, patience_us(10 * 1000 * 1000)); /* the disk is still full */
	assert_int_equal(inbox_unstored(inbox), 2);
	fill_disk(false);
	turn_until_stored();
	assert_heard("1 2 ");
	fill_disk(true);
	receive(modem, "three"); /* the timer works again */
	fill_disk(false);
	turn_until_stored();
	assert_heard("3 ");
}

/* The disk refuses the ID of the new card, too. */
TEST(test_a_message_of_a_new_card_is_kept)
{
	struct modem *modem = fake_modem_add("/sim0");

	fake_card(modem, ICCID, "");
	fill_disk(true);
	receive(modem, "one");
	fake_modem_remove(modem);
	fill_disk(false);
	receive(fake_modem_ready("/sim1", "8937"), "two");
	assert_int_equal(get(1).sim_id, 2);
	assert_int_equal(sql("SELECT iccid FROM sim WHERE id = 2"), 8936);
	assert_int_equal(get(2).sim_id, 1);
	assert_heard("1 2 ");
}

TEST(test_kept_messages_may_be_repeats)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	fill_disk(true);
	receive(modem, "one");
	receive(modem, "one");
	receive(modem, "two");
	fill_disk(false);
	receive(modem, "one");
	assert_heard("1 2 ");
	assert_int_equal(get(1).repeats, 2);
}

TEST(test_messages_beyond_the_memory_are_lost)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);
	char text[24];
	int i;

	fill_disk(true);
	for (i = 1; i <= INBOX_MEMORY_MAX + 3; i++) {
		snprintf(text, sizeof(text), "%d", i);
		receive(modem, text);
	}
	assert_int_equal(inbox_unstored(inbox), INBOX_MEMORY_MAX);
	fill_disk(false);
	receive(modem, "last");
	for (i = 1; i <= INBOX_MEMORY_MAX; i++) {
		snprintf(text, sizeof(text), "%d", i);
		assert_string_equal(get(i).text, text);
	}
	assert_string_equal(get(INBOX_MEMORY_MAX + 1).text, "last");
	assert_int_equal(sql("SELECT count(*) FROM message"), INBOX_MEMORY_MAX + 1);
}

TEST(test_kept_messages_are_tried_at_the_end)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	fill_disk(true);
	receive(modem, "one");
	fill_disk(false);
	inbox_stop();
	assert_int_equal(sql("SELECT count(*) FROM message"), 1);
	inbox_start();
}

void before_tests(int argc, char **argv)
{
	log_set_level(LOG_LEVEL_ERROR);
}
