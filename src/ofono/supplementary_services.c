/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State is known from its changes alone: asking for it would need a right that most gateways
 * do not have. oFono tells it before the answer that it belongs to.
 */
#include "ofono/supplementary_services.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "bus/property.h"
#include "ofono/interface.h"

struct ussd_call {
	struct bus_call *call;
	void (*done)(void *data, const struct ussd_result *result);
	void *data;
};

static const struct property properties[] = {
	PROPERTY("State", PROPERTY_STRING, struct modem, ussd_state),
};

static void vanished(struct modem *modem)
{
	memset(modem->ussd_state, 0, sizeof(modem->ussd_state));
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	struct ofono_event event = { .type = USSD_NOTIFIED, .modem = modem };

	if (property_changed(properties, 1, signal, modem)) {
		modem_changed(modem);
		return;
	}
	if (dbus_message_has_member(signal, "RequestReceived"))
		event.type = USSD_REQUESTED;
	else if (!dbus_message_has_member(signal, "NotificationReceived"))
		return;
	if (dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &event.text,
				  DBUS_TYPE_INVALID))
		ofono_tell(modem->ofono, &event);
}

const struct interface interface_supplementary_services = {
	.name = "org.ofono.SupplementaryServices",
	.bit = MODEM_SUPPLEMENTARY_SERVICES,
	.vanished = vanished,
	.signal = on_signal,
};

bool modem_has_ussd(const struct modem *modem)
{
	return modem->interfaces & MODEM_SUPPLEMENTARY_SERVICES;
}

bool ussd_is_asked(const struct modem *modem)
{
	return strcmp(modem->ussd_state, "user-response") == 0;
}

/* What is in no row may have been done: Canceled, when the card or the modem goes, for one. */
static enum ussd_outcome outcome_of(const char *error)
{
	static const struct {
		const char *error;
		enum ussd_outcome outcome;
	} rows[] = {
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
		{ DBUS_ERROR_SERVICE_UNKNOWN, USSD_NOT_HANDED },
		{ DBUS_ERROR_NAME_HAS_NO_OWNER, USSD_NOT_HANDED },
		{ BUS_ERROR_NOT_SENT, USSD_NOT_HANDED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(error, rows[i].error) == 0)
			return rows[i].outcome;
	}
	return USSD_UNKNOWN;
}

/* Initiate gives (s kind, v result), Respond the text alone. */
static void read_answer(DBusMessage *reply, struct ussd_result *result)
{
	DBusMessageIter arguments, variant;
	const char *kind = "";

	result->outcome = USSD_UNKNOWN;
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

static void on_answered(void *data, DBusMessage *reply)
{
	struct ussd_call *call = data;
	const char *error = dbus_message_get_error_name(reply);
	struct ussd_result result = { .outcome = USSD_UNKNOWN };

	if (error)
		result.outcome = outcome_of(error);
	else
		read_answer(reply, &result);
	call->done(call->data, &result);
	free(call);
}

/* NULL: no memory, or no text of D-Bus. */
static DBusMessage *make_call(const struct modem *modem, const char *method,
			      const char *text)
{
	DBusMessage *message;

	if (!utf8_valid(text, strlen(text))) {
		log_error("ofono: a USSD text that is not UTF-8 was not handed over");
		return NULL;
	}
	message =
		ofono_message(modem->path, interface_supplementary_services.name, method);
	if (message && !dbus_message_append_args(message, DBUS_TYPE_STRING, &text,
						 DBUS_TYPE_INVALID)) {
		dbus_message_unref(message);
		return NULL;
	}
	return message;
}

/* Takes `message`; NULL is fine. */
static struct ussd_call *begin(struct modem *modem, DBusMessage *message, int limit_ms,
			       const struct ussd_call *listener)
{
	struct ussd_call *call = message ? malloc(sizeof(*call)) : NULL;

	if (!call) {
		if (message)
			dbus_message_unref(message);
		return NULL;
	}
	*call = *listener;
	call->call =
		bus_call(ofono_bus(modem->ofono), message, limit_ms, on_answered, call);
	if (!call->call) {
		free(call);
		return NULL;
	}
	return call;
}

struct ussd_call *ussd_initiate(struct modem *modem, const char *code, int limit_ms,
				void (*done)(void *data,
					     const struct ussd_result *result),
				void *data)
{
	const struct ussd_call listener = { .done = done, .data = data };

	return begin(modem, make_call(modem, "Initiate", code), limit_ms, &listener);
}

struct ussd_call *ussd_respond(struct modem *modem, const char *reply, int limit_ms,
			       void (*done)(void *data, const struct ussd_result *result),
			       void *data)
{
	const struct ussd_call listener = { .done = done, .data = data };

	return begin(modem, make_call(modem, "Respond", reply), limit_ms, &listener);
}

void ussd_call_stop(struct ussd_call *call)
{
	if (!call)
		return;
	bus_call_cancel(call->call);
	free(call);
}

static void on_cancelled(void *data, DBusMessage *reply)
{
	const char *error = dbus_message_get_error_name(reply);

	(void)data;
	if (error)
		log_info("ofono: a USSD code was not cancelled: %s", error);
}

void ussd_cancel(struct modem *modem)
{
	DBusMessage *message = ofono_message(
		modem->path, interface_supplementary_services.name, "Cancel");

	if (!message || !bus_call(ofono_bus(modem->ofono), message, OFONO_TIMEOUT_MS,
				  on_cancelled, NULL))
		log_error("ofono: a USSD code was not cancelled: out of memory");
}
