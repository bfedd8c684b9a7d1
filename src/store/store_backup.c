/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A backup reads the message store in one read transaction and copies it page by page to
 * "FILE.part-PID". The copy is checked and synced, and one rename gives it its name, so
 * an interrupted backup leaves no file of that name. A gateway may go on writing: SQLite
 * keeps the moment of the transaction in the -wal.
 */
#include "store/store_backup.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_sync.h"
#include "store/store_database.h"
#include "store/store_file.h"
#include "store/store_lock.h"

enum { STEP_PAGES = 1024 };

/* The read transaction keeps its moment however long the copy takes. */
static int store_backup_copy_pages(struct store_database *from, struct store_database *to,
				   const struct store_backup_progress *progress)
{
	sqlite3_backup *backup;
	bool goes_on = true;
	int result;

	errno = 0; /* see store_database_error() */
	backup = sqlite3_backup_init(to->database, "main", from->database, "main");
	if (!backup)
		return store_database_fail(to, -EIO, "%s", sqlite3_errmsg(to->database));
	do {
		int total;

		result = sqlite3_backup_step(backup, STEP_PAGES);
		total = sqlite3_backup_pagecount(backup);
		if (progress->step && total > 0)
			goes_on = progress->step(progress->data,
						 total - sqlite3_backup_remaining(backup),
						 total);
	} while (result == SQLITE_OK && goes_on);
	result = sqlite3_backup_finish(backup);
	if (!goes_on)
		return store_database_fail(to, -EINTR, "interrupted");
	if (result == SQLITE_OK)
		return 0;
	return store_database_fail(to, store_database_error(to->database, result),
				   "cannot be written: %s", sqlite3_errstr(result));
}

static int store_backup_copy_database(struct store_database *from,
				      struct store_database *to,
				      const struct store_backup_progress *progress)
{
	int64_t tables;
	int error = store_database_execute(from, "BEGIN");

	if (!error) /* the first read sets the moment */
		error = store_database_query_int(
			from, "SELECT count(*) FROM sqlite_schema", &tables);
	if (!error)
		error = store_database_make_file(to);
	if (!error)
		error = store_database_connect(to, SQLITE_OPEN_READWRITE);
	if (!error)
		error = store_backup_copy_pages(from, to, progress);
	if (!error)
		error = store_database_execute(to, "PRAGMA synchronous = FULL;"
						   "PRAGMA trusted_schema = OFF;"
						   "PRAGMA journal_mode = DELETE");
	return error > 0 ? -ENOSPC : error;
}

struct store_backup_work {
	const struct store_backup *backup;
	struct store_database from;
	struct store_database to; /* under a temporary name until it is complete */
	char target_folder[PATH_MAX];
};

static int store_backup_name_files(struct store_backup_work *work)
{
	const struct store_backup *backup = work->backup;
	char name[PATH_MAX];

	snprintf(work->from.path, PATH_MAX, "%s", backup->file);
	if (snprintf(work->to.path, PATH_MAX, "%s.part-%ld", backup->file,
		     (long)getpid()) >= PATH_MAX)
		return store_database_fail(&work->from, -ENAMETOOLONG, "too long");
	work->to.shown_name = backup->file;
	snprintf(name, sizeof(name), "%s", backup->file);
	snprintf(work->target_folder, PATH_MAX, "%s", dirname(name));
	return 0;
}

static bool store_backup_is_own_name(const char *name)
{
	static const char *const names[] = { "control", "pin_tries", "spool", "tls" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return strncmp(name, "gateway.", 8) == 0;
}

/* Is it a name in the folder of the message store that the gateway uses itself? */
static bool store_backup_is_reserved_name(const struct store_backup_work *work)
{
	char name[PATH_MAX];
	struct stat theirs, ours;

	snprintf(name, sizeof(name), "%s", work->backup->file);
	return store_backup_is_own_name(basename(name)) &&
	       !stat(work->target_folder, &theirs) &&
	       !stat(work->backup->folder, &ours) && theirs.st_dev == ours.st_dev &&
	       theirs.st_ino == ours.st_ino;
}

static int store_backup_check_target(const struct store_backup_work *work,
				     struct explanation *error)
{
	const char *file = work->backup->file;
	struct stat status;

	if (store_backup_is_reserved_name(work))
		return explanation_set(
			error, -EINVAL,
			"%s: the gateway uses this name itself; choose another", file);

	if (lstat(file, &status) < 0)
		return 0;
	if (S_ISDIR(status.st_mode))
		return explanation_set(error, -EISDIR, "%s: is a directory", file);

	if (!S_ISREG(status.st_mode)) /* a device, or a link */
		return explanation_set(error, -EINVAL, "%s: is not a regular file", file);

	if (work->backup->replace)
		return 0;
	return explanation_set(error, -EEXIST, "%s: exists already; --force replaces it",
			       file);
}

/* Records the time in the copy: while a gateway runs, the copy is complete up to now. */
static int store_backup_record_time(struct store_backup_work *work)
{
	char sql[96];

	if (!store_lock_is_taken(work->backup->folder))
		return 0;
	snprintf(sql, sizeof(sql),
		 "INSERT OR REPLACE INTO alive (id, at) VALUES (1, %lld)",
		 (long long)clock_wall_ms());
	return store_database_execute(&work->to, sql);
}

static int store_backup_give_name(struct store_backup_work *work)
{
	const struct store_backup *backup = work->backup;
	unsigned flags = backup->replace ? 0 : RENAME_NOREPLACE;
	int error = file_sync(work->to.path);

	if (!error &&
	    renameat2(AT_FDCWD, work->to.path, AT_FDCWD, backup->file, flags) < 0)
		error = -errno;
	if (!error)
		error = file_sync(work->target_folder);
	return store_database_explain(&work->to, error, "cannot be made");
}

/* The copy has the pages of the message store, so damage is that of the message store. */
static int store_backup_check(struct store_backup_work *work)
{
	int error = store_database_check(&work->to, "quick_check");

	return error == -EUCLEAN ? store_database_fail_pages(&work->from) : error;
}

static int store_backup_make_copy(struct store_backup_work *work,
				  struct store_backup_summary *summary)
{
	int error = store_backup_copy_database(&work->from, &work->to,
					       &work->backup->progress);

	if (!error)
		error = store_backup_record_time(work);
	if (!error)
		error = store_backup_check(work);
	if (!error)
		error = store_database_summarize(&work->to, summary);
	if (!error)
		error = store_database_close(&work->to);
	return error ? error : store_backup_give_name(work);
}

int store_backup(const struct store_backup *backup,
		 struct store_backup_summary *summary_out, struct explanation *error)
{
	struct store_backup_work work = { .backup = backup,
					  .from.error = error,
					  .to.error = error };
	struct store_backup_summary summary = { 0 };
	int failure = store_backup_name_files(&work);

	if (!failure)
		failure = store_backup_check_target(&work, error);
	if (!failure)
		failure = store_open_readonly(backup->folder, &work.from);
	if (!failure) {
		failure = store_backup_make_copy(&work, &summary);
		store_database_abort(&work.to);
		store_file_remove(work.to.path);
	}
	store_database_abort(&work.from);
	if (!failure)
		*summary_out = summary;
	return failure;
}
