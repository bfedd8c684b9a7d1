/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Full disks, damaged files, crashes, other programs: nothing is lost or half done. */
#include "unit_test.h"
#include <sys/wait.h>

#include "store_bench.h"

FIXTURE(store_set_up, store_tear_down)

TEST(test_a_full_disk_changes_nothing)
{
	struct store_message_draft draft = { 1, 0, "+36201234567", "y", 1 };
	uint8_t hash[CLIENT_HASH_BYTES] = { 9 };
	int64_t id, sim_id = 42, other = 42;

	open_store();
	id = add_message("x");
	fill_disk(true);
	assert_int_equal(store_message_add(store, &draft, &other), STORE_E_FULL);
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, NULL, NULL),
			 STORE_E_FULL);
	assert_int_equal(store_sim_identify(store, "NEW", "", &sim_id), STORE_E_FULL);
	assert_int_equal(store_client_add(store, &NAMED("c"), hash, &other),
			 STORE_E_FULL);
	assert_int_equal(sim_id, 42);
	assert_int_equal(other, 42);
	/* reading works, and a known card stays known though it cannot be completed */
	assert_int_equal(state_of(id), STATE_QUEUED);
	assert_int_equal(identify("8936", "216"), 1);
	fill_disk(false);
	assert_int_equal(state_of(id), STATE_QUEUED);
	assert_history(id, "queued() ");
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, NULL, NULL), 0);
	assert_int_equal(store_message_add(store, &draft, &other), 0);
	assert_int_equal(other, id + 1);
	reopen_store();
	assert_int_equal(state_of(id), STATE_SUBMITTING);
	assert_int_equal(state_of(other), STATE_QUEUED);
}

/* What is written into a file without a name ends with the process. */
TEST(test_nothing_is_stored_while_the_file_is_gone)
{
	struct store_message_draft draft = { 1, 0, "+36201234567", "y", 1 };
	char file[128], aside[128];
	int64_t id, other = 42;

	open_store();
	id = add_message("x");
	snprintf(file, sizeof(file), "%s/gateway.db", folder);
	snprintf(aside, sizeof(aside), "%s/aside", folder);
	assert_return_code(rename(file, aside), errno);
	assert_false(store_is_gone(store));
	assert_int_equal(store_message_add(store, &draft, &other), STORE_E_FULL);
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, NULL, NULL),
			 STORE_E_FULL);
	assert_true(store_is_gone(store));
	assert_int_equal(other, 42);
	assert_int_equal(state_of(id), STATE_QUEUED);

	assert_return_code(rename(aside, file), errno);
	assert_false(store_is_gone(store));
	assert_int_equal(store_message_add(store, &draft, &other), 0);
	reopen_store();
	assert_int_equal(state_of(other), STATE_QUEUED);
}

/*
 * The disk fills at every possible point of a change: the whole change is stored, or
 * nothing.
 */
TEST(test_a_disk_that_fills_during_a_change_undoes_it)
{
	char text[20001];
	struct store_message_draft draft = { 1, 0, "+36201234567", text, 1 };
	struct rlimit limit;
	char wal[128];
	struct stat status;
	int64_t id = 0, done = 0;
	rlim_t room;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	open_store();
	add_message("x");
	snprintf(wal, sizeof(wal), "%s-wal", path);
	signal(SIGXFSZ, SIG_IGN);
	for (room = 1; room < 60000; room += 997) {
		int error;

		assert_int_equal(stat(wal, &status), 0);
		getrlimit(RLIMIT_FSIZE, &limit);
		limit.rlim_cur = (rlim_t)status.st_size + room;
		setrlimit(RLIMIT_FSIZE, &limit);
		error = store_message_add(store, &draft, &id);
		fill_disk(false);
		done += !error;
		assert_true(!error || error == STORE_E_FULL);
		assert_int_equal(sql("SELECT count(*) FROM message"), 1 + done);
		assert_int_equal(sql("SELECT count(*) FROM message_change"), 1 + done);
	}
	assert_true(done > 0);
}

static void write_file(const char *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
}

/* Opening fails with a text that names the file; not one byte of it changes. */
static void assert_refused(int expected, const char *word)
{
	struct explanation error = { "" };
	struct stat before = { 0 }, after = { 0 }; /* there may be no file */

	stat(path, &before);
	assert_int_equal(store_open(folder, &store, &error), expected);
	assert_null(store);
	stat(path, &after);
	assert_int_equal(before.st_size, after.st_size);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_non_null(strstr(error.text, path));
	assert_non_null(strstr(error.text, word));
	assert_non_null(strstr(error.text, "move"));
}

static void assert_damaged(void)
{
	assert_refused(-EUCLEAN, "damaged");
}

TEST(test_random_bytes_are_refused)
{
	char bytes[10000];
	size_t i;

	mkdir(folder, 0700);
	srand(1);
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)rand();
	write_file(bytes, sizeof(bytes));
	assert_damaged();
	write_file(bytes, 50);
	assert_damaged();
}

static off_t fill_store(void)
{
	struct stat status;
	int i;

	open_store();
	for (i = 0; i < 200; i++)
		add_message("a text that takes some room");
	store_close(store);
	store = NULL;
	assert_int_equal(stat(path, &status), 0);
	return status.st_size;
}

