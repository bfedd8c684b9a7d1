/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scheduled messages and expiry. The clock is real, so the times are short. */
#include "unit_test.h"
#include "outbox_bench.h"

#include "config/config.h"

/* Milliseconds from now; 0: none. */
static int64_t submit_timed(const char *text, int64_t send_ms, int64_t expiry_ms)
{
	int64_t now_ms = clock_wall_ms(), id = 0;
	struct store_message_draft draft = {
		.sim_id = 1,
		.number = "+36201234567",
		.text = text,
		.segments = 1,
		.state = send_ms ? STATE_SCHEDULED : STATE_QUEUED,
		.send_at_ms = send_ms ? now_ms + send_ms : 0,
		.expires_at_ms = expiry_ms ? now_ms + expiry_ms : 0,
	};

	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	return id;
}

FIXTURE(bench_set_up, bench_tear_down)

TEST(test_a_scheduled_message_waits_for_its_time)
{
	struct observer observer = { 0 };
	int64_t id, due_ms = clock_wall_ms() + 300;

	fake_modem_ready("/sim0", "1");
	freeze();
	id = submit_timed("later", 300, 0);
	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	assert_message(id, STATE_SCHEDULED, "");
	assert_int_equal(outbox_waiting(outbox), 1);
	thaw();
	turn_until(sends_pending());
	assert_true(clock_wall_ms() >= due_ms);
	assert_string_equal(only_send()->text, "later");
	assert_heard("1:queued() 1:submitting() ");
	observer_remove(&observer);
}

/* Other messages do not wait; the scheduled one goes out in order of its ID. */
TEST(test_other_messages_do_not_wait_for_a_scheduled_one)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t later;

	freeze();
	later = submit_timed("later", 1000, 0);
	submit(1, "now");
	turn();
	assert_string_equal(only_send()->text, "now");
	submit(1, "after");
	thaw();
	turn_until(state_of(later) == STATE_QUEUED);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	turn();
	assert_string_equal(only_send()->text, "later");
}

TEST(test_a_schedule_survives_a_restart)
{
	int64_t soon, late;

	fake_modem_ready("/sim0", "1");
	freeze();
	soon = submit_timed("soon", 1000, 0);
	late = submit_timed("late", 3600 * 1000, 0);
	bench_restart(&patient);
	assert_message(soon, STATE_SCHEDULED, "");
	assert_int_equal(outbox_waiting(outbox), 2);
	thaw();
	turn_until(sends_pending());
	assert_string_equal(only_send()->text, "soon");
	assert_message(late, STATE_SCHEDULED, "");
}

/* What find_slot() answers first, what it answers then, and how often it was asked. */
static struct outbox_slot slot, later_slot;
static int slot_error;
static unsigned slot_questions;

static int find_slot(void *data, const struct message *message, struct arena *arena,
		     struct outbox_slot *slot_out)
{
	assert_string_equal(message->text, "spread");
	slot_questions++;
	*slot_out = slot;
	slot = later_slot;
	return slot_error;
}

static int64_t submit_spread(void)
{
	int64_t id = 0;
	const struct store_message_draft draft = {
		.sim_id = 1,
		.number = "+36201234567",
		.text = "spread",
		.segments = 1,
		.state = STATE_SCHEDULED,
		.send_at_ms = clock_wall_ms() + 20,
		.is_spread = true,
	};

	slot = later_slot = (struct outbox_slot){ 0 };
	slot_error = 0;
	slot_questions = 0;
	outbox_set_slot_finder(outbox, find_slot, NULL);
	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	return id;
}

TEST(test_limits_are_asked_again_when_a_spread_message_is_due)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_spread();
	slot = (struct outbox_slot){ clock_wall_ms() + 3600 * 1000, "rate_limited" };
	later_slot = slot;
	turn_until(slot_questions);
	assert_message(id, STATE_SCHEDULED, "rate_limited");
	assert_int_equal(outbox_waiting(outbox), 1);
	bench_restart(&patient);
	turn();
	assert_message(id, STATE_SCHEDULED, "rate_limited");
	assert_int_equal(sends_pending(), 0);
}

TEST(test_a_postponed_message_is_asked_about_again)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_spread();
	slot = (struct outbox_slot){ clock_wall_ms() + 200, "rate_limited" };
	turn_until(sends_pending());
	assert_int_equal(slot_questions, 2);
	assert_message(id, STATE_SUBMITTING, "");
}

/* Neither sent without an answer nor lost. */
TEST(test_a_spread_message_waits_while_limits_cannot_be_read)
{
	struct outbox_timing quick = patient;
	int64_t id;

	quick.storage_ms = 1;
	outbox_set_timing(outbox, &quick);
	fake_modem_ready("/sim0", "1");
	id = submit_spread();
	slot_error = -EIO;
	turn_until(slot_questions);
	assert_message(id, STATE_QUEUED, "");
	assert_int_equal(sends_pending(), 0);
	slot_error = 0;
	turn_until(sends_pending());
	assert_string_equal(only_send()->text, "spread");
}

/* Its validity ends before its time comes. */
static void wait_past(int64_t id)
{
	struct arena *arena = arena_new(1 << 16);
	struct message message;

	assert_int_equal(store_message_get(store, id, arena, &message), 0);
	while (clock_wall_ms() <= message.expires_at_ms)
		usleep(1000);
	arena_free(arena);
}

