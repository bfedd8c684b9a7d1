/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A repeated request lives from start to stop:
 *
 *   start -> call -> answered -> retry or back_off -> pause -> call ...
 *                             -> nothing: it is finished, and `pause` stays for the next start
 *
 * Which errors are worth another attempt is up to the `answered` callback.
 */
#include "ofono/ofono_bus.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	OFONO_BUS_PAUSE_MS = 500,
	OFONO_BUS_PAUSE_MAX_MS = 60 * 1000,
	OFONO_BUS_ACCURACY_USEC = 1000,
	OFONO_BUS_WARNING_BYTES = 256,
};

DBusMessage *ofono_bus_message(const char *path, const char *interface,
			       const char *method)
{
	DBusMessage *message =
		dbus_message_new_method_call(OFONO_NAME, path, interface, method);

	if (message)
		dbus_message_set_auto_start(message, FALSE);
	return message;
}

DBusMessage *ofono_bus_message_with(const char *path, const char *interface,
				    const char *method, const char *const *texts)
{
	DBusMessage *message = ofono_bus_message(path, interface, method);

	for (; message && *texts; texts++) {
		if (!dbus_message_append_args(message, DBUS_TYPE_STRING, texts,
					      DBUS_TYPE_INVALID)) {
			dbus_message_unref(message);
			message = NULL;
		}
	}
	return message;
}

DBusMessage *ofono_bus_set_boolean(const char *path, const char *interface,
				   const char *name, bool value)
{
	DBusMessage *message = ofono_bus_message_with(
		path, interface, "SetProperty", (const char *const[]){ name, NULL });
	DBusMessageIter arguments, variant;
	dbus_bool_t boolean = value;

	if (!message)
		return NULL;
	dbus_message_iter_init_append(message, &arguments);
	if (dbus_message_iter_open_container(&arguments, DBUS_TYPE_VARIANT,
					     DBUS_TYPE_BOOLEAN_AS_STRING, &variant) &&
	    dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &boolean) &&
	    dbus_message_iter_close_container(&arguments, &variant))
		return message;
	dbus_message_unref(message);
	return NULL;
}

struct bus_call *ofono_bus_call(const struct ofono_bus *bus, DBusMessage *message,
				int timeout_ms, bus_reply reply, void *data)
{
	return message ? bus_call(bus->bus, message, timeout_ms, reply, data) : NULL;
}

int ofono_bus_outcome(const struct ofono_bus_outcome *rows, const char *error)
{
	while (rows->error && strcmp(rows->error, error) != 0)
		rows++;
	return rows->outcome;
}

bool ofono_bus_is_ofono_error(const char *error)
{
	static const char prefix[] = "org.ofono.Error.";

	return strncmp(error, prefix, sizeof(prefix) - 1) == 0;
}

static void ofono_bus_request_on_reply(void *data, DBusMessage *reply)
{
	struct ofono_bus_request *request = data;

	request->call = NULL;
	request->type->answered(request->data, reply);
}

static void ofono_bus_request_call(struct ofono_bus_request *request)
{
	const struct ofono_bus_request_type *type = request->type;

	request->call =
		ofono_bus_call(request->modem->bus, type->message(request->data),
			       type->timeout_ms, ofono_bus_request_on_reply, request);
	if (!request->call)
		log_error("ofono: %s: out of memory", request->modem->path);
}

static int ofono_bus_request_on_pause(sd_event_source *source, uint64_t usec, void *data)
{
	ofono_bus_request_call(data);
	return 0;
}

void ofono_bus_request_start(struct ofono_bus_request *request, struct modem *modem,
			     const struct ofono_bus_request_type *type, void *data)
{
	ofono_bus_request_stop(request);
	*request = (struct ofono_bus_request){
		.modem = modem,
		.type = type,
		.data = data,
	};
	if (sd_event_add_time_relative(bus_loop(modem->bus->bus), &request->pause,
				       CLOCK_MONOTONIC, 0, OFONO_BUS_ACCURACY_USEC,
				       ofono_bus_request_on_pause, request) < 0) {
		log_error("ofono: %s: out of memory", modem->path);
		return;
	}
	sd_event_source_set_enabled(request->pause, SD_EVENT_OFF);
	ofono_bus_request_call(request);
}

void ofono_bus_request_retry(struct ofono_bus_request *request, uint64_t pause_ms)
{
	request->failures++;
	sd_event_source_set_time_relative(request->pause, pause_ms * 1000);
	sd_event_source_set_enabled(request->pause, SD_EVENT_ONESHOT);
}

