/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store file: the names of the database files in their folder, and how one database replaces
 * another. Only files that we made and never used are overwritten or removed.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#define STORE_FILE	 "gateway.db"
#define STORE_FILE_FRESH STORE_FILE ".new" /* being made, under the lock */

/* Writes `folder`/`name``suffix` to path[PATH_MAX]. Returns false if it is too long. */
bool store_file_path(char *path, const char *folder, const char *name,
		     const char *suffix);

/* Makes a missing folder with mode 0700, not its parents. Returns 0 or -errno. */
int store_file_make_folder(const char *folder);
/* Can group or others write to the folder? They could replace any file in it. */
bool store_file_others_may_write(const char *folder);

/*
 * Gives the file to the owner of the folder. A file that root made there must belong to the owner
 * of the folder, or the gateway could not open it
 * (tests/integration/test_keeping.py::test_files_restored_by_root_belong_to_the_gateway_user).
 * Returns 0 or -errno.
 */
int store_file_give_to_owner(const char *folder, const char *path);

/*
 * Puts a mark beside the database, because it was found damaged while in use. The mark stays with
 * the database when that is replaced. Returns 0 or -errno.
 */
int store_file_mark_damaged(const char *folder);
bool store_file_is_marked(const char *folder);

/* Removes a database that nobody uses, with all files that SQLite keeps beside it. */
void store_file_remove(const char *path);

/*
 * Puts `fresh`, a closed database, in the place of the one in `folder`. The old one stays beside it
 * as gateway.db.WORD-20261121T100102Z, with its -wal and -shm; its path is written to
 * aside[PATH_MAX], "" if there was none. Call it under the lock of the folder. Returns 0 or -errno.
 *
 * A crash leaves the complete old database in its place, or the new one, never none: an old
 * file has both names until the new one is there. store_file_finish_replace() removes the
 * surplus names then
 * (tests/integration/test_keeping.py::test_a_crash_during_restore_keeps_the_old_or_new_store).
 */
int store_file_replace(const char *folder, const char *fresh, const char *word,
		       char *aside);

/* Moves a -wal that belongs to another database aside, as "replaced". Returns 0 or -errno. */
int store_file_set_wal_aside(const char *folder);

/* Completes an interrupted replacement: before a database is opened, under the lock. */
void store_file_finish_replace(const char *folder);

/* For readers without the lock: does the -wal belong to a database that was replaced? */
bool store_file_has_stale_wal(const char *folder);
