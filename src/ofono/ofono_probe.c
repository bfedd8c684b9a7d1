/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/ofono_probe.h"

#include <dbus/dbus.h>
#include <stdlib.h>
#include <string.h>

#include "bus/bus.h"
#include "bus/bus_knock.h"
#include "ofono/interface.h"

struct ofono_probe {
	DBusConnection *connection;
};

struct ofono_probe *ofono_probe_new(void)
{
	struct ofono_probe *probe;

	if (bus_knock_and_wait(bus_default_address(), OFONO_PROBE_MS) < 0)
		return NULL; /* libdbus would wait for it, with a frozen one for ever */
	probe = calloc(1, sizeof(*probe));
	if (!probe)
		return NULL;
	probe->connection = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
	if (!probe->connection) {
		free(probe);
		return NULL;
	}
	dbus_connection_set_exit_on_disconnect(probe->connection, FALSE);
	return probe;
}

void ofono_probe_free(struct ofono_probe *probe)
{
	if (!probe)
		return;
	dbus_connection_close(probe->connection);
	dbus_connection_unref(probe->connection);
	free(probe);
}

/* `message` is taken. NULL: an error, or no answer. */
static DBusMessage *ask(struct ofono_probe *probe, DBusMessage *message)
{
	DBusMessage *reply = NULL;

	if (message)
		reply = dbus_connection_send_with_reply_and_block(
			probe->connection, message, OFONO_PROBE_MS, NULL);
	if (message)
		dbus_message_unref(message);
	return reply;
}

int64_t ofono_probe_process(struct ofono_probe *probe)
{
	const char *name = OFONO_NAME;
	DBusMessage *message = dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS,
		"GetConnectionUnixProcessID");
	DBusMessage *reply;
	dbus_uint32_t process = 0;

	if (message)
		dbus_message_append_args(message, DBUS_TYPE_STRING, &name,
					 DBUS_TYPE_INVALID);
	reply = ask(probe, message);
	if (reply) {
		dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &process,
				      DBUS_TYPE_INVALID);
		dbus_message_unref(reply);
	}
	return process;
}

bool ofono_probe_mentions(struct ofono_probe *probe, const char *path, const char *words)
{
	DBusMessage *reply = ask(
		probe, ofono_message(path, DBUS_INTERFACE_INTROSPECTABLE, "Introspect"));
	const char *text = "";
	bool mentions;

	if (!reply)
		return false;
	mentions = dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &text,
					 DBUS_TYPE_INVALID) &&
		   strstr(text, words);
	dbus_message_unref(reply);
	return mentions;
}

#define OFONO_ACCESS_DENIED "org.ofono.Error.AccessDenied"

/* `message` is taken; `error` is to be freed. */
static void ask_for_error(struct ofono_probe *probe, DBusMessage *message,
			  DBusError *error)
{
	DBusMessage *reply = dbus_connection_send_with_reply_and_block(
		probe->connection, message, OFONO_PROBE_MS, error);

	dbus_message_unref(message);
	if (reply)
		dbus_message_unref(reply);
}

bool ofono_probe_is_refused(struct ofono_probe *probe, const char *interface,
			    const char *method)
{
	DBusMessage *message = ofono_message("/", interface, method);
	DBusError error = DBUS_ERROR_INIT;
	bool refused;

	if (!message)
		return false;
	ask_for_error(probe, message, &error);
	refused = dbus_error_has_name(&error, DBUS_ERROR_ACCESS_DENIED) ||
		  dbus_error_has_name(&error, OFONO_ACCESS_DENIED);
	dbus_error_free(&error);
	return refused;
}

bool ofono_probe_may_not_send(struct ofono_probe *probe, const char *modem)
{
	DBusMessage *message =
		ofono_message(modem, "org.ofono.MessageManager", "SendMessage");
	DBusError error = DBUS_ERROR_INIT;
	const char *nothing = "";
	bool refused;

	if (!message)
		return false;
	if (!dbus_message_append_args(message, DBUS_TYPE_STRING, &nothing,
				      DBUS_TYPE_STRING, &nothing, DBUS_TYPE_INVALID)) {
		dbus_message_unref(message);
		return false;
	}
	ask_for_error(probe, message, &error);
	refused = dbus_error_has_name(&error, OFONO_ACCESS_DENIED);
	dbus_error_free(&error);
	return refused;
}
