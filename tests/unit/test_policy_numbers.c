/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which numbers the policy allows: all forms, all countries, and lists. */
#include "unit_test.h"
#include "config/config.h"
#include "policy_request.h"

FIXTURE(request_set_up, policy_tear_down)

TEST(test_emergency_numbers_are_refused)
{
	static const char *const blocked[] = {
		"112",	   "911",    "000",	"110",	    "1-1-2", "00112",
		"0112",	   "0-107",  "000112",	"0911",	    "06112", "0036112",
		"0036107", "003611", "0043144", "+3606112",
	};
	struct modem *modem = fake_modem_add("/sim0");

	/* no setting of the owner allows these */
	configure("premium", "yes");
	configure("countries", "any");
	configure("allow", "* 112 911");
	strcpy(modem->emergency_numbers, "11 555");
	for (size_t i = 0; i < sizeof(blocked) / sizeof(blocked[0]); i++) {
		if (strcmp(code_of(blocked[i]), "emergency_number_blocked") != 0)
			fail_msg("%s: %s", blocked[i], code());
	}
	assert_string_equal(code_of("104"), "emergency_number_blocked"); /* Hungary's */
	assert_string_equal(code_of("555"), "emergency_number_blocked"); /* oFono's */
	strcpy(modem->emergency_numbers, "");
	assert_string_equal(code_of("555"), "");
	assert_string_equal(code_of("1122"), "");
	assert_string_equal(code_of("+36112555"), "");
	assert_string_equal(code_of("144"), "");
	strcpy(modem->network.mobile_country_code, "232"); /* the phone is abroad */
	assert_string_equal(code_of("144"), "emergency_number_blocked");
	strcpy(modem->network.mobile_country_code, "");
	request.sim_id = 2;
	assert_string_equal(code_of("144"), "emergency_number_blocked"); /* Austria's */
}

/* An exchange may connect before the remaining digits. */
TEST(test_calls_that_begin_with_emergency_digits_are_refused)
{
	int64_t american;

	assert_int_equal(store_sim_identify(store, "", "310260000000001", &american), 0);
	client.scopes |= CLIENT_CALL;
	configure("premium", "yes");
	configure("countries", "any");
	assert_string_equal(code_of("1125551234"), "invalid_number");
	request.act = POLICY_CALL;
	assert_string_equal(code_of("1125551234"), "emergency_number_blocked");
	assert_string_equal(code_of("1121"), "emergency_number_blocked");
	assert_string_equal(code_of("9112345678"), "invalid_number");
	assert_string_equal(code_of("0611255512"), "");
	request.sim_id = american;
	assert_string_equal(code_of("9112345678"), "emergency_number_blocked");
	assert_string_equal(code_of("2125551234"), "");
}

TEST(test_premium_numbers_are_refused)
{
	assert_string_equal(code_of("1750"), "premium_number_blocked");
	assert_string_equal(code_of("123456"), "premium_number_blocked");
	assert_string_equal(code_of("1234567"), "invalid_number");
	assert_string_equal(code_of("+36901234567"), "premium_number_blocked");
	assert_string_equal(code_of("0690123456"), "premium_number_blocked");
	assert_string_equal(code_of("003690123456"), "premium_number_blocked");
	assert_string_equal(code_of("36901234567"), "invalid_number");
	assert_string_equal(code_of("36201234567"), "invalid_number");
	assert_string_equal(code_of("+3606901234567"), "premium_number_blocked");
	assert_string_equal(code_of("+36 06 20 123 4567"), "");
	request.sim_id = 2;
	assert_string_equal(code_of("0900123456"), "premium_number_blocked");
	assert_string_equal(code_of("0664123456"), "");
	request.sim_id = 0; /* the number is enough */
	assert_string_equal(code_of("+36901234567"), "premium_number_blocked");
	request.sim_id = 1;
	configure("allow", "+36*");
	assert_string_equal(code_of("+36901234567"), "premium_number_blocked");
	configure("allow", "+3690123456 1750");
	assert_string_equal(code_of("0690 123 456"), "");
	assert_string_equal(code_of("1750"), "");
	assert_string_equal(all_codes(), "");
	strcpy(client.allow, "1751");
	assert_string_equal(code_of("1752"), "premium_number_blocked");
	configure("premium", "yes");
	client.allow[0] = '\0';
	config_list_clear(&bench_config.policy.allow);
	assert_string_equal(code_of("1752"), "");
}

