/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/message_cancel.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "ofono/interface.h"

struct message_cancel {
	struct ofono *ofono;
	char uuid[MESSAGE_UUID_BYTES];
	struct bus_call *call; /* GetMessages, then Cancel */
	void (*done)(void *data, enum cancel_outcome outcome);
	void *data;
};

static void cancel_end(struct message_cancel *cancel, enum cancel_outcome outcome)
{
	cancel->done(cancel->data, outcome);
	free(cancel);
}

/* What is in no row may have been executed. */
static enum cancel_outcome outcome_of(const char *error)
{
	static const char refused[] = "org.ofono.Error.";
	static const struct {
		const char *error;
		enum cancel_outcome outcome;
	} rows[] = {
		{ DBUS_ERROR_UNKNOWN_OBJECT, CANCEL_NOT_THERE },
		{ DBUS_ERROR_UNKNOWN_METHOD, CANCEL_NOT_THERE },
		{ DBUS_ERROR_UNKNOWN_INTERFACE, CANCEL_NOT_THERE },
		{ DBUS_ERROR_ACCESS_DENIED, CANCEL_REFUSED },
		{ BUS_ERROR_NOT_SENT, CANCEL_NOT_ASKED },
	};

	if (strncmp(error, refused, sizeof(refused) - 1) == 0)
		return CANCEL_REFUSED;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(error, rows[i].error) == 0)
			return rows[i].outcome;
	}
	return CANCEL_UNKNOWN;
}

static void on_cancelled(void *data, DBusMessage *reply)
{
	struct message_cancel *cancel = data;
	const char *error = dbus_message_get_error_name(reply);

	if (error)
		log_info("ofono: message %s: not cancelled: %s", cancel->uuid, error);
	cancel_end(cancel, error ? outcome_of(error) : CANCEL_DONE);
}

/* The path of our message in a reply to GetMessages; NULL: it is not there. */
static const char *find_path(const struct message_cancel *cancel, DBusMessage *reply)
{
	DBusMessageIter array, element, message;
	char uuid[MESSAGE_UUID_BYTES];
	const char *path;

	dbus_message_iter_init(reply, &array);
	dbus_message_iter_recurse(&array, &element);
	for (; dbus_message_iter_get_arg_type(&element) == DBUS_TYPE_STRUCT;
	     dbus_message_iter_next(&element)) {
		dbus_message_iter_recurse(&element, &message);
		dbus_message_iter_get_basic(&message, &path);
		message_uuid(path, uuid);
		if (strcmp(uuid, cancel->uuid) == 0)
			return path;
	}
	return NULL;
}

static bool cancel_call(struct message_cancel *cancel, DBusMessage *message,
			bus_reply reply)
{
	cancel->call = message ? bus_call(ofono_bus(cancel->ofono), message,
					  OFONO_TIMEOUT_MS, reply, cancel)
			       : NULL;
	return cancel->call != NULL;
}

/* Nothing was cancelled yet, so whatever goes wrong here leaves the message alone. */
static void on_listed(void *data, DBusMessage *reply)
{
	struct message_cancel *cancel = data;
	const char *path;

	if (!dbus_message_has_signature(reply, "a(oa{sv})")) {
		cancel_end(cancel, CANCEL_NOT_ASKED);
		return;
	}
	path = find_path(cancel, reply);
	if (!path)
		cancel_end(cancel, CANCEL_NOT_THERE);
	else if (!cancel_call(cancel,
			      ofono_message(path, interface_message.name, "Cancel"),
			      on_cancelled))
		cancel_end(cancel, CANCEL_NOT_ASKED);
}

struct message_cancel *message_cancel(struct modem *modem, const char *uuid,
				      void (*done)(void *data,
						   enum cancel_outcome outcome),
				      void *data)
{
	struct message_cancel *cancel = calloc(1, sizeof(*cancel));

	if (!cancel)
		return NULL;
	cancel->ofono = modem->ofono;
	strncpy(cancel->uuid, uuid, sizeof(cancel->uuid) - 1);
	cancel->done = done;
	cancel->data = data;
	if (!cancel_call(cancel,
			 ofono_message(modem->path, interface_message_manager.name,
				       "GetMessages"),
			 on_listed)) {
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
