/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/scan.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"

enum {
	TURN_MS = 1,
	ACCURACY_USEC = 1,
};

struct scans {
	struct store *store;
	TAILQ_HEAD(scan_list, scan) under_way; /* the first one continues next */
	sd_event_source *turn;		       /* enabled while a scan is under way */
};

/* Sets a timer that is due at once, for the reason in doc/libraries.md, sd-event 1. */
static void scan_request_turn(struct scans *scans)
{
	int error = sd_event_source_set_time(scans->turn, 0);

	if (error >= 0)
		error = sd_event_source_set_enabled(scans->turn, SD_EVENT_ONESHOT);
	if (error < 0)
		log_error("scan: cannot continue: error %d", -error);
}

/* At least one step, and more until TURN_MS are over. */
static int scan_continue(struct scan *scan)
{
	int64_t end_ms = clock_monotonic_ms() + TURN_MS;
	int error;

	do
		error = store_listing_messages(scan->scans->store, &scan->look,
					       SCAN_ROWS);
	while (error == STORE_E_MORE && clock_monotonic_ms() < end_ms);
	return error;
}

static int scan_on_turn(sd_event_source *source, uint64_t usec, void *data)
{
	struct scans *scans = data;
	struct scan *scan = TAILQ_FIRST(&scans->under_way);
	int error = scan_continue(scan);

	if (error == STORE_E_MORE) {
		TAILQ_REMOVE(&scans->under_way, scan, link);
		TAILQ_INSERT_TAIL(&scans->under_way, scan, link);
		scan_request_turn(scans);
		return 0;
	}
	scan_stop(scan);
	if (!TAILQ_EMPTY(&scans->under_way))
		scan_request_turn(scans);
	scan->done(scan->look.data, error);
	return 0;
}

int scans_new(sd_event *loop, struct store *store, struct scans **scans_out)
{
	struct scans *scans = calloc(1, sizeof(*scans));
	int error;

	if (!scans)
		return -ENOMEM;
	scans->store = store;
	TAILQ_INIT(&scans->under_way);
	error = sd_event_add_time(loop, &scans->turn, CLOCK_MONOTONIC, UINT64_MAX,
				  ACCURACY_USEC, scan_on_turn, scans);
	if (error >= 0)
		error = sd_event_source_set_enabled(scans->turn, SD_EVENT_OFF);
	if (error < 0) {
		scans_free(scans);
		return error;
	}
	*scans_out = scans;
	return 0;
}

void scans_free(struct scans *scans)
{
	if (!scans)
		return;
	assert(TAILQ_EMPTY(&scans->under_way));
	sd_event_source_disable_unref(scans->turn);
	free(scans);
}

int scan_start(struct scans *scans, struct scan *scan)
{
	int error = store_listing_messages(scans->store, &scan->look, SCAN_ROWS);

	if (error != STORE_E_MORE)
		return error;
	scan->scans = scans;
	TAILQ_INSERT_TAIL(&scans->under_way, scan, link);
	scan_request_turn(scans);
	return SCAN_E_CONTINUES;
}

void scan_stop(struct scan *scan)
{
	if (!scan->scans)
		return;
	TAILQ_REMOVE(&scan->scans->under_way, scan, link);
	if (TAILQ_EMPTY(&scan->scans->under_way))
		sd_event_source_set_enabled(scan->scans->turn, SD_EVENT_OFF);
	scan->scans = NULL;
}
