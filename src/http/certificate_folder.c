/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/certificate_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_sync.h"
#include "http/certificate.h"

static int write_whole(int fd, const gnutls_datum_t *text)
{
	size_t done = 0;
	ssize_t length;

	while (done < text->size) {
		length = write(fd, text->data + done, text->size - done);
		if (length < 0 && errno != EINTR)
			return -errno;
		if (length > 0)
			done += (size_t)length;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

/* Root makes it for the user whose state it is. */
static int hand_over(int fd, const struct stat *above)
{
	if (geteuid() == 0 && fchown(fd, above->st_uid, above->st_gid) < 0)
		return -errno;
	return 0;
}

static int file_make(int folder, const char *name, const gnutls_datum_t *text,
		     const struct stat *above)
{
	int fd = openat(folder, name,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	int error;

	if (fd < 0)
		return -errno;
	error = hand_over(fd, above);
	if (!error)
		error = write_whole(fd, text);
	close(fd);
	return error;
}

static const char *const names[] = { CERTIFICATE_KEY_FILE, CERTIFICATE_FILE };

enum { FILE_COUNT = sizeof(names) / sizeof(names[0]) };

/* `texts` in the order of names */
static int files_make(int folder, const gnutls_datum_t *const texts[FILE_COUNT],
		      const struct stat *above)
{
	int error = hand_over(folder, above);

	for (int at = 0; at < FILE_COUNT && !error; at++)
		error = file_make(folder, names[at], texts[at], above);
	if (!error && fsync(folder) < 0)
		error = -errno;
	return error;
}

static void folder_remove(const char *folder)
{
	char path[PATH_MAX];

	for (int at = 0; at < FILE_COUNT; at++)
		if (snprintf(path, sizeof(path), "%s/%s", folder, names[at]) < PATH_MAX)
			unlink(path);
	rmdir(folder);
}

/* The new folder takes the name, with an old one they change places. */
static int folder_place(const char *fresh, const char *folder)
{
	if (rename(fresh, folder) == 0)
		return 0;
	if (errno != EEXIST && errno != ENOTEMPTY)
		return -errno;
	if (renameat2(AT_FDCWD, fresh, AT_FDCWD, folder, RENAME_EXCHANGE) < 0)
		return -errno;
	folder_remove(fresh);
	return 0;
}

int certificate_folder_make(const char *folder, const gnutls_datum_t *certificate,
			    const gnutls_datum_t *key)
{
	const gnutls_datum_t *const texts[FILE_COUNT] = { key, certificate };
	char fresh[PATH_MAX], above[PATH_MAX];
	struct stat owner;
	int fd, error;

	if (snprintf(fresh, sizeof(fresh), "%s.new", folder) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(above, folder);
	if (stat(dirname(above), &owner) < 0)
		return -errno;
	folder_remove(fresh); /* of one that was interrupted */
	if (mkdir(fresh, 0700) < 0)
		return -errno;
	fd = open(fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	error = fd < 0 ? -errno : files_make(fd, texts, &owner);
	if (fd >= 0)
		close(fd);
	if (!error)
		error = folder_place(fresh, folder);
	if (error)
		folder_remove(fresh);
	return error ? error : file_sync(above);
}
