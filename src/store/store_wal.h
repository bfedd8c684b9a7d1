/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store WAL: checks the write-ahead log of a database for damage.
 *
 * SQLite reads a log up to the first wrong frame and silently ignores the rest, because a power
 * cut leaves such a log. But we sync each durable commit before we go on. So a frame that a
 * later commit follows was on disk once; if it is wrong now, committed states are lost, and a
 * message might be sent twice. Two kinds of damage look like a power cut and stay undetected:
 * damage in the last commit or so, and a log that was cut at a commit.
 */
#pragma once

#include <stdbool.h>

/* `path` is that of the log; a missing one is sound. Nobody may write to it meanwhile. */
bool store_wal_is_sound(const char *path);
