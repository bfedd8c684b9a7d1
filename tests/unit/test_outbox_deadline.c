/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A wall clock that is set, or was never: what that does to times that count from a moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "outbox_bench.h"

#include "base/clock.h"
#include "sms/outbox_approval.h"

#define MINUTE_MS (INT64_C(60) * 1000)
#define HOUR_MS	  (60 * MINUTE_MS)
#define DAY_MS	  (24 * HOUR_MS)

static int64_t boot_ms, epoch_ms; /* lived since the start; what the clock said then */

static int64_t fake_boot(void)
{
	return boot_ms;
}

static int64_t fake_wall(void)
{
	return epoch_ms + boot_ms;
}

static const char *boot_id = "first";

static const char *fake_boot_id(void)
{
	return boot_id;
}

static const struct clock_source fake_clock = { fake_boot, fake_wall, NULL,
						fake_boot_id };

static struct modem *modem;

static void be_in_network(const char *status)
{
	strcpy(modem->network.status, status);
	fake_changed(modem);
}

/* Its card is known and cannot send: what is to go out waits. */
static int set_up(void **state)
{
	boot_id = "first";
	boot_ms = 5000;
	epoch_ms = clock_wall_ms() - boot_ms;
	clock_set_source(&fake_clock);
	if (bench_set_up(state))
		return -1;
	modem = fake_modem_ready("/sim0", "1");
	be_in_network("searching");
	return 0;
}

static int tear_down(void **state)
{
	int failed = bench_tear_down(state);

	clock_set_source(NULL);
	return failed;
}

/* The timer is a real one, and by a clock in 1970 what it waits for is over at once. */
static void look(void)
{
	assert_int_equal(outbox_approval_give(outbox, 999, "owner"),
			 OUTBOX_E_NOT_WAITING);
	for (int i = 0; i < 20; i++)
		sd_event_run(loop, 0);
}

static void set_clock(int64_t by_ms)
{
	epoch_ms += by_ms;
	look();
}

static void live(int64_t ms)
{
	boot_ms += ms;
	look();
}

static void restart(void)
{
	bench_restart(&patient);
	look();
}

static int64_t submit_as(enum message_state first, int64_t send_at_ms, int64_t valid_ms)
{
	int64_t from_ms = send_at_ms ? send_at_ms : clock_wall_ms(), id = 0;
	struct store_message_draft draft = {
		.sim_id = 1,
		.number = "+36201234567",
		.text = "x",
		.segments = 1,
		.state = first,
		.send_at_ms = send_at_ms,
		.expires_at_ms = valid_ms ? from_ms + valid_ms : 0,
	};

	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	return id;
}

static int64_t submit_valid(int64_t valid_ms)
{
	return submit_as(STATE_QUEUED, 0, valid_ms);
}

static struct message row_of(int64_t id)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message;

	assert_int_equal(store_message_get(store, id, arena, &message), 0);
	arena_free(arena); /* its texts are not looked at */
	return message;
}

static int64_t valid_left(int64_t id)
{
	return row_of(id).expires_at_ms - clock_wall_ms();
}

static void test_validity_is_lived(void **state)
{
	static const int64_t jumps_ms[] = { DAY_MS, -DAY_MS, -HOUR_MS, 400 * DAY_MS };

	(void)state;
	for (size_t i = 0; i < sizeof(jumps_ms) / sizeof(jumps_ms[0]); i++) {
		int64_t id = submit_valid(HOUR_MS);

		live(MINUTE_MS);
		set_clock(jumps_ms[i]);
		assert_message(id, STATE_QUEUED, "");
		assert_int_equal(valid_left(id), 59 * MINUTE_MS);
		live(30 * MINUTE_MS);
		restart();
		live(29 * MINUTE_MS - 1);
		assert_message(id, STATE_QUEUED, "");
		live(1);
		assert_message(id, STATE_EXPIRED, "validity_over");
	}
}

/* The first message after the clock was set, while nothing else had happened. */
static void test_what_comes_after_it_was_set(void **state)
{
	static const int64_t jumps_ms[] = { DAY_MS, -DAY_MS, -HOUR_MS };

	(void)state;
	for (size_t i = 0; i < sizeof(jumps_ms) / sizeof(jumps_ms[0]); i++) {
		int64_t before = submit_valid(HOUR_MS), valid, waits;
		struct message row;

		look();
		epoch_ms += jumps_ms[i];
		valid = submit_valid(HOUR_MS);
		waits = submit_as(STATE_WAITING_APPROVAL, 0, 0);
		look();
		assert_message(valid, STATE_QUEUED, "");
		assert_int_equal(valid_left(valid), HOUR_MS);
		assert_int_equal(valid_left(before), HOUR_MS);
		row = row_of(waits);
		assert_int_equal(outbox_approval_until(outbox, &bench_config, &row),
				 clock_wall_ms() + DAY_MS);
		live(HOUR_MS);
		assert_message(valid, STATE_EXPIRED, "validity_over");
		assert_message(waits, STATE_WAITING_APPROVAL, "");
	}
}

