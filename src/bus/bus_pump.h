/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bus pump: moves one libdbus connection along, on the event loop.
 *
 * libdbus keeps two watches on one descriptor, which epoll takes only once: the descriptor
 * is registered with what both want. Messages are dispatched from a deferred source, never
 * from inside libdbus, and no more than BUS_PUMP_MESSAGES_MAX in one turn of the loop.
 *
 * There are no timeouts to serve: the only ones libdbus makes for a client belong to calls
 * with a time limit, and we make all calls with DBUS_TIMEOUT_INFINITE (see bus_calls.h).
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
	DBusConnection *connection;
	sd_event *loop;
	sd_event_source *io;
	sd_event_source *dispatch;
	DBusWatch *watches[BUS_PUMP_WATCHES_MAX];
};

/* The connection is borrowed until bus_pump_deinit(). 0 or -errno. */
int bus_pump_init(struct bus_pump *pump, sd_event *loop, DBusConnection *connection);
/* Not from inside a callback of the connection. Fine on a zeroed pump. */
void bus_pump_deinit(struct bus_pump *pump);

#endif
