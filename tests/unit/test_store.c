/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <limits.h>

#include "store_bench.h"

#include "store/store_internal.h"

static unsigned mode_of(const char *name)
{
	struct stat status;

	assert_int_equal(stat(name, &status), 0);
	return status.st_mode & 07777;
}

FIXTURE(store_set_up, store_tear_down)

TEST(test_the_files_are_private)
{
	mode_t before = umask(0);
	char name[128];

	open_store();
	add_message("hello");
	assert_int_equal(mode_of(folder), 0700);
	assert_int_equal(mode_of(path), 0600);
	snprintf(name, sizeof(name), "%s-wal", path);
	assert_int_equal(mode_of(name), 0600);
	snprintf(name, sizeof(name), "%s-shm", path);
	assert_int_equal(mode_of(name), 0600);
	umask(before);
	store_close(store);
	store = NULL;
	chmod(path, 0644);
	open_store();
	assert_int_equal(mode_of(path), 0600);
}

TEST(test_the_database_is_durable_and_checked)
{
	open_store();
	assert_int_equal(sql("PRAGMA user_version"), STORE_SCHEMA_VERSION);
	assert_int_equal(sql("SELECT count(*) FROM pragma_journal_mode"
			     " WHERE journal_mode = 'wal'"),
			 1);
}

TEST(test_a_missing_parent_folder_is_an_error)
{
	struct explanation error = { "" };

	strcat(folder, "/deeper");
	assert_int_equal(store_open(folder, &store, &error), -ENOENT);
	assert_non_null(strstr(error.text, folder));
	assert_null(store);
}

TEST(test_a_path_that_is_too_long_is_an_error)
{
	struct explanation error = { "" };
	char long_folder[PATH_MAX + 10];

	memset(long_folder, 'x', sizeof(long_folder));
	long_folder[sizeof(long_folder) - 1] = '\0';
	assert_int_equal(store_open(long_folder, &store, &error), -ENAMETOOLONG);
}

/* Steps in order; `id`: the expected SIM ID. */
static const struct {
	const char *iccid, *imsi;
	int64_t id;
} cards[] = {
	{ "A", "", 1 },	 /* locked: no IMSI yet */
	{ "A", "a", 1 }, /* unlocked */
	{ "", "a", 1 },	 /* a modem that hides the ICCID */
	{ "B", "a", 2 }, /* another card with the same IMSI */
	{ "B", "a", 2 }, { "A", "a", 1 }, { "", "c", 3 },  /* known by its IMSI */
	{ "C", "c", 3 },				   /* now its ICCID shows, too */
	{ "C", "", 3 },	 { "D", "c", 4 }, { "A", "z", 1 }, /* the card has a new IMSI, */
	{ "", "z", 5 }, /* which alone does not identify it */
	{ "", "a", 2 }, /* two cards have it: the later one */
	{ "B", "", 2 },	 { "E", "", 6 },  { "", "e", 7 }, /* nothing shows that it is E */
	{ "E", "e", 6 }, { "", "e", 6 },
};

TEST(test_a_card_keeps_its_sim_id)
{
	size_t i;
	int round;

	for (i = 0; i < sizeof(cards) / sizeof(*cards); i++) {
		open_store(); /* across restarts */
		if (identify(cards[i].iccid, cards[i].imsi) != cards[i].id)
			fail_msg("card %zu: %lld", i,
				 (long long)identify(cards[i].iccid, cards[i].imsi));
		store_close(store);
		store = NULL;
	}
	open_store();
	for (round = 1; round <= 7; round++)
		assert_int_equal(store_sim_known(store, round), 0);
	assert_int_equal(store_sim_known(store, 8), STORE_E_NOT_FOUND);
	assert_int_equal(store_sim_known(store, 0), STORE_E_NOT_FOUND);
	assert_int_equal(store_sim_known(store, -1), STORE_E_NOT_FOUND);
}

TEST(test_a_card_needs_an_identity)
{
	int64_t sim_id = 42;

	open_store();
	assert_int_equal(store_sim_identify(store, "", "", &sim_id), -EINVAL);
	assert_int_equal(sim_id, 42);
}

