/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The setting "usage_clock" is "BOOT_ID OFFSET EPOCH NOW" in milliseconds: what
 * struct usage_clock holds, of which start of the machine, and usage time when it was
 * written. It is written when one of the first three changes, which is rare.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_setting.h"
#include "store/store_statement.h"
#include "store/store_usage.h"

#define CLOCK_SETTING STORE_SETTING_USAGE_CLOCK

struct clock_note { /* of the setting */
	char boot_id[40];
	int64_t offset_ms;
	int64_t epoch_ms;
	int64_t now_ms;
};

static int64_t epoch_now(void)
{
	return clock_wall_ms() - clock_boot_ms();
}

static bool note_parse(const char *value, struct clock_note *note)
{
	return sscanf(value, "%39s %" SCNd64 " %" SCNd64 " %" SCNd64, note->boot_id,
		      &note->offset_ms, &note->epoch_ms, &note->now_ms) == 4;
}

int64_t store_usage_ahead(const char *value)
{
	struct clock_note note;

	if (!value || !note_parse(value, &note))
		return 0;
	return note.epoch_ms - note.offset_ms;
}

/* 0, STORE_E_NOT_FOUND, -errno. */
static int note_read(struct store *store, struct clock_note *note)
{
	char value[STORE_SETTING_BYTES];
	int error = store_setting_get(store, CLOCK_SETTING, value);

	if (error)
		return error;
	return note_parse(value, note) ? 0 : STORE_E_NOT_FOUND;
}

static int note_write(struct store *store, const struct usage_clock *clock)
{
	const char *boot_id = clock_boot_id();
	char value[STORE_SETTING_BYTES];

	snprintf(value, sizeof(value), "%s %" PRId64 " %" PRId64 " %" PRId64,
		 *boot_id ? boot_id : "-", clock->offset_ms, clock->epoch_ms,
		 clock_boot_ms() + clock->offset_ms);
	return store_setting_set(store, CLOCK_SETTING, value);
}

/* When the last message was accepted, in usage time; INT64_MIN: none was. */
static int newest(struct store *store, int64_t *noted_ms_out)
{
	sqlite3_stmt *statement = store_use(store, USAGE_NEWEST);
	int result = sqlite3_step(statement);

	*noted_ms_out =
		result == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : INT64_MIN;
	return store_done(store, statement, result);
}

/* What is still to go out goes out by the wall clock, wherever that is now. */
static int shift(struct store *store, int64_t now_ms, int64_t by_ms)
{
	sqlite3_stmt *statement;

	if (by_ms == 0)
		return 0;
	statement = store_use(store, USAGE_SHIFT);
	sqlite3_bind_int64(statement, 1, now_ms);
	sqlite3_bind_int64(statement, 2, by_ms);
	return store_run(store, statement);
}

static int64_t later(int64_t one_ms, int64_t other_ms)
{
	return one_ms > other_ms ? one_ms : other_ms;
}

/* The machine was started since, or nothing was ever noted (`note` NULL). */
static int clock_begin(struct store *store, const struct clock_note *note,
		       struct usage_clock *clock)
{
	int64_t noted_ms, now_ms = clock_wall_ms(), ahead_ms = 0;
	int error = newest(store, &noted_ms);

	if (error)
		return error;
	if (note) {
		ahead_ms = note->epoch_ms - note->offset_ms;
		now_ms = later(now_ms - ahead_ms, note->now_ms);
	}
	now_ms = later(now_ms, noted_ms);
	clock->epoch_ms = epoch_now();
	clock->offset_ms = now_ms - clock_boot_ms();
	return shift(store, now_ms, ahead_ms - (clock->epoch_ms - clock->offset_ms));
}

/* The wall clock was set, by more than it may slip. */
static int clock_follow(struct store *store, struct usage_clock *clock)
{
	int64_t by_ms = epoch_now() - clock->epoch_ms;

	clock->epoch_ms += by_ms;
	return shift(store, clock_boot_ms() + clock->offset_ms, -by_ms);
}

static bool is_set(const struct usage_clock *clock)
{
	return llabs(epoch_now() - clock->epoch_ms) >= CLOCK_SLEW_MS;
}

static int look_again(struct store *store, struct usage_clock *clock)
{
	struct clock_note note;
	int error = note_read(store, &note);
	bool found = error == 0;
	bool same =
		found && *clock_boot_id() && strcmp(note.boot_id, clock_boot_id()) == 0;

	if (error && error != STORE_E_NOT_FOUND)
		return error;
	clock->offset_ms = found ? note.offset_ms : 0;
	clock->epoch_ms = found ? note.epoch_ms : 0;
	if (!same)
		error = clock_begin(store, found ? &note : NULL, clock);
	else if (is_set(clock))
		error = clock_follow(store, clock);
	else
		return 0;
	return error ? error : note_write(store, clock);
}

/* Inside the transaction that goes on, or in one of its own. */
static int look(struct store *store)
{
	bool alone = !store_is_writing(store);
	struct usage_clock clock = store->usage_clock;
	int error = alone ? store_begin(store) : 0;

	if (error)
		return error;
	error = look_again(store, &clock);
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
	struct usage_clock *clock = &store->usage_clock;
	int error = 0;

	if (!clock->known || is_set(clock))
		error = look(store);
	if (error)
		return error;
	*now_ms_out = clock_boot_ms() + clock->offset_ms;
	*ahead_ms_out = clock->epoch_ms - clock->offset_ms;
	return 0;
}
