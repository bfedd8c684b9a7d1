/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offline gaps, as the store has them. */
#include "unit_test.h"
#include "inbox_bench.h"
#include "patience.h"
#include "sms/receive_gaps.h"

static char gaps[512];

/* "reason:from+length ", in seconds from NOW_MS; "...": the gap is open */
static void note_gap(void *data, const struct gap *gap)
{
	char *end = gaps + strlen(gaps);
	size_t room = sizeof(gaps) - strlen(gaps);
	long long from_s = (gap->from_ms - NOW_MS) / 1000;

	if (gap->until_ms)
		snprintf(end, room, "%s:%lld+%lld ", gap->reason, from_s,
			 (long long)(gap->until_ms - gap->from_ms) / 1000);
	else
		snprintf(end, room, "%s:%lld... ", gap->reason, from_s);
}

static void assert_gaps(const char *expected)
{
	gaps[0] = '\0';
	assert_int_equal(store_receive_gaps_list(store, 0, INT64_MAX, note_gap, NULL), 0);
	assert_string_equal(gaps, expected);
}

FIXTURE(inbox_set_up, inbox_tear_down)

TEST(test_a_stopped_gateway_is_a_gap)
{
	assert_gaps(""); /* the very first start */
	pass(100000);
	inbox_stop();
	pass(50000);
	inbox_start();
	assert_gaps("gateway_down:100+50 ");
}

/* oFono answers a moment after the start. */
TEST(test_the_gap_of_the_start_lasts_until_ofono_answers)
{
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps(""); /* the very first start */
	pass(100000);
	inbox_stop();
	pass(50000);
	inbox_start();
	pass(1000);
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("gateway_down:100+51 ");
	pass(1000);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	pass(1000);
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("gateway_down:100+51 ofono_down:152+1 ");
	assert_int_equal(inbox_gaps_ms(inbox),
			 52000); /* including the gap before the start */
}

/* After a crash the gap begins with the last write. */
TEST(test_a_crash_leaves_a_gap_that_is_not_too_short)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	pass(100000);
	receive(modem, "still alive");
	pass(200000);
	crash();
	pass(50000);
	inbox_start();
	assert_gaps("gateway_down:100+250 ");
}

TEST(test_a_start_before_the_last_run_makes_no_negative_gap)
{
	inbox_stop();
	now.wall_ms = 0; /* the clock is not set yet */
	inbox_start();
	assert_gaps("gateway_down:0+0 ");
}

static void run_loop(uint64_t usec)
{
	while (sd_event_run(loop, usec) > 0)
		;
}

TEST(test_an_absent_ofono_is_a_gap)
{
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("");
	pass(100000);
	assert_int_equal(inbox_gaps_ms(inbox), 0);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	assert_gaps("ofono_down:100... ");
	pass(50000);
	assert_int_equal(inbox_gaps_ms(inbox), 50000); /* the gap is open */
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:100+50 ");
	assert_int_equal(inbox_gaps_ms(inbox), 50000);
	pass(100000);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	pass(1000);
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:100+50 ofono_down:250+1 ");
	assert_int_equal(inbox_gaps_ms(inbox), 51000);
}

static const struct inbox_timing no_grace = { .retry_ms = 60000, .grace_ms = 0 };

TEST(test_ofono_absent_at_the_start_is_a_gap)
{
	assert_gaps("");
	inbox_set_timing(inbox, &no_grace);
	sd_event_run(loop, patience_us(10 * 1000 * 1000));
	assert_gaps("ofono_down:0... ");
	pass(70000);
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:0+70 ");
}

TEST(test_ofono_soon_after_the_start_makes_no_gap_of_its_own)
{
	inbox_set_timing(inbox, &no_grace);
	fake_notify(OFONO_AVAILABLE, NULL);
	run_loop(300 * 1000); /* more than the timer's accuracy */
	assert_gaps("");
}

/* A gap that a crash left open ends when oFono answers. */
TEST(test_a_crash_while_ofono_is_absent_closes_the_gap)
{
	fake_notify(OFONO_AVAILABLE, NULL);
	pass(100000);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	pass(100000);
	crash();
	pass(100000);
	inbox_start();
	inbox_set_timing(inbox, &no_grace);
	sd_event_run(loop, patience_us(10 * 1000 * 1000));
	assert_gaps("gateway_down:0+300 ofono_down:100... ");
	pass(100000);
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("gateway_down:0+300 ofono_down:100+300 ");
}

