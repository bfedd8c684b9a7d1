/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spool file: one message, or what became of one, as our plugin in ofonod wrote it;
 * plugin/README.md has the format. It is read strictly: a file with any deviation is damaged, or
 * is not of the plugin.
 *
 * Files whose names begin with a dot are unfinished. A file that cannot be taken is set aside, and
 * never read again.
 *
 * Private to src/sms/spool.c and src/sms/outgoing_spool.c.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/json.h"
#include "sms/inbox.h"
#include "sms/outbox_record.h"

enum {
	SPOOL_FILE_NAME_BYTES = 20 + 1 + 40 + 4 + 1,
	SPOOL_FILE_BYTES_MAX = 1 << 20,
};

/* outcomes */
enum {
	SPOOL_FILE_E_BAD = 1,
};

/* Does the name have the form that the plugin uses? suffix: ".sms" or as long. */
bool spool_file_is_named(const char *name, const char *suffix);

/*
 * Reads the file `name` of `folder`. The strings of the message are in `arena`, except the name.
 * Returns 0, -errno (-ENOENT if it is gone), or SPOOL_FILE_E_BAD with the reason in *flaw_out.
 */
int spool_file_read(int folder, const char *name, struct arena *arena,
		    struct inbox_spooled *spooled_out, const char **flaw_out);

/*
 * Strings of the record are in `arena`. Returns 0, -errno (-ENOENT if it is gone), or
 * SPOOL_FILE_E_BAD with the reason in *flaw_out.
 */
int spool_file_read_record(int folder, const char *name, struct arena *arena,
			   struct outbox_record *record_out, const char **flaw_out);

/* ---- a folder, with its files in the order of their names */

enum { SPOOL_FILE_LIST_MAX = 64, SPOOL_FILE_LISTED_BYTES = NAME_MAX + 1 };

/* Embedded in its owner. */
struct spool_files {
	const char *path;
	int fd; /* while files are taken; otherwise -1 */
	unsigned count;
	char names[SPOOL_FILE_LIST_MAX][SPOOL_FILE_LISTED_BYTES];
};

/*
 * Returns what is wrong with the folder, or NULL. Anybody who can write there can forge messages.
 * With -1 it is errno.
 */
const char *spool_file_folder_flaw(int folder);
/* Returns whether the file is unfinished, or was set aside. */
bool spool_file_is_ignored(const char *name);
/*
 * Lists the first names after `after` ("" for all). Returns 0, or -errno: then the list is empty.
 */
int spool_file_list(struct spool_files *folder, const char *after);
/*
 * Neither overwrites nor deletes the file: somebody may want to look at it. Logs the flaw. Returns
 * false if it keeps its name, which is logged.
 */
bool spool_file_set_aside(const struct spool_files *folder, const char *name,
			  const char *flaw);
/* Removes a file that was stored. Returns false if it is still there, which is logged. */
bool spool_file_remove(const struct spool_files *folder, const char *name);
