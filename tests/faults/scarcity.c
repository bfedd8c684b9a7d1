/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scarcity.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* glibc's own function, under a name reserved for it. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at);
ssize_t pwrite64(int file, const void *bytes, size_t length, off_t at);
int ftruncate(int file, off_t length);
int ftruncate64(int file, off_t length);
int fallocate(int file, int mode, off_t at, off_t length);
int fallocate64(int file, int mode, off_t at, off_t length);
int fsync(int file);
int fdatasync(int file);

struct scarcity scarcity;

static bool fails(enum scarce what, int error)
{
	if (!scarcity.is_armed || scarcity.what != what)
		return false;
	scarcity.passed++;
	if (scarcity.passed != scarcity.fail_at &&
	    !(scarcity.is_lasting && scarcity_was_met()))
		return false;
	errno = error;
	return true;
}

void *malloc(size_t size)
{
	return fails(SCARCE_MEMORY, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(SCARCE_MEMORY, ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails(SCARCE_MEMORY, ENOMEM) ? NULL : __libc_realloc(old, size);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off_t at)
{
	return fails(SCARCE_ROOM, ENOSPC)
		       ? -1
		       : syscall(SYS_pwrite64, file, bytes, length, at);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at)
{
	return pwrite64(file, bytes, length, at);
}

int ftruncate64(int file, off_t length)
{
	return fails(SCARCE_ROOM, ENOSPC) ? -1
					  : (int)syscall(SYS_ftruncate, file, length);
}

int ftruncate(int file, off_t length)
{
	return ftruncate64(file, length);
}

int fallocate64(int file, int mode, off_t at, off_t length)
{
	return fails(SCARCE_ROOM, ENOSPC)
		       ? -1
		       : (int)syscall(SYS_fallocate, file, mode, at, length);
}

int fallocate(int file, int mode, off_t at, off_t length)
{
	return fallocate64(file, mode, at, length);
}

int fdatasync(int file)
{
	return fails(SCARCE_SYNC, EIO) ? -1 : (int)syscall(SYS_fdatasync, file);
}

int fsync(int file)
{
	return fails(SCARCE_SYNC, EIO) ? -1 : (int)syscall(SYS_fsync, file);
}
