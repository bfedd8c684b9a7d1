/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of usage time is the setting "usage_clock": "BOOT_ID OFFSET EPOCH NOW" in
 * milliseconds. BOOT_ID is the boot in which OFFSET and EPOCH (struct store_usage_clock)
 * hold, NOW is the usage time at which it was written. It is written when one of the
 * first three changes, which is rare.
 *
 * In a new boot the clock continues at the later of NOW and the wall clock minus its old
 * lead. Within a boot it follows clock_boot_ms(). When the wall clock is set, usage that
 * is still to come moves by the same amount the other way.
 */
#include "store/store_usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_internal.h"
#include "store/store_setting.h"

#define CLOCK_SETTING STORE_SETTING_USAGE_CLOCK

struct store_usage_clock_note { /* the parsed setting */
	char boot_id[40];
	int64_t offset_ms;
	int64_t epoch_ms;
	int64_t now_ms;
};

static int64_t store_usage_epoch(void)
{
	return clock_wall_ms() - clock_boot_ms();
}

static bool store_usage_parse_clock(const char *value,
				    struct store_usage_clock_note *note)
{
	return sscanf(value, "%39s %" SCNd64 " %" SCNd64 " %" SCNd64, note->boot_id,
		      &note->offset_ms, &note->epoch_ms, &note->now_ms) == 4;
}

int64_t store_usage_clock_ahead(const char *value)
{
	struct store_usage_clock_note note;

	if (!value || !store_usage_parse_clock(value, &note))
		return 0;
	return note.epoch_ms - note.offset_ms;
}

/* 0, STORE_E_NOT_FOUND, -errno. */
static int store_usage_read_clock(struct store *store,
				  struct store_usage_clock_note *note)
{
	char value[STORE_SETTING_BYTES];
	int error = store_setting_get(store, CLOCK_SETTING, value);

	if (error)
		return error;
	return store_usage_parse_clock(value, note) ? 0 : STORE_E_NOT_FOUND;
}

static int store_usage_write_clock(struct store *store,
				   const struct store_usage_clock *clock)
{
	const char *boot_id = clock_boot_id();
	char value[STORE_SETTING_BYTES];

	snprintf(value, sizeof(value), "%s %" PRId64 " %" PRId64 " %" PRId64,
		 *boot_id ? boot_id : "-", clock->offset_ms, clock->epoch_ms,
		 clock_boot_ms() + clock->offset_ms);
	return store_setting_set(store, CLOCK_SETTING, value);
}

/* When the last message was accepted, in usage time; INT64_MIN: never. */
static int store_usage_newest(struct store *store, int64_t *noted_ms_out)
{
	sqlite3_stmt *statement = store_use(store, USAGE_NEWEST);
	int result = sqlite3_step(statement);

	*noted_ms_out =
		result == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : INT64_MIN;
	return store_finish(store, statement, result);
}

/* Usage to come keeps its time by the wall clock. */
static int store_usage_shift(struct store *store, int64_t now_ms, int64_t by_ms)
{
	sqlite3_stmt *statement;

	if (by_ms == 0)
		return 0;
	statement = store_use(store, USAGE_SHIFT);
	sqlite3_bind_int64(statement, 1, now_ms);
	sqlite3_bind_int64(statement, 2, by_ms);
	return store_run(store, statement);
}

static int64_t store_usage_later(int64_t one_ms, int64_t other_ms)
{
	return one_ms > other_ms ? one_ms : other_ms;
}

/* In a new boot, or for the first time (`note` NULL). */
static int store_usage_begin_clock(struct store *store,
				   const struct store_usage_clock_note *note,
				   struct store_usage_clock *clock)
{
	int64_t noted_ms, now_ms = clock_wall_ms(), ahead_ms = 0;
	int error = store_usage_newest(store, &noted_ms);

	if (error)
		return error;
	if (note) {
		ahead_ms = note->epoch_ms - note->offset_ms;
		now_ms = store_usage_later(now_ms - ahead_ms, note->now_ms);
	}
	now_ms = store_usage_later(now_ms, noted_ms);
	clock->epoch_ms = store_usage_epoch();
	clock->offset_ms = now_ms - clock_boot_ms();
	return store_usage_shift(store, now_ms,
				 ahead_ms - (clock->epoch_ms - clock->offset_ms));
}

/* The wall clock was set, by more than it may slip. */
static int store_usage_follow_clock(struct store *store, struct store_usage_clock *clock)
{
	int64_t by_ms = store_usage_epoch() - clock->epoch_ms;

	clock->epoch_ms += by_ms;
	return store_usage_shift(store, clock_boot_ms() + clock->offset_ms, -by_ms);
}

static bool store_usage_clock_was_set(const struct store_usage_clock *clock)
{
	return llabs(store_usage_epoch() - clock->epoch_ms) >= CLOCK_SLEW_MS;
}

