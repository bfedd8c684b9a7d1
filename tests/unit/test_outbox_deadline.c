/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a wall clock that is set, or was never set, does to deadlines. */
#include "unit_test.h"
#include "outbox_bench.h"

#include "base/clock.h"
#include "sms/outbox.h"

#define MINUTE_MS (INT64_C(60) * 1000)
#define HOUR_MS	  (60 * MINUTE_MS)
#define DAY_MS	  (24 * HOUR_MS)

static int64_t boot_ms, epoch_ms; /* time since the boot; wall clock at the boot */

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

/* Its SIM cannot send, so messages wait. */
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

/* The timer is real; with a clock in 1970 it fires at once. */
static void look(void)
{
	assert_int_equal(outbox_approval_give(outbox, 999, 0, "owner"),
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
	arena_free(arena); /* its strings are not used */
	return message;
}

static int64_t valid_left(int64_t id)
{
	return row_of(id).expires_at_ms - clock_wall_ms();
}

FIXTURE(set_up, tear_down)

TEST(test_setting_the_clock_does_not_change_the_validity)
{
	static const int64_t jumps_ms[] = { DAY_MS, -DAY_MS, -HOUR_MS, 400 * DAY_MS };

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

/* The first message after the clock was set, with no other event in between. */
TEST(test_a_message_accepted_after_the_clock_was_set_is_not_moved)
{
	static const int64_t jumps_ms[] = { DAY_MS, -DAY_MS, -HOUR_MS };

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

/* Setting the clock back does not make an approval longer. */
TEST(test_setting_the_clock_does_not_change_an_approval)
{
	static const int64_t jumps_ms[] = { DAY_MS, -DAY_MS };

	for (size_t i = 0; i < sizeof(jumps_ms) / sizeof(jumps_ms[0]); i++) {
		int64_t id = submit_as(STATE_WAITING_APPROVAL, 0, 0);

		assert_int_equal(outbox_approval_give(outbox, id, 0, "owner"), 0);
		set_clock(jumps_ms[i]);
		live(OUTBOX_APPROVAL_VALID_MS - 1);
		assert_message(id, STATE_QUEUED, "approved_by_owner");
		live(1);
		assert_message(id, STATE_EXPIRED, "approval_expired");
	}
}

TEST(test_setting_the_clock_does_not_change_the_wait_for_approval)
{
	static const int64_t jumps_ms[] = { 2 * DAY_MS, -2 * DAY_MS };

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

TEST(test_send_at_follows_the_wall_clock)
{
	int64_t at_ms = clock_wall_ms() + HOUR_MS;
	int64_t id = submit_as(STATE_SCHEDULED, at_ms, MINUTE_MS);

	set_clock(-DAY_MS);
	live(HOUR_MS + 1);
	assert_message(id, STATE_SCHEDULED, "");
	assert_int_equal(row_of(id).expires_at_ms, at_ms + MINUTE_MS);
	set_clock(DAY_MS);
	assert_message(id, STATE_QUEUED, "");
	set_clock(DAY_MS); /* by now its validity has begun */
	assert_message(id, STATE_QUEUED, "");
	live(MINUTE_MS);
	assert_message(id, STATE_EXPIRED, "validity_over");
	id = submit_as(STATE_SCHEDULED, clock_wall_ms() + HOUR_MS, MINUTE_MS);
	set_clock(DAY_MS);
	assert_message(id, STATE_EXPIRED, "validity_over");
}

/* The phone boots in 1970, accepts messages, and then gets the time. */
TEST(test_times_are_corrected_when_the_clock_is_first_set)
{
	int64_t valid, waiting;

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

/* Messages with a deadline wait for the right time; the others do not. */
TEST(test_with_an_unset_clock_a_deadline_is_uncertain)
{
	int64_t valid = submit_valid(HOUR_MS), over = submit_valid(MINUTE_MS), ever;
	int64_t known_ms = epoch_ms;

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

/* The next boot begins at that wall clock time. */
static void boot_at(int64_t wall_ms)
{
	static const char *const ids[] = { "second", "third", "fourth" };
	struct explanation error = { "" };
	static int next;

	store_close(store);
	boot_id = ids[next++ % 3];
	boot_ms = 1000;
	epoch_ms = wall_ms - boot_ms;
	assert_int_equal(store_open(bench_folder, &store, &error), 0);
	assert_int_equal(bench_start(&patient), 0);
	look();
}

/* The machine is off for a time that only the wall clock shows. */
static void start_machine_anew(int64_t wall_later_ms)
{
	int64_t wall_ms = clock_wall_ms();

	assert_int_equal(store_receive_gaps_set_alive(store, wall_ms), 0);
	bench_stop();
	boot_at(wall_ms + wall_later_ms);
}

/* Nothing is stored at the end of this boot. */
static void cut_power(int64_t wall_ms)
{
	fill_disk(true);
	bench_stop();
	fill_disk(false);
	boot_at(wall_ms);
}

/* A machine whose clock was never set. */
static void start_in_1970(void)
{
	bench_stop();
	boot_at(1000);
}

/* At most as much is left as before it was switched off. */
TEST(test_a_reboot_leaves_what_was_left_at_most)
{
	int64_t valid = submit_valid(HOUR_MS), waits;

	waits = submit_as(STATE_WAITING_APPROVAL, 0, 0);
	live(20 * MINUTE_MS);
	start_machine_anew(10 * MINUTE_MS);
	assert_message(valid, STATE_QUEUED, "");
	live(20 * MINUTE_MS);
	restart();
	assert_message(valid, STATE_QUEUED, "");
	live(10 * MINUTE_MS); /* by the wall clock an hour has passed */
	assert_message(valid, STATE_EXPIRED, "validity_over");
	assert_message(waits, STATE_WAITING_APPROVAL, "");
	live(23 * HOUR_MS);
	assert_message(waits, STATE_EXPIRED, "approval_not_given");
}

/* The same, and then the clock is set back. */
TEST(test_a_clock_set_back_after_a_reboot_makes_nothing_later)
{
	int64_t valid = submit_valid(HOUR_MS);

	live(20 * MINUTE_MS);
	start_machine_anew(MINUTE_MS);
	set_clock(-DAY_MS);
	be_in_network("registered");
	look();
	assert_message(valid, STATE_QUEUED, ""); /* it waits for the right time */
	live(30 * MINUTE_MS);
	assert_message(valid, STATE_QUEUED, "");
	live(11 * MINUTE_MS);
	assert_message(valid, STATE_EXPIRED, "validity_over");
	assert_int_equal(sends_pending(), 0);
}

/* The clock is two days behind, twice, and correct again after the deadline. */
TEST(test_a_clock_behind_after_a_reboot_makes_nothing_later)
{
	int64_t yes = submit_as(STATE_WAITING_APPROVAL, 0, 0), valid, ever;

	valid = submit_valid(HOUR_MS);
	ever = submit_valid(0);
	assert_int_equal(outbox_approval_give(outbox, yes, 0, "owner"), 0);
	live(MINUTE_MS);
	start_machine_anew(-2 * DAY_MS);
	start_machine_anew(-2 * DAY_MS);
	live(MINUTE_MS);
	set_clock(4 * DAY_MS + 3 * HOUR_MS);
	assert_message(yes, STATE_EXPIRED, "approval_expired");
	assert_message(valid, STATE_EXPIRED, "validity_over");
	assert_message(ever, STATE_QUEUED, "");
}

/* Its time is by the wall clock; it goes out once, when that comes. */
TEST(test_a_scheduled_message_survives_a_reboot)
{
	int64_t at_ms = clock_wall_ms() + HOUR_MS;
	int64_t late = submit_as(STATE_SCHEDULED, at_ms, MINUTE_MS);
	int64_t due = submit_as(STATE_SCHEDULED, at_ms, 0);

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

/* A message that is approved while the clock is wrong has its ten minutes, and no more. */
TEST(test_an_approval_is_valid_while_the_clock_is_behind)
{
	int64_t yes = submit_as(STATE_WAITING_APPROVAL, 0, 0);

	start_machine_anew(-2 * DAY_MS);
	assert_int_equal(outbox_approval_give(outbox, yes, 0, "owner"), 0);
	set_clock(2 * DAY_MS);
	live(OUTBOX_APPROVAL_VALID_MS - 1);
	assert_message(yes, STATE_QUEUED, "approved_by_owner");
	live(1);
	assert_message(yes, STATE_EXPIRED, "approval_expired");
}

/* Minutes pass, and nothing but the gateway's timer happens. */
static void idle(int64_t ms)
{
	for (int64_t left_ms = ms; left_ms > 0; left_ms -= MINUTE_MS / 2)
		live(left_ms < MINUTE_MS / 2 ? left_ms : MINUTE_MS / 2);
}

static int64_t approve_new(void)
{
	int64_t id = submit_as(STATE_WAITING_APPROVAL, 0, 0);

	assert_int_equal(outbox_approval_give(outbox, id, 0, "owner"), 0);
	return id;
}

/* With the clock at its start each time, and with one that goes on from its last time. */
TEST(test_a_power_cut_gives_an_idle_approval_no_extra_time)
{
	int64_t known_ms = clock_wall_ms(), id = approve_new();

	idle(OUTBOX_APPROVAL_VALID_MS - 10000);
	cut_power(known_ms);
	be_in_network("registered");
	look();
	assert_message(id, STATE_EXPIRED, "approval_expired");
	be_in_network("searching");
	start_in_1970();
	id = approve_new();
	idle(OUTBOX_APPROVAL_VALID_MS - 10000);
	cut_power(1000);
	be_in_network("registered");
	live(MINUTE_MS);
	assert_message(id, STATE_EXPIRED, "approval_expired");
	assert_int_equal(sends_pending(), 0);
}

TEST(test_power_cuts_each_minute_do_not_prolong_an_approval)
{
	int64_t id;

	start_in_1970();
	id = approve_new();
	for (int64_t cuts = 0; cuts < OUTBOX_APPROVAL_VALID_MS / MINUTE_MS * 2; cuts++) {
		live(MINUTE_MS / 2);
		cut_power(1000);
	}
	assert_message(id, STATE_EXPIRED, "approval_expired");
}

TEST(test_boots_in_1970_do_not_prolong_the_wait_for_approval)
{
	static const bool knew_time[] = { false, true };

	for (size_t i = 0; i < sizeof(knew_time) / sizeof(knew_time[0]); i++) {
		int64_t id;

		if (!knew_time[i])
			start_in_1970();
		id = submit_as(STATE_WAITING_APPROVAL, 0, 0);
		if (knew_time[i])
			start_machine_anew(-clock_wall_ms() + 1000);
		for (int boots = 0; boots < 3; boots++) {
			assert_message(id, STATE_WAITING_APPROVAL, "");
			idle(8 * HOUR_MS);
			cut_power(1000);
		}
		assert_message(id, STATE_EXPIRED, "approval_not_given");
		assert_int_equal(outbox_approval_give(outbox, id, 0, "owner"),
				 OUTBOX_E_NOT_WAITING);
		epoch_ms = CLOCK_SANE_MS + DAY_MS;
	}
}

/* A clean stop takes nothing from a deadline either. */
TEST(test_a_stop_in_1970_leaves_what_was_left)
{
	int64_t id;

	start_in_1970();
	id = approve_new();
	idle(4 * MINUTE_MS);
	start_in_1970();
	live(OUTBOX_APPROVAL_VALID_MS - 4 * MINUTE_MS - boot_ms - 1);
	assert_message(id, STATE_QUEUED, "approved_by_owner");
	live(1);
	assert_message(id, STATE_EXPIRED, "approval_expired");
}

TEST(test_lived_time_is_stored_only_while_a_deadline_waits)
{
	int64_t valid, alive_ms = -1;

	start_in_1970();
	submit_valid(0);
	submit_as(STATE_SCHEDULED, clock_wall_ms() + DAY_MS, 0);
	idle(10 * MINUTE_MS);
	assert_int_equal(store_message_lived_until(store), 0);
	valid = submit_valid(2 * MINUTE_MS);
	live(0);
	assert_int_equal(store_message_lived_until(store), boot_ms + STORE_LIVED_MS);
	idle(2 * MINUTE_MS);
	assert_message(valid, STATE_EXPIRED, "validity_over");
	idle(10 * MINUTE_MS);
	assert_true(store_message_lived_until(store) < boot_ms);
	assert_int_equal(store_receive_gaps_get_alive(store, &alive_ms), 0);
	assert_int_equal(alive_ms, 0); /* no offline gap begins in 1970 */
}

/* The gateway crashes and starts in the same boot: the stored minute is not lost. */
TEST(test_a_crash_takes_nothing_from_a_deadline)
{
	struct explanation error = { "" };
	int64_t id = submit_valid(HOUR_MS);

	look();
	fill_disk(true);
	bench_stop();
	fill_disk(false);
	store_close(store);
	assert_int_equal(store_open(bench_folder, &store, &error), 0);
	assert_int_equal(bench_start(&patient), 0);
	live(HOUR_MS - 1);
	assert_message(id, STATE_QUEUED, "");
	live(1);
	assert_message(id, STATE_EXPIRED, "validity_over");
}

TEST(test_deadlines_move_in_memory_while_the_disk_refuses)
{
	int64_t id = submit_valid(HOUR_MS);

	fill_disk(true);
	set_clock(DAY_MS);
	fill_disk(false);
	live(HOUR_MS - 1);
	assert_message(id, STATE_QUEUED, "");
	live(1);
	assert_message(id, STATE_EXPIRED, "validity_over");
}
