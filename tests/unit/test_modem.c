/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "ofono_lab.h"

static const struct fact off[] = {
	FLAG("Powered", 0),
	WORDS("Interfaces", NULL),
	LAST,
};

static const struct fact on[] = {
	FLAG("Powered", 1),
	FLAG("Online", 1),
	WORDS("Interfaces", SIM, NETWORK, MESSAGES),
	LAST,
};

static const struct fact card[] = {
	FLAG("Present", 1),
	TEXT("CardIdentifier", "8936000000000000000"),
	TEXT("SubscriberIdentity", "216300000000000"),
	TEXT("PinRequired", "none"),
	TEXT("MobileCountryCode", "216"),
	TEXT("MobileNetworkCode", "30"),
	TEXT("ServiceProviderName", "Telekom HU"),
	WORDS("SubscriberNumbers", "+36301234567", "+36309999999"),
	WORDS("PreferredLanguages", "hu"),
	COUNT("Retries", "pin", 3),
	LAST,
};

static const struct fact locked_card[] = {
	FLAG("Present", 1),
	TEXT("CardIdentifier", "8936000000000000000"),
	TEXT("PinRequired", "puk"),
	COUNT("Retries", "puk", 9),
	LAST,
};

static const struct fact no_card[] = {
	FLAG("Present", 0),
	LAST,
};

static const struct fact registered[] = {
	TEXT("Status", "registered"),
	TEXT("Name", "Telekom HU"),
	TEXT("MobileCountryCode", "216"),
	TEXT("MobileNetworkCode", "30"),
	TEXT("Technology", "lte"),
	BYTE("Strength", 64),
	LAST,
};

static struct modem *start(struct fixture *fixture, const struct fact *modem,
			   const struct fact *sim, const struct fact *network)
{
	fixture->fake.modems[0] = (struct fake_modem){ "/sim0", modem, sim, network };
	fixture_start(fixture);
	return fixture_modem(fixture);
}

static void change(struct fixture *fixture, const char *interface, struct fact fact)
{
	fake_changed(&fixture->fake, "/sim0", interface, fact);
}

static void settle(struct fixture *fixture)
{
	lab_settle(&fixture->lab, 20);
}

FIXTURE(fixture_set_up, fixture_tear_down)

TEST(test_facts_are_read_from_every_interface)
{
	struct modem *modem = start(*state, on, card, registered);

	assert_true(modem->sim.known && modem->sim.present);
	assert_string_equal(modem->sim.card_identifier, "8936000000000000000");
	assert_string_equal(modem->sim.subscriber_identity, "216300000000000");
	assert_string_equal(modem->sim.pin_required, "none");
	assert_string_equal(modem->sim.mobile_country_code, "216");
	assert_string_equal(modem->sim.mobile_network_code, "30");
	assert_string_equal(modem->sim.service_provider_name, "Telekom HU");
	assert_string_equal(modem->sim.own_number, "+36301234567");
	assert_int_equal(modem->sim.pin_retries, 0); /* nothing is locked */
	assert_string_equal(modem->network.status, "registered");
	assert_string_equal(modem->network.name, "Telekom HU");
	assert_string_equal(modem->network.technology, "lte");
	assert_int_equal(modem->network.strength, 64);
	assert_true(modem_is_registered(modem) && modem_can_send(modem));
}

TEST(test_a_locked_card_shows_its_lock_and_retries)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, on, locked_card, NULL);

	assert_string_equal(modem->sim.pin_required, "puk");
	assert_int_equal(modem->sim.pin_retries, 9);
	change(fixture, SIM, (struct fact)COUNT("Retries", "puk", 8));
	settle(fixture);
	assert_int_equal(modem->sim.pin_retries, 8);
	change(fixture, SIM, (struct fact)TEXT("PinRequired", "none"));
	settle(fixture);
	assert_int_equal(modem->sim.pin_retries, 0);
	assert_string_equal(modem->sim.subscriber_identity, "");
}

TEST(test_no_card_is_known_as_absent)
{
	struct modem *modem = start(*state, on, no_card, NULL);

	assert_true(modem->sim.known);
	assert_false(modem->sim.present);
}

/* As observed with ofonod: no Present, and signals precede the answer. */
TEST(test_facts_signalled_during_power_up_are_stored)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fake_fail(&fixture->fake, "GetProperties", "", 1);
	modem = start(fixture, off, card, registered);
	change(fixture, MODEM, (struct fact)FLAG("Powered", 1));
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", SIM));
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	assert_false(modem->sim.known);
	change(fixture, SIM, (struct fact)COUNT("Retries", "pin", 3));
	settle(fixture);
	assert_false(modem->sim.known);
	change(fixture, SIM, (struct fact)TEXT("CardIdentifier", "8936000000000000000"));
	settle(fixture);
	assert_true(modem->sim.known && modem->sim.present);
	fake_answer_kept(&fixture->fake);
	settle(fixture);
	assert_string_equal(modem->sim.subscriber_identity, "216300000000000");
	assert_string_equal(fixture->fake.log, "GetProperties:/sim0 ");
}

