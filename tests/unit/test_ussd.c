/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "ofono_lab.h"

#include "fake_clock.h"
#include "phone/ussd.h"

enum { LIMIT_MS = 60000, SHORT_MS = 20 };

static const struct fact able[] = { WORDS("Interfaces", USSD), LAST };
static const struct fact unable[] = { WORDS("Interfaces", SIM), LAST };

struct bench {
	struct ussd *ussd;
	struct modem *modem;
	struct ussd_turn turn;
	struct observer observer;
	int answers, changes;
	enum ussd_call_outcome outcome;
	bool asks;
};

static void on_done(void *data, const struct ussd_call_result *result, bool asks)
{
	struct bench *bench = data;

	bench->answers++;
	bench->outcome = result->outcome;
	bench->asks = asks;
}

static void on_change(void *data, const void *event)
{
	struct bench *bench = data;

	bench->changes++;
}

static void bench_open(struct bench *bench, struct fixture *fixture, int limit_ms)
{
	memset(bench, 0, sizeof(*bench));
	bench->turn.done = on_done;
	bench->turn.data = bench;
	fixture->fake.modems[0] = (struct fake_modem){ .path = "/sim0", .modem = able };
	fixture_listen(fixture);
	assert_int_equal(
		ussd_new(fixture->lab.loop, fixture->ofono, limit_ms, &bench->ussd), 0);
	observer_add(ussd_observers(bench->ussd), &bench->observer, on_change, bench);
	assert_false(ussd_is_possible(bench->ussd));
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	bench->modem = fixture_modem(fixture);
	assert_true(ussd_is_possible(bench->ussd));
	assert_int_equal(bench->changes, 1);
	fixture_clear(fixture);
}

static void bench_close(struct bench *bench)
{
	observer_remove(&bench->observer);
	ussd_free(bench->ussd);
}

static struct ussd_order order_of(const struct bench *bench, const char *reply)
{
	return (struct ussd_order){ bench->modem, 7, "*100#", reply, true };
}

static void answer(struct fake *fake, DBusMessage *call)
{
	DBusMessage *reply = dbus_message_new_method_return(call);
	const char *text = "1 more";

	fake_changed(fake, "/sim0", USSD, (struct fact)TEXT("State", "user-response"));
	if (!dbus_message_has_member(call, "Cancel"))
		dbus_message_append_args(reply, DBUS_TYPE_STRING, &text,
					 DBUS_TYPE_INVALID);
	peer_send(&fake->peer, reply);
}

/* Dials a code; then the network waits for a reply. */
static void be_asked(struct bench *bench, struct fixture *fixture)
{
	struct ussd_order order = order_of(bench, NULL);

	fixture->fake.called = answer;
	assert_int_equal(ussd_check(bench->ussd, &order), 0);
	assert_int_equal(ussd_dial(bench->ussd, &order, &bench->turn), 0);
	assert_int_equal(ussd_check(bench->ussd, &order), USSD_E_BUSY);
	lab_wait(&fixture->lab, bench->answers == 1);
	assert_true(bench->asks);
	assert_int_equal(ussd_check(bench->ussd, &order), USSD_E_BUSY);
}

FIXTURE(fixture_set_up, fixture_tear_down)

TEST(test_only_the_client_that_began_may_reply)
{
	struct fixture *fixture = *state;
	struct bench bench;
	struct ussd_order order;

	bench_open(&bench, fixture, LIMIT_MS);
	order = order_of(&bench, "1");
	assert_int_equal(ussd_check(bench.ussd, &order), USSD_E_NO_DIALOGUE);
	be_asked(&bench, fixture);
	assert_int_equal(ussd_check(bench.ussd, &order), 0);
	order.client_id = 8;
	assert_int_equal(ussd_check(bench.ussd, &order), USSD_E_NO_DIALOGUE);
	order = order_of(&bench, "1");
	order.code = "*101#";
	assert_int_equal(ussd_check(bench.ussd, &order), USSD_E_NO_DIALOGUE);
	order = order_of(&bench, "1");
	assert_int_equal(ussd_reply(bench.ussd, &order, &bench.turn), 0);
	assert_int_equal(ussd_check(bench.ussd, &order), USSD_E_BUSY);
	lab_wait(&fixture->lab, bench.answers == 2);
	/* the network ended it */
	fake_changed(&fixture->fake, "/sim0", USSD, (struct fact)TEXT("State", "idle"));
	lab_wait(&fixture->lab, !modem_awaits_ussd_reply(bench.modem));
	assert_int_equal(ussd_check(bench.ussd, &order), USSD_E_NO_DIALOGUE);
	assert_null(strstr(fixture->fake.log, "Cancel"));
	bench_close(&bench);
}

TEST(test_a_dialogue_without_reply_is_cancelled)
{
	struct fixture *fixture = *state;
	struct bench bench;
	struct ussd_order order;

	bench_open(&bench, fixture, 1000);
	be_asked(&bench, fixture);
	order = order_of(&bench, "1");
	lab_wait(&fixture->lab, strstr(fixture->fake.log, "Cancel:/sim0"));
	assert_int_equal(ussd_check(bench.ussd, &order), USSD_E_NO_DIALOGUE);
	bench_close(&bench);
}

