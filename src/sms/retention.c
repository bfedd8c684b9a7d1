/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   resting -> removing -> pruning (audit and feed) -> vacuuming -> resting
 *
 * Each step is a call of the step timer, with the loop free in between. Messages that a pass
 * cannot delete yet (unfinished ones, and those whose idempotency key still counts) are tried
 * again in the next pass.
 *
 * A clock that is a week or more ahead of what it was is not trusted for a day: if it were
 * years ahead, everything would be deleted before anybody could correct it.
 */
#include "sms/retention.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_loop.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "store/store_audit.h"
#include "store/store_event.h"
#include "store/store_feed.h"
#include "store/store_retention.h"

enum {
	USEC_PER_MS = 1000,
	STEP_ACCURACY_USEC = 5 * 1000,
	DUE_ACCURACY_USEC = 10 * 60 * 1000 * 1000,
	SLACK_DIVISOR = 100, /* 1 % */
	FREE_PAGES = 64,     /* kept in the file for the next messages: 256 KiB */
};

static const struct retention_timing retention_default_timing = {
	.start_ms = 5 * 1000,
	.pause_ms = 20,
	.least_ms = 60 * 60 * 1000,
	.most_ms = 24 * 60 * 60 * 1000,
};

enum retention_phase {
	RETENTION_RESTING,
	RETENTION_REMOVING,
	RETENTION_PRUNING,
	RETENTION_VACUUMING
};

struct retention {
	const struct config *config;
	struct store *store;
	struct retention_timing timing;
	enum retention_phase phase;
	struct store_retention walk;
	int64_t count; /* messages after the last pass; -1 if unknown */
	int64_t added; /* store_retention_added() at that time */
	int64_t lines; /* store_audit_added() at that time */
	bool ages;     /* this pass deletes by age */
	bool jumped;   /* the clock did, so that no age is trusted */
	int64_t free_pages;
	bool again;	  /* another pass follows at once */
	int64_t epoch_ms; /* see clock_epoch_ms() */
	sd_event_source *step;
	sd_event_source *due;
	sd_event_source *look;
};

static int64_t retention_cutoff_ms(const struct retention *retention)
{
	return clock_wall_ms() - retention->config->keep_days * (int64_t)CLOCK_MS_PER_DAY;
}

static void retention_step_later(struct retention *retention, uint64_t pause_ms)
{
	sd_event_source_set_time_relative(retention->step, pause_ms * USEC_PER_MS);
	sd_event_source_set_enabled(retention->step, SD_EVENT_ONESHOT);
}

static void retention_due_later(struct retention *retention, int64_t after_ms)
{
	const struct retention_timing *timing = &retention->timing;
	uint64_t wait_ms = after_ms > 0 ? (uint64_t)after_ms : 0;

	if (wait_ms < timing->least_ms)
		wait_ms = timing->least_ms;
	if (wait_ms > timing->most_ms)
		wait_ms = timing->most_ms;
	sd_event_source_set_time_relative(retention->due, wait_ms * USEC_PER_MS);
	sd_event_source_set_enabled(retention->due, SD_EVENT_ONESHOT);
}

static void retention_rest(struct retention *retention)
{
	retention->phase = RETENTION_RESTING;
	if (retention->again) {
		retention->again = false;
		retention_step_later(retention, retention->timing.pause_ms);
		return;
	}
	if (retention->config->keep_days == 0)
		return;
	retention_due_later(retention, retention->walk.oldest_ms
					       ? retention->walk.oldest_ms -
							 retention_cutoff_ms(retention)
					       : INT64_MAX);
}

static void retention_give_up(struct retention *retention, int error)
{
	log_warning("retention: nothing can be deleted now: %s",
		    error < 0 ? strerror(-error) : "the disk is full");
	retention->phase = RETENTION_RESTING;
	retention->count = -1;
	retention_due_later(retention, 0);
}

/*
 * Records a clock that was set a week or more ahead. The first setting after a start with an
 * unset clock does not count: then the gap before the start shows how long nothing ran.
 */
