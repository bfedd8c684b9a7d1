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

struct sent {
	int count;
	enum message_send_outcome outcome;
	char uuid[MESSAGE_UUID_BYTES];
	char error[96];
	struct recorder *recorder;
};

struct listed {
	int count;
	bool known;
	size_t length;
	char uuids[8][MESSAGE_UUID_BYTES];
};

static void on_sent(void *data, const struct message_send_result *result)
{
	struct sent *sent = data;

	sent->count++;
	sent->outcome = result->outcome;
	strcpy(sent->uuid, result->uuid);
	snprintf(sent->error, sizeof(sent->error), "%s",
		 result->error ? result->error : "");
	if (sent->recorder)
		recorder_add(sent->recorder, "sent ");
}

static void on_listed(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count)
{
	struct listed *listed = data;

	listed->count++;
	listed->known = uuids != NULL;
	listed->length = count;
	for (size_t i = 0; i < count && i < 8; i++)
		strcpy(listed->uuids[i], uuids[i]);
}

static struct modem *start(struct fixture *fixture)
{
	fixture->fake.modems[0] = (struct fake_modem){ "/sim0", on, NULL, NULL };
	fixture->fake.modems[1] = (struct fake_modem){ "/sim0/two", on, NULL, NULL };
	fixture_start(fixture);
	return fixture_modem(fixture);
}

static void reply_path(struct fake *fake, DBusMessage *call, const char *path)
{
	DBusMessage *reply = dbus_message_new_method_return(call);

	dbus_message_append_args(reply, DBUS_TYPE_OBJECT_PATH, &path, DBUS_TYPE_INVALID);
	peer_send(&fake->peer, reply);
}

/* Answers and signals the outcome at once, like a fast modem. */
static void accept_and_send(struct fake *fake, DBusMessage *call)
{
	const char *number, *text;

	assert_true(dbus_message_is_method_call(call, MESSAGES, "SendMessage"));
	assert_true(dbus_message_get_args(call, NULL, DBUS_TYPE_STRING, &number,
					  DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID));
	assert_string_equal(number, "+36301234567");
	assert_string_equal(text, "gr\u00fc\u00dfe");
	reply_path(fake, call, "/sim0/message_" UUID);
	fake_changed(fake, "/sim0/message_" UUID, MESSAGE,
		     (struct fact)TEXT("State", "sent"));
}

FIXTURE(fixture_set_up, fixture_tear_down)

TEST(test_an_accepted_message_reports_its_state_later)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct sent sent = { .recorder = &fixture->recorder };

	fixture->fake.called = accept_and_send;
	assert_non_null(message_send(modem,
				     &(struct message_order){ .number = "+36301234567",
							      .text = "gr\u00fc\u00dfe" },
				     on_sent, &sent));
	assert_int_equal(sent.count, 0);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "state"));
	assert_string_equal(fixture->recorder.trace, "sent state:/sim0:" UUID ":1 ");
	assert_int_equal(sent.count, 1);
	assert_int_equal(sent.outcome, SEND_ACCEPTED);
	assert_string_equal(sent.uuid, UUID);
	assert_string_equal(sent.error, "");
}

static void reply_odd_path(struct fake *fake, DBusMessage *call)
{
	reply_path(fake, call, "/sim0/other_0123456789012345678901234567890123456789");
}

static void reply_nothing(struct fake *fake, DBusMessage *call)
{
	peer_send(&fake->peer, dbus_message_new_method_return(call));
}

TEST(test_an_unusable_answer_leaves_the_outcome_unknown)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct sent other = { 0 }, empty = { 0 };

	fixture->fake.called = reply_odd_path;
	message_send(modem, &(struct message_order){ .number = "1", .text = "x" },
		     on_sent, &other);
	lab_wait(&fixture->lab, other.count == 1);
	assert_int_equal(other.outcome, SEND_ACCEPTED);
	assert_string_equal(other.uuid, "other_0123456789012345678901234567890123");

	fixture->fake.called = reply_nothing;
	message_send(modem, &(struct message_order){ .number = "1", .text = "x" },
		     on_sent, &empty);
	lab_wait(&fixture->lab, empty.count == 1);
	assert_int_equal(empty.outcome, SEND_UNKNOWN);
}

