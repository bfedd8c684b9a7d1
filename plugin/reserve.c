/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ofonod is root, the folder may belong to an ordinary user: the file is not reached by a
 * link of any kind, and what is not the folder's owner's own is left alone.
 */
#include "reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NAME ".reserve"

enum {
	BLOCK_BYTES = 4096,
	PLENTY = 4, /* times the reserve has to be free before it is filled */
};

static bool is_ours(int fd, const struct stat *folder, struct stat *status_out)
{
	return fstat(fd, status_out) == 0 && S_ISREG(status_out->st_mode) &&
	       status_out->st_nlink == 1 && status_out->st_uid == folder->st_uid;
}

/* -1: there is none, or it is not ours. */
static int reserve_open(int folder_fd, const struct stat *folder, struct stat *status_out)
{
	int fd = openat(folder_fd, NAME, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && !is_ours(fd, folder, status_out)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* -1: it cannot be. */
static int reserve_make(int folder_fd, const struct stat *folder, struct stat *status_out)
{
	int fd = openat(folder_fd, NAME,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	if (folder->st_uid != geteuid() &&
	    fchown(fd, folder->st_uid, folder->st_gid) < 0) {
		close(fd);
		unlinkat(folder_fd, NAME, 0);
		return -1;
	}
	if (fstat(fd, status_out) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool has_plenty(int fd)
{
	struct statvfs status;

	return fstatvfs(fd, &status) == 0 &&
	       (unsigned long long)status.f_bavail * status.f_frsize >=
		       (unsigned long long)PLENTY * RESERVE_BYTES;
}

void reserve_keep(int fd, const struct stat *folder)
{
	struct stat status;
	int file = reserve_open(fd, folder, &status);

	if (file < 0 && has_plenty(fd))
		file = reserve_make(fd, folder, &status);
	if (file < 0)
		return;
	/* What of it cannot be had now is asked for with the next message. */
	if (status.st_size < RESERVE_BYTES && has_plenty(file) &&
	    fallocate(file, 0, 0, RESERVE_BYTES) == 0)
		fsync(file);
	close(file);
}

/* The file, its name in the folder, and what the file system notes of both. */
static off_t needed(size_t bytes)
{
	return (off_t)((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES + 1) * BLOCK_BYTES;
}

bool reserve_give(int fd, const struct stat *folder, size_t bytes)
{
	struct stat status;
	int file = reserve_open(fd, folder, &status);
	off_t left;
	bool given;

	if (file < 0)
		return false;
	left = status.st_size - needed(bytes);
	given = status.st_size > 0 && ftruncate(file, left > 0 ? left : 0) == 0 &&
		fsync(file) == 0; /* free for others only when that is on disk */
	close(file);
	return given;
}
