/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cancelling messages in every state. */
#include "unit_test.h"
#include "outbox_bench.h"

static int answers;
static int last_answer;

static void on_done(void *data, int outcome)
{
	answers++;
	last_answer = outcome;
}

static int set_up(void **state)
{
	answers = 0;
	last_answer = -1;
	return bench_set_up(state);
}

static int cancel(int64_t id)
{
	struct outbox_cancellation *recall = NULL;
	int outcome = outbox_cancel(outbox, id, &recall);

	assert_int_equal(recall != NULL, outcome == OUTBOX_E_CANCELLING);
	if (recall)
		outbox_cancel_wait(recall, on_done, NULL);
	return outcome;
}

/* A submitted message that oFono reports as pending. */
static int64_t submit_handed(void)
{
	int64_t id = submit(1, "x");

	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
	assert_message(id, STATE_SUBMITTED, "");
	return id;
}

FIXTURE(set_up, bench_tear_down)

TEST(test_a_queued_message_is_cancelled_at_once)
{
	struct observer observer = { 0 };
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	assert_int_equal(cancel(id), 0);
	assert_message(id, STATE_CANCELLED, "");
	assert_heard("1:cancelled() ");
	assert_int_equal(outbox_waiting(outbox), 0);
	assert_int_equal(cancel(id), 0); /* repeating it changes nothing */
	turn();
	assert_int_equal(fake_send_count, 0);
	bench_restart(&patient);
	turn();
	assert_int_equal(fake_send_count, 0);
	assert_int_equal(cancel(id), OUTBOX_E_TOO_LATE); /* no longer in memory */
}

TEST(test_a_scheduled_message_is_cancelled_at_once)
{
	struct store_message_draft draft = { 1,
					     0,
					     "+36201234567",
					     "x",
					     1,
					     .state = STATE_SCHEDULED,
					     .send_at_ms = INT64_MAX / 2000 };
	int64_t id = 0;

	fake_modem_ready("/sim0", "1");
	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	turn();
	assert_int_equal(cancel(id), 0);
	assert_message(id, STATE_CANCELLED, "");
}

/* A crash would undo a cancellation that is not on disk, so it fails. */
TEST(test_a_message_is_not_cancelled_if_the_disk_refuses)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	fill_disk(true);
	assert_int_equal(cancel(id), OUTBOX_E_STORAGE);
	fill_disk(false);
	assert_message(id, STATE_QUEUED, "");
	turn();
	assert_string_equal(only_send()->text, "x");
}

TEST(test_a_message_being_submitted_cannot_be_cancelled)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	turn();
	assert_int_equal(cancel(id), OUTBOX_E_TOO_LATE);
	assert_true(TAILQ_EMPTY(&fake_cancels));
}

/* As in ofonod, the state comes before the answer. */
TEST(test_ofono_cancels_a_submitted_message)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_handed(), next = submit(1, "next");

	assert_int_equal(cancel(id), OUTBOX_E_CANCELLING);
	assert_string_equal(TAILQ_FIRST(&fake_cancels)->uuid, "A1");
	assert_int_equal(answers, 0);
	fake_message_state(modem, "A1", MESSAGE_CANCELLED);
	turn();
	fake_cancel_answer(CANCEL_DONE);
	assert_int_equal(answers, 1);
	assert_int_equal(last_answer, 0);
	assert_message(id, STATE_CANCELLED, "");
	assert_string_equal(only_send()->text, "next");
	assert_message(next, STATE_SUBMITTING, "");
}

TEST(test_ofono_may_answer_without_reporting_a_state)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_handed();
	assert_int_equal(cancel(id), OUTBOX_E_CANCELLING);
	fake_cancel_answer(CANCEL_DONE);
	assert_int_equal(last_answer, 0);
	assert_message(id, STATE_CANCELLED, "");
}

static const struct {
	enum message_cancel_outcome answer;
	int outcome;
} refusals[] = {
	{ CANCEL_REFUSED, OUTBOX_E_TOO_LATE },
	{ CANCEL_NOT_THERE, OUTBOX_E_TOO_LATE },
	{ CANCEL_NOT_ASKED, OUTBOX_E_NO_ANSWER },
	{ CANCEL_UNKNOWN, OUTBOX_E_NO_ANSWER },
};

TEST(test_ofono_may_refuse_to_cancel)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_handed();
	size_t i;

	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		assert_int_equal(cancel(id), OUTBOX_E_CANCELLING);
		fake_cancel_answer(refusals[i].answer);
		assert_int_equal(last_answer, refusals[i].outcome);
		assert_message(id, STATE_SUBMITTED, "");
	}
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
	assert_int_equal(cancel(id), OUTBOX_E_TOO_LATE);
}

