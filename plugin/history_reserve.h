/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reserve: disk space in the spool that is allocated while the disk has some, and released
 * when it is full, so that incoming messages can still be stored.
 *
 * It is the file ".reserve" of the folder, which nobody reads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { RESERVE_BYTES = 1024 * 1024 };

/* Refills the reserve if the disk has plenty of space. `folder` is the status of `fd`. */
void history_reserve_refill(int fd, const struct stat *folder);

/* Releases what a file of `bytes` needs. Returns false if nothing is left. */
bool history_reserve_release(int fd, const struct stat *folder, size_t bytes);
