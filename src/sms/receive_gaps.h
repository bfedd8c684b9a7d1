/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receive gaps: the times in which the gateway could not receive.
 *
 * gateway_down   from the last time that is on disk as "received until", to the start of the
 *                gateway, or to oFono's first answer if that comes soon after. A clean stop
 *                writes that time. After a crash it is the time of the last write, which may
 *                be hours old on a quiet phone: the gap is too long, never too short. Writing
 *                it every minute would wake the phone for nothing.
 * ofono_down     while oFono or the bus is away.
 * suspended      the boot clock has run ahead of the monotonic clock. This is found at the
 *                next event of the loop. The suspend was somewhere between the event before
 *                and this one, so the gap is as long as it can have been.
 *
 * A phone may get the time long after its start. Gaps that were recorded with an unset clock
 * are corrected when it is set. When a set clock is set again, a gap that is still open
 * becomes too long rather than too short.
 *
 * Private to src/sms/inbox.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "store/store.h"

enum {
	RECEIVE_GAPS_UNSAVED_MAX = 16,	       /* gaps that the disk has not taken yet */
	RECEIVE_GAPS_SUSPEND_MS = 10 * 1000,   /* a shorter suspend is not recorded */
	RECEIVE_GAPS_SAVE_RETRY_MS = 5 * 1000, /* before the disk is tried again */
};

/* Times are by the wall clock unless their name has "boot". */
struct receive_gaps {
	struct store *store;
	int64_t down_from_ms; /* oFono has not answered since then; 0 if it does */
	bool ran_before;     /* no answer since the start, which was not the first ever */
	bool down_is_gap;    /* it has been away for longer than a start takes */
	bool down_is_stored; /* the row of that gap exists */
	/* an open row is to be closed at this time; 0 if there is none */
	int64_t up_from_ms;
	int64_t start_ms;
	/* received until then, before the start; 0 if the clock is set */
	int64_t last_run_ms;
	int64_t epoch_ms;	 /* see clock_epoch_ms() */
	int64_t boot_checked_ms; /* the last event of the loop */
	int64_t boot_saved_ms;	 /* the disk was last tried */
	int64_t asleep_ms;	 /* boot clock minus monotonic clock */
	int64_t closed_ms;	 /* length of all closed gaps */
	struct gap unsaved[RECEIVE_GAPS_UNSAVED_MAX];
	unsigned unsaved_count;
	sd_event_source *grace;
	sd_event_source *check;
};

/* Begins with oFono away. Returns 0 or -errno. */
int receive_gaps_init(struct receive_gaps *gaps, sd_event *loop, struct store *store,
		      uint64_t grace_ms);
void receive_gaps_deinit(struct receive_gaps *gaps); /* writes "received until" */

/* How long oFono may take to answer at the start before that is a gap. */
void receive_gaps_set_grace(struct receive_gaps *gaps, uint64_t grace_ms);

void receive_gaps_set_ofono(struct receive_gaps *gaps, bool available);
/* Returns the total length of the gap before the start, all gaps since, and an open one. */
int64_t receive_gaps_total_ms(const struct receive_gaps *gaps);
/* Tries again to write gaps that the disk refused. */
void receive_gaps_save(struct receive_gaps *gaps);
