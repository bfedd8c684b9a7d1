/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store file: the names under which a database lies in its folder, and how one takes the
 * place of another. Nothing is ever overwritten or removed but what we made and never used.
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_FILE_H
#define STORE_STORE_FILE_H

#include <limits.h>
#include <stdbool.h>

#define STORE_FILE	 "gateway.db"
#define STORE_FILE_FRESH STORE_FILE ".new" /* under the lock: being made */

/* `folder`/`name``suffix` into path[PATH_MAX]. False: too long. */
bool store_file_path(char *path, const char *folder, const char *name,
		     const char *suffix);

/* Made with mode 0700 when missing, its parents not. 0 or -errno. */
int store_file_make_folder(const char *folder);
/* Its group or everybody: they could replace any file in it. */
bool store_file_others_may_write(const char *folder);

/*
 * What root has made there is the owner's of the folder, or the gateway could not open it
 * (tests/integration/test_keeping.py::test_what_root_restores_is_the_gateways). 0 or -errno.
 */
int store_file_hand_over(const char *folder, const char *path);

/*
 * A mark beside the database: it was found damaged while it was used. It goes with the
 * database when that is replaced. 0 or -errno.
 */
int store_file_mark_damaged(const char *folder);
bool store_file_is_marked(const char *folder);

/* Removes a database that nobody uses, with all that SQLite puts beside it. */
void store_file_remove(const char *path);

/*
 * `fresh`, a database that is closed, takes the place of the one in `folder`. What is there
 * stays beside it as gateway.db.WORD-20261121T100102Z (its -wal and -shm with it), whose
 * path goes to aside[PATH_MAX]; "": there was none. 0 or -errno. To be called under the lock
 * of the folder.
 *
 * A crash leaves the old one in its place, whole, or the new one, never none: what is set
 * aside has both names until the new one is there. store_file_complete() takes those away
 * that are too many then.
 * (tests/integration/test_keeping.py::test_killed_while_one_takes_the_place_of_another)
 */
int store_file_replace(const char *folder, const char *fresh, const char *word,
		       char *aside);

/* A -wal that is of another ledger than the one there, likewise, as replaced. 0 or -errno. */
int store_file_set_log_aside(const char *folder);

/* Before a database is opened, under the lock of the folder. */
void store_file_complete(const char *folder);

/* For who has no lock: the -wal is that of a ledger which was replaced. */
bool store_file_is_cut_short(const char *folder);

#endif
