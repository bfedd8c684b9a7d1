/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file it is: the one that was used last, or a copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/store_identity.h"
#include "store/store.h"
#include "store/store_internal.h"
#include "store_bench.h"

static void open_gateway(void)
{
	struct explanation error = { "" };

	store_close(store);
	store = NULL;
	if (store_open_or_rescue(folder, &store, &error))
		fail_msg("%s", error.text);
}

static bool is_here(void)
{
	return store_identity_matches(store->database, folder);
}

static int64_t epoch(void)
{
	return sql("SELECT epoch FROM place");
}

static bool mark_is_there(int64_t number)
{
	char mark[128];

	snprintf(mark, sizeof(mark), "%s/gateway.mark-%lld", folder, (long long)number);
	return access(mark, F_OK) == 0;
}

static void test_each_start_makes_a_mark(void **state)
{
	(void)state;
	for (int64_t start = 1; start < 5; start++) {
		open_gateway();
		assert_true(is_here());
		assert_int_equal(epoch(), start);
		assert_true(mark_is_there(start));
		assert_false(mark_is_there(start - 1));
	}
}

/* What the owner's commands do without the gateway notes nothing, and is no copy. */
static void test_others_open_it(void **state)
{
	(void)state;
	open_gateway();
	reopen_store();
	assert_true(is_here());
	assert_int_equal(epoch(), 1);
	open_gateway();
	assert_int_equal(epoch(), 2);
}

static void test_what_makes_a_copy(void **state)
{
	static const struct {
		const char *change;
		bool is_here;
	} cases[] = {
		{ "file = file + 1", false },
		{ "born = born + 1", false },
		{ "mark = mark + 1", false },
		{ "marked = marked - 1", false },
		{ "epoch = epoch + 1", false },
		{ "device = device + 1", false }, /* a snapshot that is mounted there */
		/* after a start of the machine devices may have other numbers */
		{ "boot = 1, device = device + 1", true },
		{ "boot = 1, system = system + 1", false },
		{ "boot = 0, device = device + 1", true },
		{ "boot = 0, system = system + 1", false },
		/* a file system without an ID */
		{ "boot = 1, system = 0", true },
		{ "boot = 1, system = 0, device = device + 1", false },
		{ "system = system + 1", true }, /* in the same start the device counts */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[160];

		open_gateway();
		sql_script("CREATE TABLE was AS SELECT * FROM place");
		snprintf(text, sizeof(text), "UPDATE place SET %s", cases[i].change);
		sql_script(text);
		if (is_here() != cases[i].is_here)
			fail_msg("%s", cases[i].change);
		sql_script("DELETE FROM place; INSERT INTO place SELECT * FROM was;"
			   "DROP TABLE was");
		assert_true(is_here());
	}
}

static void touch(const char *name)
{
	assert_int_equal(utimensat(AT_FDCWD, name, NULL, 0), 0);
}

/* The mark is read by others, and given another name with its folder: that is no copy. */
static void test_the_mark(void **state)
{
	char mark[128], moved[128];

	(void)state;
	open_gateway();
	snprintf(mark, sizeof(mark), "%s/gateway.mark-1", folder);
	snprintf(moved, sizeof(moved), "%s.moved", folder);
	assert_int_equal(rename(folder, moved), 0);
	assert_int_equal(rename(moved, folder), 0);
	assert_true(is_here());
	touch(mark); /* as what writes to it does */
	assert_false(is_here());
	assert_int_equal(unlink(mark), 0);
	assert_false(is_here());
}

/* A crash between any two steps leaves one mark that counts, and what waits goes on waiting. */
static void test_killed_between(void **state)
{
	char other[128];
	int64_t id;

	(void)state;
	open_gateway();
	id = add_message("x");
	snprintf(other, sizeof(other), "%s/gateway.mark-2", folder);
	close(open(other, O_WRONLY | O_CREAT, 0600)); /* before the commit */
	open_gateway();
	assert_int_equal(state_of(id), STATE_QUEUED);
	assert_int_equal(epoch(), 3);
	assert_false(mark_is_there(1));
	snprintf(other, sizeof(other), "%s/gateway.mark-1", folder);
	close(open(other, O_WRONLY | O_CREAT, 0600)); /* after it */
	open_gateway();
	assert_int_equal(state_of(id), STATE_QUEUED);
	assert_false(mark_is_there(1));
	assert_false(mark_is_there(2));
	assert_false(mark_is_there(3));
	assert_true(mark_is_there(4));
}

/* A store of an older version, put in the place of one that has marks. */
static void test_an_older_version(void **state)
{
	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	make_old_ledger(9, "INSERT INTO sim (iccid, first_seen) VALUES ('A', 1);"
			   "INSERT INTO message (sim_id, number, text, state, created,"
			   " changed) VALUES (1, '+36', 'x', 1, 1, 1)");
	open_gateway();
	assert_int_equal(state_of(1), STATE_QUEUED); /* as after an upgrade */
	make_old_ledger(9, "INSERT INTO sim (iccid, first_seen) VALUES ('A', 1);"
			   "INSERT INTO message (sim_id, number, text, state, created,"
			   " changed) VALUES (1, '+36', 'x', 1, 1, 1)");
	open_gateway();
	assert_int_equal(state_of(1), STATE_UNKNOWN);
}

/* The last note holds. */
static void test_a_full_disk(void **state)
{
	(void)state;
	open_gateway();
	fill_disk(true);
	assert_true(store_identity_record(store->database, folder) < 0);
	fill_disk(false);
	assert_true(is_here());
	assert_int_equal(epoch(), 1);
	assert_false(mark_is_there(2));
	assert_int_equal(store_identity_record(store->database, folder), 0);
	assert_true(is_here());
	assert_int_equal(epoch(), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_start_makes_a_mark), TEST(test_others_open_it),
		TEST(test_what_makes_a_copy),	    TEST(test_the_mark),
		TEST(test_killed_between),

		TEST(test_an_older_version),	    TEST(test_a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
