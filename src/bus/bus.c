/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life of the connection; one timer serves every state:
 *
 *     ABSENT         --- timer: probe started ------------------------> PROBING
 *     PROBING        --- answered: connected, Hello and matches sent -> AUTHENTICATING
 *     PROBING        --- timer: HELLO_TIMEOUT_MS passed --------------> ABSENT, timer: retry
 *     AUTHENTICATING --- Hello answered ------------------------------> READY, timer off
 *     AUTHENTICATING --- refused, or timer: HELLO_TIMEOUT_MS passed --> BROKEN or ABSENT
 *     READY          --- Disconnected --------------------------------> BROKEN, timer now
 *     BROKEN         --- timer: torn down ----------------------------> ABSENT, timer: retry
 *
 * BROKEN exists because libdbus reports the end from inside its dispatch, where the
 * connection must not be torn down. Hello goes first (the bus demands it) and the match rules
 * follow at once, so they are in force before anything that `connected` asks for is answered.
 */
#include "bus/bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "bus/bus_private.h"

#define SYSTEM_BUS_ADDRESS "unix:path=/var/run/dbus/system_bus_socket"

enum {
	HELLO_TIMEOUT_MS = 10000,
	RETRY_FIRST_MS = 250,
	RETRY_LAST_MS = 5000,
	TIMER_ACCURACY_US = 1000,
	FINISH_STEP_MS = 10,

	/*
	 * libdbus disconnects when the header of a larger message arrives, so oFono's
	 * answers must fit: some 20,000 names of a phonebook, or 30,000 queued messages.
	 * The bus policy (etc/dbus) keeps other senders away; where it is missing, this
	 * limits what they cost (tests/integration/test_bus_flood.py).
	 */
	MESSAGE_BYTES_MAX = 4 * 1024 * 1024,
	/* Read and not yet dispatched; then libdbus stops reading and stays connected. */
	RECEIVED_BYTES_MAX = 1024 * 1024,
	/* What a stock bus allows at once. We use none; libdbus closes them. */
	DESCRIPTORS_MAX = 16,
};

enum bus_state { BUS_ABSENT, BUS_PROBING, BUS_AUTHENTICATING, BUS_READY, BUS_BROKEN };

struct bus {
	sd_event *loop;
	char *address;
	const char *const *match_rules;
	const struct bus_handlers *handlers;
	void *data;

	enum bus_state state;
	bool reported_connected; /* so `disconnected` is due */
	bool warned;		 /* that the bus is absent, this time */
	sd_event_source *timer;
	unsigned int retry_ms; /* the next pause */

	struct bus_probe probe;
	DBusConnection *connection;
	DBusPendingCall *hello;
	struct bus_pump pump;
	struct bus_calls calls;
};

static void bus_set_timer(struct bus *bus, unsigned int after_ms)
{
	sd_event_source_set_time_relative(bus->timer, (uint64_t)after_ms * 1000);
	sd_event_source_set_enabled(bus->timer, SD_EVENT_ONESHOT);
}

static void bus_warn(struct bus *bus, const char *reason)
{
	if (!bus->warned)
		log_warning("bus: no connection to %s: %s; trying again", bus->address,
			    reason);
	bus->warned = true;
}

static void bus_mark_broken(struct bus *bus)
{
	bus->state = BUS_BROKEN;
	bus_set_timer(bus, 0);
}

static void bus_tear_down(struct bus *bus)
{
	bus_probe_stop(&bus->probe);
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

static void bus_retry_later(struct bus *bus)
{
	bool was_connected = bus->reported_connected;

	bus_tear_down(bus);
	bus->state = BUS_ABSENT;
	bus->reported_connected = false;
	bus_set_timer(bus, bus->retry_ms);
	bus->retry_ms *= 2;
	if (bus->retry_ms > RETRY_LAST_MS)
		bus->retry_ms = RETRY_LAST_MS;
	if (was_connected) {
		log_warning("bus: connection lost");
		bus->handlers->disconnected(bus->data);
	} else {
		bus->handlers->unreachable(bus->data);
	}
}

static DBusHandlerResult bus_on_message(DBusConnection *connection, DBusMessage *message,
					void *data)
{
	struct bus *bus = data;

	if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_SIGNAL)
		return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
	if (dbus_message_is_signal(message, DBUS_INTERFACE_LOCAL, "Disconnected")) {
		if (bus->state == BUS_AUTHENTICATING)
			bus_warn(bus, "it disconnects during authentication");
		bus_mark_broken(bus);
	} else if (bus->state == BUS_READY) {
		bus->handlers->signal(bus->data, message);
	}
	return DBUS_HANDLER_RESULT_HANDLED;
}

