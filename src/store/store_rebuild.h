/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store rebuild: a message store that cannot go on as it is becomes a new one, with our schema
 * and its rows. The old file stays beside it unchanged.
 *
 *   damaged   every row that can be read is copied
 *   copy      of the message store, or a backup that somebody put in its place
 *
 * Their unfinished messages may have been sent: they become unknown.
 *
 * Call it under the lock of the folder.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/explanation.h"

enum store_rebuild_cause {
	STORE_REBUILD_DAMAGED,
	STORE_REBUILD_COPY,
};

struct store_rebuild_result {
	bool is_complete; /* every row was copied, and no sign shows that there were more */
	char aside[PATH_MAX]; /* the old file */
};

/*
 * Returns 0, or -errno with `error` filled and the old file in its place: -EUCLEAN if a copy is
 * damaged as well.
 */
int store_rebuild(const char *folder, enum store_rebuild_cause cause,
		  struct store_rebuild_result *result_out, struct explanation *error);
