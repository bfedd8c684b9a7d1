/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   ringing -> answered          (active, held)
 *           -> rejected          (hung up at this end)
 *           -> missed            (removed otherwise)
 *           -> unknown           (the modem, oFono or the gateway went before)
 *
 * Calls that go on are followed by their path; what was placed here is not
 * (phone/dialler.h).
 */
#include "phone/call_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

enum { FOLLOWED_MAX = 32, PATH_BYTES = 160 };

struct followed {
	int64_t id; /* 0: nothing here */
	const struct modem *modem;
	char path[PATH_BYTES];
	enum call_state state;
};

struct call_log {
	struct store *store;
	struct sims *sims;
	struct observers observers;
	struct observer ofono_observer;
	struct followed followed[FOLLOWED_MAX];
};

static bool is_stored(int error)
{
	if (error)
		log_error("calls: the disk does not take one: %s",
			  error < 0 ? strerror(-error) : "it is full");
	return !error;
}

static void tell(struct call_log *log, int64_t id)
{
	observers_notify(&log->observers, &id);
}

/* `path` NULL: a place that is free. */
static struct followed *find(struct call_log *log, const char *path)
{
	for (size_t i = 0; i < FOLLOWED_MAX; i++) {
		struct followed *followed = &log->followed[i];

		if (path ? followed->id && strcmp(followed->path, path) == 0
			 : !followed->id)
			return followed;
	}
	return NULL;
}

static void set_state(struct call_log *log, struct followed *followed,
		      enum call_state state)
{
	if (followed->state != CALL_RINGING || state == CALL_RINGING)
		return;
	followed->state = state;
	log_info("calls: call %lld: %s", (long long)followed->id,
		 store_event_call_state_name(state));
	if (is_stored(store_event_set_state(log->store, followed->id, state)))
		tell(log, followed->id);
}

static void follow(struct call_log *log, const struct ofono_event *event, int64_t id)
{
	struct followed *followed = find(log, NULL);

	if (!followed || strlen(event->call) >= PATH_BYTES) {
		is_stored(store_event_set_state(log->store, id, CALL_UNKNOWN));
		return;
	}
	*followed = (struct followed){
		.id = id,
		.modem = event->modem,
		.state = CALL_RINGING,
	};
	strcpy(followed->path, event->call);
}

/* oFono says "withheld" where there is no number, or nothing. */
static const char *number_of(const struct ofono_event *event)
{
	if (!event->sender || strcmp(event->sender, "withheld") == 0)
		return "";
	return event->sender;
}

static void on_added(struct call_log *log, const struct ofono_event *event)
{
	const struct event row = {
		.kind = EVENT_CALL,
		.sim_id = sims_identify(log->sims, &event->modem->sim),
		.at_ms = clock_wall_ms(),
		.number = number_of(event),
		.text = "",
		.state = CALL_RINGING,
		.topic = -1,
	};
	int64_t id;

	if (modem_is_foreign(event->modem) || find(log, event->call) ||
	    (strcmp(event->call_state, "incoming") != 0 &&
	     strcmp(event->call_state, "waiting") != 0))
		return;
	if (!is_stored(store_event_add(log->store, &row, &id)))
		return;
	log_info("calls: call %lld from %s", (long long)id, log_number(row.number));
	follow(log, event, id);
	tell(log, id);
}

static void on_changed(struct call_log *log, const struct ofono_event *event)
{
	struct followed *followed = find(log, event->call);

	if (!followed)
		return;
	if (event->sender) {
		if (is_stored(store_event_set_number(log->store, followed->id,
						     number_of(event))))
			tell(log, followed->id);
	} else if (strcmp(event->call_state, CALL_ENDED_HERE) == 0) {
		set_state(log, followed, CALL_REJECTED);
	} else if (strcmp(event->call_state, "active") == 0 ||
		   strcmp(event->call_state, "held") == 0) {
		set_state(log, followed, CALL_ANSWERED);
	}
}

static void on_removed(struct call_log *log, const struct ofono_event *event)
{
	struct followed *followed = find(log, event->call);

	if (!followed)
		return;
	set_state(log, followed, CALL_MISSED);
	followed->id = 0;
}

/* Their modem can tell no more; NULL: none can. */
static void lose(struct call_log *log, const struct modem *modem)
{
	for (size_t i = 0; i < FOLLOWED_MAX; i++) {
		struct followed *followed = &log->followed[i];

		if (!followed->id || (modem && followed->modem != modem))
			continue;
		set_state(log, followed, CALL_UNKNOWN);
		followed->id = 0;
	}
}

static void on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct call_log *log = data;

	switch (event->type) {
	case CALL_ADDED:
		on_added(log, event);
		break;
	case CALL_CHANGED:
		on_changed(log, event);
		break;
	case CALL_REMOVED:
		on_removed(log, event);
		break;
	case MODEM_CHANGED:
		if (!(event->modem->interfaces & MODEM_VOICE_CALL_MANAGER))
			lose(log, event->modem);
		break;
	case MODEM_REMOVED:
	case OFONO_UNAVAILABLE:
		lose(log, event->modem);
		break;
	default:
		break;
	}
}

int call_log_new(struct store *store, struct sims *sims, struct ofono *ofono,
		 struct call_log **log_out)
{
	struct call_log *log = calloc(1, sizeof(*log));

	if (!log)
		return -ENOMEM;
	log->store = store;
	log->sims = sims;
	is_stored(store_event_settle(store));
	observers_init(&log->observers);
	observer_add(ofono_observers(ofono), &log->ofono_observer, on_ofono_event, log);
	*log_out = log;
	return 0;
}

void call_log_free(struct call_log *log)
{
	if (!log)
		return;
	observer_remove(&log->ofono_observer);
	observers_deinit(&log->observers);
	free(log);
}

struct observers *call_log_observers(struct call_log *log)
{
	return &log->observers;
}
