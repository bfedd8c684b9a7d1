/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals about messages that arrive before their modem or card is known. */
#include "unit_test.h"
#include "ofono_lab.h"

#include "ofono/manager.h"

FIXTURE(fixture_set_up, fixture_tear_down)

/* oFono signals a message once: it must not be lost while GetModems is in progress. */
TEST(test_a_message_waits_until_the_modems_are_known)
{
	struct fixture *fixture = *state;

	fixture_hold_modems(fixture);
	fake_incoming(&fixture->fake, "/sim2", "one");
	fake_incoming(&fixture->fake, "/sim2", "two");
	fake_incoming(&fixture->fake, "/nobody", "whose?");
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->recorder.trace, "");
	fake_answer_kept(&fixture->fake);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "two"));
	assert_string_equal(fixture->recorder.trace,
			    "available added:/sim10 added:/sim2 changed received::whose? "
			    "received:/sim2:one received:/sim2:two ");
}

/* GetModems may never be answered. */
TEST(test_waiting_messages_are_flushed_on_request)
{
	struct fixture *fixture = *state;

	fixture_hold_modems(fixture);
	fake_incoming(&fixture->fake, "/sim2", "one");
	fake_incoming(&fixture->fake, "/sim2", "two");
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->recorder.trace, "");
	ofono_flush_pending(fixture->ofono);
	assert_string_equal(fixture->recorder.trace, "received::one received::two ");
	ofono_flush_pending(fixture->ofono);
	assert_string_equal(fixture->recorder.trace, "received::one received::two ");
}

TEST(test_waiting_messages_are_flushed_when_ofono_goes)
{
	struct fixture *fixture = *state;

	fixture_hold_modems(fixture);
	fake_incoming(&fixture->fake, "/sim2", "one");
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, fixture->recorder.trace[0]);
	assert_string_equal(fixture->recorder.trace, "received::one ");
}

TEST(test_a_full_queue_is_flushed)
{
	struct fixture *fixture = *state;
	char text[16];

	fixture_hold_modems(fixture);
	for (int i = 0; i <= PENDING_SIGNALS_MAX; i++) {
		snprintf(text, sizeof(text), "%d", i);
		fake_incoming(&fixture->fake, "/sim2", text);
	}
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, ":999 "));
	fake_answer_kept(&fixture->fake);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "/sim2:1000 "));
}

TEST(test_a_message_comes_with_the_facts_of_its_card)
{
	struct fixture *fixture = *state;

	fixture_hold_modems(fixture);
	fake_incoming(&fixture->fake, "/sim2", "one");
	lab_settle(&fixture->lab, 20);
	fake_answer_kept(&fixture->fake);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "one"));
	assert_string_equal(fixture->recorder.last.sim.subscriber_identity,
			    "216300000000000");
}

/* The match rules are in force, but GetNameOwner is not answered yet. */
TEST(test_a_message_waits_until_the_owner_is_known)
{
	struct fixture *fixture = *state;
	DBusConnection *connection;

	fixture_add_two(fixture);
	fake_open(&fixture->fake, &fixture->lab);
	connection = fixture->fake.peer.connection;
	fixture_listen(fixture);
	/* Our connection is the second on this bus; its Hello and match rules arrived together. */
	while (!dbus_bus_name_has_owner(connection, ":1.1", NULL))
		lab_turn(&fixture->lab, 10);
	dbus_bus_name_has_owner(connection, ":1.1", NULL);
	fake_incoming(&fixture->fake, "/sim2", "early");
	dbus_bus_name_has_owner(connection, ":1.1", NULL);
	fixture_wait_available(fixture);
	assert_string_equal(
		fixture->recorder.trace,
		"available added:/sim10 added:/sim2 changed received:/sim2:early ");
}

/* There is no gap after the first message that arrives. */
TEST(test_no_message_is_lost_during_the_start)
{
	struct fixture *fixture = *state;
	const char *at;
	char text[16];
	int sent = 0, first, number;

	fixture_add_two(fixture);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	while (!ofono_is_available(fixture->ofono) && sent < 300) {
		snprintf(text, sizeof(text), "%d", sent++);
		fake_incoming(&fixture->fake, "/sim2", text);
		lab_turn(&fixture->lab, 1);
	}
	assert_true(ofono_is_available(fixture->ofono));
	snprintf(text, sizeof(text), ":%d ", sent - 1);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, text));
	at = strstr(fixture->recorder.trace, "received:/sim2:");
	first = atoi(at + strlen("received:/sim2:"));
	for (number = first; at; number++) {
		assert_int_equal(atoi(at + strlen("received:/sim2:")), number);
		at = strstr(at + 1, "received:/sim2:");
	}
	assert_int_equal(number, sent);
	assert_true(first < sent - 1);
}

/* The card's identity is still being read. */
TEST(test_a_message_waits_until_the_card_is_known)
{
	struct fixture *fixture = *state;

	fixture_add_two(fixture);
	fake_fail(&fixture->fake, "GetProperties", "", 2); /* of card and network */
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 2);
	fake_incoming(&fixture->fake, "/sim10", "other");
	fake_incoming(&fixture->fake, "/sim2", "one");
	lab_settle(&fixture->lab, 20);
	assert_string_equal(
		fixture->recorder.trace,
		"available added:/sim10 added:/sim2 changed received:/sim10:other ");
	fake_answer_kept(&fixture->fake);
	fake_answer_kept(&fixture->fake);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "one"));
	assert_string_equal(fixture->recorder.last.sim.subscriber_identity,
			    "216300000000000");
}

static void hold_card(struct fixture *fixture)
{
	fixture_add_two(fixture);
	fake_fail(&fixture->fake, "GetProperties", "", 2);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 2);
	fake_incoming(&fixture->fake, "/sim2", "one");
	lab_settle(&fixture->lab, 20);
	fixture_clear(fixture);
}

TEST(test_a_waiting_message_is_delivered_before_its_modem_goes)
{
	struct fixture *fixture = *state;

	hold_card(fixture);
	fake_modem_removed(&fixture->fake, "/sim2");
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "removed"));
	assert_string_equal(fixture->recorder.trace, "received:/sim2:one removed:/sim2 ");
}

TEST(test_a_waiting_message_is_delivered_before_ofono_goes)
{
	struct fixture *fixture = *state;

	hold_card(fixture);
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "unavailable"));
	assert_string_equal(
		fixture->recorder.trace,
		"received:/sim2:one removed:/sim2 removed:/sim10 unavailable ");
}

TEST(test_a_waiting_message_is_delivered_when_the_card_goes)
{
	struct fixture *fixture = *state;

	hold_card(fixture);
	fake_changed(&fixture->fake, "/sim2", MODEM,
		     (struct fact)WORDS("Interfaces", MESSAGES));
	lab_wait(&fixture->lab, fixture->recorder.trace[0]);
	assert_string_equal(fixture->recorder.trace, "received:/sim2:one ");
}

TEST(test_a_waiting_message_is_delivered_when_the_card_does_not_answer)
{
	struct fixture *fixture = *state;

	hold_card(fixture);
	peer_reply_error(&fixture->fake.peer, fixture->fake.kept[0], DBUS_ERROR_TIMEOUT);
	lab_wait(&fixture->lab, fixture->recorder.trace[0]);
	assert_string_equal(fixture->recorder.trace, "received:/sim2:one ");
}

TEST(test_ofono_can_be_freed_while_messages_wait)
{
	struct fixture *fixture = *state;

	hold_card(fixture);
	observer_remove(&fixture->recorder.observer);
	ofono_free(fixture->ofono);
	fixture->ofono = NULL;
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->recorder.trace, "");
}