/* The modem is free at once, not only when the network ends or the time is up. */
TEST(test_a_revoked_client_loses_its_dialogue)
{
	struct fixture *fixture = *state;
	struct bench bench;
	struct ussd_order order;

	bench_open(&bench, fixture, LIMIT_MS);
	be_asked(&bench, fixture);
	order = order_of(&bench, NULL);
	ussd_revoke(bench.ussd, 8);
	assert_int_equal(ussd_check(bench.ussd, &order), USSD_E_BUSY);
	ussd_revoke(bench.ussd, 7);
	assert_int_equal(ussd_check(bench.ussd, &order), 0);
	lab_wait(&fixture->lab, strstr(fixture->fake.log, "Cancel:/sim0"));
	bench_close(&bench);
}

static void keep_silent(struct fixture *fixture)
{
	fake_fail(&fixture->fake, "Initiate", "", 1);
}

TEST(test_a_turn_without_answer_is_unknown)
{
	struct fixture *fixture = *state;
	struct bench bench;
	struct ussd_order order;

	bench_open(&bench, fixture, SHORT_MS);
	keep_silent(fixture);
	order = order_of(&bench, NULL);
	assert_int_equal(ussd_dial(bench.ussd, &order, &bench.turn), 0);
	lab_wait(&fixture->lab, bench.answers == 1);
	assert_int_equal(bench.outcome, USSD_UNKNOWN);
	lab_wait(&fixture->lab, strstr(fixture->fake.log, "Cancel:/sim0"));
	assert_int_equal(ussd_check(bench.ussd, &order), 0);
	bench_close(&bench);
}

TEST(test_an_abandoned_turn_is_cancelled)
{
	struct fixture *fixture = *state;
	struct bench bench;
	struct ussd_order order;

	bench_open(&bench, fixture, LIMIT_MS);
	keep_silent(fixture);
	order = order_of(&bench, NULL);
	assert_int_equal(ussd_dial(bench.ussd, &order, &bench.turn), 0);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	ussd_abandon(&bench.turn);
	lab_wait(&fixture->lab, strstr(fixture->fake.log, "Cancel:/sim0"));
	ussd_abandon(&bench.turn); /* a second time does nothing */
	assert_int_equal(bench.answers, 0);
	bench_close(&bench);
}

/* By the interface, the modem, and oFono. */
TEST(test_a_dialogue_ends_with_its_modem)
{
	struct fixture *fixture = *state;
	struct ussd_order order;
	struct bench bench;

	for (int way = 0; way < 3; way++) {
		bench_open(&bench, fixture, LIMIT_MS);
		keep_silent(fixture);
		order = order_of(&bench, NULL);
		assert_int_equal(ussd_dial(bench.ussd, &order, &bench.turn), 0);
		lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
		if (way == 0)
			fake_changed(&fixture->fake, "/sim0", MODEM, unable[0]);
		else if (way == 1)
			fake_modem_removed(&fixture->fake, "/sim0");
		else
			fake_close(&fixture->fake);
		lab_wait(&fixture->lab, bench.answers == 1);
		assert_int_equal(bench.outcome, USSD_UNKNOWN);
		assert_false(ussd_is_possible(bench.ussd));
		assert_int_equal(bench.changes, 2);
		bench_close(&bench);
		observer_remove(&fixture->recorder.observer);
		ofono_free(fixture->ofono);
		fixture->ofono = NULL;
		if (way < 2)
			fake_close(&fixture->fake);
	}
}

TEST(test_codes_per_hour_are_counted)
{
	struct fixture *fixture = *state;
	struct ussd_order order;
	struct bench bench;

	bench_open(&bench, fixture, LIMIT_MS);
	fake_clock_begin(0);
	order = order_of(&bench, NULL);
	for (int i = 0; i < 2; i++) {
		now_ms += 1000;
		assert_int_equal(ussd_wait_ms(bench.ussd, 2), 0);
		keep_silent(fixture);
		assert_int_equal(ussd_dial(bench.ussd, &order, &bench.turn), 0);
		ussd_abandon(&bench.turn);
	}
	assert_int_equal(ussd_wait_ms(bench.ussd, 3), 0);
	assert_int_equal(ussd_wait_ms(bench.ussd, 2), 60 * 60 * 1000 - 1000);
	now_ms += 60 * 60 * 1000 - 1000;
	assert_int_equal(ussd_wait_ms(bench.ussd, 2), 0);
	fake_clock_end(NULL);
	bench_close(&bench);
}

TEST(test_the_newest_unasked_texts_are_kept)
{
	struct fixture *fixture = *state;
	struct bench bench;
	char text[2048];
	const char *told = text;
	DBusMessage *signal;

	bench_open(&bench, fixture, LIMIT_MS);
	for (int i = 0; i < USSD_NOTICES + 1; i++) {
		memset(text, 0, sizeof(text));
		while (strlen(text) < 1000)
			strcat(text, i == USSD_NOTICES ? "\xe2\x82\xac" : "a");
		signal = dbus_message_new_signal("/sim0", USSD, "RequestReceived");
		dbus_message_append_args(signal, DBUS_TYPE_STRING, &told,
					 DBUS_TYPE_INVALID);
		peer_send(&fixture->fake.peer, signal);
	}
	lab_wait(&fixture->lab, ussd_notices(bench.ussd)[0].text[0]);
	lab_wait(&fixture->lab,
		 ussd_notices(bench.ussd)[USSD_NOTICES - 1].text[0] == '\xe2');
	assert_int_equal(strlen(ussd_notices(bench.ussd)[USSD_NOTICES - 1].text), 798);
	assert_int_equal(strlen(ussd_notices(bench.ussd)[0].text), 799);
	assert_true(ussd_notices(bench.ussd)[0].asks);
	bench_close(&bench);
}
