/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An edit changes a row, its history, its usage, its conversation and its audit line at once. */
#include "unit_test.h"
#include "store_bench.h"

#include "base/clock.h"
#include "store/store_edit.h"
#include "store/store_listing.h"
#include "store/store_usage.h"

enum { DAY_MS = CLOCK_MS_PER_DAY };

static int64_t add(const char *key, enum message_state state, int64_t send_at_ms)
{
	const struct store_message_draft draft = {
		.sim_id = 1,
		.client_id = 7,
		.number = "+36201",
		.text = "old",
		.segments = 1,
		.state = state,
		.idempotency_key = key,
		.send_at_ms = send_at_ms,
	};
	int64_t message_id = -1;

	assert_int_equal(store_message_add(store, &draft, &message_id), 0);
	return message_id;
}

static struct store_message_draft new_version(void)
{
	return (struct store_message_draft){
		.sim_id = 1,
		.client_id = 7,
		.number = "+36202",
		.text = "new",
		.segments = 3,
		.state = STATE_SCHEDULED,
		.send_at_ms = clock_wall_ms() + 2 * DAY_MS,
		.valid_ms = 60000,
		.expires_at_ms = clock_wall_ms() + 2 * DAY_MS + 60000,
		.created_ms = clock_wall_ms(),
	};
}

static int edit(int64_t message_id)
{
	const struct store_message_draft draft = new_version();

	return store_edit_message(store, message_id, &draft, false);
}

FIXTURE(store_set_up_with_cards, store_tear_down)

TEST(test_an_edit_changes_everything_that_belongs_to_the_message)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message;
	int64_t id;

	id = add(NULL, STATE_SCHEDULED, clock_wall_ms() + DAY_MS);
	assert_int_equal(edit(id), 0);
	assert_int_equal(store_message_get(store, id, arena, &message), 0);
	assert_string_equal(message.number, "+36202");
	assert_string_equal(message.text, "new");
	assert_int_equal(message.segments, 3);
	assert_int_equal(message.revision, 1);
	assert_int_equal(message.valid_ms, 60000);
	assert_int_equal(message.expires_at_ms - message.send_at_ms, 60000);
	assert_string_equal(message.reason, "edited");
	assert_history(id, "scheduled() scheduled(edited) ");
	assert_int_equal(sql("SELECT count(*) FROM usage"), 1);
	assert_int_equal(sql("SELECT segments FROM usage"), 3);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'send_edited'"
			     " AND detail LIKE '%+36202%' AND detail NOT LIKE '%new%'"),
			 1);
	arena_free(arena);
}

TEST(test_an_edited_recipient_moves_the_message_to_its_conversation)
{
	int64_t first, id;

	first = add(NULL, STATE_QUEUED, 0);
	id = add(NULL, STATE_QUEUED, 0);
	assert_int_equal(edit(id), 0);
	assert_int_equal(sql("SELECT count(*) FROM conversation WHERE phone_number ="
			     " '+36202' AND messages = 1 AND sent = 1 AND unread = 0"),
			 1);
	assert_int_equal(sql("SELECT last_id FROM conversation WHERE phone_number ="
			     " '+36201' AND messages = 1 AND sent = 1"),
			 first);
	assert_int_equal(edit(first), 0);
	assert_int_equal(sql("SELECT count(*) FROM conversation"), 1);
	assert_int_equal(sql("SELECT messages * 100 + last_id FROM conversation"),
			 200 + id);
}

TEST(test_an_edit_that_keeps_its_time_keeps_its_place_in_the_rates)
{
	struct store_message_draft draft = new_version();
	int64_t id, at;

	id = add(NULL, STATE_SCHEDULED, clock_wall_ms() + DAY_MS);
	at = sql("SELECT at FROM usage");
	assert_int_equal(store_edit_message(store, id, &draft, true), 0);
	assert_int_equal(sql("SELECT at FROM usage"), at);
	assert_int_equal(edit(id), 0);
	assert_true(sql("SELECT at FROM usage") > at);
}

TEST(test_a_pruned_usage_is_counted_again)
{
	int64_t id;

	id = add(NULL, STATE_QUEUED, 0);
	sql_script("DELETE FROM usage");
	assert_int_equal(edit(id), 0);
	assert_int_equal(sql("SELECT segments FROM usage"), 3);
}

