/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Status report: one line for the service manager (STATUS=), kept true.
 *
 * Bursts of events are one report: it goes out a moment after the last of them, and only
 * when the line differs.
 */
#ifndef GATEWAY_STATUS_REPORT_H
#define GATEWAY_STATUS_REPORT_H

#include <systemd/sd-event.h>

#include "base/observer.h"
#include "tools/services.h"

struct status_report {
	const struct services *services;
	struct observer sims_observer;
	struct observer ofono_observer;
	sd_event_source *timer;
	char line[768]; /* as last told */
};

/* `services` are complete, and outlive it. 0 or -errno. */
int status_report_init(struct status_report *report, const struct services *services);
/* Tells it now; until then it is not told at all. */
void status_report_tell(struct status_report *report);
void status_report_deinit(struct status_report *report); /* fine when never begun */

#endif
