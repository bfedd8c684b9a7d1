/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, feed: the append-only list of what happened, in the order of the commits. Part of the
 * store of store/store.h.
 *
 * Triggers add an entry in the commit of the fact itself (src/store/store_schema.c), so no
 * entry is missing or there twice after a crash (tests/integration/test_crash_matrix.py). An
 * entry is shown once it is on disk: a power loss never takes back what was shown.
 *
 * An entry is identified by the epoch and its ID. The epoch is a random number of the database:
 * a restored, rescued or copied message store has another one. IDs are never given out twice.
 * The oldest entries go: those beyond STORE_FEED_MAX, and those older than STORE_FEED_DAYS or
 * than the messages that are kept.
 */
#pragma once

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "base/feed.h"
#include "base/observer.h"

struct store;

enum { STORE_FEED_MAX = 100 * 1000, STORE_FEED_DAYS = 30 };

/*
 * Adds an entry for a fact without a row of its own: inside the open transaction, or else as a lazy
 * change. `id` and `phone_number` are not read. Returns 0, STORE_E_FULL or -errno.
 */
int store_feed_add(struct store *store, const struct feed_entry *entry);

/*
 * Reads the first `limit` entries after an ID. `entry` lives during the visit, which must not write
 * or read the feed; false ends the reading. Entries that are not on disk yet are left out. Returns
 * 0 or -errno.
 */
int store_feed_read(struct store *store, int64_t after_id, unsigned limit,
		    bool (*visit)(void *data, const struct feed_entry *entry),
		    void *data);

/*
 * The entries that there are: *first_out is the oldest ID, one more than *head_out when there are
 * none; *head_out the newest ID ever given out. Waits for the disk if there are lazy changes.
 * Returns 0 or -errno.
 */
int store_feed_bounds(struct store *store, int64_t *first_out, int64_t *head_out);

/* Returns 0 or -errno. */
int store_feed_epoch(struct store *store, int64_t *epoch_out);

/*
 * For a reader that wants nothing older than `since_ms`: *after_out becomes the ID before the first
 * entry after `after_id` that is not older; *skipped_out says whether an entry of `type` was passed
 * over. Returns 0 or -errno.
 */
int store_feed_skip_older(struct store *store, int64_t after_id, int64_t since_ms,
			  enum feed_type type, int64_t *after_out, bool *skipped_out);

/* Finds the state in the newest entry of a SIM; -1 if there is none. Returns 0 or -errno. */
int store_feed_sim_state(struct store *store, int64_t sim_id, int *state_out);

/*
 * Removes some of the oldest entries that are older; *done_out says that there are no more. Returns
 * 0, STORE_E_FULL or -errno.
 */
int store_feed_prune(struct store *store, int64_t at_ms, bool *done_out);

/*
 * Feed watch: notifies its observers, once per turn of the loop, when there are new entries on
 * disk. The event is the newest ID (const int64_t *). Without observers it does nothing.
 */
struct store_feed_watch {
	struct store *store; /* NULL if not initialised */
	struct observers observers;
	int64_t head;	  /* that the observers know */
	uint64_t changes; /* store_change_count() when it was last read */
	bool due;	  /* there may be entries after `head` */
	sd_event_source *before_sleep, *sync_timer;
};

/* Returns 0 or -errno. */
int store_feed_watch_init(struct store_feed_watch *watch, sd_event *loop,
			  struct store *store);
void store_feed_watch_deinit(
	struct store_feed_watch *watch); /* also if never initialised */
