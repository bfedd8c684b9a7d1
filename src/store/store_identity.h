/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store identity: is this the database file that was used last, or a copy of it?
 *
 * In a copy, messages still wait that the original may have sent since. So at each start the
 * gateway stores which file this is: its inode and birth time, its device and file system,
 * and the same of a mark, a file beside it that is made anew each time (gateway.mark-EPOCH).
 * A copy has other inodes. A file that was written over the original has an older epoch, whose
 * mark is gone, or a mark that was written to.
 *
 * Within one boot the device must be the same, which detects a snapshot mounted elsewhere.
 * Devices are numbered anew at the next boot, so then the ID of the file system counts.
 * Where a file system has neither, or inodes that change, each start takes the database for a
 * copy, which sends nothing.
 *
 * Nothing in the folder can show that a whole disk or virtual machine was set back to an
 * earlier state. Only an audit head that was saved elsewhere reveals this
 * (tests/unit/test_store_identity.c, tests/integration/test_copies.py).
 */
#ifndef STORE_STORE_IDENTITY_H
#define STORE_STORE_IDENTITY_H

#include <sqlite3.h>
#include <stdbool.h>

/*
 * False: `database`, which is `folder`/gateway.db, is a copy. A database that we made and
 * never used, or of a version that stored no identity, is none.
 */
bool store_identity_matches(sqlite3 *database, const char *folder);

/*
 * Makes this file the original. 0, or -errno and nothing has changed. A crash leaves the old
 * identity or the new one, each with its mark.
 */
int store_identity_record(sqlite3 *database, const char *folder);

/* Likewise for a file at `path` that will replace the database; old marks stay. */
int store_identity_record_file(sqlite3 *database, const char *folder, const char *path);

#endif
