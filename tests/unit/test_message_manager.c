/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Delivery reports on the bus: UseDeliveryReports at every appearance of MessageManager, and
 * StatusReport in the formats of all forks. Debian's ofonod signals no reports, so this test
 * uses a fake oFono.
 */
#include "unit_test.h"
#include "ofono_lab.h"

#define HISTORY "org.ofono.SmsHistory"
#define UUID	"834F0A3C5968CA5426919B1380A8C001B4090BDA"

static const struct fact on[] = {
	WORDS("Interfaces", MESSAGES),
	LAST,
};

static const struct fact off[] = {
	WORDS("Interfaces", SIM),
	LAST,
};

static int switched; /* correct SetProperty calls */

static void take_setting(struct fake *fake, DBusMessage *call)
{
	DBusMessageIter arguments, variant;
	const char *name;
	dbus_bool_t value = FALSE;

	assert_true(dbus_message_is_method_call(call, MESSAGES, "SetProperty"));
	assert_true(dbus_message_has_signature(call, "sv"));
	dbus_message_iter_init(call, &arguments);
	dbus_message_iter_get_basic(&arguments, &name);
	assert_string_equal(name, "UseDeliveryReports");
	dbus_message_iter_next(&arguments);
	dbus_message_iter_recurse(&arguments, &variant);
	assert_int_equal(dbus_message_iter_get_arg_type(&variant), DBUS_TYPE_BOOLEAN);
	dbus_message_iter_get_basic(&variant, &value);
	assert_true(value);
	switched++;
	peer_send(&fake->peer, dbus_message_new_method_return(call));
}

static void start(struct fixture *fixture, const struct fact *facts)
{
	switched = 0;
	fixture->fake.called = take_setting;
	fixture->fake.modems[0] = (struct fake_modem){ "/sim0", facts, NULL, NULL };
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
}

static struct modem *start_wanting(struct fixture *fixture, const struct fact *facts)
{
	start(fixture, facts);
	ofono_use_delivery_reports(fixture->ofono);
	fixture_wait_available(fixture);
	return fixture_modem(fixture);
}

static void set_interfaces(struct fixture *fixture, const char *interface)
{
	fake_changed(&fixture->fake, "/sim0", MODEM,
		     (struct fact)WORDS("Interfaces", interface));
}

FIXTURE(fixture_set_up, fixture_tear_down)

TEST(test_the_setting_is_left_alone_until_wanted)
{
	struct fixture *fixture = *state;

	start(fixture, on);
	fixture_wait_available(fixture);
	assert_int_equal(switched, 0);
	assert_false(fixture_modem(fixture)->uses_delivery_reports);
	ofono_use_delivery_reports(fixture->ofono);
	lab_wait(&fixture->lab, fixture_modem(fixture)->uses_delivery_reports);
	assert_int_equal(switched, 1);
}

TEST(test_the_setting_is_made_at_every_appearance)
{
	struct fixture *fixture = *state;
	struct modem *modem = start_wanting(fixture, on);

	lab_wait(&fixture->lab, modem->uses_delivery_reports);
	for (int times = 2; times < 5; times++) {
		set_interfaces(fixture, SIM);
		lab_wait(&fixture->lab, !modem->uses_delivery_reports);
		lab_settle(&fixture->lab, 20);
		assert_int_equal(switched, times - 1);
		set_interfaces(fixture, MESSAGES);
		lab_wait(&fixture->lab, modem->uses_delivery_reports);
		assert_int_equal(switched, times);
	}
}

TEST(test_the_setting_is_made_again_after_a_crash_of_ofono)
{
	struct fixture *fixture = *state;

	lab_wait(&fixture->lab, start_wanting(fixture, on)->uses_delivery_reports);
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, !ofono_is_available(fixture->ofono));
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	lab_wait(&fixture->lab, fixture_modem(fixture)->uses_delivery_reports);
	assert_int_equal(switched, 2);
}

TEST(test_the_setting_is_retried_while_ofono_is_busy)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fake_fail(&fixture->fake, "SetProperty", "org.ofono.Error.InProgress", 2);
	modem = start_wanting(fixture, on);
	lab_wait(&fixture->lab, fixture->fake.failing_count == 0);
	assert_false(modem->uses_delivery_reports);
	assert_int_equal(switched, 0);
	lab_wait(&fixture->lab, modem->uses_delivery_reports);
	assert_int_equal(switched, 1);
}

TEST(test_a_final_refusal_is_not_retried)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fake_fail(&fixture->fake, "SetProperty", "org.ofono.Error.NotImplemented", 1);
	log_set_level((enum log_level)0);
	modem = start_wanting(fixture, on);
	lab_wait(&fixture->lab, fixture->fake.failing_count == 0);
	lab_settle(&fixture->lab, 700);
	log_set_level(LOG_LEVEL_ERROR);
	assert_int_equal(switched, 0);
	assert_false(modem->uses_delivery_reports);
}

/* oFono never answers a SetProperty call whose interface disappears. */
TEST(test_a_setting_without_answer_is_made_again_with_the_interface)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fake_fail(&fixture->fake, "SetProperty", "", 1);
	modem = start_wanting(fixture, on);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	set_interfaces(fixture, SIM);
	set_interfaces(fixture, MESSAGES);
	lab_wait(&fixture->lab, modem->uses_delivery_reports);
	assert_int_equal(switched, 1);
}

