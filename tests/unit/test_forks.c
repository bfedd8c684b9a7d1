/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only some forks and drivers of oFono have: ModemManager, SimInfo, several card slots. */
#include "unit_test.h"
#include "ofono_lab.h"

#define MODEM_MANAGER FORKS "ModemManager"
#define SIM_INFO      FORKS "SimInfo"

static const struct fact on[] = {
	FLAG("Powered", 1),
	FLAG("Online", 1),
	WORDS("Interfaces", SIM, SIM_INFO),
	LAST,
};

static const struct fact off[] = {
	WORDS("Interfaces", SIM_INFO),
	LAST,
};

static const struct fact card[] = {
	FLAG("Present", 1),
	TEXT("CardIdentifier", "8936000000000000000"),
	TEXT("SubscriberIdentity", "216300000000000"),
	NUMBER("CardSlotCount", 2),
	NUMBER("ActiveCardSlot", 1),
	LAST,
};

static const struct fact other_card[] = {
	FLAG("Present", 1),
	TEXT("CardIdentifier", "8936000000000000001"),
	NUMBER("CardSlotCount", 2),
	NUMBER("ActiveCardSlot", 2),
	LAST,
};

static void reply_text(struct fake *fake, DBusMessage *call, const char *text)
{
	DBusMessage *reply = dbus_message_new_method_return(call);

	dbus_message_append_args(reply, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
	peer_send(&fake->peer, reply);
}

static void reply_flag(struct fake *fake, DBusMessage *call, dbus_bool_t flag)
{
	DBusMessage *reply = dbus_message_new_method_return(call);

	dbus_message_append_args(reply, DBUS_TYPE_BOOLEAN, &flag, DBUS_TYPE_INVALID);
	peer_send(&fake->peer, reply);
}

static void reply_card(struct fake *fake, DBusMessage *call)
{
	const char *iccid = "8936000000000000000", *imsi = "216300000000000";
	const char *name = "Provider";
	DBusMessage *reply = dbus_message_new_method_return(call);
	dbus_int32_t version = 1;

	dbus_message_append_args(reply, DBUS_TYPE_INT32, &version, DBUS_TYPE_STRING,
				 &iccid, DBUS_TYPE_STRING, &imsi, DBUS_TYPE_STRING, &name,
				 DBUS_TYPE_INVALID);
	peer_send(&fake->peer, reply);
}

static void answer(struct fake *fake, DBusMessage *call)
{
	if (dbus_message_is_method_call(call, MODEM_MANAGER, "GetDefaultVoiceModem"))
		reply_text(fake, call, "/ril_1");
	else if (dbus_message_is_method_call(call, MODEM_MANAGER, "GetReady"))
		reply_flag(fake, call, FALSE);
	else if (dbus_message_is_method_call(call, SIM_INFO, "GetAll"))
		reply_card(fake, call);
	else
		fail_msg("%s was called", dbus_message_get_member(call));
}

/* Answers with wrong types. */
static void answer_oddly(struct fake *fake, DBusMessage *call)
{
	if (dbus_message_has_member(call, "GetReady"))
		reply_text(fake, call, "yes");
	else
		reply_flag(fake, call, TRUE);
}

static void refuse_all(struct fake *fake, DBusMessage *call)
{
	peer_reply_error(&fake->peer, call, DBUS_ERROR_ACCESS_DENIED);
}

static struct modem *start(struct fixture *fixture, const struct fact *modem,
			   void (*called)(struct fake *fake, DBusMessage *call))
{
	fixture->fake.fork_called = called;
	fixture->fake.modems[0] = (struct fake_modem){ "/ril_0", modem, card };
	fixture->fake.modems[1] = (struct fake_modem){ "/ril_1", modem, NULL };
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	fixture_wait_available(fixture);
	return fixture_modem(fixture);
}

static void settle(struct fixture *fixture)
{
	lab_settle(&fixture->lab, 20);
}

static void tell_text(struct fixture *fixture, const char *path, const char *interface,
		      const char *member, const char *text)
{
	DBusMessage *signal = dbus_message_new_signal(path, interface, member);

	dbus_message_append_args(signal, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
	peer_send(&fixture->fake.peer, signal);
}

static void tell_ready(struct fixture *fixture, dbus_bool_t ready)
{
	DBusMessage *signal = dbus_message_new_signal("/", MODEM_MANAGER, "ReadyChanged");

	dbus_message_append_args(signal, DBUS_TYPE_BOOLEAN, &ready, DBUS_TYPE_INVALID);
	peer_send(&fixture->fake.peer, signal);
}

static const char *default_path(struct fixture *fixture)
{
	const struct modem *modem = ofono_default_modem(fixture->ofono);

	return modem ? modem->path : "";
}

FIXTURE(fixture_set_up, fixture_tear_down)

/* Two calls at the start, then only signals. */
TEST(test_the_default_modem_is_read_once_and_followed)
{
	struct fixture *fixture = *state;

	start(fixture, off, answer);
	assert_string_equal(default_path(fixture), "/ril_1");
	assert_false(ofono_is_complete(fixture->ofono));
	fixture_clear(fixture);
	tell_text(fixture, "/", MODEM_MANAGER, "DefaultVoiceModemChanged", "/ril_0");
	tell_ready(fixture, TRUE);
	settle(fixture);
	assert_string_equal(default_path(fixture), "/ril_0");
	assert_true(ofono_is_complete(fixture->ofono));
	assert_string_equal(fixture->recorder.trace, "changed changed ");
	tell_ready(fixture, TRUE);				      /* no difference */
	tell_text(fixture, "/", MODEM_MANAGER, "ReadyChanged", "no"); /* not a boolean */
	tell_text(fixture, "/", MODEM_MANAGER, "DefaultDataModemChanged", "/ril_1");
	tell_text(fixture, "/", MODEM_MANAGER, "DefaultVoiceModemChanged", "");
	settle(fixture);
	assert_string_equal(default_path(fixture), "");
	assert_true(ofono_is_complete(fixture->ofono));
	assert_string_equal(fixture->recorder.trace, "changed changed changed ");
	assert_string_equal(fixture->fake.log, "");
}

/* Like Debian's oFono: nothing is known, and only that is reported. */
TEST(test_upstream_has_no_default_modem)
{
	struct fixture *fixture = *state;

	start(fixture, off, NULL);
	assert_non_null(strstr(fixture->fake.log, "GetReady:/ "));
	assert_string_equal(default_path(fixture), "");
	assert_true(ofono_is_complete(fixture->ofono));
	assert_int_equal(ofono_line(fixture->ofono), OFONO_LINE_UPSTREAM);
	assert_string_equal(strstr(fixture->recorder.trace, "changed"), "changed ");
}

TEST(test_answers_of_wrong_types_are_ignored)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, off, answer_oddly);

	assert_string_equal(default_path(fixture), "");
	assert_true(ofono_is_complete(fixture->ofono));
	assert_string_equal(modem->remembered.card_identifier, "");
}

