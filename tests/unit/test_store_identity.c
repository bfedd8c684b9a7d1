/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The identity of the file: the one that was used last, or a copy. */
#include "unit_test.h"
#include "store/store_database.h"
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
	return sql("SELECT epoch FROM file_identity");
}

static bool mark_is_there(int64_t number)
{
	char mark[128];

	snprintf(mark, sizeof(mark), "%s/gateway.mark-%lld", folder, (long long)number);
	return access(mark, F_OK) == 0;
}

FIXTURE(store_set_up, store_tear_down)

TEST(test_each_start_makes_a_mark)
{
	for (int64_t start = 1; start < 5; start++) {
		open_gateway();
		assert_true(is_here());
		assert_int_equal(epoch(), start);
		assert_true(mark_is_there(start));
		assert_false(mark_is_there(start - 1));
	}
}

/* The owner's commands without a gateway store no identity, and make no copy. */
TEST(test_other_commands_store_no_identity)
{
	open_gateway();
	reopen_store();
	assert_true(is_here());
	assert_int_equal(epoch(), 1);
	open_gateway();
	assert_int_equal(epoch(), 2);
}

TEST(test_each_difference_makes_it_a_copy)
{
	static const struct {
		const char *change;
		bool is_here;
	} cases[] = {
		{ "file = file + 1", false },
		{ "file_born = file_born + 1", false },
		{ "mark = mark + 1", false },
		{ "mark_born = mark_born + 1", false },
		{ "mark_born = 0", true }, /* not known */
		{ "epoch = epoch - 1", false },
		{ "epoch = epoch + 1", true }, /* a crash before the mark advanced */
		{ "epoch = epoch + 2", false },
		{ "device = device + 1", false }, /* a snapshot that is mounted there */
		/* after a reboot devices may have other numbers */
		{ "boot = 1, device = device + 1", true },
		{ "boot = 1, file_system = file_system + 1", false },
		{ "boot = 0, device = device + 1", true },
		{ "boot = 0, file_system = file_system + 1", false },
		/* a file system without an ID */
		{ "boot = 1, file_system = 0", true },
		{ "boot = 1, file_system = 0, device = device + 1", false },
		{ "file_system = file_system + 1",
		  true }, /* within one boot the device counts */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[160];

		open_gateway();
		sql_script("CREATE TABLE was AS SELECT * FROM file_identity");
		snprintf(text, sizeof(text), "UPDATE file_identity SET %s",
			 cases[i].change);
		sql_script(text);
		if (is_here() != cases[i].is_here)
			fail_msg("%s", cases[i].change);
		sql_script("DELETE FROM file_identity; INSERT INTO file_identity SELECT "
			   "* FROM was;"
			   "DROP TABLE was");
		assert_true(is_here());
	}
}

static void touch(const char *name)
{
	assert_int_equal(utimensat(AT_FDCWD, name, NULL, 0), 0);
}

/* Reading the mark, or moving it with its folder, makes no copy. */
TEST(test_reading_the_mark_or_moving_the_folder_makes_no_copy)
{
	char mark[128], moved[128];

	open_gateway();
	snprintf(mark, sizeof(mark), "%s/gateway.mark-1", folder);
	snprintf(moved, sizeof(moved), "%s.moved", folder);
	assert_int_equal(rename(folder, moved), 0);
	assert_int_equal(rename(moved, folder), 0);
	assert_true(is_here());
	touch(mark); /* as chown and chmod change it, too */
	assert_true(is_here());
	assert_int_equal(unlink(mark), 0);
	assert_false(is_here());
}