/* It is sent while oFono is being asked. */
TEST(test_a_message_sent_meanwhile_stays_sent)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_handed();

	assert_int_equal(cancel(id), OUTBOX_E_CANCELLING);
	fake_message_state(modem, "A1", MESSAGE_SENT);
	turn();
	fake_cancel_answer(CANCEL_NOT_THERE);
	assert_int_equal(last_answer, OUTBOX_E_TOO_LATE);
	assert_message(id, STATE_SENT, "");
}

static void lose(struct modem *modem)
{
	modem->interfaces = MODEM_SIM_MANAGER;
	fake_changed(modem);
	turn();
}

static int64_t submit_held(struct modem *modem)
{
	int64_t id = submit_handed();

	lose(modem);
	assert_message(id, STATE_HELD, "modem_away");
	return id;
}

TEST(test_a_held_message_can_be_cancelled)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	fake_ready(modem);
	turn();
	assert_int_equal(cancel(id), OUTBOX_E_CANCELLING); /* before it is listed */
	fake_list(only_listing(), "A1");
	fake_message_state(modem, "A1", MESSAGE_CANCELLED);
	fake_cancel_answer(CANCEL_DONE);
	assert_int_equal(last_answer, 0);
	assert_message(id, STATE_CANCELLED, "");
}

/* The modem is back, and oFono lists the message. */
static void show_again(struct modem *modem)
{
	fake_ready(modem);
	turn();
	fake_list(only_listing(), "A1");
	turn();
}

/* oFono cannot be asked yet; it is asked as soon as possible. */
TEST(test_a_message_of_an_absent_modem_is_cancelled_later)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	assert_int_equal(cancel(id), OUTBOX_E_CANCEL_LATER);
	assert_message(id, STATE_HELD, "cancel_wanted");
	assert_int_equal(cancel(id),
			 OUTBOX_E_CANCEL_LATER); /* repeating it changes nothing */
	show_again(modem);
	assert_message(id, STATE_SUBMITTED, "cancel_wanted");
	assert_string_equal(TAILQ_FIRST(&fake_cancels)->uuid, "A1");
	fake_cancel_answer(CANCEL_DONE);
	assert_message(id, STATE_CANCELLED, "");
	assert_int_equal(answers, 0); /* the caller got its answer long ago */
}

TEST(test_a_later_cancellation_survives_restarts)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	assert_int_equal(cancel(id), OUTBOX_E_CANCEL_LATER);
	bench_restart(&patient);
	turn();
	assert_message(id, STATE_HELD, "cancel_wanted");
	show_again(modem);
	assert_false(TAILQ_EMPTY(&fake_cancels));
	bench_restart(&patient); /* while oFono is being asked */
	turn();
	assert_message(id, STATE_HELD, "cancel_wanted");
	fake_list(only_listing(), "A1");
	turn();
	fake_cancel_answer(CANCEL_DONE);
	assert_message(id, STATE_CANCELLED, "");
}

TEST(test_a_later_cancellation_waits_for_the_modem_again)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	assert_int_equal(cancel(id), OUTBOX_E_CANCEL_LATER);
	show_again(modem);
	lose(modem);
	fake_cancel_answer(CANCEL_NOT_ASKED);
	assert_message(id, STATE_HELD, "cancel_wanted");
	show_again(modem);
	fake_cancel_answer(CANCEL_DONE);
	assert_message(id, STATE_CANCELLED, "");
}

/* It is being sent already. After one refusal oFono is not asked again. */
TEST(test_a_later_cancellation_can_be_too_late)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	assert_int_equal(cancel(id), OUTBOX_E_CANCEL_LATER);
	show_again(modem);
	fake_cancel_answer(CANCEL_REFUSED);
	turn();
	assert_true(TAILQ_EMPTY(&fake_cancels));
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
}

/* A crash would lose a request that is not on disk, so it fails. */
TEST(test_a_later_cancellation_needs_the_disk)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	fill_disk(true);
	assert_int_equal(cancel(id), OUTBOX_E_STORAGE);
	fill_disk(false);
	assert_message(id, STATE_HELD, "modem_away");
	show_again(modem);
	assert_true(TAILQ_EMPTY(&fake_cancels));
}

TEST(test_a_later_cancellation_is_tried_again_without_memory)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	assert_int_equal(cancel(id), OUTBOX_E_CANCEL_LATER);
	fake_ready(modem);
	turn();
	fake_list(only_listing(), "A1");
	fake_no_memory = true;
	turn();
	assert_true(TAILQ_EMPTY(&fake_cancels));
	fake_no_memory = false;
	fake_changed(modem); /* any event */
	turn();
	fake_cancel_answer(CANCEL_DONE);
	assert_message(id, STATE_CANCELLED, "");
}

