/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index finds what reading every message finds: random texts in many scripts, random
 * filters, while messages are edited and removed and the index of an older store is being made.
 */
#include <limits.h>

#include "unit_test.h"
#include "base/clock.h"
#include "store/store_database.h"
#include "store/store_edit.h"
#include "store/store_index.h"
#include "store/store_internal.h"
#include "store/store_listing.h"
#include "store_bench.h"

enum { MOST = 4000, MESSAGES = 900, QUESTIONS = 400 };

static const char *const words[] = {
	"Tomorrow",   "tomorrow", "TO",	    "morrow",	"árvíztűrő", "ÁRVÍZTŰRŐ",
	"Árvíz",      "a",	  "ab",	    "abc",	"100%",	     "100_",
	"50%_\\",     "\\",	  "+36 20", "+36201",	"会议",	     "明天会议",
	"会议室",     "найди",	  "НАЙДИ",  "👍",	"👍🎉",	     "👨‍👩‍👧",
	"ありがとう", "مرحبا",	  "\"x\"",  "AND",	"OR",	     "NEAR(",
	"*",	      "it's",	  "ﬁ",	    "İstanbul", "ß",	     "\1",
	"\1\1\1",     "e\u0301",  "\u00e9", "1234",	"code 1234", "-",
};

static int64_t slow[MOST], fast[MOST];
static size_t slow_count, fast_count;
static int64_t now_ms = 1000000;

static int64_t told_clock(void)
{
	return now_ms;
}

