/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outbox with radios that send again safely: silence is a doubt that is cleared up. */
#include "unit_test.h"
#include "outbox_bench.h"

#include "base/clock.h"

static const struct outbox_timing quick = { 60000, 1, 2, 1, 1 };

static int set_up(void **state)
{
	int error = bench_set_up(state);

	bench_stop();
	fake_ofono.sends_again_safely = true;
	return error ? error : bench_start(&quick);
}

/* A message whose submission nobody answered; its SIM stays ready. */
static int64_t doubt(struct modem **modem_out)
{
	int64_t id;

	*modem_out = fake_modem_ready("/phone/1", "1");
	id = submit(1, "x");
	turn();
	assert_int_equal(only_send()->order.id, id);
	assert_false(only_send()->order.is_repeat);
	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	assert_message(id, STATE_HELD, "in_doubt");
	return id;
}

FIXTURE(set_up, bench_tear_down)

TEST(test_silence_is_asked_again_with_the_same_key)
{
	struct modem *modem;
	int64_t id = doubt(&modem), next = submit(1, "y");

	turn_until(sends_pending());
	assert_int_equal(only_send()->order.id, id);
	assert_int_equal(only_send()->order.attempt, 1);
	assert_true(only_send()->order.is_repeat);
	assert_string_equal(only_send()->text, "x");
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	assert_message(id, STATE_SUBMITTED, "");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	turn_until(sends_pending());
	assert_int_equal(only_send()->order.id, next);
}

TEST(test_no_answer_in_time_is_a_doubt)
{
	static const struct outbox_timing timing = { 5, 60000, 60000, 60000, 60000 };
	int64_t id;

	outbox_set_timing(outbox, &timing);
	fake_modem_ready("/phone/1", "1");
	id = submit(1, "x");
	turn_until(state_of(id) == STATE_HELD);
	assert_message(id, STATE_HELD, "in_doubt");
	assert_int_equal(sends_pending(), 0);
	assert_int_equal(sims_find(sims, 1)->state, SIM_READY);
}

TEST(test_a_restart_asks_about_what_was_being_submitted)
{
	struct modem *modem = fake_modem_ready("/phone/1", "1");
	int64_t id = submit(1, "x");

	turn();
	assert_message(id, STATE_SUBMITTING, "");
	bench_restart(&quick);
	assert_message(id, STATE_HELD, "gateway_restarted");
	turn_until(sends_pending());
	assert_int_equal(only_send()->order.id, id);
	assert_true(only_send()->order.is_repeat);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
}

TEST(test_a_phone_that_is_away_keeps_the_doubt)
{
	struct modem *modem;
	int64_t id = doubt(&modem), next = submit(1, "y");

	turn_until(sends_pending());
	fake_answer(only_send(), SEND_NOT_SUBMITTED, "absent");
	assert_message(id, STATE_HELD, "in_doubt");
	bench_take_away(modem);
	assert_int_equal(sends_pending(), 0);
	assert_message(next, STATE_QUEUED, "");
	fake_ready(modem);
	turn_until(sends_pending());
	assert_int_equal(only_send()->order.id, id);
}

TEST(test_a_refusal_in_doubt_counts_when_the_radio_has_closed_it)
{
	struct modem *modem;
	int64_t id = doubt(&modem);

	turn_until(sends_pending());
	fake_answer(only_send(), SEND_REFUSED, "recipient_not_allowed");
	assert_message(id, STATE_HELD, "in_doubt");
	turn();
	assert_int_equal(TAILQ_FIRST(&fake_cancels)->order.id, id);
	assert_int_equal(TAILQ_FIRST(&fake_cancels)->order.attempt, 1);
	fake_cancel_answer(CANCEL_DONE);
	assert_message(id, STATE_FAILED, "recipient_not_allowed");
}

