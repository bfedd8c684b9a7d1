/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store restore: replaces the message store with a backup.
 *
 * A backup is old. Messages that were unfinished in it may have been sent since: they become
 * unknown and are never sent. SIM IDs given out since stay with their cards and are not
 * given out again, as far as the present message store can be read. Opt-outs, idempotency
 * keys and usage only grow. The time since the backup becomes a receive gap. The present
 * message store is kept beside the new one (tests/unit/test_store_restore.c).
 *
 * Only rows are copied, into new tables of our schema: a trigger, view or index of the backup
 * never runs (tests/unit/test_store_foreign.c).
 */
#pragma once

#include <limits.h>

#include "store/store_backup.h"

struct store_restore {
	const char *folder; /* of the message store */
	const char *file;   /* the backup; it is only read */
	struct store_backup_progress progress;
};

struct store_restore_result {
	struct store_backup_summary summary;
	int64_t unknown;    /* messages that became unknown */
	int64_t left_out;   /* rows that the gateway would not have written */
	bool keeps_clients; /* the clients are the present ones, not those of the backup */
	bool was_damaged; /* the replaced one: some of what must be kept may be missing */
	char aside[PATH_MAX]; /* the replaced message store, "" if there is none */
};

/*
 * Returns 0, or -errno with `error` filled and the present message store unchanged: -EBUSY if a
 * gateway works with it, -EINVAL if it is not our backup, -ENOTSUP if it, or the present one, is of a newer program,
 * -EUCLEAN if it is damaged, ...
 */
int store_restore(const struct store_restore *restore,
		  struct store_restore_result *result_out, struct explanation *error);
