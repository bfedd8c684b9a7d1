/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real: inbox, hearing, sims and store. Fake: oFono, by fake_ofono.h, and the clocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "fake_ofono.h"
#include "sms/hearing.h"
#include "sms/inbox.h"
#include "store_bench.h"

#define NOW_MS INT64_C(1790000000000)
#define STAMP  "2026-11-21T07:30:00+0100"
#define ICCID  "8936"
#define DAY_MS INT64_C(86400000)

/* Times are real, hence small where they are waited for. */
static const struct inbox_timing patient = { 60000, 60000 };

static sd_event *loop;
static struct sims *sims;
static struct inbox *inbox;
static struct observer watcher;
static char heard[512];
static struct {
	int64_t monotonic_ms, wall_ms, boot_ms;
} now;

static int64_t fake_monotonic(void)
{
	return now.monotonic_ms;
}

static int64_t fake_wall(void)
{
	return now.wall_ms;
}

static int64_t fake_boot(void)
{
	return now.boot_ms;
}

static const struct clock_source fake_clock = { fake_monotonic, fake_wall, fake_boot };

/* Everything is awake for that long. */
static void pass(int64_t ms)
{
	now.monotonic_ms += ms;
	now.wall_ms += ms;
	now.boot_ms += ms;
}

static void on_inbox_event(void *data, const void *event_data)
{
	const struct inbox_event *event = event_data;
	size_t length = strlen(heard);

	(void)data;
	/* It is on disk when it is told: another connection sees it. */
	assert_int_equal(sql("SELECT max(id) FROM message") >= event->message_id, 1);
	snprintf(heard + length, sizeof(heard) - length, "%lld ",
		 (long long)event->message_id);
}

static void assert_heard(const char *expected)
{
	assert_string_equal(heard, expected);
	heard[0] = '\0';
}

static void start(void)
{
	assert_int_equal(sims_new(loop, &fake_ofono, store, &sims), 0);
	assert_int_equal(inbox_new(loop, store, sims, &fake_ofono, &inbox), 0);
	inbox_set_timing(inbox, &patient);
	observer_add(inbox_observers(inbox), &watcher, on_inbox_event, NULL);
}

static void stop(void)
{
	observer_remove(&watcher);
	inbox_free(inbox);
	inbox = NULL;
	sims_free(sims);
	sims = NULL;
}

/* As if the process had been killed: nothing is written any more. */
static void crash(void)
{
	fill_disk(true);
	stop();
	fill_disk(false);
	reopen_store();
}

static int set_up(void **state)
{
	int failed = store_set_up(state);

	if (failed || sd_event_new(&loop) < 0)
		return -1;
	now.wall_ms = NOW_MS;
	now.monotonic_ms = now.boot_ms = 5000;
	heard[0] = '\0';
	clock_set_source(&fake_clock);
	fake_init();
	open_store();
	start();
	return 0;
}

static int tear_down(void **state)
{
	fill_disk(false);
	stop();
	fake_deinit();
	sd_event_unref(loop);
	clock_set_source(NULL);
	return store_tear_down(state);
}

static void receive_from(struct modem *modem, const char *sender, const char *text)
{
	struct ofono_event event = {
		.type = MESSAGE_RECEIVED,
		.modem = modem,
		.sender = sender,
		.text = text,
		.sent_time = STAMP,
		.local_sent_time = "2026-11-21T06:30:00+0000",
	};

	observers_notify(&fake_ofono.observers, &event);
}

static void receive(struct modem *modem, const char *text)
{
	receive_from(modem, "+36201234567", text);
}

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
}

static struct arena *message_arena;

/* Its strings live until the next call. */
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
	return tear_down(state);
}

static void test_a_message(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);
	struct message message;

	(void)state;
	receive(modem, "hello");
	assert_heard("1 ");
	message = get(1);
	assert_int_equal(message.direction, MESSAGE_INCOMING);
	assert_int_equal(message.sim_id, 1);
	assert_string_equal(message.number, "+36201234567");
	assert_string_equal(message.text, "hello");
	assert_string_equal(message.sent_time, STAMP);
	assert_int_equal(message.created_ms, NOW_MS);
	assert_int_equal(message.flags, 0);
	assert_int_equal(inbox_unstored(inbox), 0);
}

