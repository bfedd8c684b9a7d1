/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   resting -> removing -> pruning (the audit) -> vacuuming -> resting
 *
 * Every step is a turn of the step timer. What one pass finds locked in place (a message
 * under way, a key that still counts) is looked at again in the next.
 */
#include "sms/retention.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/before_sleep.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "store/store_audit.h"
#include "store/store_event.h"
#include "store/store_retention.h"

enum {
	USEC_PER_MS = 1000,
	STEP_ACCURACY_USEC = 5 * 1000,
	DUE_ACCURACY_USEC = 10 * 60 * 1000 * 1000,
	SLACK_DIVISOR = 100, /* 1 % */
	FREE_PAGES = 64,     /* that are kept for the next messages: 256 KiB */
};

static const struct retention_timing usual_timing = {
	.start_ms = 5 * 1000,
	.pause_ms = 20,
	.least_ms = 60 * 60 * 1000,
	.most_ms = 24 * 60 * 60 * 1000,
};

enum retention_phase { RESTING, REMOVING, PRUNING, VACUUMING };

struct retention {
	const struct config *config;
	struct store *store;
	struct retention_timing timing;
	enum retention_phase phase;
	struct store_retention walk;
	int64_t count; /* messages when the last pass ended; -1: none was made */
	int64_t added; /* store_retention_added() then */
	int64_t lines; /* store_audit_added() then */
	bool ages;     /* in this pass something goes for its age */
	int64_t free_pages;
	bool again;	  /* another pass at once when this one ends */
	int64_t epoch_ms; /* the wall clock is clock_boot_ms() and this */
	sd_event_source *step;
	sd_event_source *due;
	sd_event_source *look;
};

static int64_t cutoff(const struct retention *retention)
{
	return clock_wall_ms() - retention->config->keep_days * (int64_t)CLOCK_MS_PER_DAY;
}

static void step_later(struct retention *retention, uint64_t pause_ms)
{
	sd_event_source_set_time_relative(retention->step, pause_ms * USEC_PER_MS);
	sd_event_source_set_enabled(retention->step, SD_EVENT_ONESHOT);
}

static void due_later(struct retention *retention, int64_t after_ms)
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

static void rest(struct retention *retention)
{
	retention->phase = RESTING;
	if (retention->again) {
		retention->again = false;
		step_later(retention, retention->timing.pause_ms);
		return;
	}
	if (retention->config->keep_days == 0)
		return;
	due_later(retention, retention->walk.oldest_ms
				     ? retention->walk.oldest_ms - cutoff(retention)
				     : INT64_MAX);
}

static void give_up(struct retention *retention, int error)
{
	log_warning("retention: not now: %s",
		    error < 0 ? strerror(-error) : "the disk is full");
	retention->phase = RESTING;
	retention->count = -1;
	due_later(retention, 0);
}

/*
 * Was it set a week or more ahead? Not when it is told for the first time since the start:
 * then the gap before that says how long nothing ran.
 */
static void watch_clock(struct retention *retention)
{
	int64_t now_ms = clock_wall_ms(), epoch_ms = now_ms - clock_boot_ms();
	int64_t ahead_ms = epoch_ms - retention->epoch_ms;

	retention->epoch_ms = epoch_ms;
	if (ahead_ms < RETENTION_JUMP_MS || now_ms - ahead_ms < CLOCK_SANE_MS)
		return;
	if (store_retention_record_jump(retention->store, now_ms))
		log_warning("retention: the disk does not take that the clock was set");
}

/*
 * After weeks in which nothing ran, and when it was set ahead by weeks, the clock is not
 * believed for a day: one that is years ahead would take everything with it before somebody
 * sets it right.
 */
static int judge_clock(struct retention *retention)
{
	bool leapt = false;
	int error = 0;

	watch_clock(retention);
	if (retention->config->keep_days)
		error = store_retention_has_jumped(retention->store, clock_wall_ms(),
						   &leapt);
	if (error)
		return error;
	if (leapt)
		log_info("retention: nothing goes for its age for a day, because the "
			 "clock is a week or more ahead of what it was");
	retention->ages = retention->config->keep_days && !leapt;
	return 0;
}

/* 0, or the store's error. */
static int begin(struct retention *retention)
{
	const struct config *config = retention->config;
	struct store_retention walk = { .border_id = 0 };
	int64_t count = 0;
	int error = store_retention_count(retention->store, &count);

	if (!error)
		error = judge_clock(retention);
	if (!error && retention->ages)
		error = store_retention_border(retention->store, cutoff(retention),
					       &walk.border_id);
	if (error)
		return error;
	if (config->keep_messages && count > config->keep_messages)
		walk.excess = count - config->keep_messages;
	retention->count = count;
	retention->added = store_retention_added(retention->store);
	retention->lines = store_audit_added(retention->store);
	retention->walk = walk;
	retention->phase = REMOVING;
	return 0;
}

