/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store log file: how SQLite writes the -wal. It would write each frame of a commit with two
 * system calls; here they are gathered, and written with one when the commit is whole.
 *
 * What a commit is stays SQLite's: the write of its last frame returns when all of it is
 * written, or fails.
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_LOG_FILE_H
#define STORE_STORE_LOG_FILE_H

enum { LOG_FILE_ROOM_BYTES = 64 * 1024 }; /* what is longer is written in pieces */

/* The name for sqlite3_open_v2(); NULL, the usual way, when SQLite has no memory. */
const char *store_log_file_vfs(void);

#endif