static void retention_check_clock(struct retention *retention)
{
	int64_t now_ms = clock_wall_ms();
	int64_t ahead_ms = clock_set_by_ms(retention->epoch_ms);

	retention->epoch_ms += ahead_ms;
	if (ahead_ms < RETENTION_JUMP_MS || now_ms - ahead_ms < CLOCK_SANE_MS)
		return;
	if (store_retention_record_jump(retention->store, now_ms))
		log_warning("retention: a change of the clock could not be stored");
}

/* Sets whether this pass deletes by age. Returns 0, or the store's error. */
static int retention_decide_ages(struct retention *retention)
{
	int error;

	retention_check_clock(retention);
	error = store_retention_has_jumped(retention->store, clock_wall_ms(),
					   &retention->jumped);
	if (error)
		return error;
	if (retention->jumped && retention->config->keep_days)
		log_info("retention: age-based deletion pauses for 24 hours, because "
			 "the clock is a week or more ahead of what it was");
	retention->ages = retention->config->keep_days && !retention->jumped;
	return 0;
}

/* Returns 0, or the store's error. */
static int retention_begin(struct retention *retention)
{
	const struct config *config = retention->config;
	struct store_retention walk = { .border_id = 0 };
	int64_t count = 0;
	int error = store_retention_count(retention->store, &count);

	if (!error)
		error = store_retention_begin_records(retention->store, clock_wall_ms());
	if (!error)
		error = retention_decide_ages(retention);
	if (!error && retention->ages)
		error = store_retention_border(retention->store,
					       retention_cutoff_ms(retention),
					       &walk.border_id);
	if (error)
		return error;
	if (config->keep_messages && count > config->keep_messages)
		walk.excess = count - config->keep_messages;
	retention->count = count;
	retention->added = store_retention_added(retention->store);
	retention->lines = store_audit_added(retention->store);
	retention->walk = walk;
	retention->phase = RETENTION_REMOVING;
	return 0;
}

/* Deletes old offline gaps, calls and alerts. */
static int retention_prune_others(struct retention *retention)
{
	int64_t before_ms = retention->ages ? retention_cutoff_ms(retention) : 0;
	int error = store_retention_drop_gaps(retention->store, before_ms);

	return error ? error : store_event_prune(retention->store, before_ms);
}

static int retention_end_removing(struct retention *retention)
{
	const struct store_retention *walk = &retention->walk;
	int error = 0;

	retention->count -= walk->removed;
	retention->free_pages = INT64_MAX;
	retention->phase = RETENTION_PRUNING;
	if (walk->removed)
		log_info("retention: %lld old messages deleted, %lld kept",
			 (long long)walk->removed, (long long)retention->count);
	if (walk->removed)
		error = store_retention_raise_records(retention->store, walk->removed_ms);
	return error ? error : retention_prune_others(retention);
}

static int retention_remove_some(struct retention *retention)
{
	int error = store_retention_step(retention->store, &retention->walk);

	if (!error && retention->walk.done)
		error = retention_end_removing(retention);
	return error;
}

/* Entries of the feed older than STORE_FEED_DAYS go, whatever the owner keeps. */
static int retention_prune_feed(struct retention *retention, bool *done_out)
{
	int64_t days = retention->config->keep_days;

	*done_out = true;
	if (retention->jumped)
		return 0;
	if (!days || days > STORE_FEED_DAYS)
		days = STORE_FEED_DAYS;
	return store_feed_prune(retention->store,
				clock_wall_ms() - days * (int64_t)CLOCK_MS_PER_DAY,
				done_out);
}

static int retention_prune_some(struct retention *retention)
{
	bool audit_done = false, feed_done = false;
	int error = store_audit_prune(retention->store, AUDIT_KEEP, &audit_done);

	if (!error)
		error = retention_prune_feed(retention, &feed_done);
	if (!error && audit_done && feed_done)
		retention->phase = RETENTION_VACUUMING;
	return error;
}

static int retention_vacuum_some(struct retention *retention)
{
	int64_t left = 0;
	int error = store_retention_vacuum(retention->store, &left);

	if (error)
		return error;
	if (left > FREE_PAGES && left < retention->free_pages) {
		retention->free_pages = left;
		return 0;
	}
	if (retention->walk.removed)
		store_retention_checkpoint(retention->store);
	retention_rest(retention);
	return 0;
}

