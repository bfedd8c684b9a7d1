/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The indexes of a store that had messages before it had indexes: made in steps, each as a whole
 * or not at all, whenever the process dies.
 */
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>

#include "unit_test.h"
#include "base/clock.h"
#include "store/store_database.h"
#include "store/store_index.h"
#include "store/store_internal.h"
#include "store/store_listing.h"
#include "store/store_retention.h"
#include "store_bench.h"

enum { MESSAGES = 6000, RARE = 37, KILLS = 12 };

static unsigned judge(const char *text)
{
	return strstr(text, "code") ? MESSAGE_HAS_CODE : 0;
}

/* A store of schema 18: the triggers and tables of the indexes are not there yet. */
static void make_old(void)
{
	char rows[900];

	snprintf(
		rows, sizeof(rows),
		"INSERT INTO sim VALUES (1, '8936', NULL, 5);"
		"DELETE FROM file_identity;"
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i "
		"< %d) INSERT INTO message (direction, sim_id, phone_number, text, "
		"state, created, changed) SELECT 1, 1, '+36' || (i %% 90),"
		" CASE WHEN i %% %d THEN 'an ordinary text ' || i ELSE 'a code ' || i "
		"END,"
		" 9, i * 1000, i * 1000 FROM n;",
		MESSAGES, RARE);
	open_store(); /* makes the folder */
	make_old_ledger(18, rows);
}

static bool count_one(void *data, const struct message *message)
{
	assert_true(message->id > 0);
	++*(size_t *)data;
	return true;
}

static size_t count_found(const struct store_listing_filter *filter)
{
	size_t count = 0;
	struct store_listing_query query = { .filter = *filter,
					     .visit = count_one,
					     .data = &count };
	int error;

	do
		error = store_listing_messages(store, &query, 256);
	while (error == STORE_E_MORE);
	assert_int_equal(error, 0);
	return count;
}

static void assert_found(void)
{
	assert_int_equal(
		count_found(&(struct store_listing_filter){ .search = "a CODE" }),
		MESSAGES / RARE);
	assert_int_equal(count_found(&(struct store_listing_filter){
				 .search = "TEXT 5", .since_ms = 1000000 }),
			 sql("SELECT count(*) FROM message"
			     " WHERE text LIKE '%text 5%' AND created >= 1000000"));
	assert_int_equal(count_found(&(struct store_listing_filter){
				 .since_ms = 2000000, .until_ms = 3000000 }),
			 1000);
}

/* False: it is done. */
static bool step(struct store_index_pass *pass)
{
	assert_int_equal(store_index_step(store, pass), 0);
	return !pass->done;
}

static void finish(void)
{
	struct store_index_pass pass = { .judge = judge };

	while (step(&pass))
		;
}

static void assert_complete(void)
{
	int64_t known = -1;

	assert_int_equal(sql("SELECT text_from + kind_from FROM message_index"), 0);
	assert_int_equal(sql("SELECT count(*) FROM message_kind"), MESSAGES / RARE);
	assert_int_equal(sql("SELECT count(*) FROM message_span"), MESSAGES / 256);
	assert_int_equal(sqlite3_exec(store->database,
				      "INSERT INTO message_text (message_text)"
				      " VALUES ('integrity-check')",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	/* each exactly once */
	sqlite3_exec(store->database, "DROP TABLE IF EXISTS temp.pieces", NULL, NULL,
		     NULL);
	assert_int_equal(sqlite3_exec(store->database,
				      "CREATE VIRTUAL TABLE temp.pieces USING"
				      " fts5vocab(main, message_text, row)",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	store_database_read_integer(store->database,
				    "SELECT doc FROM temp.pieces WHERE term = 'cod'",
				    &known);
	assert_int_equal(known, MESSAGES / RARE);
}

FIXTURE(store_set_up, store_tear_down)

TEST(test_an_older_store_is_searched_before_during_and_after)
{
	struct store_index_pass pass = { .judge = judge };

	make_old();
	open_store();
	assert_int_equal(sql("SELECT count(*) FROM message_text_idx"), 0); /* no wait */
	assert_int_equal(store_index_begin(store, "1"), 0);
	assert_found();
	for (int i = 0; step(&pass); i++) {
		if (i % 8 == 0)
			assert_found();
	}
	assert_found();
	assert_complete();
}

/* Steps as fast as it can, and writes an octet after each; the parent kills it somewhere. */
static void work_until_killed(int steps_fd)
{
	struct explanation error = { "" };
	struct store_index_pass pass = { .judge = judge };

	if (store_open(folder, &store, &error) || store_index_begin(store, "1"))
		_exit(1);
	while (!pass.done && store_index_step(store, &pass) == 0 &&
	       write(steps_fd, "", 1) == 1)
		;
	_exit(0);
}

/* After so many steps, in the middle of one. */
static void kill_after(int steps)
{
	int ends[2];
	pid_t child;
	char octet;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(ends[0]);
		work_until_killed(ends[1]);
	}
	close(ends[1]);
	while (steps-- && read(ends[0], &octet, 1) == 1)
		;
	kill(child, SIGKILL);
	close(ends[0]);
	waitpid(child, NULL, 0);
}

TEST(test_kills_lose_and_double_nothing)
{
	make_old();
	for (int i = 0; i < KILLS; i++) {
		kill_after(i * 5 % 17);
		open_store();
		assert_int_equal(sql("SELECT count(*) FROM message"), MESSAGES);
		assert_found();
		store_close(store);
		store = NULL;
	}
	open_store();
	assert_int_equal(store_index_begin(store, "1"), 0);
	finish();
	assert_found();
	assert_complete();
}

TEST(test_kinds_of_another_version_are_found_anew)
{
	make_old();
	open_store();
	assert_int_equal(store_index_begin(store, "1"), 0);
	finish();
	sql("INSERT INTO message_kind VALUES (2, 7) RETURNING 1");
	reopen_store();
	assert_int_equal(store_index_begin(store, "1"), 0);
	finish();
	assert_int_equal(sql("SELECT count(*) FROM message_kind WHERE kind = 2"), 1);
	assert_int_equal(store_index_begin(store, "2"), 0);
	finish();
	assert_complete();
}

/* As retention does: with the message, its pieces and its kind go, too. */
TEST(test_removed_messages_leave_the_indexes)
{
	struct store_retention retention = { .border_id = MESSAGES / 2 + 1 };

	make_old();
	open_store();
	assert_int_equal(store_index_begin(store, "1"), 0);
	finish();
	while (!retention.done)
		assert_int_equal(store_retention_step(store, &retention), 0);
	assert_int_equal(retention.removed, MESSAGES / 2);
	finish();
	assert_int_equal(
		count_found(&(struct store_listing_filter){ .search = "a code" }),
		MESSAGES / RARE - MESSAGES / 2 / RARE);
	assert_int_equal(sql("SELECT count(*) FROM message_kind"),
			 MESSAGES / RARE - MESSAGES / 2 / RARE);
	assert_int_equal(sql("SELECT min(block) FROM message_span"), MESSAGES / 2 / 256);
	assert_int_equal(sql("SELECT outdated FROM message_index"), 0);
}
