/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes:     descriptor ready -> on_io -> dbus_watch_handle -> libdbus' queues.
 * Messages:  then, or when libdbus says at another time that messages wait (deferred source
 *            on): the connection's filters and pending calls -> source off once the queue
 *            is empty.
 *
 * In a flood more is read before the turn ends, for libdbus reads 2 KiB at a time, and who
 * works once for each turn is to have more of it (sms/inbox.h).
 *
 * libdbus calls add_watch, remove_watch and toggle_watch with its lock held: they only look
 * at the watches and never at the connection.
 */
#include "bus/bus_pump.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>

enum { FLOOD_MESSAGES = 4 }; /* of one read; else it is not worth another system call */

static uint32_t wanted_events(const struct bus_pump *pump)
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

static unsigned int watch_flags(uint32_t revents)
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

/* Whatever is there already; it may be nothing. */
static DBusDispatchStatus read_more(const struct bus_pump *pump)
{
	for (size_t i = 0; i < BUS_PUMP_WATCHES_MAX; i++) {
		DBusWatch *watch = pump->watches[i];

		if (watch && dbus_watch_get_enabled(watch) &&
		    dbus_watch_get_flags(watch) & DBUS_WATCH_READABLE)
			dbus_watch_handle(watch, DBUS_WATCH_READABLE);
	}
	return dbus_connection_get_dispatch_status(pump->connection);
}

/* The rest, if there is any, in the next turn. */
static int dispatch(struct bus_pump *pump)
{
	DBusDispatchStatus status = dbus_connection_get_dispatch_status(pump->connection);
	int since_read = 0;

	for (int i = 0; i < BUS_PUMP_MESSAGES_MAX; i++) {
		if (status == DBUS_DISPATCH_COMPLETE && since_read >= FLOOD_MESSAGES) {
			status = read_more(pump);
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

static int on_dispatch(sd_event_source *source, void *data)
{
	(void)source;
	return dispatch(data);
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct bus_pump *pump = data;
	const unsigned int always = DBUS_WATCH_HANGUP | DBUS_WATCH_ERROR;

	(void)source;
	(void)fd;
	/* Handling one watch may remove or disable the other one. */
	for (size_t i = 0; i < BUS_PUMP_WATCHES_MAX; i++) {
		DBusWatch *watch = pump->watches[i];
		unsigned int due;

		if (!watch || !dbus_watch_get_enabled(watch))
			continue;
		due = watch_flags(revents) & (dbus_watch_get_flags(watch) | always);
		if (due)
			dbus_watch_handle(watch, due);
	}
	return dispatch(pump);
}

/*
 * With nothing wanted the source is off: epoll would report a hangup all the same, again
 * and again.
 */
static int update_io(struct bus_pump *pump, int fd)
{
	uint32_t events = wanted_events(pump);
	int r;

	if (!pump->io) {
		r = sd_event_add_io(pump->loop, &pump->io, fd, events, on_io, pump);
		if (r < 0)
			return r;
	} else {
		r = sd_event_source_set_io_events(pump->io, events);
		if (r < 0)
			return r;
	}
	return sd_event_source_set_enabled(pump->io, events ? SD_EVENT_ON : SD_EVENT_OFF);
}

static void remove_watch(DBusWatch *watch, void *data)
{
	struct bus_pump *pump = data;
	bool left = false;

	for (size_t i = 0; i < BUS_PUMP_WATCHES_MAX; i++) {
		if (pump->watches[i] == watch)
			pump->watches[i] = NULL;
		left |= pump->watches[i] != NULL;
	}
	if (left)
		update_io(pump, dbus_watch_get_unix_fd(watch));
	else /* libdbus closes the descriptor next */
		pump->io = sd_event_source_disable_unref(pump->io);
}

static dbus_bool_t add_watch(DBusWatch *watch, void *data)
{
	struct bus_pump *pump = data;

	for (size_t i = 0; i < BUS_PUMP_WATCHES_MAX; i++) {
		if (pump->watches[i])
			continue;
		pump->watches[i] = watch;
		if (update_io(pump, dbus_watch_get_unix_fd(watch)) >= 0)
			return TRUE;
		remove_watch(watch, pump);
		return FALSE;
	}
	return FALSE;
}

static void toggle_watch(DBusWatch *watch, void *data)
{
	update_io(data, dbus_watch_get_unix_fd(watch));
}

static void on_dispatch_status(DBusConnection *connection, DBusDispatchStatus status,
			       void *data)
{
	struct bus_pump *pump = data;

	(void)connection;
	if (status != DBUS_DISPATCH_COMPLETE)
		sd_event_source_set_enabled(pump->dispatch, SD_EVENT_ON);
}

int bus_pump_init(struct bus_pump *pump, sd_event *loop, DBusConnection *connection)
{
	int r;

	memset(pump, 0, sizeof(*pump));
	pump->connection = connection;
	pump->loop = loop;
	/* On at first: something may have arrived before the status function was set. */
	r = sd_event_add_defer(loop, &pump->dispatch, on_dispatch, pump);
	if (r < 0)
		return r;
	sd_event_source_set_enabled(pump->dispatch, SD_EVENT_ON);
	if (!dbus_connection_set_watch_functions(connection, add_watch, remove_watch,
						 toggle_watch, pump, NULL)) {
		bus_pump_deinit(pump);
		return -ENOMEM;
	}
	dbus_connection_set_dispatch_status_function(connection, on_dispatch_status, pump,
						     NULL);
	return 0;
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
