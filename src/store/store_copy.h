/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store copy: a whole database into another file, page by page, as it was at one moment.
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_COPY_H
#define STORE_STORE_COPY_H

#include "store/store_backup.h"
#include "store/store_opening.h"

/*
 * Copies `from`, which is open, to a new file at to->path (mode 0600; -EEXIST when there is
 * one) and leaves that open, as a single file without -wal. Others may go on writing to the
 * source. 0 or -errno; store_opening_abort(to) is due in either case.
 */
int store_copy(struct store_opening *from, struct store_opening *to,
	       const struct store_progress *progress);

/* -EINVAL: it has not the tables of ofono-mcp. -ENOTSUP: of a newer program. */
int store_copy_check_kind(struct store_opening *opening);

/* What a database holds. 0 or -errno. */
int store_copy_summarize(struct store_opening *opening, struct store_summary *summary);

#endif