TEST(test_gaps_are_written_when_the_disk_accepts_them)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	fake_notify(OFONO_AVAILABLE, NULL);
	fill_disk(true);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	pass(50000);
	fake_notify(OFONO_AVAILABLE, NULL);
	pass(50000);
	assert_gaps("");
	fill_disk(false);
	receive(modem, "the disk takes writes");
	assert_gaps("ofono_down:0+50 ");
	fake_notify(OFONO_UNAVAILABLE, NULL);
	fill_disk(true);
	pass(50000);
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:0+50 ofono_down:100... ");
	pass(50000);
	fill_disk(false);
	receive(modem, "and again");
	assert_gaps("ofono_down:0+50 ofono_down:100+50 ");
}

static int on_nothing(sd_event_source *source, void *data)
{
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

/* A phone without a hardware clock boots in 1970 and gets the time later. */
TEST(test_gaps_are_corrected_when_the_clock_is_first_set)
{
	pass(100000);
	inbox_stop();
	pass(300000);
	now.wall_ms -= NOW_MS - 1000000;
	inbox_start();
	inbox_set_timing(inbox, &no_grace);
	sd_event_run(loop, patience_us(10 * 1000 * 1000));
	pass(20000);
	fake_notify(OFONO_AVAILABLE, NULL);
	pass(30000);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	pass(40000);
	now.wall_ms += NOW_MS - 1000000;
	happen();
	assert_gaps("gateway_down:100+300 ofono_down:400+20 ofono_down:450... ");
	pass(10000);
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("gateway_down:100+300 ofono_down:400+20 ofono_down:450+50 ");
}

/* It stops before its clock is set. */
TEST(test_a_run_with_an_unset_clock_does_not_shorten_the_gap)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	pass(100000);
	inbox_stop();
	now.wall_ms -= NOW_MS - 1000000;
	inbox_start();
	pass(STORE_ALIVE_MS);
	receive(modem, "another write");
	inbox_stop();
	now.wall_ms += NOW_MS - 1000000;
	inbox_start();
	assert_gaps("gateway_down:100+60 ");
}

/* The gap is by the same clock as the messages of its time. */
TEST(test_a_clock_set_back_does_not_shorten_a_gap)
{
	fake_notify(OFONO_AVAILABLE, NULL);
	pass(5000000);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	pass(50000);
	now.wall_ms -= 3600000;
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:1400+50 ");
}

/* oFono leaves, comes and leaves again while the disk is full. */
TEST(test_two_gaps_are_written_in_order)
{
	fake_notify(OFONO_AVAILABLE, NULL);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	fill_disk(true);
	pass(50000);
	fake_notify(OFONO_AVAILABLE, NULL);
	pass(50000);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	pass(50000);
	fill_disk(false);
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:0+50 ofono_down:100+50 ");
}

/* There is no timer for this: any event of the loop will do. */
TEST(test_gaps_are_tried_again_with_an_event)
{
	pass(100000);
	inbox_stop();
	pass(50000);
	fill_disk(true);
	inbox_start();
	pass(RECEIVE_GAPS_SAVE_RETRY_MS);
	happen();
	assert_gaps("");
	fill_disk(false);
	pass(RECEIVE_GAPS_SAVE_RETRY_MS - 1);
	happen();
	assert_gaps("");
	pass(1);
	happen();
	assert_gaps("gateway_down:100+50 ");
}

TEST(test_a_suspend_is_a_gap)
{
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

/* Its length is by the boot clock, which cannot be set. */
TEST(test_a_suspend_with_a_wrong_clock_is_a_gap)
{
	happen();
	now.boot_ms += 100000;
	now.wall_ms += 5000000;
	happen();
	assert_gaps("suspended:4900+100 ");
}

TEST(test_a_short_suspend_is_no_gap)
{
	for (int i = 0; i < 5; i++) {
		pass(100000);
		now.boot_ms += RECEIVE_GAPS_SUSPEND_MS - 1;
		happen();
	}
	now.wall_ms += DAY_MS; /* nor is a clock that is set a gap */
	happen();
	assert_gaps("");
	now.boot_ms += RECEIVE_GAPS_SUSPEND_MS;
	happen();
	assert_gaps("suspended:86890+10 ");
}

void before_tests(int argc, char **argv)
{
	log_set_level(LOG_LEVEL_ERROR);
}
