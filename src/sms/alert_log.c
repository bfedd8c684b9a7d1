/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/alert_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

enum { LOOKED_AT = 16 }; /* of the last ones, for a repeat */

struct alert_log {
	struct store *store;
	struct sims *sims;
	struct observers observers;
	struct observer ofono_observer;
};

struct comparing {
	const struct event *fresh;
	bool is_repeat;
};

static void compare(void *data, const struct event *event)
{
	struct comparing *comparing = data;
	const struct event *fresh = comparing->fresh;

	if (event->at_ms > fresh->at_ms - ALERT_REPEAT_MS &&
	    event->at_ms <= fresh->at_ms && event->topic == fresh->topic &&
	    event->state == fresh->state && strcmp(event->number, fresh->number) == 0 &&
	    strcmp(event->text, fresh->text) == 0)
		comparing->is_repeat = true;
}

/* What cannot be looked up is new. */
static bool is_repeat(struct alert_log *log, const struct event *fresh)
{
	struct comparing comparing = { .fresh = fresh };
	const struct store_event_query look = {
		.kind = EVENT_ALERT,
		.state = -1,
		.limit = LOOKED_AT,
		.visit = compare,
		.data = &comparing,
	};

	return store_event_list(log->store, &look) == 0 && comparing.is_repeat;
}

static void on_broadcast(struct alert_log *log, const struct ofono_event *event)
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

	if (is_repeat(log, &row))
		return;
	error = store_event_add(log->store, &row, &id);
	if (error) {
		log_error("alerts: the disk does not take one: %s",
			  error < 0 ? strerror(-error) : "it is full");
		return;
	}
	log_info("alerts: alert %lld", (long long)id);
	observers_notify(&log->observers, &id);
}

static void on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	if (event->type == BROADCAST_RECEIVED)
		on_broadcast(data, event);
}

int alert_log_new(struct store *store, struct sims *sims, struct ofono *ofono,
		  struct alert_log **log_out)
{
	struct alert_log *log = calloc(1, sizeof(*log));

	if (!log)
		return -ENOMEM;
	log->store = store;
	log->sims = sims;
	observers_init(&log->observers);
	observer_add(ofono_observers(ofono), &log->ofono_observer, on_ofono_event, log);
	*log_out = log;
	return 0;
}

void alert_log_free(struct alert_log *log)
{
	if (!log)
		return;
	observer_remove(&log->ofono_observer);
	observers_deinit(&log->observers);
	free(log);
}

struct observers *alert_log_observers(struct alert_log *log)
{
	return &log->observers;
}
