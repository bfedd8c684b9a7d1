/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A gap that oFono causes is written when it begins, as an open row, and closed when oFono
 * answers. If the disk refuses the open row, the whole gap is written when it is over. Other
 * gaps are known only when they are over. Gaps that the disk refuses are kept in memory, in
 * order, and tried again while the loop turns anyway.
 */
#include "sms/receive_gaps.h"

#include <string.h>

#include "base/event_loop.h"
#include "base/clock.h"
#include "base/log.h"

#define GATEWAY_DOWN "gateway_down"
#define OFONO_DOWN   "ofono_down"
#define SUSPENDED    "suspended"

enum { ACCURACY_USEC = 100 * 1000 };

/* ---- writing gaps -------------------------------------------------------------------- */

/* An open row must be closed before another one is opened. */
static bool receive_gaps_close_row(struct receive_gaps *gaps)
{
	if (gaps->up_from_ms &&
	    store_receive_gaps_end(gaps->store, OFONO_DOWN, gaps->up_from_ms))
		return false;
	gaps->up_from_ms = 0;
	return true;
}

void receive_gaps_save(struct receive_gaps *gaps)
{
	if (!receive_gaps_close_row(gaps))
		return;
	while (gaps->unsaved_count &&
	       !store_receive_gaps_add(gaps->store, &gaps->unsaved[0])) {
		gaps->unsaved_count--;
		memmove(&gaps->unsaved[0], &gaps->unsaved[1],
			gaps->unsaved_count * sizeof(gaps->unsaved[0]));
	}
}

/* Records a gap that is over. */
static void receive_gaps_add(struct receive_gaps *gaps, int64_t from_ms, int64_t until_ms,
			     const char *reason)
{
	struct gap gap = { from_ms, until_ms > from_ms ? until_ms : from_ms, reason };

	gaps->closed_ms += gap.until_ms - gap.from_ms;
	log_info("inbox: could not receive for %lld s (%s)",
		 (long long)((gap.until_ms - gap.from_ms) / 1000), reason);
	if (gaps->unsaved_count == RECEIVE_GAPS_UNSAVED_MAX) {
		log_error("inbox: the disk refuses this offline gap; it will be missing");
		return;
	}
	gaps->unsaved[gaps->unsaved_count++] = gap;
	receive_gaps_save(gaps);
}

static void receive_gaps_open(struct receive_gaps *gaps)
{
	struct gap gap = { gaps->down_from_ms, 0, OFONO_DOWN };

	gaps->down_is_gap = true;
	gaps->down_is_stored = receive_gaps_close_row(gaps) &&
			       !store_receive_gaps_add(gaps->store, &gap);
}

/* With an unset clock the time would mean 1970, and the next gap would begin there. */
static void receive_gaps_write_received_until(struct receive_gaps *gaps, int64_t now_ms)
{
	if (now_ms >= CLOCK_SANE_MS && store_receive_gaps_set_alive(gaps->store, now_ms))
		log_error(
			"inbox: the time until which messages were received could not be stored");
}

/* ---- oFono --------------------------------------------------------------------------- */

static void receive_gaps_on_ofono_up(struct receive_gaps *gaps)
{
	int64_t from_ms = gaps->down_from_ms, now_ms = clock_wall_ms();

	sd_event_source_set_enabled(gaps->grace, SD_EVENT_OFF);
	gaps->down_from_ms = 0;
	if (!gaps->up_from_ms) /* a crash may also have left an open row */
		gaps->up_from_ms = now_ms;
	if (gaps->down_is_gap && !gaps->down_is_stored) {
		receive_gaps_add(gaps, from_ms, now_ms, OFONO_DOWN);
	} else if (!gaps->down_is_gap && gaps->ran_before) {
		/* continues the gap before the start */
		receive_gaps_add(gaps, from_ms, now_ms, GATEWAY_DOWN);
	} else {
		if (gaps->down_is_gap && now_ms > from_ms)
			gaps->closed_ms += now_ms - from_ms;
		receive_gaps_save(gaps);
	}
	gaps->down_is_gap = gaps->down_is_stored = gaps->ran_before = false;
}

static int receive_gaps_on_grace_over(sd_event_source *source, uint64_t usec, void *data)
{
	receive_gaps_open(data);
	return 0;
}

/* ---- clocks -------------------------------------------------------------------------- */

/* Corrects gaps that were recorded since the start with an unset clock. */
static void receive_gaps_shift(struct receive_gaps *gaps, int64_t later_ms)
{
	for (unsigned i = 0; i < gaps->unsaved_count; i++) {
		gaps->unsaved[i].from_ms += later_ms;
		gaps->unsaved[i].until_ms += later_ms;
	}
	if (store_receive_gaps_shift(gaps->store, gaps->start_ms, CLOCK_SANE_MS,
				     later_ms))
		log_error("inbox: the times of offline gaps could not be corrected");
}

