/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Status report: one line of status for the service manager (STATUS=), kept up to date.
 *
 * A burst of events makes one report: it is sent a moment after the last of them, and only if
 * the line differs.
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
	char line[768]; /* as sent last */
};

/* `services` are complete, and outlive it. 0 or -errno. */
int status_report_init(struct status_report *report, const struct services *services);
/* Sends the line now. Nothing is sent before the first call. */
void status_report_send(struct status_report *report);
void status_report_deinit(struct status_report *report); /* fine without init */

#endif
