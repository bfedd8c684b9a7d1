/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake_ofono.h"

static const struct fact idle[] = {
	FLAG("Powered", 0),
	TEXT("Type", "hardware"),
	WORDS("Interfaces", NULL),
	LAST,
};

static const struct fact with_card[] = {
	FLAG("Powered", 1),
	FLAG("Online", 1),
	TEXT("Type", "hardware"),
	TEXT("Serial", "350000000003770"),
	WORDS("Interfaces", SIM, "org.ofono.Unheard", NETWORK, MESSAGES),
	LAST,
};

static const struct fact card[] = {
	FLAG("Present", 1),
	TEXT("SubscriberIdentity", "216300000000000"),
	LAST,
};

static const struct fact registered[] = {
	TEXT("Status", "registered"),
	LAST,
};

static void add_two(struct fake *fake)
{
	fake->modems[0] = (struct fake_modem){ "/sim10", idle, NULL, NULL };
	fake->modems[1] = (struct fake_modem){ "/sim2", with_card, card, registered };
}

static void test_everything_there_at_start(void **state)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	add_two(&fixture->fake);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	assert_non_null(strstr(ofono_condition(fixture->ofono), fixture->lab.address));
	assert_non_null(
		strstr(ofono_condition(fixture->ofono), "no D-Bus system bus at"));
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 ");
	assert_string_equal(ofono_condition(fixture->ofono), "oFono answers");

	modem = fixture_modem(fixture); /* "/sim2" before "/sim10" */
	assert_string_equal(modem->path, "/sim2");
	assert_true(modem->powered && modem->online);
	assert_string_equal(modem->serial, "350000000003770");
	assert_int_equal(modem->interfaces, MODEM_SIM_MANAGER | MODEM_MESSAGE_MANAGER |
						    MODEM_NETWORK_REGISTRATION);
	assert_true(modem_can_send(modem));
	assert_string_equal(TAILQ_NEXT(modem, link)->path, "/sim10");
}

static void test_ofono_comes_later(void **state)
{
	struct fixture *fixture = *state;

	fixture_listen(fixture);
	lab_wait(&fixture->lab,
		 strcmp(ofono_condition(fixture->ofono), "oFono is not running") == 0);
	assert_false(ofono_is_available(fixture->ofono));
	add_two(&fixture->fake);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 ");
}

static void test_bus_comes_later(void **state)
{
	struct fixture *fixture = *state;

	lab_stop_daemon(&fixture->lab);
	fixture_listen(fixture);
	lab_settle(&fixture->lab, 50);
	assert_string_equal(fixture->recorder.trace, "");
	lab_start_daemon(&fixture->lab);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace, "available ");
}

static void test_ofono_crashes_and_returns(void **state)
{
	struct fixture *fixture = *state;

	add_two(&fixture->fake);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	fixture_wait_available(fixture);
	fixture_clear(fixture);
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, !ofono_is_available(fixture->ofono));
	assert_string_equal(fixture->recorder.trace,
			    "removed:/sim2 removed:/sim10 unavailable ");
	assert_string_equal(ofono_condition(fixture->ofono), "oFono is not running");
	assert_true(TAILQ_EMPTY(ofono_modems(fixture->ofono)));

	fixture_clear(fixture);
	fixture->fake.modems[1].path = NULL;
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace, "available added:/sim10 ");
}

static void test_bus_dies_and_returns(void **state)
{
	struct fixture *fixture = *state;

	add_two(&fixture->fake);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	fixture_wait_available(fixture);
	fixture_clear(fixture);
	lab_stop_daemon(&fixture->lab);
	lab_wait(&fixture->lab, !ofono_is_available(fixture->ofono));
	assert_string_equal(fixture->recorder.trace,
			    "removed:/sim2 removed:/sim10 unavailable ");
	assert_non_null(strstr(ofono_condition(fixture->ofono), "no D-Bus system bus"));

	fixture_clear(fixture);
	fake_close(&fixture->fake);
	lab_start_daemon(&fixture->lab);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 ");
}

static void test_modems_come_and_go(void **state)
{
	struct fixture *fixture = *state;
	const struct fake_modem added = { "/sim9", idle, NULL, NULL };

	add_two(&fixture->fake);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	fixture_wait_available(fixture);
	fixture_clear(fixture);
	fake_modem_added(&fixture->fake, &added);
	fake_modem_added(&fixture->fake, &added); /* nothing new */
	fake_modem_removed(&fixture->fake, "/sim2");
	fake_modem_removed(&fixture->fake, "/unheard/of");
	lab_settle(&fixture->lab, 50);
	assert_string_equal(fixture->recorder.trace, "added:/sim9 removed:/sim2 ");
	assert_string_equal(fixture_modem(fixture)->path, "/sim9");
	assert_int_equal(fixture->recorder.changes, 0);
}