static void test_flags(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
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

static void test_senders(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
	receive_from(modem, "Te|ekom @'", "x");
	receive_from(modem, "", "x");
	receive_from(modem, "1234", "x");
	assert_string_equal(get(1).number, "Te|ekom @'");
	assert_string_equal(get(2).number, "");
	assert_string_equal(get(3).number, "1234");
	assert_heard("1 2 3 ");
}

static void test_repeats(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
	receive(modem, "hello");
	pass(60000);
	receive(modem, "hello");
	receive(modem, "hello");
	assert_heard("1 "); /* repeats are told nobody */
	assert_int_equal(get(1).repeats, 2);
	receive(modem, "\uF600");
	receive(modem, "\uF600");
	assert_int_equal(get(2).repeats, 1);
	assert_heard("2 ");
}

/* The card is named by what the modem shows when the message comes. */
static void test_cards(void **state)
{
	struct modem *modem = fake_modem_add("/sim0"), *other;

	(void)state;
	receive(modem, "of nobody"); /* no card is known */
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

/* ---- the disk is full ----------------------------------------------------------- */

static void test_kept_until_the_next_message(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
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
		sd_event_run(loop, 100 * 1000);
	assert_int_equal(inbox_unstored(inbox), 0);
}

static void test_kept_until_the_timer(void **state)
{
	static const struct inbox_timing hasty = { .retry_ms = 1, .grace_ms = 60000 };
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
	inbox_set_timing(inbox, &hasty);
	fill_disk(true);
	receive(modem, "one");
	receive(modem, "two");
	sd_event_run(loop, 10 * 1000 * 1000); /* in vain */
	assert_int_equal(inbox_unstored(inbox), 2);
	fill_disk(false);
	turn_until_stored();
	assert_heard("1 2 ");
	fill_disk(true);
	receive(modem, "three"); /* the timer works once more */
	fill_disk(false);
	turn_until_stored();
	assert_heard("3 ");
}

/* The disk refuses the new card's number, too. */
static void test_kept_for_a_new_card(void **state)
{
	struct modem *modem = fake_modem_add("/sim0");

	(void)state;
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

static void test_kept_ones_may_repeat(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
	fill_disk(true);
	receive(modem, "one");
	receive(modem, "one");
	receive(modem, "two");
	fill_disk(false);
	receive(modem, "one");
	assert_heard("1 2 ");
	assert_int_equal(get(1).repeats, 2);
}

static void test_kept_no_more_than_there_is_room(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);
	char text[24];
	int i;

	(void)state;
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

static void test_kept_until_the_end(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
	fill_disk(true);
	receive(modem, "one");
	fill_disk(false);
	stop();
	assert_int_equal(sql("SELECT count(*) FROM message"), 1);
	start();
}

/* ---- gaps ----------------------------------------------------------------------- */

static char gaps[512];

/* "reason:from+length ", in seconds from NOW_MS; "..." it goes on */
static void note_gap(void *data, const struct gap *gap)
{
	char *end = gaps + strlen(gaps);
	size_t room = sizeof(gaps) - strlen(gaps);
	long long from_s = (gap->from_ms - NOW_MS) / 1000;

	(void)data;
	if (gap->until_ms)
		snprintf(end, room, "%s:%lld+%lld ", gap->reason, from_s,
			 (long long)(gap->until_ms - gap->from_ms) / 1000);
	else
		snprintf(end, room, "%s:%lld... ", gap->reason, from_s);
}

static void assert_gaps(const char *expected)
{
	gaps[0] = '\0';
	assert_int_equal(store_gaps_list(store, 0, note_gap, NULL), 0);
	assert_string_equal(gaps, expected);
}

static void test_gateway_down(void **state)
{
	(void)state;
	assert_gaps(""); /* the very first start */
	pass(100000);
	stop();
	pass(50000);
	start();
	assert_gaps("gateway_down:100+50 ");
}

/* It hears oFono a moment after the start. */
static void test_gateway_down_until_it_hears(void **state)
{
	(void)state;
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps(""); /* the very first start */
	pass(100000);
	stop();
	pass(50000);
	start();
	pass(1000);
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("gateway_down:100+51 ");
	pass(1000);
	fake_tell(OFONO_UNAVAILABLE, NULL);
	pass(1000);
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("gateway_down:100+51 ofono_down:152+1 ");
}

/* After a crash it is down since the last write. */
static void test_gateway_crashed(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
	pass(100000);
	receive(modem, "still alive");
	pass(200000);
	crash();
	pass(50000);
	start();
	assert_gaps("gateway_down:100+250 ");
}

static void test_gateway_started_before_its_time(void **state)
{
	(void)state;
	stop();
	now.wall_ms = 0; /* the clock is not set yet */
	start();
	assert_gaps("gateway_down:0+0 ");
}

static void run_loop(uint64_t usec)
{
	while (sd_event_run(loop, usec) > 0)
		;
}

static void test_ofono_down(void **state)
{
	(void)state;
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("");
	pass(100000);
	fake_tell(OFONO_UNAVAILABLE, NULL);
	assert_gaps("ofono_down:100... ");
	pass(50000);
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:100+50 ");
	pass(100000);
	fake_tell(OFONO_UNAVAILABLE, NULL);
	pass(1000);
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:100+50 ofono_down:250+1 ");
}

static const struct inbox_timing no_grace = { .retry_ms = 60000, .grace_ms = 0 };

static void test_ofono_down_at_the_start(void **state)
{
	(void)state;
	assert_gaps("");
	inbox_set_timing(inbox, &no_grace);
	sd_event_run(loop, 10 * 1000 * 1000);
	assert_gaps("ofono_down:0... ");
	pass(70000);
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:0+70 ");
}

static void test_ofono_soon_after_the_start(void **state)
{
	(void)state;
	inbox_set_timing(inbox, &no_grace);
	fake_tell(OFONO_AVAILABLE, NULL);
	run_loop(300 * 1000); /* more than the timer's accuracy */
	assert_gaps("");
}

/* What a crash left open ends when oFono answers. */
static void test_ofono_down_and_a_crash(void **state)
{
	(void)state;
	fake_tell(OFONO_AVAILABLE, NULL);
	pass(100000);
	fake_tell(OFONO_UNAVAILABLE, NULL);
	pass(100000);
	crash();
	pass(100000);
	start();
	inbox_set_timing(inbox, &no_grace);
	sd_event_run(loop, 10 * 1000 * 1000);
	assert_gaps("gateway_down:0+300 ofono_down:100... ");
	pass(100000);
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("gateway_down:0+300 ofono_down:100+300 ");
}

static void test_gaps_wait_for_the_disk(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
	fake_tell(OFONO_AVAILABLE, NULL);
	fill_disk(true);
	fake_tell(OFONO_UNAVAILABLE, NULL);
	pass(50000);
	fake_tell(OFONO_AVAILABLE, NULL);
	pass(50000);
	assert_gaps("");
	fill_disk(false);
	receive(modem, "the disk takes writes");
	assert_gaps("ofono_down:0+50 ");
	fake_tell(OFONO_UNAVAILABLE, NULL);
	fill_disk(true);
	pass(50000);
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:0+50 ofono_down:100... ");
	pass(50000);
	fill_disk(false);
	receive(modem, "and again");
	assert_gaps("ofono_down:0+50 ofono_down:100+50 ");
}

static int on_nothing(sd_event_source *source, void *data)
{
	(void)source;
	(void)data;
	return 0;
}

/* Any event of the loop. */
static void happen(void)
{
	sd_event_source *source;

	sd_event_add_defer(loop, &source, on_nothing, NULL);
	run_loop(0);
	sd_event_source_disable_unref(source);
}

/* A phone without a clock of its own: it boots in 1970, and hears the time later. */
static void test_the_clock_is_set_after_the_start(void **state)
{
	(void)state;
	pass(100000);
	stop();
	pass(300000);
	now.wall_ms -= NOW_MS - 1000000;
	start();
	inbox_set_timing(inbox, &no_grace);
	sd_event_run(loop, 10 * 1000 * 1000);
	pass(20000);
	fake_tell(OFONO_AVAILABLE, NULL);
	pass(30000);
	fake_tell(OFONO_UNAVAILABLE, NULL);
	pass(40000);
	now.wall_ms += NOW_MS - 1000000;
	happen();
	assert_gaps("gateway_down:100+300 ofono_down:400+20 ofono_down:450... ");
	pass(10000);
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("gateway_down:100+300 ofono_down:400+20 ofono_down:450+50 ");
}

/* It stops again before anybody told it the time. */
static void test_the_clock_is_never_set(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
	pass(100000);
	stop();
	now.wall_ms -= NOW_MS - 1000000;
	start();
	pass(STORE_ALIVE_MS);
	receive(modem, "another write");
	stop();
	now.wall_ms += NOW_MS - 1000000;
	start();
	assert_gaps("gateway_down:100+60 ");
}

/* The gap lies where the messages of its time lie, by the new clock. */
static void test_the_clock_is_set_back_in_a_gap(void **state)
{
	(void)state;
	fake_tell(OFONO_AVAILABLE, NULL);
	pass(5000000);
	fake_tell(OFONO_UNAVAILABLE, NULL);
	pass(50000);
	now.wall_ms -= 3600000;
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:1400+50 ");
}

/* Left, come and left again while the disk was full. */
static void test_two_gaps_wait_for_the_disk(void **state)
{
	(void)state;
	fake_tell(OFONO_AVAILABLE, NULL);
	fake_tell(OFONO_UNAVAILABLE, NULL);
	fill_disk(true);
	pass(50000);
	fake_tell(OFONO_AVAILABLE, NULL);
	pass(50000);
	fake_tell(OFONO_UNAVAILABLE, NULL);
	pass(50000);
	fill_disk(false);
	fake_tell(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:0+50 ofono_down:100+50 ");
}

/* No timer of its own: any event of the loop will do. */
static void test_gaps_wait_for_an_event(void **state)
{
	(void)state;
	pass(100000);
	stop();
	pass(50000);
	fill_disk(true);
	start();
	pass(HEARING_RETRY_MS);
	happen();
	assert_gaps("");
	fill_disk(false);
	pass(HEARING_RETRY_MS - 1);
	happen();
	assert_gaps("");
	pass(1);
	happen();
	assert_gaps("gateway_down:100+50 ");
}

static void test_suspended(void **state)
{
	(void)state;
	happen();
	pass(30000);
	happen();
	assert_gaps("");
	pass(10000);
	now.boot_ms += DAY_MS;
	now.wall_ms += DAY_MS;
	assert_gaps(""); /* nothing has happened since */
	happen();
	assert_gaps("suspended:30+86410 ");
	happen();
	assert_gaps("suspended:30+86410 ");
}

/* Its length comes from the clock that cannot be set. */
static void test_suspended_with_a_wrong_clock(void **state)
{
	(void)state;
	happen();
	now.boot_ms += 100000;
	now.wall_ms += 5000000;
	happen();
	assert_gaps("suspended:4900+100 ");
}

static void test_a_nap_is_no_gap(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		pass(100000);
		now.boot_ms += HEARING_ASLEEP_MS - 1;
		happen();
	}
	now.wall_ms += DAY_MS; /* nor is a clock that was set */
	happen();
	assert_gaps("");
	now.boot_ms += HEARING_ASLEEP_MS;
	happen();
	assert_gaps("suspended:86890+10 ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, free_last)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_message),
		TEST(test_flags),
		TEST(test_senders),
		TEST(test_repeats),
		TEST(test_cards),
		TEST(test_kept_until_the_next_message),
		TEST(test_kept_until_the_timer),
		TEST(test_kept_for_a_new_card),
		TEST(test_kept_ones_may_repeat),
		TEST(test_kept_no_more_than_there_is_room),
		TEST(test_kept_until_the_end),
		TEST(test_gateway_down),
		TEST(test_gateway_down_until_it_hears),
		TEST(test_gateway_crashed),
		TEST(test_gateway_started_before_its_time),
		TEST(test_the_clock_is_set_after_the_start),
		TEST(test_the_clock_is_never_set),
		TEST(test_the_clock_is_set_back_in_a_gap),
		TEST(test_ofono_down),
		TEST(test_ofono_down_at_the_start),
		TEST(test_ofono_soon_after_the_start),
		TEST(test_ofono_down_and_a_crash),
		TEST(test_gaps_wait_for_the_disk),
		TEST(test_two_gaps_wait_for_the_disk),
		TEST(test_gaps_wait_for_an_event),
		TEST(test_suspended),
		TEST(test_suspended_with_a_wrong_clock),
		TEST(test_a_nap_is_no_gap),
	};

	log_set_level(LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
