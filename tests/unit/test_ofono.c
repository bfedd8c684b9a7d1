/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "ofono_lab.h"

FIXTURE(fixture_set_up, fixture_tear_down)

TEST(test_modems_that_exist_at_the_start_are_added)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fixture_add_two(fixture);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	assert_non_null(strstr(ofono_condition(fixture->ofono), fixture->lab.address));
	assert_non_null(
		strstr(ofono_condition(fixture->ofono), "no D-Bus system bus at"));
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 changed ");
	assert_string_equal(ofono_condition(fixture->ofono), "oFono answers");

	modem = fixture_modem(fixture); /* "/sim2" before "/sim10" */
	assert_string_equal(modem->path, "/sim2");
	assert_true(modem->powered && modem->online);
	assert_int_equal(modem->interfaces, MODEM_SIM_MANAGER | MODEM_MESSAGE_MANAGER |
						    MODEM_NETWORK_REGISTRATION);
	assert_true(modem_can_send(modem));
	assert_string_equal(TAILQ_NEXT(modem, link)->path, "/sim10");
}

TEST(test_ofono_may_start_later)
{
	struct fixture *fixture = *state;

	fixture_listen(fixture);
	assert_int_equal(fixture->recorder.bus_known, 0);
	lab_wait(&fixture->lab, fixture->recorder.bus_known == 1);
	assert_string_equal(ofono_condition(fixture->ofono), "oFono is not running");
	assert_false(ofono_is_available(fixture->ofono));
	fixture_add_two(fixture);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 changed ");
}

TEST(test_the_bus_may_start_later)
{
	struct fixture *fixture = *state;

	lab_stop_daemon(&fixture->lab);
	fixture_listen(fixture);
	lab_wait(&fixture->lab, fixture->recorder.bus_known);
	lab_settle(&fixture->lab, 50);
	assert_string_equal(fixture->recorder.trace, "");
	lab_start_daemon(&fixture->lab);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace, "available changed ");
}

TEST(test_modems_are_read_again_after_a_crash_of_ofono)
{
	struct fixture *fixture = *state;

	fixture_start_two(fixture);
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
	assert_string_equal(fixture->recorder.trace, "available added:/sim10 changed ");
}

TEST(test_modems_are_added_and_removed)
{
	struct fixture *fixture = *state;
	const struct fake_modem added = { "/sim9", idle_modem, NULL, NULL };

	fixture_start_two(fixture);
	fake_modem_added(&fixture->fake, &added);
	fake_modem_added(&fixture->fake, &added); /* no difference */
	fake_modem_removed(&fixture->fake, "/sim2");
	fake_modem_removed(&fixture->fake, "/unheard/of");
	lab_settle(&fixture->lab, 50);
	assert_string_equal(fixture->recorder.trace, "added:/sim9 removed:/sim2 ");
	assert_string_equal(fixture_modem(fixture)->path, "/sim9");
	assert_int_equal(fixture->recorder.changes, 0);
}

