/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/message_manager.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "ofono/interface.h"
#include "ofono/oddity.h"
#include "bus/property.h"
#include "ofono/query.h"
#include "ofono/report_switch.h"

struct message_send {
	struct bus_call *call;
	void (*done)(void *data, const struct send_result *result);
	void *data;
};

struct message_listing {
	struct bus_call *call;
	void (*done)(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count);
	void *data;
};

struct incoming_info {
	char sender[64];
	char sent_time[40];
	char local_sent_time[40];
};

static const struct property info_properties[] = {
	PROPERTY("Sender", PROPERTY_STRING, struct incoming_info, sender),
	PROPERTY("SentTime", PROPERTY_STRING, struct incoming_info, sent_time),
	PROPERTY("LocalSentTime", PROPERTY_STRING, struct incoming_info, local_sent_time),
};

enum { INFO_PROPERTIES = sizeof(info_properties) / sizeof(info_properties[0]) };

static const struct property manager_properties[] = {
	PROPERTY("UseDeliveryReports", PROPERTY_BOOLEAN, struct modem,
		 uses_delivery_reports),
};

/* No number is UNTOLD; an empty one is what oFono says when it knows none. */
#define UNTOLD "?"

struct centre {
	char number[24];
};

static const struct property centre_properties[] = {
	PROPERTY("ServiceCenterAddress", PROPERTY_STRING, struct centre, number),
};

static void put_centre(struct modem *modem, const struct centre *told)
{
	enum service_centre centre = told->number[0] ? CENTRE_KNOWN : CENTRE_NONE;

	if (strcmp(told->number, UNTOLD) == 0 || modem->centre == centre)
		return;
	modem->centre = centre;
	modem_changed(modem);
}

static void answered(struct modem *modem, DBusMessageIter *dictionary)
{
	struct centre told = { UNTOLD };

	if (!dictionary)
		return;
	property_store_all(centre_properties, 1, dictionary, &told);
	put_centre(modem, &told);
}

/* oFono refuses to switch while it asks the modem for its centre: that comes second. */
static void on_appeared(struct modem *modem)
{
	if (ofono_wants_delivery_reports(modem->ofono))
		report_switch_on(modem);
	modem->queries->centre.interface = interface_message_manager.name;
	modem->queries->centre.answered = answered;
	query_start(&modem->queries->centre);
}

static void on_vanished(struct modem *modem)
{
	report_switch_stop(modem);
	query_stop(&modem->queries->centre);
	modem->uses_delivery_reports = false;
	modem->centre = CENTRE_UNTOLD;
}

static bool begins_with(DBusMessage *signal, const char *signature)
{
	return strncmp(dbus_message_get_signature(signal), signature,
		       strlen(signature)) == 0;
}

/* A text comes once: it is taken also when what stands behind it is not understood. */
static bool read_incoming(DBusMessage *signal, const char **text_out,
			  struct incoming_info *info)
{
	DBusMessageIter arguments;

	if (!begins_with(signal, "s"))
		return false;
	dbus_message_iter_init(signal, &arguments);
	dbus_message_iter_get_basic(&arguments, text_out);
	dbus_message_iter_next(&arguments);
	if (begins_with(signal, "sa{sv}"))
		property_store_all(info_properties, INFO_PROPERTIES, &arguments, info);
	return true;
}

static void on_incoming(struct modem *modem, DBusMessage *signal)
{
	bool immediate = dbus_message_has_member(signal, "ImmediateMessage");
	struct incoming_info info = { "", "", "" };
	struct ofono_event event = {
		.type = MESSAGE_RECEIVED,
		.modem = modem,
		.sender = info.sender,
		.sent_time = info.sent_time,
		.local_sent_time = info.local_sent_time,
		.immediate = immediate,
	};

	if (!immediate && !dbus_message_has_member(signal, "IncomingMessage"))
		return;
	if (read_incoming(signal, &event.text, &info))
		ofono_tell(modem->ofono, &event);
	else
		oddity_log(ODDITY_MESSAGE, "%s: a message in an unknown form is lost",
			   modem->path);
}

static void on_property(struct modem *modem, DBusMessage *signal)
{
	struct centre told = { UNTOLD };

	property_changed(manager_properties, 1, signal, modem);
	property_changed(centre_properties, 1, signal, &told);
	put_centre(modem, &told);
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	if (dbus_message_has_member(signal, "PropertyChanged"))
		on_property(modem, signal);
	else if (dbus_message_has_member(signal, "StatusReport"))
		status_report_signal(modem, signal);
	else
		on_incoming(modem, signal);
}

const struct interface interface_message_manager = {
	.name = "org.ofono.MessageManager",
	.bit = MODEM_MESSAGE_MANAGER,
	.is_about_a_sim = true,
	.appeared = on_appeared,
	.vanished = on_vanished,
	.signal = on_signal,
};

/*
 * Who answers with which error decides whether the message may be handed over again. What
 * is in neither table leaves it open whether oFono has the message.
 */