TEST(test_numbers_of_other_countries_are_refused)
{
	assert_string_equal(code_of("+43664123456"), "international_blocked");
	assert_string_equal(code_of("0043664123456"), "international_blocked");
	assert_string_equal(code_of("+99999999999"), "international_blocked");
	assert_string_equal(code_of("06201234567"), "");
	request.sim_id = 2;
	assert_string_equal(code_of("+43664123456"), "");
	assert_string_equal(code_of("+36201234567"), "international_blocked");
	request.sim_id = 0; /* the SIM is not known yet */
	assert_string_equal(code_of("+43664123456"), "");
	request.sim_id = 1;
	configure("countries", "home +43");
	assert_string_equal(code_of("+43664123456"), "");
	assert_string_equal(code_of("0043664123456"), "");
	assert_string_equal(code_of("+36201234567"), "");
	assert_string_equal(code_of("+49301234567"), "international_blocked");
	configure("countries", "any");
	assert_string_equal(code_of("+49301234567"), "");
	assert_string_equal(code_of("+440901234567"), "premium_number_blocked");
}

/* "any" country does not include numbers of no country. */
TEST(test_numbers_of_no_country_must_be_named)
{
	configure("countries", "any");
	assert_string_equal(code_of("+8801712345678"), "");
	assert_string_equal(code_of("+979123456789"), "premium_number_blocked");
	assert_string_equal(code_of("+870773111632"), "international_blocked");
	assert_string_equal(code_of("0088161234567"), "international_blocked");
	configure("countries", "any +8816");
	assert_string_equal(code_of("+88161234567"), "");
	assert_string_equal(code_of("+88213123456"), "international_blocked");
}

/* Many countries share +1: the area code decides. */
TEST(test_countries_of_plus_one_are_distinguished)
{
	int64_t american;

	assert_int_equal(store_sim_identify(store, "", "310260000000001", &american), 0);
	request.sim_id = american;
	assert_string_equal(code_of("+12125551234"), "");
	assert_string_equal(code_of("2125551234"), "");
	assert_string_equal(code_of("12125551234"), "");
	assert_string_equal(code_of("+18765551234"), "international_blocked");
	assert_string_equal(code_of("8765551234"), "international_blocked");
	assert_string_equal(code_of("01136201234567"), "international_blocked");
	assert_string_equal(code_of("19005551234"), "premium_number_blocked");
	assert_string_equal(code_of("+119005551234"), "premium_number_blocked");
}

/* A national number that may also begin with the calling code is ambiguous. */
TEST(test_an_ambiguous_national_number_is_refused)
{
	int64_t turkish;

	assert_int_equal(store_sim_identify(store, "", "286010000000001", &turkish), 0);
	request.sim_id = turkish;
	assert_string_equal(code_of("9001234567"), "premium_number_blocked");
	assert_string_equal(code_of("905321234567"), "invalid_number");
	assert_string_equal(code_of("09001234567"), "premium_number_blocked");
	assert_string_equal(code_of("05321234567"), "");
	assert_string_equal(code_of("+905321234567"), "");
}

/* Neither the modem nor the store knows the country of the SIM. */
TEST(test_without_a_home_country_international_numbers_are_refused)
{
	int64_t nowhere;

	assert_int_equal(store_sim_identify(store, "89360", "", &nowhere), 0);
	request.sim_id = nowhere;
	assert_string_equal(code_of("+36201234567"), "international_blocked");
	assert_string_equal(code_of("06201234567"), "invalid_number");
	assert_string_equal(code_of("1777"), "premium_number_blocked");
	configure("countries", "+36");
	assert_string_equal(code_of("+36201234567"), "");
}

static const char *code_from(const char *imsi, const char *number)
{
	assert_int_equal(store_sim_identify(store, imsi, imsi, &request.sim_id), 0);
	return code_of(number);
}