/* Neither earlier nor late answers of one owner count for the next. */
TEST(test_facts_of_an_earlier_owner_are_forgotten)
{
	struct fixture *fixture = *state;

	start(fixture, off, answer);
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, !ofono_is_available(fixture->ofono));
	assert_string_equal(default_path(fixture), "");
	assert_true(ofono_is_complete(fixture->ofono));
	fake_fail(&fixture->fake, "GetReady", "", 1);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	assert_int_equal(fixture->fake.kept_count, 1);
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, !ofono_is_available(fixture->ofono));
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	assert_false(ofono_is_complete(fixture->ofono));
}

static const struct fact with_network_time[] = {
	FLAG("Powered", 1),
	WORDS("Interfaces", SIM, "org.ofono.NetworkTime"),
	LAST,
};

static enum ofono_line line_of(struct fixture *fixture, const struct fact *modem,
			       void (*called)(struct fake *fake, DBusMessage *call))
{
	start(fixture, modem, called);
	return ofono_line(fixture->ofono);
}

TEST(test_an_ofono_with_modem_manager_is_a_fork)
{
	struct fixture *fixture = *state;

	assert_int_equal(line_of(fixture, off, answer), OFONO_LINE_FORK);
	fake_close(&fixture->fake); /* the next ofonod may be another one */
	lab_wait(&fixture->lab, !ofono_is_available(fixture->ofono));
	assert_int_equal(ofono_line(fixture->ofono), OFONO_LINE_UNKNOWN);
	assert_int_equal(line_of(fixture, off, NULL), OFONO_LINE_UPSTREAM);
}

/* Like 1.17 of UBports; also after the modem that showed it is off. */
TEST(test_an_ofono_with_network_time_is_a_fork)
{
	struct fixture *fixture = *state;

	assert_int_equal(line_of(fixture, with_network_time, NULL), OFONO_LINE_FORK);
	fake_changed(&fixture->fake, "/ril_0", MODEM,
		     (struct fact)WORDS("Interfaces", NULL));
	settle(fixture);
	assert_int_equal(ofono_line(fixture->ofono), OFONO_LINE_FORK);
}

