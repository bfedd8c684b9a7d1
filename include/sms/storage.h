/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Storage: is there room to take on something new?
 *
 * The last MiB of the disk (store.reserve_mib) are for what cannot be refused: messages that
 * come in, and what becomes of those that were accepted. Asked for each message that is to
 * be sent: it costs some microseconds, beside the fsync of some milliseconds.
 */
#ifndef SMS_STORAGE_H
#define SMS_STORAGE_H

#include <stdbool.h>

#include "config/config.h"

/* True also when the file system does not say. */
bool storage_has_room(const struct config *config);

#endif
