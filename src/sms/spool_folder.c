/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/spool_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#define SPOOL_FOLDER_BAD ".bad"

bool spool_folder_is_ignored(const char *name)
{
	size_t length = strlen(name), bad = strlen(SPOOL_FOLDER_BAD);

	return name[0] == '.' ||
	       (length > bad && strcmp(name + length - bad, SPOOL_FOLDER_BAD) == 0);
}

/* Inserts the name if it is among the first. */
static void spool_folder_insert(struct spool_folder *folder, const char *name)
{
	unsigned place = folder->count;

	while (place > 0 && strcmp(folder->names[place - 1], name) > 0)
		place--;
	if (place == SPOOL_FOLDER_LIST_MAX)
		return;
	if (folder->count < SPOOL_FOLDER_LIST_MAX)
		folder->count++;
	memmove(folder->names[place + 1], folder->names[place],
		(folder->count - place - 1) * sizeof(folder->names[0]));
	snprintf(folder->names[place], SPOOL_FOLDER_NAME_BYTES, "%s", name);
}

int spool_folder_list(struct spool_folder *folder, const char *after)
{
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int error = entries ? 0 : -errno;

	folder->count = 0;
	if (error) {
		if (fd >= 0)
			close(fd);
		return error;
	}
	while ((entry = readdir(entries)))
		if (!spool_folder_is_ignored(entry->d_name) &&
		    strcmp(entry->d_name, after) > 0)
			spool_folder_insert(folder, entry->d_name);
	closedir(entries);
	return 0;
}

void spool_folder_set_aside(const struct spool_folder *folder, const char *name,
			    const char *flaw)
{
	char aside[SPOOL_FOLDER_NAME_BYTES + sizeof(SPOOL_FOLDER_BAD)];

	snprintf(aside, sizeof(aside), "%s" SPOOL_FOLDER_BAD, name);
	if (renameat2(folder->fd, name, folder->fd, aside, RENAME_NOREPLACE) < 0)
		log_error("spool: %s/%s: not taken: %s; it cannot be renamed: %s",
			  folder->path, name, flaw, strerror(errno));
	else
		log_error("spool: %s/%s: not taken: %s; kept as %s", folder->path, name,
			  flaw, aside);
}

void spool_folder_remove(const struct spool_folder *folder, const char *name)
{
	if (unlinkat(folder->fd, name, 0) < 0 && errno != ENOENT)
		log_error("spool: %s/%s: stored, but cannot be removed: %s", folder->path,
			  name, strerror(errno));
}