static void receive_gaps_follow_clock(struct receive_gaps *gaps, int64_t now_ms,
				      int64_t later_ms)
{
	bool was_set = now_ms - later_ms >= CLOCK_SANE_MS;

	if (!was_set)
		receive_gaps_shift(gaps, later_ms);
	else if (gaps->down_is_stored && later_ms < 0) /* else it would end too early */
		store_receive_gaps_shift(gaps->store, gaps->down_from_ms,
					 gaps->down_from_ms + 1, later_ms);
	if (gaps->down_from_ms)
		gaps->down_from_ms += later_ms;
	if (gaps->up_from_ms)
		gaps->up_from_ms += later_ms;
	gaps->start_ms += later_ms;
	if (was_set || now_ms < CLOCK_SANE_MS)
		return;
	/* With the unset clock the gap before the start seemed to end before it began. */
	if (gaps->last_run_ms)
		receive_gaps_add(gaps, gaps->last_run_ms, gaps->start_ms, GATEWAY_DOWN);
	gaps->last_run_ms = 0;
	receive_gaps_write_received_until(gaps, now_ms);
}

static void receive_gaps_check_wall_clock(struct receive_gaps *gaps)
{
	int64_t later_ms = clock_set_by_ms(gaps->epoch_ms);

	if (!later_ms)
		return;
	gaps->epoch_ms += later_ms;
	receive_gaps_follow_clock(gaps, clock_wall_ms(), later_ms);
}

/* The difference of boot clock and monotonic clock grows only during suspend. */
static void receive_gaps_check_suspend(struct receive_gaps *gaps)
{
	int64_t boot_ms = clock_boot_ms(), now_ms = clock_wall_ms();
	int64_t asleep_ms = boot_ms - clock_monotonic_ms();

	if (asleep_ms - gaps->asleep_ms >= RECEIVE_GAPS_SUSPEND_MS)
		receive_gaps_add(gaps, now_ms - (boot_ms - gaps->boot_checked_ms), now_ms,
				 SUSPENDED);
	gaps->asleep_ms = asleep_ms;
	gaps->boot_checked_ms = boot_ms;
}

/* Called whenever something else has woken the loop; nothing wakes it for this. */
static int receive_gaps_on_check(sd_event_source *source, void *data)
{
	struct receive_gaps *gaps = data;

	receive_gaps_check_wall_clock(gaps);
	receive_gaps_check_suspend(gaps);
	if (!gaps->unsaved_count && !gaps->up_from_ms)
		return 0;
	if (gaps->boot_checked_ms - gaps->boot_saved_ms < RECEIVE_GAPS_SAVE_RETRY_MS)
		return 0;
	gaps->boot_saved_ms = gaps->boot_checked_ms;
	receive_gaps_save(gaps);
	return 0;
}

/* ---- interface ----------------------------------------------------------------------- */

int64_t receive_gaps_total_ms(const struct receive_gaps *gaps)
{
	int64_t now_ms = clock_wall_ms();

	if (!gaps->down_is_gap || now_ms < gaps->down_from_ms)
		return gaps->closed_ms;
	return gaps->closed_ms + now_ms - gaps->down_from_ms;
}

void receive_gaps_set_ofono(struct receive_gaps *gaps, bool available)
{
	receive_gaps_check_wall_clock(gaps);
	if (available) {
		receive_gaps_on_ofono_up(gaps);
		return;
	}
	gaps->down_from_ms = clock_wall_ms();
	receive_gaps_open(gaps);
}

void receive_gaps_set_grace(struct receive_gaps *gaps, uint64_t grace_ms)
{
	sd_event_source_set_time_relative(gaps->grace, grace_ms * 1000);
}

static void receive_gaps_start(struct receive_gaps *gaps)
{
	int64_t now_ms = clock_wall_ms(), last_run_ms = 0;

	gaps->start_ms = gaps->down_from_ms = now_ms;
	gaps->boot_checked_ms = clock_boot_ms();
	gaps->epoch_ms = clock_epoch_ms();
	gaps->asleep_ms = gaps->boot_checked_ms - clock_monotonic_ms();
	if (store_receive_gaps_get_alive(gaps->store, &last_run_ms))
		log_error("inbox: the store could not read when the gateway last ran");
	gaps->ran_before = last_run_ms;
	if (last_run_ms)
		receive_gaps_add(gaps, last_run_ms, now_ms, GATEWAY_DOWN);
	if (now_ms < CLOCK_SANE_MS)
		gaps->last_run_ms = last_run_ms;
	receive_gaps_write_received_until(gaps, now_ms);
}

int receive_gaps_init(struct receive_gaps *gaps, sd_event *loop, struct store *store,
		      uint64_t grace_ms)
{
	int error;

	memset(gaps, 0, sizeof(*gaps));
	gaps->store = store;
	error = sd_event_add_time_relative(loop, &gaps->grace, CLOCK_MONOTONIC,
					   grace_ms * 1000, ACCURACY_USEC,
					   receive_gaps_on_grace_over, gaps);
	if (error >= 0)
		error = event_loop_add_before_sleep(loop, &gaps->check,
						    receive_gaps_on_check, gaps);
	if (error < 0) {
		sd_event_source_disable_unref(gaps->grace);
		return error;
	}
	receive_gaps_start(gaps);
	return 0;
}

void receive_gaps_deinit(struct receive_gaps *gaps)
{
	sd_event_source_disable_unref(gaps->check);
	sd_event_source_disable_unref(gaps->grace);
	receive_gaps_save(gaps);
	receive_gaps_write_received_until(gaps, clock_wall_ms());
}