TEST(test_a_message_that_cannot_be_closed_is_asked_for_again)
{
	struct modem *modem;
	int64_t id = doubt(&modem);

	turn_until(sends_pending());
	fake_answer(only_send(), SEND_REFUSED, "recipient_not_allowed");
	turn();
	fake_cancel_answer(CANCEL_REFUSED);
	assert_message(id, STATE_HELD, "in_doubt");
	turn_until(sends_pending());
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	assert_message(id, STATE_SUBMITTED, "");
}

TEST(test_a_cancelled_doubt_is_closed_when_the_phone_is_back)
{
	struct outbox_cancellation *cancellation;
	struct modem *modem;
	int64_t id = doubt(&modem);

	bench_take_away(modem);
	assert_int_equal(outbox_cancel(outbox, id, &cancellation), OUTBOX_E_CANCEL_LATER);
	fake_ready(modem);
	turn_until(!TAILQ_EMPTY(&fake_cancels));
	assert_int_equal(sends_pending(), 0);
	fake_cancel_answer(CANCEL_UNKNOWN);
	assert_message(id, STATE_HELD, "cancel_wanted");
	turn_until(!TAILQ_EMPTY(&fake_cancels));
	fake_cancel_answer(CANCEL_DONE);
	assert_message(id, STATE_CANCELLED, "");
}

TEST(test_news_of_the_radio_end_the_doubt)
{
	struct modem *modem;
	int64_t id = doubt(&modem);
	struct ofono_event event = {
		.type = MESSAGE_STATE,
		.modem = modem,
		.uuid = "A1",
		.state = MESSAGE_SENT,
		.order_id = id,
		.attempt = 1,
	};

	observers_notify(&fake_ofono.observers, &event);
	assert_message(id, STATE_SENT, "");
	turn();
	assert_int_equal(sends_pending(), 0);
}

TEST(test_only_the_end_of_its_validity_makes_a_doubt_unknown)
{
	struct store_message_draft draft = { 1, 0, "+36201234567", "x", 1 };
	struct ofono_event event = {
		.type = MESSAGE_STATE, .uuid = "A1", .attempt = 1, .state = MESSAGE_SENT
	};
	struct modem *modem = fake_modem_ready("/phone/1", "1");
	int64_t id;

	freeze();
	draft.expires_at_ms = clock_wall_ms() + 200;
	assert_int_equal(outbox_accept(outbox, &draft, &id), 0);
	turn();
	assert_int_equal(only_send()->order.expires_ms, draft.expires_at_ms);
	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	bench_take_away(modem);
	assert_message(id, STATE_HELD, "in_doubt");
	thaw();
	turn_until(state_of(id) == STATE_UNKNOWN);
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
	turn();
	event.order_id = id; /* late news of the radio, from the feed of its phone */
	event.modem = modem;
	observers_notify(&fake_ofono.observers, &event);
	assert_message(id, STATE_SENT, "");
}

TEST(test_a_radio_that_forgot_leaves_the_message_unknown)
{
	struct modem *modem;
	int64_t id = doubt(&modem);

	turn_until(sends_pending());
	fake_answer(only_send(), SEND_FORGOTTEN, NULL);
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
	turn();
	assert_int_equal(sends_pending(), 0);
}

TEST(test_an_attempt_keeps_the_epoch_of_the_radio_it_was_made_for)
{
	struct modem *modem = fake_modem_ready("/phone/1", "1");
	int64_t id;

	modem->epoch = 0xa;
	id = submit(1, "x");
	turn();
	assert_int_equal(only_send()->order.epoch, 0xa);
	modem->epoch = 0xb; /* its memory was replaced meanwhile */
	fake_answer(only_send(), SEND_UNKNOWN, NULL);
	turn_until(sends_pending());
	assert_true(only_send()->order.is_repeat);
	assert_int_equal(only_send()->order.epoch, 0xa);
	bench_restart(&quick);
	turn_until(sends_pending());
	assert_int_equal(only_send()->order.id, id);
	assert_int_equal(only_send()->order.epoch, 0xa);
}

