/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>

#include "store_bench.h"

#include "store/store_internal.h"

static unsigned mode_of(const char *name)
{
	struct stat status;

	assert_int_equal(stat(name, &status), 0);
	return status.st_mode & 07777;
}

static void test_modes(void **state)
{
	mode_t before = umask(0);
	char name[128];

	(void)state;
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

static void test_settings(void **state)
{
	(void)state;
	open_store();
	assert_int_equal(sql("PRAGMA user_version"), STORE_SCHEMA_VERSION);
	assert_int_equal(sql("SELECT count(*) FROM pragma_journal_mode"
			     " WHERE journal_mode = 'wal'"),
			 1);
}

static void test_parent_missing(void **state)
{
	struct explanation error = { "" };

	(void)state;
	strcat(folder, "/deeper");
	assert_int_equal(store_open(folder, &store, &error), -ENOENT);
	assert_non_null(strstr(error.text, folder));
	assert_null(store);
}

static void test_path_too_long(void **state)
{
	struct explanation error = { "" };
	char long_folder[PATH_MAX + 10];

	(void)state;
	memset(long_folder, 'x', sizeof(long_folder));
	long_folder[sizeof(long_folder) - 1] = '\0';
	assert_int_equal(store_open(long_folder, &store, &error), -ENAMETOOLONG);
}

/* Steps in order; `id`: the number that must come out. */
static const struct {
	const char *iccid, *imsi;
	int64_t id;
} cards[] = {
	{ "A", "", 1 },	 /* locked: no IMSI yet */
	{ "A", "a", 1 }, /* unlocked */
	{ "", "a", 1 },	 /* a modem that hides the ICCID */
	{ "B", "a", 2 }, /* another card with the same IMSI */
	{ "B", "a", 2 }, { "A", "a", 1 },
	{ "", "c", 3 },	 /* known by its IMSI */
	{ "C", "c", 3 }, /* and now its ICCID shows */
	{ "C", "", 3 },	 { "D", "c", 4 },
	{ "A", "z", 1 }, /* the card has a new IMSI, */
	{ "", "z", 5 },	 /* by which alone it is not known */
	{ "", "a", 2 },	 /* two have it: the later one */
	{ "B", "", 2 },	 { "E", "", 6 },
	{ "", "e", 7 }, /* nobody can know that it is E */
	{ "E", "e", 6 }, { "", "e", 6 },
};

static void test_cards(void **state)
{
	size_t i;
	int round;

	(void)state;
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

static void test_card_of_nothing(void **state)
{
	int64_t sim_id = 42;

	(void)state;
	open_store();
	assert_int_equal(store_sim_identify(store, "", "", &sim_id), -EINVAL);
	assert_int_equal(sim_id, 42);
}

static void test_card_numbers_are_not_reused(void **state)
{
	(void)state;
	open_store();
	assert_int_equal(identify("A", ""), 1);
	assert_int_equal(identify("B", ""), 2);
	sql("DELETE FROM sim WHERE id = 2");
	assert_int_equal(identify("C", ""), 3);
}

static void test_message(void **state)
{
	static const char text[] = "'; DROP TABLE message; -- \xf0\x9f\x98\x80 %s";
	struct arena *arena = arena_new(1 << 20);
	struct message message;
	int64_t first, second;

	(void)state;
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

static void test_message_too_large_for_arena(void **state)
{
	struct arena *arena = arena_new(64);
	struct message message = { .id = 42 };
	int64_t id;

	(void)state;
	open_store();
	id = add_message("a text of more than sixty-four bytes, which is not that long");
	assert_int_equal(store_message_get(store, id, arena, &message), -E2BIG);
	assert_int_equal(message.id, 42);
	assert_int_equal(state_of(id), STATE_QUEUED); /* the statement is free again */
	arena_free(arena);
}

static void test_message_for_no_card(void **state)
{
	struct store_message_draft draft = { 99, 0, "+36201234567", "x", 1 };
	int64_t id = 42;

	(void)state;
	open_store();
	assert_int_equal(store_message_add(store, &draft, &id), -EINVAL);
	assert_int_equal(id, 42);
	assert_int_equal(sql("SELECT count(*) FROM message"), 0);
	assert_int_equal(sql("SELECT count(*) FROM message_change"), 0);
}

static void test_moves(void **state)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message;
	int64_t id;

	(void)state;
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
		id, "queued() submitting() submitted() held() unknown(unknown_outcome) "
		    "sent() ");
	arena_free(arena);
}

static void test_illegal_moves(void **state)
{
	int64_t id;

	(void)state;
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
	(void)data;
	assert_false(message_state_is_final(message->state));
	assert_string_equal(message->number, "+36201234567");
	visited[visited_count++] = message->id;
}

/* One message in each state; exactly those are visited that are not final. */
static void test_unfinished(void **state)
{
	int64_t ids[STATE_LAST + 1];
	enum message_state each;
	char text[128];
	size_t expected = 0;

	(void)state;
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

/* Else every start prepares every statement to see whether the tables are ours. */
static void test_schema_digest(void **state)
{
	(void)state;
	open_store();
	if (store_schema_digest(store->database) != STORE_SCHEMA_DIGEST)
		fail_msg("STORE_SCHEMA_DIGEST is to be UINT64_C(0x%016llx)",
			 (unsigned long long)store_schema_digest(store->database));
}

/* Whatever else is there, only rows go on, in tables of ours. */
static void test_tables_of_others(void **state)
{
	(void)state;
	open_store();
	add_message("x");
	store_close(store);
	store = NULL;
	sql("DROP TABLE asking_closed");
	open_store();
	assert_int_equal(store_schema_digest(store->database), STORE_SCHEMA_DIGEST);
	assert_int_equal(state_of(1), STATE_QUEUED);
	store_close(store);
	store = NULL;
	sql("CREATE TABLE more (some TEXT)");
	open_store();
	assert_int_equal(store_schema_digest(store->database), STORE_SCHEMA_DIGEST);
	assert_int_equal(state_of(1), STATE_QUEUED);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'ledger_rebuilt'"),
			 2);
}

static void test_clients(void **state)
{
	uint8_t one[CLIENT_HASH_BYTES] = { 1 }, two[CLIENT_HASH_BYTES] = { 1, 2 };
	struct client client = { 42, "" };
	int64_t id = 0, count = -1;

	(void)state;
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

/* Nothing is remembered of what the file says. */
static void test_two_programs(void **state)
{
	struct explanation error;
	uint8_t hash[CLIENT_HASH_BYTES] = { 3 };
	struct client client;
	struct store *other;
	int64_t id;

	(void)state;
	open_store();
	assert_int_equal(store_open(folder, &other, &error), 0);
	assert_int_equal(store_client_add(other, &NAMED("laptop"), hash, &id), 0);
	store_close(other);
	assert_true(store_client_find(store, hash, &client));
	add_message("x");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_modes),
		TEST(test_settings),
		TEST(test_schema_digest),
		TEST(test_tables_of_others),
		TEST(test_parent_missing),
		TEST(test_path_too_long),
		TEST(test_cards),
		TEST(test_card_of_nothing),
		TEST(test_card_numbers_are_not_reused),
		TEST(test_message),
		TEST(test_message_too_large_for_arena),
		TEST(test_message_for_no_card),
		TEST(test_moves),
		TEST(test_illegal_moves),
		TEST(test_unfinished),
		TEST(test_clients),
		TEST(test_two_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
