/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real: outbox, sims and store. Fake: everything of ofono, by fake_ofono.h. */
#include "unit_test.h"
#include "base/clock.h"
#include "config/config.h"
#include "outbox_bench.h"

#define FORMAT_ERROR "org.ofono.Error.InvalidFormat"

FIXTURE(bench_set_up, bench_tear_down)

TEST(test_a_message_is_submitted_and_sent)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	struct observer observer = { 0 };
	int64_t id = submit(1, "hello");

	assert_int_equal(state_of(id), STATE_QUEUED);
	assert_int_equal(outbox_waiting(outbox), 1);
	assert_int_equal(sends_pending(), 0); /* nothing happens inside submit */
	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	turn();
	assert_int_equal(outbox_waiting(outbox), 0);
	assert_string_equal(only_send()->number, "+36201234567");
	assert_string_equal(only_send()->text, "hello");
	assert_ptr_equal(only_send()->modem, modem);
	assert_message(id, STATE_SUBMITTING, ""); /* on disk before the call */
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(modem, "A1", MESSAGE_PENDING);
	fake_message_state(modem, "FFFF", MESSAGE_SENT); /* of another program */
	assert_message(id, STATE_SUBMITTED, "");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
	assert_heard("1:submitting() 1:submitted() 1:sent() ");
	assert_null(observer.subject);
	assert_false(outbox_watch(outbox, id, &observer, hear, NULL));
	turn();
	fake_message_state(modem, "A1", MESSAGE_FAILED);
	assert_message(id, STATE_SENT, "");
}

TEST(test_observers_of_the_outbox_see_every_change)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	struct observer observer = { 0 };

	observer_add(outbox_observers(outbox), &observer, hear, NULL);
	submit(1, "one");
	assert_heard("1:queued() "); /* inside submit */
	submit(1, "two");
	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	turn();
	assert_heard("2:queued() 1:submitting() 1:submitted() 1:sent() 2:submitting() ");
	fake_answer(only_send(), SEND_ACCEPTED, "A2");
	fake_message_state(modem, "A2", MESSAGE_FAILED);
	assert_heard("2:submitted() 2:failed(network_refused) ");
	observer_remove(&observer);
}

TEST(test_a_failed_or_cancelled_message_is_final)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t one = submit(1, "one"), two = submit(1, "two");

	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(modem, "A1", MESSAGE_FAILED);
	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A2");
	fake_message_state(modem, "A2", MESSAGE_CANCELLED);
	assert_message(one, STATE_FAILED, "network_refused");
	assert_message(two, STATE_CANCELLED, "");
}

/* Twenty messages of one SIM are submitted one at a time, in order of their IDs. */
TEST(test_messages_of_one_sim_go_out_in_order)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	char text[16];
	int i;

	for (i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "%d", i);
		submit(1, text);
	}
	for (i = 0; i < 20; i++) {
		turn();
		snprintf(text, sizeof(text), "%d", i);
		assert_string_equal(only_send()->text, text);
		fake_answer(only_send(), SEND_ACCEPTED, text);
		turn();
		assert_int_equal(sends_pending(),
				 0); /* submitted: the queue is still occupied */
		fake_message_state(modem, text, i % 3 ? MESSAGE_SENT : MESSAGE_FAILED);
	}
	turn();
	assert_int_equal(sends_pending(), 0);
	assert_int_equal(outbox_waiting(outbox), 0);
}

TEST(test_one_sim_does_not_block_another)
{
	struct modem *one = fake_modem_ready("/sim0", "1");
	struct modem *two = fake_modem_ready("/sim1", "2");

	submit(1, "a");
	submit(1, "b");
	submit(2, "c");
	submit(2, "d");
	turn();
	assert_int_equal(sends_pending(), 2);
	assert_string_equal(TAILQ_FIRST(&fake_sends)->text, "a");
	assert_ptr_equal(TAILQ_FIRST(&fake_sends)->modem, one);
	assert_string_equal(TAILQ_LAST(&fake_sends, fake_send_list)->text, "c");
	assert_ptr_equal(TAILQ_LAST(&fake_sends, fake_send_list)->modem, two);
	fake_answer(TAILQ_LAST(&fake_sends, fake_send_list), SEND_ACCEPTED, "C");
	fake_message_state(two, "C", MESSAGE_SENT);
	turn();
	assert_int_equal(sends_pending(), 2); /* the first SIM does not block the other */
	assert_string_equal(TAILQ_LAST(&fake_sends, fake_send_list)->text, "d");
}