TEST(test_a_signal_before_its_interface_is_stored)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, off, card, NULL);

	change(fixture, NETWORK, (struct fact)TEXT("Status", "registered"));
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", MESSAGES));
	settle(fixture);
	assert_true(modem_can_send(modem));
	fixture->fake.modems[0].network = registered;
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", MESSAGES, NETWORK));
	settle(fixture);
	assert_true(modem_can_send(modem));
	assert_string_equal(modem->network.name, "Telekom HU");
}

/* A signal after the answer overrides it; one before it is older than the answer. */
TEST(test_the_newest_of_answer_and_signal_counts)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fake_fail(&fixture->fake, "GetProperties", "", 1);
	modem = start(fixture, off, NULL, registered);
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", NETWORK));
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	change(fixture, NETWORK, (struct fact)TEXT("Name", "older"));
	fake_answer_kept(&fixture->fake);
	change(fixture, NETWORK, (struct fact)BYTE("Strength", 7));
	settle(fixture);
	assert_string_equal(modem->network.name, "Telekom HU");
	assert_int_equal(modem->network.strength, 7);
}

/* An empty address is an answer, too; a value that is not a string is none. */
TEST(test_the_service_centre_is_read_or_unread)
{
	static const struct fact told[] = { TEXT("ServiceCenterAddress", "+36309888000"),
					    LAST };
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, on, card, registered);

	settle(fixture);
	assert_int_equal(modem->centre, CENTRE_UNREAD); /* an error */
	change(fixture, MESSAGES, (struct fact)TEXT("ServiceCenterAddress", ""));
	settle(fixture);
	assert_int_equal(modem->centre, CENTRE_NONE);
	change(fixture, MESSAGES, (struct fact)FLAG("ServiceCenterAddress", 1));
	change(fixture, MESSAGES, (struct fact)TEXT("Bearer", "cs-only"));
	settle(fixture);
	assert_int_equal(modem->centre, CENTRE_NONE);
	fixture->fake.modems[0].messages = told;
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", SIM, NETWORK));
	settle(fixture);
	assert_int_equal(modem->centre, CENTRE_UNREAD);
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", SIM, NETWORK, MESSAGES));
	settle(fixture);
	assert_int_equal(modem->centre, CENTRE_KNOWN);
}

TEST(test_a_removed_card_is_forgotten_and_read_again)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, on, card, registered);
	const struct modem_sim absent = { .known = true };

	change(fixture, SIM, (struct fact)FLAG("Present", 0));
	settle(fixture);
	assert_memory_equal(&modem->sim, &absent, sizeof(absent));
	assert_int_equal(fixture->recorder.changes, 1);
	assert_string_equal(fixture->fake.log, "");

	fixture->fake.modems[0].sim = locked_card;
	change(fixture, SIM, (struct fact)FLAG("Present", 1));
	settle(fixture);
	assert_string_equal(fixture->fake.log, "GetProperties:/sim0 ");
	assert_string_equal(modem->sim.pin_required, "puk");
	assert_string_equal(modem->sim.own_number, "");

	fixture_clear(fixture);
	change(fixture, SIM, (struct fact)FLAG("Present", 1));
	settle(fixture);
	assert_string_equal(fixture->fake.log, "");
	assert_int_equal(fixture->recorder.changes, 0);
}

TEST(test_facts_are_cleared_with_their_interface)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, on, card, registered);
	const struct modem_sim no_sim = { 0 };
	const struct modem_network no_network = { 0 };

	change(fixture, MODEM, (struct fact)WORDS("Interfaces", NULL));
	settle(fixture);
	assert_int_equal(fixture->recorder.changes, 1);
	assert_memory_equal(&modem->sim, &no_sim, sizeof(no_sim));
	assert_memory_equal(&modem->network, &no_network, sizeof(no_network));
	assert_false(modem_can_send(modem));
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", SIM));
	settle(fixture);
	assert_string_equal(modem->sim.subscriber_identity, "216300000000000");
}

/* GetProperties is answered after the interface has disappeared. */
TEST(test_an_answer_after_its_interface_is_gone_is_ignored)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fake_fail(&fixture->fake, "GetProperties", "", 1);
	modem = start(fixture, off, card, NULL);
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", SIM));
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", NULL));
	lab_wait(&fixture->lab, modem->interfaces == 0);
	fake_answer_kept(&fixture->fake);
	settle(fixture);
	assert_false(modem->sim.known);
}

