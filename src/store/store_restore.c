/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_restore.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "store/audit_chain.h"
#include "store/store.h"
#include "store/store_carry.h"
#include "store/store_copy.h"
#include "store/store_database.h"
#include "store/store_file.h"
#include "store/store_forward.h"
#include "store/store_lock.h"

struct restoring {
	const struct store_restore *restore;
	struct store_opening backup;
	struct store_opening fresh;
	struct store_opening present;
};

static int open_backup(struct restoring *work)
{
	struct stat status;
	int error;

	snprintf(work->backup.path, PATH_MAX, "%s", work->restore->file);
	if (stat(work->backup.path, &status) < 0)
		return store_opening_fail(&work->backup, -errno, "%m");
	if (!S_ISREG(status.st_mode))
		return store_opening_fail(&work->backup, -EINVAL, "not a file");
	error = store_opening_connect(&work->backup, SQLITE_OPEN_READONLY);
	if (!error)
		error = store_copy_check_kind(&work->backup);
	if (error == -EUCLEAN)
		return store_opening_fail(
			&work->backup, error,
			"damaged, or no backup; the ledger stays what it is");
	return error;
}

static int fail_damaged(struct restoring *work)
{
	return store_opening_fail(&work->backup, -EUCLEAN,
				  "damaged; the ledger stays what it is");
}

/*
 * What the schema of a stranger says is not run, and a check of its pages would: there it has
 * to do that every row can be read.
 */
static int check_backup(struct restoring *work)
{
	int64_t version = 0;
	int error = store_opening_execute(&work->backup, "BEGIN");

	if (!error)
		error = store_opening_ask(&work->backup, "PRAGMA user_version", &version);
	if (!error && store_schema_is_ours(work->backup.database, version))
		error = store_opening_check(&work->backup, "integrity_check");
	return error == -EUCLEAN ? fail_damaged(work) : error;
}

static int fail_carrying(struct restoring *work, int result)
{
	if (result == SQLITE_INTERRUPT)
		return store_opening_fail(&work->fresh, -EINTR,
					  "was not finished: interrupted");
	result = store_database_error(work->fresh.database, result);
	return store_opening_fail(&work->fresh, result > 0 ? -ENOSPC : result,
				  "cannot be written: %s",
				  sqlite3_errmsg(work->fresh.database));
}

/* The rows, into tables of ours. */
static int carry_backup(struct restoring *work, struct store_restored *restored)
{
	const struct store_progress *progress = &work->restore->progress;
	struct store_carried carried = { false };
	int64_t pages = 0;
	int result, error;

	errno = 0; /* see store_database_error() */
	result = store_carry_all(work->backup.database, work->fresh.database, progress,
				 &carried);
	if (result)
		return fail_carrying(work, result);
	if (carried.is_damaged)
		return fail_damaged(work);
	restored->left_out = carried.left_out;
	error = store_opening_ask(&work->backup, "PRAGMA page_count", &pages);
	if (!error && progress->step &&
	    !progress->step(progress->data, (int)pages, (int)pages))
		return fail_carrying(work, SQLITE_INTERRUPT);
	return error ? error : store_opening_check(&work->fresh, "quick_check");
}

static int copy_backup(struct restoring *work, struct store_restored *restored)
{
	int error;

	if (!store_file_path(work->fresh.path, work->restore->folder, STORE_FILE_FRESH,
			     ""))
		return store_opening_fail(&work->fresh, -ENAMETOOLONG, "too long");
	error = check_backup(work);
	if (!error)
		error = store_database_make(&work->fresh);
	return error ? error : carry_backup(work, restored);
}

/* 1: there is one. Its database is NULL when nothing of it can be read. */
static int open_present(struct restoring *work)
{
	struct stat status;

	if (!store_file_path(work->present.path, work->restore->folder, STORE_FILE, "") ||
	    stat(work->present.path, &status) < 0)
		return 0;
	if (store_opening_connect(&work->present, SQLITE_OPEN_READONLY))
		store_opening_abort(&work->present);
	return 1;
}

/* Where the audit stood that is set aside now: that file still proves it. */
static int note_restore(sqlite3 *present, sqlite3 *to)
{
	struct audit_head head = { .line = 0 };
	char text[AUDIT_HEAD_TEXT_BYTES];
	char detail[AUDIT_HEAD_TEXT_BYTES + 32] = "{}";

	if (present && audit_chain_head(present, &head) == SQLITE_OK && head.line) {
		audit_head_write(&head, text);
		snprintf(detail, sizeof(detail), "{\"replaced\":\"%s\"}", text);
	}
	return audit_chain_add(to, AUDIT_LEDGER_RESTORED, detail);
}

static int carry_over(struct restoring *work, struct store_restored *restored)
{
	struct explanation ignored;
	sqlite3 *to = work->fresh.database;
	int result = SQLITE_OK;

	work->present.error = &ignored;
	if (open_present(work)) {
		if (work->present.database)
			result = store_forward(work->present.database, to,
					       &restored->keeps_clients);
		if (!result)
			result = store_carry_numbers(work->present.database, to);
	}
	if (!result)
		result = store_carry_settle(to, STORE_GAP_RESTORED, 0);
	if (!result)
		result = note_restore(work->present.database, to);
	store_opening_abort(&work->present);
	if (!result)
		return 0;
	return store_opening_fail(&work->fresh, -EIO, "cannot be written: %s",
				  sqlite3_errmsg(to));
}

static int make_fresh(struct restoring *work, struct store_restored *restored)
{
	int error = copy_backup(work, restored);

	if (!error)
		error = store_opening_ask(&work->fresh,
					  "SELECT count(*) FROM message"
					  " WHERE " STATE_IS_UNFINISHED,
					  &restored->unknown);
	if (!error)
		error = carry_over(work, restored);
	if (!error)
		error = store_copy_summarize(&work->fresh, &restored->summary);
	return error ? error : store_opening_finish(&work->fresh);
}

static int put_in_place(struct restoring *work, struct store_restored *restored)
{
	int error = store_file_replace(work->restore->folder, work->fresh.path,
				       "replaced", restored->aside);

	if (!error)
		return 0;
	return store_opening_fail(&work->fresh, error, "cannot become the ledger: %s",
				  strerror(-error));
}

int store_restore(const struct store_restore *restore,
		  struct store_restored *restored_out, struct explanation *error)
{
	struct restoring work = { .restore = restore,
				  .backup.error = error,
				  .fresh.error = error };
	struct store_restored restored = { 0 };
	struct store_lock lock;
	int failure = store_lock_take(restore->folder, &lock, error);

	if (failure)
		return failure;
	store_file_complete(restore->folder);
	failure = open_backup(&work);
	if (!failure) {
		failure = make_fresh(&work, &restored);
		if (!failure)
			failure = put_in_place(&work, &restored);
		store_opening_abort(&work.fresh);
		store_file_remove(work.fresh.path);
	}
	store_opening_abort(&work.backup);
	store_lock_release(&lock);
	if (!failure)
		*restored_out = restored;
	return failure;
}