TEST(test_the_error_decides_whether_to_submit_again)
{
	static const struct {
		const char *error;
		enum message_send_outcome outcome;
	} rows[] = {
		{ "org.ofono.Error.InvalidFormat", SEND_REFUSED },
		{ "org.ofono.Error.InvalidArguments", SEND_REFUSED },
		{ "org.ofono.Error.Failed", SEND_REFUSED },
		{ "org.ofono.Error.NotImplemented", SEND_REFUSED },
		{ "org.ofono.Error.AccessDenied", SEND_REFUSED },
		{ DBUS_ERROR_ACCESS_DENIED, SEND_REFUSED },
		{ DBUS_ERROR_SERVICE_UNKNOWN, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_NAME_HAS_NO_OWNER, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_UNKNOWN_METHOD, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_UNKNOWN_OBJECT, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_UNKNOWN_INTERFACE, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_LIMITS_EXCEEDED, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_NO_REPLY, SEND_UNKNOWN },
		{ DBUS_ERROR_TIMEOUT, SEND_UNKNOWN },
		{ DBUS_ERROR_DISCONNECTED, SEND_UNKNOWN },
		{ DBUS_ERROR_FAILED, SEND_UNKNOWN },
		{ "org.ofono.Other", SEND_UNKNOWN },
	};
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);

	fixture->fake.failing_member = "SendMessage";
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sent sent = { 0 };

		fixture->fake.failing_error = rows[i].error;
		fixture->fake.failing_count = 1;
		message_send(modem, &(struct message_order){ .number = "1", .text = "x" },
			     on_sent, &sent);
		lab_wait(&fixture->lab, sent.count == 1);
		assert_string_equal(sent.error, rows[i].error);
		assert_int_equal(sent.outcome, rows[i].outcome);
		assert_string_equal(sent.uuid, "");
	}
}

/* The modem goes with its oFono; the callback still runs. */
TEST(test_the_outcome_is_unknown_when_ofono_dies)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct sent sent = { 0 };

	fake_fail(&fixture->fake, "SendMessage", "", 1);
	message_send(modem, &(struct message_order){ .number = "1", .text = "x" },
		     on_sent, &sent);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, sent.count == 1);
	assert_int_equal(sent.outcome, SEND_UNKNOWN);
	assert_string_equal(sent.error, DBUS_ERROR_NO_REPLY);
}

/* Calls in the window may have arrived; calls queued behind it certainly have not. */
TEST(test_queued_messages_are_not_submitted_when_the_bus_dies)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct sent sent[BUS_CALLS_MAX + 1] = { 0 };

	for (size_t i = 0; i <= BUS_CALLS_MAX; i++)
		message_send(modem, &(struct message_order){ .number = "1", .text = "x" },
			     on_sent, &sent[i]);
	lab_stop_daemon(&fixture->lab);
	lab_wait(&fixture->lab, sent[BUS_CALLS_MAX].count == 1);
	lab_wait(&fixture->lab, sent[0].count == 1);
	assert_int_equal(sent[0].outcome, SEND_UNKNOWN);
	assert_int_equal(sent[BUS_CALLS_MAX].outcome, SEND_NOT_SUBMITTED);
	assert_string_equal(sent[BUS_CALLS_MAX].error, BUS_ERROR_NOT_SENT);
	lab_wait(&fixture->lab, !ofono_is_available(fixture->ofono));
}

TEST(test_a_late_answer_counts)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct sent sent = { 0 };

	fake_fail(&fixture->fake, "SendMessage", "", 1);
	fixture->fake.called = reply_odd_path;
	message_send(modem, &(struct message_order){ .number = "1", .text = "x" },
		     on_sent, &sent);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	lab_settle(&fixture->lab, 300);
	assert_int_equal(sent.count, 0);
	fake_answer_kept(&fixture->fake);
	lab_wait(&fixture->lab, sent.count == 1);
	assert_int_equal(sent.outcome, SEND_ACCEPTED);
}

