/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   ringing -> answered          (active, held)
 *           -> rejected          (hung up at this phone)
 *           -> missed            (removed without either)
 *           -> unknown           (the modem, oFono or the gateway went away first)
 *
 * A ringing call is tracked by its D-Bus path until oFono removes it. Outgoing calls
 * belong to the dialler (phone/dialler.h).
 */
#include "phone/call_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

enum { CALL_LOG_ENTRIES_MAX = 32, CALL_LOG_PATH_BYTES = 160 };

/* A call that is not over. */
struct call_log_entry {
	int64_t id; /* 0 if this place is free */
	const struct modem *modem;
	char path[CALL_LOG_PATH_BYTES];
	enum call_state state;
};

struct call_log {
	struct store *store;
	struct sims *sims;
	struct observer ofono_observer;
	struct call_log_entry entries[CALL_LOG_ENTRIES_MAX];
};

static bool call_log_is_stored(int error)
{
	if (error)
		log_error("calls: cannot store a call: %s",
			  error < 0 ? strerror(-error) : "the disk is full");
	return !error;
}

/* If `path` is NULL, returns a free place. */
static struct call_log_entry *call_log_find(struct call_log *log, const char *path)
{
	for (size_t i = 0; i < CALL_LOG_ENTRIES_MAX; i++) {
		struct call_log_entry *entry = &log->entries[i];

		if (path ? entry->id && strcmp(entry->path, path) == 0 : !entry->id)
			return entry;
	}
	return NULL;
}

static void call_log_set_state(struct call_log *log, struct call_log_entry *entry,
			       enum call_state state)
{
	if (entry->state != CALL_RINGING || state == CALL_RINGING)
		return;
	entry->state = state;
	log_info("calls: call %lld: %s", (long long)entry->id,
		 store_event_call_state_name(state));
	call_log_is_stored(store_event_set_state(log->store, entry->id, state));
}

static void call_log_track(struct call_log *log, const struct ofono_event *event,
			   int64_t id)
{
	struct call_log_entry *entry = call_log_find(log, NULL);

	if (!entry || strlen(event->call) >= CALL_LOG_PATH_BYTES) {
		call_log_is_stored(store_event_set_state(log->store, id, CALL_UNKNOWN));
		return;
	}
	*entry = (struct call_log_entry){
		.id = id,
		.modem = event->modem,
		.state = CALL_RINGING,
	};
	strcpy(entry->path, event->call);
}

/* oFono sends "withheld" for a hidden number, or nothing. */
static const char *call_log_number(const struct ofono_event *event)
{
	if (!event->sender || strcmp(event->sender, "withheld") == 0)
		return "";
	return event->sender;
}

static void call_log_on_added(struct call_log *log, const struct ofono_event *event)
{
	const struct event row = {
		.kind = EVENT_CALL,
		.sim_id = sims_identify(log->sims, &event->modem->sim),
		.at_ms = clock_wall_ms(),
		.number = call_log_number(event),
		.text = "",
		.state = CALL_RINGING,
		.topic = -1,
	};
	int64_t id;

	if (modem_is_foreign(event->modem) || call_log_find(log, event->call) ||
	    (strcmp(event->call_state, "incoming") != 0 &&
	     strcmp(event->call_state, "waiting") != 0))
		return;
	if (!call_log_is_stored(store_event_add(log->store, &row, &id)))
		return;
	log_info("calls: call %lld from %s", (long long)id, log_number(row.number));
	call_log_track(log, event, id);
}

static void call_log_on_changed(struct call_log *log, const struct ofono_event *event)
{
	struct call_log_entry *entry = call_log_find(log, event->call);

	if (!entry)
		return;
	if (event->sender) {
		call_log_is_stored(store_event_set_number(log->store, entry->id,
							  call_log_number(event)));
	} else if (strcmp(event->call_state, CALL_ENDED_HERE) == 0) {
		call_log_set_state(log, entry, CALL_REJECTED);
	} else if (strcmp(event->call_state, "active") == 0 ||
		   strcmp(event->call_state, "held") == 0) {
		call_log_set_state(log, entry, CALL_ANSWERED);
	}
}

static void call_log_on_removed(struct call_log *log, const struct ofono_event *event)
{
	struct call_log_entry *entry = call_log_find(log, event->call);

	if (!entry)
		return;
	call_log_set_state(log, entry, CALL_MISSED);
	entry->id = 0;
}

/* The modem will signal nothing more about its calls; NULL if none will. */
static void call_log_lose(struct call_log *log, const struct modem *modem)
{
	for (size_t i = 0; i < CALL_LOG_ENTRIES_MAX; i++) {
		struct call_log_entry *entry = &log->entries[i];

		if (!entry->id || (modem && entry->modem != modem))
			continue;
		call_log_set_state(log, entry, CALL_UNKNOWN);
		entry->id = 0;
	}
}

static void call_log_on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct call_log *log = data;

	switch (event->type) {
	case CALL_ADDED:
		call_log_on_added(log, event);
		break;
	case CALL_CHANGED:
		call_log_on_changed(log, event);
		break;
	case CALL_REMOVED:
		call_log_on_removed(log, event);
		break;
	case MODEM_CHANGED:
		if (!modem_has_calls(event->modem))
			call_log_lose(log, event->modem);
		break;
	case MODEM_REMOVED:
	case OFONO_UNAVAILABLE:
		call_log_lose(log, event->modem);
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
	call_log_is_stored(store_event_settle(store));
	observer_add(ofono_observers(ofono), &log->ofono_observer,
		     call_log_on_ofono_event, log);
	*log_out = log;
	return 0;
}

void call_log_free(struct call_log *log)
{
	if (!log)
		return;
	observer_remove(&log->ofono_observer);
	free(log);
}
