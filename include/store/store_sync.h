/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, lazy changes: those that need not be safe from a loss of power one by one. Part of
 * the store of store/store.h.
 *
 * A lazy change is whole, seen by everybody at once, and outlives the end of this program
 * however that comes. A loss of power it outlives from the next store_sync() on, or from
 * the next change that is not lazy, and never without those before it.
 */
#ifndef STORE_STORE_SYNC_H
#define STORE_STORE_SYNC_H

#include "store/store.h"

/* Of all changes until it is switched off; not inside a transaction. */
void store_set_lazy(struct store *store, bool lazy);
bool store_is_synced(const struct store *store);
/* Waits for the disk, if there is anything to wait for. 0 or -errno. */
int store_sync(struct store *store);

#endif
