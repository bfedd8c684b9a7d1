/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scan: a look at the stored messages, however many there are, that holds nobody up.
 *
 * The first SCAN_ROWS are looked at where the scan is started: most need no more. The rest
 * follows from the loop, for a millisecond at a time, and one scan after the other: however
 * many are under way, whatever else comes in waits for one such turn
 * (tests/unit/test_scan.c).
 *
 * Messages that come in meanwhile are seen by a scan that goes up, and not by one that goes
 * down; those that are deleted meanwhile are seen or not.
 */
#ifndef SMS_SCAN_H
#define SMS_SCAN_H

#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "store/store.h"

enum { SCAN_ROWS = 256 };

/* outcome of scan_start() */
enum { SCAN_E_GOES_ON = 1 };

struct scans; /* all that are under way */

struct scan {
	struct store_listing_query look;
	void (*done)(void *data, int error); /* look.data; 0 or -errno */
	/* private */
	struct scans *scans; /* NULL: not under way */
	TAILQ_ENTRY(scan) link;
};

int scans_new(sd_event *loop, struct store *store, struct scans **scans_out);
void scans_free(struct scans *scans); /* NULL is fine; asserts that none is under way */

/*
 * The scan is zeroed but for look.filter, look.visit, look.data and done. 0 or -errno: it
 * has ended, and done is not called. SCAN_E_GOES_ON: done will be, once, and `scan` stays
 * where it is until then, or scan_stop().
 */
int scan_start(struct scans *scans, struct scan *scan);
void scan_stop(struct scan *scan); /* fine when it is not under way */

#endif
