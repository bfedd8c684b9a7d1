/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/modem_manager.h"

#include <string.h>

#include "bus/property.h"
#include "ofono/interface.h"

static bool put_default(struct modem_manager *manager, DBusMessage *message)
{
	const char *path;

	return dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &path,
				     DBUS_TYPE_INVALID) &&
	       property_put_text(manager->default_path, sizeof(manager->default_path),
				 path);
}

static bool put_ready(struct modem_manager *manager, DBusMessage *message)
{
	bool before = manager->is_unready;
	dbus_bool_t ready;

	if (!dbus_message_get_args(message, NULL, DBUS_TYPE_BOOLEAN, &ready,
				   DBUS_TYPE_INVALID))
		return false;
	manager->is_unready = !ready;
	return manager->is_unready != before;
}

/* Each is asked once; its signal has the same arguments as the answer. */
static const struct {
	const char *method;
	const char *signal;
	bool (*put)(struct modem_manager *manager, DBusMessage *message);
} facts[MODEM_MANAGER_FACTS] = {
	{ "GetDefaultVoiceModem", "DefaultVoiceModemChanged", put_default },
	{ "GetReady", "ReadyChanged", put_ready },
};

static void put(struct modem_manager *manager, size_t at, DBusMessage *message)
{
	struct ofono_event event = { .type = OFONO_CHANGED };

	if (facts[at].put(manager, message))
		ofono_tell(manager->ofono, &event);
}

/* oFono of Debian knows no such method. Any other error leaves open whether it does. */
static bool says_absent(const char *error)
{
	return strcmp(error, DBUS_ERROR_UNKNOWN_METHOD) == 0 ||
	       strcmp(error, DBUS_ERROR_UNKNOWN_INTERFACE) == 0 ||
	       strcmp(error, DBUS_ERROR_UNKNOWN_OBJECT) == 0;
}

/* Who refuses with an error of its own knows the method. */
static const char own_error[] = "org.ofono.Error.";

static void on_answer(void *data, DBusMessage *reply)
{
	struct modem_manager_call *call = data;
	struct modem_manager *manager = call->manager;
	const char *error = dbus_message_get_error_name(reply);

	call->call = NULL;
	if (!error || strncmp(error, own_error, sizeof(own_error) - 1) == 0)
		manager->is_there = true;
	else
		manager->is_absent |= says_absent(error);
	if (!error)
		put(manager, (size_t)(call - manager->calls), reply);
	ofono_settled(manager->ofono);
}

bool modem_manager_is_asking(const struct modem_manager *manager)
{
	for (size_t at = 0; at < MODEM_MANAGER_FACTS; at++) {
		if (manager->calls[at].call)
			return !manager->is_there && !manager->is_absent;
	}
	return false;
}

void modem_manager_init(struct modem_manager *manager, struct ofono *ofono)
{
	manager->ofono = ofono;
	for (size_t at = 0; at < MODEM_MANAGER_FACTS; at++)
		manager->calls[at].manager = manager;
}

void modem_manager_start(struct modem_manager *manager)
{
	for (size_t at = 0; at < MODEM_MANAGER_FACTS; at++) {
		struct modem_manager_call *call = &manager->calls[at];
		DBusMessage *message =
			ofono_message("/", MODEM_MANAGER_INTERFACE, facts[at].method);

		if (message)
			call->call = bus_call(ofono_bus(manager->ofono), message,
					      OFONO_TIMEOUT_MS, on_answer, call);
	}
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

void modem_manager_signal(struct modem_manager *manager, DBusMessage *signal)
{
	for (size_t at = 0; at < MODEM_MANAGER_FACTS; at++) {
		if (dbus_message_has_member(signal, facts[at].signal))
			put(manager, at, signal);
	}
}
