/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A commit is written to the -wal at once, with the same bytes that SQLite writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store_bench.h"

#include "store/store_wal_writer.h"

/* A VFS whose -wal counts writes and can refuse them. */
static sqlite3_vfs *usual, counted;
static sqlite3_io_methods counted_methods;
static const sqlite3_io_methods *usual_methods;
static int writes;
static bool refuses;

static int count_write(sqlite3_file *file, const void *bytes, int amount,
		       sqlite3_int64 offset)
{
	writes++;
	return refuses ? SQLITE_FULL : usual_methods->xWrite(file, bytes, amount, offset);
}

static int open_counted(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
			int *flags_out)
{
	int result = usual->xOpen(usual, name, file, flags, flags_out);

	(void)vfs;
	if (result != SQLITE_OK || !(flags & SQLITE_OPEN_WAL))
		return result;
	usual_methods = file->pMethods;
	counted_methods = *usual_methods;
	counted_methods.xWrite = count_write;
	file->pMethods = &counted_methods;
	return result;
}

/* Runs before the store looks for the default VFS. */
static int count_writes(void **state)
{
	(void)state;
	usual = sqlite3_vfs_find(NULL);
	counted = *usual;
	counted.zName = "counted";
	counted.xOpen = open_counted;
	return sqlite3_vfs_register(&counted, 1);
}

static void test_a_commit_is_one_write(void **state)
{
	(void)state;
	open_store();
	add_message("first");
	writes = 0;
	add_message("second");
	assert_int_equal(writes, 1);
	assert_int_equal(sql("SELECT count(*) FROM message"), 2);
}

static void test_a_refused_commit_leaves_nothing_behind(void **state)
{
	struct store_message_draft draft = { .client_id = 7,
					     .number = "+361",
					     .text = "no" };
	int64_t message_id = -1;

	(void)state;
	open_store();
	draft.sim_id = identify("8936", "");
	add_message("first");
	refuses = true;
	assert_int_equal(store_message_add(store, &draft, &message_id), STORE_E_FULL);
	refuses = false;
	assert_int_equal(sql("SELECT count(*) FROM message"), 1);
	add_message("second");
	reopen_store();
	assert_int_equal(sql("SELECT count(*) FROM message"), 2);
	assert_int_equal(sql("SELECT integrity_check = 'ok' FROM pragma_integrity_check"),
			 1);
}

static sqlite3 *connect_gathering(void)
{
	sqlite3 *database;

	assert_int_equal(sqlite3_open_v2(path, &database,
					 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
					 store_wal_writer_vfs()),
			 SQLITE_OK);
	assert_int_equal(sqlite3_exec(database,
				      "PRAGMA journal_mode = WAL; PRAGMA cache_size = 4;"
				      "PRAGMA wal_autocheckpoint = 0;"
				      "CREATE TABLE t (id INTEGER PRIMARY KEY, text)",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	return database;
}

/* The files as kill -9 leaves them, without -shm. */
static void copy(const char *suffix)
{
	char command[320];

	snprintf(command, sizeof(command), "cp %s%s %s/copy.db%s", path, suffix, root,
		 suffix);
	assert_int_equal(system(command), 0);
}

/* Pages leave the cache before the commit, are read again, and written again. */
static void test_a_commit_larger_than_the_cache(void **state)
{
	sqlite3 *database;

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	database = connect_gathering();
	assert_int_equal(
		sqlite3_exec(database,
			     "BEGIN; WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL"
			     " SELECT i + 1 FROM n WHERE i < 500)"
			     " INSERT INTO t SELECT i, hex(randomblob(300)) FROM n;"
			     "UPDATE t SET text = text || id;"
			     "UPDATE t SET text = 'last' || text || id; COMMIT",
			     NULL, NULL, NULL),
		SQLITE_OK);
	copy("");
	copy("-wal");
	assert_int_equal(sql("SELECT count(*) FROM t WHERE text LIKE 'last%'"), 500);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
	snprintf(path, sizeof(path), "%s/copy.db", root);
	assert_int_equal(sql("SELECT count(*) FROM t WHERE text LIKE 'last%'"), 500);
	assert_int_equal(sql("SELECT integrity_check = 'ok' FROM pragma_integrity_check"),
			 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_commit_is_one_write, store_set_up,
						store_tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_refused_commit_leaves_nothing_behind, store_set_up,
			store_tear_down),
		cmocka_unit_test_setup_teardown(test_a_commit_larger_than_the_cache,
						store_set_up, store_tear_down),
	};

	return cmocka_run_group_tests(tests, count_writes, NULL);
}