static int retention_work(struct retention *retention)
{
	switch (retention->phase) {
	case RETENTION_RESTING:
		return retention_begin(retention);
	case RETENTION_REMOVING:
		return retention_remove_some(retention);
	case RETENTION_PRUNING:
		return retention_prune_some(retention);
	case RETENTION_VACUUMING:
		return retention_vacuum_some(retention);
	}
	return 0;
}

static int retention_on_step(sd_event_source *source, uint64_t usec, void *data)
{
	struct retention *retention = data;
	int error = retention_work(retention);

	if (error)
		retention_give_up(retention, error);
	else if (retention->phase != RETENTION_RESTING)
		retention_step_later(retention, retention->timing.pause_ms);
	return 0;
}

static int retention_on_due(sd_event_source *source, uint64_t usec, void *data)
{
	struct retention *retention = data;

	if (retention->phase == RETENTION_RESTING)
		retention_step_later(retention, 0);
	return 0;
}

/* Was enough added since the last pass for another one? */
static bool retention_is_exceeded(const struct retention *retention)
{
	int64_t most = retention->config->keep_messages;
	int64_t added = store_retention_added(retention->store) - retention->added;
	int64_t lines = store_audit_added(retention->store) - retention->lines;

	if (lines > AUDIT_KEEP / SLACK_DIVISOR)
		return true;
	return most && retention->count >= 0 && added > most / SLACK_DIVISOR &&
	       retention->count + added > most;
}

/* Called whenever something else has woken the loop. */
static int retention_on_check(sd_event_source *source, void *data)
{
	struct retention *retention = data;

	retention_check_clock(retention);
	if (retention->phase != RETENTION_RESTING || !retention_is_exceeded(retention))
		return 0;
	retention->count = -1; /* the pass counts them */
	retention_step_later(retention, retention->timing.pause_ms);
	return 0;
}

static int retention_add_sources(struct retention *retention, sd_event *loop)
{
	int error = sd_event_add_time_relative(
		loop, &retention->step, CLOCK_MONOTONIC,
		retention_default_timing.start_ms * USEC_PER_MS, STEP_ACCURACY_USEC,
		retention_on_step, retention);

	if (error >= 0)
		error = sd_event_add_time_relative(loop, &retention->due, CLOCK_BOOTTIME,
						   0, DUE_ACCURACY_USEC, retention_on_due,
						   retention);
	if (error >= 0)
		error = sd_event_source_set_enabled(retention->due, SD_EVENT_OFF);
	if (error >= 0)
		error = event_loop_add_before_sleep(loop, &retention->look,
						    retention_on_check, retention);
	return error < 0 ? error : 0;
}

int retention_new(sd_event *loop, const struct config *config, struct store *store,
		  struct retention **retention_out)
{
	struct retention *retention = calloc(1, sizeof(*retention));
	int error;

	if (!retention)
		return -ENOMEM;
	retention->config = config;
	retention->store = store;
	retention->timing = retention_default_timing;
	retention->count = -1;
	retention->epoch_ms = clock_epoch_ms();
	if (store_retention_begin_records(store, clock_wall_ms()))
		log_warning(
			"retention: the time since when messages are recorded could not be stored");
	error = retention_add_sources(retention, loop);
	if (error) {
		retention_free(retention);
		return error;
	}
	*retention_out = retention;
	return 0;
}

void retention_free(struct retention *retention)
{
	if (!retention)
		return;
	sd_event_source_disable_unref(retention->step);
	sd_event_source_disable_unref(retention->due);
	sd_event_source_disable_unref(retention->look);
	free(retention);
}

void retention_review(struct retention *retention)
{
	if (retention->phase == RETENTION_RESTING)
		retention_step_later(retention, retention->timing.pause_ms);
	else
		retention->again = true;
}

void retention_set_timing(struct retention *retention,
			  const struct retention_timing *timing)
{
	retention->timing = *timing;
	retention_step_later(retention, timing->start_ms);
}

bool retention_is_at_work(const struct retention *retention)
{
	return retention->phase != RETENTION_RESTING;
}
