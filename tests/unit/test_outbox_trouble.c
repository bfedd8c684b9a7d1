/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outbox with late answers, lost modems, restarts and a full disk. */
#include "unit_test.h"
#include <sqlite3.h>
#include <stdio.h>

#include "outbox_bench.h"

#include "base/clock.h"
#include "sms/outbox_record.h"
#include "store_steps.h"

#define FORMAT_ERROR "org.ofono.Error.InvalidFormat"

static enum sim_state sim_state(int64_t sim_id)
{
	return sims_find(sims, sim_id)->state;
}

/* Without an answer in time the message is unknown, and a stuck oFono gets no further calls. */
static int64_t time_out(struct modem **modem_out)
{
	static const struct outbox_timing timing = { 30, 60000, 60000, 60000, 60000 };
	struct observer observer = { 0 };
	int64_t id;

	outbox_set_timing(outbox, &timing);
	*modem_out = fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	submit(1, "y");
	outbox_watch(outbox, id, &observer, hear, NULL);
	turn_until(state_of(id) == STATE_UNKNOWN);
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
	assert_heard("1:submitting() 1:unknown(unknown_outcome) ");
	assert_null(observer.subject);
	assert_false(outbox_watch(outbox, id, &observer, hear, NULL));
	turn_until(sends_pending());
	assert_string_equal(only_send()->text, "x");
	assert_int_equal(sim_state(1), SIM_STUCK);
	outbox_set_timing(outbox, &patient);
	return id;
}

FIXTURE(bench_set_up, bench_tear_down)

TEST(test_a_late_acceptance_corrects_unknown)
{
	struct modem *modem;
	int64_t id = time_out(&modem);

	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	assert_message(id, STATE_SUBMITTED, "");
	assert_int_equal(sim_state(1), SIM_READY);
	turn();
	assert_int_equal(sends_pending(), 0);
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
	turn();
	assert_string_equal(only_send()->text, "y");
}

TEST(test_a_late_refusal_corrects_unknown)
{
	struct modem *modem;
	int64_t id = time_out(&modem);

	fake_answer(only_send(), SEND_REFUSED, FORMAT_ERROR);
	assert_message(id, STATE_FAILED, "invalid_number");
	turn();
	assert_string_equal(only_send()->text, "y");
}

/* A late "it never reached oFono" is final: the agent may have reacted to "unknown". */
TEST(test_a_late_error_makes_the_message_failed)
{
	struct modem *modem;
	int64_t id = time_out(&modem);

	fake_answer(only_send(), SEND_NOT_SUBMITTED, "x.NotSent");
	assert_message(id, STATE_FAILED, "ofono_unavailable");
	turn();
	assert_int_equal(sends_pending(), 0);
}

/* A state that comes before the UUID is known is kept, even if other programs send too. */
TEST(test_a_state_before_the_answer_is_kept)
{
	static const struct {
		enum ofono_message_state told;
		enum message_state state;
		const char *reason;
	} cases[] = {
		{ MESSAGE_SENT, STATE_SENT, "" },
		{ MESSAGE_FAILED, STATE_FAILED, "network_refused" },
		{ MESSAGE_PENDING, STATE_SUBMITTED, "" },
	};
	struct modem *modem = fake_modem_ready("/sim0", "1");
	struct modem *other = fake_modem_ready("/sim1", "2");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char uuid[] = { (char)('A' + i), '\0' };
		int64_t id = submit(1, uuid);

		turn();
		fake_message_state(other, uuid, MESSAGE_FAILED);
		for (int others = 0; others < 9; others++)
			fake_message_state(modem, "THEIRS", MESSAGE_CANCELLED);
		fake_message_state(modem, uuid, cases[i].told);
		assert_message(id, STATE_SUBMITTING, "");
		fake_answer(only_send(), SEND_ACCEPTED, uuid);
		assert_message(id, cases[i].state, cases[i].reason);
	}
	fake_message_state(modem, "C", MESSAGE_SENT);
	submit(1, "D"); /* a later message with the same UUID has no early state */
	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A");
	turn();
	assert_message(4, STATE_SUBMITTED, "");
}

