/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store WAL writer: a SQLite VFS that writes each commit to the -wal with one system call. The
 * write of a commit's last frame returns when all of it is written, or fails.
 */
#ifndef STORE_STORE_WAL_WRITER_H
#define STORE_STORE_WAL_WRITER_H

enum {
	STORE_WAL_WRITER_ROOM_BYTES = 64 * 1024
}; /* a longer commit is written in pieces */

/* The name for sqlite3_open_v2(); NULL, the default VFS, if SQLite has no memory. */
const char *store_wal_writer_vfs(void);

#endif
