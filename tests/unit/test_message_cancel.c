/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "ofono_lab.h"

#include "bus/bus.h"
#include "ofono/message.h"

#define UUID "834F0A3C5968CA5426919B1380A8C001B4090BDA"

static const struct fact on[] = {
	WORDS("Interfaces", MESSAGES),
	LAST,
};

static const struct message_order listed = { .uuid = UUID };

struct answer {
	int count;
	enum message_cancel_outcome outcome;
	struct recorder *recorder;
};

static void on_done(void *data, enum message_cancel_outcome outcome)
{
	struct answer *answer = data;

	answer->count++;
	answer->outcome = outcome;
	if (answer->recorder)
		recorder_add(answer->recorder, "answered ");
}

static struct modem *start(struct fixture *fixture)
{
	fixture->fake.modems[0] = (struct fake_modem){ "/sim0", on, NULL, NULL };
	fixture_start(fixture);
	return fixture_modem(fixture);
}

static void reply_list(struct fake *fake, DBusMessage *call, const char *path)
{
	static const char *const other = "/sim0/message_other";
	static const struct fact pending[] = { TEXT("State", "pending"), LAST };
	DBusMessage *reply = dbus_message_new_method_return(call);
	DBusMessageIter iterator, array, element;

	dbus_message_iter_init_append(reply, &iterator);
	dbus_message_iter_open_container(&iterator, DBUS_TYPE_ARRAY, "(oa{sv})", &array);
	for (int i = 0; i < (path ? 2 : 1); i++) {
		dbus_message_iter_open_container(&array, DBUS_TYPE_STRUCT, NULL,
						 &element);
		dbus_message_iter_append_basic(&element, DBUS_TYPE_OBJECT_PATH,
					       i ? &path : &other);
		facts_append(&element, pending);
		dbus_message_iter_close_container(&array, &element);
	}
	dbus_message_iter_close_container(&iterator, &array);
	peer_send(&fake->peer, reply);
}

/* Like ofonod: the state precedes the answer. */
static void obey(struct fake *fake, DBusMessage *call)
{
	if (dbus_message_is_method_call(call, MESSAGES, "GetMessages")) {
		reply_list(fake, call, "/sim0/message_" UUID);
		return;
	}
	assert_true(dbus_message_is_method_call(call, MESSAGE, "Cancel"));
	assert_string_equal(dbus_message_get_path(call), "/sim0/message_" UUID);
	fake_changed(fake, "/sim0/message_" UUID, MESSAGE,
		     (struct fact)TEXT("State", "cancelled"));
	peer_send(&fake->peer, dbus_message_new_method_return(call));
}

FIXTURE(fixture_set_up, fixture_tear_down)

TEST(test_a_listed_message_is_cancelled)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct answer answer = { .recorder = &fixture->recorder };

	fixture->fake.called = obey;
	assert_non_null(message_cancel(modem, &listed, on_done, &answer));
	assert_int_equal(answer.count, 0);
	lab_wait(&fixture->lab, answer.count == 1);
	assert_int_equal(answer.outcome, CANCEL_DONE);
	assert_string_equal(fixture->recorder.trace, "state:/sim0:" UUID ":3 answered ");
	assert_string_equal(fixture->fake.log,
			    "GetMessages:/sim0 Cancel:/sim0/message_" UUID " ");
}

static void list_none(struct fake *fake, DBusMessage *call)
{
	assert_true(dbus_message_is_method_call(call, MESSAGES, "GetMessages"));
	reply_list(fake, call, NULL);
}

static void reply_nothing(struct fake *fake, DBusMessage *call)
{
	peer_send(&fake->peer, dbus_message_new_method_return(call));
}

TEST(test_an_unlisted_message_is_not_there)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct answer answer = { 0 }, odd = { 0 };

	fixture->fake.called = list_none;
	message_cancel(modem, &listed, on_done, &answer);
	lab_wait(&fixture->lab, answer.count == 1);
	assert_int_equal(answer.outcome, CANCEL_NOT_THERE);

	fixture->fake.called = reply_nothing;
	message_cancel(modem, &listed, on_done, &odd);
	lab_wait(&fixture->lab, odd.count == 1);
	assert_int_equal(odd.outcome, CANCEL_NOT_ASKED);
}

TEST(test_the_error_decides_the_outcome)
{
	static const struct {
		const char *member;
		const char *error;
		enum message_cancel_outcome outcome;
	} rows[] = {
		{ "Cancel", "org.ofono.Error.AccessDenied", CANCEL_REFUSED },
		{ "Cancel", "org.ofono.Error.NotAvailable", CANCEL_REFUSED },
		{ "Cancel", DBUS_ERROR_ACCESS_DENIED, CANCEL_REFUSED },
		{ "Cancel", DBUS_ERROR_UNKNOWN_OBJECT, CANCEL_NOT_THERE },
		{ "Cancel", DBUS_ERROR_UNKNOWN_METHOD, CANCEL_NOT_THERE },
		{ "Cancel", DBUS_ERROR_NO_REPLY, CANCEL_UNKNOWN },
		{ "Cancel", "org.ofono.Other", CANCEL_UNKNOWN },
		{ "GetMessages", DBUS_ERROR_UNKNOWN_METHOD, CANCEL_NOT_ASKED },
		{ "GetMessages", DBUS_ERROR_NO_REPLY, CANCEL_NOT_ASKED },
	};
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);

	fixture->fake.called = obey;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct answer answer = { 0 };

		fake_fail(&fixture->fake, rows[i].member, rows[i].error, 1);
		message_cancel(modem, &listed, on_done, &answer);
		lab_wait(&fixture->lab, answer.count == 1);
		assert_int_equal(answer.outcome, rows[i].outcome);
	}
}

/* The modem is freed before its answer comes. */
TEST(test_the_outcome_is_unknown_when_ofono_dies)
{
	static const struct {
		const char *member;
		enum message_cancel_outcome outcome;
	} rows[] = {
		{ "GetMessages", CANCEL_NOT_ASKED },
		{ "Cancel", CANCEL_UNKNOWN },
	};
	struct fixture *fixture = *state;

	start(fixture);
	for (size_t i = 0; i < 2; i++) {
		struct answer answer = { 0 };

		fixture->fake.called = obey;
		fake_fail(&fixture->fake, rows[i].member, "", 1);
		message_cancel(fixture_modem(fixture), &listed, on_done, &answer);
		lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
		fake_close(&fixture->fake);
		lab_wait(&fixture->lab, answer.count == 1);
		assert_int_equal(answer.outcome, rows[i].outcome);
		fake_open(&fixture->fake, &fixture->lab);
		fixture_wait_available(fixture);
	}
}

TEST(test_a_stopped_cancel_runs_no_callback)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct answer answer = { 0 };

	fixture->fake.called = obey;
	message_cancel_stop(message_cancel(modem, &listed, on_done, &answer));
	message_cancel_stop(NULL);
	lab_settle(&fixture->lab, 50);
	assert_int_equal(answer.count, 0);
}