TEST(test_a_change_by_another_program_is_respected)
{
	struct fixture *fixture = *state;
	struct modem *modem = start_wanting(fixture, on);

	lab_wait(&fixture->lab, modem->uses_delivery_reports);
	fake_changed(&fixture->fake, "/sim0", MESSAGES,
		     (struct fact)FLAG("UseDeliveryReports", 0));
	lab_wait(&fixture->lab, !modem->uses_delivery_reports);
	lab_settle(&fixture->lab, 50);
	assert_int_equal(switched, 1); /* it is not switched on again */
}

TEST(test_no_setting_without_the_interface)
{
	struct fixture *fixture = *state;

	start_wanting(fixture, off);
	lab_settle(&fixture->lab, 50);
	assert_int_equal(switched, 0);
}

/* `type` is the D-Bus type of the first argument. */
static void report(struct fixture *fixture, const char *interface, int type,
		   const char *path, const struct fact *facts)
{
	DBusMessage *signal = dbus_message_new_signal("/sim0", interface, "StatusReport");
	DBusMessageIter iterator;

	dbus_message_iter_init_append(signal, &iterator);
	dbus_message_iter_append_basic(&iterator, type, &path);
	facts_append(&iterator, facts);
	peer_send(&fixture->fake.peer, signal);
}

static const struct fact delivered[] = { FLAG("Delivered", 1), LAST };
static const struct fact refused[] = { FLAG("Delivered", 0), LAST };
static const struct fact nothing[] = { LAST };
static const struct fact odd[] = { TEXT("Delivered", "yes"), LAST };

TEST(test_reports_of_all_forks_are_read)
{
	struct fixture *fixture = *state;
	static const char path[] = "/sim0/message_" UUID;

	start(fixture, on);
	fixture_wait_available(fixture);
	fixture_clear(fixture);
	report(fixture, HISTORY, DBUS_TYPE_STRING, path, delivered);
	report(fixture, HISTORY, DBUS_TYPE_OBJECT_PATH, path, refused);
	report(fixture, MESSAGES, DBUS_TYPE_STRING, path, refused);
	report(fixture, MESSAGES, DBUS_TYPE_OBJECT_PATH, path, delivered);
	lab_settle(&fixture->lab, 50);
	assert_string_equal(fixture->recorder.trace,
			    "report:/sim0:" UUID ":1 report:/sim0:" UUID ":0 "
			    "report:/sim0:" UUID ":0 report:/sim0:" UUID ":1 ");
}

TEST(test_messages_of_any_program_are_reported)
{
	struct fixture *fixture = *state;
	DBusMessage *signal = dbus_message_new_signal("/sim0", MESSAGES, "MessageAdded");
	DBusMessage *bare = dbus_message_new_signal("/sim0", MESSAGES, "MessageAdded");
	const char *path = "/sim0/message_" UUID;
	DBusMessageIter iterator;

	start(fixture, on);
	fixture_wait_available(fixture);
	fixture_clear(fixture);
	dbus_message_iter_init_append(signal, &iterator);
	dbus_message_iter_append_basic(&iterator, DBUS_TYPE_OBJECT_PATH, &path);
	facts_append(&iterator, nothing);
	peer_send(&fixture->fake.peer, bare);
	peer_send(&fixture->fake.peer, signal);
	lab_settle(&fixture->lab, 50);
	assert_string_equal(fixture->recorder.trace, "sending:/sim0:" UUID " ");
}

TEST(test_malformed_reports_are_ignored)
{
	struct fixture *fixture = *state;
	DBusMessage *bare = dbus_message_new_signal("/sim0", HISTORY, "StatusReport");

	start(fixture, on);
	fixture_wait_available(fixture);
	fixture_clear(fixture);
	log_set_level((enum log_level)0);
	report(fixture, HISTORY, DBUS_TYPE_STRING, "/sim0/message_A", nothing);
	report(fixture, HISTORY, DBUS_TYPE_STRING, "/sim0/message_A", odd);
	report(fixture, HISTORY, DBUS_TYPE_STRING, "no path", delivered);
	report(fixture, HISTORY, DBUS_TYPE_STRING, "", delivered);
	peer_send(&fixture->fake.peer, bare);
	lab_settle(&fixture->lab, 50);
	log_set_level(LOG_LEVEL_ERROR);
	assert_string_equal(fixture->recorder.trace, "");
}

/* Any client of the bus can send signals; only those of the owner of org.ofono count. */
TEST(test_reports_of_strangers_are_ignored)
{
	struct fixture *fixture = *state;
	struct peer stranger = { 0 };
	DBusMessage *signal;
	DBusMessageIter iterator;
	const char *path = "/sim0/message_" UUID;

	start(fixture, on);
	fixture_wait_available(fixture);
	fixture_clear(fixture);
	peer_open(&stranger, &fixture->lab, NULL, NULL);
	signal = dbus_message_new_signal("/sim0", HISTORY, "StatusReport");
	dbus_message_iter_init_append(signal, &iterator);
	dbus_message_iter_append_basic(&iterator, DBUS_TYPE_STRING, &path);
	facts_append(&iterator, delivered);
	peer_send(&stranger, signal);
	lab_settle(&fixture->lab, 50);
	assert_string_equal(fixture->recorder.trace, "");
	peer_close(&stranger);
}
