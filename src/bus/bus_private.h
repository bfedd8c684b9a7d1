/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of src/bus share: the calls of one bus, and libdbus on the event loop.
 */
#pragma once

#include <dbus/dbus.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "bus/bus.h"

/*
 * Bus calls: the calls of one bus, a window of BUS_CALLS_MAX and a queue behind it.
 *
 * Private to src/bus/bus.c; other folders use bus_call() and bus_call_cancel() of bus.h.
 */

TAILQ_HEAD(bus_call_list, bus_call);

struct bus_calls {
	sd_event *loop;
	DBusConnection *connection; /* NULL if there is none */
	struct bus_call_list queued;
	struct bus_call_list pending;
	struct bus_call_list ended;
	size_t pending_count;
	uint64_t sent;		/* in total */
	sd_event_source *defer; /* delivers ended calls, fills the window */
	/* Made in advance, so that reporting a failure cannot fail. */
	DBusMessage *not_sent;
	DBusMessage *disconnected;
	DBusMessage *no_reply;
};

/* Returns 0 or -errno; call bus_calls_deinit() in either case. */
int bus_calls_init(struct bus_calls *calls, sd_event *loop);
void bus_calls_deinit(struct bus_calls *calls);

/* From now on calls use this connection (borrowed). */
void bus_calls_connect(struct bus_calls *calls, DBusConnection *connection);
/* Ends every call with the matching error; callbacks run in later iterations. */
void bus_calls_disconnect(struct bus_calls *calls);

/* See bus_call(). */
struct bus_call *bus_calls_add(struct bus_calls *calls, DBusMessage *message,
			       int timeout_ms, bus_reply reply, void *data);

/*
 * Bus pump: runs one libdbus connection on the event loop.
 *
 * libdbus keeps two watches on one descriptor, which epoll accepts only once: it is
 * registered with what both want. Messages are never dispatched from inside libdbus, and at
 * most BUS_PUMP_MESSAGES_MAX in one iteration of the loop.
 *
 * There are no timeouts: for a client libdbus makes them only for calls with a time limit,
 * and all our calls have DBUS_TIMEOUT_INFINITE (bus_call.c).
 */

enum {
	BUS_PUMP_MESSAGES_MAX = 64,
	BUS_PUMP_WATCHES_MAX = 2, /* one to read, one to write */
};

struct bus_pump {
	DBusConnection *connection; /* NULL if not running */
	sd_event *loop;
	sd_event_source *io;
	sd_event_source *dispatch;
	DBusWatch *watches[BUS_PUMP_WATCHES_MAX];
};

/* Borrows the connection until bus_pump_deinit(). Returns 0 or -errno. */
int bus_pump_init(struct bus_pump *pump, sd_event *loop, DBusConnection *connection);
/* Do not call it from inside a callback of the connection. A zeroed pump is fine. */
void bus_pump_deinit(struct bus_pump *pump);
