/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The identity is one row of the table file_identity, and the mark it names: gateway.mark-EPOCH
 * beside the database. Each start stores a new one with the next epoch: make the mark, sync it,
 * write the row, remove older marks. So a crash leaves the old row or the new one, each with
 * its mark.
 *
 * Before messages are passed to oFono the epoch advances by one, first in the row, then in the
 * name of the mark, both on disk. So the row of a backup that is older than a submission names a
 * mark that is not there. A crash in between leaves a mark that is one behind, and nothing of that
 * epoch has left.
 *
 * The mark also says which epoch the database file had without its -wal when this was last
 * known. Without this a backup that is written into the file while a -wal lies beside it would take
 * the newer row from there, and keep older messages. The other way round, a -wal never has an older
 * row than its file: one that has is left from before, as in a copy of hard links.
 */
#include "store/store_database.h"

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
#include "base/log.h"
#include "store/store_file.h"
#include "store/store_internal.h"

#define MARK_NAME "gateway.mark-"

#define NS_PER_SECOND INT64_C(1000000000)
#define EPOCH_MAX     (INT64_C(1) << 48) /* a greater one was never reached by counting */

static const char mark_text[] =
	"ofono-mcp knows by this file that the message store beside it is the original\n"
	"and not a copy. If it is changed or missing, waiting messages are not sent.\n"
	"The file without its -wal was last seen with epoch ";

enum { MARK_NUMBER_DIGITS = 20 };

struct store_identity { /* in the order of the columns */
	int64_t epoch;
	int64_t boot; /* 0 if unknown */
	int64_t device;
	int64_t file_system; /* 0 if the file system has no ID */
	int64_t file;	     /* inode of gateway.db */
	int64_t file_born;   /* in ns; 0 if the file system does not say */
	int64_t mark;	     /* inode */
	/* in ns; 0 if unknown. Inodes of removed files are used again. */
	int64_t mark_born;
};

enum { IDENTITY_COLUMNS = 8 };

static const char query[] =
	"SELECT epoch, boot, device, file_system, file, file_born, mark, mark_born"
	" FROM file_identity";

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

static int store_identity_stat_file(const char *path, struct store_identity *identity)
{
	struct statfs system;
	struct statx file;
	int32_t id[2];

	if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &file) < 0 ||
	    statfs(path, &system) < 0)
		return -errno;
	memcpy(id, &system.f_fsid, sizeof(id));
	identity->boot = clock_boot_number();
	identity->device = (int64_t)file.stx_dev_major << 32 | file.stx_dev_minor;
	identity->file_system =
		(int64_t)((uint64_t)(uint32_t)id[1] << 32 | (uint32_t)id[0]);
	identity->file = (int64_t)file.stx_ino;
	identity->file_born =
		file.stx_mask & STATX_BTIME ? store_identity_ns(&file.stx_btime) : 0;
	return 0;
}

/* Sets the mark of that epoch in `identity`. */
static int store_identity_stat_mark(const char *folder, int64_t epoch,
				    struct store_identity *identity)
{
	char path[PATH_MAX];
	struct statx mark;

	if (!store_identity_mark_path(path, folder, epoch))
		return -ENAMETOOLONG;
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &mark) <
	    0)
		return -errno;
	identity->mark = (int64_t)mark.stx_ino;
	identity->mark_born =
		mark.stx_mask & STATX_BTIME ? store_identity_ns(&mark.stx_btime) : 0;
	return 0;
}

/* Returns the epoch of the mark that the row names; 0 if it is not there. */
static int64_t store_identity_find_mark(const char *folder,
					const struct store_identity *stored)
{
	for (int64_t epoch = stored->epoch; epoch > 0 && epoch >= stored->epoch - 1;
	     epoch--) {
		struct store_identity here = { 0 };

		if (!store_identity_stat_mark(folder, epoch, &here) &&
		    here.mark == stored->mark &&
		    (!stored->mark_born || here.mark_born == stored->mark_born))
			return epoch;
	}
	return 0;
}