/* Numbers that earlier versions allowed, or judged by the wrong rule. */
TEST(test_known_misses_of_the_numbering_plans)
{
	assert_string_equal(code_of("1900123456"), "invalid_number");
	assert_string_equal(code_of("-36201234567"), "invalid_number");
	assert_string_equal(code_of("36201234567"), "invalid_number");
	assert_string_equal(code_of("201234567"), "invalid_number");
	assert_string_equal(code_from("222010000000001", "4853075"),
			    "premium_number_blocked");
	assert_string_equal(code_of("3331234567"), "");
	assert_string_equal(code_from("404010000000001", "1160346"),
			    "premium_number_blocked");
	assert_string_equal(code_of("09123456789"), "");
	assert_string_equal(code_from("310260000000001", "+12045550123"),
			    "international_blocked");
	assert_string_equal(code_of("2045550123"), "international_blocked");
	assert_string_equal(code_of("+17215201234"), "international_blocked");
	assert_string_equal(code_of("+18005550123"), "");
	assert_string_equal(code_from("302220000000001", "+12045550123"), "");
	assert_string_equal(code_of("+12025550123"), "international_blocked");
	assert_string_equal(code_of("+18005550123"), "");
	assert_string_equal(code_from("246010000000001", "011"),
			    "emergency_number_blocked");
	assert_string_equal(code_of("022"), "emergency_number_blocked");
	assert_string_equal(code_of("033"), "emergency_number_blocked");
	assert_string_equal(code_of("861212345"), "");
	assert_string_equal(code_from("722010000000001", "011 15 2345 6789"), "");
	assert_string_equal(code_of("+54 9 11 2345 6789"), "");
	assert_string_equal(code_from("234150000000001", "07700 900123"), "");
	assert_string_equal(code_of("+447781123456"), "international_blocked");
	assert_string_equal(code_from("530010000000001", "0900123456"),
			    "premium_number_blocked");
	assert_string_equal(code_from("415010000000001", "90123456"),
			    "premium_number_blocked");
	assert_string_equal(code_from("342600000000001", "19001234567"),
			    "premium_number_blocked");
	assert_string_equal(code_from("208010000000001", "0899123456"),
			    "premium_number_blocked");
	assert_string_equal(code_from("222010000000001", "848123456"), /* shared cost */
			    "premium_number_blocked");
	assert_string_equal(code_from("901180000000001", "+36201234567"),
			    "international_blocked");
	assert_string_equal(code_of("06201234567"), "invalid_number");
	configure("countries", "+36");
	assert_string_equal(code_of("+36201234567"), "");
}

/* The refusal suggests how to write the number. */
TEST(test_a_refusal_suggests_the_right_spelling)
{
	static const struct {
		const char *number, *words;
	} refused[] = {
		{ "36201234567",
		  "to_phone_number 36201234567 is not dialled like this in the "
		  "SIM's country (HU): write +36201234567." },
		{ "201234567",
		  "to_phone_number 201234567 is not dialled like this in the "
		  "SIM's country (HU): write +36201234567." },
		{ "1900123456",
		  "to_phone_number 1900123456 is not dialled like this in the "
		  "SIM's country (HU): write + and its country code." },
		{ "-36201234567",
		  "to_phone_number begins with a separator, which is not a +: write +36201234567." },
		{ "+06201234567", "to_phone_number has 0 after the +: write no +, or the "
				  "country in place of the 0: write +36201234567." },
	};
	struct policy_verdict verdict;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		request.number = refused[i].number;
		assert_int_equal(policy_check(policy, &request, &verdict),
				 POLICY_E_REFUSED);
		assert_string_equal(verdict.message, refused[i].words);
	}
}

/* A national number on the deny list is denied from every SIM. */
TEST(test_denied_numbers_are_denied_from_every_sim)
{
	configure("countries", "any");
	configure("deny", "06301234567 0670*");
	request.sim_id = 2;
	assert_string_equal(code_of("+36301234567"), "recipient_not_allowed");
	assert_string_equal(code_of("0036301234567"), "recipient_not_allowed");
	assert_string_equal(code_of("+36701234567"), "recipient_not_allowed");
	assert_string_equal(code_of("+36301234568"), "");
	request.sim_id = 1;
	assert_string_equal(code_of("06301234567"), "recipient_not_allowed");
}

TEST(test_lists_accept_any_spelling)
{
	configure("allow", "+36201234567, +3630*");
	configure("allow", "0670*");
	assert_string_equal(code_of("+36201234567"), "");
	assert_string_equal(code_of("06201234567"), "");
	assert_string_equal(code_of("0036309999999"), "");
	assert_string_equal(code_of("+36709999999"), "");
	assert_string_equal(code_of("+36201234568"), "recipient_not_allowed");
	strcpy(client.allow, "+36309999999");
	assert_string_equal(code_of("+36201234567"), "recipient_not_allowed");
	assert_string_equal(code_of("06309999999"), "");
	configure("deny", "+36309*");
	assert_string_equal(code_of("06309999999"), "recipient_not_allowed");
	assert_string_equal(code_of("0036309999999"), "recipient_not_allowed");
	config_list_clear(&bench_config.policy.allow);
	client.allow[0] = '\0';
	assert_string_equal(code_of("06309999999"), "recipient_not_allowed");
	assert_string_equal(code_of("+36301999999"), "");
	assert_string_equal(code_of("+36(06)309999999"), "recipient_not_allowed");
}
