/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_rescue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "store/audit_chain.h"
#include "store/store_carry.h"
#include "store/store_database.h"
#include "store/store_file.h"
#include "store/store_retention.h"
#include "store/store_statement.h"
#include "store/store_wal.h"

struct rescue {
	const char *folder;
	struct store_opening damaged; /* its database NULL: nothing of it can be read */
	struct store_opening fresh;
	bool whole;	   /* every row came over */
	bool log_is_sound; /* ... and there were no more */
};

/*
 * When not all is there nobody knows of what time the missing is: then the gap begins where
 * the ledger did. 0: all is there, and nothing was heard since the ledger's last entry.
 */
static int64_t gap_begin(const struct rescue *rescue)
{
	struct explanation ignored;
	struct store_opening fresh = rescue->fresh;
	struct stat status;
	int64_t begin_ms = 0;

	if (rescue->whole)
		return 0;
	fresh.error = &ignored;
	store_opening_ask(&fresh,
			  "SELECT coalesce(min(at), 0) FROM"
			  " (SELECT first_seen AS at FROM sim"
			  "  UNION SELECT created FROM client"
			  "  UNION SELECT created FROM message)",
			  &begin_ms);
	if (begin_ms <= 0 && !stat(rescue->damaged.path, &status))
		begin_ms = status.st_mtim.tv_sec * INT64_C(1000);
	return begin_ms > 0 ? begin_ms : 1;
}

/* What can be read is read without changing a byte of it. */
static void open_damaged(struct rescue *rescue)
{
	struct explanation ignored;

	rescue->damaged.error = &ignored;
	if (store_opening_connect(&rescue->damaged, SQLITE_OPEN_READONLY) ||
	    store_opening_execute(&rescue->damaged, "PRAGMA trusted_schema = OFF"))
		store_opening_abort(&rescue->damaged);
}

static bool is_complete(const struct rescue *rescue)
{
	return rescue->whole && rescue->log_is_sound;
}

static int fill_fresh(struct rescue *rescue)
{
	sqlite3 *from = rescue->damaged.database, *to = rescue->fresh.database;
	int result = SQLITE_OK;

	if (from)
		result = store_carry_all(from, to, &rescue->whole);
	if (!result)
		result = store_carry_numbers(from, to);
	if (!result)
		result = store_carry_settle(to, STORE_GAP_DAMAGED, gap_begin(rescue));
	if (!result)
		result = audit_chain_add(to, AUDIT_LEDGER_RESCUED,
					 is_complete(rescue) ? "{\"complete\":true}"
							     : "{\"complete\":false}");
	if (!result)
		return 0;
	return store_opening_fail(&rescue->fresh, -EIO,
				  "the new database could not be written: %s",
				  sqlite3_errmsg(to));
}

static int make_fresh(struct rescue *rescue)
{
	int error = store_database_make(&rescue->fresh);

	if (error)
		return error;
	open_damaged(rescue);
	error = fill_fresh(rescue);
	store_opening_abort(&rescue->damaged);
	return error ? error : store_opening_finish(&rescue->fresh);
}

/* The path of the damaged one goes to aside[PATH_MAX]. */
static int rescue_run(struct rescue *rescue, char *aside)
{
	char wal[PATH_MAX];
	int error;

	if (!store_file_path(rescue->damaged.path, rescue->folder, STORE_FILE, "") ||
	    !store_file_path(rescue->fresh.path, rescue->folder, STORE_FILE_FRESH, ""))
		return store_opening_fail(&rescue->fresh, -ENAMETOOLONG, "too long");
	rescue->log_is_sound =
		!store_file_path(wal, rescue->folder, STORE_FILE, "-wal") ||
		store_wal_is_sound(wal);
	error = make_fresh(rescue);
	if (!error) {
		error = store_file_replace(rescue->folder, rescue->fresh.path, "damaged",
					   aside);
		if (error)
			store_opening_fail(&rescue->damaged, error,
					   "damaged, and cannot be moved aside: %s",
					   strerror(-error));
	}
	store_opening_abort(&rescue->fresh);
	store_file_remove(rescue->fresh.path);
	return error;
}

static int64_t count_rows(struct store *store, const char *sql)
{
	struct explanation ignored;
	struct store_opening opening = { .database = store->database, .error = &ignored };
	int64_t count = 0;

	store_opening_ask(&opening, sql, &count);
	return count;
}

static void tell(struct store *store, const struct rescue *rescue, const char *cause,
		 const char *aside)
{
	log_error("store: THE LEDGER WAS DAMAGED: %s", cause);
	log_error(
		"store: it was moved to %s and left as it is; a new one begins with %s: "
		"%lld messages, %lld SIM cards, %lld clients",
		aside,
		is_complete(rescue) ? "all rows of it" : "what could be read of it",
		(long long)count_rows(store, "SELECT count(*) FROM message"),
		(long long)count_rows(store, "SELECT count(*) FROM sim"),
		(long long)count_rows(store, "SELECT count(*) FROM client"));
	snprintf(store->notice, sizeof(store->notice),
		 "the ledger was damaged and is now at %s", aside);
}

int store_open_or_rescue(const char *folder, struct store **store_out,
			 struct explanation *error)
{
	struct rescue rescue = { .folder = folder };
	struct explanation cause = { "" };
	char aside[PATH_MAX] = "";
	int failure = store_open(folder, store_out, &cause);

	if (!failure)
		store_retention_convert(*store_out);
	if (failure != -EUCLEAN) {
		*error = cause;
		return failure;
	}
	rescue.damaged.error = rescue.fresh.error = error;
	failure = rescue_run(&rescue, aside);
	if (!failure)
		failure = store_open(folder, store_out, error);
	if (!failure)
		tell(*store_out, &rescue, cause.text, aside);
	return failure;
}

const char *store_rescue_notice(const struct store *store)
{
	return *store->notice ? store->notice : NULL;
}
