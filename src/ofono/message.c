/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.Message, and the methods of org.ofono.MessageManager that make and list messages.
 *
 *   SendMessage -> path of a new Message object
 *     Message.State: pending -> sent | failed | cancelled, then the object disappears
 *
 * The object is gone right after its last State, so the signal is the only place where the
 * outcome appears. Which error answers SendMessage decides whether the message may be
 * submitted again: see message_send_error_outcome().
 */
#include "ofono/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "bus/property.h"
#include "ofono/modem_interface.h"

#define MESSAGE_MANAGER_NAME "org.ofono.MessageManager"

struct message_send {
	struct bus_call *call;
	void (*done)(void *data, const struct message_send_result *result);
	void *data;
};

struct message_listing {
	struct bus_call *call;
	void (*done)(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count);
	void *data;
};

struct message_cancel {
	struct ofono_bus *bus;
	char uuid[MESSAGE_UUID_BYTES];
	struct bus_call *call; /* GetMessages, then Cancel */
	void (*done)(void *data, enum message_cancel_outcome outcome);
	void *data;
};

bool message_uuid(const char *path, char uuid[MESSAGE_UUID_BYTES])
{
	static const char prefix[] = "message_";
	const char *name = strrchr(path, '/') + 1;
	size_t length;

	if (strncmp(name, prefix, sizeof(prefix) - 1) == 0)
		name += sizeof(prefix) - 1;
	length = strnlen(name, MESSAGE_UUID_BYTES - 1);
	memcpy(uuid, name, length);
	uuid[length] = '\0';
	return length;
}

/* ---- State */

struct message_properties {
	char state[16];
};

static const struct property message_properties[] = {
	PROPERTY("State", PROPERTY_STRING, struct message_properties, state),
};

static void message_on_signal(struct modem *modem, DBusMessage *signal)
{
	static const char *const states[] = {
		[MESSAGE_PENDING] = "pending",
		[MESSAGE_SENT] = "sent",
		[MESSAGE_FAILED] = "failed",
		[MESSAGE_CANCELLED] = "cancelled",
	};
	struct message_properties message = { "" };
	char uuid[MESSAGE_UUID_BYTES];
	struct ofono_event event = { .type = MESSAGE_STATE,
				     .modem = modem,
				     .uuid = uuid };

	if (!property_changed(message_properties, 1, signal, &message) ||
	    !message_uuid(dbus_message_get_path(signal), uuid))
		return;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (strcmp(states[i], message.state) != 0)
			continue;
		event.state = (enum ofono_message_state)i;
		ofono_bus_report(modem->bus, &event);
		return;
	}
	ofono_bus_warn(modem->bus, OFONO_BUS_WARNING_STATE,
		       "message %s: unknown state \"%s\"", uuid, message.state);
}

const struct modem_interface message_interface = {
	.name = "org.ofono.Message",
	.is_below = true,
	.is_about_a_sim = true,
	.signal = message_on_signal,
};

/* ---- send */

/* An error that is in neither list leaves open whether oFono has the message. */
static enum message_send_outcome message_send_error_outcome(const char *error)
{
	static const struct ofono_bus_outcome rows[] = {
		{ DBUS_ERROR_ACCESS_DENIED, SEND_REFUSED },
		{ BUS_ERROR_NOT_SENT, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_SERVICE_UNKNOWN, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_NAME_HAS_NO_OWNER, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_UNKNOWN_METHOD, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_UNKNOWN_OBJECT, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_UNKNOWN_INTERFACE, SEND_NOT_SUBMITTED },
		{ DBUS_ERROR_LIMITS_EXCEEDED, SEND_NOT_SUBMITTED },
		{ NULL, SEND_UNKNOWN },
	};

	if (ofono_bus_is_ofono_error(error))
		return SEND_REFUSED;
	return (enum message_send_outcome)ofono_bus_outcome(rows, error);
}

static void message_send_on_reply(void *data, DBusMessage *reply)
{
	struct message_send *send = data;
	struct message_send_result result = {
		.outcome = SEND_UNKNOWN,
		.error = dbus_message_get_error_name(reply),
	};
	const char *path;

	if (result.error)
		result.outcome = message_send_error_outcome(result.error);
	else if (dbus_message_get_args(reply, NULL, DBUS_TYPE_OBJECT_PATH, &path,
				       DBUS_TYPE_INVALID) &&
		 message_uuid(path, result.uuid))
		result.outcome = SEND_ACCEPTED;
	send->done(send->data, &result);
	free(send);
}

