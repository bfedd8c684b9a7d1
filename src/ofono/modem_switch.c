/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "ofono/modem.h"
#include "ofono/ofono_bus.h"

/* Longer than oFono gives its drivers, which is 20 s. */
enum { MODEM_SWITCH_TIMEOUT_MS = 120 * 1000 };

struct modem_switch {
	struct bus_call *call;
	void (*done)(void *data, enum modem_switch_outcome outcome);
	void *data;
};

static void modem_switch_on_reply(void *data, DBusMessage *reply)
{
	static const struct ofono_bus_outcome rows[] = {
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
		{ NULL, MODEM_SWITCH_NOT_NOW },
	};
	struct modem_switch *self = data;
	const char *error = dbus_message_get_error_name(reply);
	int outcome = error ? ofono_bus_outcome(rows, error) : MODEM_SWITCH_DONE;

	self->done(self->data, (enum modem_switch_outcome)outcome);
	free(self);
}

struct modem_switch *modem_switch(
	struct modem *modem, enum modem_switch_target target, bool on,
	void (*done)(void *data, enum modem_switch_outcome outcome), void *data)
{
	struct modem_switch *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->done = done;
	self->data = data;
	self->call = ofono_bus_call(
		modem->bus,
		ofono_bus_set_boolean(
			modem->path, "org.ofono.Modem",
			target == MODEM_SWITCH_POWERED ? "Powered" : "Online", on),
		MODEM_SWITCH_TIMEOUT_MS, modem_switch_on_reply, self);
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
