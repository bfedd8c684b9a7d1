/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message that can leave at once is prepared: one commit accepts it and says that it is being
 * submitted. These tests let something happen between that commit and the submission.
 */
#include "unit_test.h"
#include "outbox_bench.h"

static char lines[128];

static void note_line(void *data, const struct message_change *change)
{
	size_t length = strlen(lines);

	snprintf(lines + length, sizeof(lines) - length, "%s ",
		 message_state_name(change->state));
}

static void assert_history(int64_t id, const char *expected)
{
	lines[0] = '\0';
	assert_int_equal(store_message_changes(store, id, note_line, NULL), 0);
	assert_string_equal(lines, expected);
}

static int64_t submit_awaited(const char *text)
{
	struct store_message_draft draft = { 1, 0, "+36201234567", text, 1 };
	int64_t id = 0;

	draft.is_awaited = true;
	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	return id;
}

FIXTURE(bench_set_up, bench_tear_down)

/* Its observers see the same events as for any other message. */
TEST(test_a_message_is_accepted_and_submitted_in_one_commit)
{
	struct observer observer = { 0 };
	uint64_t changes;
	int64_t id;

	fake_modem_ready("/sim0", "1");
	turn();
	id = submit_awaited("x");
	changes = store_change_count(store);
	assert_message(id, STATE_SUBMITTING, "");
	assert_history(id, "queued submitting ");
	assert_int_equal(outbox_waiting(outbox), 1);
	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	turn();
	assert_heard("1:submitting() ");
	assert_true(store_change_count(store) == changes);
	assert_string_equal(only_send()->text, "x");
	assert_int_equal(outbox_waiting(outbox), 0);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	assert_history(id, "queued submitting submitted ");
	observer_remove(&observer);
}

TEST(test_a_message_behind_another_is_not_prepared)
{
	int64_t first, second;

	fake_modem_ready("/sim0", "1");
	turn();
	first = submit_awaited("x");
	second = submit_awaited("y");
	assert_message(first, STATE_SUBMITTING, "");
	assert_message(second, STATE_QUEUED, "");
	turn();
	assert_string_equal(only_send()->text, "x");
	assert_message(second, STATE_QUEUED, "");
	assert_message(submit_awaited("z"), STATE_QUEUED, "");
}

TEST(test_a_message_is_not_prepared_while_its_sim_is_busy)
{
	struct modem *modem;

	modem = fake_modem_ready("/sim0", "1");
	turn();
	outbox_set_paused(outbox, true);
	assert_message(submit_awaited("x"), STATE_QUEUED, "");
	outbox_set_paused(outbox, false);
	fake_modem_remove(modem);
	assert_message(submit_awaited("y"), STATE_QUEUED, "");
	turn();
	assert_int_equal(sends_pending(), 0);
}

/* The SIM goes before the run: the message waits for it. */
TEST(test_a_prepared_message_is_queued_when_the_modem_goes)
{
	struct modem *modem;
	int64_t id;

	modem = fake_modem_ready("/sim0", "1");
	turn();
	id = submit_awaited("x");
	fake_modem_remove(modem);
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_QUEUED, "");
	fake_modem_ready("/sim0", "1");
	turn();
	assert_string_equal(only_send()->text, "x");
}

TEST(test_a_prepared_message_can_be_cancelled)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	turn();
	id = submit_awaited("x");
	outbox_cancel_abandoned(outbox, id);
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_CANCELLED, "client_left");
}

TEST(test_a_prepared_message_is_queued_by_a_pause)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	turn();
	id = submit_awaited("x");
	outbox_set_paused(outbox, true);
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_QUEUED, "");
	outbox_set_paused(outbox, false);
	turn();
	assert_string_equal(only_send()->text, "x");
	assert_history(id, "queued submitting queued submitting ");
}

TEST(test_a_prepared_message_is_unknown_after_a_crash)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	turn();
	id = submit_awaited("x");
	bench_restart(&patient);
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
}

TEST(test_a_prepared_message_waits_for_a_full_disk)
{
	struct store_message_draft draft = { 1, 0, "+36201234567", "x", 1 };
	int64_t id = 0;

	fake_modem_ready("/sim0", "1");
	turn();
	draft.is_awaited = true;
	fill_disk(true);
	assert_int_equal(outbox_accept(outbox, &draft, &id), OUTBOX_E_STORAGE);
	turn();
	assert_int_equal(sends_pending(), 0);
}
