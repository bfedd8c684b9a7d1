/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The owner approves and rejects, with a fake clock. */
#include "unit_test.h"
#include "outbox_bench.h"

#include "base/clock.h"
#include "config/config.h"
#include "sms/outbox.h"

#define MINUTE_MS (INT64_C(60) * 1000)
#define HOUR_MS	  (60 * MINUTE_MS)

static int64_t now_ms;

static int64_t fake_wall(void)
{
	return now_ms;
}

static const struct clock_source fake_clock = { fake_wall, fake_wall, NULL };

static int set_up(void **state)
{
	now_ms = clock_wall_ms(); /* the timer is real */
	clock_set_source(&fake_clock);
	return bench_set_up(state);
}

static int tear_down(void **state)
{
	int failed = bench_tear_down(state);

	clock_set_source(NULL);
	return failed;
}

/* Its SIM cannot send, so approved messages wait. */
static struct modem *modem_searching(void)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");

	strcpy(modem->network.status, "searching");
	fake_changed(modem);
	return modem;
}

/* send_at_ms 0: at once. expires_at_ms 0: never. */
static int64_t submit_unapproved(int64_t send_at_ms, int64_t expires_at_ms)
{
	struct store_message_draft draft = {
		.sim_id = 1,
		.number = "+36201234567",
		.text = "may I",
		.segments = 1,
		.state = STATE_WAITING_APPROVAL,
		.send_at_ms = send_at_ms,
		.expires_at_ms = expires_at_ms,
	};
	int64_t id = 0;

	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	turn();
	assert_message(id, STATE_WAITING_APPROVAL, "");
	return id;
}

static int approve(int64_t id)
{
	return outbox_approval_give(outbox, id, 0, "owner");
}

static int reject(int64_t id)
{
	return outbox_approval_reject(outbox, id, "owner", "not now");
}

static int64_t expiry_of(int64_t id)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message;

	assert_int_equal(store_message_get(store, id, arena, &message), 0);
	arena_free(arena);
	return message.expires_at_ms;
}

static char lines[512];

static void note_line(void *data, const struct message_change *change)
{
	size_t length = strlen(lines);

	snprintf(lines + length, sizeof(lines) - length, "%s(%s)%s ",
		 message_state_name(change->state), change->reason, change->note);
}

static void assert_lines(int64_t id, const char *expected)
{
	lines[0] = '\0';
	assert_int_equal(store_message_changes(store, id, note_line, NULL), 0);
	assert_string_equal(lines, expected);
}

static void assert_decided(int64_t id)
{
	assert_int_equal(approve(id), OUTBOX_E_NOT_WAITING);
	assert_int_equal(reject(id), OUTBOX_E_NOT_WAITING);
}

FIXTURE(set_up, tear_down)

TEST(test_an_approved_message_is_sent)
{
	struct observer observer = { 0 };
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_unapproved(0, 0);
	assert_int_equal(outbox_waiting(outbox), 1);
	assert_int_equal(sends_pending(), 0);
	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	now_ms += HOUR_MS;
	assert_int_equal(approve(id), 0);
	assert_message(id, STATE_QUEUED,
		       "approved_by_owner"); /* before it is submitted */
	assert_int_equal(expiry_of(id), now_ms + OUTBOX_APPROVAL_VALID_MS);
	turn();
	assert_string_equal(only_send()->text, "may I");
	assert_heard("1:queued(approved_by_owner) 1:submitting() ");
	assert_lines(id, "waiting_approval() queued(approved_by_owner) submitting() ");
	assert_decided(id);
	observer_remove(&observer);
}

TEST(test_a_rejected_message_is_never_sent)
{
	struct observer observer = { 0 };
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_unapproved(0, 0);
	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	assert_int_equal(reject(id), 0);
	turn();
	assert_heard("1:failed(approval_rejected) ");
	assert_lines(id, "waiting_approval() failed(approval_rejected)not now ");
	assert_int_equal(outbox_waiting(outbox), 0);
	assert_int_equal(sends_pending(), 0);
	assert_decided(id);
}

TEST(test_only_a_waiting_message_can_be_decided)
{
	struct outbox_cancellation *recall;
	int64_t id;

	fake_modem_ready("/sim0", "1");
	assert_decided(99);
	id = submit(1, "needs none");
	assert_decided(id);
	turn();
	fake_answer(only_send(), SEND_REFUSED, "org.ofono.Error.Failed");
	turn();
	assert_decided(id);
	id = submit_unapproved(0, 0);
	assert_int_equal(outbox_cancel(outbox, id, &recall), 0);
	assert_decided(id);
	assert_message(id, STATE_CANCELLED, "");
	id = submit_unapproved(0, 0);
	outbox_cancel_abandoned(outbox, id);
	assert_decided(id);
	assert_message(id, STATE_CANCELLED, "client_left");
	assert_int_equal(sends_pending(), 0);
}

/* A deadline counts even if no run has seen it yet. */
TEST(test_a_message_that_nobody_approves_expires)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_unapproved(0, 0);
	now_ms += 24 * HOUR_MS - 1;
	bench_restart(&patient);
	turn();
	assert_message(id, STATE_WAITING_APPROVAL, "");
	now_ms += 1;
	assert_decided(id);
	assert_message(id, STATE_EXPIRED, "approval_not_given");
	id = submit_unapproved(0, now_ms + HOUR_MS);
	now_ms += HOUR_MS;
	assert_decided(id);
	assert_message(id, STATE_EXPIRED, "validity_over");
}