TEST(test_sim_ids_are_not_reused)
{
	open_store();
	assert_int_equal(identify("A", ""), 1);
	assert_int_equal(identify("B", ""), 2);
	sql("DELETE FROM sim WHERE id = 2");
	assert_int_equal(identify("C", ""), 3);
}

TEST(test_a_message_is_stored_and_read)
{
	static const char text[] = "'; DROP TABLE message; -- \xf0\x9f\x98\x80 %s";
	struct arena *arena = arena_new(1 << 20);
	struct message message;
	int64_t first, second;

	open_store();
	first = add_message(text);
	second = add_message("");
	assert_true(second > first);
	reopen_store();
	assert_int_equal(store_message_get(store, first, arena, &message), 0);
	assert_int_equal(message.id, first);
	assert_int_equal(message.sim_id, 1);
	assert_int_equal(message.client_id, 7);
	assert_string_equal(message.number, "+36201234567");
	assert_string_equal(message.text, text);
	assert_int_equal(message.segments, 1);
	assert_int_equal(message.state, STATE_QUEUED);
	assert_string_equal(message.reason, "");
	assert_string_equal(message.uuid, "");
	assert_true(message.created_ms > 0 && message.created_ms == message.changed_ms);
	assert_int_equal(store_message_get(store, second, arena, &message), 0);
	assert_string_equal(message.text, "");
	assert_int_equal(store_message_get(store, 99, arena, &message),
			 STORE_E_NOT_FOUND);
	arena_free(arena);
}

TEST(test_a_message_that_the_arena_cannot_hold_is_an_error)
{
	struct arena *arena = arena_new(64);
	struct message message = { .id = 42 };
	int64_t id;

	open_store();
	id = add_message("a text of more than sixty-four bytes, which is not that long");
	assert_int_equal(store_message_get(store, id, arena, &message), -E2BIG);
	assert_int_equal(message.id, 42);
	assert_int_equal(state_of(id),
			 STATE_QUEUED); /* the statement can be used again */
	arena_free(arena);
}

TEST(test_a_message_needs_a_known_card)
{
	struct store_message_draft draft = { 99, 0, "+36201234567", "x", 1 };
	int64_t id = 42;

	open_store();
	assert_int_equal(store_message_add(store, &draft, &id), -EINVAL);
	assert_int_equal(id, 42);
	assert_int_equal(sql("SELECT count(*) FROM message"), 0);
	assert_int_equal(sql("SELECT count(*) FROM message_change"), 0);
}

TEST(test_states_change_with_their_history)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message;
	int64_t id;

	open_store();
	id = add_message("x");
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, NULL, NULL), 0);
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTED, NULL, "CAFE"), 0);
	assert_int_equal(step_move_message(store, id, STATE_HELD, NULL, NULL), 0);
	assert_int_equal(
		step_move_message(store, id, STATE_UNKNOWN, "unknown_outcome", NULL), 0);
	reopen_store();
	assert_int_equal(store_message_get(store, id, arena, &message), 0);
	assert_int_equal(message.state, STATE_UNKNOWN);
	assert_string_equal(message.reason, "unknown_outcome");
	assert_string_equal(message.uuid, "CAFE");
	assert_int_equal(step_move_message(store, id, STATE_SENT, NULL, NULL), 0);
	assert_int_equal(store_message_get(store, id, arena, &message), 0);
	assert_string_equal(message.reason, "");
	assert_history(
		id,
		"queued() submitting() submitted() held() unknown(unknown_outcome) sent() ");
	arena_free(arena);
}

TEST(test_an_illegal_state_change_is_refused)
{
	int64_t id;

	open_store();
	id = add_message("x");
	assert_int_equal(step_move_message(store, id, STATE_SENT, NULL, NULL),
			 STORE_E_ILLEGAL);
	assert_int_equal(step_move_message(store, id, STATE_QUEUED, NULL, NULL),
			 STORE_E_ILLEGAL);
	assert_int_equal(step_move_message(store, 99, STATE_SUBMITTING, NULL, NULL),
			 STORE_E_NOT_FOUND);
	assert_int_equal(state_of(id), STATE_QUEUED);
	assert_history(id, "queued() ");
	assert_history(99, "");
}

