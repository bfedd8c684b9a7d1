/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "ofono_lab.h"

#include "bus/bus.h"
#include "ofono/modem_call.h"

enum { LIMIT_MS = 60000 };

static const struct fact on[] = {
	WORDS("Interfaces", USSD),
	LAST,
};

struct answer {
	int count;
	struct modem *modem;
	enum ussd_call_outcome outcome;
	bool asked; /* State when the answer came */
	char text[64];
};

static void on_done(void *data, const struct ussd_call_result *result)
{
	struct answer *answer = data;

	answer->count++;
	answer->outcome = result->outcome;
	answer->asked = modem_awaits_ussd_reply(answer->modem);
	snprintf(answer->text, sizeof(answer->text), "%s",
		 result->text ? result->text : "none");
}

static struct answer start(struct fixture *fixture)
{
	fixture->fake.modems[0] = (struct fake_modem){ .path = "/sim0", .modem = on };
	fixture_start(fixture);
	return (struct answer){ .modem = fixture_modem(fixture) };
}

static const char *kind;	   /* of the answer to Initiate */
static const char *dialogue_state; /* signalled before the answer */
static char asked[64];

static void obey(struct fake *fake, DBusMessage *call)
{
	DBusMessage *reply = dbus_message_new_method_return(call);
	const char *text = "", *answer = "Balance: 1234 Ft";
	const struct fact fact = TEXT("", answer);
	DBusMessageIter iterator;

	dbus_message_get_args(call, NULL, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
	snprintf(asked, sizeof(asked), "%s %s", dbus_message_get_member(call), text);
	dbus_message_iter_init_append(reply, &iterator);
	if (dbus_message_has_member(call, "Initiate")) {
		dbus_message_iter_append_basic(&iterator, DBUS_TYPE_STRING, &kind);
		fact_append(&iterator, &fact);
	} else {
		dbus_message_iter_append_basic(&iterator, DBUS_TYPE_STRING, &answer);
	}
	fake_changed(fake, "/sim0", USSD, (struct fact)TEXT("State", dialogue_state));
	peer_send(&fake->peer, reply);
}

FIXTURE(fixture_set_up, fixture_tear_down)

TEST(test_a_dialogue_of_code_and_reply)
{
	struct fixture *fixture = *state;
	struct answer answer = start(fixture);

	fixture->fake.called = obey;
	assert_true(modem_has_ussd(answer.modem));
	assert_false(modem_awaits_ussd_reply(answer.modem));
	kind = "USSD";
	dialogue_state = "user-response";
	assert_non_null(
		ussd_call_initiate(answer.modem, "*100#", LIMIT_MS, on_done, &answer));
	assert_int_equal(answer.count, 0);
	lab_wait(&fixture->lab, answer.count == 1);
	assert_string_equal(asked, "Initiate *100#");
	assert_int_equal(answer.outcome, USSD_ANSWERED);
	assert_true(answer.asked);
	assert_string_equal(answer.text, "Balance: 1234 Ft");
	dialogue_state = "idle";
	assert_non_null(ussd_call_respond(answer.modem, "1", LIMIT_MS, on_done, &answer));
	lab_wait(&fixture->lab, answer.count == 2);
	assert_string_equal(asked, "Respond 1");
	assert_int_equal(answer.outcome, USSD_ANSWERED);
	assert_false(answer.asked);
	assert_string_equal(answer.text, "Balance: 1234 Ft");
}

TEST(test_an_mmi_code_is_reported_as_executed)
{
	struct fixture *fixture = *state;
	struct answer answer = start(fixture);

	fixture->fake.called = obey;
	kind = "CallForwarding";
	dialogue_state = "idle";
	ussd_call_initiate(answer.modem, "*21#", LIMIT_MS, on_done, &answer);
	lab_wait(&fixture->lab, answer.count == 1);
	assert_int_equal(answer.outcome, USSD_EXECUTED);
	assert_string_equal(answer.text, "none");
}

TEST(test_the_error_decides_the_outcome)
{
	static const struct {
		const char *error;
		enum ussd_call_outcome outcome;
	} rows[] = {
		{ "org.ofono.Error.InProgress", USSD_BUSY },
		{ "org.ofono.Error.NotRecognized", USSD_NOT_RECOGNIZED },
		{ "org.ofono.Error.NotSupported", USSD_NOT_SUPPORTED },
		{ "org.ofono.Error.NotActive", USSD_NOT_ACTIVE },
		{ "org.ofono.Error.Terminated", USSD_TERMINATED },
		{ "org.ofono.Error.Canceled", USSD_UNKNOWN },
		{ "org.ofono.Error.Timedout", USSD_TIMED_OUT },
		{ "org.ofono.Error.Failed", USSD_FAILED },
		{ DBUS_ERROR_ACCESS_DENIED, USSD_NOT_ALLOWED },
		{ DBUS_ERROR_UNKNOWN_METHOD, USSD_NOT_SUPPORTED },
		{ DBUS_ERROR_NO_REPLY, USSD_UNKNOWN },
	};
	struct fixture *fixture = *state;
	struct answer answer = start(fixture);

	fixture->fake.failing_member = "Initiate";
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		answer.count = 0;
		fixture->fake.failing_error = rows[i].error;
		fixture->fake.failing_count = 1;
		ussd_call_initiate(answer.modem, "*100#", LIMIT_MS, on_done, &answer);
		lab_wait(&fixture->lab, answer.count == 1);
		assert_int_equal(answer.outcome, rows[i].outcome);
	}
}

/* No answer in time; then a stopped call, and Cancel. */
TEST(test_no_answer_in_time_is_unknown)
{
	struct fixture *fixture = *state;
	struct answer answer = start(fixture);

	fake_fail(&fixture->fake, "Initiate", "", 2);
	ussd_call_initiate(answer.modem, "*100#", 1, on_done, &answer);
	lab_wait(&fixture->lab, answer.count == 1);
	assert_int_equal(answer.outcome, USSD_UNKNOWN);
	ussd_call_stop(
		ussd_call_initiate(answer.modem, "*100#", LIMIT_MS, on_done, &answer));
	ussd_call_stop(NULL);
	ussd_call_cancel(answer.modem);
	lab_wait(&fixture->lab, strstr(fixture->fake.log, "Cancel:/sim0"));
	assert_int_equal(answer.count, 1);
}

static void tell(struct fixture *fixture, const char *member, const char *text)
{
	DBusMessage *signal = dbus_message_new_signal("/sim0", USSD, member);

	dbus_message_append_args(signal, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
	peer_send(&fixture->fake.peer, signal);
}

TEST(test_unasked_texts_of_the_network_are_reported)
{
	struct fixture *fixture = *state;
	struct answer answer = start(fixture);

	tell(fixture, "NotificationReceived", "low");
	tell(fixture, "RequestReceived", "more?");
	tell(fixture, "SomethingElse", "new");
	fake_changed(&fixture->fake, "/sim0", USSD,
		     (struct fact)TEXT("State", "user-response"));
	lab_wait(&fixture->lab, modem_awaits_ussd_reply(answer.modem));
	assert_string_equal(fixture->recorder.trace,
			    "notified:/sim0:low requested:/sim0:more? ");
	fake_changed(&fixture->fake, "/sim0", MODEM,
		     (struct fact)WORDS("Interfaces", NULL));
	lab_wait(&fixture->lab, !modem_has_ussd(answer.modem));
	assert_false(modem_awaits_ussd_reply(answer.modem));
}
