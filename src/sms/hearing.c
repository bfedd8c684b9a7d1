/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/hearing.h"

#include <string.h>

#include "base/clock.h"
#include "base/each_turn.h"
#include "base/log.h"

#define GATEWAY_DOWN "gateway_down"
#define OFONO_DOWN   "ofono_down"
#define SUSPENDED    "suspended"

enum { ACCURACY_USEC = 100 * 1000 };

/*
 * A row that goes on belongs to the end that is still to be written: no other is begun
 * before that.
 */
static bool save_end(struct hearing *hearing)
{
	if (hearing->up_from_ms &&
	    store_gap_end(hearing->store, OFONO_DOWN, hearing->up_from_ms))
		return false;
	hearing->up_from_ms = 0;
	return true;
}

void hearing_save(struct hearing *hearing)
{
	if (!save_end(hearing))
		return;
	while (hearing->gap_count && !store_gap_add(hearing->store, &hearing->gaps[0])) {
		hearing->gap_count--;
		memmove(&hearing->gaps[0], &hearing->gaps[1],
			hearing->gap_count * sizeof(hearing->gaps[0]));
	}
}

/* A gap that is over; kept until the disk takes it. */
static void note_gap(struct hearing *hearing, int64_t from_ms, int64_t until_ms,
		     const char *reason)
{
	struct gap gap = { from_ms, until_ms > from_ms ? until_ms : from_ms, reason };

	hearing->deaf_ms += gap.until_ms - gap.from_ms;
	log_info("inbox: nothing could be heard for %lld s (%s)",
		 (long long)((gap.until_ms - gap.from_ms) / 1000), reason);
	if (hearing->gap_count == HEARING_GAPS_MAX) {
		log_error("inbox: the disk does not take that; it will be missing");
		return;
	}
	hearing->gaps[hearing->gap_count++] = gap;
	hearing_save(hearing);
}

/* What the disk does not take now is noted when it is over. */
static void begin_down_gap(struct hearing *hearing)
{
	struct gap gap = { hearing->down_from_ms, 0, OFONO_DOWN };

	hearing->down_is_gap = true;
	hearing->down_is_stored =
		save_end(hearing) && !store_gap_add(hearing->store, &gap);
}

static void ofono_left(struct hearing *hearing)
{
	hearing->down_from_ms = clock_wall_ms();
	begin_down_gap(hearing);
}

static void end_stored_gap(struct hearing *hearing, int64_t length_ms)
{
	if (hearing->down_is_gap && length_ms > 0)
		hearing->deaf_ms += length_ms;
	hearing_save(hearing);
}

static void ofono_came(struct hearing *hearing)
{
	int64_t from_ms = hearing->down_from_ms, now_ms = clock_wall_ms();

	sd_event_source_set_enabled(hearing->grace, SD_EVENT_OFF);
	hearing->down_from_ms = 0;
	if (!hearing->up_from_ms) /* a crash may have left a row that goes on, too */
		hearing->up_from_ms = now_ms;
	if (hearing->down_is_gap && !hearing->down_is_stored)
		note_gap(hearing, from_ms, now_ms, OFONO_DOWN);
	else if (!hearing->down_is_gap && hearing->ran_before) /* one with the start's */
		note_gap(hearing, from_ms, now_ms, GATEWAY_DOWN);
	else
		end_stored_gap(hearing, now_ms - from_ms);
	hearing->down_is_gap = hearing->down_is_stored = hearing->ran_before = false;
}

static int on_grace(sd_event_source *source, uint64_t usec, void *data)
{
	struct hearing *hearing = data;

	(void)source;
	(void)usec;
	begin_down_gap(hearing);
	return 0;
}

/* Not while nobody has told us the time: the next start would count from 1970. */
static void note_alive(struct hearing *hearing, int64_t now_ms)
{
	if (now_ms >= CLOCK_SANE_MS && store_alive_set(hearing->store, now_ms))
		log_error("inbox: the disk does not take until when it was heard");
}

/* The gap of the start ended before it began, as long as the clock was not set. */
static void lengthen_start(struct hearing *hearing, int64_t now_ms)
{
	if (hearing->heard_ms)
		note_gap(hearing, hearing->heard_ms, hearing->start_ms, GATEWAY_DOWN);
	hearing->heard_ms = 0;
	note_alive(hearing, now_ms);
}

/* What was noted since the start by a clock that nobody had set is put right. */
static void shift_noted(struct hearing *hearing, int64_t later_ms)
{
	for (unsigned i = 0; i < hearing->gap_count; i++) {
		hearing->gaps[i].from_ms += later_ms;
		hearing->gaps[i].until_ms += later_ms;
	}
	if (store_gaps_shift(hearing->store, hearing->start_ms, CLOCK_SANE_MS, later_ms))
		log_error("inbox: the disk does not take when nothing could be heard");
}

