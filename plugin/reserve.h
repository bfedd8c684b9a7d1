/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reserve: room in the spool that is taken from the disk while it has some, and given back
 * when it is full, so that messages that come in then can be laid down all the same.
 *
 * It is the file ".reserve" of the folder, which nobody reads.
 */
#ifndef PLUGIN_RESERVE_H
#define PLUGIN_RESERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { RESERVE_BYTES = 1024 * 1024 };

/* As much of it as is missing, if the disk has plenty. `folder` is what fd is open on. */
void reserve_keep(int fd, const struct stat *folder);

/* Gives up what a file of so many bytes needs. False: there is nothing left of it. */
bool reserve_give(int fd, const struct stat *folder, size_t bytes);

#endif