static void bus_become_ready(struct bus *bus, const char *unique_name)
{
	if (!dbus_bus_set_unique_name(bus->connection, unique_name)) {
		bus_mark_broken(bus);
		return;
	}
	log_info("bus: connected to %s as %s", bus->address, unique_name);
	bus->state = BUS_READY;
	bus->warned = false;
	bus->retry_ms = RETRY_FIRST_MS;
	sd_event_source_set_enabled(bus->timer, SD_EVENT_OFF);
	bus_calls_connect(&bus->calls, bus->connection);
	bus->reported_connected = true;
	bus->handlers->connected(bus->data);
}

static void bus_on_hello(DBusPendingCall *pending, void *data)
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
		bus_become_ready(bus, unique_name);
	} else {
		bus_warn(bus, error.message);
		dbus_error_free(&error);
		bus_mark_broken(bus);
	}
	dbus_message_unref(reply);
}

/* dbus_bus_register() would block until the answer. */
static bool bus_send_hello(struct bus *bus)
{
	DBusMessage *hello = dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "Hello");
	bool sent;

	if (!hello)
		return false;
	sent = dbus_connection_send_with_reply(bus->connection, hello, &bus->hello,
					       DBUS_TIMEOUT_INFINITE) &&
	       bus->hello &&
	       dbus_pending_call_set_notify(bus->hello, bus_on_hello, bus, NULL);
	dbus_message_unref(hello);
	return sent;
}

static bool bus_open_connection(struct bus *bus)
{
	DBusError error = DBUS_ERROR_INIT;

	bus->connection = dbus_connection_open_private(bus->address, &error);
	if (!bus->connection) {
		bus_warn(bus, error.message);
		dbus_error_free(&error);
		return false;
	}
	dbus_connection_set_exit_on_disconnect(bus->connection, FALSE);
	dbus_connection_set_max_message_size(bus->connection, MESSAGE_BYTES_MAX);
	dbus_connection_set_max_received_size(bus->connection, RECEIVED_BYTES_MAX);
	dbus_connection_set_max_message_unix_fds(bus->connection, DESCRIPTORS_MAX);
	dbus_connection_set_max_received_unix_fds(bus->connection, DESCRIPTORS_MAX);
	if (bus_pump_init(&bus->pump, bus->loop, bus->connection) < 0 ||
	    !dbus_connection_add_filter(bus->connection, bus_on_message, bus, NULL) ||
	    !bus_send_hello(bus)) {
		bus_warn(bus, "out of memory, or closed at once");
		return false;
	}
	/* Without a DBusError these calls neither wait nor ask for an answer. */
	for (const char *const *rule = bus->match_rules; *rule; rule++)
		dbus_bus_add_match(bus->connection, *rule, NULL);
	return true;
}

static void bus_connect(struct bus *bus)
{
	if (!bus_open_connection(bus)) {
		bus_retry_later(bus);
		return;
	}
	bus->state = BUS_AUTHENTICATING;
	bus_set_timer(bus, HELLO_TIMEOUT_MS);
}

static void bus_on_probe_answered(void *data)
{
	bus_connect(data);
}

static void bus_start_probe(struct bus *bus)
{
	int r = bus_probe_start(&bus->probe, bus->loop, bus->address);

	if (r == BUS_PROBE_E_NOT_UNIX) {
		bus_connect(bus);
	} else if (r < 0) {
		bus_warn(bus, r == -EAGAIN ? "it accepts no connections" : strerror(-r));
		bus_retry_later(bus);
	} else {
		bus->state = BUS_PROBING;
		bus_set_timer(bus, HELLO_TIMEOUT_MS);
	}
}

static int bus_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct bus *bus = data;

	if (bus->state == BUS_ABSENT) {
		bus_start_probe(bus);
		return 0;
	}
	if (bus->state != BUS_BROKEN)
		bus_warn(bus, "it does not answer");
	bus_retry_later(bus);
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
	bus->probe = (struct bus_probe){ .answered = bus_on_probe_answered, .data = bus };
	bus->address = strdup(address ? address : bus_default_address());
	r = bus_calls_init(&bus->calls, loop);
	if (r == 0 && !bus->address)
		r = -ENOMEM;
	if (r == 0)
		r = sd_event_add_time_relative(loop, &bus->timer, CLOCK_MONOTONIC, 0,
					       TIMER_ACCURACY_US, bus_on_timer, bus);
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
	bus_tear_down(bus);
	bus_calls_deinit(&bus->calls);
	sd_event_source_disable_unref(bus->timer);
	free(bus->address);
	free(bus);
}

void bus_finish(struct bus *bus, int timeout_ms)
{
	int64_t until_ms = clock_monotonic_ms() + timeout_ms;

	while (bus->connection && bus->calls.pending_count &&
	       clock_monotonic_ms() < until_ms)
		dbus_connection_read_write_dispatch(bus->connection, FINISH_STEP_MS);
}

uint64_t bus_calls_sent(const struct bus *bus)
{
	return bus->calls.sent;
}

/* libdbus may know that the connection ended before it dispatches Disconnected. */
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
