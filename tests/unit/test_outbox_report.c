/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delivery reports: on time, early, late, after a restart, and on a full disk. */
#include "unit_test.h"
#include "outbox_bench.h"

#include "base/clock.h"
#include "config/config.h"

static int set_up(void **state)
{
	int error = bench_set_up(state);

	if (error)
		return error;
	bench_config.delivery_reports = true;
	bench_restart(&patient);
	assert_true(fake_ofono.uses_delivery_reports);
	return 0;
}

static struct modem *reporting_modem(void)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");

	modem->uses_delivery_reports = true;
	return modem;
}

static int64_t submit_handed(const char *uuid)
{
	int64_t id = submit(1, "x");

	turn();
	fake_answer(only_send(), SEND_ACCEPTED, uuid);
	turn();
	return id;
}

static int64_t submit_sent(struct modem *modem, const char *uuid)
{
	int64_t id = submit_handed(uuid);

	fake_message_state(modem, uuid, MESSAGE_SENT);
	turn();
	return id;
}

static void assert_delivery(int64_t id, enum delivery delivery)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message;

	assert_int_equal(store_message_get(store, id, arena, &message), 0);
	assert_string_equal(store_message_delivery_name(
				    store_message_delivery(&message, clock_wall_ms())),
			    store_message_delivery_name(delivery));
	arena_free(arena);
}

static char lines[256];

static void note_line(void *data, const struct message_change *change)
{
	size_t length = strlen(lines);

	snprintf(lines + length, sizeof(lines) - length, "%s(%s) ",
		 message_state_name(change->state), change->reason);
}

static void assert_history(int64_t id, const char *expected)
{
	lines[0] = '\0';
	assert_int_equal(store_message_changes(store, id, note_line, NULL), 0);
	assert_string_equal(lines, expected);
}

FIXTURE(set_up, bench_tear_down)

TEST(test_a_report_makes_a_sent_message_delivered)
{
	struct modem *modem = reporting_modem();
	struct observer observer = { 0 };
	int64_t id = submit(1, "x");

	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	assert_delivery(id, DELIVERY_NONE); /* no report is requested yet */
	turn();
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
	assert_delivery(id, DELIVERY_AWAITED);
	fake_message_state(modem, "A1", MESSAGE_SENT);
	turn();
	assert_non_null(observer.subject); /* further events will come */
	fake_report("FFFF", true);	   /* of another program */
	fake_report("A1", true);
	assert_heard("1:submitting() 1:submitted() 1:sent() 1:delivered() ");
	assert_null(observer.subject);
	assert_message(id, STATE_DELIVERED, "");
	assert_delivery(id, DELIVERY_CONFIRMED);
	turn();
	fake_report("A1", false); /* cannot be taken back */
	turn();
	assert_message(id, STATE_DELIVERED, "");
	assert_history(id, "queued() submitting() submitted() sent() delivered() ");
}

TEST(test_a_negative_report_leaves_the_message_sent)
{
	struct modem *modem = reporting_modem();
	struct observer observer = { 0 };
	int64_t id = submit_sent(modem, "A1");

	assert_true(outbox_watch(outbox, id, &observer, hear,
				 NULL)); /* it was sent long ago */
	fake_report("A1", false);
	assert_heard("1:sent() ");
	assert_null(observer.subject);
	assert_message(id, STATE_SENT, "");
	assert_delivery(id, DELIVERY_REFUSED);
	assert_history(id,
		       "queued() submitting() submitted() sent() sent(not_delivered) ");
	turn();
	fake_report("A1", false); /* it comes twice and is stored once */
	turn();
	assert_history(id,
		       "queued() submitting() submitted() sent() sent(not_delivered) ");
	assert_false(outbox_watch(outbox, id, &observer, hear, NULL));
}

/* A report that comes before the state of its message. */
TEST(test_an_early_report_waits_for_sent)
{
	struct modem *modem = reporting_modem();
	struct observer observer = { 0 };
	int64_t id = submit_handed("A1");

	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	fake_report("A1", true);
	turn();
	assert_message(id, STATE_SUBMITTED, "");
	assert_heard("");
	fake_message_state(modem, "A1", MESSAGE_SENT);
	assert_heard("1:sent() 1:delivered() ");
	assert_null(observer.subject);
	assert_message(id, STATE_DELIVERED, "");
}

/* In a hub the feed of a phone may say all of it before the answer to send_sms comes. */
TEST(test_a_report_before_the_answer_is_kept)
{
	struct modem *modem = reporting_modem();
	int64_t delivered = submit(1, "x"), refused;

	turn();
	fake_message_state(modem, "A1", MESSAGE_SENT);
	fake_report("A1", true);
	fake_answer(only_send(), SEND_ACCEPTED, "A1");
	turn();
	assert_message(delivered, STATE_DELIVERED, "");
	refused = submit(1, "y");
	turn();
	fake_message_state(modem, "A2", MESSAGE_SENT);
	fake_report("A2", false);
	fake_answer(only_send(), SEND_ACCEPTED, "A2");
	turn();
	assert_message(refused, STATE_SENT, "");
	assert_delivery(refused, DELIVERY_REFUSED);
}