struct message_send *message_send(struct modem *modem, const struct message_order *order,
				  void (*done)(void *data,
					       const struct message_send_result *result),
				  void *data)
{
	struct message_send *send;

	/* The callers have checked; libdbus would abort the process if they had not. */
	if (!utf8_valid(order->number, strlen(order->number)) ||
	    !utf8_valid(order->text, strlen(order->text))) {
		log_error("ofono: a message that is not UTF-8 was not submitted");
		return NULL;
	}
	send = calloc(1, sizeof(*send));
	if (!send)
		return NULL;
	send->done = done;
	send->data = data;
	send->call = ofono_bus_call(
		modem->bus,
		ofono_bus_message_with(
			modem->path, MESSAGE_MANAGER_NAME, "SendMessage",
			(const char *const[]){ order->number, order->text, NULL }),
		0, message_send_on_reply, send);
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

/* ---- list */

static struct bus_call *message_get_messages(const struct ofono_bus *bus,
					     const struct modem *modem, bus_reply reply,
					     void *data)
{
	return ofono_bus_call(
		bus, ofono_bus_message(modem->path, MESSAGE_MANAGER_NAME, "GetMessages"),
		OFONO_TIMEOUT_MS, reply, data);
}

static bool message_is_listing(DBusMessage *reply)
{
	return dbus_message_has_signature(reply, "a(oa{sv})");
}

/* Returns the path of the message at which the iterator stands. */
static const char *message_listed_path(DBusMessageIter *element)
{
	DBusMessageIter message;
	const char *path;

	dbus_message_iter_recurse(element, &message);
	dbus_message_iter_get_basic(&message, &path);
	return path;
}

static void message_listing_on_reply(void *data, DBusMessage *reply)
{
	struct message_listing *listing = data;
	char(*uuids)[MESSAGE_UUID_BYTES] = NULL;
	DBusMessageIter array, element;
	size_t count = 0;

	if (message_is_listing(reply)) {
		dbus_message_iter_init(reply, &array);
		count = (size_t)dbus_message_iter_get_element_count(&array);
		uuids = calloc(count + 1,
			       sizeof(*uuids)); /* not NULL for an empty list */
		dbus_message_iter_recurse(&array, &element);
	}
	for (size_t i = 0; uuids && i < count; i++) {
		message_uuid(message_listed_path(&element), uuids[i]);
		dbus_message_iter_next(&element);
	}
	listing->done(listing->data, uuids, uuids ? count : 0);
	free(uuids);
	free(listing);
}

struct message_listing *message_list(
	struct modem *modem, const struct message_order *order,
	void (*done)(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count),
	void *data)
{
	struct message_listing *listing = calloc(1, sizeof(*listing));

	if (!listing)
		return NULL;
	listing->done = done;
	listing->data = data;
	listing->call = message_get_messages(modem->bus, modem, message_listing_on_reply,
					     listing);
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

/* ---- cancel */

static void message_cancel_end(struct message_cancel *cancel,
			       enum message_cancel_outcome outcome)
{
	cancel->done(cancel->data, outcome);
	free(cancel);
}

static void message_cancel_on_cancelled(void *data, DBusMessage *reply)
{
	static const struct ofono_bus_outcome rows[] = {
		{ DBUS_ERROR_UNKNOWN_OBJECT, CANCEL_NOT_THERE },
		{ DBUS_ERROR_UNKNOWN_METHOD, CANCEL_NOT_THERE },
		{ DBUS_ERROR_UNKNOWN_INTERFACE, CANCEL_NOT_THERE },
		{ DBUS_ERROR_ACCESS_DENIED, CANCEL_REFUSED },
		{ BUS_ERROR_NOT_SENT, CANCEL_NOT_ASKED },
		{ NULL,
		  CANCEL_UNKNOWN }, /* any other error: it may have been cancelled */
	};
	struct message_cancel *cancel = data;
	const char *error = dbus_message_get_error_name(reply);
	int outcome = CANCEL_DONE;

	if (error) {
		log_info("ofono: message %s: not cancelled: %s", cancel->uuid, error);
		outcome = ofono_bus_is_ofono_error(error)
				  ? CANCEL_REFUSED
				  : ofono_bus_outcome(rows, error);
	}
	message_cancel_end(cancel, (enum message_cancel_outcome)outcome);
}

/* Returns the path of the message in a reply to GetMessages; NULL if it is not listed. */
static const char *message_cancel_find(const struct message_cancel *cancel,
				       DBusMessage *reply)
{
	DBusMessageIter array, element;
	char uuid[MESSAGE_UUID_BYTES];
	const char *path;

	dbus_message_iter_init(reply, &array);
	dbus_message_iter_recurse(&array, &element);
	for (; dbus_message_iter_get_arg_type(&element) == DBUS_TYPE_STRUCT;
	     dbus_message_iter_next(&element)) {
		path = message_listed_path(&element);
		message_uuid(path, uuid);
		if (strcmp(uuid, cancel->uuid) == 0)
			return path;
	}
	return NULL;
}

/* Nothing was cancelled yet, so any failure here leaves the message alone. */
static void message_cancel_on_listed(void *data, DBusMessage *reply)
{
	struct message_cancel *cancel = data;
	const char *path;

	if (!message_is_listing(reply)) {
		message_cancel_end(cancel, CANCEL_NOT_ASKED);
		return;
	}
	path = message_cancel_find(cancel, reply);
	if (!path) {
		message_cancel_end(cancel, CANCEL_NOT_THERE);
		return;
	}
	cancel->call = ofono_bus_call(
		cancel->bus, ofono_bus_message(path, message_interface.name, "Cancel"),
		OFONO_TIMEOUT_MS, message_cancel_on_cancelled, cancel);
	if (!cancel->call)
		message_cancel_end(cancel, CANCEL_NOT_ASKED);
}

struct message_cancel *message_cancel(
	struct modem *modem, const struct message_order *order,
	void (*done)(void *data, enum message_cancel_outcome outcome), void *data)
{
	struct message_cancel *cancel = calloc(1, sizeof(*cancel));

	if (!cancel)
		return NULL;
	cancel->bus = modem->bus;
	strncpy(cancel->uuid, order->uuid, sizeof(cancel->uuid) - 1);
	cancel->done = done;
	cancel->data = data;
	cancel->call = message_get_messages(cancel->bus, modem, message_cancel_on_listed,
					    cancel);
	if (!cancel->call) {
		free(cancel);
		return NULL;
	}
	return cancel;
}

void message_cancel_stop(struct message_cancel *cancel)
{
	if (!cancel)
		return;
	bus_call_cancel(cancel->call);
	free(cancel);
}
