/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GetModems on a bus whose policy does not let this user in: repeated a few times, then only
 * when somebody needs oFono.
 */
#include "unit_test.h"
#include "ofono_lab.h"

#include "ofono/manager.h"

static const unsigned int pauses_ms[MANAGER_PAUSES] = { 1, 1, 1, 1, 1 };

enum { ASKED = 1 + MANAGER_PAUSES, LONG_MS = 50 };

static int asked(const struct fixture *fixture)
{
	int count = 0;

	for (const char *at = fixture->fake.log; (at = strstr(at, "GetModems")); at++)
		count++;
	return count;
}

static void refuse(struct fixture *fixture, const char *error, int times)
{
	fixture_refuse_modems(fixture, error);
	fixture->fake.failing_count = times;
	fixture_listen(fixture);
	ofono_set_retry_pauses(fixture->ofono, pauses_ms);
}

/* The bus refuses `times` times; after the last pause nothing asks it any more. */
static void give_up(struct fixture *fixture, int times)
{
	refuse(fixture, DBUS_ERROR_ACCESS_DENIED, times);
	lab_wait(&fixture->lab, asked(fixture) == ASKED);
	lab_settle(&fixture->lab, LONG_MS);
	assert_int_equal(asked(fixture), ASKED);
	assert_non_null(strstr(ofono_condition(fixture->ofono), "refuses"));
}

FIXTURE(fixture_set_up, fixture_tear_down)

TEST(test_a_refusing_bus_is_asked_again_on_demand)
{
	struct fixture *fixture = *state;

	give_up(fixture, ASKED + 1);
	ofono_retry(fixture->ofono);
	ofono_retry(fixture->ofono); /* a call is in progress already */
	lab_settle(&fixture->lab, LONG_MS);
	assert_int_equal(asked(fixture), ASKED + 1);
	ofono_retry(fixture->ofono);
	fixture_wait_available(fixture);
	assert_string_equal(ofono_condition(fixture->ofono), "oFono answers");
	ofono_retry(fixture->ofono);
	lab_settle(&fixture->lab, LONG_MS);
	assert_int_equal(asked(fixture), ASKED + 2);
}

TEST(test_the_owner_can_ask_again_at_once)
{
	struct fixture *fixture = *state;

	give_up(fixture, ASKED + 1);
	assert_true(ofono_is_refused(fixture->ofono));
	assert_true(
		ofono_may_be_allowed_soon(fixture->ofono)); /* the first ten seconds */
	ofono_retry_now(fixture->ofono);
	ofono_retry_now(fixture->ofono); /* a call is in progress already */
	/* The extra attempt does not use up a pause. */
	lab_wait(&fixture->lab, ofono_is_available(fixture->ofono));
	assert_int_equal(asked(fixture), ASKED + 2);
	assert_false(ofono_is_refused(fixture->ofono));
	assert_false(ofono_may_be_allowed_soon(fixture->ofono));
	ofono_retry_now(fixture->ofono);
	lab_settle(&fixture->lab, LONG_MS);
	assert_int_equal(asked(fixture), ASKED + 2);
}

TEST(test_a_refusing_bus_is_asked_again_when_a_message_arrives)
{
	struct fixture *fixture = *state;

	give_up(fixture, ASKED);
	fake_incoming(&fixture->fake, "/sim2", "hello");
	fixture_wait_available(fixture);
	assert_non_null(strstr(fixture->recorder.trace, "received:/sim2:hello"));
}

TEST(test_a_refusing_bus_is_asked_again_when_ofono_restarts)
{
	struct fixture *fixture = *state;

	give_up(fixture, ASKED);
	fake_close(&fixture->fake);
	lab_wait(&fixture->lab,
		 strcmp(ofono_condition(fixture->ofono), "oFono is not running") == 0);
	fake_open(&fixture->fake, &fixture->lab);
	fixture_wait_available(fixture);
}

TEST(test_failures_other_than_refusals_are_retried_for_ever)
{
	struct fixture *fixture = *state;

	refuse(fixture, "org.ofono.Error.InProgress", 3 * ASKED);
	fixture_wait_available(fixture);
	assert_int_equal(asked(fixture), 3 * ASKED + 1);
}
