/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#ifndef BUS_BUS_PUMP_H
#define BUS_BUS_PUMP_H

#include <dbus/dbus.h>
#include <systemd/sd-event.h>

enum {
	BUS_PUMP_MESSAGES_MAX = 64,
	BUS_PUMP_WATCHES_MAX = 2, /* one to read, one to write */
};

struct bus_pump {
	DBusConnection *connection; /* NULL: not running */
	sd_event *loop;
	sd_event_source *io;
	sd_event_source *dispatch;
	DBusWatch *watches[BUS_PUMP_WATCHES_MAX];
};

/* Borrows the connection until bus_pump_deinit(). 0 or -errno. */
int bus_pump_init(struct bus_pump *pump, sd_event *loop, DBusConnection *connection);
/* Not from inside a callback of the connection. Fine on a zeroed pump. */
void bus_pump_deinit(struct bus_pump *pump);

#endif
