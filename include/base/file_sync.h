/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File sync: makes the content of a file or folder survive a loss of power.
 *
 * Creating, renaming or removing a file is on disk only when its folder is on disk as well.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Returns 0 or -errno. Blocks until the disk is done. */
static inline int file_sync(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return -errno;
	error = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return error;
}
