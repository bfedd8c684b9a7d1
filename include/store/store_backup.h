/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store backup: the ledger as one file that can be kept elsewhere.
 *
 * It may be made while a gateway works with the ledger: the copy is what it was at one
 * moment, and the gateway is never made to wait (tests/integration/test_keeping.py).
 */
#ifndef STORE_STORE_BACKUP_H
#define STORE_STORE_BACKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/explanation.h"

/* Told now and then. False: it is to end, with -EINTR, and to leave nothing behind. */
struct store_progress {
	bool (*step)(void *data, int done, int total); /* pages; NULL: nobody asks */
	void *data;
};

/* what a ledger holds */
struct store_summary {
	int64_t messages;
	int64_t sims;
	int64_t clients;
	int64_t bytes;
};

struct store_backup {
	const char *folder; /* of the ledger */
	const char *file;   /* to be made, mode 0600 */
	bool replace;	    /* ... in the place of one that is there */
	struct store_progress progress;
};

/*
 * The file gets its name when it is whole, checked and on disk. 0, or -errno with the
 * error's text: -ENOENT no ledger, -EEXIST, -EUCLEAN the ledger is damaged, ...
 */
int store_backup(const struct store_backup *backup, struct store_summary *summary_out,
		 struct explanation *error);

#endif