static int64_t visited[16];
static size_t visited_count;

static void note_visit(void *data, const struct message *message)
{
	assert_false(message_state_is_final(message->state));
	assert_string_equal(message->number, "+36201234567");
	visited[visited_count++] = message->id;
}

/* One message in each state; exactly those that are not final are visited. */
TEST(test_unfinished_messages_are_those_not_final)
{
	int64_t ids[STATE_LAST + 1];
	enum message_state each;
	char text[128];
	size_t expected = 0;

	open_store();
	for (each = STATE_QUEUED; each <= STATE_LAST; each++) {
		ids[each] = add_message("x");
		snprintf(text, sizeof(text),
			 "UPDATE message SET state = %d WHERE id = %lld", each,
			 (long long)ids[each]);
		sql(text);
	}
	visited_count = 0;
	assert_int_equal(store_message_list_unfinished(store, note_visit, NULL), 0);
	for (each = STATE_QUEUED; each <= STATE_LAST; each++) {
		if (!message_state_is_final(each))
			assert_int_equal(visited[expected++], ids[each]);
	}
	assert_int_equal(visited_count, expected);
	assert_int_equal(sql("SELECT count(*) FROM message INDEXED BY message_unfinished"
			     " WHERE " STATE_IS_UNFINISHED),
			 (int64_t)expected);
}

/* With a wrong digest every start would prepare every statement. */
TEST(test_the_schema_has_the_recorded_digest)
{
	open_store();
	if (store_schema_digest(store->database) != STORE_SCHEMA_DIGEST)
		fail_msg("STORE_SCHEMA_DIGEST is to be UINT64_C(0x%016llx)",
			 (unsigned long long)store_schema_digest(store->database));
}

TEST(test_a_foreign_schema_is_refused_and_unchanged)
{
	struct explanation error = { "" };

	open_store();
	add_message("x");
	store_close(store);
	store = NULL;
	sql("CREATE TABLE more (some TEXT)");
	assert_int_equal(store_open(folder, &store, &error), -EINVAL);
	assert_non_null(strstr(error.text, "restore"));
	assert_int_equal(sql("SELECT count(*) FROM sqlite_schema WHERE name = 'more'"),
			 1);
	sql("DROP TABLE more");
	open_store();
	assert_int_equal(state_of(1), STATE_QUEUED);
}

TEST(test_clients_are_added_and_listed)
{
	uint8_t one[CLIENT_HASH_BYTES] = { 1 }, two[CLIENT_HASH_BYTES] = { 1, 2 };
	struct client client = { 42, "" };
	int64_t id = 0, count = -1;

	open_store();
	assert_int_equal(store_client_count(store, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(store_client_add(store, &NAMED("laptop"), one, &id), 0);
	assert_int_equal(id, 1);
	assert_int_equal(store_client_add(store, &NAMED("laptop"), two, &id),
			 STORE_E_EXISTS);
	assert_int_equal(store_client_add(store, &NAMED("phone"), one, &id), -EINVAL);
	assert_false(store_client_find(store, two, &client));
	assert_int_equal(client.id, 42);
	reopen_store();
	assert_true(store_client_find(store, one, &client));
	assert_int_equal(client.id, 1);
	assert_string_equal(client.name, "laptop");
	assert_int_equal(store_client_add(store, &NAMED("phone"), two, &id), 0);
	assert_int_equal(store_client_count(store, &count), 0);
	assert_int_equal(count, 2);
}

/* The store caches nothing that another program may change. */
TEST(test_two_programs_see_each_others_changes)
{
	struct explanation error;
	uint8_t hash[CLIENT_HASH_BYTES] = { 3 };
	struct client client;
	struct store *other;
	int64_t id;

	open_store();
	assert_int_equal(store_open(folder, &other, &error), 0);
	assert_int_equal(store_client_add(other, &NAMED("laptop"), hash, &id), 0);
	store_close(other);
	assert_true(store_client_find(store, hash, &client));
	add_message("x");
}
