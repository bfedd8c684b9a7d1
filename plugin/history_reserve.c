/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ofonod runs as root, and the folder may belong to an ordinary user: the file is never
 * opened through a link of any kind, and is not touched unless the folder's owner owns it.
 */
#include "history_reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define RESERVE_NAME ".reserve"

enum {
	BLOCK_BYTES = 4096,
	RESERVE_PLENTY = 4, /* fill only with this many times the reserve free */
};

static bool history_reserve_is_ours(int fd, const struct stat *folder,
				    struct stat *status_out)
{
	return fstat(fd, status_out) == 0 && S_ISREG(status_out->st_mode) &&
	       status_out->st_nlink == 1 && status_out->st_uid == folder->st_uid;
}

/* Returns -1 if it is missing, or not the owner's. */
static int history_reserve_open(int folder_fd, const struct stat *folder,
				struct stat *status_out)
{
	int fd = openat(folder_fd, RESERVE_NAME,
			O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && !history_reserve_is_ours(fd, folder, status_out)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Returns -1 if it cannot be created. */
static int history_reserve_create(int folder_fd, const struct stat *folder,
				  struct stat *status_out)
{
	int fd = openat(folder_fd, RESERVE_NAME,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	if (folder->st_uid != geteuid() &&
	    fchown(fd, folder->st_uid, folder->st_gid) < 0) {
		close(fd);
		unlinkat(folder_fd, RESERVE_NAME, 0);
		return -1;
	}
	if (fstat(fd, status_out) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool history_reserve_has_space(int fd)
{
	struct statvfs status;

	return fstatvfs(fd, &status) == 0 &&
	       (unsigned long long)status.f_bavail * status.f_frsize >=
		       (unsigned long long)RESERVE_PLENTY * RESERVE_BYTES;
}

void history_reserve_refill(int fd, const struct stat *folder)
{
	struct stat status;
	int file = history_reserve_open(fd, folder, &status);

	if (file < 0 && history_reserve_has_space(fd))
		file = history_reserve_create(fd, folder, &status);
	if (file < 0)
		return;
	/* The next message retries what fails now. */
	if (status.st_size < RESERVE_BYTES && history_reserve_has_space(file) &&
	    fallocate(file, 0, 0, RESERVE_BYTES) == 0)
		fsync(file);
	close(file);
}

/* Returns the bytes of the file's blocks, and of one for its name and metadata. */
static off_t history_reserve_bytes_for(size_t bytes)
{
	return (off_t)((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES + 1) * BLOCK_BYTES;
}

bool history_reserve_release(int fd, const struct stat *folder, size_t bytes)
{
	struct stat status;
	int file = history_reserve_open(fd, folder, &status);
	off_t left;
	bool released;

	if (file < 0)
		return false;
	left = status.st_size - history_reserve_bytes_for(bytes);
	released = status.st_size > 0 && ftruncate(file, left > 0 ? left : 0) == 0 &&
		   fsync(file) == 0; /* usable by others only when that is on disk */
	close(file);
	return released;
}
