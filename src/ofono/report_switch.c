/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/report_switch.h"

#include <string.h>

#include "base/log.h"
#include "ofono/interface.h"

enum {
	PAUSE_MS = 500, /* doubling */
	PAUSE_MOST_MS = 60 * 1000,
};

static bool is_worth_trying_again(const char *error)
{
	static const char *const names[] = {
		DBUS_ERROR_NO_REPLY,	       DBUS_ERROR_TIMEOUT,
		DBUS_ERROR_LIMITS_EXCEEDED,    "org.ofono.Error.InProgress",
		"org.ofono.Error.Timedout",    "org.ofono.Error.Failed",
		"org.ofono.Error.SimNotReady", "org.ofono.Error.NotAvailable",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], error) == 0)
			return true;
	}
	return false;
}

static void try_later(struct report_switch *report_switch)
{
	uint64_t pause_ms = PAUSE_MS;

	for (unsigned i = 0; i < report_switch->refusals && pause_ms < PAUSE_MOST_MS; i++)
		pause_ms *= 2;
	report_switch->refusals++;
	if (pause_ms > PAUSE_MOST_MS)
		pause_ms = PAUSE_MOST_MS;
	sd_event_source_set_time_relative(report_switch->pause, pause_ms * 1000);
	sd_event_source_set_enabled(report_switch->pause, SD_EVENT_ONESHOT);
}

static void on_answer(void *data, DBusMessage *reply)
{
	struct report_switch *report_switch = data;
	struct modem *modem = report_switch->modem;
	const char *error = dbus_message_get_error_name(reply);

	report_switch->call = NULL;
	if (!error) {
		modem->uses_delivery_reports = true;
		log_debug("ofono: %s: delivery reports are on", modem->path);
	} else if (is_worth_trying_again(error)) {
		log_debug("ofono: %s: delivery reports: %s", modem->path, error);
		try_later(report_switch);
	} else {
		log_warning("ofono: %s: delivery reports cannot be switched on: %s",
			    modem->path, error);
	}
}

static DBusMessage *switching_message(const struct modem *modem)
{
	DBusMessage *message =
		ofono_message(modem->path, interface_message_manager.name, "SetProperty");
	const char *name = "UseDeliveryReports";
	DBusMessageIter arguments, variant;
	dbus_bool_t on = TRUE;

	if (!message)
		return NULL;
	dbus_message_iter_init_append(message, &arguments);
	if (dbus_message_iter_append_basic(&arguments, DBUS_TYPE_STRING, &name) &&
	    dbus_message_iter_open_container(&arguments, DBUS_TYPE_VARIANT, "b",
					     &variant) &&
	    dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &on) &&
	    dbus_message_iter_close_container(&arguments, &variant))
		return message;
	dbus_message_unref(message);
	return NULL;
}

static void switch_now(struct report_switch *report_switch)
{
	struct modem *modem = report_switch->modem;
	DBusMessage *message = switching_message(modem);

	if (message)
		report_switch->call =
			bus_call(ofono_bus(modem->ofono), message, OFONO_TIMEOUT_MS,
				 on_answer, report_switch);
	if (!report_switch->call)
		log_error("ofono: %s: out of memory", modem->path);
}

static int on_pause_over(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	switch_now(data);
	return 0;
}

void report_switch_on(struct report_switch *report_switch)
{
	sd_event *loop = bus_loop(ofono_bus(report_switch->modem->ofono));

	if (report_switch->pause)
		return;
	if (sd_event_add_time_relative(loop, &report_switch->pause, CLOCK_MONOTONIC, 0,
				       1000, on_pause_over, report_switch) < 0) {
		log_error("ofono: %s: out of memory", report_switch->modem->path);
		return;
	}
	sd_event_source_set_enabled(report_switch->pause, SD_EVENT_OFF);
	report_switch->refusals = 0;
	switch_now(report_switch);
}

void report_switch_stop(struct report_switch *report_switch)
{
	bus_call_cancel(report_switch->call);
	report_switch->call = NULL;
	report_switch->pause = sd_event_source_disable_unref(report_switch->pause);
}