TEST(test_operator_facts_go_with_the_registration)
{
	struct fixture *fixture = *state;
	struct modem *modem = start(fixture, on, card, registered);
	const struct modem_network searching = { .status = "searching" };

	change(fixture, NETWORK, (struct fact)TEXT("Status", "roaming"));
	settle(fixture);
	assert_true(modem_can_send(modem));
	assert_string_equal(modem->network.name, "Telekom HU");
	change(fixture, NETWORK, (struct fact)TEXT("Status", "searching"));
	settle(fixture);
	assert_memory_equal(&modem->network, &searching, sizeof(searching));
	assert_false(modem_is_registered(modem));
	assert_false(modem_can_send(modem));
	change(fixture, NETWORK, (struct fact)TEXT("Status", ""));
	settle(fixture);
	assert_string_equal(modem->network.status, "");
}

TEST(test_only_a_difference_is_reported)
{
	struct fixture *fixture = *state;

	start(fixture, on, card, registered);
	change(fixture, NETWORK, (struct fact)TEXT("Status", "registered"));
	change(fixture, NETWORK, (struct fact)BYTE("Strength", 64));
	change(fixture, MODEM, (struct fact)FLAG("Powered", 1));
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", MESSAGES, SIM, NETWORK));
	change(fixture, SIM, (struct fact)TEXT("PinRequired", "none"));
	change(fixture, SIM, (struct fact)FLAG("Present", 1));
	change(fixture, SIM, (struct fact)WORDS("PreferredLanguages", "de"));
	settle(fixture);
	assert_int_equal(fixture->recorder.changes, 0);
	assert_string_equal(fixture->fake.log, "");
	change(fixture, NETWORK, (struct fact)BYTE("Strength", 65));
	settle(fixture);
	assert_int_equal(fixture->recorder.changes, 1);
}

static void fail_calls(struct fixture *fixture, const char *error, int count)
{
	fake_fail(&fixture->fake, "GetProperties", error, count);
}

TEST(test_a_busy_interface_is_asked_again)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fail_calls(fixture, "org.ofono.Error.InProgress", 1);
	modem = start(fixture, off, card, NULL);
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", SIM));
	lab_wait(&fixture->lab, modem->sim.known);
	assert_string_equal(fixture->fake.log,
			    "GetProperties:/sim0 GetProperties:/sim0 ");
}

TEST(test_a_busy_interface_is_asked_until_it_answers)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fail_calls(fixture, "org.ofono.Error.InProgress", 2);
	modem = start(fixture, off, card, NULL);
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", SIM));
	lab_wait(&fixture->lab, modem->sim.known);
	assert_int_equal(fixture->fake.failing_count, 0);
}

TEST(test_other_failures_are_not_retried)
{
	struct fixture *fixture = *state;
	struct modem *modem;

	fail_calls(fixture, "org.ofono.Error.NotAvailable", 1);
	modem = start(fixture, off, card, NULL);
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", SIM));
	lab_settle(&fixture->lab, 2500);
	assert_string_equal(fixture->fake.log, "GetProperties:/sim0 ");
	assert_false(modem->sim.known);
}

TEST(test_emergency_numbers_are_stored_and_cleared)
{
	static const struct fact numbers[] = { WORDS("EmergencyNumbers", "112", "911"),
					       LAST };
	struct fixture *fixture = *state;
	struct modem *modem;

	modem = start(fixture, off, card, NULL);
	assert_string_equal(modem->emergency_numbers, "");
	fixture->fake.modems[0].voice = numbers;
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", SIM, VOICE));
	settle(fixture);
	assert_string_equal(modem->emergency_numbers, "112 911");
	change(fixture, VOICE,
	       (struct fact)WORDS("EmergencyNumbers", "112", "08", "1 2"));
	settle(fixture);
	assert_string_equal(modem->emergency_numbers, "112 08");
	change(fixture, MODEM, (struct fact)WORDS("Interfaces", SIM));
	settle(fixture);
	assert_string_equal(modem->emergency_numbers, "");
}

TEST_WITH(test_predicates_follow_the_facts, NULL, NULL)
{
	struct modem modem = { .type = "hardware" };

	assert_false(modem_is_foreign(&modem));
	assert_false(modem_can_send(&modem));
	strcpy(modem.type, "hfp");
	assert_true(modem_is_foreign(&modem));
	strcpy(modem.network.status, "unregistered");
	assert_false(modem_is_registered(&modem));
	strcpy(modem.network.status, "registered");
	assert_true(modem_is_registered(&modem));
	assert_false(modem_can_send(&modem)); /* no MessageManager */
	modem.interfaces = MODEM_MESSAGE_MANAGER;
	assert_true(modem_can_send(&modem));
}