/* oFono lists its messages in flight mode, too, so they can be cancelled before they go out. */
TEST(test_a_message_held_in_flight_mode_can_be_cancelled)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_handed();

	modem->online = false;
	strcpy(modem->network.status, "");
	modem->interfaces = MODEM_SIM_MANAGER;
	fake_changed(modem);
	turn();
	assert_message(id, STATE_HELD, "modem_away");
	modem->interfaces |= MODEM_MESSAGE_MANAGER; /* the SIM stays offline */
	fake_changed(modem);
	turn();
	fake_list(only_listing(), "A1");
	assert_message(id, STATE_SUBMITTED, "");
	assert_int_equal(cancel(id), OUTBOX_E_CANCELLING);
	fake_cancel_answer(CANCEL_DONE);
	assert_message(id, STATE_CANCELLED, "");
}

/* The modem goes during the call; its pointer is not used afterwards. */
TEST(test_a_cancellation_becomes_later_when_the_modem_goes)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_handed();

	assert_int_equal(cancel(id), OUTBOX_E_CANCELLING);
	fake_modem_remove(modem);
	turn();
	fake_cancel_answer(CANCEL_NOT_ASKED);
	assert_int_equal(last_answer, OUTBOX_E_CANCEL_LATER);
	assert_message(id, STATE_HELD, "cancel_wanted");
}

/* The caller has left; the cancellation goes on. */
TEST(test_a_cancellation_goes_on_without_its_caller)
{
	struct outbox_cancellation *recall = NULL;
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_handed();
	assert_int_equal(outbox_cancel(outbox, id, &recall), OUTBOX_E_CANCELLING);
	outbox_cancel_wait(recall, on_done, NULL);
	outbox_cancel_leave(recall);
	fake_cancel_answer(CANCEL_DONE);
	assert_int_equal(answers, 0);
	assert_message(id, STATE_CANCELLED, "");
}

TEST(test_the_outbox_may_be_freed_during_a_cancellation)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_handed();
	assert_int_equal(cancel(id), OUTBOX_E_CANCELLING);
	bench_restart(&patient);
	assert_int_equal(answers, 0);
	assert_message(id, STATE_HELD, "gateway_restarted");
}

/* A message that is no longer listed is unknown and leaves memory; then the answer corrects it. */
TEST(test_an_answer_corrects_an_unknown_message)
{
	struct modem *modem;
	int64_t id;

	modem = fake_modem_ready("/sim0", "1");
	id = submit_handed();
	assert_int_equal(cancel(id), OUTBOX_E_CANCELLING);
	modem->interfaces = MODEM_SIM_MANAGER;
	fake_changed(modem);
	fake_ready(modem);
	turn();
	fake_list(only_listing(), "");
	turn();
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
	fake_cancel_answer(CANCEL_DONE);
	turn();
	assert_int_equal(answers, 1);
	assert_int_equal(last_answer, 0);
	assert_message(id, STATE_CANCELLED, "");
}

TEST(test_without_memory_nothing_is_cancelled)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit_handed();
	fake_no_memory = true;
	assert_int_equal(cancel(id), -ENOMEM);
}

/* The client has left. */

static int64_t submit_with_key(void)
{
	struct store_message_draft draft = { 1,	  0, "+36201234567",
					     "x", 1, .idempotency_key = "k" };
	int64_t id = 0;

	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	return id;
}

TEST(test_an_abandoned_waiting_message_is_cancelled)
{
	struct observer observer = { 0 };
	int64_t id, again;

	fake_modem_ready("/sim0", "1");
	id = submit_with_key();
	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	outbox_cancel_abandoned(outbox, id);
	assert_message(id, STATE_CANCELLED, "client_left");
	assert_heard("1:cancelled(client_left) ");
	again = submit_with_key(); /* its idempotency key is free again */
	assert_true(again > id);
	turn();
	assert_int_equal(fake_send_count, 1);
	assert_message(again, STATE_SUBMITTING, "");
}

TEST(test_an_abandoned_submitted_message_goes_on)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	turn();
	outbox_cancel_abandoned(outbox, id);
	assert_message(id, STATE_SUBMITTING, "");
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
	outbox_cancel_abandoned(outbox, id);
	assert_message(id, STATE_SUBMITTED, "");
	assert_true(TAILQ_EMPTY(&fake_cancels));
}

TEST(test_an_abandoned_message_that_was_asked_for_again_goes_on)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	outbox_cancel_never_abandoned(outbox, id);
	outbox_cancel_abandoned(outbox, id);
	assert_message(id, STATE_QUEUED, "");
	turn();
	assert_string_equal(only_send()->text, "x");
}

TEST(test_an_abandoned_message_goes_on_if_the_disk_refuses)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	fill_disk(true);
	outbox_cancel_abandoned(outbox, id);
	fill_disk(false);
	assert_message(id, STATE_QUEUED, "");
	turn();
	assert_string_equal(only_send()->text, "x");
}
