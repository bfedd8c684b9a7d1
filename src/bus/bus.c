/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life of the connection; one timer serves every state:
 *
 *     ABSENT   --- timer: knocked --------------------------------> KNOCKING
 *     KNOCKING --- answered: connected, Hello, match rules out ---> GREETING
 *     KNOCKING --- timer: HELLO_TIMEOUT_MS passed ----------------> ABSENT, timer: retry
 *     GREETING --- Hello answered --------------------------------> READY, timer off
 *     GREETING --- refused, or timer: HELLO_TIMEOUT_MS passed ----> BROKEN or ABSENT
 *     READY    --- Disconnected ----------------------------------> BROKEN, timer now
 *     BROKEN   --- timer: taken apart ----------------------------> ABSENT, timer: retry
 *
 * BROKEN exists because libdbus tells of the end from inside its dispatch, where the
 * connection must not be taken apart.
 *
 * Hello goes first (the bus demands it) and the match rules follow in the same breath, so
 * what `connected` asks for is answered after they are in force.
 */
#include "bus/bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bus/bus_calls.h"
#include "bus/bus_knock.h"
#include "bus/bus_pump.h"

#define SYSTEM_BUS_ADDRESS "unix:path=/var/run/dbus/system_bus_socket"

enum {
	HELLO_TIMEOUT_MS = 10000,
	RETRY_FIRST_MS = 250,
	RETRY_LAST_MS = 5000,
	TIMER_ACCURACY_US = 1000,

	/*
	 * libdbus hangs up on a larger message, at its header, so what oFono answers must
	 * fit: some 20,000 names of a phonebook, or 30,000 queued messages. The bus policy
	 * (etc/dbus) keeps other senders away; where it is missing, this bounds what they
	 * cost. tests/integration/test_bus_flood.py
	 */
	MESSAGE_BYTES_MAX = 4 * 1024 * 1024,
	/* Read and not yet dispatched; libdbus then stops reading and stays connected. */
	RECEIVED_BYTES_MAX = 1024 * 1024,
	/* What a stock bus lets through at once. We use none; libdbus closes them. */
	DESCRIPTORS_MAX = 16,
};

enum bus_state { BUS_ABSENT, BUS_KNOCKING, BUS_GREETING, BUS_READY, BUS_BROKEN };

struct bus {
	sd_event *loop;
	char *address;
	const char *const *match_rules;
	const struct bus_handlers *handlers;
	void *data;

	enum bus_state state;
	bool told_connected; /* `disconnected` is owed */
	bool complained;     /* of the bus being absent, this time */
	sd_event_source *timer;
	unsigned int retry_ms; /* the next pause */

	struct bus_knock knock;
	DBusConnection *connection;
	DBusPendingCall *hello;
	struct bus_pump pump;
	struct bus_calls calls;
};

static void set_timer(struct bus *bus, unsigned int after_ms)
{
	sd_event_source_set_time_relative(bus->timer, (uint64_t)after_ms * 1000);
	sd_event_source_set_enabled(bus->timer, SD_EVENT_ONESHOT);
}

static void complain(struct bus *bus, const char *reason)
{
	if (!bus->complained)
		log_warning("bus: no connection to %s: %s; trying again", bus->address,
			    reason);
	bus->complained = true;
}

static void break_off(struct bus *bus)
{
	bus->state = BUS_BROKEN;
	set_timer(bus, 0);
}

static void take_apart(struct bus *bus)
{
	bus_knock_stop(&bus->knock);
	if (bus->hello) {
		dbus_pending_call_cancel(bus->hello);
		dbus_pending_call_unref(bus->hello);
		bus->hello = NULL;
	}
	bus_calls_disconnect(&bus->calls);
	if (!bus->connection)
		return;
	dbus_connection_close(bus->connection);
	bus_pump_deinit(&bus->pump);
	dbus_connection_unref(bus->connection);
	bus->connection = NULL;
}

static void give_up(struct bus *bus)
{
	bool told = bus->told_connected;

	take_apart(bus);
	bus->state = BUS_ABSENT;
	bus->told_connected = false;
	set_timer(bus, bus->retry_ms);
	bus->retry_ms *= 2;
	if (bus->retry_ms > RETRY_LAST_MS)
		bus->retry_ms = RETRY_LAST_MS;
	if (told) {
		log_warning("bus: connection lost");
		bus->handlers->disconnected(bus->data);
	} else {
		bus->handlers->unreachable(bus->data);
	}
}

static void on_disconnected(struct bus *bus)
{
	if (bus->state == BUS_GREETING)
		complain(bus, "it hangs up before it greets");
	break_off(bus);
}

static DBusHandlerResult on_message(DBusConnection *connection, DBusMessage *message,
				    void *data)
{
	struct bus *bus = data;

	(void)connection;
	if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_SIGNAL)
		return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
	if (dbus_message_is_signal(message, DBUS_INTERFACE_LOCAL, "Disconnected"))
		on_disconnected(bus);
	else if (bus->state == BUS_READY)
		bus->handlers->signal(bus->data, message);
	return DBUS_HANDLER_RESULT_HANDLED;
}

static void greeted(struct bus *bus, const char *unique_name)
{
	if (!dbus_bus_set_unique_name(bus->connection, unique_name)) {
		break_off(bus);
		return;
	}
	log_info("bus: connected to %s as %s", bus->address, unique_name);
	bus->state = BUS_READY;
	bus->complained = false;
	bus->retry_ms = RETRY_FIRST_MS;
	sd_event_source_set_enabled(bus->timer, SD_EVENT_OFF);
	bus_calls_connect(&bus->calls, bus->connection);
	bus->told_connected = true;
	bus->handlers->connected(bus->data);
}

