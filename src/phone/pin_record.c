/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   BOOT
 *   ICCID
 *   ICCID
 *
 * Of another start of the machine nothing in it holds any more, and it begins anew.
 */
#include "phone/pin_record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file_sync.h"

#define FILE_NAME "pin_tries"
#define BOOT_FILE "/proc/sys/kernel/random/boot_id"

static bool has_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	for (; text; text = strchr(text, '\n'), text += text != NULL) {
		if (strncmp(text, line, length) == 0 && text[length] == '\n')
			return true;
	}
	return false;
}

static bool begins_with_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	return strncmp(text, line, length) == 0 && text[length] == '\n';
}

/* What it says; "" when it is not there. 0 or -errno. */
static int read_record(int fd, char text[PIN_RECORD_MAX])
{
	ssize_t length = pread(fd, text, PIN_RECORD_MAX - 1, 0);

	if (length < 0)
		return -errno;
	if (length == PIN_RECORD_MAX - 1)
		return -EFBIG;
	text[length] = '\0';
	return 0;
}

/* A line that a crash has cut is none: it begins behind one. */
static int append(int fd, const char *text, const char *line)
{
	size_t length = strlen(text);
	const char *before = length && text[length - 1] != '\n' ? "\n" : "";

	if (dprintf(fd, "%s%s\n", before, line) < 0)
		return -errno;
	return fsync(fd) < 0 ? -errno : 0;
}

static int note(int fd, const char *boot, const char *iccid)
{
	char text[PIN_RECORD_MAX];
	int error = read_record(fd, text);

	if (error)
		return error;
	if (!begins_with_line(text, boot)) {
		if (ftruncate(fd, 0) < 0)
			return -errno;
		text[0] = '\0';
		error = append(fd, text, boot);
	}
	if (error)
		return error;
	if (has_line(text, iccid))
		return PIN_RECORD_E_TRIED;
	return append(fd, text, iccid);
}

int pin_record_note(const char *folder, const char *boot, const char *iccid)
{
	char path[PATH_MAX];
	int outcome, fd;

	if (snprintf(path, sizeof(path), "%s/" FILE_NAME, folder) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	outcome = note(fd, boot, iccid);
	close(fd);
	return outcome ? outcome : file_sync(folder);
}

int pin_record_boot(char boot[PIN_RECORD_BOOT_BYTES])
{
	int fd = open(BOOT_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = read(fd, boot, PIN_RECORD_BOOT_BYTES - 1);
	close(fd);
	if (length <= 0)
		return -EIO;
	boot[length] = '\0';
	boot[strcspn(boot, "\n")] = '\0';
	return *boot ? 0 : -EIO;
}