/* Returns SQLITE_ROW, SQLITE_DONE if none is stored, or an error: 0.1.0 had no such table. */
static int store_identity_read(sqlite3 *database, struct store_identity *stored)
{
	int64_t *const fields[IDENTITY_COLUMNS] = {
		&stored->epoch, &stored->boot,	    &stored->device, &stored->file_system,
		&stored->file,	&stored->file_born, &stored->mark,   &stored->mark_born,
	};
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(database, query, -1, &statement, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	for (int i = 0; result == SQLITE_ROW && i < IDENTITY_COLUMNS; i++)
		*fields[i] = sqlite3_column_int64(statement, i);
	sqlite3_finalize(statement);
	return result;
}

/*
 * Returns the newest epoch of all marks; 0 if there is none. Removes marks of other epochs than
 * `kept`, unless 0.
 */
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

static bool store_identity_is_same(const struct store_identity *stored,
				   const struct store_identity *here)
{
	if (stored->file != here->file || stored->file_born != here->file_born)
		return false;
	if (stored->boot && stored->boot == here->boot)
		return stored->device == here->device;
	return stored->file_system ? stored->file_system == here->file_system
				   : stored->device == here->device;
}

/* Reads the epoch of the database file as if no -wal were beside it; 0 if unknown. */
static int64_t store_identity_file_epoch(const char *path)
{
	struct store_identity stored = { 0 };
	char uri[sizeof("file:?immutable=1") + 3 * PATH_MAX] = "file:";
	size_t length = strlen(uri);
	sqlite3 *database = NULL;

	for (const char *at = path; *at;
	     at++) /* every byte may have a meaning in a URI */
		length += (size_t)sprintf(uri + length, *at == '/' ? "/" : "%%%02x",
					  (unsigned char)*at);
	strcpy(uri + length, "?immutable=1");
	if (sqlite3_open_v2(uri, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
			    NULL) != SQLITE_OK ||
	    store_identity_read(database, &stored) != SQLITE_ROW)
		stored.epoch = 0;
	sqlite3_close(database);
	return stored.epoch;
}

/* Returns what the mark says of the file; 0 if it says nothing, as those of older versions. */
static int64_t store_identity_read_mark(const char *folder, int64_t epoch)
{
	char path[PATH_MAX], number[MARK_NUMBER_DIGITS + 1] = "";
	ssize_t length = -1;
	int fd;

	if (!store_identity_mark_path(path, folder, epoch))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		length = pread(fd, number, MARK_NUMBER_DIGITS, sizeof(mark_text) - 1);
		close(fd);
	}
	return length == MARK_NUMBER_DIGITS ? strtoll(number, NULL, 10) : 0;
}

static int store_identity_write_mark(int fd, int64_t file_epoch)
{
	char number[MARK_NUMBER_DIGITS + 2];
	int length = snprintf(number, sizeof(number), "%020lld\n", (long long)file_epoch);

	errno = EIO;
	return pwrite(fd, number, (size_t)length, sizeof(mark_text) - 1) == length
		       ? 0
		       : -errno;
}

bool store_identity_matches(sqlite3 *database, const char *folder)
{
	struct store_identity stored = { 0 }, here = { 0 };
	int result = store_identity_read(database, &stored);
	int64_t mark, file_epoch;
	char path[PATH_MAX];

	if (result == SQLITE_DONE)
		return true;
	if (result != SQLITE_ROW || stored.epoch == 0) /* then there were no marks yet */
		return !store_identity_scan_marks(folder, 0);
	mark = store_identity_find_mark(folder, &stored);
	if (!mark || !store_file_path(path, folder, STORE_FILE, "") ||
	    store_identity_stat_file(path, &here))
		return false;
	file_epoch = store_identity_file_epoch(path);
	return store_identity_is_same(&stored, &here) &&
	       (!file_epoch || (file_epoch >= store_identity_read_mark(folder, mark) &&
				file_epoch <= stored.epoch));
}

/* On disk, complete, before anything depends on it. */
static int store_identity_make_mark(const char *folder, int64_t epoch, int64_t file_epoch)
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
	if (!error)
		error = store_identity_write_mark(fd, file_epoch);
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

