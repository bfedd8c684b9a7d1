/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store look: many reads of one moment, for which SQLite locks its file once. Part of the
 * store of store/store.h.
 *
 * A change in between is made as ever, and ends the look. It is to be over before the loop
 * turns: it would keep the -wal from being emptied.
 */
#ifndef STORE_STORE_LOOK_H
#define STORE_STORE_LOOK_H

#include "store/store.h"

void store_look_begin(struct store *store);
void store_look_end(struct store *store); /* fine when it is over */

#endif
