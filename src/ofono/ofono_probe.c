/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/ofono.h"

#include <dbus/dbus.h>
#include <stdlib.h>
#include <string.h>

#include "bus/bus.h"
#include "ofono/ofono_bus.h"

struct ofono_probe {
	DBusConnection *connection;
};

struct ofono_probe *ofono_probe_new(void)
{
	struct ofono_probe *probe;

	/* Without this check libdbus would wait for a bus that hangs, for ever. */
	if (bus_probe_wait(bus_default_address(), OFONO_PROBE_MS) < 0)
		return NULL;
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

/*
 * Takes `message`, which may be NULL. Returns NULL if there is no answer, or an error, which
 * `error` gets.
 */
static DBusMessage *ofono_probe_call(struct ofono_probe *probe, DBusMessage *message,
				     DBusError *error)
{
	DBusMessage *reply;

	if (!message)
		return NULL;
	reply = dbus_connection_send_with_reply_and_block(probe->connection, message,
							  OFONO_PROBE_MS, error);
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
	reply = ofono_probe_call(probe, message, NULL);
	if (reply) {
		dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &process,
				      DBUS_TYPE_INVALID);
		dbus_message_unref(reply);
	}
	return process;
}

bool ofono_probe_mentions(struct ofono_probe *probe, const char *path, const char *words)
{
	DBusMessage *reply = ofono_probe_call(
		probe,
		ofono_bus_message(path, DBUS_INTERFACE_INTROSPECTABLE, "Introspect"),
		NULL);
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

/* Takes `message`, which may be NULL. Does the answer have one of these error names? */
static bool ofono_probe_gets_error(struct ofono_probe *probe, DBusMessage *message,
				   const char *name, const char *other_name)
{
	DBusError error = DBUS_ERROR_INIT;
	DBusMessage *reply = ofono_probe_call(probe, message, &error);
	bool has_error = dbus_error_has_name(&error, name) ||
			 dbus_error_has_name(&error, other_name);

	if (reply)
		dbus_message_unref(reply);
	dbus_error_free(&error);
	return has_error;
}

#define OFONO_PROBE_ACCESS_DENIED "org.ofono.Error.AccessDenied"

bool ofono_probe_is_refused(struct ofono_probe *probe, const char *interface,
			    const char *method)
{
	return ofono_probe_gets_error(probe, ofono_bus_message("/", interface, method),
				      DBUS_ERROR_ACCESS_DENIED,
				      OFONO_PROBE_ACCESS_DENIED);
}

bool ofono_probe_may_not_send(struct ofono_probe *probe, const char *modem)
{
	return ofono_probe_gets_error(
		probe,
		ofono_bus_message_with(modem, "org.ofono.MessageManager", "SendMessage",
				       (const char *const[]){ "", "", NULL }),
		OFONO_PROBE_ACCESS_DENIED, OFONO_PROBE_ACCESS_DENIED);
}
