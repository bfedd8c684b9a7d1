/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_identity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_sync.h"
#include "store/store_database.h"
#include "store/store_file.h"

#define MARK_NAME "gateway.mark-"

#define NS_PER_SECOND INT64_C(1000000000)
#define EPOCH_MAX     (INT64_C(1) << 48) /* what is greater was not counted up to */

static const char mark_text[] =
	"ofono-mcp knows by this file that the message store beside it is the original\n"
	"and not a copy. If it is changed or missing, messages that wait are not sent.\n";

struct store_identity { /* in the order of the columns */
	int64_t epoch;
	int64_t boot; /* 0: not known */
	int64_t device;
	int64_t system; /* 0: the file system has no ID */
	int64_t file;	/* inode of gateway.db */
	int64_t born;	/* ... in ns; 0: the file system does not say */
	int64_t mark;	/* inode */
	int64_t marked; /* when it was last changed, in ns */
};

#define PLACE_COLUMNS "epoch, boot, device, system, file, born, mark, marked"

static int64_t store_identity_ns(const struct statx_timestamp *time)
{
	return time->tv_sec * NS_PER_SECOND + time->tv_nsec;
}

static bool store_identity_mark_path(char *path, const char *folder, int64_t epoch)
{
	char name[48];

	snprintf(name, sizeof(name), MARK_NAME "%lld", (long long)epoch);
	return store_file_path(path, folder, name, "");
}

static int store_identity_stat_file(const char *path, struct store_identity *place)
{
	struct statfs system;
	struct statx file;
	int32_t id[2];

	if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &file) < 0 ||
	    statfs(path, &system) < 0)
		return -errno;
	memcpy(id, &system.f_fsid, sizeof(id));
	place->boot = clock_boot_number();
	place->device = (int64_t)file.stx_dev_major << 32 | file.stx_dev_minor;
	place->system = (int64_t)((uint64_t)(uint32_t)id[1] << 32 | (uint32_t)id[0]);
	place->file = (int64_t)file.stx_ino;
	place->born =
		file.stx_mask & STATX_BTIME ? store_identity_ns(&file.stx_btime) : 0;
	return 0;
}

static int store_identity_stat_mark(const char *folder, struct store_identity *place)
{
	char path[PATH_MAX];
	struct statx mark;

	if (!store_identity_mark_path(path, folder, place->epoch))
		return -ENAMETOOLONG;
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_CTIME, &mark) <
	    0)
		return -errno;
	place->mark = (int64_t)mark.stx_ino;
	place->marked = store_identity_ns(&mark.stx_ctime);
	return 0;
}

/* SQLITE_ROW, SQLITE_DONE: none, or why not. */
static int store_identity_read(sqlite3 *database, struct store_identity *note)
{
	int64_t *const fields[] = { &note->epoch,  &note->boot,	 &note->device,
				    &note->system, &note->file,	 &note->born,
				    &note->mark,   &note->marked };
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(database, "SELECT " PLACE_COLUMNS " FROM place",
					-1, &statement, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	for (int i = 0; result == SQLITE_ROW && i < 8; i++)
		*fields[i] = sqlite3_column_int64(statement, i);
	sqlite3_finalize(statement);
	return result;
}

/* The newest mark in the folder; 0: none. Those that are not of `kept` go, unless that is 0. */
static int64_t store_identity_scan_marks(const char *folder, int64_t kept)
{
	const size_t length = strlen(MARK_NAME);
	DIR *directory = opendir(folder);
	struct dirent *entry;
	int64_t newest = 0;

	while (directory && (entry = readdir(directory))) {
		int64_t epoch;

		if (strncmp(entry->d_name, MARK_NAME, length) != 0)
			continue;
		epoch = strtoll(entry->d_name + length, NULL, 10);
		if (epoch > newest && epoch < EPOCH_MAX)
			newest = epoch;
		if (kept && epoch != kept)
			unlinkat(dirfd(directory), entry->d_name, 0);
	}
	if (directory)
		closedir(directory);
	return newest;
}

static bool store_identity_is_same(const struct store_identity *note,
				   const struct store_identity *here)
{
	if (note->file != here->file || note->born != here->born ||
	    note->mark != here->mark || note->marked != here->marked)
		return false;
	if (note->boot && note->boot == here->boot)
		return note->device == here->device;
	return note->system ? note->system == here->system : note->device == here->device;
}

bool store_identity_matches(sqlite3 *database, const char *folder)
{
	struct store_identity note = { 0 }, here = { 0 };
	int result = store_identity_read(database, &note);
	char path[PATH_MAX];

	if (result == SQLITE_DONE)
		return true;
	if (result != SQLITE_ROW || note.epoch == 0) /* then nobody made marks */
		return !store_identity_scan_marks(folder, 0);
	here.epoch = note.epoch;
	return store_file_path(path, folder, STORE_FILE, "") &&
	       !store_identity_stat_file(path, &here) &&
	       !store_identity_stat_mark(folder, &here) &&
	       store_identity_is_same(&note, &here);
}

/* Whole and on disk before anything depends on it. */
static int store_identity_make_mark(const char *folder, int64_t epoch)
{
	const ssize_t length = sizeof(mark_text) - 1;
	char path[PATH_MAX];
	int fd, error = 0;

	if (!store_identity_mark_path(path, folder, epoch))
		return -ENAMETOOLONG;
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (write(fd, mark_text, (size_t)length) != length)
		error = errno ? -errno : -EIO;
	close(fd);
	if (!error)
		error = store_file_give_to_owner(folder, path);
	if (!error)
		error = file_sync(path);
	if (!error)
		error = file_sync(folder);
	if (error)
		unlink(path);
	return error;
}

static void store_identity_remove_mark(const char *folder, int64_t epoch)
{
	char path[PATH_MAX];

	if (store_identity_mark_path(path, folder, epoch))
		unlink(path);
}

static int store_identity_write(sqlite3 *database, const struct store_identity *place)
{
	const int64_t fields[] = { place->epoch,  place->boot,	place->device,
				   place->system, place->file,	place->born,
				   place->mark,	  place->marked };
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(database,
					"INSERT OR REPLACE INTO place (id, " PLACE_COLUMNS
					") VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
					-1, &statement, NULL);

	errno = 0; /* see store_database_error() */
	for (int i = 0; result == SQLITE_OK && i < 8; i++)
		result = sqlite3_bind_int64(statement, i + 1, fields[i]);
	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	sqlite3_finalize(statement);
	result = store_database_error(database, result);
	return result > 0 ? -ENOSPC : result;
}

int store_identity_record_file(sqlite3 *database, const char *folder, const char *path)
{
	struct store_identity place = { .epoch = store_identity_scan_marks(folder, 0) +
						 1 };
	int error = store_identity_make_mark(folder, place.epoch);

	if (error)
		return error;
	error = store_identity_stat_file(path, &place);
	if (!error)
		error = store_identity_stat_mark(folder, &place);
	if (!error)
		error = store_identity_write(database, &place);
	if (error)
		store_identity_remove_mark(folder, place.epoch);
	return error;
}

int store_identity_record(sqlite3 *database, const char *folder)
{
	struct store_identity note = { 0 };
	char path[PATH_MAX];
	int error;

	if (!store_file_path(path, folder, STORE_FILE, ""))
		return -ENAMETOOLONG;
	error = store_identity_record_file(database, folder, path);
	if (!error && store_identity_read(database, &note) == SQLITE_ROW)
		store_identity_scan_marks(folder, note.epoch);
	return error;
}