TEST(test_a_truncated_database_is_refused)
{
	off_t size = fill_store();

	/* more than the end of one row, which no check of the pages examines */
	assert_int_equal(truncate(path, size - 3000), 0);
	assert_damaged();
	assert_int_equal(truncate(path, size / 2), 0);
	assert_damaged();
	assert_int_equal(truncate(path, 4096), 0);
	assert_damaged();
	assert_int_equal(truncate(path, 1000), 0);
	assert_damaged();
}

TEST(test_a_garbled_page_is_refused)
{
	off_t size = fill_store();
	char bytes[4096];
	int fd = open(path, O_WRONLY);

	memset(bytes, 0x55, sizeof(bytes));
	assert_int_equal(pwrite(fd, bytes, sizeof(bytes), size / 2 / 4096 * 4096),
			 sizeof(bytes));
	close(fd);
	assert_damaged();
}

TEST(test_a_newer_schema_is_refused)
{
	open_store();
	store_close(store);
	store = NULL;
	sql("PRAGMA user_version = 99");
	assert_refused(-ENOTSUP, "newer");
}

TEST(test_a_schema_from_before_the_first_release_is_refused)
{
	static const char *const versions[] = { "PRAGMA user_version = 8",
						"PRAGMA user_version = 1",
						"PRAGMA user_version = -5" };

	open_store();
	store_close(store);
	store = NULL;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		sql(versions[i]);
		assert_refused(-ENOTSUP, "before its first release");
	}
}

/* A database gets its name when it is complete: an empty one had contents before. */
TEST(test_an_empty_file_is_damage)
{
	mkdir(folder, 0700);
	write_file("", 0);
	assert_damaged();
}

/* A folder of that name is not damage, and stays as it is. */
TEST(test_a_folder_of_that_name_is_refused)
{
	struct explanation error = { "" };
	struct stat status;

	mkdir(folder, 0700);
	mkdir(path, 0755);
	assert_int_equal(store_open(folder, &store, &error), -EINVAL);
	assert_non_null(strstr(error.text, path));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0755);
}

TEST(test_a_dangling_link_is_refused)
{
	struct explanation error = { "" };

	mkdir(folder, 0700);
	assert_return_code(symlink("/nonexistent/gateway.db", path), errno);
	assert_int_equal(store_open(folder, &store, &error), -ENOENT);
	assert_non_null(strstr(error.text, "No such file or directory"));
}

static bool exists(const char *name)
{
	struct stat status;

	return !lstat(name, &status);
}

/* SQLite would apply it to the next database of this name. */
TEST(test_a_wal_without_database_is_damage)
{
	char wal[128], moved[128];

	open_store();
	add_message("x");
	snprintf(wal, sizeof(wal), "%s-wal", path);
	snprintf(moved, sizeof(moved), "%s.moved", path);
	assert_int_equal(rename(path, moved), 0);
	store_close(store);
	store = NULL;
	write_file("x", 1);
	assert_int_equal(rename(path, wal), 0);
	assert_damaged();
	assert_false(exists(path));
}

/* No file has this name until the first schema is complete. */
TEST(test_a_crash_in_the_first_start_leaves_no_database)
{
	struct explanation error = { "" };

	fill_disk(true);
	assert_int_equal(store_open(folder, &store, &error), -ENOSPC);
	assert_non_null(strstr(error.text, path));
	assert_false(exists(path));
	fill_disk(false);
	open_store();
	assert_int_equal(sql("PRAGMA auto_vacuum"), 2);
}

/* Holds an exclusive lock until its end of the pipe is closed. */
static void lock_database(int ready, int finish)
{
	sqlite3 *database;
	char byte = 0;

	sqlite3_open(path, &database);
	sqlite3_exec(database, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;", NULL,
		     NULL, NULL);
	if (write(ready, &byte, 1) != 1 || read(finish, &byte, 1) != 0)
		_exit(1);
	sqlite3_close(database);
	_exit(0);
}

TEST(test_a_locked_database_is_refused)
{
	struct explanation error = { "" };
	int ready[2], finish[2], status;
	char byte;
	pid_t child;

	open_store();
	store_close(store);
	store = NULL;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(finish), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(finish[1]);
		lock_database(ready[1], finish[0]);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(store_open(folder, &store, &error), -EBUSY);
	assert_non_null(strstr(error.text, path));
	assert_non_null(strstr(error.text, "locked"));
	close(finish[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(finish[0]);
	close(ready[0]);
	close(ready[1]);
	open_store();
}

/* A message survives a kill after store_message_add() returned 0. */
TEST(test_a_stored_message_survives_a_kill)
{
	int64_t id = 0;
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		open_store();
		id = add_message("x");
		step_move_message(store, id, STATE_SUBMITTING, NULL, NULL);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	open_store();
	assert_int_equal(state_of(1), STATE_SUBMITTING);
	assert_history(1, "queued() submitting() ");
}

TEST(test_tables_of_another_program_are_refused)
{
	struct explanation error = { "" };

	mkdir(folder, 0700);
	sql("CREATE TABLE message (something)");
	assert_true(store_open(folder, &store, &error) < 0);
	assert_non_null(strstr(error.text, path));
	assert_int_equal(sql("PRAGMA user_version"), 0);
	assert_int_equal(sql("SELECT count(*) FROM sqlite_schema"), 1);
}
