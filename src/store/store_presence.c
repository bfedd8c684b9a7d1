/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_presence.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/log.h"
#include "store/store_file.h"

static bool file_has_moved(struct store *store)
{
	int moved = 0;

	sqlite3_file_control(store->database, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	return moved;
}

static bool log_has_moved(struct store *store)
{
	sqlite3_file *log = NULL;
	int moved = 0;

	sqlite3_file_control(store->database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
	if (log && log->pMethods)
		log->pMethods->xFileControl(log, SQLITE_FCNTL_HAS_MOVED, &moved);
	return moved;
}

static void tell(const struct store *store, enum store_presence now)
{
	if (now == STORE_IS_THERE)
		log_info("store: %s/" STORE_FILE " is back", store->folder);
	else
		log_error("store: %s/" STORE_FILE "%s is gone, or is another file: "
			  "nothing is sent and nothing stored until it is back; what "
			  "comes in is kept in memory",
			  store->folder, now == STORE_LOG_IS_LOST ? "-wal" : "");
}

bool store_presence_is_lost(struct store *store)
{
	enum store_presence now = STORE_IS_THERE;

	if (file_has_moved(store))
		now = STORE_FILE_IS_LOST;
	else if (log_has_moved(store))
		now = STORE_LOG_IS_LOST;
	if (now != store->presence)
		tell(store, now);
	store->presence = now;
	return now != STORE_IS_THERE;
}

/* What has its name, and holds anything, is not ours to remove. */
static bool log_is_missing(const struct store *store)
{
	char path[PATH_MAX];
	struct stat status;

	if (!store_file_path(path, store->folder, STORE_FILE, "-wal"))
		return false;
	return lstat(path, &status) < 0 ? errno == ENOENT : status.st_size == 0;
}

/* We still have the log that has no name: all that is in it goes into the file. */
static void renew_log(struct store *store)
{
	sqlite3_busy_timeout(store->database, 0);
	if (sqlite3_exec(store->database, "PRAGMA journal_mode = DELETE", NULL, NULL,
			 NULL) == SQLITE_OK)
		sqlite3_exec(store->database, "PRAGMA journal_mode = WAL", NULL, NULL,
			     NULL);
	sqlite3_busy_timeout(store->database, STORE_BUSY_MS);
}

void store_presence_mend(struct store *store)
{
	if (store->presence == STORE_IS_THERE || !sqlite3_get_autocommit(store->database))
		return;
	if (store_presence_is_lost(store) && store->presence == STORE_LOG_IS_LOST &&
	    log_is_missing(store)) {
		renew_log(store);
		store_presence_is_lost(store);
	}
}

bool store_is_gone(struct store *store)
{
	store_presence_mend(store);
	return store->presence != STORE_IS_THERE;
}

const char *store_trouble(struct store *store)
{
	if (store_is_damaged(store))
		return "The gateway's records are damaged, so nothing is sent until it "
		       "was restarted.";
	if (store_is_gone(store))
		return "The file of the gateway's records was removed, so nothing is "
		       "sent "
		       "until it is back or the gateway was restarted.";
	return NULL;
}