static const struct {
	const char *text;
	const char *error;
	const char *reason;
} refusals[] = {
	{ "plain", FORMAT_ERROR, "invalid_number" },
	{ "\xf0\x9f\x98\x80", FORMAT_ERROR, "invalid_text" },
	{ "x", "org.ofono.Error.AccessDenied", "ofono_access_denied" },
	{ "x", "org.freedesktop.DBus.Error.AccessDenied", "ofono_unavailable" },
	{ "x", "org.ofono.Error.Failed", "ofono_unavailable" },
	{ "x", NULL, "ofono_unavailable" },
};

TEST(test_a_refusal_of_ofono_is_final)
{
	size_t i;

	fake_modem_ready("/sim0", "1");
	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		int64_t id = submit(1, refusals[i].text);

		turn();
		fake_answer(only_send(), SEND_REFUSED, refusals[i].error);
		assert_message(id, STATE_FAILED, refusals[i].reason);
	}
}

/* A fork can send emoji, so it must have refused the number. */
TEST(test_a_fork_refuses_the_number_and_not_the_emoji)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	fake_ofono.line = OFONO_LINE_FORK;
	id = submit(1, "\xf0\x9f\x98\x80");
	turn();
	fake_answer(only_send(), SEND_REFUSED, FORMAT_ERROR);
	assert_message(id, STATE_FAILED, "invalid_number");
	id = submit(1, "\xef\xbf\xbf");
	turn();
	fake_answer(only_send(), SEND_REFUSED, FORMAT_ERROR);
	assert_message(id, STATE_FAILED, "invalid_text");
}

TEST(test_a_refused_long_text_is_too_long)
{
	char text[39017];
	int64_t id;

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	fake_modem_ready("/sim0", "1");
	id = submit(1, text);
	turn();
	fake_answer(only_send(), SEND_REFUSED, FORMAT_ERROR);
	assert_message(id, STATE_FAILED, "text_too_long");
}

TEST(test_a_message_that_never_reached_ofono_is_submitted_again)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	struct observer observer = { 0 };
	int64_t id = submit(1, "x"), next = submit(1, "y");

	outbox_watch(outbox, id, &observer, hear, NULL);
	turn();
	fake_answer(only_send(), SEND_NOT_SUBMITTED, "x.NotSent");
	assert_message(id, STATE_QUEUED, "not_taken");
	assert_int_equal(outbox_waiting(outbox), 2);
	turn();
	assert_int_equal(sends_pending(), 0); /* not at once, */
	modem->online = false;
	fake_changed(modem);
	turn();
	assert_int_equal(sends_pending(), 0);
	modem->online = true;
	fake_changed(modem); /* but when a SIM changes its state */
	turn();
	assert_string_equal(only_send()->text, "x");
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_heard(
		"1:submitting() 1:queued(not_taken) 1:submitting() 1:submitted() 1:sent() ");
	turn();
	assert_string_equal(only_send()->text, "y");
	assert_int_equal(state_of(next), STATE_SUBMITTING);
}

/* Relative to the time of the loop, as its timers are. */
static int64_t ms_until_sent_again(void)
{
	uint64_t from_us = 0;
	int64_t from_ms;

	sd_event_now(loop, CLOCK_MONOTONIC, &from_us);
	from_ms = (int64_t)from_us / 1000;
	turn_until(sends_pending());
	assert_int_equal(sends_pending(), 1);
	return clock_monotonic_ms() - from_ms;
}