static int store_usage_update_clock(struct store *store, struct store_usage_clock *clock)
{
	struct store_usage_clock_note note;
	int error = store_usage_read_clock(store, &note);
	bool found = error == 0;
	bool same =
		found && *clock_boot_id() && strcmp(note.boot_id, clock_boot_id()) == 0;

	if (error && error != STORE_E_NOT_FOUND)
		return error;
	clock->offset_ms = found ? note.offset_ms : 0;
	clock->epoch_ms = found ? note.epoch_ms : 0;
	if (!same)
		error = store_usage_begin_clock(store, found ? &note : NULL, clock);
	else if (store_usage_clock_was_set(clock))
		error = store_usage_follow_clock(store, clock);
	else
		return 0;
	return error ? error : store_usage_write_clock(store, clock);
}

/* In the open transaction, or in one of its own. */
static int store_usage_refresh_clock(struct store *store)
{
	bool alone = !store_is_writing(store);
	struct store_usage_clock clock = store->usage_clock;
	int error = alone ? store_begin(store) : 0;

	if (error)
		return error;
	error = store_usage_update_clock(store, &clock);
	if (alone)
		error = store_end(store, error);
	if (error)
		return error;
	clock.known = true;
	store->usage_clock = clock;
	return 0;
}

void store_usage_forget_clock(struct store *store)
{
	store->usage_clock.known = false;
}

int store_usage_now(struct store *store, int64_t *now_ms_out, int64_t *ahead_ms_out)
{
	struct store_usage_clock *clock = &store->usage_clock;
	int error = 0;

	if (!clock->known || store_usage_clock_was_set(clock))
		error = store_usage_refresh_clock(store);
	if (error)
		return error;
	*now_ms_out = clock_boot_ms() + clock->offset_ms;
	*ahead_ms_out = clock->epoch_ms - clock->offset_ms;
	return 0;
}

/* The statement for the client; those for the SIM and for accepted messages follow it. */
static sqlite3_stmt *store_usage_use(struct store *store, enum store_sql_id for_client,
				     const struct store_usage_span *span)
{
	sqlite3_stmt *statement = store_use(store, for_client + (int)span->by);

	sqlite3_bind_int64(statement, 1, span->id);
	sqlite3_bind_int64(statement, 2, span->from_ms);
	sqlite3_bind_int64(statement, 3, span->until_ms);
	return statement;
}

static int store_usage_read_times(struct store *store, sqlite3_stmt *statement,
				  int64_t *times_out, size_t room, size_t *count_out)
{
	size_t count = 0;
	int result, error;

	sqlite3_bind_int64(statement, 4, (int64_t)room);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW && count < room)
		times_out[count++] = sqlite3_column_int64(statement, 0);
	error = store_finish(store, statement, result);
	if (!error)
		*count_out = count;
	return error;
}

int store_usage_times_until(struct store *store, const struct store_usage_span *span,
			    int64_t *times_out, size_t room, size_t *count_out)
{
	return store_usage_read_times(store,
				      store_usage_use(store, USAGE_CLIENT_UNTIL, span),
				      times_out, room, count_out);
}

int store_usage_times_after(struct store *store, const struct store_usage_span *span,
			    int64_t *times_out, size_t room, size_t *count_out)
{
	return store_usage_read_times(store,
				      store_usage_use(store, USAGE_CLIENT_AFTER, span),
				      times_out, room, count_out);
}

int store_usage_segments(struct store *store, const struct store_usage_span *span,
			 int64_t rows, int64_t *segments_out)
{
	sqlite3_stmt *statement = store_usage_use(store, USAGE_CLIENT_SUM, span);
	int64_t segments = 0;
	int result, error;

	sqlite3_bind_int64(statement, 4, rows);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		segments = sqlite3_column_int64(statement, 0);
	error = store_finish(store, statement, result);
	if (!error)
		*segments_out = segments;
	return error;
}

/* A few of the oldest rows with each message, so that no timer is needed. */
static int store_usage_prune(struct store *store, int64_t now_ms)
{
	sqlite3_stmt *statement = store_use(store, USAGE_PRUNE);

	sqlite3_bind_int64(statement, 1,
			   now_ms - USAGE_KEEP_DAYS * (int64_t)CLOCK_MS_PER_DAY);
	sqlite3_bind_int(statement, 2, USAGE_PRUNE_ROWS);
	return store_run(store, statement);
}

int store_usage_return(struct store *store, int64_t message_id)
{
	sqlite3_stmt *statement = store_use(store, USAGE_RETURN);

	sqlite3_bind_int64(statement, 1, message_id);
	return store_run(store, statement);
}

int store_usage_add(struct store *store, const struct store_message_draft *draft,
		    int64_t message_id)
{
	int64_t now_ms, ahead_ms, at_ms;
	sqlite3_stmt *statement;
	int error = store_usage_now(store, &now_ms, &ahead_ms);

	if (error)
		return error;
	at_ms = draft->send_at_ms - ahead_ms;
	if (!draft->send_at_ms || at_ms < now_ms)
		at_ms = now_ms;
	statement = store_use(store, USAGE_ADD);
	sqlite3_bind_int64(statement, 1, draft->client_id);
	sqlite3_bind_int64(statement, 2, draft->sim_id);
	sqlite3_bind_int64(statement, 3, draft->segments);
	sqlite3_bind_int64(statement, 4, at_ms);
	sqlite3_bind_int64(statement, 5, now_ms);
	sqlite3_bind_int64(statement, 6, message_id);
	error = store_run(store, statement);
	return error ? error : store_usage_prune(store, now_ms);
}
