/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Editing messages that wait in the gateway, and what comes too late. */
#include "unit_test.h"
#include "outbox_bench.h"

#include "base/clock.h"

static const struct store_message_draft now_version = {
	.sim_id = 1,
	.number = "+36207654321",
	.text = "new",
	.segments = 2,
	.state = STATE_QUEUED,
};

static int edit(int64_t id, enum message_state state, int64_t send_at_ms,
		int64_t expires_at_ms)
{
	const struct message former = { .id = id, .number = "+36201234567" };
	struct store_message_draft draft = now_version;

	draft.state = state;
	draft.created_ms = clock_wall_ms();
	draft.send_at_ms = send_at_ms;
	draft.expires_at_ms = expires_at_ms;
	return outbox_edit(outbox, &former, &draft, false);
}

static int64_t accept_later(enum message_state state)
{
	const struct store_message_draft draft = {
		.sim_id = 1,
		.number = "+36201234567",
		.text = "old",
		.segments = 1,
		.state = state,
		.send_at_ms = clock_wall_ms() + CLOCK_MS_PER_DAY,
	};
	int64_t id = 0;

	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	turn();
	return id;
}

static void assert_sent_text(const char *number, const char *text)
{
	assert_string_equal(only_send()->number, number);
	assert_string_equal(only_send()->text, text);
}

FIXTURE(bench_set_up, bench_tear_down)

TEST(test_a_scheduled_message_edited_to_now_is_submitted)
{
	struct observer observer = { 0 };
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = accept_later(STATE_SCHEDULED);
	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	assert_int_equal(edit(id, STATE_QUEUED, 0, 0), 0);
	assert_heard("1:queued(edited) ");
	turn();
	assert_sent_text("+36207654321", "new");
	assert_int_equal(edit(id, STATE_QUEUED, 0, 0), OUTBOX_E_TOO_LATE);
	observer_remove(&observer);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
}

TEST(test_the_edited_time_survives_a_restart)
{
	int64_t at_ms = clock_wall_ms() + 3 * CLOCK_MS_PER_DAY, id;

	fake_modem_ready("/sim0", "1");
	id = accept_later(STATE_SCHEDULED);
	assert_int_equal(edit(id, STATE_SCHEDULED, at_ms, at_ms + 60000), 0);
	bench_restart(&patient);
	turn();
	assert_message(id, STATE_SCHEDULED, "edited");
	assert_int_equal(sends_pending(), 0);
	assert_int_equal(edit(id, STATE_QUEUED, 0, 0), 0);
	turn();
	assert_sent_text("+36207654321", "new");
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
}

/* Its row says already that it is being submitted. */
TEST(test_a_message_that_is_about_to_leave_is_too_late_to_edit)
{
	struct store_message_draft draft = now_version;
	int64_t id = 0;

	fake_modem_ready("/sim0", "1");
	draft.text = "old";
	draft.is_awaited = true;
	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	assert_int_equal(edit(id, STATE_QUEUED, 0, 0), OUTBOX_E_TOO_LATE);
	turn();
	assert_sent_text("+36207654321", "old");
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
}

TEST(test_a_message_that_ofono_did_not_take_can_be_edited)
{
	struct modem *modem;
	int64_t id;

	modem = fake_modem_ready("/sim0", "1");
	id = submit(1, "old");
	turn();
	fake_answer(only_send(), SEND_NOT_SUBMITTED, "x.NotSent");
	turn();
	assert_message(id, STATE_QUEUED, "not_taken");
	assert_int_equal(edit(id, STATE_QUEUED, 0, 0), 0);
	strcpy(modem->network.status, "searching");
	fake_changed(modem);
	strcpy(modem->network.status, "registered"); /* the pause ends */
	fake_changed(modem);
	turn();
	assert_sent_text("+36207654321", "new");
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
}

TEST(test_an_edited_message_waits_for_approval_of_its_revision)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = accept_later(STATE_WAITING_APPROVAL);
	assert_int_equal(edit(id, STATE_WAITING_APPROVAL, 0, 0), 0);
	assert_int_equal(outbox_waiting_for_approval(outbox), 1);
	assert_int_equal(outbox_approval_give(outbox, id, 0, "owner"), OUTBOX_E_EDITED);
	bench_restart(&patient);
	assert_int_equal(outbox_approval_give(outbox, id, 0, "owner"), OUTBOX_E_EDITED);
	assert_int_equal(outbox_approval_give(outbox, id, 1, "owner"), 0);
	assert_int_equal(outbox_waiting_for_approval(outbox), 0);
	turn();
	assert_sent_text("+36207654321", "new");
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
}

TEST(test_an_edited_message_is_not_abandoned)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id;

	strcpy(modem->network.status, "searching");
	fake_changed(modem);
	id = accept_later(STATE_SCHEDULED);
	assert_int_equal(edit(id, STATE_QUEUED, 0, 0), 0);
	outbox_cancel_abandoned(outbox, id);
	turn();
	assert_int_equal(state_of(id), STATE_QUEUED);
}

TEST(test_a_full_disk_leaves_the_old_version_in_memory)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = accept_later(STATE_SCHEDULED);
	fill_disk(true);
	assert_int_equal(edit(id, STATE_QUEUED, 0, 0), OUTBOX_E_STORAGE);
	fill_disk(false);
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_SCHEDULED, "");
	assert_int_equal(outbox_approval_give(outbox, id, 0, "owner"),
			 OUTBOX_E_NOT_WAITING);
}