TEST(test_a_cancelled_send_runs_no_callback)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct sent sent = { 0 };

	fixture->fake.called = reply_odd_path;
	message_send_cancel(
		message_send(modem, &(struct message_order){ .number = "1", .text = "x" },
			     on_sent, &sent));
	message_send_cancel(NULL);
	lab_settle(&fixture->lab, 50);
	assert_int_equal(sent.count, 0);
	assert_string_equal(fixture->fake.log, "SendMessage:/sim0 ");
}

TEST(test_invalid_utf8_never_reaches_libdbus)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct sent sent = { 0 };

	log_set_level((enum log_level)0);
	assert_null(message_send(modem,
				 &(struct message_order){ .number = "1", .text = "\xff" },
				 on_sent, &sent));
	assert_null(message_send(
		modem, &(struct message_order){ .number = "\xc0\x80", .text = "x" },
		on_sent, &sent));
	assert_null(message_send(
		modem, &(struct message_order){ .number = "1", .text = "\xed\xa0\x80" },
		on_sent, &sent));
	log_set_level(LOG_LEVEL_ERROR);
	lab_settle(&fixture->lab, 20);
	assert_string_equal(fixture->fake.log, "");
	assert_int_equal(sent.count, 0);
}

static void reply_messages(struct fake *fake, DBusMessage *call)
{
	static const struct fact pending[] = { TEXT("State", "pending"), LAST };
	static const char *const paths[] = { "/sim0/message_" UUID, "/sim0/message_2" };
	DBusMessage *reply = dbus_message_new_method_return(call);
	DBusMessageIter iterator, array, element;

	assert_true(dbus_message_is_method_call(call, MESSAGES, "GetMessages"));
	dbus_message_iter_init_append(reply, &iterator);
	dbus_message_iter_open_container(&iterator, DBUS_TYPE_ARRAY, "(oa{sv})", &array);
	for (size_t i = 0; i < 2; i++) {
		dbus_message_iter_open_container(&array, DBUS_TYPE_STRUCT, NULL,
						 &element);
		dbus_message_iter_append_basic(&element, DBUS_TYPE_OBJECT_PATH,
					       &paths[i]);
		facts_append(&element, pending);
		dbus_message_iter_close_container(&array, &element);
	}
	dbus_message_iter_close_container(&iterator, &array);
	peer_send(&fake->peer, reply);
}

static void reply_no_messages(struct fake *fake, DBusMessage *call)
{
	DBusMessage *reply = dbus_message_new_method_return(call);
	DBusMessageIter iterator, array;

	dbus_message_iter_init_append(reply, &iterator);
	dbus_message_iter_open_container(&iterator, DBUS_TYPE_ARRAY, "(oa{sv})", &array);
	dbus_message_iter_close_container(&iterator, &array);
	peer_send(&fake->peer, reply);
}

TEST(test_messages_are_listed_by_uuid)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture);
	struct listed two = { 0 }, none = { 0 }, failed = { 0 }, odd = { 0 },
		      gone = { 0 };

	fixture->fake.called = reply_messages;
	message_list(modem, NULL, on_listed, &two);
	assert_int_equal(two.count, 0);
	lab_wait(&fixture->lab, two.count == 1);
	assert_true(two.known);
	assert_int_equal(two.length, 2);
	assert_string_equal(two.uuids[0], UUID);
	assert_string_equal(two.uuids[1], "2");

	fixture->fake.called = reply_no_messages;
	message_list(modem, NULL, on_listed, &none);
	lab_wait(&fixture->lab, none.count == 1);
	assert_true(none.known);
	assert_int_equal(none.length, 0);

	fixture->fake.called = reply_nothing;
	message_list(modem, NULL, on_listed, &odd);
	lab_wait(&fixture->lab, odd.count == 1);
	assert_false(odd.known);

	fixture->fake.called = NULL;
	message_list(modem, NULL, on_listed, &failed);
	lab_wait(&fixture->lab, failed.count == 1);
	assert_false(failed.known);

	message_listing_cancel(message_list(modem, NULL, on_listed, &gone));
	message_listing_cancel(NULL);
	lab_settle(&fixture->lab, 50);
	assert_int_equal(gone.count, 0);
}

