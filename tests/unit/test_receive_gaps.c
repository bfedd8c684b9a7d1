/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times in which nobody could have told of a message, as the store has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inbox_bench.h"
#include "sms/receive_gaps.h"

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
	assert_int_equal(store_receive_gaps_list(store, 0, note_gap, NULL), 0);
	assert_string_equal(gaps, expected);
}

static void test_gateway_down(void **state)
{
	(void)state;
	assert_gaps(""); /* the very first start */
	pass(100000);
	inbox_stop();
	pass(50000);
	inbox_start();
	assert_gaps("gateway_down:100+50 ");
}

/* It hears oFono a moment after the start. */
static void test_gateway_down_until_it_hears(void **state)
{
	(void)state;
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
	assert_int_equal(inbox_gaps_ms(inbox), 52000); /* of before the start, too */
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
	inbox_start();
	assert_gaps("gateway_down:100+250 ");
}

static void test_gateway_started_before_its_time(void **state)
{
	(void)state;
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

static void test_ofono_down(void **state)
{
	(void)state;
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("");
	pass(100000);
	assert_int_equal(inbox_gaps_ms(inbox), 0);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	assert_gaps("ofono_down:100... ");
	pass(50000);
	assert_int_equal(inbox_gaps_ms(inbox), 50000); /* it goes on */
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

static void test_ofono_down_at_the_start(void **state)
{
	(void)state;
	assert_gaps("");
	inbox_set_timing(inbox, &no_grace);
	sd_event_run(loop, 10 * 1000 * 1000);
	assert_gaps("ofono_down:0... ");
	pass(70000);
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:0+70 ");
}

static void test_ofono_soon_after_the_start(void **state)
{
	(void)state;
	inbox_set_timing(inbox, &no_grace);
	fake_notify(OFONO_AVAILABLE, NULL);
	run_loop(300 * 1000); /* more than the timer's accuracy */
	assert_gaps("");
}

/* What a crash left open ends when oFono answers. */
static void test_ofono_down_and_a_crash(void **state)
{
	(void)state;
	fake_notify(OFONO_AVAILABLE, NULL);
	pass(100000);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	pass(100000);
	crash();
	pass(100000);
	inbox_start();
	inbox_set_timing(inbox, &no_grace);
	sd_event_run(loop, 10 * 1000 * 1000);
	assert_gaps("gateway_down:0+300 ofono_down:100... ");
	pass(100000);
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("gateway_down:0+300 ofono_down:100+300 ");
}

static void test_gaps_wait_for_the_disk(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
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
	inbox_stop();
	pass(300000);
	now.wall_ms -= NOW_MS - 1000000;
	inbox_start();
	inbox_set_timing(inbox, &no_grace);
	sd_event_run(loop, 10 * 1000 * 1000);
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

/* It stops again before anybody told it the time. */
static void test_the_clock_is_never_set(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", ICCID);

	(void)state;
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

/* The gap lies where the messages of its time lie, by the new clock. */
static void test_the_clock_is_set_back_in_a_gap(void **state)
{
	(void)state;
	fake_notify(OFONO_AVAILABLE, NULL);
	pass(5000000);
	fake_notify(OFONO_UNAVAILABLE, NULL);
	pass(50000);
	now.wall_ms -= 3600000;
	fake_notify(OFONO_AVAILABLE, NULL);
	assert_gaps("ofono_down:1400+50 ");
}

/* Left, come and left again while the disk was full. */
static void test_two_gaps_wait_for_the_disk(void **state)
{
	(void)state;
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

/* No timer of its own: any event of the loop will do. */
static void test_gaps_wait_for_an_event(void **state)
{
	(void)state;
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
		now.boot_ms += RECEIVE_GAPS_SUSPEND_MS - 1;
		happen();
	}
	now.wall_ms += DAY_MS; /* nor is a clock that was set */
	happen();
	assert_gaps("");
	now.boot_ms += RECEIVE_GAPS_SUSPEND_MS;
	happen();
	assert_gaps("suspended:86890+10 ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, inbox_set_up, inbox_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
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