static int store_identity_write(sqlite3 *database, const struct store_identity *identity)
{
	const int64_t fields[IDENTITY_COLUMNS] = {
		identity->epoch,       identity->boot,	    identity->device,
		identity->file_system, identity->file,	    identity->file_born,
		identity->mark,	       identity->mark_born,
	};
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(
		database,
		"INSERT OR REPLACE INTO file_identity (id, epoch, boot, device,"
		" file_system, file, file_born, mark, mark_born)"
		" VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
		-1, &statement, NULL);

	errno = 0; /* see store_database_error() */
	for (int i = 0; result == SQLITE_OK && i < IDENTITY_COLUMNS; i++)
		result = sqlite3_bind_int64(statement, i + 1, fields[i]);
	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	sqlite3_finalize(statement);
	result = store_database_error(database, result);
	return result > 0 ? -ENOSPC : result;
}

static int store_identity_record_next(struct store *store, const char *path)
{
	struct store_identity identity = {
		.epoch = store_identity_scan_marks(store->folder, 0) + 1,
	};
	char mark[PATH_MAX];
	int error = store_identity_make_mark(store->folder, identity.epoch,
					     store_identity_file_epoch(path));

	if (error)
		return error;
	error = store_identity_stat_file(path, &identity);
	if (!error)
		error = store_identity_stat_mark(store->folder, identity.epoch,
						 &identity);
	if (!error)
		error = store_identity_write(store->database, &identity);
	if (error && store_identity_mark_path(mark, store->folder, identity.epoch))
		unlink(mark);
	if (!error)
		store->epoch = identity.epoch;
	return error;
}

int store_identity_record(struct store *store)
{
	struct store_identity stored = { 0 };
	char path[PATH_MAX];
	int error;

	if (!store_file_path(path, store->folder, STORE_FILE, ""))
		return -ENAMETOOLONG;
	error = store_identity_record_next(store, path);
	if (!error)
		store_identity_scan_marks(store->folder, store->epoch);
	else if (store_identity_read(store->database, &stored) == SQLITE_ROW)
		store->epoch = store_identity_find_mark(store->folder, &stored);
	return error;
}

/* Returns 0 or -errno; -ESTALE if the row is another one. */
static int store_identity_advance_row(struct store *store)
{
	sqlite3_stmt *statement = store_use_lazily(store, IDENTITY_ADVANCE);
	int error;

	store_bind_integers(statement, 1, store->epoch);
	error = store_run(store, statement);
	if (error)
		return error > 0 ? -ENOSPC : error;
	if (sqlite3_changes(store->database) == 1)
		return 0;
	log_error("store: %s/" STORE_FILE " has the content of another file: nothing is "
		  "sent until the gateway is restarted",
		  store->folder);
	return -ESTALE;
}

static int store_identity_advance_mark(const struct store *store)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (!store_identity_mark_path(from, store->folder, store->epoch) ||
	    !store_identity_mark_path(to, store->folder, store->epoch + 1))
		return -ENAMETOOLONG;
	if (rename(from, to) < 0)
		return -errno;
	return file_sync(store->folder);
}

/* Not synced: an older number only means that less is recognised. */
static void store_identity_note_file(const struct store *store)
{
	char path[PATH_MAX], mark[PATH_MAX];
	int64_t file_epoch;
	int fd;

	if (!store_file_path(path, store->folder, STORE_FILE, "") ||
	    !store_identity_mark_path(mark, store->folder, store->epoch))
		return;
	file_epoch = store_identity_file_epoch(path);
	fd = file_epoch ? open(mark, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	if (fd < 0)
		return;
	if (store_identity_write_mark(fd, file_epoch))
		log_warning("store: the mark of the database cannot be written: %m");
	close(fd);
}

int store_identity_advance(struct store *store)
{
	int error;

	if (!store->epoch) {
		error = store->is_gateway ? store_identity_record(store) : 0;
		return error ? error : store_sync(store);
	}
	if (store->is_checkpointed)
		store_identity_note_file(store);
	store->is_checkpointed = false;
	error = store_identity_advance_row(store);
	if (!error)
		error = store_sync(store);
	if (!error)
		error = store_identity_advance_mark(store);
	if (error == -ENOENT) /* somebody removed the mark */
		return store_identity_record(store);
	if (!error)
		store->epoch++;
	return error;
}
