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

static int64_t store_usage_later(int64_t one_ms, int64_t other_ms)
{
	return one_ms > other_ms ? one_ms : other_ms;
}

static bool store_usage_is_of_this_boot(const struct store_usage_clock_note *note)
{
	return *clock_boot_id() && strcmp(note->boot_id, clock_boot_id()) == 0;
}

/* As a new boot continues. */
static int64_t store_usage_continue_clock(const struct store_usage_clock_note *note)
{
	return store_usage_later(clock_wall_ms() - (note->epoch_ms - note->offset_ms),
				 note->now_ms);
}

int64_t store_usage_clock_now(const char *value)
{
	struct store_usage_clock_note note;

	if (!value || !store_usage_parse_clock(value, &note))
		return clock_wall_ms();
	return store_usage_is_of_this_boot(&note) ? clock_boot_ms() + note.offset_ms
						  : store_usage_continue_clock(&note);
}

/* Returns 0, STORE_E_NOT_FOUND or -errno. */
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

/* Usage to come keeps its time by the wall clock. */
static int store_usage_shift(struct store *store, int64_t now_ms, int64_t by_ms)
{
	return by_ms ? store_execute(store, USAGE_SHIFT, now_ms, by_ms) : 0;
}

/* Call it in a new boot, or for the first time (`note` NULL). */
static int store_usage_begin_clock(struct store *store,
				   const struct store_usage_clock_note *note,
				   struct store_usage_clock *clock)
{
	int64_t noted_ms = INT64_MIN; /* the last message was accepted; in usage time */
	int64_t now_ms = clock_wall_ms(), ahead_ms = 0;
	int error = store_read_integer(store, store_use(store, USAGE_NEWEST), &noted_ms);

	if (error)
		return error;
	if (note) {
		ahead_ms = note->epoch_ms - note->offset_ms;
		now_ms = store_usage_continue_clock(note);
	}
	now_ms = store_usage_later(now_ms, noted_ms);
	clock->epoch_ms = clock_epoch_ms();
	clock->offset_ms = now_ms - clock_boot_ms();
	return store_usage_shift(store, now_ms,
				 ahead_ms - (clock->epoch_ms - clock->offset_ms));
}

/* Call it when the wall clock was set, by more than it may slip. */
static int store_usage_follow_clock(struct store *store, struct store_usage_clock *clock)
{
	int64_t by_ms = clock_set_by_ms(clock->epoch_ms);

	clock->epoch_ms += by_ms;
	return store_usage_shift(store, clock_boot_ms() + clock->offset_ms, -by_ms);
}

static int store_usage_update_clock(struct store *store, struct store_usage_clock *clock)
{
	struct store_usage_clock_note note;
	int error = store_usage_read_clock(store, &note);
	bool found = error == 0;

	if (error && error != STORE_E_NOT_FOUND)
		return error;
	clock->offset_ms = found ? note.offset_ms : 0;
	clock->epoch_ms = found ? note.epoch_ms : 0;
	if (!found || !store_usage_is_of_this_boot(&note))
		error = store_usage_begin_clock(store, found ? &note : NULL, clock);
	else if (clock_set_by_ms(clock->epoch_ms))
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

	if (!clock->known || clock_set_by_ms(clock->epoch_ms))
		error = store_usage_refresh_clock(store);
	if (error)
		return error;
	*now_ms_out = clock_boot_ms() + clock->offset_ms;
	*ahead_ms_out = clock->epoch_ms - clock->offset_ms;
	return 0;
}

/* Returns the statement for the client; those for the SIM, the share and acceptance follow it. */
static sqlite3_stmt *store_usage_use(struct store *store, enum store_sql_id for_client,
				     const struct store_usage_span *span)
{
	sqlite3_stmt *statement = store_use(store, for_client + (int)span->by);
	int64_t sim_id = span->by == USAGE_BY_SIM ? span->id : span->sim_id;

	store_bind_integers(statement, 1, span->id, span->from_ms, span->until_ms);
	store_bind_integers(statement, 5, span->except_id);
	if (span->by == USAGE_BY_SIM || span->by == USAGE_BY_SHARE)
		store_bind_integers(statement, 6, sim_id,
				    span->with_planned ? -sim_id : sim_id);
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
	int error;

	sqlite3_bind_int64(statement, 4, rows);
	error = store_read_integer(store, statement, &segments);
	if (!error)
		*segments_out = segments;
	return error;
}

/* Removes a few of the oldest rows with each message, so that no timer is needed. */
static int store_usage_prune(struct store *store, int64_t now_ms)
{
	return store_execute(store, USAGE_PRUNE,
			     now_ms - USAGE_KEEP_DAYS * (int64_t)CLOCK_MS_PER_DAY,
			     USAGE_PRUNE_ROWS);
}