/* The policy may allow only the interfaces that upstream has. */
TEST(test_a_refused_call_leaves_the_line_unknown)
{
	struct fixture *fixture = *state;

	assert_int_equal(line_of(fixture, off, refuse_all), OFONO_LINE_UNKNOWN);
}

TEST(test_sim_info_names_the_card_of_a_modem_that_is_off)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, off, answer);

	assert_string_equal(modem->remembered.card_identifier, "8936000000000000000");
	assert_string_equal(modem->remembered.subscriber_identity, "216300000000000");
	assert_string_equal(modem->remembered.service_provider_name, "Provider");
	assert_false(modem->sim.known);
	fixture_clear(fixture);
	tell_text(fixture, "/ril_0", SIM_INFO, "ServiceProviderNameChanged", "Other");
	tell_text(fixture, "/ril_0", SIM_INFO, "SubscriberIdentityChanged", "");
	tell_text(fixture, "/ril_0", SIM_INFO, "CardIdentifierChanged", "89");
	tell_text(fixture, "/ril_0", SIM_INFO, "CardLabelChanged", "mine");
	fake_changed(&fixture->fake, "/ril_0", SIM_INFO, (struct fact)FLAG("x", 1));
	settle(fixture);
	assert_string_equal(modem->remembered.service_provider_name, "Other");
	assert_string_equal(modem->remembered.subscriber_identity, "");
	assert_string_equal(modem->remembered.card_identifier, "89");
	assert_int_equal(fixture->recorder.changes, 3);
	fake_changed(&fixture->fake, "/ril_0", MODEM,
		     (struct fact)WORDS("Interfaces", NULL));
	settle(fixture);
	assert_string_equal(modem->remembered.card_identifier, "");
}

TEST(test_an_answer_after_sim_info_is_gone_is_ignored)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fake_fail(&fixture->fake, "GetAll", "", 2);
	modem = start(fixture, off, answer);
	assert_int_equal(fixture->fake.kept_count, 2);
	fake_changed(&fixture->fake, "/ril_0", MODEM,
		     (struct fact)WORDS("Interfaces", NULL));
	fake_modem_removed(&fixture->fake, "/ril_1");
	settle(fixture);
	fake_answer_kept(&fixture->fake);
	fake_answer_kept(&fixture->fake);
	settle(fixture);
	assert_string_equal(modem->remembered.card_identifier, "");
}

/* The other slot has another card: no fact of the first is shown meanwhile. */
TEST(test_a_change_of_slot_voids_the_facts_of_the_card)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, on, answer);

	assert_int_equal(modem->card_slots, 2);
	assert_int_equal(modem->sim.active_slot, 1);
	fake_fail(&fixture->fake, "GetProperties", "", 1);
	fake_changed(&fixture->fake, "/ril_0", SIM,
		     (struct fact)NUMBER("ActiveCardSlot", 2));
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	assert_int_equal(modem->sim.active_slot, 2);
	assert_false(modem->sim.known || modem->sim.present);
	assert_string_equal(modem->sim.subscriber_identity, "");
	fixture->fake.modems[0].sim = card; /* ofonod still shows the first card */
	fake_answer_kept(&fixture->fake);
	settle(fixture);
	assert_false(modem->sim.known || modem->sim.present);
	fake_changed(&fixture->fake, "/ril_0", SIM, (struct fact)FLAG("Present", 0));
	fixture->fake.modems[0].sim = other_card;
	fake_changed(&fixture->fake, "/ril_0", SIM, (struct fact)FLAG("Present", 1));
	settle(fixture);
	assert_string_equal(modem->sim.card_identifier, "8936000000000000001");
	assert_string_equal(modem->sim.subscriber_identity, "");
	fixture_clear(fixture);
	fake_changed(&fixture->fake, "/ril_0", SIM,
		     (struct fact)NUMBER("ActiveCardSlot", 2));
	fake_changed(&fixture->fake, "/ril_0", SIM,
		     (struct fact)TEXT("ActiveCardSlot", "1"));
	settle(fixture);
	assert_string_equal(fixture->fake.log, "");
	assert_string_equal(modem->sim.card_identifier, "8936000000000000001");
	fake_changed(&fixture->fake, "/ril_0", SIM, (struct fact)FLAG("Present", 0));
	settle(fixture);
	assert_int_equal(modem->sim.active_slot, 2);
	fake_changed(&fixture->fake, "/ril_0", MODEM,
		     (struct fact)WORDS("Interfaces", NULL));
	settle(fixture);
	assert_int_equal(modem->card_slots, 2);
}
