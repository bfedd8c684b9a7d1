/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.MessageManager: incoming messages, delivery reports, messages that any program
 * gives oFono to send, and the modem's settings for messages. message.c sends and cancels.
 *
 * oFono signals an incoming message once and keeps nothing. Upstream never signals delivery
 * reports; the forks signal StatusReport at the modem's path, on org.ofono.SmsHistory
 * (Sailfish, Droidian, FuriLabs, our plugin) or on org.ofono.MessageManager (UBports). Its
 * arguments are the path of the message, whose object is gone by then, and a{sv} with
 * Delivered. The forks' documentation and code disagree on the type of the path, so "s" and
 * "o" are both accepted.
 */
#include "ofono/modem_interface.h"

#include <string.h>

#include "base/log.h"
#include "bus/property.h"
#include "ofono/message.h"

/* ---- settings */

static const struct property message_manager_properties[] = {
	PROPERTY("UseDeliveryReports", PROPERTY_BOOLEAN, struct modem,
		 uses_delivery_reports),
};

/* Stands for "not in this message": oFono sends "" when it knows no address. */
#define MESSAGE_MANAGER_CENTRE_UNREAD "?"

struct message_manager_centre {
	char number[24];
};

static const struct property message_manager_centre_properties[] = {
	PROPERTY("ServiceCenterAddress", PROPERTY_STRING, struct message_manager_centre,
		 number),
};

static void message_manager_store_centre(struct modem *modem,
					 const struct message_manager_centre *read)
{
	enum modem_service_centre centre = read->number[0] ? CENTRE_KNOWN : CENTRE_NONE;

	if (strcmp(read->number, MESSAGE_MANAGER_CENTRE_UNREAD) == 0 ||
	    modem->centre == centre)
		return;
	modem->centre = centre;
	ofono_bus_report_change(modem);
}

static void message_manager_read(struct modem *modem, DBusMessageIter *dictionary)
{
	struct message_manager_centre centre = { MESSAGE_MANAGER_CENTRE_UNREAD };

	if (!dictionary)
		return;
	property_store_all(message_manager_centre_properties, 1, dictionary, &centre);
	message_manager_store_centre(modem, &centre);
}

static void message_manager_on_property(struct modem *modem, DBusMessage *signal)
{
	struct message_manager_centre centre = { MESSAGE_MANAGER_CENTRE_UNREAD };

	property_changed(message_manager_properties, 1, signal, modem);
	property_changed(message_manager_centre_properties, 1, signal, &centre);
	message_manager_store_centre(modem, &centre);
}

static bool message_manager_may_retry_reports(const char *error)
{
	static const struct ofono_bus_outcome rows[] = {
		{ "org.ofono.Error.Failed", true },
		{ "org.ofono.Error.SimNotReady", true },
		{ "org.ofono.Error.NotAvailable", true },
		{ NULL, false },
	};

	return ofono_bus_is_transient(error) || ofono_bus_outcome(rows, error);
}

static void message_manager_on_reports_reply(void *data, DBusMessage *reply)
{
	struct modem *modem = data;
	const char *error = dbus_message_get_error_name(reply);

	if (!error) {
		modem->uses_delivery_reports = true;
		log_debug("ofono: %s: delivery reports are on", modem->path);
	} else if (message_manager_may_retry_reports(error)) {
		log_debug("ofono: %s: delivery reports: %s", modem->path, error);
		ofono_bus_request_back_off(&modem->data->report_switch);
	} else {
		log_warning("ofono: %s: cannot switch delivery reports on: %s",
			    modem->path, error);
	}
}

static DBusMessage *message_manager_reports_message(void *data)
{
	const struct modem *modem = data;

	return ofono_bus_set_boolean(modem->path, message_manager_interface.name,
				     "UseDeliveryReports", true);
}

static const struct ofono_bus_request_type message_manager_reports_request = {
	.timeout_ms = OFONO_TIMEOUT_MS,
	.message = message_manager_reports_message,
	.answered = message_manager_on_reports_reply,
};

void message_manager_use_reports(struct modem *modem)
{
	if (!modem->data->report_switch.pause)
		ofono_bus_request_start(&modem->data->report_switch, modem,
					&message_manager_reports_request, modem);
}

/* The switch comes first: oFono refuses it while it asks the modem for its SMS centre. */
static void message_manager_appeared(struct modem *modem)
{
	if (modem->bus->wants_delivery_reports)
		message_manager_use_reports(modem);
	ofono_bus_properties_get(&modem->data->centre, modem,
				 message_manager_interface.name, message_manager_read);
}

static void message_manager_vanished(struct modem *modem)
{
	ofono_bus_request_stop(&modem->data->report_switch);
	ofono_bus_properties_stop(&modem->data->centre);
	modem->uses_delivery_reports = false;
	modem->centre = CENTRE_UNREAD;
}

/* ---- incoming messages */

struct message_manager_info {
	char sender[64];
	char sent_time[40];
	char local_sent_time[40];
};

static const struct property message_manager_info_properties[] = {
	PROPERTY("Sender", PROPERTY_STRING, struct message_manager_info, sender),
	PROPERTY("SentTime", PROPERTY_STRING, struct message_manager_info, sent_time),
	PROPERTY("LocalSentTime", PROPERTY_STRING, struct message_manager_info,
		 local_sent_time),
};