static void follow_clock(struct hearing *hearing, int64_t now_ms, int64_t later_ms)
{
	bool was_set = now_ms - later_ms >= CLOCK_SANE_MS;

	if (!was_set)
		shift_noted(hearing, later_ms);
	else if (hearing->down_is_stored && later_ms < 0) /* else it ends too early */
		store_gaps_shift(hearing->store, hearing->down_from_ms,
				 hearing->down_from_ms + 1, later_ms);
	if (hearing->down_from_ms)
		hearing->down_from_ms += later_ms;
	if (hearing->up_from_ms)
		hearing->up_from_ms += later_ms;
	hearing->start_ms += later_ms;
	if (!was_set && now_ms >= CLOCK_SANE_MS)
		lengthen_start(hearing, now_ms);
}

/* How far the wall clock is from the one that nobody sets grows by nothing but setting. */
static void look_at_wall_clock(struct hearing *hearing)
{
	int64_t now_ms = clock_wall_ms();
	int64_t epoch_ms = now_ms - clock_boot_ms();
	int64_t later_ms = epoch_ms - hearing->epoch_ms;

	hearing->epoch_ms = epoch_ms;
	if (later_ms >= HEARING_CLOCK_SET_MS || later_ms <= -HEARING_CLOCK_SET_MS)
		follow_clock(hearing, now_ms, later_ms);
}

/* How far the two clocks are apart grows by nothing but suspend. */
static void look_at_clocks(struct hearing *hearing)
{
	int64_t boot_ms = clock_boot_ms(), now_ms = clock_wall_ms();
	int64_t asleep_ms = boot_ms - clock_monotonic_ms();

	look_at_wall_clock(hearing);
	if (asleep_ms - hearing->asleep_ms >= HEARING_ASLEEP_MS)
		note_gap(hearing, now_ms - (boot_ms - hearing->looked_ms), now_ms,
			 SUSPENDED);
	hearing->asleep_ms = asleep_ms;
	hearing->looked_ms = boot_ms;
}

/* Whatever wakes the loop; nothing does for this alone. */
static void save_sometimes(struct hearing *hearing)
{
	if (!hearing->gap_count && !hearing->up_from_ms)
		return;
	if (hearing->looked_ms - hearing->tried_ms < HEARING_RETRY_MS)
		return;
	hearing->tried_ms = hearing->looked_ms;
	hearing_save(hearing);
}

static int on_look(sd_event_source *source, void *data)
{
	(void)source;
	look_at_clocks(data);
	save_sometimes(data);
	return 0;
}

static void note_start(struct hearing *hearing)
{
	int64_t now_ms = clock_wall_ms(), heard_ms = 0;

	hearing->start_ms = hearing->down_from_ms = now_ms;
	hearing->looked_ms = clock_boot_ms();
	hearing->epoch_ms = now_ms - hearing->looked_ms;
	hearing->asleep_ms = hearing->looked_ms - clock_monotonic_ms();
	if (store_alive_get(hearing->store, &heard_ms))
		log_error("inbox: the store does not tell when the gateway last ran");
	hearing->ran_before = heard_ms;
	if (heard_ms)
		note_gap(hearing, heard_ms, now_ms, GATEWAY_DOWN);
	if (now_ms < CLOCK_SANE_MS)
		hearing->heard_ms = heard_ms;
	note_alive(hearing, now_ms);
}

int64_t hearing_deaf_ms(const struct hearing *hearing)
{
	int64_t now_ms = clock_wall_ms();

	if (!hearing->down_is_gap || now_ms < hearing->down_from_ms)
		return hearing->deaf_ms;
	return hearing->deaf_ms + now_ms - hearing->down_from_ms;
}

void hearing_ofono(struct hearing *hearing, bool available)
{
	look_at_wall_clock(hearing);
	if (available)
		ofono_came(hearing);
	else
		ofono_left(hearing);
}

void hearing_set_grace(struct hearing *hearing, uint64_t grace_ms)
{
	sd_event_source_set_time_relative(hearing->grace, grace_ms * 1000);
}

int hearing_init(struct hearing *hearing, sd_event *loop, struct store *store,
		 uint64_t grace_ms)
{
	int error;

	memset(hearing, 0, sizeof(*hearing));
	hearing->store = store;
	error = sd_event_add_time_relative(loop, &hearing->grace, CLOCK_MONOTONIC,
					   grace_ms * 1000, ACCURACY_USEC, on_grace,
					   hearing);
	if (error >= 0)
		error = each_turn_add(loop, &hearing->look, on_look, hearing);
	if (error < 0) {
		sd_event_source_disable_unref(hearing->grace);
		return error;
	}
	note_start(hearing);
	return 0;
}

void hearing_deinit(struct hearing *hearing)
{
	sd_event_source_disable_unref(hearing->look);
	sd_event_source_disable_unref(hearing->grace);
	hearing_save(hearing);
	note_alive(hearing, clock_wall_ms());
}
