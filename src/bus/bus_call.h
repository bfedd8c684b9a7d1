/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bus calls: the calls of one bus, a window of BUS_CALLS_MAX and a queue behind it.
 *
 * Private to src/bus/bus.c; other folders use bus_call() and bus_call_cancel() of bus.h.
 */
#ifndef BUS_BUS_CALL_H
#define BUS_BUS_CALL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "bus/bus.h"

TAILQ_HEAD(bus_call_list, bus_call);

struct bus_calls {
	sd_event *loop;
	DBusConnection *connection; /* NULL: none */
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

/* 0 or -errno; call bus_calls_deinit() in either case. */
int bus_calls_init(struct bus_calls *calls, sd_event *loop);
void bus_calls_deinit(struct bus_calls *calls);

/* From now on calls use this connection (borrowed). */
void bus_calls_connect(struct bus_calls *calls, DBusConnection *connection);
/* Ends every call with the matching error; callbacks run in later iterations. */
void bus_calls_disconnect(struct bus_calls *calls);

/* See bus_call(). */
struct bus_call *bus_calls_add(struct bus_calls *calls, DBusMessage *message,
			       int timeout_ms, bus_reply reply, void *data);

#endif
