/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Triggers fill the feed; this file reads it. A lazy commit is visible to this process before
 * it is on disk, so every reader waits for the disk first: store_feed_bounds() and
 * store_feed_read() themselves, the watch by a timer, which usually finds that another commit
 * has waited already.
 *
 *   a commit -> before sleep: is it on disk? -- yes -> notified in the next turn
 *                                  | no
 *                        50 ms or the next durable commit
 */
#include "store/store_feed.h"

#include <time.h>

#include "base/event_loop.h"
#include "base/log.h"
#include "store/store_internal.h"

enum { PRUNE_ROWS = 1000, SYNC_USEC = 50 * 1000, RETRY_USEC = 5 * 1000 * 1000 };

int store_feed_add(struct store *store, const struct feed_entry *entry)
{
	sqlite3_stmt *statement = store_use_lazily(store, FEED_ROW_ADD);

	store_bind_integers(statement, 1, entry->at_ms, entry->type, entry->subject_id,
			    entry->sim_id, entry->client_id, entry->state,
			    entry->previous_state);
	store_bind_text(statement, 8, entry->detail ? entry->detail : "");
	return store_run(store, statement);
}

static struct feed_entry store_feed_read_row(sqlite3_stmt *statement)
{
	return (struct feed_entry){
		.id = sqlite3_column_int64(statement, 0),
		.at_ms = sqlite3_column_int64(statement, 1),
		.type = (enum feed_type)sqlite3_column_int(statement, 2),
		.subject_id = sqlite3_column_int64(statement, 3),
		.sim_id = sqlite3_column_int64(statement, 4),
		.client_id = sqlite3_column_int64(statement, 5),
		.state = sqlite3_column_int(statement, 6),
		.previous_state = sqlite3_column_int(statement, 7),
		.detail = store_column_text(statement, 8),
		.phone_number = store_column_text(statement, 9),
	};
}

int store_feed_read(struct store *store, int64_t after_id, unsigned limit,
		    bool (*visit)(void *data, const struct feed_entry *entry), void *data)
{
	int error = store_sync(store), result;
	sqlite3_stmt *statement;
	bool goes_on = true;

	if (error)
		return error;
	statement = store_use(store, FEED_ROWS);
	store_bind_integers(statement, 1, after_id, limit);
	while (goes_on && (result = sqlite3_step(statement)) == SQLITE_ROW) {
		struct feed_entry entry = store_feed_read_row(statement);

		goes_on = visit(data, &entry);
	}
	return store_finish(store, statement, result);
}

/* Entries that are not on disk also count. */
static int store_feed_read_bounds(struct store *store, int64_t *first_out,
				  int64_t *head_out)
{
	sqlite3_stmt *statement = store_use(store, FEED_ROWS_BOUNDS);
	int result = sqlite3_step(statement), error;
	int64_t first = 1, head = 0;

	if (result == SQLITE_ROW) {
		first = sqlite3_column_int64(statement, 0);
		head = sqlite3_column_int64(statement, 1);
	}
	error = store_finish(store, statement, result);
	if (error)
		return error;
	*first_out = first;
	*head_out = head;
	return 0;
}

int store_feed_bounds(struct store *store, int64_t *first_out, int64_t *head_out)
{
	int error = store_sync(store);

	return error ? error : store_feed_read_bounds(store, first_out, head_out);
}

int store_feed_epoch(struct store *store, int64_t *epoch_out)
{
	return store_read_integer(store, store_use(store, FEED_EPOCH), epoch_out);
}

int store_feed_skip_older(struct store *store, int64_t after_id, int64_t since_ms,
			  enum feed_type type, int64_t *after_out, bool *skipped_out)
{
	int64_t first, after, skipped = 0;
	int error = store_feed_bounds(store, &first, &after); /* the head, or else: */
	sqlite3_stmt *statement;