/* The timer is real, and wakes the loop for this. */
TEST(test_the_timer_expires_a_message_that_nobody_approves)
{
	struct store_message_draft draft = {
		.sim_id = 1,
		.number = "+36201234567",
		.text = "x",
		.segments = 1,
		.state = STATE_WAITING_APPROVAL,
	};
	int64_t id;

	fake_modem_ready("/sim0", "1");
	freeze();
	draft.created_ms = clock_wall_ms() - 24 * HOUR_MS + 100;
	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	assert_message(id, STATE_WAITING_APPROVAL, "");
	thaw();
	turn_until(state_of(id) == STATE_EXPIRED);
	assert_message(id, STATE_EXPIRED, "approval_not_given");
}

/* Its SIM is absent. Neither a restart nor a second approval makes the time longer. */
TEST(test_an_approval_is_valid_for_ten_minutes)
{
	struct modem *modem = modem_searching();
	int64_t id;

	id = submit_unapproved(0, 0);
	assert_int_equal(approve(id), 0);
	now_ms += OUTBOX_APPROVAL_VALID_MS - 1;
	assert_decided(id);
	bench_restart(&patient);
	turn();
	assert_message(id, STATE_QUEUED, "approved_by_owner");
	now_ms += 1;
	bench_restart(&patient);
	fake_ready(modem);
	turn();
	assert_message(id, STATE_EXPIRED, "approval_expired");
	assert_int_equal(sends_pending(), 0);
}

/* oFono never got it: the same approval covers a second attempt in time. */
TEST(test_a_second_attempt_uses_the_same_approval)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_unapproved(0, 0);
	assert_int_equal(approve(id), 0);
	turn();
	fake_answer(only_send(), SEND_NOT_SUBMITTED, NULL);
	turn();
	assert_message(id, STATE_QUEUED, "not_taken");
	now_ms += OUTBOX_APPROVAL_VALID_MS;
	bench_restart(&patient);
	turn();
	assert_message(id, STATE_EXPIRED, "approval_expired");
	assert_int_equal(sends_pending(), 0);
}

TEST(test_a_shorter_validity_ends_first)
{
	int64_t id;

	modem_searching();
	id = submit_unapproved(0, now_ms + MINUTE_MS);
	assert_int_equal(approve(id), 0);
	assert_int_equal(expiry_of(id), now_ms + MINUTE_MS);
	now_ms += MINUTE_MS;
	bench_restart(&patient);
	turn();
	assert_message(id, STATE_EXPIRED, "validity_over");
}

TEST(test_an_approved_scheduled_message_waits_for_its_time)
{
	int64_t send_at_ms = now_ms + 12 * HOUR_MS, id;

	fake_modem_ready("/sim0", "1");
	id = submit_unapproved(send_at_ms, 0);
	assert_int_equal(approve(id), 0);
	assert_message(id, STATE_SCHEDULED, "approved_by_owner");
	assert_int_equal(expiry_of(id), send_at_ms + OUTBOX_APPROVAL_VALID_MS);
	now_ms = send_at_ms - 1;
	bench_restart(&patient);
	turn();
	assert_int_equal(sends_pending(), 0);
	now_ms = send_at_ms;
	bench_restart(&patient);
	turn();
	assert_string_equal(only_send()->text, "may I");
	assert_lines(
		id,
		"waiting_approval() scheduled(approved_by_owner) queued() submitting() ");
}

/* Its time came while it waited for approval: the approval sends it at once. */
TEST(test_an_approval_after_send_at_sends_at_once)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_unapproved(now_ms + HOUR_MS, 0);
	now_ms += 2 * HOUR_MS;
	bench_restart(&patient);
	turn();
	assert_message(id, STATE_WAITING_APPROVAL, "");
	assert_int_equal(approve(id), 0);
	assert_int_equal(expiry_of(id), now_ms + OUTBOX_APPROVAL_VALID_MS);
	turn();
	assert_string_equal(only_send()->text, "may I");
}

/* An approval that the user gave with the request is valid as long. */
TEST(test_an_approval_by_the_user_is_valid_as_long)
{
	struct store_message_draft draft = {
		.sim_id = 1,
		.number = "+36201234567",
		.text = "x",
		.segments = 1,
		.reason = outbox_approval_by_user,
		.created_ms = now_ms,
		.expires_at_ms = outbox_approval_expiry(now_ms, 0, 0),
	};
	int64_t id;

	modem_searching();
	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	now_ms += OUTBOX_APPROVAL_VALID_MS;
	bench_restart(&patient);
	turn();
	assert_message(id, STATE_EXPIRED, "approval_expired");
	assert_lines(id, "queued(approved_by_person) expired(approval_expired) ");
}

TEST(test_on_a_full_disk_nothing_is_decided)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_unapproved(0, 0);
	fill_disk(true);
	assert_int_equal(approve(id), OUTBOX_E_STORAGE);
	assert_int_equal(reject(id), OUTBOX_E_STORAGE);
	turn();
	assert_int_equal(sends_pending(), 0);
	fill_disk(false);
	assert_message(id, STATE_WAITING_APPROVAL, "");
	assert_lines(id, "waiting_approval() ");
	assert_int_equal(approve(id), 0);
	turn();
	assert_string_equal(only_send()->text, "may I");
}

TEST(test_messages_waiting_for_approval_count_in_the_limit)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	bench_config.queue_limit = 2;
	submit_unapproved(0, 0);
	id = submit_unapproved(0, 0);
	assert_true(outbox_is_full(outbox));
	assert_int_equal(try_submit(1, "one more", &id), OUTBOX_E_FULL);
}