static enum send_outcome outcome_of(const char *error)
{
	static const char refused[] = "org.ofono.Error.";
	static const char *const not_handed[] = {
		BUS_ERROR_NOT_SENT,	      DBUS_ERROR_SERVICE_UNKNOWN,
		DBUS_ERROR_NAME_HAS_NO_OWNER, DBUS_ERROR_UNKNOWN_METHOD,
		DBUS_ERROR_UNKNOWN_OBJECT,    DBUS_ERROR_UNKNOWN_INTERFACE,
		DBUS_ERROR_LIMITS_EXCEEDED,
	};

	if (strncmp(error, refused, sizeof(refused) - 1) == 0 ||
	    strcmp(error, DBUS_ERROR_ACCESS_DENIED) == 0)
		return SEND_REFUSED;
	for (size_t i = 0; i < sizeof(not_handed) / sizeof(not_handed[0]); i++) {
		if (strcmp(error, not_handed[i]) == 0)
			return SEND_NOT_HANDED;
	}
	return SEND_UNKNOWN;
}

static void on_send_answer(void *data, DBusMessage *reply)
{
	struct message_send *send = data;
	struct send_result result = { .error = dbus_message_get_error_name(reply) };
	const char *path;

	if (result.error) {
		result.outcome = outcome_of(result.error);
	} else if (dbus_message_get_args(reply, NULL, DBUS_TYPE_OBJECT_PATH, &path,
					 DBUS_TYPE_INVALID) &&
		   message_uuid(path, result.uuid)) {
		result.outcome = SEND_ACCEPTED;
	} else {
		result.outcome = SEND_UNKNOWN;
	}
	send->done(send->data, &result);
	free(send);
}

static DBusMessage *send_message(const struct modem *modem, const char *number,
				 const char *text)
{
	DBusMessage *message;

	/* The callers have checked; libdbus would end the process if they had not. */
	if (!utf8_valid(number, strlen(number)) || !utf8_valid(text, strlen(text))) {
		log_error("ofono: a message that is not UTF-8 was not handed over");
		return NULL;
	}
	message =
		ofono_message(modem->path, interface_message_manager.name, "SendMessage");
	if (message &&
	    !dbus_message_append_args(message, DBUS_TYPE_STRING, &number,
				      DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID)) {
		dbus_message_unref(message);
		return NULL;
	}
	return message;
}

struct message_send *message_send(
	struct modem *modem, const char *number, const char *text,
	void (*done)(void *data, const struct send_result *result), void *data)
{
	DBusMessage *message = send_message(modem, number, text);
	struct message_send *send;

	if (!message)
		return NULL;
	send = calloc(1, sizeof(*send));
	if (!send) {
		dbus_message_unref(message);
		return NULL;
	}
	send->done = done;
	send->data = data;
	send->call = bus_call(ofono_bus(modem->ofono), message, 0, on_send_answer, send);
	if (!send->call) {
		free(send);
		return NULL;
	}
	return send;
}

void message_send_cancel(struct message_send *send)
{
	if (!send)
		return;
	bus_call_cancel(send->call);
	free(send);
}

static size_t count_elements(DBusMessage *reply)
{
	DBusMessageIter array;

	dbus_message_iter_init(reply, &array);
	return (size_t)dbus_message_iter_get_element_count(&array);
}

/* NULL: no memory. An empty list is not NULL. */
static char (*read_uuids(DBusMessage *reply, size_t count))[MESSAGE_UUID_BYTES]
{
	char(*uuids)[MESSAGE_UUID_BYTES] = calloc(count + 1, sizeof(*uuids));
	DBusMessageIter array, element;

	if (!uuids)
		return NULL;
	dbus_message_iter_init(reply, &array);
	dbus_message_iter_recurse(&array, &element);
	for (size_t i = 0; i < count; i++) {
		DBusMessageIter message;
		const char *path;

		dbus_message_iter_recurse(&element, &message);
		dbus_message_iter_get_basic(&message, &path);
		message_uuid(path, uuids[i]);
		dbus_message_iter_next(&element);
	}
	return uuids;
}

static void on_list_answer(void *data, DBusMessage *reply)
{
	struct message_listing *listing = data;
	char(*uuids)[MESSAGE_UUID_BYTES] = NULL;
	size_t count = 0;

	if (dbus_message_has_signature(reply, "a(oa{sv})")) {
		count = count_elements(reply);
		uuids = read_uuids(reply, count);
	}
	listing->done(listing->data, uuids, uuids ? count : 0);
	free(uuids);
	free(listing);
}

struct message_listing *message_list(struct modem *modem,
				     void (*done)(void *data,
						  char (*uuids)[MESSAGE_UUID_BYTES],
						  size_t count),
				     void *data)
{
	struct message_listing *listing = calloc(1, sizeof(*listing));
	DBusMessage *message =
		ofono_message(modem->path, interface_message_manager.name, "GetMessages");

	if (!listing || !message) {
		if (message)
			dbus_message_unref(message);
		free(listing);
		return NULL;
	}
	listing->done = done;
	listing->data = data;
	listing->call = bus_call(ofono_bus(modem->ofono), message, OFONO_TIMEOUT_MS,
				 on_list_answer, listing);
	if (!listing->call) {
		free(listing);
		return NULL;
	}
	return listing;
}

void message_listing_cancel(struct message_listing *listing)
{
	if (!listing)
		return;
	bus_call_cancel(listing->call);
	free(listing);
}