static void test_malformed_signals_are_ignored(void **state)
{
	struct fixture *fixture = *state;
	const char *members[] = { "ModemAdded", "ModemRemoved", "Unheard" };
	const char *text = "/sim2";

	add_two(&fixture->fake);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	fixture_wait_available(fixture);
	fixture_clear(fixture);
	for (size_t i = 0; i < 3; i++) {
		DBusMessage *signal = dbus_message_new_signal("/", MANAGER, members[i]);

		peer_send(&fixture->fake.peer, dbus_message_copy(signal));
		dbus_message_append_args(signal, DBUS_TYPE_STRING, &text,
					 DBUS_TYPE_INVALID);
		peer_send(&fixture->fake.peer, signal);
	}
	peer_send(&fixture->fake.peer,
		  dbus_message_new_signal("/sim2", MESSAGES, "IncomingMessage"));
	peer_send(&fixture->fake.peer,
		  dbus_message_new_signal("/sim2", MODEM, "PropertyChanged"));
	peer_send(&fixture->fake.peer,
		  dbus_message_new_signal("/sim2/message_1", MESSAGE, "PropertyChanged"));
	peer_send(&fixture->fake.peer,
		  dbus_message_new_signal("/sim2", SIM, "PropertyChanged"));
	fake_changed(&fixture->fake, "/sim2/below", MODEM,
		     (struct fact)FLAG("Powered", 0));
	lab_settle(&fixture->lab, 50);
	assert_string_equal(fixture->recorder.trace, "");
	assert_int_equal(fixture->recorder.changes, 0);
}

/* Anybody may send us signals; only the owner of the name is believed. */
static void test_strangers_are_not_believed(void **state)
{
	struct fixture *fixture = *state;
	struct peer stranger = { 0 };
	DBusMessage *signal;

	add_two(&fixture->fake);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	fixture_wait_available(fixture);
	fixture_clear(fixture);
	peer_open(&stranger, &fixture->lab, NULL, NULL);
	for (int i = 2; i < 10; i++) { /* our own name is among them */
		char name[16];

		snprintf(name, sizeof(name), ":1.%d", i - 2);
		signal = incoming_signal("/sim2", "IncomingMessage", "forged", "+1");
		dbus_message_set_destination(signal, name);
		peer_send(&stranger, signal);
		signal = changed_signal("/sim2", MODEM, (struct fact)FLAG("Powered", 0));
		dbus_message_set_destination(signal, name);
		peer_send(&stranger, signal);
	}
	peer_send(&stranger, incoming_signal("/sim2", "IncomingMessage", "forged", "+1"));
	lab_settle(&fixture->lab, 50);
	peer_close(&stranger);
	assert_string_equal(fixture->recorder.trace, "");
	assert_int_equal(fixture->recorder.changes, 0);
	fake_incoming(&fixture->fake, "/sim2", "true");
	lab_wait(&fixture->lab, fixture->recorder.trace[0]);
	assert_string_equal(fixture->recorder.trace, "received:/sim2:true ");
}

static void refuse_modems(struct fixture *fixture, const char *error)
{
	fixture->fake.failing_member = "GetModems";
	fixture->fake.failing_error = error;
	fixture->fake.failing_count = 1;
	add_two(&fixture->fake);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
}

static void test_refused_then_allowed(void **state)
{
	struct fixture *fixture = *state;

	refuse_modems(fixture, DBUS_ERROR_ACCESS_DENIED);
	lab_wait(&fixture->lab, strstr(ofono_condition(fixture->ofono), "refuses"));
	assert_non_null(strstr(ofono_condition(fixture->ofono), "D-Bus policy"));
	assert_false(ofono_is_available(fixture->ofono));
	fixture_wait_available(fixture); /* asked again after a second */
	assert_string_equal(fixture->fake.log,
			    "GetModems:/ GetModems:/ GetProperties:/sim2 "
			    "GetProperties:/sim2 ");
}

static void test_not_ready_yet(void **state)
{
	struct fixture *fixture = *state;

	refuse_modems(fixture, DBUS_ERROR_UNKNOWN_OBJECT);
	lab_wait(&fixture->lab, fixture->fake.log[0]);
	lab_settle(&fixture->lab, 20);
	assert_string_equal(ofono_condition(fixture->ofono), "oFono does not answer yet");
	fixture_wait_available(fixture);
}

/* The reply of one owner never reaches the next one's modems. */
static void test_owner_changes_while_asked(void **state)
{
	struct fixture *fixture = *state;

	refuse_modems(fixture, "");
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	assert_string_equal(ofono_condition(fixture->ofono), "oFono does not answer yet");
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab,
		 strcmp(ofono_condition(fixture->ofono), "oFono is not running") == 0);
	assert_string_equal(fixture->recorder.trace, "");
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 ");
}