static void on_hello(DBusPendingCall *pending, void *data)
{
	struct bus *bus = data;
	DBusMessage *reply = dbus_pending_call_steal_reply(pending);
	DBusError error = DBUS_ERROR_INIT;
	const char *unique_name;

	dbus_pending_call_unref(bus->hello);
	bus->hello = NULL;
	if (!dbus_set_error_from_message(&error, reply) &&
	    dbus_message_get_args(reply, &error, DBUS_TYPE_STRING, &unique_name,
				  DBUS_TYPE_INVALID)) {
		greeted(bus, unique_name);
	} else {
		complain(bus, error.message);
		dbus_error_free(&error);
		break_off(bus);
	}
	dbus_message_unref(reply);
}

/* dbus_bus_register() would wait for the answer. */
static bool send_hello(struct bus *bus)
{
	DBusMessage *hello = dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "Hello");
	bool sent;

	if (!hello)
		return false;
	sent = dbus_connection_send_with_reply(bus->connection, hello, &bus->hello,
					       DBUS_TIMEOUT_INFINITE) &&
	       bus->hello &&
	       dbus_pending_call_set_notify(bus->hello, on_hello, bus, NULL);
	dbus_message_unref(hello);
	return sent;
}

static bool open_connection(struct bus *bus)
{
	DBusError error = DBUS_ERROR_INIT;

	bus->connection = dbus_connection_open_private(bus->address, &error);
	if (!bus->connection) {
		complain(bus, error.message);
		dbus_error_free(&error);
		return false;
	}
	dbus_connection_set_exit_on_disconnect(bus->connection, FALSE);
	dbus_connection_set_max_message_size(bus->connection, MESSAGE_BYTES_MAX);
	dbus_connection_set_max_received_size(bus->connection, RECEIVED_BYTES_MAX);
	dbus_connection_set_max_message_unix_fds(bus->connection, DESCRIPTORS_MAX);
	dbus_connection_set_max_received_unix_fds(bus->connection, DESCRIPTORS_MAX);
	if (bus_pump_init(&bus->pump, bus->loop, bus->connection) < 0 ||
	    !dbus_connection_add_filter(bus->connection, on_message, bus, NULL) ||
	    !send_hello(bus)) {
		complain(bus, "out of memory, or closed at once");
		return false;
	}
	/* Without an error to fill in, these calls neither wait nor want an answer. */
	for (const char *const *rule = bus->match_rules; *rule; rule++)
		dbus_bus_add_match(bus->connection, *rule, NULL);
	return true;
}

static void connect_now(struct bus *bus)
{
	if (!open_connection(bus)) {
		give_up(bus);
		return;
	}
	bus->state = BUS_GREETING;
	set_timer(bus, HELLO_TIMEOUT_MS);
}

static void on_knock_answered(void *data)
{
	connect_now(data);
}

static void knock(struct bus *bus)
{
	int r = bus_knock_start(&bus->knock, bus->loop, bus->address);

	if (r == BUS_KNOCK_E_NO_DOOR) {
		connect_now(bus);
	} else if (r < 0) {
		complain(bus, r == -EAGAIN ? "it takes nobody up" : strerror(-r));
		give_up(bus);
	} else {
		bus->state = BUS_KNOCKING;
		set_timer(bus, HELLO_TIMEOUT_MS);
	}
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct bus *bus = data;

	(void)source;
	(void)usec;
	if (bus->state == BUS_ABSENT) {
		knock(bus);
		return 0;
	}
	if (bus->state != BUS_BROKEN)
		complain(bus, "it does not greet");
	give_up(bus);
	return 0;
}

const char *bus_default_address(void)
{
	const char *address = secure_getenv("DBUS_SYSTEM_BUS_ADDRESS");

	return address && *address ? address : SYSTEM_BUS_ADDRESS;
}

int bus_new(sd_event *loop, const char *address, const char *const *match_rules,
	    const struct bus_handlers *handlers, void *data, struct bus **bus_out)
{
	struct bus *bus = calloc(1, sizeof(*bus));
	int r;

	if (!bus)
		return -ENOMEM;
	bus->loop = loop;
	bus->match_rules = match_rules;
	bus->handlers = handlers;
	bus->data = data;
	bus->retry_ms = RETRY_FIRST_MS;
	bus->knock = (struct bus_knock){ .answered = on_knock_answered, .data = bus };
	bus->address = strdup(address ? address : bus_default_address());
	r = bus_calls_init(&bus->calls, loop);
	if (r == 0 && !bus->address)
		r = -ENOMEM;
	if (r == 0)
		r = sd_event_add_time_relative(loop, &bus->timer, CLOCK_MONOTONIC, 0,
					       TIMER_ACCURACY_US, on_timer, bus);
	if (r < 0) {
		bus_free(bus);
		return r;
	}
	*bus_out = bus;
	return 0;
}

void bus_free(struct bus *bus)
{
	if (!bus)
		return;
	take_apart(bus);
	bus_calls_deinit(&bus->calls);
	sd_event_source_disable_unref(bus->timer);
	free(bus->address);
	free(bus);
}

/* libdbus may know of the end before its Disconnected was dispatched. */
uint64_t bus_calls_sent(const struct bus *bus)
{
	return bus->calls.launched;
}

bool bus_is_connected(const struct bus *bus)
{
	return bus->state == BUS_READY &&
	       dbus_connection_get_is_connected(bus->connection);
}

const char *bus_address(const struct bus *bus)
{
	return bus->address;
}

sd_event *bus_loop(const struct bus *bus)
{
	return bus->loop;
}

struct bus_call *bus_call(struct bus *bus, DBusMessage *message, int timeout_ms,
			  bus_reply reply, void *data)
{
	return bus_calls_add(&bus->calls, message, timeout_ms, reply, data);
}
