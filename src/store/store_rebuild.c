/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rebuild makes gateway.db.new with our schema, copies every row that can be read from
 * the old file without changing it, settles unfinished messages, adds an audit line, and
 * then replaces the old file (store/store_file.h). Until that last step the old file
 * stays where it is.
 */
#include "store/store_database.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "store/store.h"
#include "store/store_file.h"
#include "store/store_internal.h"
#include "store/store_row_copy.h"

static const struct store_rebuild_cause_row {
	const char *word;   /* in the name of the old file */
	const char *reason; /* of settled messages, and of the receive gap */
	const char *log;    /* logged; NULL if the caller logs more */
	enum audit_event event;
} causes[] = {
	[STORE_REBUILD_DAMAGED] = { "damaged", STORE_GAP_DAMAGED, NULL,
				    AUDIT_STORE_RESCUED },
	[STORE_REBUILD_COPY] = { "replaced", STORE_GAP_RESTORED,
				 "store: the message store is a backup that was copied "
				 "there, or a copy: its unfinished messages are unknown "
				 "now and are not sent",
				 AUDIT_STORE_RESTORED },
};

struct store_rebuild_work {
	const char *folder;
	enum store_rebuild_cause cause;
	struct store_database from; /* its database is NULL when nothing can be read */
	struct store_database fresh;
	struct store_row_copy_result copied;
	bool wal_is_sound; /* every committed row could be copied */
};

/*
 * When rows are missing, nobody knows of which time: then the gap begins where the message store
 * did. Returns 0 if all rows are there, and the gap begins at the last one.
 */
static int64_t store_rebuild_gap_start(const struct store_rebuild_work *work)
{
	struct explanation ignored;
	struct store_database fresh = work->fresh;
	struct stat status;
	int64_t begin_ms = 0;

	if (work->cause != STORE_REBUILD_DAMAGED || work->copied.whole)
		return 0;
	fresh.error = &ignored;
	store_database_query_int(&fresh,
				 "SELECT coalesce(min(at), 0) FROM"
				 " (SELECT first_seen AS at FROM sim"
				 "  UNION SELECT created FROM client"
				 "  UNION SELECT created FROM message)",
				 &begin_ms);
	if (begin_ms <= 0 && !stat(work->from.path, &status))
		begin_ms = status.st_mtim.tv_sec * INT64_C(1000);
	return begin_ms > 0 ? begin_ms : 1;
}

/* Reads the old file without changing a byte of it. */
static int store_rebuild_open_old(struct store_rebuild_work *work)
{
	int error = store_database_connect(&work->from, SQLITE_OPEN_READONLY);

	if (!error || work->cause != STORE_REBUILD_DAMAGED)
		return error;
	store_database_abort(&work->from);
	return 0;
}

static bool store_rebuild_is_complete(const struct store_rebuild_work *work)
{
	return work->copied.whole && work->wal_is_sound;
}

static int store_rebuild_finish_rows(struct store_rebuild_work *work)
{
	sqlite3 *to = work->fresh.database;
	const struct store_rebuild_cause_row *cause = &causes[work->cause];
	bool is_copy = work->cause == STORE_REBUILD_COPY;
	const char *detail = is_copy			       ? "{}"
			     : store_rebuild_is_complete(work) ? "{\"complete\":true}"
							       : "{\"complete\":false}";
	int result = store_row_copy_sequences(is_copy ? NULL : work->from.database, to);

	if (!result)
		result = store_row_copy_settle(to, cause->reason,
					       store_rebuild_gap_start(work));
	if (!result)
		result = audit_chain_add(to, cause->event, detail);
	return result;
}

static int store_rebuild_fill(struct store_rebuild_work *work)
{
	int result = SQLITE_OK;

	if (work->from.database)
		result = store_row_copy_all(work->from.database, work->fresh.database,
					    NULL, &work->copied);
	if (!result && work->copied.is_damaged && work->cause != STORE_REBUILD_DAMAGED)
		return store_database_fail(&work->from, -EUCLEAN, "damaged");
	if (!result)
		result = store_rebuild_finish_rows(work);
	if (!result)
		return 0;
	return store_database_fail(&work->fresh, -EIO,
				   "the new database could not be written: %s",
				   sqlite3_errmsg(work->fresh.database));
}

static int store_rebuild_make_new(struct store_rebuild_work *work)
{
	int error = store_database_make(&work->fresh);

	if (!error)
		error = store_rebuild_open_old(work);
	if (!error)
		error = store_rebuild_fill(work);
	store_database_abort(&work->from);
	return error ? error : store_database_finish(&work->fresh);
}

static int store_rebuild_put_in_place(struct store_rebuild_work *work, char *aside)
{
	int error = store_file_replace(work->folder, work->fresh.path,
				       causes[work->cause].word, aside);

	if (!error)
		return 0;
	return store_database_fail(&work->from, error,
				   "%s, and cannot be moved aside: %s",
				   causes[work->cause].word, strerror(-error));
}

int store_rebuild(const char *folder, enum store_rebuild_cause cause,
		  struct store_rebuild_result *result_out, struct explanation *error)
{
	struct store_rebuild_work work = { .folder = folder,
					   .cause = cause,
					   .from.error = error,
					   .fresh.error = error };
	struct store_rebuild_result result;
	char wal[PATH_MAX];
	int failure;

	if (!store_file_path(work.from.path, folder, STORE_FILE, "") ||
	    !store_file_path(work.fresh.path, folder, STORE_FILE_FRESH, ""))
		return store_database_fail(&work.fresh, -ENAMETOOLONG, "too long");
	work.wal_is_sound = !store_file_path(wal, folder, STORE_FILE, "-wal") ||
			    store_wal_is_sound(wal);
	failure = store_rebuild_make_new(&work);
	if (!failure)
		failure = store_rebuild_put_in_place(&work, result.aside);
	store_database_abort(&work.fresh);
	store_file_remove(work.fresh.path);
	if (failure)
		return failure;
	result.is_complete = store_rebuild_is_complete(&work);
	*result_out = result;
	if (causes[cause].log)
		log_warning("%s; the old one is %s", causes[cause].log, result.aside);
	return 0;
}
