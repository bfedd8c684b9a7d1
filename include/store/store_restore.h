/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store restore: a backup becomes the ledger.
 *
 * What it says is old. Messages that were under way in it may have been sent since: they
 * become unknown, and are never sent. Cards seen since keep their numbers, and no number
 * given out since is given out again, as far as the present ledger can be read. Idempotency
 * keys and what was used of the limits only grow (store_forward.h). The time
 * since is a gap. The present ledger is kept beside the new one
 * (tests/unit/test_store_restore.c).
 *
 * Only rows of the backup are taken, into tables of ours: a trigger, view or index that it has
 * is never run (tests/unit/test_store_foreign.c).
 */
#ifndef STORE_STORE_RESTORE_H
#define STORE_STORE_RESTORE_H

#include <limits.h>

#include "store/store_backup.h"

struct store_restore {
	const char *folder; /* of the ledger */
	const char *file;   /* a backup; it is only read */
	struct store_progress progress;
};

struct store_restored {
	struct store_summary summary;
	int64_t unknown;      /* messages that became so */
	int64_t left_out;     /* rows that the gateway would not have written */
	bool keeps_clients;   /* they are those that were there, not those of the file */
	char aside[PATH_MAX]; /* the ledger that was there, "" none */
};

/*
 * 0, or -errno with the error's text, and the present ledger is where it was: -EBUSY a
 * gateway works with it, -EINVAL it is no backup of ours, -ENOTSUP of a newer program,
 * -EUCLEAN damaged, ...
 */
int store_restore(const struct store_restore *restore,
		  struct store_restored *restored_out, struct explanation *error);

#endif