TEST(test_pauses_between_attempts_double_up_to_a_maximum)
{
	static const struct outbox_timing timing = { 60000, 20, 80, 60000, 60000 };
	static const int pauses_ms[] = { 20, 40, 80 };

	outbox_set_timing(outbox, &timing);
	fake_modem_ready("/sim0", "1");
	submit(1, "x");
	turn();
	for (unsigned i = 0; i < 16;
	     i++) { /* without a maximum the last would take 11 min */
		fake_answer(only_send(), SEND_NOT_SUBMITTED, "x.NotSent");
		assert_true(ms_until_sent_again() >= pauses_ms[i < 2 ? i : 2] - 1);
	}
}

TEST(test_without_memory_the_message_stays_queued)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit(1, "x");

	fake_no_memory = true;
	turn();
	assert_message(id, STATE_QUEUED, "not_taken");
	fake_no_memory = false;
	modem->online = false;
	fake_changed(modem);
	modem->online = true;
	fake_changed(modem);
	turn();
	assert_string_equal(only_send()->text, "x");
}

TEST(test_an_unknown_outcome_is_never_submitted_again)
{
	int64_t id;

	fake_modem_ready("/sim0", "1");
	id = submit(1, "x");
	submit(1, "y");
	turn();
	fake_answer(only_send(), SEND_UNKNOWN, "org.freedesktop.DBus.Error.NoReply");
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
	turn();
	assert_string_equal(only_send()->text, "y");
}

/* The limit counts waiting messages, not those that oFono has. */
TEST(test_the_queue_limit_counts_waiting_messages_only)
{
	int64_t id = 42;

	fake_modem_ready("/sim0", "1");
	bench_config.queue_limit = 2;
	submit(1, "x");
	submit(1, "y");
	assert_int_equal(try_submit(1, "z", &id), OUTBOX_E_FULL);
	assert_int_equal(id, 42);
	assert_int_equal(outbox_waiting(outbox), 2);
	turn();
	assert_int_equal(outbox_waiting(outbox), 1);
	submit(1, "z");
	assert_int_equal(try_submit(1, "w", &id), OUTBOX_E_FULL);
	fake_answer(only_send(), SEND_NOT_SUBMITTED, "x.NotSent"); /* 3 wait now */
	assert_int_equal(try_submit(1, "w", &id), OUTBOX_E_FULL);
	assert_int_equal(outbox_waiting(outbox), 3);
}

TEST(test_a_message_waits_for_its_absent_sim)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id;

	fake_modem_remove(modem);
	id = submit(1, "x");
	turn();
	assert_message(id, STATE_QUEUED, "");
	modem = fake_modem_add("/sim1");
	fake_card(modem, "1", "");
	modem->online = true;
	fake_changed(modem);
	turn();
	assert_int_equal(sends_pending(), 0);
	fake_ready(modem);
	turn();
	assert_ptr_equal(only_send()->modem, modem);
}

static struct observer removable[3];
static unsigned removable_calls[3];

/* The first observer removes itself and the third, and has another message accepted. */
static void hear_and_remove(void *data, const void *event_data)
{
	size_t place = (size_t)((struct observer *)data - removable);

	removable_calls[place]++;
	if (place != 0)
		return;
	observer_remove(&removable[0]);
	observer_remove(&removable[2]);
	submit(1, "more");
}

TEST(test_observers_may_remove_each_other_and_submit_more)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	int64_t id = submit(1, "x");
	size_t i;

	memset(removable_calls, 0, sizeof(removable_calls));
	for (i = 0; i < 3; i++)
		assert_true(outbox_watch(outbox, id, &removable[i], hear_and_remove,
					 &removable[i]));
	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_int_equal(removable_calls[0], 1);
	assert_int_equal(removable_calls[1], 3);
	assert_int_equal(removable_calls[2], 0);
	for (i = 0; i < 3; i++) {
		assert_null(removable[i].subject);
		observer_remove(&removable[i]);
	}
	turn();
	assert_string_equal(only_send()->text, "more");
}

TEST(test_a_finished_message_cannot_be_watched)
{
	struct observer observer = { 0 };

	assert_false(outbox_watch(outbox, 1, &observer, hear, NULL));
}
