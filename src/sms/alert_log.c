/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/alert_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

enum { COMPARED = 16 }; /* the last alerts, which may be the same */

struct alert_log {
	struct store *store;
	struct sims *sims;
	struct observer ofono_observer;
};

struct alert_log_comparison {
	const struct event *fresh;
	bool is_repeat;
};

static void alert_log_compare(void *data, const struct event *event)
{
	struct alert_log_comparison *comparison = data;
	const struct event *fresh = comparison->fresh;

	if (event->at_ms > fresh->at_ms - ALERT_REPEAT_MS &&
	    event->at_ms <= fresh->at_ms && event->topic == fresh->topic &&
	    event->state == fresh->state && strcmp(event->number, fresh->number) == 0 &&
	    strcmp(event->text, fresh->text) == 0)
		comparison->is_repeat = true;
}

/* If the store cannot be read, the alert counts as new. */
static bool alert_log_is_repeat(struct alert_log *log, const struct event *fresh)
{
	struct alert_log_comparison comparison = { .fresh = fresh };
	const struct store_event_query look = {
		.kind = EVENT_ALERT,
		.state = -1,
		.limit = COMPARED,
		.visit = alert_log_compare,
		.data = &comparison,
	};

	return store_event_list(log->store, &look) == 0 && comparison.is_repeat;
}

static void alert_log_on_broadcast(struct alert_log *log, const struct ofono_event *event)
{
	const struct event row = {
		.kind = EVENT_ALERT,
		.sim_id = sims_identify(log->sims, &event->modem->sim),
		.at_ms = clock_wall_ms(),
		.number = event->emergency ? event->emergency : "",
		.text = event->text,
		.state = event->emergency != NULL,
		.topic = event->topic,
	};
	int64_t id;
	int error;

	if (alert_log_is_repeat(log, &row))
		return;
	error = store_event_add(log->store, &row, &id);
	if (error) {
		log_error("alerts: an alert could not be stored: %s",
			  error < 0 ? strerror(-error) : "the disk is full");
		return;
	}
	log_info("alerts: alert %lld", (long long)id);
}

static void alert_log_on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	if (event->type == BROADCAST_RECEIVED)
		alert_log_on_broadcast(data, event);
}

int alert_log_new(struct store *store, struct sims *sims, struct ofono *ofono,
		  struct alert_log **log_out)
{
	struct alert_log *log = calloc(1, sizeof(*log));

	if (!log)
		return -ENOMEM;
	log->store = store;
	log->sims = sims;
	observer_add(ofono_observers(ofono), &log->ofono_observer,
		     alert_log_on_ofono_event, log);
	*log_out = log;
	return 0;
}

void alert_log_free(struct alert_log *log)
{
	if (!log)
		return;
	observer_remove(&log->ofono_observer);
	free(log);
}
