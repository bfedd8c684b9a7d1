/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.SupplementaryServices:
 *
 *   Initiate(code) -> answer; State is "idle", or "user-response" when the network asks
 *     Respond(reply) -> answer ...
 *
 * State is known only from its signals: reading it needs a D-Bus permission that most gateways
 * do not have. oFono signals it before the answer to which it belongs.
 */
#include "ofono/modem_call.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "bus/property.h"
#include "ofono/modem_interface.h"

struct ussd_call {
	struct bus_call *call;
	void (*done)(void *data, const struct ussd_call_result *result);
	void *data;
};

static const struct property ussd_call_properties[] = {
	PROPERTY("State", PROPERTY_STRING, struct modem, ussd_state),
};

static void ussd_call_vanished(struct modem *modem)
{
	memset(modem->ussd_state, 0, sizeof(modem->ussd_state));
}

static void ussd_call_on_signal(struct modem *modem, DBusMessage *signal)
{
	struct ofono_event event = { .type = USSD_NOTIFIED, .modem = modem };

	if (property_changed(ussd_call_properties, 1, signal, modem)) {
		ofono_bus_report_change(modem);
		return;
	}
	if (dbus_message_has_member(signal, "RequestReceived"))
		event.type = USSD_REQUESTED;
	else if (!dbus_message_has_member(signal, "NotificationReceived"))
		return;
	if (dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &event.text,
				  DBUS_TYPE_INVALID))
		ofono_bus_report(modem->bus, &event);
}

const struct modem_interface ussd_call_interface = {
	.name = "org.ofono.SupplementaryServices",
	.bit = MODEM_SUPPLEMENTARY_SERVICES,
	.vanished = ussd_call_vanished,
	.signal = ussd_call_on_signal,
};

/* Initiate returns (s kind, v result), Respond only the text. */
static void ussd_call_read_answer(DBusMessage *reply, struct ussd_call_result *result)
{
	DBusMessageIter arguments, variant;
	const char *kind = "";

	dbus_message_iter_init(reply, &arguments);
	if (dbus_message_has_signature(reply, "s")) {
		dbus_message_iter_get_basic(&arguments, &result->text);
		result->outcome = USSD_ANSWERED;
		return;
	}
	if (!dbus_message_has_signature(reply, "sv"))
		return;
	dbus_message_iter_get_basic(&arguments, &kind);
	dbus_message_iter_next(&arguments);
	dbus_message_iter_recurse(&arguments, &variant);
	if (strcmp(kind, "USSD") != 0) {
		result->outcome = USSD_EXECUTED;
	} else if (dbus_message_iter_get_arg_type(&variant) == DBUS_TYPE_STRING) {
		dbus_message_iter_get_basic(&variant, &result->text);
		result->outcome = USSD_ANSWERED;
	}
}

static void ussd_call_on_reply(void *data, DBusMessage *reply)
{
	static const struct ofono_bus_outcome rows[] = {
		{ "org.ofono.Error.InProgress", USSD_BUSY },
		{ "org.ofono.Error.NotRecognized", USSD_NOT_RECOGNIZED },
		{ "org.ofono.Error.InvalidFormat", USSD_NOT_RECOGNIZED },
		{ "org.ofono.Error.NotSupported", USSD_NOT_SUPPORTED },
		{ "org.ofono.Error.NotImplemented", USSD_NOT_SUPPORTED },
		{ "org.ofono.Error.NotActive", USSD_NOT_ACTIVE },
		{ "org.ofono.Error.Terminated", USSD_TERMINATED },
		{ "org.ofono.Error.Timedout", USSD_TIMED_OUT },
		{ "org.ofono.Error.Failed", USSD_FAILED },
		{ DBUS_ERROR_ACCESS_DENIED, USSD_NOT_ALLOWED },
		{ DBUS_ERROR_UNKNOWN_OBJECT, USSD_NOT_SUPPORTED },
		{ DBUS_ERROR_UNKNOWN_INTERFACE, USSD_NOT_SUPPORTED },
		{ DBUS_ERROR_UNKNOWN_METHOD, USSD_NOT_SUPPORTED },
		{ DBUS_ERROR_SERVICE_UNKNOWN, USSD_NOT_SUBMITTED },
		{ DBUS_ERROR_NAME_HAS_NO_OWNER, USSD_NOT_SUBMITTED },
		{ BUS_ERROR_NOT_SENT, USSD_NOT_SUBMITTED },
		/* Any other error, such as Canceled when the card or the modem goes: it may
		 * have been done. */
		{ NULL, USSD_UNKNOWN },
	};
	struct ussd_call *call = data;
	const char *error = dbus_message_get_error_name(reply);
	struct ussd_call_result result = { .outcome = USSD_UNKNOWN };

	if (error)
		result.outcome = (enum ussd_call_outcome)ofono_bus_outcome(rows, error);
	else
		ussd_call_read_answer(reply, &result);
	call->done(call->data, &result);
	free(call);
}

static struct ussd_call *ussd_call_start(struct modem *modem, const char *method,
					 const char *text, int timeout_ms,
					 const struct ussd_call *listener)
{
	struct ussd_call *call;

	/* The callers have checked; libdbus would abort the process if they had not. */
	if (!utf8_valid(text, strlen(text))) {
		log_error("ofono: a USSD text that is not UTF-8 was not submitted");
		return NULL;
	}
	call = malloc(sizeof(*call));
	if (!call)
		return NULL;
	*call = *listener;
	call->call = ofono_bus_call(
		modem->bus,
		ofono_bus_message_with(modem->path, ussd_call_interface.name, method,
				       (const char *const[]){ text, NULL }),
		timeout_ms, ussd_call_on_reply, call);
	if (call->call)
		return call;
	free(call);
	return NULL;
}

struct ussd_call *ussd_call_initiate(
	struct modem *modem, const char *code, int timeout_ms,
	void (*done)(void *data, const struct ussd_call_result *result), void *data)
{
	const struct ussd_call listener = { .done = done, .data = data };

	return ussd_call_start(modem, "Initiate", code, timeout_ms, &listener);
}

struct ussd_call *ussd_call_respond(
	struct modem *modem, const char *reply, int timeout_ms,
	void (*done)(void *data, const struct ussd_call_result *result), void *data)
{
	const struct ussd_call listener = { .done = done, .data = data };

	return ussd_call_start(modem, "Respond", reply, timeout_ms, &listener);
}

void ussd_call_stop(struct ussd_call *call)
{
	if (!call)
		return;
	bus_call_cancel(call->call);
	free(call);
}

static void ussd_call_on_cancelled(void *data, DBusMessage *reply)
{
	const char *error = dbus_message_get_error_name(reply);

	if (error)
		log_info("ofono: cannot cancel a USSD dialogue: %s", error);
}

void ussd_call_cancel(struct modem *modem)
{
	DBusMessage *message =
		ofono_bus_message(modem->path, ussd_call_interface.name, "Cancel");

	if (!ofono_bus_call(modem->bus, message, OFONO_TIMEOUT_MS, ussd_call_on_cancelled,
			    NULL))
		log_error("ofono: cannot cancel a USSD dialogue: out of memory");
}
