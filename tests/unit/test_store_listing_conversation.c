/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversations: one for each party, in whatever spelling. */
#include "unit_test.h"
#include "store/store_listing.h"
#include "store_bench.h"

static int set_up(void **state)
{
	int failed = store_set_up_with_cards(state);

	if (!failed)
		identify("8938", "216300000000001"); /* of Hungary */
	return failed;
}

static int64_t add(const char *number)
{
	struct store_incoming_draft draft = {
		.sim_id = 3,
		.reported_ms = 1000,
		.number = number,
		.text = "x",
		.sent_time = "",
	};
	int64_t id = 0;
	bool repeated;

	assert_int_equal(step_add_incoming(store, &draft, &id, &repeated), 0);
	return id;
}

static void mark(int64_t id)
{
	unsigned marked;

	assert_int_equal(store_incoming_mark_read(store, &id, 1, &marked), 0);
	assert_int_equal(marked, 1);
}

static char told[512];

static void note(void *data, const struct conversation *conversation)
{
	size_t length = strlen(told);

	snprintf(told + length, sizeof(told) - length, "%s@%lld:%lld/%lld/%lld ",
		 conversation->number, (long long)conversation->place_id,
		 (long long)conversation->last.id, (long long)conversation->messages,
		 (long long)conversation->unread);
}

/* Each as number@place:last/messages/unread. */
static void assert_list(struct store_listing_conversation_query query,
			const char *expected)
{
	told[0] = '\0';
	query.visit = note;
	assert_int_equal(store_listing_conversations(store, &query), 0);
	assert_string_equal(told, expected);
}

static const struct store_listing_conversation_query all = { .limit = 10 };

FIXTURE(set_up, store_tear_down)

TEST(test_all_spellings_are_one_conversation)
{
	add("06201234567");
	add("Bank");
	add("0036201234567");
	assert_list(all, "0036201234567@3:3/2/2 Bank@2:2/1/1 ");
	add("+36201234567");
	add("06201234567");
	add("+36301111111");
	assert_list(all, "+36301111111@6:6/1/1 +36201234567@5:5/4/4 Bank@2:2/1/1 ");
}

/* Each appears once, whichever page its rows would be on. */
TEST(test_each_conversation_is_on_one_page)
{
	add("06201234567");
	add("Bank");
	add("+36201234567");
	add("Shop");
	assert_list((struct store_listing_conversation_query){ .limit = 1 },
		    "Shop@4:4/1/1 ");
	assert_list(
		(struct store_listing_conversation_query){ .limit = 1, .before_id = 4 },
		"+36201234567@3:3/2/2 ");
	assert_list(
		(struct store_listing_conversation_query){ .limit = 9, .before_id = 3 },
		"Bank@2:2/1/1 ");
}

/* In the place of the unread spelling, with the latest message of all. */
TEST(test_unread_conversations_are_listed)
{
	const struct store_listing_conversation_query unread = { .limit = 10,
								 .unread_only = true };

	add("06201234567");
	add("Bank");
	mark(add("+36201234567"));
	assert_list(unread, "Bank@2:2/1/1 +36201234567@1:3/2/1 ");
	mark(1);
	assert_list(unread, "Bank@2:2/1/1 ");
}

/* A short code, a name and a name of digits are compared as written. */
TEST(test_short_codes_and_names_stand_for_themselves)
{
	add("1777");
	add("+361777");
	add("1-800-555");
	add("1800555");
	add("");
	assert_list(
		all,
		"@5:5/1/1 1800555@4:4/1/1 1-800-555@3:3/1/1 +361777@2:2/1/1 1777@1:1/1/1 ");
}

/*
 * "0151..." counts as a number of Hungary, the first card's country, not as the German
 * number.
 */
TEST(test_a_national_number_is_of_the_first_cards_country)
{
	identify("8939", "262010000000001");
	add("+4915112345678");
	add("015112345678");
	assert_list(all, "015112345678@2:2/1/1 +4915112345678@1:1/1/1 ");
}
