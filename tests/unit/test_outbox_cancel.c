/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking messages back, from wherever they are. */
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

/* A message that oFono has, pending. */
static int64_t submit_handed(void)
{
	int64_t id = submit(1, "x");

	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
	assert_message(id, STATE_SUBMITTED, "");
	return id;
}

static void test_queued(void **state)
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
	assert_int_equal(cancel(id), 0); /* twice is as good */
	turn();
	assert_int_equal(fake_send_count, 0);
	bench_restart(&patient);
	turn();
	assert_int_equal(fake_send_count, 0);
	assert_int_equal(cancel(id), OUTBOX_E_TOO_LATE); /* not under way any more */
}

static void test_scheduled(void **state)
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

/* A cancel that is not on disk would be undone by a crash: so it has not happened. */
static void test_disk_refuses(void **state)
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

static void test_handing(void **state)
{
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	turn();
	assert_int_equal(cancel(id), OUTBOX_E_TOO_LATE);
	assert_true(TAILQ_EMPTY(&fake_cancels));
}

/* As ofonod does: the state is told before the answer. */
static void test_handed(void **state)
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

static void test_handed_without_a_state(void **state)
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

static void test_handed_and_refused(void **state)
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

/* Sent while oFono was being asked. */
static void test_sent_meanwhile(void **state)
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

static void test_held(void **state)
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

/* The modem is back, and oFono shows the message. */
static void show_again(struct modem *modem)
{
	fake_ready(modem);
	turn();
	fake_list(only_listing(), "A1");
	turn();
}

/* oFono cannot be asked yet: it is as soon as it can. */
static void test_later(void **state)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit_held(modem);

	(void)state;
	assert_int_equal(cancel(id), OUTBOX_E_CANCEL_LATER);
	assert_message(id, STATE_HELD, "cancel_wanted");
	assert_int_equal(cancel(id), OUTBOX_E_CANCEL_LATER); /* twice is as good */
	show_again(modem);
	assert_message(id, STATE_SUBMITTED, "cancel_wanted");
	assert_string_equal(TAILQ_FIRST(&fake_cancels)->uuid, "A1");
	fake_cancel_answer(CANCEL_DONE);
	assert_message(id, STATE_CANCELLED, "");
	assert_int_equal(answers, 0); /* who asked was answered long ago */
}

static void test_later_survives_restarts(void **state)
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
	bench_restart(&patient); /* with the question on its way */
	turn();
	assert_message(id, STATE_HELD, "cancel_wanted");
	fake_list(only_listing(), "A1");
	turn();
	fake_cancel_answer(CANCEL_DONE);
	assert_message(id, STATE_CANCELLED, "");
}

static void test_later_and_the_modem_goes_again(void **state)
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

/* On the air already. One refusal is enough: it is not asked about for ever. */
static void test_later_is_too_late(void **state)
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

/* A wish that is not on disk would be lost with a crash: so it is none. */
static void test_later_and_the_disk_refuses(void **state)
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

static void test_later_without_memory(void **state)
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
	fake_changed(modem); /* whatever comes next */
	turn();
	fake_cancel_answer(CANCEL_DONE);
	assert_message(id, STATE_CANCELLED, "");
}

/* In flight mode oFono shows what it holds, too: it can be cancelled before it goes out. */
static void test_held_in_flight_mode(void **state)
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

/* The modem goes with the question; its pointer is not used any more. */
static void test_modem_goes(void **state)
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

/* Who asked has left; what was asked is done all the same. */
static void test_leave(void **state)
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

static void test_stop_meanwhile(void **state)
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

/* Not listed any more it is unknown, and gone from memory; then the answer says why. */
static void test_answer_after_it_is_unknown(void **state)
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

static void test_no_memory(void **state)
{
	int64_t id;

	(void)state;
	fake_modem_ready("/sim0", "1");
	id = submit_handed();
	fake_no_memory = true;
	assert_int_equal(cancel(id), -ENOMEM);
}

/* Withdrawing: the client has left */

static int64_t submit_with_key(void)
{
	struct store_message_draft draft = { 1,	  0, "+36201234567",
					     "x", 1, .idempotency_key = "k" };
	int64_t id = 0;

	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	return id;
}

static void test_withdrawn_while_it_waits(void **state)
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
	again = submit_with_key(); /* the key is free */
	assert_true(again > id);
	turn();
	assert_int_equal(fake_send_count, 1);
	assert_message(again, STATE_SUBMITTING, "");
}

static void test_withdrawn_too_late(void **state)
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

static void test_withdrawn_but_kept(void **state)
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

static void test_withdrawn_and_the_disk_refuses(void **state)
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
		TEST(test_queued),
		TEST(test_scheduled),
		TEST(test_disk_refuses),
		TEST(test_handing),
		TEST(test_handed),
		TEST(test_handed_without_a_state),
		TEST(test_handed_and_refused),
		TEST(test_sent_meanwhile),
		TEST(test_held),
		TEST(test_later),
		TEST(test_later_survives_restarts),
		TEST(test_later_and_the_modem_goes_again),
		TEST(test_later_is_too_late),
		TEST(test_later_and_the_disk_refuses),
		TEST(test_later_without_memory),
		TEST(test_held_in_flight_mode),
		TEST(test_modem_goes),
		TEST(test_leave),
		TEST(test_stop_meanwhile),
		TEST(test_answer_after_it_is_unknown),
		TEST(test_no_memory),
		TEST(test_withdrawn_while_it_waits),
		TEST(test_withdrawn_too_late),
		TEST(test_withdrawn_but_kept),
		TEST(test_withdrawn_and_the_disk_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