int store_usage_give_back(struct store *store, int64_t message_id,
			  enum store_usage_return how)
{
	if (how == USAGE_RETURN_NONE)
		return 0;
	return store_execute(
		store, how == USAGE_RETURN_ALL ? USAGE_RETURN_TO_BOTH : USAGE_RETURN,
		message_id);
}

/* When the message may go out, in usage time, and usage time now. Returns 0 or -errno. */
static int store_usage_find_time(struct store *store,
				 const struct store_message_draft *draft,
				 int64_t *now_ms_out, int64_t *at_ms_out)
{
	int64_t ahead_ms;
	int error = store_usage_now(store, now_ms_out, &ahead_ms);

	if (error)
		return error;
	*at_ms_out = draft->send_at_ms - ahead_ms;
	if (!draft->send_at_ms || *at_ms_out < *now_ms_out)
		*at_ms_out = *now_ms_out;
	return 0;
}

int store_usage_add(struct store *store, const struct store_message_draft *draft,
		    int64_t message_id)
{
	bool is_submitted = draft->is_submitting || !message_id;
	int64_t now_ms, at_ms;
	int error = store_usage_find_time(store, draft, &now_ms, &at_ms);

	if (!error)
		error = store_execute(store, USAGE_ADD, draft->client_id,
				      is_submitted ? draft->sim_id : -draft->sim_id,
				      draft->segments, at_ms, now_ms, message_id);
	return error ? error : store_usage_prune(store, now_ms);
}

int store_usage_find(struct store *store, int64_t message_id, int64_t *usage_id_out)
{
	sqlite3_stmt *statement = store_use(store, USAGE_OF_MESSAGE);

	*usage_id_out = 0;
	store_bind_integers(statement, 1, message_id);
	return store_read_integer(store, statement, usage_id_out);
}

int store_usage_change(struct store *store, const struct store_message_draft *draft,
		       int64_t message_id, bool keeps_time)
{
	int64_t now_ms, at_ms, usage_id = 0;
	int error = store_usage_find_time(store, draft, &now_ms, &at_ms);

	if (!error)
		error = store_usage_find(store, message_id, &usage_id);
	if (error)
		return error;
	if (!usage_id) /* so old that it was pruned */
		return store_usage_add(store, draft, message_id);
	return store_execute(store, USAGE_CHANGE, usage_id, draft->segments, keeps_time,
			     at_ms);
}

int store_usage_move(struct store *store, int64_t message_id, int64_t send_at_ms)
{
	const struct store_message_draft draft = { .send_at_ms = send_at_ms };
	int64_t now_ms, at_ms, usage_id = 0;
	int error = store_usage_find_time(store, &draft, &now_ms, &at_ms);

	if (!error)
		error = store_usage_find(store, message_id, &usage_id);
	if (error || !usage_id) /* so old that it was pruned */
		return error;
	return store_execute(store, USAGE_MOVE, usage_id, at_ms);
}

int store_usage_submit(struct store *store, int64_t message_id)
{
	int64_t now_ms, ahead_ms, usage_id = 0;
	int error = store_usage_now(store, &now_ms, &ahead_ms);

	if (!error)
		error = store_usage_find(store, message_id, &usage_id);
	if (error || !usage_id) /* so old that it was pruned */
		return error;
	return store_execute(store, USAGE_SUBMIT, usage_id, now_ms, USAGE_ON_TIME_MS);
}

/* ---- closed keys */

/* Call it inside a transaction. */
static int store_usage_insert_closed_key(struct store *store, int64_t client_id,
					 const char *key)
{
	int64_t now_ms, ahead_ms, count = 0;
	sqlite3_stmt *statement;
	int error = store_usage_now(store, &now_ms, &ahead_ms);

	if (!error)
		error = store_execute(store, CLOSED_KEYS_PRUNE,
				      now_ms -
					      (int64_t)STORE_KEY_DAYS * CLOCK_MS_PER_DAY);
	if (error)
		return error;
	statement = store_use(store, CLOSED_KEY_COUNT);
	store_bind_integers(statement, 1, client_id);
	error = store_read_integer(store, statement, &count);
	if (error)
		return error;
	if (count >= STORE_CLOSED_KEYS_MAX)
		return STORE_E_FULL;
	statement = store_use(store, CLOSED_KEY_ADD);
	store_bind_integers(statement, 1, client_id);
	store_bind_text(statement, 2, key);
	store_bind_integers(statement, 3, now_ms);
	return store_run(store, statement);
}

int store_usage_close_key(struct store *store, int64_t client_id, const char *key)
{
	int error = store_begin(store);

	if (error)
		return error;
	error = store_end(store, store_usage_insert_closed_key(store, client_id, key));
	if (error)
		store_usage_forget_clock(store);
	return error;
}

int store_usage_find_closed_key(struct store *store, int64_t client_id, const char *key)
{
	sqlite3_stmt *statement = store_use(store, CLOSED_KEY_FIND);

	store_bind_integers(statement, 1, client_id);
	store_bind_text(statement, 2, key);
	return store_find_row(store, statement);
}
