/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store remake: a message store that cannot go on as it is becomes a new one, with our schema
 * and its rows. The old file stays beside it, as it is.
 *
 *   damaged   what can be read comes over
 *   a copy    of the store, or a backup that somebody put in its place
 *   foreign   its tables, indexes or triggers are not those that we made
 *
 * What waits in a damaged one or a copy may have been sent since: it becomes unknown. In a
 * foreign one it goes on waiting, unless that is a copy, too.
 *
 * Private to src/store. Under the lock of the folder.
 */
#ifndef STORE_STORE_REMAKE_H
#define STORE_STORE_REMAKE_H

#include <limits.h>
#include <stdbool.h>

#include "base/explanation.h"

enum store_remake_cause {
	STORE_REMAKE_DAMAGED,
	STORE_REMAKE_COPY,
	STORE_REMAKE_FOREIGN,
};

struct store_remade {
	bool is_complete; /* every row came over, and nothing shows that there were more */
	char aside[PATH_MAX]; /* the old file */
};

/*
 * 0, or -errno with the error's text, and the old file is in its place: -EUCLEAN a copy or
 * foreign one is damaged, too.
 */
int store_remake(const char *folder, enum store_remake_cause cause,
		 struct store_remade *remade_out, struct explanation *error);

#endif