TEST(test_only_messages_that_wait_can_be_edited)
{
	int64_t id;

	id = add(NULL, STATE_QUEUED, 0);
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, "", NULL), 0);
	assert_int_equal(edit(id), STORE_E_ILLEGAL);
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTED, "", "1"), 0);
	assert_int_equal(edit(id), STORE_E_ILLEGAL);
	assert_int_equal(step_move_message(store, id, STATE_SENT, "", NULL), 0);
	assert_int_equal(edit(id), STORE_E_ILLEGAL);
	assert_int_equal(edit(999), STORE_E_ILLEGAL);
	assert_history(id, "queued() submitting() submitted() sent() ");
	assert_int_equal(sql("SELECT count(*) FROM message WHERE text = 'new'"), 0);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'send_edited'"),
			 0);
}

TEST(test_a_full_disk_leaves_the_old_version)
{
	int64_t id;

	id = add(NULL, STATE_QUEUED, 0);
	fill_disk(true);
	assert_int_equal(edit(id), STORE_E_FULL);
	fill_disk(false);
	reopen_store();
	assert_history(id, "queued() ");
	assert_int_equal(sql("SELECT count(*) FROM message WHERE text = 'old'"
			     " AND phone_number = '+36201' AND revision = 0"),
			 1);
	assert_int_equal(sql("SELECT segments FROM usage"), 1);
	assert_int_equal(edit(id), 0);
}

TEST(test_a_key_keeps_what_it_was_used_for_first)
{
	struct arena *arena = arena_new(1 << 20);
	struct message first = { 0 };
	int64_t with, without;

	with = add("key", STATE_QUEUED, 0);
	without = add(NULL, STATE_QUEUED, 0);
	assert_int_equal(store_edit_first(store, with, arena, &first), STORE_E_NOT_FOUND);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(edit(with), 0);
		assert_int_equal(edit(without), 0);
	}
	assert_int_equal(store_edit_first(store, with, arena, &first), 0);
	assert_string_equal(first.number, "+36201");
	assert_string_equal(first.text, "old");
	assert_int_equal(store_edit_first(store, without, arena, &first),
			 STORE_E_NOT_FOUND);
	/* nothing of the old text stays where no key needs it */
	assert_int_equal(sql("SELECT count(*) FROM message WHERE first_text = 'old'"), 1);
	arena_free(arena);
}

TEST(test_an_approval_in_the_history_comes_after_the_edit)
{
	struct store_message_draft draft = new_version();
	int64_t id;

	id = add(NULL, STATE_QUEUED, 0);
	draft.reason = "approved_by_person";
	assert_int_equal(store_edit_message(store, id, &draft, false), 0);
	assert_history(id, "queued() scheduled(edited) scheduled(approved_by_person) ");
}

/* Of schema 12: one valid for a minute after it was accepted, one after send_at, one for ever. */
TEST(test_the_validity_of_older_messages_is_kept)
{
	make_old_ledger(12,
			"INSERT INTO sim VALUES (1, '8936', NULL, 5);"
			"INSERT INTO message (direction, sim_id, phone_number, text,"
			" segments, state, created, changed, send_at, expires_at, flags)"
			" VALUES (0, 1, '+36201', 'a', 1, 1, 1000, 1000, 0, 61000, 0),"
			" (0, 1, '+36201', 'b', 1, 10, 1000, 1000, 5000, 65000, 0),"
			" (0, 1, '+36201', 'c', 1, 1, 1000, 1000, 0, 0, 0),"
			" (0, 1, '+36201', 'd', 1, 1, 1000, 1000, 0, 61000, 16),"
			" (0, 1, '+36201', 'e', 1, 13, 1000, 1000, 0, 61000, 0);");
	open_store();
	assert_int_equal(sql("SELECT valid_for FROM message WHERE text = 'a'"), 60000);
	assert_int_equal(sql("SELECT valid_for FROM message WHERE text = 'b'"), 60000);
	assert_int_equal(sql("SELECT sum(valid_for) FROM message"), 120000);
	assert_int_equal(sql("SELECT count(*) FROM message WHERE revision = 0"
			     " AND first_text IS NULL"),
			 5);
	assert_int_equal(edit(2), 0);
	assert_int_equal(sql("SELECT messages FROM conversation WHERE phone_number ="
			     " '+36201'"),
			 4);
}
