/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store: the message store, one SQLite file with everything that must survive a restart.
 * Only this folder contains SQL.
 *
 * The database uses WAL with synchronous=FULL: when a function reports success, its change is
 * on disk. The exceptions are lazy changes, which a function or parameter names as such. A
 * lazy change is complete, visible at once, and survives the end of this process. It
 * survives a loss of power from the next store_sync() or the next durable change on, and
 * never without the lazy changes before it.
 *
 * The schema has a version (PRAGMA user_version) and a table of migrations. A damaged or newer
 * database is reported as an error and never overwritten; store_open_or_rescue() moves a
 * damaged one aside.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/explanation.h"
#include "store/store_incoming.h"
#include "store/store_listing.h"
#include "store/store_message.h"
#include "store/store_receive_gaps.h"
#include "store/store_session.h"
#include "store/store_sim.h"

/* outcomes */
enum {
	STORE_E_NOT_FOUND = 1,
	STORE_E_ILLEGAL, /* the state machine does not allow this change */
	STORE_E_EXISTS,	 /* a client of this name exists already */
	STORE_E_FULL,	 /* disk full or file system read-only: nothing was changed */
	STORE_E_MORE, /* success so far, with more rows left: store_listing_messages() */
};

struct store;

/*
 * Opens `folder`/gateway.db. Makes the folder (mode 0700, not its parents) and the file (0600)
 * when they are missing. On error fills `error` and returns -EUCLEAN (damaged), -ENOTSUP
 * (written by a newer program), -EBUSY (locked by another program), -ENOSPC (disk full or
 * read-only) or another -errno.
 */
int store_open(const char *folder, struct store **store_out, struct explanation *error);

/*
 * Like store_open(), for the gateway, which holds the lock of the folder. A damaged database
 * is no error: it is moved aside unchanged, and a new one begins with every row that can be
 * read. SIM IDs, client tokens and idempotency keys stay, no number is given out twice, and
 * nothing that may have been sent is sent again (tests/unit/test_store_rescue.c).
 */
int store_open_or_rescue(const char *folder, struct store **store_out,
			 struct explanation *error);
/* What store_open_or_rescue() had to do, for the owner; NULL: nothing. Lives with the store. */
const char *store_rescue_notice(const struct store *store);

void store_close(struct store *store);	/* NULL is fine */
void store_shrink(struct store *store); /* frees SQLite's page cache */

/* Counts rows written since the store was opened, rolled back or not. NULL: 0. */
uint64_t store_change_count(const struct store *store);
/* Counts commits and syncs that waited for the disk. */
uint64_t store_commits(const struct store *store);

/* Damage was found while the store was in use: it accepts no more changes. */
bool store_is_damaged(const struct store *store);
/*
 * The file or its -wal was removed or replaced while the store was open. Nothing is committed
 * (STORE_E_FULL), because the next start would not find it. Every commit checks this; this
 * function checks again after a loss. When the files are back, the store works again. A
 * removed -wal is made anew.
 */
bool store_is_gone(struct store *store);
/* Why the store accepts no changes, as a sentence; NULL: it does accept them. */
const char *store_trouble(struct store *store);

/*
 * A snapshot lets several reads see the same moment and locks the SQLite file once. A change
 * inside a snapshot ends it. End it before the event loop runs again: an open snapshot
 * prevents SQLite from emptying the -wal.
 */
void store_snapshot_begin(struct store *store);
void store_snapshot_end(struct store *store); /* fine when it has ended */

/* False: there are lazy changes that the disk has not confirmed. */
bool store_is_synced(const struct store *store);
/* Waits for the disk if there are lazy changes. 0 or -errno. */
int store_sync(struct store *store);
/*
 * Runs `work`, whose changes are all lazy, then waits for the disk once. Not inside a
 * transaction. Returns what `work` returned; *synced_out: the result of store_sync().
 */
int store_sync_once(struct store *store, int (*work)(void *data), void *data,
		    int *synced_out);

#endif