TEST(test_an_overdue_message_goes_out_at_the_start)
{
	int64_t due, over;

	fake_modem_ready("/sim0", "1");
	freeze();
	due = submit_timed("due", 20, 0);
	over = submit_timed("over", 20, 50);
	bench_stop();
	thaw();
	wait_past(over);
	assert_int_equal(bench_start(&patient), 0);
	turn();
	assert_string_equal(only_send()->text, "due");
	assert_message(due, STATE_SUBMITTING, "");
	assert_message(over, STATE_EXPIRED, "validity_over");
}

TEST(test_a_queued_message_expires)
{
	struct observer observer = { 0 };
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t stuck = submit(1, "stuck"), id;

	freeze();
	id = submit_timed("behind it", 0, 300);
	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	assert_message(id, STATE_QUEUED, "");
	thaw();
	turn_until(state_of(id) == STATE_EXPIRED);
	assert_message(id, STATE_EXPIRED, "validity_over");
	assert_heard("2:expired(validity_over) ");
	assert_null(observer.subject);
	assert_int_equal(outbox_waiting(outbox), 0);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_message(stuck, STATE_SENT, "");
}

/* A message that oFono has does not expire: it may be being sent. */
TEST(test_a_submitted_message_does_not_expire)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id;

	freeze();
	id = submit_timed("x", 0, 200);
	turn();
	assert_int_equal(sends_pending(), 1);
	thaw();
	turn_ms(500);
	assert_message(id, STATE_SUBMITTING, "");
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
	assert_message(id, STATE_SUBMITTED, "");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
}

/* It was not submitted after all, and its validity ended meanwhile. */
TEST(test_a_message_that_ofono_never_accepted_can_expire)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	freeze();
	id = submit_timed("x", 0, 200);
	turn();
	assert_int_equal(sends_pending(), 1);
	thaw();
	turn_ms(400);
	fake_answer(only_send(), SEND_NOT_SUBMITTED, "x.NotSent");
	turn();
	assert_message(id, STATE_EXPIRED, "validity_over");
	assert_int_equal(sends_pending(), 0);
}

TEST(test_a_scheduled_message_can_expire_before_its_time)
{
	int64_t id = 0;

	fake_modem_ready("/sim0", "1");
	id = submit_timed("x", 60000, 100);
	turn_until(state_of(id) == STATE_EXPIRED);
	assert_message(id, STATE_EXPIRED, "validity_over");
}

static int64_t wall_offset_ms;

static int64_t real_ms(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t jumping_wall_ms(void)
{
	return real_ms(CLOCK_REALTIME) + wall_offset_ms;
}

static int64_t steady_ms(void)
{
	return real_ms(CLOCK_MONOTONIC);
}

/*
 * Each run reads the clock again and sets the timer to the next time that is due. The kernel
 * promises that CLOCK_REALTIME timers follow a clock that is set.
 */
TEST(test_a_clock_set_forward_makes_messages_due)
{
	static const struct clock_source jumping = { steady_ms, jumping_wall_ms, NULL };
	int64_t id;

	fake_modem_ready("/sim0", "1");
	wall_offset_ms = 0;
	clock_set_source(&jumping);
	id = submit_timed("x", 3600 * 1000, 0);
	turn();
	wall_offset_ms = -7200 * 1000;
	submit_timed("y", 14400 * 1000, 0); /* a run follows */
	turn();
	assert_message(id, STATE_SCHEDULED, "");
	wall_offset_ms = 3601 * 1000;
	submit_timed("z", 7200 * 1000, 0);
	turn();
	assert_message(id, STATE_SUBMITTING, "");
	assert_string_equal(only_send()->text, "x");
	clock_set_source(NULL);
}

/* The loop sleeps when nothing is due. */
TEST(test_nothing_wakes_the_process_without_a_deadline)
{
	fake_modem_ready("/sim0", "1");
	turn_ms(150); /* until the SIMs are stable */
	submit_timed("x", 3600 * 1000, 3601 * 1000);
	turn();
	assert_int_equal(sd_event_run(loop, 500 * 1000), 0);
}

TEST(test_scheduled_messages_count_in_the_limit)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	bench_config.queue_limit = 1;
	submit_timed("x", 60000, 0);
	assert_true(outbox_is_full(outbox));
	assert_int_equal(try_submit(1, "y", &id), OUTBOX_E_FULL);
}

/* The disk refuses both changes of state: nothing goes out meanwhile. */
TEST(test_a_due_message_goes_out_when_the_disk_accepts_it)
{
	static const struct outbox_timing timing = { 60000, 60000, 60000, 60000, 100 };
	int64_t due, over;

	outbox_set_timing(outbox, &timing);
	fake_modem_ready("/sim0", "1");
	due = submit_timed("due", 100, 0);
	over = submit_timed("over", 60000, 100);
	fill_disk(true);
	turn_ms(600);
	assert_int_equal(sends_pending(), 0);
	fill_disk(false);
	turn_until(sends_pending() && state_of(over) == STATE_EXPIRED);
	assert_message(over, STATE_EXPIRED, "validity_over");
	assert_message(due, STATE_SUBMITTING, "");
	assert_string_equal(only_send()->text, "due");
}
