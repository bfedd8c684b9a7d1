/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spool folder: the files of one folder of our oFono plugin, in the order of their names.
 *
 * Files whose names begin with a dot are unfinished. A file that cannot be taken is set aside, and
 * never read again.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

enum { SPOOL_FOLDER_LIST_MAX = 64, SPOOL_FOLDER_NAME_BYTES = NAME_MAX + 1 };

/* Embedded in its owner. */
struct spool_folder {
	const char *path;
	int fd; /* while files are taken; otherwise -1 */
	unsigned count;
	char names[SPOOL_FOLDER_LIST_MAX][SPOOL_FOLDER_NAME_BYTES];
};

/* Returns whether the file is unfinished, or was set aside. */
bool spool_folder_is_ignored(const char *name);
/*
 * Lists the first names after `after` ("" for all). Returns 0, or -errno: then the list is empty.
 */
int spool_folder_list(struct spool_folder *folder, const char *after);
/* Neither overwrites nor deletes the file: somebody may want to look at it. Logs the flaw. */
void spool_folder_set_aside(const struct spool_folder *folder, const char *name,
			    const char *flaw);
/* Removes a file that was stored; logs a failure. */
void spool_folder_remove(const struct spool_folder *folder, const char *name);
