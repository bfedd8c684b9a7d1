/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of bytes and messages:
 *
 *     descriptor ready -> dbus_watch_handle() -> libdbus' queues -> filters, pending calls
 *
 * Messages are dispatched right after reading, or from a deferred source when libdbus reports
 * at another time that some are waiting; the source is off once the queue is empty.
 *
 * In a flood more is read before the iteration ends, because libdbus reads only 2 KiB at a
 * time, and users that batch per iteration get larger batches (sms/inbox.h).
 */
#include "bus/bus_private.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>

/* Messages from one read that make it worth another system call. */
enum { PUMP_FLOOD_MESSAGES = 4 };

static uint32_t bus_pump_wanted_events(const struct bus_pump *pump)
{
	uint32_t events = 0;

	for (size_t i = 0; i < BUS_PUMP_WATCHES_MAX; i++) {
		DBusWatch *watch = pump->watches[i];

		if (!watch || !dbus_watch_get_enabled(watch))
			continue;
		if (dbus_watch_get_flags(watch) & DBUS_WATCH_READABLE)
			events |= EPOLLIN;
		if (dbus_watch_get_flags(watch) & DBUS_WATCH_WRITABLE)
			events |= EPOLLOUT;
	}
	return events;
}

static unsigned int bus_pump_watch_flags(uint32_t revents)
{
	unsigned int flags = 0;

	if (revents & EPOLLIN)
		flags |= DBUS_WATCH_READABLE;
	if (revents & EPOLLOUT)
		flags |= DBUS_WATCH_WRITABLE;
	if (revents & EPOLLHUP)
		flags |= DBUS_WATCH_HANGUP;
	if (revents & EPOLLERR)
		flags |= DBUS_WATCH_ERROR;
	return flags;
}

/* Reads what has arrived, possibly nothing. */
static DBusDispatchStatus bus_pump_read_more(const struct bus_pump *pump)
{
	for (size_t i = 0; i < BUS_PUMP_WATCHES_MAX; i++) {
		DBusWatch *watch = pump->watches[i];

		if (watch && dbus_watch_get_enabled(watch) &&
		    dbus_watch_get_flags(watch) & DBUS_WATCH_READABLE)
			dbus_watch_handle(watch, DBUS_WATCH_READABLE);
	}
	return dbus_connection_get_dispatch_status(pump->connection);
}

/* Messages beyond the limit are left for the next iteration. */
static int bus_pump_dispatch(struct bus_pump *pump)
{
	DBusDispatchStatus status = dbus_connection_get_dispatch_status(pump->connection);
	int since_read = 0;

	for (int i = 0; i < BUS_PUMP_MESSAGES_MAX; i++) {
		if (status == DBUS_DISPATCH_COMPLETE &&
		    since_read >= PUMP_FLOOD_MESSAGES) {
			status = bus_pump_read_more(pump);
			since_read = 0;
		}
		if (status != DBUS_DISPATCH_DATA_REMAINS)
			break;
		status = dbus_connection_dispatch(pump->connection);
		since_read++;
	}
	if (status == DBUS_DISPATCH_COMPLETE)
		return sd_event_source_set_enabled(pump->dispatch, SD_EVENT_OFF);
	return 0;
}

static int bus_pump_on_dispatch(sd_event_source *source, void *data)
{
	return bus_pump_dispatch(data);
}

static int bus_pump_on_io(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct bus_pump *pump = data;
	const unsigned int always = DBUS_WATCH_HANGUP | DBUS_WATCH_ERROR;

	/* Handling one watch may remove or disable the other one. */
	for (size_t i = 0; i < BUS_PUMP_WATCHES_MAX; i++) {
		DBusWatch *watch = pump->watches[i];
		unsigned int due;

		if (!watch || !dbus_watch_get_enabled(watch))
			continue;
		due = bus_pump_watch_flags(revents) &
		      (dbus_watch_get_flags(watch) | always);
		if (due)
			dbus_watch_handle(watch, due);
	}
	return bus_pump_dispatch(pump);
}

/* With no event wanted the source is off: epoll would report a hangup endlessly. */
static int bus_pump_update_io(struct bus_pump *pump, int fd)
{
	uint32_t events = bus_pump_wanted_events(pump);
	int r;

	if (!pump->io)
		r = sd_event_add_io(pump->loop, &pump->io, fd, events, bus_pump_on_io,
				    pump);
	else
		r = sd_event_source_set_io_events(pump->io, events);
	if (r < 0)
		return r;
	return sd_event_source_set_enabled(pump->io, events ? SD_EVENT_ON : SD_EVENT_OFF);
}

/*
 * libdbus calls the next three with its lock held: they use only the watches, never the
 * connection.
 */
static void bus_pump_remove_watch(DBusWatch *watch, void *data)
{
	struct bus_pump *pump = data;
	bool left = false;

	for (size_t i = 0; i < BUS_PUMP_WATCHES_MAX; i++) {
		if (pump->watches[i] == watch)
			pump->watches[i] = NULL;
		left |= pump->watches[i] != NULL;
	}
	if (left)
		bus_pump_update_io(pump, dbus_watch_get_unix_fd(watch));
	else /* libdbus closes the descriptor next */
		pump->io = sd_event_source_disable_unref(pump->io);
}

static dbus_bool_t bus_pump_add_watch(DBusWatch *watch, void *data)
{
	struct bus_pump *pump = data;

	for (size_t i = 0; i < BUS_PUMP_WATCHES_MAX; i++) {
		if (pump->watches[i])
			continue;
		pump->watches[i] = watch;
		if (bus_pump_update_io(pump, dbus_watch_get_unix_fd(watch)) >= 0)
			return TRUE;
		bus_pump_remove_watch(watch, pump);
		return FALSE;
	}
	return FALSE;
}

static void bus_pump_toggle_watch(DBusWatch *watch, void *data)
{
	bus_pump_update_io(data, dbus_watch_get_unix_fd(watch));
}

static void bus_pump_on_status(DBusConnection *connection, DBusDispatchStatus status,
			       void *data)
{
	struct bus_pump *pump = data;

	if (status != DBUS_DISPATCH_COMPLETE)
		sd_event_source_set_enabled(pump->dispatch, SD_EVENT_ON);
}

void bus_pump_deinit(struct bus_pump *pump)
{
	if (!pump->connection)
		return;
	dbus_connection_set_dispatch_status_function(pump->connection, NULL, NULL, NULL);
	dbus_connection_set_watch_functions(pump->connection, NULL, NULL, NULL, NULL,
					    NULL);
	sd_event_source_disable_unref(pump->dispatch);
	sd_event_source_disable_unref(pump->io);
	memset(pump, 0, sizeof(*pump));
}

int bus_pump_init(struct bus_pump *pump, sd_event *loop, DBusConnection *connection)
{
	int r;

	memset(pump, 0, sizeof(*pump));
	pump->connection = connection;
	pump->loop = loop;
	/* On at first: messages may have arrived before the status function was set. */
	r = sd_event_add_defer(loop, &pump->dispatch, bus_pump_on_dispatch, pump);
	if (r < 0)
		return r;
	sd_event_source_set_enabled(pump->dispatch, SD_EVENT_ON);
	if (!dbus_connection_set_watch_functions(connection, bus_pump_add_watch,
						 bus_pump_remove_watch,
						 bus_pump_toggle_watch, pump, NULL)) {
		bus_pump_deinit(pump);
		return -ENOMEM;
	}
	dbus_connection_set_dispatch_status_function(connection, bus_pump_on_status, pump,
						     NULL);
	return 0;
}
