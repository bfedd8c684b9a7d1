/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store -wal: is the write-ahead log of a database damaged?
 *
 * SQLite takes a log up to the first frame that is wrong and forgets the rest without a
 * word, for that is how a power cut looks. But we sync each commit before we go on: so what
 * is followed by a later commit was on disk once, and when it is wrong now then states that
 * were told are lost, and a message might be sent twice. Not told apart from a power cut:
 * damage in the last commit or so, and a log that was cut at a commit.
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_WAL_H
#define STORE_STORE_WAL_H

#include <stdbool.h>

/* `path`: of the log; one that is not there is sound. Nobody may write to it meanwhile. */
bool store_wal_is_sound(const char *path);

#endif
