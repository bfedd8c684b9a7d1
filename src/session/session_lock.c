/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/session_lock.h"

#include <dbus/dbus.h>
#include <errno.h>
#include <stdlib.h>

#include "bus/bus.h"

enum { SESSION_LOCK_PLACES = 3, SESSION_LOCK_ANSWER_MS = 3000 };

/* A property if `property` is set, else a method without arguments. */
static const struct session_lock_place {
	bool is_on_system_bus;
	const char *name, *path, *interface, *method, *property;
} session_lock_places[SESSION_LOCK_PLACES] = {
	{ true, "org.freedesktop.login1", "/org/freedesktop/login1/session/auto",
	  DBUS_INTERFACE_PROPERTIES, "Get", "LockedHint" },
	{ false, "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver",
	  "org.freedesktop.ScreenSaver", "GetActive" },
	{ false, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver",
	  "org.gnome.ScreenSaver", "GetActive" },
};

struct session_lock {
	struct bus *session; /* borrowed */
	struct bus *system;
	struct bus_call *calls[SESSION_LOCK_PLACES]; /* NULL if answered */
	bool is_locked;				     /* one has said so */
	void (*known)(void *data, bool is_locked);
	void *data;
};

static void session_lock_report(struct session_lock *lock)
{
	for (unsigned i = 0; i < SESSION_LOCK_PLACES; i++) {
		if (lock->calls[i])
			return;
	}
	lock->known(lock->data, lock->is_locked);
}

/* Returns false if it is no answer to the question. */
static bool session_lock_read(DBusMessage *reply)
{
	DBusMessageIter value, inner;
	dbus_bool_t is_locked = FALSE;

	if (dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR ||
	    !dbus_message_iter_init(reply, &value))
		return false;
	if (dbus_message_iter_get_arg_type(&value) == DBUS_TYPE_VARIANT) {
		dbus_message_iter_recurse(&value, &inner);
		value = inner;
	}
	if (dbus_message_iter_get_arg_type(&value) == DBUS_TYPE_BOOLEAN)
		dbus_message_iter_get_basic(&value, &is_locked);
	return is_locked;
}

static void session_lock_on_answer(struct session_lock *lock, unsigned place,
				   DBusMessage *reply)
{
	lock->calls[place] = NULL;
	lock->is_locked |= session_lock_read(reply);
	session_lock_report(lock);
}

static void session_lock_on_logind(void *data, DBusMessage *reply)
{
	session_lock_on_answer(data, 0, reply);
}

static void session_lock_on_freedesktop(void *data, DBusMessage *reply)
{
	session_lock_on_answer(data, 1, reply);
}

static void session_lock_on_gnome(void *data, DBusMessage *reply)
{
	session_lock_on_answer(data, 2, reply);
}

static const bus_reply session_lock_replies[SESSION_LOCK_PLACES] = {
	session_lock_on_logind, session_lock_on_freedesktop, session_lock_on_gnome
};

/* Returns NULL if memory runs out. */
static DBusMessage *session_lock_new_question(const struct session_lock_place *place)
{
	DBusMessage *message = dbus_message_new_method_call(
		place->name, place->path, place->interface, place->method);
	const char *session = "org.freedesktop.login1.Session";

	if (message && place->property &&
	    !dbus_message_append_args(message, DBUS_TYPE_STRING, &session,
				      DBUS_TYPE_STRING, &place->property,
				      DBUS_TYPE_INVALID)) {
		dbus_message_unref(message);
		return NULL;
	}
	if (message)
		dbus_message_set_auto_start(message, FALSE);
	return message;
}

void session_lock_ask(struct session_lock *lock,
		      void (*known)(void *data, bool is_locked), void *data)
{
	bool asks = false;

	lock->known = known;
	lock->data = data;
	lock->is_locked = false;
	for (unsigned i = 0; i < SESSION_LOCK_PLACES; i++) {
		const struct session_lock_place *place = &session_lock_places[i];
		DBusMessage *message = session_lock_new_question(place);

		bus_call_cancel(lock->calls[i]);
		lock->calls[i] =
			message ? bus_call(place->is_on_system_bus ? lock->system
								   : lock->session,
					   message, SESSION_LOCK_ANSWER_MS,
					   session_lock_replies[i], lock)
				: NULL;
		asks |= lock->calls[i] != NULL;
		lock->is_locked |= !lock->calls[i]; /* no memory: rather not */
	}
	if (!asks)
		known(data, true);
}

static void session_lock_ignore(void *data)
{
}

static void session_lock_ignore_signal(void *data, DBusMessage *signal)
{
}

static const struct bus_handlers session_lock_bus_handlers = {
	.connected = session_lock_ignore,
	.disconnected = session_lock_ignore,
	.unreachable = session_lock_ignore,
	.signal = session_lock_ignore_signal,
};

int session_lock_new(sd_event *loop, struct bus *session, const char *system_address,
		     struct session_lock **lock_out)
{
	static const char *const no_rules[] = { NULL };
	struct session_lock *lock = calloc(1, sizeof(*lock));
	int error;

	if (!lock)
		return -ENOMEM;
	lock->session = session;
	error = bus_new(loop, system_address, no_rules, &session_lock_bus_handlers, lock,
			&lock->system);
	if (error < 0) {
		session_lock_free(lock);
		return error;
	}
	*lock_out = lock;
	return 0;
}

void session_lock_free(struct session_lock *lock)
{
	if (!lock)
		return;
	for (unsigned i = 0; i < SESSION_LOCK_PLACES; i++)
		bus_call_cancel(lock->calls[i]);
	bus_free(lock->system);
	free(lock);
}
