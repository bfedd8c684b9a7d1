/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scan: a search through the stored messages, however many there are, that does not block the
 * loop.
 *
 * scan_start() visits the first SCAN_ROWS messages, which is enough for most searches. The
 * rest follows from the loop, one millisecond at a time, with all scans taking turns: however
 * many are under way, other events wait for one such turn only (tests/unit/test_scan.c).
 *
 * A scan in ascending order visits messages that arrive meanwhile, one in descending order
 * does not. Messages that are deleted meanwhile may be visited or not.
 */
#pragma once

#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "store/store.h"

enum { SCAN_ROWS = 256 };

/* outcome of scan_start() */
enum { SCAN_E_CONTINUES = 1 };

struct scans; /* all scans under way */

struct scan {
	struct store_listing_query look;
	void (*done)(void *data, int error); /* look.data; 0 or -errno */
	/* private */
	struct scans *scans; /* NULL if not under way */
	TAILQ_ENTRY(scan) link;
};

int scans_new(sd_event *loop, struct store *store, struct scans **scans_out);
void scans_free(struct scans *scans); /* NULL is fine; no scan may be under way */

/*
 * All members but look.filter, look.visit, look.data and done are zero. Returns 0 or -errno if it
 * has ended, and done is not called. After SCAN_E_CONTINUES done is called once, later; `scan` must
 * stay in place until then, or until scan_stop().
 */
int scan_start(struct scans *scans, struct scan *scan);
void scan_stop(struct scan *scan); /* fine if it is not under way */
