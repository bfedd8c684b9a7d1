/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store backup: copies the message store into one file that can be kept elsewhere.
 *
 * A gateway may work with the message store meanwhile. The copy shows one moment, and the
 * gateway never waits (tests/integration/test_keeping.py).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/explanation.h"

/* Called every few pages. False aborts with -EINTR and leaves no file behind. */
struct store_backup_progress {
	bool (*step)(void *data, int done, int total); /* pages; NULL if not called */
	void *data;
};

/* what a message store contains */
struct store_backup_summary {
	int64_t messages;
	int64_t sims;
	int64_t clients;
	int64_t bytes;
};

struct store_backup {
	const char *folder; /* of the message store */
	const char *file;   /* to be made, mode 0600 */
	bool replace;	    /* an existing file is replaced */
	struct store_backup_progress progress;
};

/*
 * The file gets its name when it is complete, checked and on disk. Returns 0, or -errno with
 * `error` filled: -ENOENT if there is no message store, -EEXIST, -EUCLEAN if the message store is
 * damaged, ...
 */
int store_backup(const struct store_backup *backup,
		 struct store_backup_summary *summary_out, struct explanation *error);