/* A registered modem that keeps a message is stuck; the other modem is not affected. */
TEST(test_a_stuck_modem_recovers_with_the_outcome)
{
	static const struct outbox_timing timing = { 60000, 60000, 60000, 60000,
						     60000, 20,	   10 };
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit(1, "x"), next = submit(1, "y");

	fake_modem_ready("/sim1", "2");
	outbox_set_timing(outbox, &timing);
	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	strcpy(modem->network.status,
	       "searching"); /* an unregistered modem is not stuck */
	fake_changed(modem);
	turn_ms(100);
	assert_int_equal(sim_state(1), SIM_SEARCHING);
	fake_ready(modem);
	assert_int_equal(sim_state(1), SIM_READY);
	turn_until(sim_state(1) == SIM_STUCK);
	assert_int_equal(sim_state(2), SIM_READY);
	assert_message(next, STATE_QUEUED, "");
	submit(2, "z");
	turn();
	assert_string_equal(only_send()->text, "z");
	fake_answer(only_send(), SEND_ACCEPTED, "B1");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
	turn();
	assert_int_equal(sim_state(1), SIM_READY);
	assert_string_equal(only_send()->text, "y");
}

TEST(test_a_stuck_modem_recovers_with_its_loss)
{
	static const struct outbox_timing timing = { 60000, 60000, 60000, 60000,
						     60000, 5,	   5 };
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit(1, "x");

	outbox_set_timing(outbox, &timing);
	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn_until(sim_state(1) == SIM_STUCK);
	fake_modem_remove(modem);
	assert_message(id, STATE_HELD, "modem_away");
	turn();
	fake_modem_ready("/sim0", "1");
	turn();
	assert_int_equal(sim_state(1), SIM_READY);
	fake_list(only_listing(), "");
	turn();
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
	assert_int_equal(sim_state(1), SIM_READY);
}

TEST(test_the_loss_of_the_modem_ends_an_overdue_call)
{
	struct modem *modem;
	int64_t id = time_out(&modem);

	modem->interfaces = MODEM_SIM_MANAGER;
	fake_changed(modem);
	assert_int_equal(sends_pending(), 0);
	fake_ready(modem);
	turn();
	assert_string_equal(only_send()->text, "y");
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
}

static int64_t hold(struct modem *modem, const char *uuid)
{
	int64_t id = submit(1, "x");

	submit(1, "y");
	turn();
	fake_answer(only_send(), SEND_ACCEPTED, uuid);
	modem->interfaces = MODEM_SIM_MANAGER;
	fake_changed(modem);
	assert_message(id, STATE_HELD, "modem_away");
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_true(TAILQ_EMPTY(&fake_listings));
	return id;
}

TEST(test_a_held_message_that_ofono_lists_is_submitted)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = hold(modem, "A1");

	modem->interfaces |= MODEM_MESSAGE_MANAGER; /* even before it is registered */
	modem->network.status[0] = '\0';
	fake_changed(modem);
	turn();
	fake_list(only_listing(), "A1");
	assert_message(id, STATE_SUBMITTED, "");
	fake_ready(modem);
	turn();
	assert_int_equal(sends_pending(), 0);
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
	turn();
	assert_string_equal(only_send()->text, "y");
}

TEST(test_a_held_message_that_ofono_does_not_list_is_unknown)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = hold(modem, "A1");

	fake_ready(modem);
	turn();
	assert_int_equal(sends_pending(), 0); /* the held message must not be overtaken */
	fake_list(only_listing(), "");
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
	turn();
	assert_string_equal(only_send()->text, "y");
}

/* Another program has oFono send it while oFono answers. */
TEST(test_a_message_held_after_the_question_is_asked_for_again)
{
	static const struct outbox_record later = { .type = OUTBOX_RECORD_ACCEPTED,
						    .imsi = "262010000000001",
						    .uuid = "B1",
						    .number = "+15551",
						    .text = "later",
						    .at_ms = 1 };
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t first, second;

	fake_card(modem, "1", later.imsi);
	first = hold(modem, "A1");
	fake_ready(modem);
	turn();
	assert_false(TAILQ_EMPTY(&fake_listings));
	assert_int_equal(outbox_record_take(outbox, &later), 0);
	second = first + 2; /* behind the one that hold() leaves in the queue */
	fake_list(only_listing(), "A1");
	assert_message(first, STATE_SUBMITTED, "");
	assert_message(second, STATE_HELD, "");
	turn();
	fake_list(only_listing(), "B1");
	assert_message(second, STATE_SUBMITTED, "");
	assert_message(first, STATE_SUBMITTED, "");
}

TEST(test_a_held_message_may_be_sent_before_it_is_listed)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = hold(modem, "A1");

	fake_ready(modem);
	turn();
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
	fake_list(only_listing(), "");
	assert_message(id, STATE_SENT, "");
	turn();
	assert_string_equal(only_send()->text, "y");
}

