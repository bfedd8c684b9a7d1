/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_remake.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "store/audit_chain.h"
#include "store/store.h"
#include "store/store_carry.h"
#include "store/store_database.h"
#include "store/store_file.h"
#include "store/store_place.h"
#include "store/store_wal.h"

static const struct cause {
	const char *word;   /* of the name of the old file */
	const char *reason; /* of what waited, and of the gap */
	const char *told;   /* NULL: who rescues tells more */
	enum audit_event event;
} causes[] = {
	[STORE_REMAKE_DAMAGED] = { "damaged", STORE_GAP_DAMAGED, NULL,
				   AUDIT_LEDGER_RESCUED },
	[STORE_REMAKE_COPY] = { "replaced", STORE_GAP_RESTORED,
				"store: the message store is a backup that was copied "
				"there, or a "
				"copy: what was on its way in it is unknown now, and is "
				"not sent",
				AUDIT_LEDGER_RESTORED },
	[STORE_REMAKE_FOREIGN] = { "replaced", STORE_GAP_RESTORED,
				   "store: THE MESSAGE STORE HAD TABLES, INDEXES OR "
				   "TRIGGERS "
				   "THAT ARE NOT OURS: only its rows were taken over, "
				   "into a "
				   "new one",
				   AUDIT_LEDGER_REBUILT },
};

struct remake {
	const char *folder;
	enum store_remake_cause cause;
	struct store_opening from; /* its database NULL: nothing of it can be read */
	struct store_opening fresh;
	struct store_carried carried;
	bool log_is_sound; /* every row that was committed could come over */
	bool is_here;	   /* it is no copy */
};

/*
 * When not all is there nobody knows of what time the missing is: then the gap begins where
 * the message store did. 0: all is there, and nothing was heard since its last entry.
 */
static int64_t gap_begin(const struct remake *remake)
{
	struct explanation ignored;
	struct store_opening fresh = remake->fresh;
	struct stat status;
	int64_t begin_ms = 0;

	if (remake->cause != STORE_REMAKE_DAMAGED || remake->carried.whole)
		return 0;
	fresh.error = &ignored;
	store_opening_ask(&fresh,
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
static int open_old(struct remake *remake)
{
	int error = store_opening_connect(&remake->from, SQLITE_OPEN_READONLY);

	if (!error && remake->cause == STORE_REMAKE_FOREIGN)
		remake->is_here =
			store_place_is_here(remake->from.database, remake->folder);
	if (!error || remake->cause != STORE_REMAKE_DAMAGED)
		return error;
	store_opening_abort(&remake->from);
	return 0;
}

static bool is_complete(const struct remake *remake)
{
	return remake->carried.whole && remake->log_is_sound;
}

static int finish_rows(struct remake *remake)
{
	sqlite3 *to = remake->fresh.database;
	const struct cause *cause = &causes[remake->cause];
	const char *detail = cause->event == AUDIT_LEDGER_RESTORED ? "{}"
			     : is_complete(remake)		   ? "{\"complete\":true}"
						   : "{\"complete\":false}";
	bool is_old = remake->cause != STORE_REMAKE_DAMAGED && !remake->is_here;
	int result = store_carry_numbers(is_old ? NULL : remake->from.database, to);

	if (!result && !remake->is_here)
		result = store_carry_settle(to, cause->reason, gap_begin(remake));
	if (!result)
		result = audit_chain_add(to, cause->event, detail);
	return result;
}

static int fill_fresh(struct remake *remake)
{
	int result = SQLITE_OK;

	if (remake->from.database)
		result = store_carry_all(remake->from.database, remake->fresh.database,
					 NULL, &remake->carried);
	if (!result && remake->carried.is_damaged &&
	    remake->cause != STORE_REMAKE_DAMAGED)
		return store_opening_fail(&remake->from, -EUCLEAN,
					  "damaged, and not as we made it");
	if (!result)
		result = finish_rows(remake);
	if (!result)
		return 0;
	return store_opening_fail(&remake->fresh, -EIO,
				  "the new database could not be written: %s",
				  sqlite3_errmsg(remake->fresh.database));
}

static int note_place(struct remake *remake)
{
	int error = store_place_note_file(remake->fresh.database, remake->folder,
					  remake->fresh.path);

	if (!error)
		return 0;
	return store_opening_fail(&remake->fresh, error,
				  "which file it is cannot be noted: %s",
				  strerror(-error));
}

static int make_fresh(struct remake *remake)
{
	int error = store_database_make(&remake->fresh);

	if (!error)
		error = open_old(remake);
	if (!error)
		error = fill_fresh(remake);
	if (!error && remake->is_here) /* what waits in it goes on waiting */
		error = note_place(remake);
	store_opening_abort(&remake->from);
	return error ? error : store_opening_finish(&remake->fresh);
}

static int put_in_place(struct remake *remake, char *aside)
{
	int error = store_file_replace(remake->folder, remake->fresh.path,
				       causes[remake->cause].word, aside);

	if (!error)
		return 0;
	return store_opening_fail(&remake->from, error,
				  "%s, and cannot be moved aside: %s",
				  causes[remake->cause].word, strerror(-error));
}

int store_remake(const char *folder, enum store_remake_cause cause,
		 struct store_remade *remade_out, struct explanation *error)
{
	struct remake remake = { .folder = folder,
				 .cause = cause,
				 .from.error = error,
				 .fresh.error = error };
	struct store_remade remade;
	char wal[PATH_MAX];
	int failure;

	if (!store_file_path(remake.from.path, folder, STORE_FILE, "") ||
	    !store_file_path(remake.fresh.path, folder, STORE_FILE_FRESH, ""))
		return store_opening_fail(&remake.fresh, -ENAMETOOLONG, "too long");
	remake.log_is_sound = !store_file_path(wal, folder, STORE_FILE, "-wal") ||
			      store_wal_is_sound(wal);
	failure = make_fresh(&remake);
	if (!failure)
		failure = put_in_place(&remake, remade.aside);
	store_opening_abort(&remake.fresh);
	store_file_remove(remake.fresh.path);
	if (failure)
		return failure;
	remade.is_complete = is_complete(&remake);
	*remade_out = remade;
	if (causes[cause].told)
		log_warning("%s; the old one is %s", causes[cause].told, remade.aside);
	return 0;
}
