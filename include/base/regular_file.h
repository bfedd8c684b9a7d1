/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular file: opens a file that a path of the owner names, and never waits. A FIFO, a device
 * or a folder is refused: reading a FIFO waits for its writer, and /dev/zero never ends.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Returns a descriptor for reading, or -errno; -EINVAL if it is not a regular file. Follows links.
 */
static inline int regular_file_open(const char *path, struct stat *status_out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int error;

	*status_out = (struct stat){ 0 };
	if (fd < 0)
		return -errno;
	error = fstat(fd, status_out) < 0      ? -errno
		: S_ISREG(status_out->st_mode) ? 0
					       : -EINVAL;
	if (!error)
		return fd;
	close(fd);
	return error;
}