/* oFono sends a text once, so it is accepted even when its a{sv} is not understood. */
static void message_manager_on_incoming(struct modem *modem, DBusMessage *signal)
{
	const char *signature = dbus_message_get_signature(signal);
	bool immediate = dbus_message_has_member(signal, "ImmediateMessage");
	struct message_manager_info info = { "", "", "" };
	struct ofono_event event = {
		.type = MESSAGE_RECEIVED,
		.modem = modem,
		.sender = info.sender,
		.sent_time = info.sent_time,
		.local_sent_time = info.local_sent_time,
		.immediate = immediate,
	};
	DBusMessageIter arguments;

	if (!immediate && !dbus_message_has_member(signal, "IncomingMessage"))
		return;
	if (signature[0] != DBUS_TYPE_STRING) {
		ofono_bus_warn(modem->bus, OFONO_BUS_WARNING_MESSAGE,
			       "%s: a message in an unknown format is lost", modem->path);
		return;
	}
	dbus_message_iter_init(signal, &arguments);
	dbus_message_iter_get_basic(&arguments, &event.text);
	dbus_message_iter_next(&arguments);
	if (strncmp(signature, "sa{sv}", strlen("sa{sv}")) == 0)
		property_store_all(message_manager_info_properties,
				   sizeof(message_manager_info_properties) /
					   sizeof(message_manager_info_properties[0]),
				   &arguments, &info);
	ofono_bus_report(modem->bus, &event);
}

/* ---- delivery reports */

struct message_manager_report {
	bool delivered;
};

static const struct property message_manager_report_properties[] = {
	PROPERTY("Delivered", PROPERTY_BOOLEAN, struct message_manager_report, delivered),
};

/*
 * Returns false if Delivered is missing, which does not mean that it is false. It is stored over
 * both values: only when it is present are they equal afterwards.
 */
static bool message_manager_read_delivered(DBusMessageIter *dictionary,
					   bool *delivered_out)
{
	struct message_manager_report yes = { true }, no = { false };

	property_store_all(message_manager_report_properties, 1, dictionary, &yes);
	property_store_all(message_manager_report_properties, 1, dictionary, &no);
	*delivered_out = yes.delivered;
	return yes.delivered == no.delivered;
}

static void message_manager_on_report(struct modem *modem, DBusMessage *signal)
{
	char uuid[MESSAGE_UUID_BYTES];
	struct ofono_event event = { .type = MESSAGE_REPORT,
				     .modem = modem,
				     .uuid = uuid };
	DBusMessageIter arguments;
	const char *path;

	if (!dbus_message_has_member(signal, "StatusReport"))
		return;
	if (!dbus_message_has_signature(signal, "sa{sv}") &&
	    !dbus_message_has_signature(signal, "oa{sv}")) {
		ofono_bus_warn(modem->bus, OFONO_BUS_WARNING_REPORT,
			       "%s: a delivery report in an unknown format", modem->path);
		return;
	}
	dbus_message_iter_init(signal, &arguments);
	dbus_message_iter_get_basic(&arguments, &path);
	dbus_message_iter_next(&arguments);
	if (!message_manager_read_delivered(&arguments, &event.delivered))
		ofono_bus_warn(modem->bus, OFONO_BUS_WARNING_REPORT,
			       "%s: a delivery report without Delivered", modem->path);
	else if (!strchr(path, '/') || !message_uuid(path, uuid))
		ofono_bus_warn(modem->bus, OFONO_BUS_WARNING_REPORT,
			       "%s: a delivery report without a path", modem->path);
	else
		ofono_bus_report(modem->bus, &event);
}

/* ---- messages of any program */

/* Neither recipient nor text is shown, and not who sends it. */
static void message_manager_on_added(struct modem *modem, DBusMessage *signal)
{
	char uuid[MESSAGE_UUID_BYTES];
	struct ofono_event event = { .type = MESSAGE_ADDED,
				     .modem = modem,
				     .uuid = uuid };
	const char *path;

	if (!dbus_message_has_signature(signal, "oa{sv}"))
		return;
	dbus_message_get_args(signal, NULL, DBUS_TYPE_OBJECT_PATH, &path,
			      DBUS_TYPE_INVALID);
	if (message_uuid(path, uuid))
		ofono_bus_report(modem->bus, &event);
}

/* ---- the interfaces */

static void message_manager_on_signal(struct modem *modem, DBusMessage *signal)
{
	if (dbus_message_has_member(signal, "PropertyChanged"))
		message_manager_on_property(modem, signal);
	else if (dbus_message_has_member(signal, "StatusReport"))
		message_manager_on_report(modem, signal);
	else if (dbus_message_has_member(signal, "MessageAdded"))
		message_manager_on_added(modem, signal);
	else
		message_manager_on_incoming(modem, signal);
}

const struct modem_interface message_manager_interface = {
	.name = "org.ofono.MessageManager",
	.bit = MODEM_MESSAGE_MANAGER,
	.is_about_a_sim = true,
	.appeared = message_manager_appeared,
	.vanished = message_manager_vanished,
	.signal = message_manager_on_signal,
};

const struct modem_interface message_manager_history_interface = {
	.name = "org.ofono.SmsHistory",
	.is_about_a_sim = true,
	.signal = message_manager_on_report,
};