TEST(test_states_of_all_messages_are_reported)
{
	struct fixture *fixture = *state;
	static const char *const words[] = { "pending", "sent", "failed", "cancelled" };

	start(fixture);
	for (size_t i = 0; i < 4; i++)
		fake_changed(&fixture->fake, "/sim0/message_A", MESSAGE,
			     (struct fact)TEXT("State", words[i]));
	fake_changed(&fixture->fake, "/sim0/message_A", MESSAGE,
		     (struct fact)TEXT("State", "exploded"));
	fake_changed(&fixture->fake, "/sim0/message_A", MESSAGE,
		     (struct fact)TEXT("Other", "sent"));
	fake_changed(&fixture->fake, "/sim0/two/message_B", MESSAGE,
		     (struct fact)TEXT("State", "sent"));
	fake_changed(&fixture->fake, "/sim00/message_C", MESSAGE,
		     (struct fact)TEXT("State", "sent"));
	fake_changed(&fixture->fake, "/sim0", MESSAGE,
		     (struct fact)TEXT("State", "sent"));
	lab_settle(&fixture->lab, 50);
	assert_string_equal(fixture->recorder.trace,
			    "state:/sim0:A:0 state:/sim0:A:1 state:/sim0:A:2 "
			    "state:/sim0:A:3 state:/sim0/two:B:1 ");
}

TEST(test_incoming_messages_are_reported)
{
	struct fixture *fixture = *state;

	start(fixture);
	fake_incoming(&fixture->fake, "/sim0", "gr\u00fc\u00dfe\n\U0001F600");
	lab_wait(&fixture->lab, fixture->recorder.trace[0]);
	assert_int_equal(fixture->recorder.event.type, MESSAGE_RECEIVED);
	assert_false(fixture->recorder.event.immediate);
	assert_string_equal(fixture->recorder.text, "gr\u00fc\u00dfe\n\U0001F600");
	assert_string_equal(fixture->recorder.sender, "+4915112345678");
	assert_string_equal(fixture->recorder.sent_time, "2026-11-21T07:30:00+0100");
	assert_string_equal(fixture->recorder.local_sent_time,
			    "2026-11-21T06:30:00+0000");

	fixture_clear(fixture);
	peer_send(&fixture->fake.peer,
		  incoming_signal("/sim0/two", "ImmediateMessage", "", ""));
	lab_wait(&fixture->lab, fixture->recorder.trace[0]);
	assert_string_equal(fixture->recorder.trace, "received:/sim0/two: ");
	assert_true(fixture->recorder.event.immediate);
	assert_string_equal(fixture->recorder.sender, "");
}

TEST(test_incoming_messages_in_another_format_keep_their_text)
{
	struct fixture *fixture = *state;
	DBusMessage *signal =
		dbus_message_new_signal("/sim0", MESSAGES, "IncomingMessage");
	DBusMessage *longer = incoming_signal("/sim0", "IncomingMessage", "two", "+49");
	const char *text = "one";

	start(fixture);
	dbus_message_append_args(signal, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
	dbus_message_append_args(longer, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
	peer_send(&fixture->fake.peer, signal);
	peer_send(&fixture->fake.peer, longer);
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, "two"));
	assert_string_equal(fixture->recorder.trace,
			    "received:/sim0:one received:/sim0:two ");
	assert_string_equal(fixture->recorder.sender, "+49");
}

TEST(test_a_burst_of_incoming_messages_keeps_its_order)
{
	struct fixture *fixture = *state;
	char expected[8192] = "", text[16];

	start(fixture);
	for (int i = 0; i < 300; i++) {
		snprintf(text, sizeof(text), "%d", i);
		fake_incoming(&fixture->fake, "/sim0", text);
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
			 "received:/sim0:%d ", i);
	}
	lab_wait(&fixture->lab, strstr(fixture->recorder.trace, ":299 "));
	assert_string_equal(fixture->recorder.trace, expected);
}
