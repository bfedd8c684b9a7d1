/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/query.h"

#include <string.h>

#include "base/log.h"
#include "ofono/interface.h"

enum { PAUSE_MS = 2000 };

static bool is_worth_asking_again(const char *error_name)
{
	static const char *const names[] = {
		DBUS_ERROR_NO_REPLY,	    DBUS_ERROR_TIMEOUT,
		DBUS_ERROR_LIMITS_EXCEEDED, "org.ofono.Error.InProgress",
		"org.ofono.Error.Timedout",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], error_name) == 0)
			return true;
	}
	return false;
}

static void on_answer(void *data, DBusMessage *reply)
{
	struct query *query = data;
	DBusMessageIter dictionary;
	const char *error = dbus_message_get_error_name(reply);

	query->call = NULL;
	if (dbus_message_has_signature(reply, "a{sv}")) {
		dbus_message_iter_init(reply, &dictionary);
		query->answered(query->modem, &dictionary);
		return;
	}
	log_debug("ofono: %s: %s.GetProperties: %s", query->modem->path, query->interface,
		  error ? error : "odd answer");
	if (error && !query->second && is_worth_asking_again(error)) {
		sd_event_source_set_time_relative(query->pause, PAUSE_MS * 1000);
		sd_event_source_set_enabled(query->pause, SD_EVENT_ONESHOT);
	} else {
		log_warning("ofono: %s: %s tells nothing: %s", query->modem->path,
			    query->interface, error ? error : "odd answer");
	}
	query->second = true;
	query->answered(query->modem, NULL);
}

static void ask(struct query *query)
{
	struct modem *modem = query->modem;
	DBusMessage *message =
		ofono_message(modem->path, query->interface, "GetProperties");

	if (message)
		query->call = bus_call(ofono_bus(modem->ofono), message, OFONO_TIMEOUT_MS,
				       on_answer, query);
	if (!query->call)
		log_error("ofono: %s: out of memory", modem->path);
}

static int on_pause_over(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	ask(data);
	return 0;
}

void query_start(struct query *query)
{
	sd_event *loop = bus_loop(ofono_bus(query->modem->ofono));

	if (query->call)
		return;
	query_stop(query);
	if (sd_event_add_time_relative(loop, &query->pause, CLOCK_MONOTONIC, 0, 1000,
				       on_pause_over, query) < 0) {
		log_error("ofono: %s: out of memory", query->modem->path);
		return;
	}
	sd_event_source_set_enabled(query->pause, SD_EVENT_OFF);
	query->second = false;
	ask(query);
}

void query_stop(struct query *query)
{
	bus_call_cancel(query->call);
	query->call = NULL;
	query->pause = sd_event_source_disable_unref(query->pause);
}

bool query_is_waiting(const struct query *query)
{
	return query->call && !query->second;
}
