/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File sync: that what a file or folder holds now outlives a loss of power.
 *
 * A file that was made, renamed or removed is on disk only when its folder is, too.
 */
#ifndef BASE_FILE_SYNC_H
#define BASE_FILE_SYNC_H

/* 0 or -errno. Waits for the disk. */
int file_sync(const char *path);

#endif
