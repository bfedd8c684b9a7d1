/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "ofono_lab.h"

#define PHONEBOOK "org.ofono.Phonebook"

static const struct fact with_phonebook[] = { WORDS("Interfaces", PHONEBOOK), LAST };
static const char *vcards;

static void import(struct fake *fake, DBusMessage *call)
{
	DBusMessage *reply = dbus_message_new_method_return(call);

	assert_true(dbus_message_is_method_call(call, PHONEBOOK, "Import"));
	if (vcards)
		dbus_message_append_args(reply, DBUS_TYPE_STRING, &vcards,
					 DBUS_TYPE_INVALID);
	peer_send(&fake->peer, reply);
}

/* Two modems, the second without a phonebook; reading is not enabled yet. */
static struct fixture *start(void **state)
{
	struct fixture *fixture = *state;

	vcards = "BEGIN:VCARD";
	fixture->fake.called = import;
	fixture->fake.modems[0] =
		(struct fake_modem){ .path = "/sim0", .modem = with_phonebook };
	fixture->fake.modems[1] =
		(struct fake_modem){ .path = "/sim1", .modem = idle_modem };
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	fixture_wait_available(fixture);
	assert_null(strstr(fixture->fake.log, "Import"));
	fixture_clear(fixture);
	return fixture;
}

/* The next `count` calls get this error; "": no answer. */
static void fail_calls(struct fixture *fixture, const char *error, int count)
{
	fake_fail(&fixture->fake, "Import", error, count);
}

static bool has_trace(const struct fixture *fixture, const char *trace)
{
	return strcmp(fixture->recorder.trace, trace) == 0;
}

static void change_interfaces(struct fixture *fixture, const char *interface)
{
	fake_changed(&fixture->fake, "/sim0", MODEM,
		     (struct fact)WORDS("Interfaces", interface));
}

FIXTURE(fixture_set_up, fixture_tear_down)

TEST(test_contacts_are_read_when_enabled)
{
	struct fixture *fixture = start(state);

	ofono_use_phonebooks(fixture->ofono, true);
	lab_wait(&fixture->lab, has_trace(fixture, "phonebook:/sim0:BEGIN:VCARD "));
	assert_string_equal(fixture->fake.log, "Import:/sim0 ");
	ofono_use_phonebooks(fixture->ofono, true);
	lab_wait(&fixture->lab, has_trace(fixture, "phonebook:/sim0:BEGIN:VCARD "
						   "phonebook:/sim0:BEGIN:VCARD "));
}

static const struct fact bluetooth[] = {
	TEXT("Type", "hfp"),
	WORDS("Interfaces", PHONEBOOK),
	LAST,
};

TEST(test_contacts_of_bluetooth_phones_are_not_read)
{
	const struct fake_modem phone = { .path = "/hfp", .modem = bluetooth };
	struct fixture *fixture = start(state);

	ofono_use_phonebooks(fixture->ofono, true);
	fake_modem_added(&fixture->fake, &phone);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "added:/hfp"));
	ofono_use_phonebooks(fixture->ofono, true);
	lab_settle(&fixture->lab, 20);
	assert_null(strstr(fixture->fake.log, "Import:/hfp"));
}

TEST(test_contacts_are_read_again_with_the_interface)
{
	struct fixture *fixture = start(state);

	ofono_use_phonebooks(fixture->ofono, true);
	lab_wait(&fixture->lab, *fixture->recorder.trace);
	fixture_clear(fixture);
	change_interfaces(fixture, NULL);
	vcards = "another";
	change_interfaces(fixture, PHONEBOOK);
	lab_wait(&fixture->lab, has_trace(fixture, "phonebook:/sim0:another "));
}

/* One call at a time, and none after the interface went or reading was disabled. */
TEST(test_one_import_at_a_time_and_none_when_disabled)
{
	struct fixture *fixture = start(state);

	fail_calls(fixture, "", 2);
	ofono_use_phonebooks(fixture->ofono, true);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	ofono_use_phonebooks(fixture->ofono, true);
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->fake.log, "Import:/sim0 ");
	change_interfaces(fixture, NULL);
	change_interfaces(fixture, PHONEBOOK);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 2);
	ofono_use_phonebooks(fixture->ofono, false);
	fake_answer_kept(&fixture->fake);
	fake_answer_kept(&fixture->fake);
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->recorder.trace, "");
	change_interfaces(fixture, NULL);
	change_interfaces(fixture, PHONEBOOK);
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->fake.log, "Import:/sim0 Import:/sim0 ");
}

TEST(test_a_failed_import_is_retried)
{
	struct fixture *fixture = start(state);

	fail_calls(fixture, "org.ofono.Error.InProgress", 1);
	ofono_use_phonebooks(fixture->ofono, true);
	lab_wait(&fixture->lab, has_trace(fixture, "phonebook:/sim0:BEGIN:VCARD "));
	assert_string_equal(fixture->fake.log, "Import:/sim0 Import:/sim0 ");
}

TEST(test_an_answer_of_a_wrong_type_is_a_failure)
{
	struct fixture *fixture = start(state);

	vcards = NULL;
	ofono_use_phonebooks(fixture->ofono, true);
	lab_wait(&fixture->lab, *fixture->fake.log);
	lab_settle(&fixture->lab, 20);
	vcards = "good";
	lab_wait(&fixture->lab, has_trace(fixture, "phonebook:/sim0:good "));
}

TEST(test_an_import_ends_with_ofono)
{
	struct fixture *fixture = start(state);

	fail_calls(fixture, "", 1);
	ofono_use_phonebooks(fixture->ofono, true);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, !ofono_is_available(fixture->ofono));
	fixture_clear(fixture);
	fake_open(&fixture->fake, &fixture->lab);
	lab_wait(&fixture->lab,
		 strstr(fixture->recorder.trace, "phonebook:/sim0:BEGIN:VCARD "));
}
