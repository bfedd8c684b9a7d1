/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store retention: the small steps in which the ledger lets old messages go, and gives
 * their room back. Part of the store of store/store.h, for sms/retention.h.
 *
 * A message stays whatever its age while it is not final, while its delivery report is
 * awaited, and for STORE_KEY_DAYS when it has an idempotency key.
 */
#ifndef STORE_STORE_RETENTION_H
#define STORE_STORE_RETENTION_H

#include "base/clock.h"
#include "store/store.h"

enum { RETENTION_STEP_ROWS = 100, RETENTION_STEP_PAGES = 32 };

#define RETENTION_LEAP_MS (INT64_C(7) * CLOCK_MS_PER_DAY)

/* A walk over all messages, oldest first. Begins as { .border_id = ..., .excess = ... }. */
struct store_retention {
	int64_t after_id;  /* looked at so far */
	int64_t border_id; /* what is below it is to go for its age */
	int64_t excess;	   /* so many are to go because there are too many */
	int64_t removed;
	int64_t oldest_ms; /* created: of the first one that stays, 0 none so far */
	bool done;
};

/* Looks at the next RETENTION_STEP_ROWS; one commit. 0, STORE_E_FULL, -errno. */
int store_retention_step(struct store *store, struct store_retention *retention);

/* The first message that is not older than that; INT64_MAX: all are. */
int store_retention_border(struct store *store, int64_t made_ms, int64_t *id_out);

/* The clock was set ahead by RETENTION_LEAP_MS or more, to `now_ms`. */
int store_retention_note_leap(struct store *store, int64_t now_ms);

/*
 * Did the clock jump ahead within the last day, as was noted, or over a week or more in which
 * nothing ran? It may be wrong, and set right later.
 */
int store_retention_leap(struct store *store, int64_t now_ms, bool *leapt_out);

int store_retention_count(struct store *store, int64_t *count_out);

/* How many messages were added by this program since it opened the store. */
int64_t store_retention_added(const struct store *store);

/* Gaps that ended before (0: none for their age) go, and all but the last 1000. */
int store_retention_gaps(struct store *store, int64_t ended_ms);

/*
 * Gives at most RETENTION_STEP_PAGES back to the file system. *left_out: pages that are
 * still free; 0 too when the file was made without the means for it.
 */
int store_retention_vacuum(struct store *store, int64_t *left_out);

/* All that was written moves from the -wal, which becomes empty; not when somebody reads. */
void store_retention_checkpoint(struct store *store);

/*
 * A file from before pages could be given back gets the means for it, if it is small: this
 * is done at once, in some tenths of a second. `ofono-mcp restore` does it for any.
 */
void store_retention_convert(struct store *store);

#endif