/* What goes for its age, and is no message. */
static int prune_beside(struct retention *retention)
{
	int64_t before_ms = retention->ages ? cutoff(retention) : 0;
	int error = store_retention_drop_gaps(retention->store, before_ms);

	return error ? error : store_event_prune(retention->store, before_ms);
}

static int end_removing(struct retention *retention)
{
	const struct store_retention *walk = &retention->walk;

	retention->count -= walk->removed;
	retention->free_pages = INT64_MAX;
	retention->phase = PRUNING;
	if (walk->removed)
		log_info("retention: %lld old messages are gone, %lld are kept",
			 (long long)walk->removed, (long long)retention->count);
	return prune_beside(retention);
}

static int remove_some(struct retention *retention)
{
	int error = store_retention_step(retention->store, &retention->walk);

	if (!error && retention->walk.done)
		error = end_removing(retention);
	return error;
}

static int prune_some(struct retention *retention)
{
	bool done = false;
	int error = store_audit_prune(retention->store, AUDIT_KEEP, &done);

	if (!error && done)
		retention->phase = VACUUMING;
	return error;
}

static int vacuum_some(struct retention *retention)
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
	rest(retention);
	return 0;
}

static int work(struct retention *retention)
{
	switch (retention->phase) {
	case RESTING:
		return begin(retention);
	case REMOVING:
		return remove_some(retention);
	case PRUNING:
		return prune_some(retention);
	case VACUUMING:
		return vacuum_some(retention);
	}
	return 0;
}

static int on_step(sd_event_source *source, uint64_t usec, void *data)
{
	struct retention *retention = data;
	int error = work(retention);

	(void)source;
	(void)usec;
	if (error)
		give_up(retention, error);
	else if (retention->phase != RESTING)
		step_later(retention, retention->timing.pause_ms);
	return 0;
}

static int on_due(sd_event_source *source, uint64_t usec, void *data)
{
	struct retention *retention = data;

	(void)source;
	(void)usec;
	if (retention->phase == RESTING)
		step_later(retention, 0);
	return 0;
}

/* So many came since the last pass that another one may find something. */
static bool is_over(const struct retention *retention)
{
	int64_t most = retention->config->keep_messages;
	int64_t added = store_retention_added(retention->store) - retention->added;
	int64_t lines = store_audit_added(retention->store) - retention->lines;

	if (lines > AUDIT_KEEP / SLACK_DIVISOR)
		return true;
	return most && retention->count >= 0 && added > most / SLACK_DIVISOR &&
	       retention->count + added > most;
}

/* Whatever wakes the loop; nothing does for this alone. */
static int on_look(sd_event_source *source, void *data)
{
	struct retention *retention = data;

	(void)source;
	watch_clock(retention);
	if (retention->phase != RESTING || !is_over(retention))
		return 0;
	retention->count = -1; /* the pass will tell */
	step_later(retention, retention->timing.pause_ms);
	return 0;
}

static int add_sources(struct retention *retention, sd_event *loop)
{
	int error = sd_event_add_time_relative(loop, &retention->step, CLOCK_MONOTONIC,
					       usual_timing.start_ms * USEC_PER_MS,
					       STEP_ACCURACY_USEC, on_step, retention);

	if (error >= 0)
		error = sd_event_add_time_relative(loop, &retention->due, CLOCK_BOOTTIME,
						   0, DUE_ACCURACY_USEC, on_due,
						   retention);
	if (error >= 0)
		error = sd_event_source_set_enabled(retention->due, SD_EVENT_OFF);
	if (error >= 0)
		error = before_sleep_add(loop, &retention->look, on_look, retention);
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
	retention->timing = usual_timing;
	retention->count = -1;
	retention->epoch_ms = clock_wall_ms() - clock_boot_ms();
	error = add_sources(retention, loop);
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
	if (retention->phase == RESTING)
		step_later(retention, retention->timing.pause_ms);
	else
		retention->again = true;
}

void retention_set_timing(struct retention *retention,
			  const struct retention_timing *timing)
{
	retention->timing = *timing;
	step_later(retention, timing->start_ms);
}

bool retention_is_at_work(const struct retention *retention)
{
	return retention->phase != RESTING;
}
