/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hearing: since when the gateway hears oFono, and the gaps in which it could not.
 *
 * gateway_down   from the last time that is on disk as heard, until the start, or until
 *                oFono answers soon after that. A clean stop writes the time; after a
 *                crash it is that of the last write, which in a quiet time may be hours
 *                before the crash: the gap is too long, never too short. A write every
 *                minute would wake a phone up for nothing.
 * ofono_down     from oFono's leaving (or the bus's) until it answers again.
 * suspended      the clock of the boot ran ahead of the monotonic one. It is noticed at the
 *                next event that the loop handles, and lies somewhere between the event
 *                before and that one: the gap is as long as it may have been.
 *
 * A phone may learn the time long after its start. Gaps noted by a clock that was not set
 * are put right when it is; when a set clock is set again, a gap that goes on rather
 * becomes too long than too short.
 *
 * Private to src/sms/inbox.c.
 */
#ifndef SMS_HEARING_H
#define SMS_HEARING_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "store/store.h"

enum { HEARING_GAPS_MAX = 16 }; /* that the disk did not take yet */

/* A shorter suspend is not worth a gap. */
enum { HEARING_ASLEEP_MS = 10 * 1000 };

/* A clock that is put right by less is only kept right. */
enum { HEARING_CLOCK_SET_MS = 5 * 1000 };

/* At least, before the disk is asked again. */
enum { HEARING_RETRY_MS = 5 * 1000 };

struct hearing {
	struct store *store;
	int64_t down_from_ms; /* oFono does not answer since then; 0: it does */
	bool ran_before;      /* ... since the start, which was not the very first */
	bool down_is_gap;     /* ... longer than a start takes */
	bool down_is_stored;  /* ... its row is there */
	int64_t up_from_ms;   /* the row is to be ended then; 0: it is */
	int64_t tried_ms;     /* clock_boot_ms() when the disk was last asked again */
	int64_t start_ms;     /* by the present clock */
	int64_t heard_ms;     /* before the start; until the clock is set, else 0 */
	int64_t epoch_ms;     /* of clock_boot_ms() by the wall clock */
	int64_t looked_ms;    /* clock_boot_ms() of the last event */
	int64_t asleep_ms;    /* what it was ahead of clock_monotonic_ms() */
	int64_t deaf_ms;      /* all gaps that are over */
	struct gap gaps[HEARING_GAPS_MAX];
	unsigned gap_count;
	sd_event_source *grace;
	sd_event_source *look;
};

/* oFono does not answer yet. 0 or -errno. */
int hearing_init(struct hearing *hearing, sd_event *loop, struct store *store,
		 uint64_t grace_ms);
void hearing_deinit(struct hearing *hearing); /* notes the end of hearing */

/* So long oFono may take to answer at the start before that is a gap. */
void hearing_set_grace(struct hearing *hearing, uint64_t grace_ms);

void hearing_ofono(struct hearing *hearing, bool available);
/* Of all gaps since the start, those before it and one that goes on with them. */
int64_t hearing_deaf_ms(const struct hearing *hearing);
/* The disk takes writes again, maybe. */
void hearing_save(struct hearing *hearing);

#endif
