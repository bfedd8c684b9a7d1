/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, retention: small steps that remove old messages and give free pages back to the file
 * system. Part of the store of store/store.h, for sms/retention.h.
 *
 * A message stays, whatever its age, while it is not final, while its delivery report is
 * awaited, and for STORE_KEY_DAYS when it has an idempotency key.
 */
#pragma once

#include "base/clock.h"
#include "store/store.h"

enum { RETENTION_STEP_ROWS = 100, RETENTION_STEP_PAGES = 32 };

#define RETENTION_JUMP_MS (INT64_C(7) * CLOCK_MS_PER_DAY)

/* A walk over all messages, oldest first. Begins as { .border_id = ..., .excess = ... }. */
struct store_retention {
	int64_t after_id;  /* everything up to here was checked */
	int64_t border_id; /* messages below this ID are too old */
	int64_t excess;	   /* how many messages are above the limit */
	int64_t removed;
	int64_t removed_ms; /* created_ms of the newest message that was removed */
	/* created_ms of the first message that stays; 0 if none so far */
	int64_t oldest_ms;
	bool done;
};

/* Checks the next RETENTION_STEP_ROWS in one commit. Returns 0, STORE_E_FULL or -errno. */
int store_retention_step(struct store *store, struct store_retention *retention);

/* Finds the first message that is not older than `made_ms`; INT64_MAX if all are older. */
int store_retention_border(struct store *store, int64_t made_ms, int64_t *id_out);

/*
 * Finds the time since when all messages and calls are recorded, but for offline gaps: an empty
 * list says nothing about the time before. Returns STORE_E_NOT_FOUND if it is unknown, because the
 * clock was never set. Begun once, and raised when messages are removed.
 */
int store_retention_records_since(struct store *store, int64_t *since_ms_out);
/* Does nothing if the time is known. Returns 0, STORE_E_FULL or -errno; so does the next one. */
int store_retention_begin_records(struct store *store, int64_t now_ms);
/* Call it when a message of this time was removed. */
int store_retention_raise_records(struct store *store, int64_t removed_ms);

/* Records that the clock was set ahead by RETENTION_JUMP_MS or more, to `now_ms`. */
int store_retention_record_jump(struct store *store, int64_t now_ms);

/*
 * Did the clock jump ahead within the last day? A jump is one that was recorded, or a week or
 * more in which nothing ran. Such a clock may be wrong and set right later.
 */
int store_retention_has_jumped(struct store *store, int64_t now_ms, bool *jumped_out);

int store_retention_count(struct store *store, int64_t *count_out);

/* Returns how many messages this process added since it opened the store. */
int64_t store_retention_added(const struct store *store);

/* Removes gaps that ended before this time (0 removes none by age), and all but the last 1000. */
int store_retention_drop_gaps(struct store *store, int64_t ended_ms);

/*
 * Gives at most RETENTION_STEP_PAGES back to the file system. *left_out is the number of pages that
 * are still free; it is also 0 when the file was made without incremental vacuum.
 */
int store_retention_vacuum(struct store *store, int64_t *left_out);

/* Moves everything from the -wal into the database and empties it; skipped while read. */
void store_retention_checkpoint(struct store *store);

/*
 * Enables incremental vacuum in a small file that an old version made without it; takes some
 * tenths of a second. `ofono-mcp restore` does it for a file of any size.
 */
void store_retention_enable_vacuum(struct store *store);
