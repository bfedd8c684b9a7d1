/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/report_switch.h"

#include <string.h>

#include "base/log.h"
#include "ofono/interface.h"
#include "ofono/query.h"

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

static void on_answer(void *data, DBusMessage *reply)
{
	struct modem *modem = data;
	const char *error = dbus_message_get_error_name(reply);

	if (!error) {
		modem->uses_delivery_reports = true;
		log_debug("ofono: %s: delivery reports are on", modem->path);
	} else if (is_worth_trying_again(error)) {
		log_debug("ofono: %s: delivery reports: %s", modem->path, error);
		retried_call_back_off(&modem->queries->reports);
	} else {
		log_warning("ofono: %s: delivery reports cannot be switched on: %s",
			    modem->path, error);
	}
}

static DBusMessage *switching_message(void *data)
{
	const struct modem *modem = data;
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

static const struct retried_question switching_question = {
	.timeout_ms = OFONO_TIMEOUT_MS,
	.message = switching_message,
	.answered = on_answer,
};

void report_switch_on(struct modem *modem)
{
	struct retried_call *switching = &modem->queries->reports;

	if (!switching->pause)
		retried_call_start(switching, modem, &switching_question, modem);
}

void report_switch_stop(struct modem *modem)
{
	retried_call_stop(&modem->queries->reports);
}
