/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cancelling messages in every state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "outbox_bench.h"

static int answers;
static int last_answer;

static void on_done(void *data, int outcome)
{
	(void)data;
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

static void test_a_queued_message_is_cancelled_at_once(void **state)
{
	struct observer observer = { 0 };
	int64_t id;

	(void)state;
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

static void test_a_scheduled_message_is_cancelled_at_once(void **state)
{
	struct store_message_draft draft = { 1,
					     0,
					     "+36201234567",
					     "x",
					     1,
					     .state = STATE_SCHEDULED,
					     .send_at_ms = INT64_MAX / 2000 };
	int64_t id = 0;

	(void)state;
	fake_modem_ready("/sim0", "1");
	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	turn();
	assert_int_equal(cancel(id), 0);
	assert_message(id, STATE_CANCELLED, "");
}

/* A crash would undo a cancellation that is not on disk, so it fails. */
static void test_a_message_is_not_cancelled_if_the_disk_refuses(void **state)
{
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	fill_disk(true);
	assert_int_equal(cancel(id), OUTBOX_E_STORAGE);
	fill_disk(false);
	assert_message(id, STATE_QUEUED, "");
	turn();
	assert_string_equal(only_send()->text, "x");
}

static void test_a_message_being_submitted_cannot_be_cancelled(void **state)
{
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	turn();
	assert_int_equal(cancel(id), OUTBOX_E_TOO_LATE);
	assert_true(TAILQ_EMPTY(&fake_cancels));
}

/* As in ofonod, the state comes before the answer. */
static void test_ofono_cancels_a_submitted_message(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_handed(), next = submit(1, "next");

	(void)state;
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

static void test_ofono_may_answer_without_reporting_a_state(void **state)
{
	int64_t id;

	(void)state;
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

static void test_ofono_may_refuse_to_cancel(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_handed();
	size_t i;

	(void)state;
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
static void test_a_message_sent_meanwhile_stays_sent(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_handed();

	(void)state;
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

static void test_a_held_message_can_be_cancelled(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	(void)state;
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
static void test_a_message_of_an_absent_modem_is_cancelled_later(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	(void)state;
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

static void test_a_later_cancellation_survives_restarts(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	(void)state;
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

static void test_a_later_cancellation_waits_for_the_modem_again(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	(void)state;
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
static void test_a_later_cancellation_can_be_too_late(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	(void)state;
	assert_int_equal(cancel(id), OUTBOX_E_CANCEL_LATER);
	show_again(modem);
	fake_cancel_answer(CANCEL_REFUSED);
	turn();
	assert_true(TAILQ_EMPTY(&fake_cancels));
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
}

/* A crash would lose a request that is not on disk, so it fails. */
static void test_a_later_cancellation_needs_the_disk(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	(void)state;
	fill_disk(true);
	assert_int_equal(cancel(id), OUTBOX_E_STORAGE);
	fill_disk(false);
	assert_message(id, STATE_HELD, "modem_away");
	show_again(modem);
	assert_true(TAILQ_EMPTY(&fake_cancels));
}

static void test_a_later_cancellation_is_tried_again_without_memory(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	(void)state;
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
static void test_a_message_held_in_flight_mode_can_be_cancelled(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_handed();

	(void)state;
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
static void test_a_cancellation_becomes_later_when_the_modem_goes(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_handed();

	(void)state;
	assert_int_equal(cancel(id), OUTBOX_E_CANCELLING);
	fake_modem_remove(modem);
	turn();
	fake_cancel_answer(CANCEL_NOT_ASKED);
	assert_int_equal(last_answer, OUTBOX_E_CANCEL_LATER);
	assert_message(id, STATE_HELD, "cancel_wanted");
}

/* The caller has left; the cancellation goes on. */
static void test_a_cancellation_goes_on_without_its_caller(void **state)
{
	struct outbox_cancellation *recall = NULL;
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	id = submit_handed();
	assert_int_equal(outbox_cancel(outbox, id, &recall), OUTBOX_E_CANCELLING);
	outbox_cancel_wait(recall, on_done, NULL);
	outbox_cancel_leave(recall);
	fake_cancel_answer(CANCEL_DONE);
	assert_int_equal(answers, 0);
	assert_message(id, STATE_CANCELLED, "");
}

static void test_the_outbox_may_be_freed_during_a_cancellation(void **state)
{
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	id = submit_handed();
	assert_int_equal(cancel(id), OUTBOX_E_CANCELLING);
	bench_restart(&patient);
	assert_int_equal(answers, 0);
	assert_message(id, STATE_HELD, "gateway_restarted");
}

/* A message that is no longer listed is unknown and leaves memory; then the answer corrects it. */
static void test_an_answer_corrects_an_unknown_message(void **state)
{
	struct modem *modem;
	int64_t id;

	(void)state;
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

static void test_without_memory_nothing_is_cancelled(void **state)
{
	int64_t id;

	(void)state;
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

static void test_an_abandoned_waiting_message_is_cancelled(void **state)
{
	struct observer observer = { 0 };
	int64_t id, again;

	(void)state;
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

static void test_an_abandoned_submitted_message_goes_on(void **state)
{
	int64_t id;

	(void)state;
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

static void test_an_abandoned_message_that_was_asked_for_again_goes_on(void **state)
{
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	outbox_cancel_never_abandoned(outbox, id);
	outbox_cancel_abandoned(outbox, id);
	assert_message(id, STATE_QUEUED, "");
	turn();
	assert_string_equal(only_send()->text, "x");
}

static void test_an_abandoned_message_goes_on_if_the_disk_refuses(void **state)
{
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	fill_disk(true);
	outbox_cancel_abandoned(outbox, id);
	fill_disk(false);
	assert_message(id, STATE_QUEUED, "");
	turn();
	assert_string_equal(only_send()->text, "x");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_queued_message_is_cancelled_at_once),
		TEST(test_a_scheduled_message_is_cancelled_at_once),
		TEST(test_a_message_is_not_cancelled_if_the_disk_refuses),
		TEST(test_a_message_being_submitted_cannot_be_cancelled),
		TEST(test_ofono_cancels_a_submitted_message),
		TEST(test_ofono_may_answer_without_reporting_a_state),
		TEST(test_ofono_may_refuse_to_cancel),
		TEST(test_a_message_sent_meanwhile_stays_sent),
		TEST(test_a_held_message_can_be_cancelled),
		TEST(test_a_message_of_an_absent_modem_is_cancelled_later),
		TEST(test_a_later_cancellation_survives_restarts),
		TEST(test_a_later_cancellation_waits_for_the_modem_again),
		TEST(test_a_later_cancellation_can_be_too_late),
		TEST(test_a_later_cancellation_needs_the_disk),
		TEST(test_a_later_cancellation_is_tried_again_without_memory),
		TEST(test_a_message_held_in_flight_mode_can_be_cancelled),
		TEST(test_a_cancellation_becomes_later_when_the_modem_goes),
		TEST(test_a_cancellation_goes_on_without_its_caller),
		TEST(test_the_outbox_may_be_freed_during_a_cancellation),
		TEST(test_an_answer_corrects_an_unknown_message),
		TEST(test_without_memory_nothing_is_cancelled),
		TEST(test_an_abandoned_waiting_message_is_cancelled),
		TEST(test_an_abandoned_submitted_message_goes_on),
		TEST(test_an_abandoned_message_that_was_asked_for_again_goes_on),
		TEST(test_an_abandoned_message_goes_on_if_the_disk_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
