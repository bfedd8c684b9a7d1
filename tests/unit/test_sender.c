/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <errno.h>

#include "base/explanation.h"
#include "config/config.h"
#include "sms/sender.h"
#include "store_bench.h"

static struct config config;

static void configure(const char *key, const char *value)
{
	struct explanation error;

	assert_int_equal(config_set(&config, key, value, "test", &error), 0);
}

static void send_to(const char *number)
{
	struct store_message_draft draft = {
		.sim_id = identify("8936", ""),
		.number = number,
		.text = "hi",
		.segments = 1,
	};
	int64_t message_id;

	assert_int_equal(store_message_add(store, &draft, &message_id), 0);
}

static void expect(const char *number, const char *word)
{
	const struct store_party_address end = { .number = number };

	assert_string_equal(sender_trust_words[sender_trust(&config, store, NULL, &end)],
			    word);
	assert_int_equal(sender_is_blocked(&config, store, &end),
			 strcmp(word, "blocked") == 0);
}

static int set_up(void **state)
{
	config_defaults(&config);
	if (store_set_up_with_cards(state))
		return -1;
	identify("8936", "216300000000001"); /* a Hungarian SIM */
	return 0;
}

FIXTURE(set_up, store_tear_down)

TEST(test_no_sender_is_known_at_first)
{
	expect("+36201234567", "unknown");
	expect("1777", "unknown");
	expect("Bank", "unverified_name");
	expect("", "unknown");
}

/* The spelling in the sent message makes no difference. */
TEST(test_a_number_that_was_sent_to_is_known)
{
	static const char *const spellings[] = { "+36201234567", "0036201234567",
						 "06201234567", "36201234567" };

	for (size_t i = 0; i < 4; i++) {
		sql("DELETE FROM message");
		expect("+36201234567", "unknown");
		send_to(spellings[i]);
		for (size_t at = 0; at < 4; at++)
			expect(spellings[at], "known");
		expect("+36201234568", "unknown");
		expect("+49201234567", "unknown");
	}
}

/* A number that only wrote to us is not known. */
TEST(test_a_number_that_only_wrote_is_unknown)
{
	struct store_incoming_draft draft = {
		.reported_ms = 1790000000000,
		.number = "+36201234567",
		.text = "hi",
		.sent_time = "",
	};
	int64_t message_id;
	bool known;

	assert_int_equal(step_add_incoming(store, &draft, &message_id, &known), 0);
	expect("+36201234567", "unknown");
}

TEST(test_owner_numbers_are_the_owner)
{
	configure("incoming.owner_numbers", "+36 20 123 4567,06301112222");
	configure("incoming.owner_numbers", "Me");
	expect("+36201234567", "owner");
	expect("06201234567", "owner");
	expect("+36301112222", "owner");
	expect("me", "owner");
	expect("+3620123456", "unknown");
	expect("+362012345678", "unknown");
}

TEST(test_blocked_senders_come_first)
{
	send_to("+36201234567");
	configure("incoming.owner_numbers", "+36201234567, +3690111");
	configure("incoming.blocked_senders", "+3690* ,  Lottery ,Win*,+36201112222");
	configure("incoming.blocked_senders", "+36 20 123 4567");
	expect("+36901234567", "blocked");
	expect("06901234567", "blocked");
	expect("+3690111", "blocked"); /* before all others */
	expect("+36201234567", "blocked");
	expect("06201112222", "blocked");
	expect("LOTTERY", "blocked");
	expect("Winner", "blocked");
	expect("Lottery2", "unverified_name");
	expect("+36911234567", "unknown");
	expect("", "unknown");
}

TEST(test_odd_entries_of_lists_match_nothing_else)
{
	configure("incoming.blocked_senders", ",, ,");
	configure("incoming.blocked_senders", "12, +369");
	expect("+36201234567", "unknown");
	expect("+36912345678", "unknown");
	expect("Bank", "unverified_name");
	expect("12", "blocked");
}

static void count_useless(void *data, const char *text)
{
	unsigned *count = data;

	assert_non_null(strstr(text, "incoming."));
	++*count;
}

/* Earlier versions accepted it, so a gateway that is upgraded must start with it. */
TEST(test_an_entry_that_no_message_comes_from_is_named)
{
	static const char *const useless[] = {
		"*",  "+36201234567/89",	  "+36201234567 ext. 5", "Bank, +36abc",
		"()", "a name that is too long*", "1234567890123456",
	};
	static const char *const keys[] = { "incoming.blocked_senders",
					    "incoming.owner_numbers" };
	for (size_t i = 0; i < sizeof(useless) / sizeof(*useless); i++) {
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			unsigned count = 0;

			configure(keys[k], useless[i]);
			config_find_useless(&config, count_useless, &count);
			assert_int_equal(count, 1);
			config_defaults(&config);
		}
	}
}

TEST(test_all_numbers_may_be_blocked_but_are_not_the_owner)
{
	struct explanation error;
	unsigned count = 0;

	configure("incoming.blocked_senders", "+*");
	config_find_useless(&config, count_useless, &count);
	assert_int_equal(count, 0);
	expect("+36201234567", "blocked");
	expect("Bank", "unverified_name");
	assert_int_equal(config_set(&config, "incoming.owner_numbers", "+36201234567, +*",
				    "test", &error),
			 -EINVAL);
}

TEST(test_entries_are_cleaned_like_any_number)
{
	configure("incoming.blocked_senders",
		  "\u202a+36\u00a020\u2011555\u00a00001\u202c, tel:+36 (0)20 5550002");
	configure("incoming.blocked_senders", "\ufeff+36\u00a031\u00a0*, My\u200bBank");
	expect("+36205550001", "blocked");
	expect("+36205550002", "blocked");
	expect("+36311234567", "blocked");
	expect("MyBank", "blocked");
	expect("+36205550003", "unknown");
}
