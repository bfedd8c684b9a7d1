/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/status_report.h"

#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "store/store.h"

enum { QUIET_USEC = 150 * 1000 };

void status_report_send(struct status_report *report)
{
	const struct services *services = report->services;
	const char *notice = store_rescue_notice(services->store);
	const struct sim *sim;
	char line[sizeof(report->line)];
	unsigned ready = 0;

	TAILQ_FOREACH (sim, sims_list(services->sims), link)
		ready += sim->state == SIM_READY;
	snprintf(line, sizeof(line), "%s; %u of %u SIMs can send%s%s",
		 ofono_condition(services->ofono), ready, sims_count(services->sims),
		 notice ? "; " : "", notice ? notice : "");
	if (strcmp(line, report->line) == 0)
		return;
	strcpy(report->line, line);
	sd_notifyf(0, "STATUS=%s", line);
}

static int status_report_on_quiet(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	status_report_send(data);
	return 0;
}

/* Before the first report there is nothing to update. */
static void status_report_send_later(struct status_report *report)
{
	if (!*report->line)
		return;
	sd_event_source_set_time_relative(report->timer, QUIET_USEC);
	sd_event_source_set_enabled(report->timer, SD_EVENT_ONESHOT);
}

static void status_report_on_sims(void *data, const void *event)
{
	(void)event;
	status_report_send_later(data);
}

static void status_report_on_ofono(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	if (event->type == OFONO_CONDITION)
		status_report_send_later(data);
}

int status_report_init(struct status_report *report, const struct services *services)
{
	int error = sd_event_add_time_relative(services->loop, &report->timer,
					       CLOCK_MONOTONIC, 0, 0,
					       status_report_on_quiet, report);

	if (error < 0)
		return error;
	sd_event_source_set_enabled(report->timer, SD_EVENT_OFF);
	report->services = services;
	observer_add(sims_observers(services->sims), &report->sims_observer,
		     status_report_on_sims, report);
	observer_add(ofono_observers(services->ofono), &report->ofono_observer,
		     status_report_on_ofono, report);
	return 0;
}

void status_report_deinit(struct status_report *report)
{
	observer_remove(&report->sims_observer);
	observer_remove(&report->ofono_observer);
	report->timer = sd_event_source_disable_unref(report->timer);
}
