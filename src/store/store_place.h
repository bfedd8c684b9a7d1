/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store place: is this the file that was used last, or a copy of it?
 *
 * A copy says of messages that they wait although the original may have sent them since. So the
 * gateway notes in the store, at each start, which file it is: its inode and when that was
 * born, its device and file system, and the same of a mark, a file beside it that is made
 * anew each time (gateway.mark-EPOCH). A copy has other inodes; one that was written over
 * the original has an older epoch, whose mark is gone, or a mark that was written to.
 *
 * Within one start of the machine the device must be the same: that tells a snapshot that was
 * mounted elsewhere. Devices are numbered anew at the next start, so after that the file
 * system's ID counts. Where a file system has neither, or inodes that change, each start
 * takes the store for a copy, which sends nothing.
 *
 * What nothing in the folder can tell: that a whole disk, or a virtual machine, was set
 * back to an earlier state. Only a head of the audit that was noted elsewhere shows that
 * (tests/unit/test_store_place.c, tests/integration/test_copies.py).
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_PLACE_H
#define STORE_STORE_PLACE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/explanation.h"

/*
 * False: `database`, which is `folder`/gateway.db, is a copy. One that was made by us and not
 * used yet, or by a version that noted nothing, is none.
 */
bool store_place_is_here(sqlite3 *database, const char *folder);

/*
 * From now on this file is the one. 0, or -errno and nothing has changed. A crash leaves the
 * old note or the new one, each with its mark.
 */
int store_place_note(sqlite3 *database, const char *folder);

/* The same for one at `path` that is to take its place; the marks of that one stay. */
int store_place_note_file(sqlite3 *database, const char *folder, const char *path);

#endif
