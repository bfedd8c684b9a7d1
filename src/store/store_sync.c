/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With synchronous=NORMAL a commit is written to the -wal and not waited for. The -wal is one
 * file that only grows between checkpoints (which wait by themselves), so waiting for it
 * once is waiting for all that is in it.
 */
#include "store/store_sync.h"

#include <errno.h>

#include "base/log.h"
#include "store/store_statement.h"

void store_set_lazy(struct store *store, bool lazy)
{
	store->wants_lazy = lazy;
}

/* A pragma is parsed each time, and most writes are as lazy as the one before. */
void store_obey_lazy(struct store *store)
{
	bool lazy = store->wants_lazy;
	const char *level =
		lazy ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL";

	if (store->lazy == lazy)
		return;
	if (sqlite3_exec(store->database, level, NULL, NULL, NULL) == SQLITE_OK)
		store->lazy = lazy;
	else if (!lazy) /* store_sync() is called all the same */
		log_error("store: out of memory: the disk is not waited for");
}

bool store_is_synced(const struct store *store)
{
	return !store->unsynced;
}

int store_sync(struct store *store)
{
	sqlite3_file *log = NULL;

	if (!store->unsynced)
		return 0;
	if (sqlite3_file_control(store->database, "main", SQLITE_FCNTL_JOURNAL_POINTER,
				 &log) != SQLITE_OK ||
	    !log || !log->pMethods)
		return -EIO;
	if (log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) != SQLITE_OK)
		return -EIO;
	store->commits++;
	store->unsynced = false;
	return 0;
}
