/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listings: the right messages in the right order, for no more work than a page is
 * worth.
 */
#include <limits.h>

#include "unit_test.h"
#include "base/clock.h"
#include "store/store_index.h"
#include "store/store_listing.h"
#include "store/store_internal.h"
#include "store_bench.h"

enum { LISTED_MAX = 1000 };

static unsigned judge_none(const char *text)
{
	return 0;
}

static int64_t listed[LISTED_MAX];
static size_t listed_count;
static size_t list_limit;  /* stops after this many */
static unsigned list_rows; /* in one piece */

static int set_up(void **state)
{
	list_limit = 100;
	list_rows = UINT_MAX;
	return store_set_up_with_cards(state);
}

/* For rows that were added directly. */
static void index_again(void)
{
	struct store_index_pass pass = { .judge = judge_none };
	const char *order =
		"UPDATE message_index SET text_from = (SELECT max(id) + 1 FROM"
		" message), kind_from = text_from";

	assert_int_equal(sqlite3_exec(store->database, order, NULL, NULL, NULL),
			 SQLITE_OK);
	while (!pass.done)
		assert_int_equal(store_index_step(store, &pass), 0);
}

/* Directly on the file; the tests change nothing that the store caches. */
static void run_sql(const char *text)
{
	if (sqlite3_exec(store->database, text, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", text, sqlite3_errmsg(store->database));
}

static int64_t add_flagged(const char *number, const char *text, unsigned flags)
{
	static int64_t moment;
	char sent_time[24];
	struct store_incoming_draft draft = {
		.sim_id = 1,
		.reported_ms = ++moment * 1000,
		.number = number,
		.text = text,
		.sent_time = sent_time,
		.flags = flags,
	};
	int64_t id = 0;
	bool repeated;

	snprintf(sent_time, sizeof(sent_time), "%lld", (long long)moment);
	assert_int_equal(step_add_incoming(store, &draft, &id, &repeated), 0);
	return id;
}

static int64_t add_incoming(const char *number, const char *text)
{
	return add_flagged(number, text, 0);
}

static bool note_listed(void *data, const struct message *message)
{
	assert_true(listed_count < LISTED_MAX);
	listed[listed_count++] = message->id;
	return listed_count < list_limit;
}

static void list(const struct store_listing_filter *filter)
{
	struct store_listing_query look = { .filter = *filter, .visit = note_listed };
	int error;

	listed_count = 0;
	do
		error = store_listing_messages(store, &look, list_rows);
	while (error == STORE_E_MORE);
	assert_int_equal(error, 0);
}

/* The expected IDs, in order; ends with 0. */
static void assert_listed(const struct store_listing_filter *filter,
			  const int64_t *expected)
{
	size_t count = 0;

	list(filter);
	for (; expected[count]; count++) {
		assert_true(count < listed_count);
		assert_int_equal(listed[count], expected[count]);
	}
	assert_int_equal(listed_count, count);
}

#define IDS(...) ((const int64_t[]){ __VA_ARGS__ __VA_OPT__(, ) 0 })

FIXTURE(set_up, store_tear_down)

TEST(test_lists_are_ordered)
{
	struct store_listing_filter filter = { 0 };

	list_limit = 2;
	for (int i = 0; i < 5; i++)
		add_incoming("+361", "x");
	assert_listed(&filter, IDS(5, 4));
	filter.before_id = 4;
	assert_listed(&filter, IDS(3, 2));
	filter.before_id = 1;
	assert_listed(&filter, IDS());
	filter.before_id = 0;
	filter.after_id = 2;
	assert_listed(&filter, IDS(3, 4));
	filter.after_id = 5;
	assert_listed(&filter, IDS());
	filter.after_id = 1;
	filter.before_id = 3;
	assert_listed(&filter, IDS(2));
}

TEST(test_times_select_by_created)
{
	struct store_listing_filter filter = { 0 };

	for (int i = 0; i < 5; i++)
		add_incoming("+361", "x");
	run_sql("UPDATE message SET created = id * 100");
	filter.until_ms = 400;
	assert_listed(&filter, IDS(3, 2, 1));
	filter.before_id = 3; /* the last ID that the time allows */
	assert_listed(&filter, IDS(2, 1));
	filter.before_id = 0;
	filter.since_ms = 200;
	assert_listed(&filter, IDS(3, 2));
	filter.after_id = 2;
	assert_listed(&filter, IDS(3));
	filter.after_id = 1;
	assert_listed(&filter, IDS(2, 3));
	run_sql("UPDATE message SET created = 150 WHERE id = 5"); /* the clock went back */
	assert_listed(&filter, IDS(2, 3));
	filter.since_ms = 150;
	assert_listed(&filter, IDS(2, 3, 5));
}

TEST(test_an_empty_store_lists_nothing)
{
	struct store_listing_filter filter = { .since_ms = 5, .until_ms = 9 };

	assert_listed(&filter, IDS());
	filter.after_id = 7;
	filter.search = "x";
	assert_listed(&filter, IDS());
}

TEST(test_search_matches_a_part_of_the_text)
{
	struct store_listing_filter filter = { 0 };

	add_incoming("+361", "Your code is 100% secret_word");
	add_incoming("+361", "YOUR CODE IS 1000 secretXword");
	add_incoming("+361", "C:\\temp \xc3\x89t\xc3\xa9");
	filter.search = "Code";
	assert_listed(&filter, IDS(2, 1));
	filter.search = "100%";
	assert_listed(&filter, IDS(1));
	filter.search = "T_W";
	assert_listed(&filter, IDS(1));
	filter.search = ":\\T";
	assert_listed(&filter, IDS(3));
	filter.search = "\xc3\xa9";
	assert_listed(&filter, IDS(3));
	filter.search = "%";
	assert_listed(&filter, IDS(1));
	filter.search = "' OR 1=1 --";
	assert_listed(&filter, IDS());
	filter.search = "";
	assert_listed(&filter, IDS(3, 2, 1));
}

/* ---- against a plain scan -------------------------------------------------------- */

enum { RANDOM_MESSAGES = 300, RANDOM_ROUNDS = 3000 };

static struct random_row {
	enum message_direction direction;
	int64_t sim_id, created_ms, read_ms;
	const char *number, *text;
} rows[RANDOM_MESSAGES + 1]; /* by ID */

/* the second and the third are one party */
static const char *const numbers[] = { "+361", "+362", "00362", "Bank", "" };
static const char *const texts[] = { "alpha", "Alphabet", "beta", "" };

/* The clock mostly advances, and sometimes jumps. */
static int64_t random_time(int id)
{
	return 1 + (rand() % 10 ? id * 10 : rand() % (RANDOM_MESSAGES * 10));
}

static void add_random_rows(void)
{
	char text[256];

	for (int id = 1; id <= RANDOM_MESSAGES; id++) {
		struct random_row *row = &rows[id];

		row->direction = rand() % 3 ? MESSAGE_INCOMING : MESSAGE_OUTGOING;
		row->sim_id = 1 + rand() % 2;
		row->number = numbers[rand() % 5];
		row->text = texts[rand() % 4];
		row->created_ms = random_time(id);
		row->read_ms = rand() % 2;
		snprintf(
			text, sizeof(text),
			"INSERT INTO message (direction, sim_id, phone_number, text, "
			"state, created, changed, read_at) VALUES (%d, %d, '%s', '%s', 9, %d, 1, %d)",
			row->direction, (int)row->sim_id, row->number, row->text,
			(int)row->created_ms, (int)row->read_ms);
		run_sql(text);
	}
}

static const char *plainly(const char *number)
{
	return number == numbers[2] ? numbers[1] : number;
}

static bool fits(const struct store_listing_filter *filter, int id)
{
	const struct random_row *row = &rows[id];
	bool incoming = row->direction == MESSAGE_INCOMING;

	return !(filter->outgoing_only && incoming) &&
	       !(filter->incoming_only && !incoming) &&
	       !(filter->unread_only && (!incoming || row->read_ms)) &&
	       !(filter->number &&
		 strcmp(plainly(filter->number), plainly(row->number))) &&
	       !(filter->search && !strcasestr(row->text, filter->search)) &&
	       !(filter->sim_id && filter->sim_id != row->sim_id) &&
	       !(filter->since_ms && row->created_ms < filter->since_ms) &&
	       !(filter->until_ms && row->created_ms >= filter->until_ms) &&
	       !(filter->before_id && id >= filter->before_id) &&
	       !(filter->after_id && id <= filter->after_id);
}

static void assert_listed_as_told(const struct store_listing_filter *filter)
{
	int64_t expected[RANDOM_MESSAGES + 1] = { 0 };
	size_t count = 0;

	for (int i = 1; i <= RANDOM_MESSAGES; i++) {
		int id = filter->after_id ? i : RANDOM_MESSAGES + 1 - i;

		if (count < list_limit && fits(filter, id))
			expected[count++] = id;
	}
	assert_listed(filter, expected);
}

static int sometimes(int most)
{
	return rand() % 3 ? 0 : 1 + rand() % most;
}

TEST(test_random_filters_agree_with_a_plain_scan)
{
	srand(7);
	add_random_rows();
	index_again();
	for (int round = 0; round < RANDOM_ROUNDS; round++) {
		int direction = rand() % 4;
		struct store_listing_filter filter = {
			.outgoing_only = direction == 1,
			.incoming_only = direction == 2,
			.unread_only = rand() % 4 == 0,
			.number = rand() % 2 ? numbers[rand() % 5] : NULL,
			.search = rand() % 4 ? NULL : "ALPHA",
			.sim_id = sometimes(2),
			.since_ms = sometimes(RANDOM_MESSAGES * 11),
			.until_ms = sometimes(RANDOM_MESSAGES * 11),
			.before_id = sometimes(RANDOM_MESSAGES + 5),
			.after_id = sometimes(RANDOM_MESSAGES + 5),
		};

		list_limit = 1 + (size_t)rand() % 50;
		list_rows = 1 + (unsigned)rand() % (2 * RANDOM_MESSAGES);
		assert_listed_as_told(&filter);
	}
}

/* ---- pieces --------------------------------------------------------------------- */

static void look_once(struct store_listing_query *look, unsigned count, int expected)
{
	assert_int_equal(store_listing_messages(store, look, count), expected);
}

TEST(test_changes_between_pieces_do_not_move_the_position)
{
	struct store_listing_query down = { .filter.search = "x", .visit = note_listed };
	struct store_listing_query up = { .filter.after_id = -1, .visit = note_listed };

	for (int i = 0; i < 6; i++)
		add_incoming("+361", i == 4 ? "y" : "x");
	listed_count = 0;
	look_once(&down, 2, STORE_E_MORE); /* 6, and 5 that does not match */
	run_sql("DELETE FROM message WHERE id IN (3, 5)");
	add_incoming("+361", "x"); /* above the start of the listing */
	look_once(&down, 2, STORE_E_MORE);
	run_sql("DELETE FROM message WHERE id = 1");
	look_once(&down, 2, 0);
	assert_int_equal(listed_count, 3);
	assert_memory_equal(listed, IDS(6, 4, 2), 3 * sizeof(*listed));
	listed_count = 0;
	look_once(&up, 3, STORE_E_MORE);
	assert_int_equal(add_incoming("+361", "x"), 8);
	look_once(&up, 3, 0);
	assert_int_equal(listed_count, 5);
	assert_memory_equal(listed, IDS(2, 4, 6, 7, 8), 5 * sizeof(*listed));
}

/* However few rows match, a piece reads no more rows than requested. */
TEST(test_a_piece_reads_a_bounded_number_of_rows)
{
	struct store_listing_query look = { .filter.search = "no", .visit = note_listed };

	for (int i = 0; i < 100; i++)
		add_incoming("+361", "x");
	for (int left = 100; left > 10; left -= 10) {
		assert_true(!look.before_id || look.before_id == left + 1);
		look_once(&look, 10, STORE_E_MORE);
	}
	look_once(&look, 10, 0);
}

/* ---- conversations and reading -------------------------------------------------- */

static char talks[512];

static void note_talk(void *data, const struct conversation *conversation)
{
	size_t length = strlen(talks);

	assert_string_equal(conversation->number, conversation->last.number);
	snprintf(talks + length, sizeof(talks) - length, "%s:%lld/%lld/%lld(%s) ",
		 conversation->number, (long long)conversation->last.id,
		 (long long)conversation->messages, (long long)conversation->unread,
		 conversation->last.text);
}

static void assert_talks(bool unread_only, int64_t before_id, unsigned limit,
			 const char *expected)
{
	const struct store_listing_conversation_query query = {
		.unread_only = unread_only,
		.before_id = before_id,
		.limit = limit,
		.visit = note_talk,
	};

	talks[0] = '\0';
	assert_int_equal(store_listing_conversations(store, &query), 0);
	assert_string_equal(talks, expected);
}

static unsigned mark(const int64_t *ids, size_t count)
{
	unsigned marked = 99;

	assert_int_equal(store_incoming_mark_read(store, ids, count, &marked), 0);
	return marked;
}

TEST(test_conversations_are_ordered_by_their_latest_message)
{
	assert_talks(false, 0, 10, "");
	add_incoming("Bank", "one");
	add_message("two"); /* to +36201234567 */
	add_incoming("Bank", "three");
	add_incoming("", "four");
	add_incoming("+36201234567", "five");
	reopen_store();
	assert_talks(false, 0, 10,
		     "+36201234567:5/2/1(five) :4/1/1(four) Bank:3/2/2(three) ");
	assert_talks(false, 0, 1, "+36201234567:5/2/1(five) ");
	assert_talks(false, 5, 1, ":4/1/1(four) ");
	assert_talks(false, 4, 5, "Bank:3/2/2(three) ");
	assert_int_equal(mark(IDS(4, 1), 2), 2);
	assert_talks(true, 0, 10, "+36201234567:5/2/1(five) Bank:3/2/1(three) ");
	assert_talks(true, 5, 10, "Bank:3/2/1(three) ");
}

TEST(test_conversations_without_service_texts_show_the_latest_other_message)
{
	struct store_listing_conversation_query query = {
		.without_service = true,
		.limit = 2,
		.visit = note_talk,
	};

	add_incoming("Bank", "one");
	add_incoming("+36201234567", "two");
	for (int i = 0; i < 100; i++)
		add_flagged("Bank", "//VVM:SYNC:", MESSAGE_SERVICE);
	add_flagged("1217", "//VVM:SYNC:", MESSAGE_SERVICE);
	assert_talks(false, 0, 1, "1217:103/1/0(//VVM:SYNC:) ");
	assert_talks(true, 0, 10, "Bank:102/101/1(//VVM:SYNC:) +36201234567:2/1/1(two) ");
	talks[0] = '\0';
	assert_int_equal(store_listing_conversations(store, &query), 0);
	assert_string_equal(talks, "Bank:1/101/1(one) +36201234567:2/1/1(two) ");
}

TEST(test_removed_messages_leave_their_conversation)
{
	add_incoming("Bank", "one");
	add_incoming("Bank", "two");
	add_incoming("Shop", "three");
	run_sql("DELETE FROM message WHERE id = 2");
	assert_talks(false, 0, 10, "Shop:3/1/1(three) Bank:1/1/1(one) ");
	run_sql("UPDATE message SET read_at = 5 WHERE id = 1");
	run_sql("DELETE FROM message WHERE id = 1");
	assert_talks(false, 0, 10, "Shop:3/1/1(three) ");
	run_sql("UPDATE message SET read_at = 5");
	assert_talks(false, 0, 10, "Shop:3/1/0(three) ");
	run_sql("UPDATE message SET read_at = 0");
	assert_talks(true, 0, 10, "Shop:3/1/1(three) ");
	run_sql("DELETE FROM message");
	assert_talks(false, 0, 10, "");
}

TEST(test_incoming_messages_are_marked_read)
{
	struct store_listing_filter filter = { .unread_only = true };
	struct arena *arena = arena_new(1 << 20);
	struct message message;
	int64_t changed_ms, outgoing, begun_ms = clock_wall_ms();
	unsigned marked = 42;

	add_incoming("Bank", "one");
	add_incoming("Bank", "two");
	outgoing = add_message("mine");
	assert_listed(&filter, IDS(2, 1));
	assert_int_equal(store_message_get(store, 1, arena, &message), 0);
	changed_ms = message.changed_ms;
	assert_int_equal(mark(IDS(1, outgoing, 77, 1), 4), 1);
	assert_listed(&filter, IDS(2));
	assert_int_equal(store_message_get(store, 1, arena, &message), 0);
	assert_in_range(message.read_ms, begun_ms, clock_wall_ms());
	assert_int_equal(message.changed_ms, changed_ms);
	assert_int_equal(mark(IDS(1), 1), 0);
	assert_int_equal(mark(NULL, 0), 0);
	fill_disk(true);
	assert_int_equal(store_incoming_mark_read(store, IDS(2), 1, &marked),
			 STORE_E_FULL);
	assert_int_equal(marked, 42);
	fill_disk(false);
	assert_listed(&filter, IDS(2));
	arena_free(arena);
}

static int64_t clock_at_zero(void)
{
	return 0;
}

/* A phone whose clock is not set yet. */
TEST(test_marking_read_works_without_a_valid_clock)
{
	static const struct clock_source zero = { clock_at_zero, clock_at_zero };
	struct store_listing_filter filter = { .unread_only = true };

	add_incoming("Bank", "one");
	clock_set_source(&zero);
	assert_int_equal(mark(IDS(1), 1), 1);
	clock_set_source(NULL);
	assert_listed(&filter, IDS());
}

/* ---- the work ------------------------------------------------------------------- */

static void assert_plan(enum store_sql_id which, const char *unwanted)
{
	sqlite3_stmt *plan;
	char *text = sqlite3_mprintf("EXPLAIN QUERY PLAN %s",
				     sqlite3_sql(store_use(store, which)));

	assert_int_equal(sqlite3_prepare_v2(store->database, text, -1, &plan, NULL),
			 SQLITE_OK);
	while (sqlite3_step(plan) == SQLITE_ROW) {
		const char *step = (const char *)sqlite3_column_text(plan, 3);

		const char *found = strstr(step, unwanted);

		/* one row, or what FTS5 looks up */
		if (found && found[strlen(unwanted)] != '_')
			fail_msg("statement %d: %s", which, step);
	}
	sqlite3_finalize(plan);
	sqlite3_free(text);
}

/* With several spellings the rows of one piece are sorted, however many there are. */
static bool sorts_a_piece(int which)
{
	return which == LIST_BY_NUMBERS || which == LIST_BY_NUMBERS_UP;
}

TEST(test_every_statement_uses_its_index)
{
	int which;

	for (which = 0; which < STATEMENT_COUNT; which++) {
		/*
		 * The index of the first contains only wanted rows; the second adds up the
		 * conversations, once before old messages are removed.
		 */
		if (which != MESSAGES_UNFINISHED)
			assert_plan((enum store_sql_id)which, "SCAN message");
		if (which != RETENTION_COUNT)
			assert_plan((enum store_sql_id)which, "SCAN conversation");
	}
	for (which = LIST_BY_ID; which <= CONVERSATION_LAST; which++) {
		if (!sorts_a_piece(which))
			assert_plan((enum store_sql_id)which, "TEMP B-TREE");
	}
	assert_plan(GAPS, "SCAN gap");
}

enum { MANY = 100000 };

/*
 * 500 numbers; every fiftieth message is ours; all but a hundred are read; one a second.
 * The statement's own counters measure the work, so no clock is involved.
 */
static void add_many(void)
{
	run_sql("BEGIN;"
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
		" WHERE i < 100000) INSERT INTO message (direction, sim_id, "
		"phone_number, text,"
		" state, created, changed, read_at) SELECT i % 50 > 0, 1,"
		" '+36' || (i % 500), 'text number ' || i, 9, i * 1000, i * 1000,"
		" i % 1000 > 1 FROM n;"
		"COMMIT");
	index_again();
}

static int take_steps(void)
{
	int steps = 0;

	for (int which = 0; which < STATEMENT_COUNT; which++) {
		if (!sorts_a_piece(which))
			assert_int_equal(sqlite3_stmt_status(store_use(store, which),
							     SQLITE_STMTSTATUS_SORT,
							     true),
					 0);
		steps += sqlite3_stmt_status(store_use(store, which),
					     SQLITE_STMTSTATUS_VM_STEP, true);
		assert_int_equal(sqlite3_stmt_status(store_use(store, which),
						     SQLITE_STMTSTATUS_FULLSCAN_STEP,
						     true),
				 0);
	}
	return steps;
}

static const struct {
	const char *name;
	struct store_listing_filter filter;
	size_t count;
	int most_steps; /* a row of a page takes about 40 */
} pages[] = {
	{ "newest", { 0 }, 100, 8000 },
	{ "next", { .before_id = 50000 }, 100, 8000 },
	{ "after", { .after_id = 50000 }, 100, 8000 },
	{ "after the last", { .after_id = MANY }, 0, 100 },
	{ "number", { .number = "+367" }, 100, 8000 },
	{ "its end", { .number = "+367", .before_id = 40000 }, 80, 8000 },
	{ "nobody", { .number = "+49" }, 0, 100 },
	{ "two spellings", { .number = "0036100" }, 100, 12000 },
	{ "their end", { .number = "+36100", .before_id = 40000 }, 81, 12000 },
	{ "their first", { .number = "+36100", .after_id = 1 }, 100, 12000 },
	{ "unread", { .unread_only = true }, 100, 8000 },
	{ "unread since", { .unread_only = true, .after_id = 99000 }, 1, 1000 },
	{ "unread of a number", { .unread_only = true, .number = "+361" }, 100, 16000 },
	{ "outgoing", { .outgoing_only = true }, 100, 8000 },
	{ "incoming", { .incoming_only = true }, 100, 8000 },
	{ "card", { .sim_id = 1 }, 100, 8000 },
	{ "last minute", { .since_ms = MANY * 1000 - 59000 }, 60, 8000 },
	{ "first minute", { .until_ms = 61000 }, 60, 12000 },
	{ "tomorrow", { .since_ms = MANY * 1000 + 1 }, 0, 5000 },
	{ "yesterday", { .until_ms = 1000 }, 0, 5000 },
	{ "word", { .search = "number" }, 100, 9000 },
	{ "all since", { .since_ms = 1 }, 100, 20000 },
	{ "all until", { .until_ms = MANY * 1000 }, 100, 20000 },
	{ "old half", { .until_ms = MANY / 2 * 1000 }, 100, 20000 },
	{ "no such word", { .search = "nummer" }, 0, 1000 },
	{ "one word", { .search = "number 54321" }, 1, 2000 },
	{ "word of a number", { .search = "number 54321", .number = "+367" }, 0, 20000 },
	/* It reads rows that do not match, and may do so only in pieces. */
	{ "two characters", { .search = "xq" }, 0, 30 * MANY },
};

TEST(test_a_page_of_many_messages_takes_few_steps)
{
	char talk[64];

	list_rows = 256;
	add_many();
	run_sql("UPDATE message SET phone_number = '0036100' WHERE id = 20101");
	list(&(struct store_listing_filter){ .number = "1" }); /* reads the cards, once */
	sqlite3_stmt_status(store_use(store, PARTY_COUNTRIES),
			    SQLITE_STMTSTATUS_FULLSCAN_STEP, true);
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		int steps;

		take_steps();
		list(&pages[i].filter);
		steps = take_steps();
		if (listed_count != pages[i].count || steps > pages[i].most_steps)
			fail_msg("%s: %zu messages, %d steps", pages[i].name,
				 listed_count, steps);
	}
	take_steps();
	assert_talks(false, 0, 1, "+360:100000/200/0(text number 100000) ");
	snprintf(talk, sizeof(talk), "+361:99501/200/100(text number 99501) ");
	assert_talks(true, 0, 1, talk);
	assert_true(take_steps() < 500);
}

/* Nor does adding a message read other rows. */
TEST(test_adding_to_many_messages_takes_few_steps)
{
	int steps;

	add_many();
	run_sql("UPDATE message SET phone_number = 'Bank'");
	add_incoming("Bank", "x");
	take_steps();
	add_incoming("Bank", "x");
	steps = take_steps();
	if (steps > 500)
		fail_msg("%d steps", steps);
}
