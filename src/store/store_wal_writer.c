/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQLite writes each frame of a commit with two system calls: a header of 24 bytes, then a page
 * (https://www.sqlite.org/fileformat2.html#walformat). This VFS gathers the frames and writes a
 * commit with one call: 4 writes for a message instead of 58. doc/decisions.md says why it stays.
 *
 * No other write has 24 bytes. The header of a commit's last frame contains the size of the
 * database. Only a write that directly follows the one before is gathered, so a header that is
 * rewritten alone is never held back. Nobody reads in between: SQLite uses a frame after its
 * write has returned, and every other operation on the file first writes what was gathered.
 */
#include "store/store_wal_writer.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 24, COMMIT_AT = 4, COMMIT_BYTES = 4 };

struct store_wal_writer {
	sqlite3_file base;
	unsigned char *bytes; /* gathered; NULL: no memory, so nothing is gathered */
	size_t length;
	sqlite3_int64 next; /* end of the last write, gathered or not */
	bool ends;	    /* the next page completes a commit */
	sqlite3_file file;  /* the system's; longer than this struct shows */
};

static sqlite3_vfs *usual;
static sqlite3_vfs gathering;

static struct store_wal_writer *store_wal_writer_of(sqlite3_file *base)
{
	return (struct store_wal_writer *)base;
}

static int store_wal_writer_flush(struct store_wal_writer *writer)
{
	size_t length = writer->length;

	writer->length = 0;
	if (!length)
		return SQLITE_OK;
	return writer->file.pMethods->xWrite(&writer->file, writer->bytes, (int)length,
					     writer->next - (sqlite3_int64)length);
}

static bool store_wal_writer_ends_commit(const unsigned char *bytes, size_t length)
{
	static const unsigned char none[COMMIT_BYTES];

	return length == HEADER_BYTES &&
	       memcmp(bytes + COMMIT_AT, none, COMMIT_BYTES) != 0;
}

static bool store_wal_writer_can_gather(const struct store_wal_writer *writer,
					size_t length, sqlite3_int64 offset)
{
	return writer->bytes && offset == writer->next &&
	       length <= STORE_WAL_WRITER_ROOM_BYTES;
}

static int store_wal_writer_gather(struct store_wal_writer *writer, const void *bytes,
				   size_t length)
{
	int result = SQLITE_OK;

	if (length > STORE_WAL_WRITER_ROOM_BYTES - writer->length)
		result = store_wal_writer_flush(writer);
	if (result != SQLITE_OK)
		return result;
	memcpy(writer->bytes + writer->length, bytes, length);
	writer->length += length;
	writer->next += (sqlite3_int64)length;
	return SQLITE_OK;
}

static int store_wal_writer_on_write(sqlite3_file *base, const void *bytes, int amount,
				     sqlite3_int64 offset)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);
	size_t length = (size_t)amount;
	bool completes = writer->ends;
	int result;

	writer->ends = store_wal_writer_ends_commit(bytes, length);
	if (store_wal_writer_can_gather(writer, length, offset)) {
		result = store_wal_writer_gather(writer, bytes, length);
		return result == SQLITE_OK && completes ? store_wal_writer_flush(writer)
							: result;
	}
	result = store_wal_writer_flush(writer);
	writer->next = offset + amount;
	if (result == SQLITE_OK)
		result = writer->file.pMethods->xWrite(&writer->file, bytes, amount,
						       offset);
	return result;
}

static int store_wal_writer_on_close(sqlite3_file *base)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);

	store_wal_writer_flush(writer);
	free(writer->bytes);
	return writer->file.pMethods->xClose(&writer->file);
}

static int store_wal_writer_on_read(sqlite3_file *base, void *bytes, int amount,
				    sqlite3_int64 offset)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);
	int result = store_wal_writer_flush(writer);

	return result == SQLITE_OK ? writer->file.pMethods->xRead(&writer->file, bytes,
								  amount, offset)
				   : result;
}

static int store_wal_writer_on_truncate(sqlite3_file *base, sqlite3_int64 size)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);
	int result = store_wal_writer_flush(writer);

	return result == SQLITE_OK ? writer->file.pMethods->xTruncate(&writer->file, size)
				   : result;
}

static int store_wal_writer_on_sync(sqlite3_file *base, int flags)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);
	int result = store_wal_writer_flush(writer);

	return result == SQLITE_OK ? writer->file.pMethods->xSync(&writer->file, flags)
				   : result;
}

static int store_wal_writer_on_file_size(sqlite3_file *base, sqlite3_int64 *size_out)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);
	int result = store_wal_writer_flush(writer);

	return result == SQLITE_OK
		       ? writer->file.pMethods->xFileSize(&writer->file, size_out)
		       : result;
}

static int store_wal_writer_on_lock(sqlite3_file *base, int level)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);

	return writer->file.pMethods->xLock(&writer->file, level);
}

static int store_wal_writer_on_unlock(sqlite3_file *base, int level)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);

	return writer->file.pMethods->xUnlock(&writer->file, level);
}

static int store_wal_writer_on_check_lock(sqlite3_file *base, int *reserved_out)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);

	return writer->file.pMethods->xCheckReservedLock(&writer->file, reserved_out);
}

static int store_wal_writer_on_control(sqlite3_file *base, int operation, void *argument)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);

	return writer->file.pMethods->xFileControl(&writer->file, operation, argument);
}

static int store_wal_writer_on_sector_size(sqlite3_file *base)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);

	return writer->file.pMethods->xSectorSize(&writer->file);
}

static int store_wal_writer_on_characteristics(sqlite3_file *base)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);

	return writer->file.pMethods->xDeviceCharacteristics(&writer->file);
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = store_wal_writer_on_close,
	.xRead = store_wal_writer_on_read,
	.xWrite = store_wal_writer_on_write,
	.xTruncate = store_wal_writer_on_truncate,
	.xSync = store_wal_writer_on_sync,
	.xFileSize = store_wal_writer_on_file_size,
	.xLock = store_wal_writer_on_lock,
	.xUnlock = store_wal_writer_on_unlock,
	.xCheckReservedLock = store_wal_writer_on_check_lock,
	.xFileControl = store_wal_writer_on_control,
	.xSectorSize = store_wal_writer_on_sector_size,
	.xDeviceCharacteristics = store_wal_writer_on_characteristics,
};

static int store_wal_writer_on_open(sqlite3_vfs *vfs, const char *name,
				    sqlite3_file *base, int flags, int *flags_out)
{
	struct store_wal_writer *writer = store_wal_writer_of(base);
	int result;

	(void)vfs;
	if (!(flags & SQLITE_OPEN_WAL))
		return usual->xOpen(usual, name, base, flags, flags_out);
	memset(writer, 0, sizeof(*writer));
	result = usual->xOpen(usual, name, &writer->file, flags, flags_out);
	if (!writer->file.pMethods)
		return result;
	writer->bytes = malloc(STORE_WAL_WRITER_ROOM_BYTES);
	writer->base.pMethods = &methods;
	return result;
}

const char *store_wal_writer_vfs(void)
{
	if (usual)
		return gathering.zName;
	usual = sqlite3_vfs_find(NULL);
	if (!usual)
		return NULL;
	gathering = *usual;
	gathering.zName = "ofono-mcp";
	gathering.pNext = NULL;
	gathering.szOsFile += (int)offsetof(struct store_wal_writer, file);
	gathering.xOpen = store_wal_writer_on_open;
	if (sqlite3_vfs_register(&gathering, 0) != SQLITE_OK) {
		usual = NULL;
		return NULL;
	}
	return gathering.zName;
}