/* A crash between any two steps leaves one valid mark, and unfinished messages go on. */
TEST(test_a_crash_between_any_two_steps_makes_no_copy)
{
	char other[128];
	int64_t id;

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

TEST(test_each_submission_moves_the_mark)
{
	open_gateway();
	for (int64_t next = 2; next < 5; next++) {
		assert_int_equal(store_identity_advance(store), 0);
		assert_int_equal(epoch(), next);
		assert_true(mark_is_there(next));
		assert_false(mark_is_there(next - 1));
		assert_true(is_here());
	}
}

/* Nothing may leave, and a later try works. */
TEST(test_a_full_disk_confirms_no_submission)
{
	open_gateway();
	fill_disk(true);
	assert_true(store_identity_advance(store) < 0);
	assert_true(mark_is_there(1));
	fill_disk(false);
	assert_int_equal(store_identity_advance(store), 0);
	assert_int_equal(epoch(), 2);
	assert_true(mark_is_there(2));
	assert_true(is_here());
}

TEST(test_a_removed_mark_is_made_anew)
{
	char mark[128];

	open_gateway();
	snprintf(mark, sizeof(mark), "%s/gateway.mark-1", folder);
	assert_int_equal(unlink(mark), 0);
	assert_int_equal(store_identity_advance(store), 0);
	assert_true(is_here());
	assert_int_equal(store_identity_advance(store), 0);
	assert_true(is_here());
}

/* The disk was full at the start, so the last identity goes on. */
TEST(test_submissions_move_the_mark_also_after_a_start_on_a_full_disk)
{
	open_gateway();
	store->epoch = 0; /* as it is before the first identity is recorded */
	fill_disk(true);
	assert_true(store_identity_record(store) < 0);
	fill_disk(false);
	assert_int_equal(store_identity_advance(store), 0);
	assert_int_equal(epoch(), 2);
	assert_true(mark_is_there(2));
	assert_true(is_here());
}

/* The first start after an upgrade, on a disk where no mark can be made. */
TEST(test_nothing_is_submitted_before_the_store_has_an_identity)
{
	open_gateway();
	sql_script("DELETE FROM file_identity");
	store->epoch = 0;
	fill_disk(true);
	assert_true(store_identity_record(store) < 0);
	assert_true(store_identity_advance(store) < 0);
	fill_disk(false);
	assert_int_equal(store_identity_advance(store), 0);
	assert_true(epoch() > 0);
	assert_true(mark_is_there(epoch()));
	assert_true(is_here());
}

/* Links every file of the state folder into a folder of its own, as `cp -al` does. */
static void link_folder(const char *to)
{
	static const char *const names[] = { "gateway.db", "gateway.db-wal",
					     "gateway.mark-1" };

	assert_int_equal(mkdir(to, 0700), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char from[128], link_name[128];

		snprintf(from, sizeof(from), "%s/%s", folder, names[i]);
		snprintf(link_name, sizeof(link_name), "%s/%s", to, names[i]);
		assert_int_equal(link(from, link_name), 0);
	}
}

/* The database went on through its other name, and the -wal beside this one is an older one. */
TEST(test_an_older_wal_of_hard_links_makes_it_a_copy)
{
	char linked[96];
	int64_t id;

	open_gateway();
	id = add_message("x");
	snprintf(linked, sizeof(linked), "%s/linked", root);
	link_folder(linked);
	open_gateway();
	assert_int_equal(store_identity_advance(store), 0);
	assert_int_equal(step_move_message(store, id, STATE_SUBMITTING, NULL, NULL), 0);
	assert_int_equal(step_move_message(store, id, STATE_SENT, NULL, NULL), 0);
	store_close(store);
	store = NULL;
	assert_int_equal(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
	assert_int_equal(rename(linked, folder), 0);
	open_gateway();
	assert_int_not_equal(state_of(id), STATE_QUEUED);
}

/* Somebody wrote older content into the open file. */
TEST(test_an_unexpected_epoch_confirms_no_submission)
{
	open_gateway();
	assert_int_equal(store_identity_advance(store), 0);
	assert_int_equal(store_identity_advance(store), 0);
	sql_script("UPDATE file_identity SET epoch = 1");
	assert_int_equal(store_identity_advance(store), -ESTALE);
	assert_false(is_here());
}

/* A store of an older schema, put in the place of one that has marks. */
TEST(test_an_older_schema_has_no_identity)
{
	assert_int_equal(mkdir(folder, 0700), 0);
	make_old_ledger(
		9, "INSERT INTO sim (iccid, first_seen) VALUES ('A', 1);"
		   "INSERT INTO message (sim_id, number, text, segments, state, created,"
		   " changed) VALUES (1, '+36', 'x', 1, 1, 1, 1)");
	open_gateway();
	assert_int_equal(state_of(1), STATE_QUEUED); /* as after an upgrade */
	make_old_ledger(
		9, "INSERT INTO sim (iccid, first_seen) VALUES ('A', 1);"
		   "INSERT INTO message (sim_id, number, text, segments, state, created,"
		   " changed) VALUES (1, '+36', 'x', 1, 1, 1, 1)");
	open_gateway();
	assert_int_equal(state_of(1), STATE_UNKNOWN);
}

/* The last identity holds. */
TEST(test_a_full_disk_keeps_the_last_identity)
{
	open_gateway();
	fill_disk(true);
	assert_true(store_identity_record(store) < 0);
	fill_disk(false);
	assert_true(is_here());
	assert_int_equal(epoch(), 1);
	assert_false(mark_is_there(2));
	assert_int_equal(store_identity_record(store), 0);
	assert_true(is_here());
	assert_int_equal(epoch(), 2);
}
