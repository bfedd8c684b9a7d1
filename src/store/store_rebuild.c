/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_rebuild.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "store/audit_chain_sql.h"
#include "store/store.h"
#include "store/store_database.h"
#include "store/store_file.h"
#include "store/store_identity.h"
#include "store/store_row_copy.h"
#include "store/store_schema.h"
#include "store/store_wal.h"

static const struct store_rebuild_cause_row {
	const char *word;   /* of the name of the old file */
	const char *reason; /* of what waited, and of the gap */
	const char *told;   /* NULL: who rescues tells more */
	enum audit_event event;
} causes[] = {
	[STORE_REBUILD_DAMAGED] = { "damaged", STORE_GAP_DAMAGED, NULL,
				    AUDIT_STORE_RESCUED },
	[STORE_REBUILD_COPY] = { "replaced", STORE_GAP_RESTORED,
				 "store: the message store is a backup that was copied "
				 "there, or a "
				 "copy: what was on its way in it is unknown now, and is "
				 "not sent",
				 AUDIT_STORE_RESTORED },
	[STORE_REBUILD_FOREIGN] = { "replaced", STORE_GAP_RESTORED,
				    "store: THE MESSAGE STORE HAD TABLES, INDEXES OR "
				    "TRIGGERS "
				    "THAT ARE NOT OURS: only its rows were taken over, "
				    "into a "
				    "new one",
				    AUDIT_STORE_REBUILT },
};

struct store_rebuild_work {
	const char *folder;
	enum store_rebuild_cause cause;
	struct store_database from; /* its database NULL: nothing of it can be read */
	struct store_database fresh;
	struct store_row_copy_result carried;
	bool log_is_sound; /* every row that was committed could come over */
	bool is_here;	   /* it is no copy */
};

/*
 * When not all is there nobody knows of what time the missing is: then the gap begins where
 * the message store did. 0: all is there, and nothing was heard since its last entry.
 */
static int64_t store_rebuild_gap_start(const struct store_rebuild_work *remake)
{
	struct explanation ignored;
	struct store_database fresh = remake->fresh;
	struct stat status;
	int64_t begin_ms = 0;

	if (remake->cause != STORE_REBUILD_DAMAGED || remake->carried.whole)
		return 0;
	fresh.error = &ignored;
	store_database_query_int(&fresh,
				 "SELECT coalesce(min(at), 0) FROM"
				 " (SELECT first_seen AS at FROM sim"
				 "  UNION SELECT created FROM client"
				 "  UNION SELECT created FROM message)",
				 &begin_ms);
	if (begin_ms <= 0 && !stat(remake->from.path, &status))
		begin_ms = status.st_mtim.tv_sec * INT64_C(1000);
	return begin_ms > 0 ? begin_ms : 1;
}

/* What can be read is read without changing a byte of it. */
static int store_rebuild_open_old(struct store_rebuild_work *remake)
{
	int error = store_database_connect(&remake->from, SQLITE_OPEN_READONLY);

	if (!error && remake->cause == STORE_REBUILD_FOREIGN)
		remake->is_here =
			store_identity_matches(remake->from.database, remake->folder);
	if (!error || remake->cause != STORE_REBUILD_DAMAGED)
		return error;
	store_database_abort(&remake->from);
	return 0;
}

static bool store_rebuild_is_complete(const struct store_rebuild_work *remake)
{
	return remake->carried.whole && remake->log_is_sound;
}

static int store_rebuild_finish_rows(struct store_rebuild_work *remake)
{
	sqlite3 *to = remake->fresh.database;
	const struct store_rebuild_cause_row *cause = &causes[remake->cause];
	const char *detail = cause->event == AUDIT_STORE_RESTORED ? "{}"
			     : store_rebuild_is_complete(remake)  ? "{\"complete\":true}"
								 : "{\"complete\":false}";
	bool is_old = remake->cause != STORE_REBUILD_DAMAGED && !remake->is_here;
	int result = store_row_copy_sequences(is_old ? NULL : remake->from.database, to);

	if (!result && !remake->is_here)
		result = store_row_copy_settle(to, cause->reason,
					       store_rebuild_gap_start(remake));
	if (!result)
		result = audit_chain_add(to, cause->event, detail);
	return result;
}

static int store_rebuild_fill(struct store_rebuild_work *remake)
{
	int result = SQLITE_OK;

	if (remake->from.database)
		result = store_row_copy_all(remake->from.database, remake->fresh.database,
					    NULL, &remake->carried);
	if (!result && remake->carried.is_damaged &&
	    remake->cause != STORE_REBUILD_DAMAGED)
		return store_database_fail(&remake->from, -EUCLEAN,
					   "damaged, and not as we made it");
	if (!result)
		result = store_rebuild_finish_rows(remake);
	if (!result)
		return 0;
	return store_database_fail(&remake->fresh, -EIO,
				   "the new database could not be written: %s",
				   sqlite3_errmsg(remake->fresh.database));
}

static int store_rebuild_record_identity(struct store_rebuild_work *remake)
{
	int error = store_identity_record_file(remake->fresh.database, remake->folder,
					       remake->fresh.path);

	if (!error)
		return 0;
	return store_database_fail(&remake->fresh, error,
				   "which file it is cannot be noted: %s",
				   strerror(-error));
}

static int store_rebuild_make_new(struct store_rebuild_work *remake)
{
	int error = store_database_make(&remake->fresh);

	if (!error)
		error = store_rebuild_open_old(remake);
	if (!error)
		error = store_rebuild_fill(remake);
	if (!error && remake->is_here) /* what waits in it goes on waiting */
		error = store_rebuild_record_identity(remake);
	store_database_abort(&remake->from);
	return error ? error : store_database_finish(&remake->fresh);
}

static int store_rebuild_put_in_place(struct store_rebuild_work *remake, char *aside)
{
	int error = store_file_replace(remake->folder, remake->fresh.path,
				       causes[remake->cause].word, aside);

	if (!error)
		return 0;
	return store_database_fail(&remake->from, error,
				   "%s, and cannot be moved aside: %s",
				   causes[remake->cause].word, strerror(-error));
}

int store_rebuild(const char *folder, enum store_rebuild_cause cause,
		  struct store_rebuild_result *remade_out, struct explanation *error)
{
	struct store_rebuild_work remake = { .folder = folder,
					     .cause = cause,
					     .from.error = error,
					     .fresh.error = error };
	struct store_rebuild_result remade;
	char wal[PATH_MAX];
	int failure;

	if (!store_file_path(remake.from.path, folder, STORE_FILE, "") ||
	    !store_file_path(remake.fresh.path, folder, STORE_FILE_FRESH, ""))
		return store_database_fail(&remake.fresh, -ENAMETOOLONG, "too long");
	remake.log_is_sound = !store_file_path(wal, folder, STORE_FILE, "-wal") ||
			      store_wal_is_sound(wal);
	failure = store_rebuild_make_new(&remake);
	if (!failure)
		failure = store_rebuild_put_in_place(&remake, remade.aside);
	store_database_abort(&remake.fresh);
	store_file_remove(remake.fresh.path);
	if (failure)
		return failure;
	remade.is_complete = store_rebuild_is_complete(&remake);
	*remade_out = remade;
	if (causes[cause].told)
		log_warning("%s; the old one is %s", causes[cause].told, remade.aside);
	return 0;
}
