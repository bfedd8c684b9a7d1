/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/manager.h"

#include <string.h>

#include "bus/property.h"

static bool modem_manager_store_default(struct modem_manager *manager,
					DBusMessage *message)
{
	const char *path;

	return dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &path,
				     DBUS_TYPE_INVALID) &&
	       property_put_text(manager->default_path, sizeof(manager->default_path),
				 path);
}

static bool modem_manager_store_ready(struct modem_manager *manager, DBusMessage *message)
{
	bool before = manager->is_unready;
	dbus_bool_t ready;

	if (!dbus_message_get_args(message, NULL, DBUS_TYPE_BOOLEAN, &ready,
				   DBUS_TYPE_INVALID))
		return false;
	manager->is_unready = !ready;
	return manager->is_unready != before;
}

/* A method that is called once, and a signal with the same arguments as its answer. */
static const struct {
	const char *method;
	const char *signal;
	bool (*store)(struct modem_manager *manager, DBusMessage *message);
} modem_manager_facts[MODEM_MANAGER_FACTS] = {
	{ "GetDefaultVoiceModem", "DefaultVoiceModemChanged",
	  modem_manager_store_default },
	{ "GetReady", "ReadyChanged", modem_manager_store_ready },
};

static void modem_manager_store(struct modem_manager *manager, size_t at,
				DBusMessage *message)
{
	struct ofono_event event = { .type = OFONO_CHANGED };

	if (modem_manager_facts[at].store(manager, message))
		ofono_bus_report(manager->bus, &event);
}

static void modem_manager_on_reply(void *data, DBusMessage *reply)
{
	/* Debian's oFono lacks the method. Any other error leaves open whether it exists. */
	static const struct ofono_bus_outcome absent[] = {
		{ DBUS_ERROR_UNKNOWN_METHOD, true },
		{ DBUS_ERROR_UNKNOWN_INTERFACE, true },
		{ DBUS_ERROR_UNKNOWN_OBJECT, true },
		{ NULL, false },
	};
	struct modem_manager_call *call = data;
	struct modem_manager *manager = call->manager;
	const char *error = dbus_message_get_error_name(reply);
	bool was_known = manager->is_there || manager->is_absent;

	call->call = NULL;
	/* An oFono that refuses with an error of its own has the method. */
	if (!error || ofono_bus_is_ofono_error(error))
		manager->is_there = true;
	else
		manager->is_absent |= ofono_bus_outcome(absent, error) != 0;
	if (!was_known && (manager->is_there || manager->is_absent))
		ofono_bus_report(manager->bus,
				 &(struct ofono_event){ .type = OFONO_CHANGED });
	if (!error)
		modem_manager_store(manager, (size_t)(call - manager->calls), reply);
	ofono_bus_settled(manager->bus);
}

bool modem_manager_is_asking(const struct modem_manager *manager)
{
	for (size_t at = 0; at < MODEM_MANAGER_FACTS; at++) {
		if (manager->calls[at].call)
			return !manager->is_there && !manager->is_absent;
	}
	return false;
}

void modem_manager_init(struct modem_manager *manager, struct ofono_bus *bus)
{
	manager->bus = bus;
	for (size_t at = 0; at < MODEM_MANAGER_FACTS; at++)
		manager->calls[at].manager = manager;
}

void modem_manager_start(struct modem_manager *manager)
{
	for (size_t at = 0; at < MODEM_MANAGER_FACTS; at++)
		manager->calls[at].call = ofono_bus_call(
			manager->bus,
			ofono_bus_message("/", MODEM_MANAGER_INTERFACE,
					  modem_manager_facts[at].method),
			OFONO_TIMEOUT_MS, modem_manager_on_reply, &manager->calls[at]);
}

void modem_manager_stop(struct modem_manager *manager)
{
	for (size_t at = 0; at < MODEM_MANAGER_FACTS; at++) {
		bus_call_cancel(manager->calls[at].call);
		manager->calls[at].call = NULL;
	}
	memset(manager->default_path, 0, sizeof(manager->default_path));
	manager->is_unready = false;
	manager->is_there = manager->is_absent = false;
}

void modem_manager_on_signal(struct modem_manager *manager, DBusMessage *signal)
{
	for (size_t at = 0; at < MODEM_MANAGER_FACTS; at++) {
		if (dbus_message_has_member(signal, modem_manager_facts[at].signal))
			modem_manager_store(manager, at, signal);
	}
}
