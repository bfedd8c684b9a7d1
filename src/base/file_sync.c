/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int file_sync(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return -errno;
	error = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return error;
}
