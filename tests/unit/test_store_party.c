/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "store/store_party.h"
#include "store_bench.h"

enum { ROOM = 6 };

static int set_up(void **state)
{
	if (store_set_up_with_cards(state))
		return -1;
	identify("8936", "216300000000001"); /* of Hungary, */
	identify("8937", "262010000000001"); /* Germany, */
	identify("8938", "001010000000001"); /* and of no country */
	return 0;
}

static bool has(const struct store_party *party, const char *spelling)
{
	for (size_t i = 0; i < party->count; i++) {
		if (strcmp(party->spellings[i], spelling) == 0)
			return true;
	}
	return false;
}

FIXTURE(set_up, store_tear_down)

TEST(test_every_spelling_of_a_number_is_found)
{
	struct store_party party;

	store_party_spell(store, 0, "+36201234567", &party);
	assert_true(has(&party, "+36201234567"));
	assert_true(has(&party, "0036201234567"));
	assert_true(has(&party, "36201234567"));
	assert_true(has(&party, "06201234567"));
	assert_false(has(&party, "0201234567"));
	/* a national number may be of either country */
	store_party_spell(store, 0, "0151 12345678", &party);
	assert_true(has(&party, "+4915112345678"));
	assert_true(has(&party, "015112345678"));
	store_party_spell(store, 1, "06 20 123 4567", &party);
	assert_true(has(&party, "+36201234567"));
	assert_false(has(&party, "+496201234567"));
	store_party_spell(store, 2, "06 20 123 4567", &party);
	assert_true(has(&party, "+496201234567"));
	assert_false(has(&party, "+36201234567"));
	store_party_spell(store, 0, "1777", &party);
	assert_int_equal(party.count, 1);
	store_party_spell(store, 0, "Bank", &party);
	assert_int_equal(party.count, 0);
	store_party_spell(store, 0, "", &party);
	assert_int_equal(party.count, 0);
}

TEST(test_a_number_has_one_canonical_form)
{
	char form[NUMBER_FORM_BYTES];

	assert_true(store_party_form(store, 1, "06201234567", form));
	assert_string_equal(form, "+36201234567");
	assert_true(store_party_form(store, 2, "015112345678", form));
	assert_string_equal(form, "+4915112345678");
	assert_true(store_party_form(store, 3, "06201234567", form)); /* not known */
	assert_string_equal(form, "06201234567");
	assert_true(store_party_form(store, 0, "0036201234567", form));
	assert_string_equal(form, "+36201234567");
	assert_false(store_party_form(store, 1, "Bank", form));
}

static void assert_written(const char *number, const char *expected)
{
	char form[NUMBER_FORM_BYTES];

	assert_true(store_party_write(store, number, form));
	assert_string_equal(form, expected);
}

static bool is_same(const char *one, const char *other)
{
	return store_party_is(store, &(struct store_party_address){ 1, one },
			      &(struct store_party_address){ 2, other });
}

/* In one spelling, that of the first card's country. */
TEST(test_changes_use_one_spelling)
{
	char form[NUMBER_FORM_BYTES];

	assert_written("+36201234567", "+36201234567");
	assert_written("0036201234567", "+36201234567");
	assert_written("06201234567", "+36201234567");
	assert_written("1777", "1777");
	assert_false(store_party_write(store, "Bank", form));
	assert_true(is_same("06201234567", "+36201234567"));
	assert_true(is_same("+4915112345678", "015112345678"));
	assert_false(is_same("015112345678", "015112345678x"));
	assert_true(is_same("Bank", "Bank"));
	assert_false(is_same("Bank", "bank"));
	assert_false(is_same("06201234567", "+36201234568"));
}

static void add(const char *number)
{
	struct store_message_draft draft = {
		.sim_id = 1,
		.number = number,
		.text = number,
		.segments = 1,
	};
	int64_t message_id;

	assert_int_equal(store_message_add(store, &draft, &message_id), 0);
}

/* The newest of all spellings, however many one spelling has. */
TEST(test_recent_messages_of_all_spellings_are_merged)
{
	static const char *const spellings[] = { "+36201234567", "06201234567",
						 "0036201234567" };
	struct arena *arena = arena_new(1 << 16);
	struct message messages[ROOM];
	struct store_party_recent_query recent = { .arena = arena,
						   .limit = ROOM,
						   .messages = messages };
	struct store_party party;

	store_party_spell(store, 0, "06201234567", &party);
	assert_int_equal(store_party_recent(store, &party, &recent), 0);
	assert_int_equal(recent.count, 0);
	for (unsigned i = 0; i < 20; i++) {
		add(spellings[i % 3]);
		add("+36201234568");
	}
	assert_int_equal(store_party_recent(store, &party, &recent), 0);
	assert_int_equal(recent.count, ROOM);
	for (unsigned i = 0; i < ROOM; i++) {
		assert_int_equal(messages[i].id, 39 - 2 * i);
		assert_string_equal(messages[i].text, spellings[(19 - i) % 3]);
	}
	recent.since_ms = INT64_MAX;
	assert_int_equal(store_party_recent(store, &party, &recent), 0);
	assert_int_equal(recent.count, 0);
	arena_free(arena);
}

TEST(test_messages_sent_to_a_party_are_known)
{
	struct store_party party, other;

	add("06201234567");
	store_party_spell(store, 0, "+36201234567", &party);
	store_party_spell(store, 0, "+36201234568", &other);
	assert_true(store_party_was_sent_to(store, &party));
	assert_false(store_party_was_sent_to(store, &other));
	store_party_spell(store, 0, "Bank", &party);
	assert_false(store_party_was_sent_to(store, &party));
}

/* In any spelling; messages sent there do not count. */
TEST(test_messages_from_a_party_are_known)
{
	struct store_incoming_draft draft = {
		.sim_id = 1, .number = "06201234567", .text = "hello", .sent_time = ""
	};
	struct store_party party;

	store_party_spell(store, 0, "+36201234567", &party);
	add("+36201234567");
	assert_false(store_party_ever_wrote(store, &party));
	assert_int_equal(
		step_add_incoming(store, &draft, &(int64_t){ 0 }, &(bool){ false }), 0);
	assert_true(store_party_ever_wrote(store, &party));
}