static void test_too_many_and_too_long(void **state)
{
	struct fixture *fixture = *state;
	static char paths[FAKE_MODEMS_MAX][160];
	struct modem *modem;
	int count = 0;

	for (int i = 0; i < FAKE_MODEMS_MAX; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/sim%d", i);
		if (i == 0)
			memset(paths[i] + 1, 'x', 140);
		fixture->fake.modems[i].path = paths[i];
		fixture->fake.modems[i].modem = idle;
	}
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	fixture_wait_available(fixture);
	TAILQ_FOREACH (modem, ofono_modems(fixture->ofono), link) {
		count++;
	}
	assert_int_equal(count, 32);
	assert_string_equal(fixture_modem(fixture)->path, "/sim1");
}

/* oFono tells of a message once: while GetModems is under way it must not be lost. */
static void test_message_before_the_modems_are_known(void **state)
{
	struct fixture *fixture = *state;

	refuse_modems(fixture, "");
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	fake_incoming(&fixture->fake, "/sim2", "one");
	fake_incoming(&fixture->fake, "/sim2", "two");
	fake_incoming(&fixture->fake, "/nobody", "lost");
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->recorder.trace, "");
	fake_answer_kept(&fixture->fake);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "two"));
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 "
			    "received:/sim2:one received:/sim2:two ");
	assert_string_equal(fixture->recorder.last.sim.subscriber_identity,
			    "216300000000000");
}

/* Nor while the card is being asked who it is. */
static void test_message_before_the_card_is_known(void **state)
{
	struct fixture *fixture = *state;

	add_two(&fixture->fake);
	fixture->fake.failing_member = "GetProperties";
	fixture->fake.failing_error = "";
	fixture->fake.failing_count = 2; /* card and network */
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 2);
	fake_incoming(&fixture->fake, "/sim10", "other");
	fake_incoming(&fixture->fake, "/sim2", "one");
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 received:/sim10:other ");
	fake_answer_kept(&fixture->fake);
	fake_answer_kept(&fixture->fake);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "one"));
	assert_string_equal(fixture->recorder.last.sim.subscriber_identity,
			    "216300000000000");
}

static void hold_card(struct fixture *fixture)
{
	add_two(&fixture->fake);
	fixture->fake.failing_member = "GetProperties";
	fixture->fake.failing_error = "";
	fixture->fake.failing_count = 2;
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 2);
	fake_incoming(&fixture->fake, "/sim2", "one");
	lab_settle(&fixture->lab, 20);
	fixture_clear(fixture);
}

static void test_waiting_message_is_told_before_its_modem_goes(void **state)
{
	struct fixture *fixture = *state;

	hold_card(fixture);
	fake_modem_removed(&fixture->fake, "/sim2");
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "removed"));
	assert_string_equal(fixture->recorder.trace, "received:/sim2:one removed:/sim2 ");
}

static void test_waiting_message_is_told_before_ofono_goes(void **state)
{
	struct fixture *fixture = *state;

	hold_card(fixture);
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "unavailable"));
	assert_string_equal(
		fixture->recorder.trace,
		"received:/sim2:one removed:/sim2 removed:/sim10 unavailable ");
}

static void test_waiting_message_is_told_when_the_card_does_not_answer(void **state)
{
	struct fixture *fixture = *state;

	hold_card(fixture);
	peer_reply_error(&fixture->fake.peer, fixture->fake.kept[0], DBUS_ERROR_TIMEOUT);
	lab_wait(&fixture->lab, fixture->recorder.trace[0]);
	assert_string_equal(fixture->recorder.trace, "received:/sim2:one ");
}

static void test_free_in_the_middle(void **state)
{
	struct fixture *fixture = *state;

	hold_card(fixture);
	observer_remove(&fixture->recorder.observer);
	ofono_free(fixture->ofono);
	fixture->ofono = NULL;
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->recorder.trace, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
		TEST(test_everything_there_at_start),
		TEST(test_ofono_comes_later),
		TEST(test_bus_comes_later),
		TEST(test_ofono_crashes_and_returns),
		TEST(test_bus_dies_and_returns),
		TEST(test_modems_come_and_go),
		TEST(test_malformed_signals_are_ignored),
		TEST(test_strangers_are_not_believed),
		TEST(test_refused_then_allowed),
		TEST(test_not_ready_yet),
		TEST(test_owner_changes_while_asked),
		TEST(test_too_many_and_too_long),
		TEST(test_message_before_the_modems_are_known),
		TEST(test_message_before_the_card_is_known),
		TEST(test_waiting_message_is_told_before_its_modem_goes),
		TEST(test_waiting_message_is_told_before_ofono_goes),
		TEST(test_waiting_message_is_told_when_the_card_does_not_answer),
		TEST(test_free_in_the_middle),
	};

	log_set_level(LOG_LEVEL_ERROR);
	return cmocka_run_group_tests_name("ofono", tests, NULL, NULL);
}
