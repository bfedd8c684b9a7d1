/* SPDX-License-Identifier: GPL-2.0-only */
#define OFONO_API_SUBJECT_TO_CHANGE

#include "status_report.h"

#include <stdio.h>

#include <ofono/dbus.h>
#include <ofono/log.h>

static bool append_arguments(DBusMessage *signal, const char *message_path,
			     bool delivered)
{
	dbus_bool_t value = delivered;
	DBusMessageIter arguments, properties;

	dbus_message_iter_init_append(signal, &arguments);
	if (!dbus_message_iter_append_basic(&arguments, DBUS_TYPE_STRING,
					    &message_path) ||
	    !dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY,
					      OFONO_PROPERTIES_ARRAY_SIGNATURE,
					      &properties))
		return false;
	ofono_dbus_dict_append(&properties, "Delivered", DBUS_TYPE_BOOLEAN, &value);
	return dbus_message_iter_close_container(&arguments, &properties);
}

void status_report_emit(const char *modem_path, const char *uuid, bool delivered)
{
	DBusConnection *connection = ofono_dbus_get_connection();
	char message_path[512];
	DBusMessage *signal;

	snprintf(message_path, sizeof(message_path), "%s/message_%s", modem_path, uuid);
	signal = dbus_message_new_signal(modem_path, STATUS_REPORT_INTERFACE,
					 "StatusReport");
	if (!connection || !signal ||
	    !append_arguments(signal, message_path, delivered) ||
	    !dbus_connection_send(connection, signal, NULL))
		ofono_error("ofono-mcp: the delivery report of %s was not signalled",
			    message_path);
	if (signal)
		dbus_message_unref(signal);
}