	if (error)
		return error;
	statement = store_use(store, FEED_ROWS_SINCE);
	store_bind_integers(statement, 1, after_id, since_ms);
	error = store_read_integer(store, statement, &after);
	if (error)
		return error;
	statement = store_use(store, FEED_ROWS_SKIPPED);
	store_bind_integers(statement, 1, after_id, after, type);
	error = store_read_integer(store, statement, &skipped);
	if (error)
		return error;
	*after_out = after > after_id ? after : after_id;
	*skipped_out = skipped;
	return 0;
}

int store_feed_sim_state(struct store *store, int64_t sim_id, int *state_out)
{
	sqlite3_stmt *statement = store_use(store, FEED_LAST_OF_SIM);
	int64_t state = -1;
	int error;

	sqlite3_bind_int64(statement, 1, sim_id);
	error = store_read_integer(store, statement, &state);
	if (!error)
		*state_out = (int)state;
	return error;
}

int store_feed_prune(struct store *store, int64_t at_ms, bool *done_out)
{
	int error = store_execute(store, FEED_ROWS_PRUNE, at_ms, PRUNE_ROWS - 1);

	if (!error)
		*done_out = sqlite3_changes(store->database) < PRUNE_ROWS;
	return error;
}

/* ---- watch */

static void store_feed_watch_wake(struct store_feed_watch *watch, uint64_t usec)
{
	sd_event_source_set_time_relative(watch->sync_timer, usec);
	sd_event_source_set_enabled(watch->sync_timer, SD_EVENT_ONESHOT);
}

/* Most changes add no entry, and then nothing waits for the disk. */
static int store_feed_watch_before_sleep(sd_event_source *source, void *data)
{
	struct store_feed_watch *watch = data;
	uint64_t changes = store_change_count(watch->store);
	int64_t first, head = watch->head;

	if (TAILQ_EMPTY(&watch->observers.list))
		return 0;
	if (changes != watch->changes) {
		watch->changes = changes;
		watch->due = store_feed_read_bounds(watch->store, &first, &head) ||
			     head != watch->head;
	}
	if (!watch->due)
		return 0;
	if (store_is_synced(watch->store))
		store_feed_watch_wake(watch, 0);
	else if (sd_event_source_get_enabled(watch->sync_timer, NULL) == SD_EVENT_OFF)
		store_feed_watch_wake(watch, SYNC_USEC);
	return 0;
}

static int store_feed_watch_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct store_feed_watch *watch = data;
	int64_t first, head;

	watch->due = false;
	if (store_feed_bounds(watch->store, &first, &head)) {
		log_warning(
			"store: new entries of the feed cannot be read; trying again");
		store_feed_watch_wake(watch, RETRY_USEC);
		return 0;
	}
	if (head == watch->head)
		return 0;
	watch->head = head;
	observers_notify(&watch->observers, &head);
	return 0;
}

int store_feed_watch_init(struct store_feed_watch *watch, sd_event *loop,
			  struct store *store)
{
	int64_t first;
	int error;

	*watch = (struct store_feed_watch){ .changes = store_change_count(store) };
	observers_init(&watch->observers);
	error = store_feed_bounds(store, &first, &watch->head);
	if (error >= 0)
		error = sd_event_add_time_relative(loop, &watch->sync_timer,
						   CLOCK_MONOTONIC, 0, 1,
						   store_feed_watch_on_timer, watch);
	if (error >= 0)
		error = sd_event_source_set_enabled(watch->sync_timer, SD_EVENT_OFF);
	if (error >= 0)
		error = event_loop_add_before_sleep(loop, &watch->before_sleep,
						    store_feed_watch_before_sleep, watch);
	if (error >= 0) /* runs after other callbacks before sleep, which store things */
		error = sd_event_source_set_priority(watch->before_sleep,
						     SD_EVENT_PRIORITY_IDLE);
	watch->store = store;
	if (error < 0)
		store_feed_watch_deinit(watch);
	return error < 0 ? error : 0;
}

void store_feed_watch_deinit(struct store_feed_watch *watch)
{
	if (!watch->store)
		return;
	watch->before_sleep = sd_event_source_disable_unref(watch->before_sleep);
	watch->sync_timer = sd_event_source_disable_unref(watch->sync_timer);
	observers_deinit(&watch->observers);
	watch->store = NULL;
}
