/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/modem.h"

#include <stdlib.h>
#include <string.h>

#include "ofono/ofono_bus.h"

/* Longer than oFono gives its drivers, which is 20 s. */
enum { MODEM_SWITCH_TIMEOUT_MS = 120 * 1000 };

struct modem_switch {
	struct bus_call *call;
	void (*done)(void *data, enum modem_switch_outcome outcome);
	void *data;
};

bool modem_is_registered(const struct modem *modem)
{
	return strcmp(modem->network.status, "registered") == 0 ||
	       strcmp(modem->network.status, "roaming") == 0;
}

bool modem_can_send(const struct modem *modem)
{
	return (modem->interfaces & MODEM_MESSAGE_MANAGER) && modem_is_registered(modem);
}

bool modem_is_foreign(const struct modem *modem)
{
	return strcmp(modem->type, "hfp") == 0;
}

bool modem_has_calls(const struct modem *modem)
{
	return modem->interfaces & MODEM_VOICE_CALL_MANAGER;
}

bool modem_has_ussd(const struct modem *modem)
{
	return modem->interfaces & MODEM_SUPPLEMENTARY_SERVICES;
}

bool modem_awaits_ussd_reply(const struct modem *modem)
{
	return strcmp(modem->ussd_state, "user-response") == 0;
}

enum modem_sim_lock modem_sim_lock_of(const struct modem_sim *sim)
{
	static const struct {
		const char *pin_required;
		enum modem_sim_lock lock;
	} rows[] = {
		{ "", SIM_LOCK_NONE },	   { "none", SIM_LOCK_NONE },
		{ "pin2", SIM_LOCK_NONE }, { "puk2", SIM_LOCK_NONE },
		{ "pin", SIM_LOCK_PIN },   { "puk", SIM_LOCK_PUK },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(sim->pin_required, rows[i].pin_required) == 0)
			return rows[i].lock;
	}
	return SIM_LOCK_OTHER;
}

bool modem_sim_is_restricted(const struct modem_sim *sim)
{
	return sim->fixed_dialing || sim->barred_dialing;
}

static bool modem_identities_match(const char *one, const char *other)
{
	return *one && strcmp(one, other) == 0;
}

bool modem_sim_is_same(const struct modem_sim *one, const struct modem_sim *other)
{
	return one->present && other->present &&
	       (modem_identities_match(one->subscriber_identity,
				       other->subscriber_identity) ||
		modem_identities_match(one->card_identifier, other->card_identifier));
}

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