void ofono_bus_request_back_off(struct ofono_bus_request *request)
{
	uint64_t pause_ms = OFONO_BUS_PAUSE_MS;

	for (unsigned i = 0; i < request->failures && pause_ms < OFONO_BUS_PAUSE_MAX_MS;
	     i++)
		pause_ms *= 2;
	if (pause_ms > OFONO_BUS_PAUSE_MAX_MS)
		pause_ms = OFONO_BUS_PAUSE_MAX_MS;
	ofono_bus_request_retry(request, pause_ms);
}

void ofono_bus_request_stop(struct ofono_bus_request *request)
{
	bus_call_cancel(request->call);
	request->call = NULL;
	request->pause = sd_event_source_disable_unref(request->pause);
}

bool ofono_bus_is_transient(const char *error)
{
	static const struct ofono_bus_outcome rows[] = {
		{ DBUS_ERROR_NO_REPLY, true },
		{ DBUS_ERROR_TIMEOUT, true },
		{ DBUS_ERROR_LIMITS_EXCEEDED, true },
		{ "org.ofono.Error.InProgress", true },
		{ "org.ofono.Error.Timedout", true },
		{ NULL, false },
	};

	return ofono_bus_outcome(rows, error);
}

static void ofono_bus_properties_on_reply(void *data, DBusMessage *reply)
{
	struct ofono_bus_properties *properties = data;
	struct modem *modem = properties->modem;
	const char *error = dbus_message_get_error_name(reply);
	DBusMessageIter dictionary;
	bool is_final;

	if (dbus_message_has_signature(reply, "a{sv}")) {
		dbus_message_iter_init(reply, &dictionary);
		properties->read(modem, &dictionary);
		return;
	}
	is_final = !error || !ofono_bus_is_transient(error);
	/* One failure may just mean that oFono is busy; a later one says nothing new. */
	if (properties->request.failures == 1 || is_final)
		log_warning("ofono: %s: %s.GetProperties failed%s: %s", modem->path,
			    properties->interface, is_final ? "" : ", will retry",
			    error ? error : "unexpected answer");
	else
		log_debug("ofono: %s: %s.GetProperties: %s", modem->path,
			  properties->interface, error);
	if (!is_final)
		ofono_bus_request_back_off(&properties->request);
	properties->read(modem, NULL);
}

static DBusMessage *ofono_bus_properties_message(void *data)
{
	const struct ofono_bus_properties *properties = data;

	return ofono_bus_message(properties->modem->path, properties->interface,
				 "GetProperties");
}

static const struct ofono_bus_request_type ofono_bus_properties_type = {
	.timeout_ms = OFONO_TIMEOUT_MS,
	.message = ofono_bus_properties_message,
	.answered = ofono_bus_properties_on_reply,
};

void ofono_bus_properties_get(struct ofono_bus_properties *properties,
			      struct modem *modem, const char *interface,
			      ofono_bus_properties_read read)
{
	if (properties->request.call)
		return;
	properties->modem = modem;
	properties->interface = interface;
	properties->read = read;
	ofono_bus_request_start(&properties->request, modem, &ofono_bus_properties_type,
				properties);
}

void ofono_bus_properties_stop(struct ofono_bus_properties *properties)
{
	ofono_bus_request_stop(&properties->request);
}

bool ofono_bus_properties_are_awaited(const struct ofono_bus_properties *properties)
{
	return properties->request.call && !properties->request.failures;
}

void ofono_bus_report(struct ofono_bus *bus, const struct ofono_event *event)
{
	observers_notify(&bus->observers, event);
}

void ofono_bus_report_change(struct modem *modem)
{
	struct ofono_event event = { .type = MODEM_CHANGED, .modem = modem };

	ofono_bus_report(modem->bus, &event);
}

void ofono_bus_settled(struct ofono_bus *bus)
{
	bus->settled(bus->settled_data);
}

void ofono_bus_warn(struct ofono_bus *bus, enum ofono_bus_warning warning,
		    const char *format, ...)
{
	char text[OFONO_BUS_WARNING_BYTES], left_out[LOG_PACE_TEXT_BYTES];
	va_list arguments;

	if (!log_pace_passes(&bus->paces[warning], left_out))
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	log_line(warning == OFONO_BUS_WARNING_MESSAGE ? LOG_LEVEL_ERROR
						      : LOG_LEVEL_WARNING,
		 "ofono: %s%s", text, left_out);
}