static void run_sql(const char *text)
{
	if (sqlite3_exec(store->database, text, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", text, sqlite3_errmsg(store->database));
}

static int64_t number_of(const char *text)
{
	int64_t number = -1;

	store_check_result(store,
			   store_database_read_integer(store->database, text, &number));
	return number;
}

static const char *pick(void)
{
	return words[(size_t)rand() % (sizeof(words) / sizeof(*words))];
}

static const char *write_text(void)
{
	static char text[400];
	size_t length = 0;

	text[0] = '\0';
	for (int i = rand() % 6; i >= 0; i--)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
					   pick(), rand() % 3 ? " " : "");
	return text;
}

static const char *write_number(void)
{
	static char number[32];

	snprintf(number, sizeof(number), rand() % 2 ? "+3620123456%d" : "0620123456%d",
		 rand() % 4);
	return number;
}

static unsigned judge(const char *text)
{
	return (strstr(text, "1234") ? MESSAGE_HAS_CODE : 0) |
	       (strstr(text, "AND") ? MESSAGE_HAS_LINK : 0);
}

static void add_one(void)
{
	const char *text = write_text();
	bool known;
	int64_t id;

	now_ms += rand() % 50 ? rand() % 2000 : (rand() % 3 - 1) * 500000;
	if (rand() % 3 == 0) {
		struct store_message_draft draft = { .sim_id = 1,
						     .client_id = 7,
						     .number = write_number(),
						     .text = text,
						     .segments = 1,
						     .state = STATE_SCHEDULED };

		assert_int_equal(store_message_add(store, &draft, &id), 0);
		return;
	}
	assert_int_equal(step_add_incoming(
				 store,
				 &(struct store_incoming_draft){ .sim_id = 1,
								 .reported_ms = now_ms,
								 .number = write_number(),
								 .text = text,
								 .sent_time = "",
								 .flags = judge(text) },
				 &id, &known),
			 0);
	if (rand() % 2)
		assert_int_equal(
			store_incoming_mark_read(store, &id, 1, &(unsigned){ 0 }), 0);
}

static void remove_one(int64_t id)
{
	char order[200];

	assert_int_equal(store_index_forget(store, id), 0);
	snprintf(order, sizeof(order),
		 "DELETE FROM message_change WHERE message_id = %lld;"
		 "DELETE FROM message WHERE id = %lld;",
		 (long long)id, (long long)id);
	run_sql(order);
}

static void edit_one(int64_t id, const char *text)
{
	const struct store_message_draft draft = { .sim_id = 1,
						   .client_id = 7,
						   .number = "+36201234561",
						   .text = text,
						   .segments = 1,
						   .created_ms = now_ms,
						   .state = STATE_SCHEDULED };

	assert_int_equal(store_edit_message(store, id, &draft, true), 0);
}

/* An edit, or a removal. */
static void change_one(void)
{
	if (rand() % 2) {
		edit_one(number_of("SELECT id FROM message WHERE direction = 0"
				   " ORDER BY random() LIMIT 1"),
			 write_text());
		return;
	}
	assert_int_equal(store_begin(store), 0);
	remove_one(number_of("SELECT id FROM message ORDER BY random() LIMIT 1"));
	assert_int_equal(store_end(store, 0), 0);
}

static bool matches(const struct store_listing_filter *filter,
		    const struct message *message)
{
	unsigned kinds = judge(message->text);

	if (filter->kind == MESSAGE_KIND_CODE)
		return kinds & MESSAGE_HAS_CODE;
	return filter->kind != MESSAGE_KIND_LINK || kinds & MESSAGE_HAS_LINK;
}

static bool note_fast(void *data, const struct message *message)
{
	assert_true(fast_count < MOST);
	if (matches(data, message))
		fast[fast_count++] = message->id;
	return true;
}

static void ask_fast(struct store_listing_filter *filter)
{
	struct store_listing_query query = { .filter = *filter,
					     .visit = note_fast,
					     .data = filter };
	unsigned rows = rand() % 2 ? 256 : 1 + (unsigned)rand() % 40;
	int error;

	query.is_sharded = rand() % 2;
	fast_count = 0;
	do
		error = store_listing_messages(store, &query, rows);
	while (error == STORE_E_MORE);
	assert_int_equal(error, 0);
}

/* One statement that knows no index. */
static void ask_slow(const struct store_listing_filter *filter)
{
	sqlite3_stmt *statement = NULL;
	struct message message;
	char order[900];
	char *search = sqlite3_mprintf("%q", filter->search ? filter->search : "");

	snprintf(order, sizeof(order),
		 "SELECT * FROM message NOT INDEXED WHERE text_contains(text, '%s')"
		 " AND (%d = 0 OR direction = 1) AND (%d = 0 OR created >= %lld)"
		 " AND (%d = 0 OR created < %lld) AND ('%s' = '' OR"
		 " substr(replace(phone_number, ' ', ''), -9) = substr('%s', -9))"
		 " AND (%d = 0 OR (direction = 1 AND read_at = 0))"
		 " AND (%d = 0 OR direction = 1) AND (%lld = 0 OR id > %lld)"
		 " ORDER BY id %s",
		 search, filter->incoming_only, filter->since_ms != 0,
		 (long long)filter->since_ms, filter->until_ms != 0,
		 (long long)filter->until_ms, filter->number ? filter->number : "",
		 filter->number ? filter->number : "", filter->unread_only,
		 filter->kind != 0, (long long)filter->after_id,
		 (long long)filter->after_id, filter->after_id ? "ASC" : "DESC");
	sqlite3_free(search);
	assert_int_equal(sqlite3_prepare_v2(store->database, order, -1, &statement, NULL),
			 SQLITE_OK);
	slow_count = 0;
	while (sqlite3_step(statement) == SQLITE_ROW) {
		message.id = sqlite3_column_int64(statement, 0);
		message.text = (const char *)sqlite3_column_text(statement, 5);
		if (matches(filter, &message))
			slow[slow_count++] = message.id;
	}
	sqlite3_finalize(statement);
}

static void compare_one(void)
{
	char phrase[500];
	struct store_listing_filter filter = { .incoming_only = rand() % 3 == 0,
					       .unread_only = rand() % 8 == 0 };

	snprintf(phrase, sizeof(phrase), "%s%s%s", pick(), rand() % 2 ? " " : "",
		 rand() % 2 ? pick() : "");
	if (rand() % 4)
		filter.search = phrase;
	if (rand() % 4 == 0)
		filter.number = "+36201234562";
	if (rand() % 3 == 0)
		filter.since_ms = now_ms - rand() % 1500000;
	if (rand() % 3 == 0)
		filter.until_ms = now_ms - rand() % 1500000;
	if (rand() % 4 == 0)
		filter.after_id = 1 + rand() % MESSAGES;
	if (rand() % 4 == 0) {
		filter.kind = 1 + rand() % 2;
		filter.incoming_only = true;
	}
	ask_slow(&filter);
	ask_fast(&filter);
	if (slow_count != fast_count ||
	    memcmp(slow, fast, slow_count * sizeof(*slow)) != 0)
		fail_msg("\"%s\"%s, kind %d, number %s, since %lld, until %lld, after "
			 "%lld: %zu found, %zu expected",
			 phrase, filter.search ? "" : " (not asked)", filter.kind,
			 filter.number ? filter.number : "any",
			 (long long)filter.since_ms, (long long)filter.until_ms,
			 (long long)filter.after_id, fast_count, slow_count);
}

static void compare(int count)
{
	for (int i = 0; i < count; i++)
		compare_one();
}

static void assert_index_is_sound(void)
{
	run_sql("INSERT INTO message_text (message_text) VALUES ('integrity-check');");
}

static void work(int steps)
{
	struct store_index_pass pass = { .judge = judge };

	for (int i = 0; i < steps && !pass.done; i++)
		assert_int_equal(store_index_step(store, &pass), 0);
}

static void set_up_messages(unsigned seed)
{
	static const struct clock_source told = { told_clock, told_clock };

	srand(seed);
	clock_set_source(&told);
	open_store();
	assert_int_equal(identify("8936", "216301234567890"), 1);
	assert_int_equal(store_index_begin(store, "test"), 0);
	for (int i = 0; i < MESSAGES; i++)
		add_one();
}

FIXTURE(store_set_up, store_tear_down)

TEST(test_the_index_finds_what_reading_finds)
{
	set_up_messages(1);
	compare(QUESTIONS);
	for (int i = 0; i < 200; i++)
		change_one();
	compare(QUESTIONS);
	assert_index_is_sound();
	work(INT_MAX);
	compare(QUESTIONS);
}

TEST(test_searching_meanwhile_finds_the_same)
{
	set_up_messages(2);
	run_sql("INSERT INTO message_text (message_text) VALUES ('delete-all');"
		"DELETE FROM message_kind; DELETE FROM message_span;"
		"UPDATE message_index SET text_from = (SELECT max(id) + 1 FROM message),"
		" kind_from = (SELECT max(id) + 1 FROM message), kind_version = ''");
	assert_int_equal(store_index_begin(store, "test"), 0);
	for (int i = 0; i < 30; i++) {
		work(1);
		add_one();
		change_one();
		compare(30);
	}
	assert_int_equal(number_of("SELECT text_from + kind_from FROM message_index"), 0);
	assert_index_is_sound();
}

/* The pages of the index no longer contain pieces of them. */
TEST(test_removed_texts_leave_the_index)
{
	int64_t id;

	set_up_messages(3);
	id = number_of("SELECT min(id) FROM message WHERE direction = 0");
	edit_one(id, "qzjx secret qzjx");
	assert_true(number_of("SELECT count(*) FROM message_text_data"
			      " WHERE instr(block, CAST('zjx' AS BLOB))") > 0);
	edit_one(id, "other");
	work(INT_MAX);
	assert_int_equal(number_of("SELECT outdated FROM message_index"), 0);
	assert_int_equal(number_of("SELECT count(*) FROM message_text_data"
				   " WHERE instr(block, CAST('zjx' AS BLOB))"),
			 0);
}