/* A clock that is set back makes no yes good for longer. */
static void test_a_yes_is_lived(void **state)
{
	static const int64_t jumps_ms[] = { DAY_MS, -DAY_MS };

	(void)state;
	for (size_t i = 0; i < sizeof(jumps_ms) / sizeof(jumps_ms[0]); i++) {
		int64_t id = submit_as(STATE_WAITING_APPROVAL, 0, 0);

		assert_int_equal(outbox_approval_give(outbox, id, "owner"), 0);
		set_clock(jumps_ms[i]);
		live(OUTBOX_APPROVAL_VALID_MS - 1);
		assert_message(id, STATE_QUEUED, "approved_by_owner");
		live(1);
		assert_message(id, STATE_EXPIRED, "approval_expired");
	}
}

static void test_the_wait_for_a_yes_is_lived(void **state)
{
	static const int64_t jumps_ms[] = { 2 * DAY_MS, -2 * DAY_MS };

	(void)state;
	for (size_t i = 0; i < sizeof(jumps_ms) / sizeof(jumps_ms[0]); i++) {
		int64_t id = submit_as(STATE_WAITING_APPROVAL, 0, 0);
		struct message row = row_of(id);

		set_clock(jumps_ms[i]);
		assert_int_equal(outbox_approval_until(outbox, &bench_config, &row),
				 clock_wall_ms() + DAY_MS);
		live(DAY_MS - 1);
		assert_message(id, STATE_WAITING_APPROVAL, "");
		live(1);
		assert_message(id, STATE_EXPIRED, "approval_not_given");
	}
}

static void test_send_at_is_of_the_wall_clock(void **state)
{
	int64_t at_ms = clock_wall_ms() + HOUR_MS;
	int64_t id = submit_as(STATE_SCHEDULED, at_ms, MINUTE_MS);

	(void)state;
	set_clock(-DAY_MS);
	live(HOUR_MS + 1);
	assert_message(id, STATE_SCHEDULED, "");
	assert_int_equal(row_of(id).expires_at_ms, at_ms + MINUTE_MS);
	set_clock(DAY_MS);
	assert_message(id, STATE_QUEUED, "");
	set_clock(DAY_MS); /* by now it has begun to count */
	assert_message(id, STATE_QUEUED, "");
	live(MINUTE_MS);
	assert_message(id, STATE_EXPIRED, "validity_over");
	id = submit_as(STATE_SCHEDULED, clock_wall_ms() + HOUR_MS, MINUTE_MS);
	set_clock(DAY_MS);
	assert_message(id, STATE_EXPIRED, "validity_over");
}

/* The phone boots in 1970, takes messages, and hears the time. */
static void test_the_time_becomes_known(void **state)
{
	int64_t valid, waiting;

	(void)state;
	epoch_ms = 0;
	restart();
	valid = submit_valid(HOUR_MS);
	waiting = submit_as(STATE_WAITING_APPROVAL, 0, 0);
	live(MINUTE_MS);
	set_clock(CLOCK_SANE_MS + DAY_MS);
	assert_message(valid, STATE_QUEUED, "");
	assert_message(waiting, STATE_WAITING_APPROVAL, "");
	assert_int_equal(valid_left(valid), 59 * MINUTE_MS);
	restart();
	assert_message(valid, STATE_QUEUED, "");
	assert_message(waiting, STATE_WAITING_APPROVAL, "");
	live(59 * MINUTE_MS);
	assert_message(valid, STATE_EXPIRED, "validity_over");
}

/* What ends at a known time waits for the time; the others do not. */
static void test_nobody_knows_whether_it_is_over(void **state)
{
	int64_t valid = submit_valid(HOUR_MS), over = submit_valid(MINUTE_MS), ever;
	int64_t known_ms = epoch_ms;

	(void)state;
	boot_ms = 1000;
	epoch_ms = 0;
	restart();
	be_in_network("registered");
	look();
	assert_int_equal(sends_pending(), 0);
	ever = submit_valid(0);
	look();
	assert_message(ever, STATE_SUBMITTING, "");
	fake_answer(only_send(), SEND_REFUSED, "x.Failed");
	live(29 * MINUTE_MS);
	assert_int_equal(sends_pending(), 0);
	set_clock(known_ms);
	assert_message(over, STATE_EXPIRED, "validity_over");
	assert_message(valid, STATE_SUBMITTING, "");
	only_send();
}

/* Off for so long, as nobody knows; the wall clock then says so much more. */
static void start_machine_anew(int64_t wall_later_ms)
{
	static const char *const ids[] = { "second", "third", "fourth" };
	struct explanation error = { "" };
	int64_t wall_ms = clock_wall_ms();
	static int next;

	assert_int_equal(store_receive_gaps_set_alive(store, wall_ms), 0);
	bench_stop();
	store_close(store);
	boot_id = ids[next++ % 3];
	boot_ms = 1000;
	epoch_ms = wall_ms + wall_later_ms - boot_ms;
	assert_int_equal(store_open(bench_folder, &store, &error), 0);
	assert_int_equal(bench_start(&patient), 0);
	look();
}