TEST(test_an_early_negative_report_waits_for_sent)
{
	struct modem *modem = reporting_modem();
	int64_t id = submit_handed("A1");

	fake_report("A1", false);
	fake_message_state(modem, "A1", MESSAGE_SENT);
	turn();
	assert_message(id, STATE_SENT, "");
	assert_delivery(id, DELIVERY_REFUSED);
}

/* The report came, the state never did: a delivered message was sent. */
TEST(test_an_early_report_proves_delivery_when_the_modem_goes)
{
	struct modem *modem = reporting_modem();
	int64_t id = submit_handed("A1");

	fake_report("A1", true);
	fake_modem_remove(modem);
	turn();
	assert_message(id, STATE_DELIVERED, "");
}

TEST(test_an_early_report_proves_delivery_after_a_restart)
{
	int64_t id;

	reporting_modem();
	id = submit_handed("A1");
	fake_report("A1", true);
	bench_restart(&patient);
	turn();
	assert_message(id, STATE_DELIVERED, "");
}

TEST(test_a_report_corrects_held_and_unknown)
{
	struct modem *modem = reporting_modem();
	int64_t held = submit_handed("A1"), unknown;

	modem->interfaces = 0;
	fake_changed(modem);
	turn();
	assert_message(held, STATE_HELD, "modem_away");
	fake_report("A1", true);
	turn();
	assert_message(held, STATE_DELIVERED, "");
	fake_ready(modem);
	unknown = submit_handed("A2");
	modem->interfaces = 0;
	fake_changed(modem);
	fake_ready(modem);
	turn();
	fake_list(only_listing(), "");
	turn();
	assert_message(unknown, STATE_UNKNOWN, "unknown_outcome");
	fake_report("A2", true);
	turn();
	assert_message(unknown, STATE_DELIVERED, "");
}

TEST(test_a_report_after_a_restart_counts)
{
	struct modem *modem = reporting_modem();
	struct observer observer = { 0 };
	int64_t one = submit_sent(modem, "A1"), two = submit_sent(modem, "A2");

	bench_restart(&patient);
	turn();
	assert_true(outbox_watch(outbox, two, &observer, hear, NULL));
	fake_report("A1", true);
	fake_report("A2", false);
	turn();
	assert_message(one, STATE_DELIVERED, "");
	assert_message(two, STATE_SENT, "");
	assert_delivery(two, DELIVERY_REFUSED);
	assert_heard("2:sent() ");
}

TEST(test_a_report_is_written_when_the_disk_accepts_it)
{
	static const struct outbox_timing timing = { 60000, 60000, 60000, 60000, 50 };
	struct modem *modem = reporting_modem();
	int64_t one = submit_sent(modem, "A1"), two = submit_sent(modem, "A2");

	outbox_set_timing(outbox, &timing);
	fill_disk(true);
	fake_report("A1", true);
	fake_report("A2", false);
	turn_ms(150);
	assert_message(one, STATE_SENT, "");
	fill_disk(false);
	turn_until(state_of(one) == STATE_DELIVERED);
	assert_delivery(two, DELIVERY_REFUSED);
}

/* The gateway requested no report, but another program on the phone may have. */
TEST(test_an_unrequested_report_counts)
{
	struct modem *modem = fake_modem_ready("/sim0", "1");
	struct observer observer = { 0 };
	int64_t id = submit_sent(modem, "A1");

	assert_delivery(id, DELIVERY_NONE);
	assert_false(outbox_watch(outbox, id, &observer, hear, NULL));
	fake_report("A1", true);
	turn();
	assert_message(id, STATE_DELIVERED, "");
}

TEST(test_a_report_does_not_change_a_failed_message)
{
	struct modem *modem = reporting_modem();
	int64_t id = submit_handed("A1");

	fake_message_state(modem, "A1", MESSAGE_FAILED);
	turn();
	fake_report("A1", true);
	turn();
	assert_message(id, STATE_FAILED, "network_refused");
	assert_delivery(id, DELIVERY_NONE);
}

TEST(test_a_delivery_without_a_report_becomes_unconfirmed)
{
	struct message message = { .state = STATE_SENT,
				   .delivery = DELIVERY_AWAITED,
				   .changed_ms = 1000 };

	assert_int_equal(store_message_delivery(&message, 1000 + DELIVERY_WAIT_MS),
			 DELIVERY_AWAITED);
	assert_int_equal(store_message_delivery(&message, 1001 + DELIVERY_WAIT_MS),
			 DELIVERY_UNCONFIRMED);
	assert_int_equal(store_message_delivery(&message, 0), DELIVERY_AWAITED);
	message.delivery = DELIVERY_REFUSED;
	assert_int_equal(store_message_delivery(&message, 1001 + DELIVERY_WAIT_MS),
			 DELIVERY_REFUSED);
	message.state = STATE_EXPIRED;
	assert_int_equal(store_message_delivery(&message, 0), DELIVERY_NONE);
}

/* When the observer leaves, the message leaves memory with the next run. */
TEST(test_an_observer_may_leave_before_the_report)
{
	struct modem *modem = reporting_modem();
	struct observer observer = { 0 };
	int64_t id = submit_sent(modem, "A1");

	assert_true(outbox_watch(outbox, id, &observer, hear, NULL));
	turn();
	observer_remove(&observer);
	turn();
	fake_report("A1", true);
	turn();
	assert_heard("");
	assert_message(id, STATE_DELIVERED, "");
}