TEST(test_what_never_reached_a_radio_is_sent_for_its_present_epoch)
{
	struct modem *modem = fake_modem_ready("/phone/1", "1");

	modem->epoch = 0xa;
	submit(1, "x");
	turn();
	modem->epoch = 0xb;
	fake_answer(only_send(), SEND_NOT_SUBMITTED, "other_epoch");
	turn_until(sends_pending());
	assert_false(only_send()->order.is_repeat);
	assert_int_equal(only_send()->order.attempt, 1);
	assert_int_equal(only_send()->order.epoch, 0xb);
}

TEST(test_a_doubt_that_a_replaced_memory_cannot_close_is_unknown)
{
	struct modem *modem;
	int64_t id = doubt(&modem);

	turn_until(sends_pending());
	fake_answer(only_send(), SEND_NOT_HERE, "not_registered");
	turn();
	assert_int_equal(TAILQ_FIRST(&fake_cancels)->order.id, id);
	fake_cancel_answer(CANCEL_FORGOTTEN);
	assert_message(id, STATE_UNKNOWN, "unknown_outcome");
	turn();
	assert_int_equal(sends_pending(), 0);
}

TEST(test_a_submitted_message_is_only_asked_for)
{
	struct modem *modem = fake_modem_ready("/phone/1", "1");
	int64_t id = submit(1, "x");

	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	bench_restart(&quick);
	turn_until(!TAILQ_EMPTY(&fake_listings));
	assert_int_equal(sends_pending(), 0);
	fake_list(only_listing(), "A1");
	assert_message(id, STATE_SUBMITTED, "");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_message(id, STATE_SENT, "");
}

/* A rejection by the owner of a phone, for example: its reason comes with the state. */
TEST(test_a_radio_that_had_the_message_is_asked_what_became_of_it)
{
	struct modem *modem;
	int64_t id = doubt(&modem);

	turn_until(sends_pending());
	fake_answer(only_send(), SEND_FOUND, "A1");
	assert_message(id, STATE_HELD, "in_doubt");
	turn_until(!TAILQ_EMPTY(&fake_listings));
	assert_true(TAILQ_EMPTY(&fake_cancels));
	assert_int_equal(sends_pending(), 0);
	fake_list(only_listing(), "A1");
	fake_message_state(modem, "A1", MESSAGE_FAILED);
	assert_message(id, STATE_FAILED, "network_refused");
}

/* After a restart the phone's news come with its SIMs, before the queue has used one. */
TEST(test_a_message_named_before_its_modem_is_used_can_be_cancelled)
{
	struct ofono_event event = { .type = MESSAGE_STATE, .uuid = "A1", .attempt = 1 };
	struct outbox_cancellation *recall = NULL;

	event.state = MESSAGE_PENDING;
	event.order_id = doubt(&event.modem);
	bench_restart(&quick);
	observers_notify(&fake_ofono.observers, &event);
	assert_int_equal(outbox_cancel(outbox, event.order_id, &recall),
			 OUTBOX_E_NO_ANSWER);
	turn_until(!TAILQ_EMPTY(&fake_listings));
	fake_list(only_listing(), "A1");
	assert_message(event.order_id, STATE_SUBMITTED, "");
	assert_int_equal(outbox_cancel(outbox, event.order_id, &recall),
			 OUTBOX_E_CANCELLING);
	fake_cancel_answer(CANCEL_DONE);
	assert_message(event.order_id, STATE_CANCELLED, "");
}

TEST(test_a_radio_that_cannot_close_a_message_is_not_asked_without_pause)
{
	static const struct outbox_timing timing = { 60000, 1, 60000, 60000, 60000 };
	struct modem *modem;

	outbox_set_timing(outbox, &timing);
	doubt(&modem);
	turn_until(sends_pending());
	fake_answer(only_send(), SEND_REFUSED, "recipient_not_allowed");
	turn();
	fake_cancel_answer(CANCEL_REFUSED);
	turn();
	assert_int_equal(sends_pending(), 0);
}