/* What was left when it went off is the most that is left. */
static void test_another_start_of_the_machine(void **state)
{
	int64_t valid = submit_valid(HOUR_MS), waits;

	(void)state;
	waits = submit_as(STATE_WAITING_APPROVAL, 0, 0);
	live(20 * MINUTE_MS);
	start_machine_anew(10 * MINUTE_MS);
	assert_message(valid, STATE_QUEUED, "");
	live(20 * MINUTE_MS);
	restart();
	assert_message(valid, STATE_QUEUED, "");
	live(10 * MINUTE_MS); /* by the wall clock an hour is over */
	assert_message(valid, STATE_EXPIRED, "validity_over");
	assert_message(waits, STATE_WAITING_APPROVAL, "");
	live(23 * HOUR_MS);
	assert_message(waits, STATE_EXPIRED, "approval_not_given");
}

/* ... whatever is done to the clock after that. */
static void test_set_back_after_another_start(void **state)
{
	int64_t valid = submit_valid(HOUR_MS);

	(void)state;
	live(20 * MINUTE_MS);
	start_machine_anew(MINUTE_MS);
	set_clock(-DAY_MS);
	be_in_network("registered");
	look();
	assert_message(valid, STATE_QUEUED, ""); /* it waits for the time */
	live(30 * MINUTE_MS);
	assert_message(valid, STATE_QUEUED, "");
	live(11 * MINUTE_MS);
	assert_message(valid, STATE_EXPIRED, "validity_over");
	assert_int_equal(sends_pending(), 0);
}

/* Two days behind, twice, then right again, after it was over. */
static void test_behind_after_another_start(void **state)
{
	int64_t yes = submit_as(STATE_WAITING_APPROVAL, 0, 0), valid, ever;

	(void)state;
	valid = submit_valid(HOUR_MS);
	ever = submit_valid(0);
	assert_int_equal(outbox_approval_give(outbox, yes, "owner"), 0);
	live(MINUTE_MS);
	start_machine_anew(-2 * DAY_MS);
	start_machine_anew(-2 * DAY_MS);
	live(MINUTE_MS);
	set_clock(4 * DAY_MS + 3 * HOUR_MS);
	assert_message(yes, STATE_EXPIRED, "approval_expired");
	assert_message(valid, STATE_EXPIRED, "validity_over");
	assert_message(ever, STATE_QUEUED, "");
}

/* Its time is of the wall clock, and it goes out once, when that has come. */
static void test_scheduled_over_another_start(void **state)
{
	int64_t at_ms = clock_wall_ms() + HOUR_MS;
	int64_t late = submit_as(STATE_SCHEDULED, at_ms, MINUTE_MS);
	int64_t due = submit_as(STATE_SCHEDULED, at_ms, 0);

	(void)state;
	live(MINUTE_MS);
	start_machine_anew(-2 * DAY_MS);
	be_in_network("registered");
	live(2 * HOUR_MS);
	assert_message(late, STATE_SCHEDULED, "");
	assert_message(due, STATE_SCHEDULED, "");
	set_clock(2 * DAY_MS);
	assert_message(late, STATE_EXPIRED, "validity_over");
	assert_message(due, STATE_SUBMITTING, "");
	fake_answer(only_send(), SEND_ACCEPTED, "uuid");
	start_machine_anew(-2 * DAY_MS);
	set_clock(2 * DAY_MS);
	assert_int_equal(sends_pending(), 0);
}

/* One that is approved after a start with a wrong clock has its ten minutes, and no more. */
static void test_approved_while_the_clock_is_behind(void **state)
{
	int64_t yes = submit_as(STATE_WAITING_APPROVAL, 0, 0);

	(void)state;
	start_machine_anew(-2 * DAY_MS);
	assert_int_equal(outbox_approval_give(outbox, yes, "owner"), 0);
	set_clock(2 * DAY_MS);
	live(OUTBOX_APPROVAL_VALID_MS - 1);
	assert_message(yes, STATE_QUEUED, "approved_by_owner");
	live(1);
	assert_message(yes, STATE_EXPIRED, "approval_expired");
}

static void test_the_disk_refuses(void **state)
{
	int64_t id = submit_valid(HOUR_MS);

	(void)state;
	fill_disk(true);
	set_clock(DAY_MS);
	fill_disk(false);
	live(HOUR_MS - 1);
	assert_message(id, STATE_QUEUED, "");
	live(1);
	assert_message(id, STATE_EXPIRED, "validity_over");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_validity_is_lived),
		TEST(test_what_comes_after_it_was_set),
		TEST(test_a_yes_is_lived),
		TEST(test_the_wait_for_a_yes_is_lived),
		TEST(test_send_at_is_of_the_wall_clock),
		TEST(test_the_time_becomes_known),
		TEST(test_nobody_knows_whether_it_is_over),
		TEST(test_another_start_of_the_machine),
		TEST(test_set_back_after_another_start),
		TEST(test_behind_after_another_start),
		TEST(test_scheduled_over_another_start),
		TEST(test_approved_while_the_clock_is_behind),
		TEST(test_the_disk_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
