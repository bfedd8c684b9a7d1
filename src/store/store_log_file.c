/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * https://www.sqlite.org/fileformat2.html#walformat: a frame is a header of 24 bytes and a
 * page, and no other write has 24 bytes. The last frame of a commit has the size of the
 * database in its header. Only what follows right on the write before is gathered: so a
 * header that SQLite writes anew, whose page does not follow, is never waited with.
 *
 * Nobody reads in between: SQLite shows a frame to others, and to itself, when it has been
 * told that it is written, and whatever else it does with the file comes through here.
 */
#include "store/store_log_file.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEADER_BYTES = 24, COMMIT_AT = 4, COMMIT_BYTES = 4 };

struct log_file {
	sqlite3_file base;
	unsigned char *bytes; /* gathered; NULL: no memory, each is written at once */
	size_t length;
	sqlite3_int64 next; /* where the last write ended, gathered or not */
	bool ends;	    /* the page that is written next completes a commit */
	const char *path;   /* SQLite's, until it is closed */
	dev_t device;
	ino_t inode;	   /* as it was opened; 0: not known */
	sqlite3_file file; /* of the system, and longer */
};

static sqlite3_vfs *usual;
static sqlite3_vfs gathering;

static struct log_file *log_of(sqlite3_file *base)
{
	return (struct log_file *)base;
}

static int flush(struct log_file *log)
{
	size_t length = log->length;

	log->length = 0;
	if (!length)
		return SQLITE_OK;
	return log->file.pMethods->xWrite(&log->file, log->bytes, (int)length,
					  log->next - (sqlite3_int64)length);
}

static bool ends_commit(const unsigned char *bytes, size_t length)
{
	static const unsigned char none[COMMIT_BYTES];

	return length == HEADER_BYTES &&
	       memcmp(bytes + COMMIT_AT, none, COMMIT_BYTES) != 0;
}

static bool can_gather(const struct log_file *log, size_t length, sqlite3_int64 offset)
{
	return log->bytes && offset == log->next && length <= LOG_FILE_ROOM_BYTES;
}

static int gather(struct log_file *log, const void *bytes, size_t length)
{
	int result = SQLITE_OK;

	if (length > LOG_FILE_ROOM_BYTES - log->length)
		result = flush(log);
	if (result != SQLITE_OK)
		return result;
	memcpy(log->bytes + log->length, bytes, length);
	log->length += length;
	log->next += (sqlite3_int64)length;
	return SQLITE_OK;
}

static int on_write(sqlite3_file *base, const void *bytes, int amount,
		    sqlite3_int64 offset)
{
	struct log_file *log = log_of(base);
	size_t length = (size_t)amount;
	bool completes = log->ends;
	int result;

	log->ends = ends_commit(bytes, length);
	if (can_gather(log, length, offset)) {
		result = gather(log, bytes, length);
		return result == SQLITE_OK && completes ? flush(log) : result;
	}
	result = flush(log);
	log->next = offset + amount;
	if (result == SQLITE_OK)
		result = log->file.pMethods->xWrite(&log->file, bytes, amount, offset);
	return result;
}

static int on_close(sqlite3_file *base)
{
	struct log_file *log = log_of(base);

	flush(log);
	free(log->bytes);
	return log->file.pMethods->xClose(&log->file);
}

static int on_read(sqlite3_file *base, void *bytes, int amount, sqlite3_int64 offset)
{
	struct log_file *log = log_of(base);
	int result = flush(log);

	return result == SQLITE_OK
		       ? log->file.pMethods->xRead(&log->file, bytes, amount, offset)
		       : result;
}

static int on_truncate(sqlite3_file *base, sqlite3_int64 size)
{
	struct log_file *log = log_of(base);
	int result = flush(log);

	return result == SQLITE_OK ? log->file.pMethods->xTruncate(&log->file, size)
				   : result;
}

static int on_sync(sqlite3_file *base, int flags)
{
	struct log_file *log = log_of(base);
	int result = flush(log);

	return result == SQLITE_OK ? log->file.pMethods->xSync(&log->file, flags)
				   : result;
}

static int on_file_size(sqlite3_file *base, sqlite3_int64 *size_out)
{
	struct log_file *log = log_of(base);
	int result = flush(log);

	return result == SQLITE_OK ? log->file.pMethods->xFileSize(&log->file, size_out)
				   : result;
}

static int on_lock(sqlite3_file *base, int level)
{
	struct log_file *log = log_of(base);

	return log->file.pMethods->xLock(&log->file, level);
}

static int on_unlock(sqlite3_file *base, int level)
{
	struct log_file *log = log_of(base);

	return log->file.pMethods->xUnlock(&log->file, level);
}

static int on_check_lock(sqlite3_file *base, int *reserved_out)
{
	struct log_file *log = log_of(base);

	return log->file.pMethods->xCheckReservedLock(&log->file, reserved_out);
}

static void note_place(struct log_file *log, const char *path)
{
	struct stat status;

	if (!path || stat(path, &status) < 0)
		return;
	log->path = path;
	log->device = status.st_dev;
	log->inode = status.st_ino;
}

static bool has_moved(const struct log_file *log)
{
	struct stat status;

	return log->inode &&
	       (stat(log->path, &status) < 0 || status.st_ino != log->inode ||
		status.st_dev != log->device);
}

static int on_control(sqlite3_file *base, int operation, void *argument)
{
	struct log_file *log = log_of(base);

	if (operation == SQLITE_FCNTL_HAS_MOVED) {
		*(int *)argument = has_moved(log);
		return SQLITE_OK;
	}
	return log->file.pMethods->xFileControl(&log->file, operation, argument);
}

static int on_sector_size(sqlite3_file *base)
{
	struct log_file *log = log_of(base);

	return log->file.pMethods->xSectorSize(&log->file);
}

static int on_characteristics(sqlite3_file *base)
{
	struct log_file *log = log_of(base);

	return log->file.pMethods->xDeviceCharacteristics(&log->file);
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = on_close,
	.xRead = on_read,
	.xWrite = on_write,
	.xTruncate = on_truncate,
	.xSync = on_sync,
	.xFileSize = on_file_size,
	.xLock = on_lock,
	.xUnlock = on_unlock,
	.xCheckReservedLock = on_check_lock,
	.xFileControl = on_control,
	.xSectorSize = on_sector_size,
	.xDeviceCharacteristics = on_characteristics,
};

static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags,
		   int *flags_out)
{
	struct log_file *log = log_of(base);
	int result;

	(void)vfs;
	if (!(flags & SQLITE_OPEN_WAL))
		return usual->xOpen(usual, name, base, flags, flags_out);
	memset(log, 0, sizeof(*log));
	result = usual->xOpen(usual, name, &log->file, flags, flags_out);
	if (!log->file.pMethods)
		return result;
	note_place(log, name);
	log->bytes = malloc(LOG_FILE_ROOM_BYTES);
	log->base.pMethods = &methods;
	return result;
}

const char *store_log_file_vfs(void)
{
	if (usual)
		return gathering.zName;
	usual = sqlite3_vfs_find(NULL);
	if (!usual)
		return NULL;
	gathering = *usual;
	gathering.zName = "ofono-mcp";
	gathering.pNext = NULL;
	gathering.szOsFile += (int)offsetof(struct log_file, file);
	gathering.xOpen = on_open;
	if (sqlite3_vfs_register(&gathering, 0) != SQLITE_OK) {
		usual = NULL;
		return NULL;
	}
	return gathering.zName;
}