/* The SIM card moves to another modem, and oFono's queue with it. */
TEST(test_a_held_message_may_move_to_another_modem)
{
	struct modem *modem = fake_modem_ready("/sim0", "1"), *other;
	int64_t id = hold(modem, "A1");

	fake_modem_remove(modem);
	other = fake_modem_add("/sim1");
	fake_card(other, "2", "");
	fake_ready(other);
	turn();
	assert_true(TAILQ_EMPTY(&fake_listings)); /* a different SIM card */
	fake_card(other, "1", "");
	fake_changed(other);
	turn();
	assert_ptr_equal(only_listing()->modem, other);
	fake_list(only_listing(), "A1");
	assert_message(id, STATE_SUBMITTED, "");
	fake_modem_remove(other);
	assert_message(id, STATE_HELD, "modem_away");
}

TEST(test_a_failed_listing_is_repeated)
{
	static const struct outbox_timing timing = { 60000, 60000, 60000, 20, 60000 };
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = hold(modem, "A1");

	outbox_set_timing(outbox, &timing);
	fake_ready(modem);
	turn();
	fake_list(only_listing(), NULL);
	turn();
	assert_true(TAILQ_EMPTY(&fake_listings));
	assert_message(id, STATE_HELD, "modem_away");
	turn_until(!TAILQ_EMPTY(&fake_listings));
	modem->interfaces = MODEM_SIM_MANAGER; /* lost during the listing */
	fake_changed(modem);
	assert_true(TAILQ_EMPTY(&fake_listings));
	fake_no_memory = true;
	fake_ready(modem);
	turn();
	fake_no_memory = false;
	turn_until(!TAILQ_EMPTY(&fake_listings));
	fake_list(only_listing(), "A1");
	assert_message(id, STATE_SUBMITTED, "");
}

TEST(test_pauses_between_listings_double)
{
	static const struct outbox_timing timing = { 60000, 60000, 80, 20, 60000 };
	static const int pauses_ms[] = { 20, 40, 80 };
	struct modem *modem = fake_modem_ready("/sim0", "1");

	hold(modem, "A1");
	outbox_set_timing(outbox, &timing);
	fake_ready(modem);
	turn();
	for (unsigned i = 0; i < 5; i++) {
		int64_t from_ms = clock_monotonic_ms();

		fake_list(only_listing(), NULL);
		turn_until(!TAILQ_EMPTY(&fake_listings));
		assert_true(clock_monotonic_ms() - from_ms >=
			    pauses_ms[i < 2 ? i : 2] - 1);
	}
}

/* oFono accepts the message, but the modem is already gone. */
TEST(test_an_answer_after_the_loss_of_the_modem_makes_the_message_held)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit(1, "x");

	turn();
	fake_modem_remove(modem);
	assert_message(id, STATE_SUBMITTING, "");
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	assert_message(id, STATE_HELD, "modem_away");
	fake_modem_ready("/sim0", "1");
	turn();
	fake_list(only_listing(), "A1");
	assert_message(id, STATE_SUBMITTED, "");
}

/* The modem goes before the answer is overdue, so no answer will come. */
TEST(test_an_overdue_call_of_a_lost_modem_frees_the_queue)
{
	static const struct outbox_timing timing = { 200, 60000, 60000, 60000, 60000 };
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit(1, "x"), next = submit(1, "y");

	outbox_set_timing(outbox, &timing);
	turn();
	fake_modem_remove(modem);
	fake_modem_ready("/sim0", "1");
	turn();
	assert_string_equal(only_send()->text, "x");
	turn_until(state_of(id) == STATE_UNKNOWN);
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
	assert_message(next, STATE_SUBMITTING, "");
	assert_string_equal(only_send()->text, "y");
}

TEST(test_a_restart_leaves_submitting_unknown_and_submitted_held)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	struct modem *other = fake_modem_ready("/sim1", "2");
	int64_t submitting = submit(1, "x"), queued = submit(1, "y");
	int64_t submitted = submit(2, "z");

	turn();
	fake_answer(TAILQ_LAST(&fake_sends, fake_send_list), SEND_ACCEPTED, "A1");
	bench_restart(&patient);
	assert_message(submitting, STATE_UNKNOWN, "unknown_outcome");
	assert_message(queued, STATE_QUEUED, "");
	assert_message(submitted, STATE_HELD, "gateway_restarted");
	assert_int_equal(outbox_waiting(outbox), 1);
	turn();
	assert_string_equal(only_send()->text, "y");
	assert_ptr_equal(only_send()->modem, modem);
	assert_ptr_equal(only_listing()->modem, other);
	fake_list(only_listing(), "A1");
	assert_message(submitted, STATE_SUBMITTED, "");
	bench_restart(&patient);
	bench_restart(&patient); /* held when it was held already */
	assert_message(queued, STATE_UNKNOWN, "unknown_outcome");
	turn();
	fake_list(only_listing(), "");
	assert_message(submitted, STATE_UNKNOWN, "unknown_outcome");
}

