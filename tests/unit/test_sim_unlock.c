/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "ofono_lab.h"

#include "bus/bus.h"
#include "ofono/modem_call.h"

static const struct fact on[] = {
	WORDS("Interfaces", SIM),
	LAST,
};
static const struct fact asks_pin[] = {
	FLAG("Present", 1),
	TEXT("CardIdentifier", "893630000000000001"),
	TEXT("PinRequired", "pin"),
	COUNT("Retries", "pin", 3),
	LAST,
};
static const struct fact asks_puk[] = {
	FLAG("Present", 1),
	TEXT("CardIdentifier", "893630000000000001"),
	TEXT("PinRequired", "puk"),
	COUNT("Retries", "puk", 10),
	LAST,
};
static const struct sim_unlock_codes pin = { "1234", NULL };

struct answer {
	int count;
	enum sim_unlock_outcome outcome;
};

static void on_done(void *data, enum sim_unlock_outcome outcome)
{
	struct answer *answer = data;

	answer->count++;
	answer->outcome = outcome;
}

static struct modem *start(struct fixture *fixture, const struct fact *sim)
{
	fixture->fake.modems[0] = (struct fake_modem){ "/sim0", on, sim, NULL };
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	fixture_wait_available(fixture);
	lab_wait(&fixture->lab, fixture_modem(fixture)->sim.known);
	fixture_clear(fixture);
	return fixture_modem(fixture);
}

/* The arguments of the last call. */
static char asked[64];

static void obey(struct fake *fake, DBusMessage *call)
{
	const char *words[3] = { "", "", "" };

	if (dbus_message_is_method_call(call, SIM, "EnterPin"))
		assert_true(dbus_message_get_args(call, NULL, DBUS_TYPE_STRING, &words[0],
						  DBUS_TYPE_STRING, &words[1],
						  DBUS_TYPE_INVALID));
	else
		assert_true(dbus_message_get_args(
			call, NULL, DBUS_TYPE_STRING, &words[0], DBUS_TYPE_STRING,
			&words[1], DBUS_TYPE_STRING, &words[2], DBUS_TYPE_INVALID));
	snprintf(asked, sizeof(asked), "%s %s %s %s", dbus_message_get_member(call),
		 words[0], words[1], words[2]);
	assert_false(dbus_message_get_auto_start(call));
	peer_send(&fake->peer, dbus_message_new_method_return(call));
}

FIXTURE(fixture_set_up, fixture_tear_down)

TEST(test_a_puk_sets_a_new_pin)
{
	const struct sim_unlock_codes codes = { "12345678", "4321" };
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, asks_puk);
	struct answer answer = { 0 };

	fixture->fake.called = obey;
	assert_int_equal(modem_sim_lock_of(&modem->sim), SIM_LOCK_PUK);
	assert_non_null(sim_unlock(modem, &codes, on_done, &answer));
	lab_wait(&fixture->lab, answer.count == 1);
	assert_int_equal(answer.outcome, UNLOCK_DONE);
	assert_string_equal(asked, "ResetPin puk 12345678 4321");
}

/* Each code is tried once, whatever the answer. */
TEST(test_the_error_decides_the_outcome_and_nothing_is_retried)
{
	static const struct {
		const char *error;
		enum sim_unlock_outcome outcome;
	} rows[] = {
		{ "org.ofono.Error.Failed", UNLOCK_WRONG },
		{ "org.ofono.Error.InProgress", UNLOCK_BUSY },
		{ "org.ofono.Error.InvalidFormat", UNLOCK_NOT_TAKEN },
		{ "org.ofono.Error.NotImplemented", UNLOCK_IMPOSSIBLE },
		{ "org.ofono.Error.Timedout", UNLOCK_UNKNOWN },
		{ DBUS_ERROR_UNKNOWN_METHOD, UNLOCK_NOT_TAKEN },
		{ "org.ofono.Error.AccessDenied", UNLOCK_NOT_ALLOWED },
		{ DBUS_ERROR_ACCESS_DENIED, UNLOCK_NOT_ALLOWED },
		{ DBUS_ERROR_SERVICE_UNKNOWN, UNLOCK_NOT_ASKED },
		{ DBUS_ERROR_NO_REPLY, UNLOCK_UNKNOWN },
		{ DBUS_ERROR_LIMITS_EXCEEDED, UNLOCK_UNKNOWN },
	};
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, asks_pin);

	fixture->fake.called = obey;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct answer answer = { 0 };

		fake_fail(&fixture->fake, "EnterPin", rows[i].error, 1);
		fixture->fake.log[0] = '\0';
		sim_unlock(modem, &pin, on_done, &answer);
		lab_wait(&fixture->lab, answer.count == 1);
		lab_settle(&fixture->lab, 20);
		assert_int_equal(answer.count, 1);
		assert_int_equal(answer.outcome, rows[i].outcome);
		assert_string_equal(fixture->fake.log, "EnterPin:/sim0 ");
	}
}

/* The modem is freed before the answer; when oFono is back, nothing is retried. */
TEST(test_the_outcome_is_unknown_when_ofono_dies)
{
	struct fixture *fixture = *state;
	struct answer answer = { 0 };

	start(fixture, asks_pin);
	fake_fail(&fixture->fake, "EnterPin", "", 1);
	sim_unlock(fixture_modem(fixture), &pin, on_done, &answer);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab, answer.count == 1);
	assert_int_equal(answer.outcome, UNLOCK_UNKNOWN);
	fixture->fake.log[0] = '\0';
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
	lab_settle(&fixture->lab, 50);
	assert_null(strstr(fixture->fake.log, "EnterPin"));
	assert_int_equal(answer.count, 1);
}

TEST(test_a_stopped_unlock_runs_no_callback)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, asks_pin);
	struct answer answer = { 0 };

	fixture->fake.called = obey;
	sim_unlock_stop(sim_unlock(modem, &pin, on_done, &answer));
	sim_unlock_stop(NULL);
	lab_settle(&fixture->lab, 50);
	assert_int_equal(answer.count, 0);
}

TEST_WITH(test_the_length_of_pin_and_puk_is_checked, NULL, NULL)
{
	static const char *const pins[] = { "0000", "12345678" };
	static const char *const others[] = { "",     "123",   "123456789", "12 4",
					      "12a4", "+1234", "1234\n" };

	for (size_t i = 0; i < sizeof(pins) / sizeof(pins[0]); i++)
		assert_true(sim_unlock_pin_is_valid(pins[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_false(sim_unlock_pin_is_valid(others[i]));
		assert_false(sim_unlock_puk_is_valid(others[i]));
	}
	assert_true(sim_unlock_puk_is_valid("12345678"));
	assert_false(sim_unlock_puk_is_valid("1234567"));
}

TEST_WITH(test_each_pin_required_word_has_its_lock, NULL, NULL)
{
	static const struct {
		const char *word;
		enum modem_sim_lock lock;
	} rows[] = {
		{ "", SIM_LOCK_NONE },
		{ "none", SIM_LOCK_NONE },
		{ "pin2", SIM_LOCK_NONE },
		{ "pin", SIM_LOCK_PIN },
		{ "puk", SIM_LOCK_PUK },
		{ "network", SIM_LOCK_OTHER },
		{ "networkpuk", SIM_LOCK_OTHER },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct modem_sim facts = { 0 };

		strcpy(facts.pin_required, rows[i].word);
		assert_int_equal(modem_sim_lock_of(&facts), rows[i].lock);
	}
}
