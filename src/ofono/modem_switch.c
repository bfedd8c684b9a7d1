/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/modem_switch.h"

#include <stdlib.h>
#include <string.h>

#include "ofono/interface.h"

/* Longer than oFono gives its drivers, which is 20 s. */
enum { SWITCH_TIMEOUT_MS = 120000 };

struct modem_switch {
	struct bus_call *call;
	void (*done)(void *data, enum modem_switch_answer answer);
	void *data;
};

static enum modem_switch_answer answer_of(const char *error)
{
	static const struct {
		const char *error;
		enum modem_switch_answer answer;
	} rows[] = {
		{ DBUS_ERROR_ACCESS_DENIED, MODEM_SWITCH_REFUSED },
		{ "org.ofono.Error.AccessDenied", MODEM_SWITCH_REFUSED },
		{ "org.ofono.Error.NotAllowed", MODEM_SWITCH_REFUSED },
		{ "org.ofono.Error.InProgress", MODEM_SWITCH_BUSY },
		{ "org.ofono.Error.NotImplemented", MODEM_SWITCH_IMPOSSIBLE },
		{ "org.ofono.Error.EmergencyActive", MODEM_SWITCH_BUSY },
		{ DBUS_ERROR_NO_REPLY, MODEM_SWITCH_SILENT },
		{ DBUS_ERROR_DISCONNECTED, MODEM_SWITCH_UNREACHABLE },
		{ DBUS_ERROR_SERVICE_UNKNOWN, MODEM_SWITCH_UNREACHABLE },
		{ DBUS_ERROR_NAME_HAS_NO_OWNER, MODEM_SWITCH_UNREACHABLE },
		{ BUS_ERROR_NOT_SENT, MODEM_SWITCH_UNREACHABLE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(error, rows[i].error) == 0)
			return rows[i].answer;
	}
	return MODEM_SWITCH_NOT_NOW;
}

static void on_answered(void *data, DBusMessage *reply)
{
	struct modem_switch *self = data;
	const char *error = dbus_message_get_error_name(reply);

	self->done(self->data, error ? answer_of(error) : MODEM_SWITCH_DONE);
	free(self);
}

static bool append_boolean(DBusMessage *message, const char *name, bool on)
{
	DBusMessageIter arguments, variant;
	dbus_bool_t value = on;

	dbus_message_iter_init_append(message, &arguments);
	return dbus_message_iter_append_basic(&arguments, DBUS_TYPE_STRING, &name) &&
	       dbus_message_iter_open_container(&arguments, DBUS_TYPE_VARIANT,
						DBUS_TYPE_BOOLEAN_AS_STRING, &variant) &&
	       dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &value) &&
	       dbus_message_iter_close_container(&arguments, &variant);
}

/* NULL: no memory. */
static DBusMessage *make_call(const struct modem *modem,
			      enum modem_switch_property property, bool on)
{
	static const char *const names[] = {
		[MODEM_SWITCH_POWERED] = "Powered",
		[MODEM_SWITCH_ONLINE] = "Online",
	};
	DBusMessage *message =
		ofono_message(modem->path, interface_modem.name, "SetProperty");

	if (message && append_boolean(message, names[property], on))
		return message;
	if (message)
		dbus_message_unref(message);
	return NULL;
}

struct modem_switch *modem_switch(
	struct modem *modem, enum modem_switch_property property, bool on,
	void (*done)(void *data, enum modem_switch_answer answer), void *data)
{
	struct modem_switch *self = calloc(1, sizeof(*self));
	DBusMessage *message;

	if (!self)
		return NULL;
	self->done = done;
	self->data = data;
	message = make_call(modem, property, on);
	if (message)
		self->call = bus_call(ofono_bus(modem->ofono), message, SWITCH_TIMEOUT_MS,
				      on_answered, self);
	if (!self->call) {
		free(self);
		return NULL;
	}
	return self;
}

void modem_switch_stop(struct modem_switch *self)
{
	if (!self)
		return;
	bus_call_cancel(self->call);
	free(self);
}
