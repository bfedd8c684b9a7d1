/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#include "store/store_copy.h"
#include "store/store_file.h"
#include "store/store_guest.h"
#include "store/store_lock.h"

struct backing_up {
	const struct store_backup *backup;
	struct store_opening from;
	struct store_opening to; /* under a name of its own until it is whole */
	char target_folder[PATH_MAX];
};

static int name_files(struct backing_up *work)
{
	const struct store_backup *backup = work->backup;
	char name[PATH_MAX];

	snprintf(work->from.path, PATH_MAX, "%s", backup->file);
	if (snprintf(work->to.path, PATH_MAX, "%s.part-%ld", backup->file,
		     (long)getpid()) >= PATH_MAX)
		return store_opening_fail(&work->from, -ENAMETOOLONG, "too long");
	work->to.told = backup->file;
	snprintf(name, sizeof(name), "%s", backup->file);
	snprintf(work->target_folder, PATH_MAX, "%s", dirname(name));
	return 0;
}

/* The names in the folder of the ledger that are the gateway's own. */
static bool is_of_the_gateway(const struct backing_up *work)
{
	char name[PATH_MAX];
	struct stat theirs, ours;

	snprintf(name, sizeof(name), "%s", work->backup->file);
	return strncmp(basename(name), "gateway.", 8) == 0 &&
	       !stat(work->target_folder, &theirs) &&
	       !stat(work->backup->folder, &ours) && theirs.st_dev == ours.st_dev &&
	       theirs.st_ino == ours.st_ino;
}

static int check_target(const struct backing_up *work, struct explanation *error)
{
	const char *file = work->backup->file;
	struct stat status;

	if (is_of_the_gateway(work))
		return explanation_set(
			error, -EINVAL,
			"%s: that name is the gateway's own; choose another", file);

	if (lstat(file, &status) < 0)
		return 0;
	if (S_ISDIR(status.st_mode))
		return explanation_set(error, -EISDIR, "%s: is a directory", file);

	if (!S_ISREG(status.st_mode)) /* a device, or a link to where it should be */
		return explanation_set(error, -EINVAL, "%s: is no ordinary file", file);

	if (work->backup->replace)
		return 0;
	return explanation_set(error, -EEXIST,
			       "%s: is there already; --force replaces it", file);
}

/* A gateway that works says with it until when the copy is all there is to know. */
static int note_time(struct backing_up *work)
{
	int64_t knows_times = 0;
	char sql[96];
	int error = store_opening_ask(
		&work->to, "SELECT count(*) FROM sqlite_schema WHERE name = 'alive'",
		&knows_times);

	if (error || !knows_times || !store_lock_is_taken(work->backup->folder))
		return error;
	snprintf(sql, sizeof(sql),
		 "INSERT OR REPLACE INTO alive (id, at) VALUES (1, %lld)",
		 (long long)clock_wall_ms());
	return store_opening_execute(&work->to, sql);
}

static int give_name(struct backing_up *work)
{
	const struct store_backup *backup = work->backup;
	unsigned flags = backup->replace ? 0 : RENAME_NOREPLACE;
	int error = file_sync(work->to.path);

	if (!error &&
	    renameat2(AT_FDCWD, work->to.path, AT_FDCWD, backup->file, flags) < 0)
		error = -errno;
	if (!error)
		error = file_sync(work->target_folder);
	if (error)
		return store_opening_fail(&work->to, error, "cannot be made: %s",
					  strerror(-error));
	return 0;
}

static int make_copy(struct backing_up *work, struct store_summary *summary)
{
	int error = store_copy(&work->from, &work->to, &work->backup->progress);

	if (!error)
		error = note_time(work);
	if (!error)
		error = store_opening_check(&work->to, "quick_check");
	if (!error)
		error = store_copy_summarize(&work->to, summary);
	if (!error)
		error = store_opening_close(&work->to);
	return error ? error : give_name(work);
}

int store_backup(const struct store_backup *backup, struct store_summary *summary_out,
		 struct explanation *error)
{
	struct backing_up work = { .backup = backup,
				   .from.error = error,
				   .to.error = error };
	struct store_summary summary = { 0 };
	int failure = name_files(&work);

	if (!failure)
		failure = check_target(&work, error);
	if (!failure)
		failure = store_guest_open(backup->folder, &work.from);
	if (!failure) {
		failure = make_copy(&work, &summary);
		store_opening_abort(&work.to);
		store_file_remove(work.to.path);
	}
	store_opening_abort(&work.from);
	if (!failure)
		*summary_out = summary;
	return failure;
}