TEST(test_malformed_signals_are_ignored)
{
	struct fixture *fixture = *state;
	const char *members[] = { "ModemAdded", "ModemRemoved", "Unheard" };
	const char *text = "/sim2";

	fixture_start_two(fixture);
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

/* Any client of the bus can send signals; only those of the owner of org.ofono count. */
TEST(test_signals_of_strangers_are_ignored)
{
	struct fixture *fixture = *state;
	struct peer stranger = { 0 };
	DBusMessage *signal;

	fixture_start_two(fixture);
	peer_open(&stranger, &fixture->lab, NULL, NULL);
	for (int i = 2; i < 10; i++) { /* our own name is one of them */
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

/* Otherwise a stranger could crowd out real messages. */
TEST(test_signals_of_strangers_take_no_room_in_the_queue)
{
	struct fixture *fixture = *state;
	struct peer stranger = { 0 };
	DBusMessage *signal = incoming_signal("/sim2", "IncomingMessage", "forged", "+1");

	fixture_listen(fixture);
	lab_wait(&fixture->lab,
		 strcmp(ofono_condition(fixture->ofono), "oFono is not running") == 0);
	peer_open(&stranger, &fixture->lab, NULL, NULL);
	dbus_message_set_destination(signal,
				     ":1.0"); /* the first connection to this bus */
	for (int i = 0; i < 1100; i++)
		peer_send(&stranger, dbus_message_copy(signal));
	dbus_message_unref(signal);
	lab_settle(&fixture->lab, 50);
	peer_close(&stranger);
	fixture_refuse_modems(fixture, "");
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	fake_incoming(&fixture->fake, "/sim2", "true");
	lab_settle(&fixture->lab, 20);
	fake_answer_kept(&fixture->fake);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "true"));
}

TEST(test_modems_are_read_when_the_policy_allows_it_later)
{
	struct fixture *fixture = *state;

	fixture_refuse_modems(fixture, DBUS_ERROR_ACCESS_DENIED);
	fixture_listen(fixture);
	lab_wait(&fixture->lab, strstr(ofono_condition(fixture->ofono), "refuses"));
	assert_non_null(strstr(ofono_condition(fixture->ofono), "D-Bus policy"));
	assert_false(ofono_is_available(fixture->ofono));
	fixture_wait_available(fixture); /* repeated after a second */
	assert_string_equal(
		fixture->fake.log,
		"GetModems:/ GetModems:/ GetDefaultVoiceModem:/ GetReady:/ "
		"GetProperties:/sim2 GetProperties:/sim2 GetProperties:/sim2 ");
}

TEST(test_getmodems_is_repeated_while_ofono_is_not_ready)
{
	struct fixture *fixture = *state;

	fixture_refuse_modems(fixture, DBUS_ERROR_UNKNOWN_OBJECT);
	fixture_listen(fixture);
	lab_wait(&fixture->lab, fixture->fake.log[0]);
	lab_settle(&fixture->lab, 20);
	assert_string_equal(ofono_condition(fixture->ofono), "oFono does not answer yet");
	fixture_wait_available(fixture);
}

/* The owner changes while GetModems is in progress. */
TEST(test_an_answer_of_an_earlier_owner_is_ignored)
{
	struct fixture *fixture = *state;

	fixture_hold_modems(fixture);
	assert_string_equal(ofono_condition(fixture->ofono), "oFono does not answer yet");
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab,
		 strcmp(ofono_condition(fixture->ofono), "oFono is not running") == 0);
	assert_string_equal(fixture->recorder.trace, "");
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 changed ");
}

/* Signals that precede the answer to GetModems are older than it. */
TEST(test_manager_signals_before_the_answer_are_part_of_it)
{
	struct fixture *fixture = *state;
	const struct fake_modem added = { "/sim9", idle_modem, NULL, NULL };

	fixture_hold_modems(fixture);
	fake_modem_added(&fixture->fake, &added);
	fake_modem_removed(&fixture->fake, "/sim2");
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->recorder.trace, "");
	fake_answer_kept(&fixture->fake);
	fixture_wait_available(fixture);
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 changed ");
}

TEST(test_it_is_settled_when_every_call_is_answered)
{
	struct fixture *fixture = *state;

	fixture_add_two(fixture);
	fake_open(&fixture->fake, &fixture->lab);
	fake_fail(&fixture->fake, "GetProperties", "", 1);
	fixture_listen(fixture);
	assert_false(ofono_is_settled(fixture->ofono));
	fixture_wait_available(fixture);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	lab_settle(&fixture->lab, 20);
	assert_false(ofono_is_settled(fixture->ofono)); /* not answered yet */
	fake_answer_kept(&fixture->fake);
	lab_wait(&fixture->lab, ofono_is_settled(fixture->ofono));
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, !ofono_is_available(fixture->ofono));
	assert_true(ofono_is_settled(fixture->ofono));
}

TEST(test_too_many_modems_and_too_long_paths_are_ignored)
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
		fixture->fake.modems[i].modem = idle_modem;
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