/* No message goes onto the bus before "submitting" is on disk. */
TEST(test_nothing_is_submitted_on_a_full_disk)
{
	static const struct outbox_timing timing = { 60000, 60000, 60000, 60000, 30 };
	int64_t id = 42, first;

	outbox_set_timing(outbox, &timing);
	fake_modem_ready("/sim0", "1");
	first = submit(1, "x");
	fill_disk(true);
	assert_int_equal(try_submit(1, "y", &id), OUTBOX_E_STORAGE);
	assert_int_equal(id, 42);
	turn_ms(100);
	assert_int_equal(sends_pending(), 0);
	assert_message(first, STATE_QUEUED, "");
	assert_int_equal(outbox_waiting(outbox), 1);
	fill_disk(false);
	turn_until(sends_pending());
	assert_string_equal(only_send()->text, "x");
	assert_message(first, STATE_SUBMITTING, "");
}

/* A crash must not take back what was announced. */
TEST(test_states_are_announced_when_the_disk_has_them)
{
	static const struct outbox_timing timing = { 60000, 60000, 60000, 60000, 30 };
	struct modem *modem = fake_modem_ready("/sim0", "1");
	struct observer observer = { 0 }, reader = { 0 };
	int64_t id = submit(1, "x"), next = submit(1, "y");

	outbox_set_timing(outbox, &timing);
	outbox_watch(outbox, id, &observer, hear, NULL);
	turn();
	fill_disk(true);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_heard("1:submitting() ");
	observer_add(outbox_observers(outbox), &reader, hear, NULL);
	turn_ms(60);
	assert_heard("");
	assert_message(id, STATE_SUBMITTING, "");
	assert_message(next, STATE_QUEUED, "");
	fill_disk(false);
	turn_until(sends_pending());
	assert_message(id, STATE_SENT, "");
	/* the caller, then a reader of the store */
	assert_heard("1:sent() 1:sent() 2:submitting() ");
	assert_string_equal(only_send()->text, "y");
	observer_remove(&reader);
}

/* A message that is queued again only in memory is not submitted. */
TEST(test_a_message_queued_again_in_memory_waits_for_the_disk)
{
	static const struct outbox_timing timing = { 60000, 10, 10, 60000, 30 };
	int64_t id;

	outbox_set_timing(outbox, &timing);
	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	turn();
	fill_disk(true);
	fake_answer(only_send(), SEND_NOT_SUBMITTED, "x.NotSent");
	turn_ms(100);
	assert_int_equal(sends_pending(), 0);
	assert_message(id, STATE_SUBMITTING, "");
	fill_disk(false);
	turn_until(sends_pending());
	assert_string_equal(only_send()->text, "x");
	assert_message(id, STATE_SUBMITTING, "");
}

/* Another process changed the row: the gateway must not send the message. */
TEST(test_a_row_changed_by_others_makes_the_message_unknown)
{
	struct observer observer = { 0 };
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	submit(1, "y");
	outbox_watch(outbox, id, &observer, hear, NULL);
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, NULL, NULL), 0);
	assert_int_equal(step_move_message(store, id, STATE_CANCELLED, NULL, NULL), 0);
	turn();
	assert_heard("1:unknown(internal) ");
	assert_message(id, STATE_CANCELLED, "");
	assert_string_equal(only_send()->text, "y");
}

/* A message that nobody can read any more does not block its queue. */
TEST(test_a_row_that_is_gone_makes_the_message_unknown)
{
	struct observer observer = { 0 };
	char path[sizeof(bench_folder) + sizeof("/gateway.db")];
	sqlite3 *database;
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	submit(1, "y");
	bench_restart(&patient); /* the texts are in the store alone */
	snprintf(path, sizeof(path), "%s/gateway.db", bench_folder);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, "DELETE FROM message WHERE text = 'x'",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(database);
	outbox_watch(outbox, id, &observer, hear, NULL);
	turn();
	assert_heard("1:unknown(internal) ");
	assert_string_equal(only_send()->text, "y");
}
