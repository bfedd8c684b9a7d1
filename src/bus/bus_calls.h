/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bus calls: the calls of one bus: a window of BUS_CALLS_MAX, and a queue behind it.
 *
 * Private to src/bus/bus.c; users see bus_call() and bus_call_cancel() of bus.h.
 */
#ifndef BUS_BUS_CALLS_H
#define BUS_BUS_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "bus/bus.h"

TAILQ_HEAD(bus_call_list, bus_call);

struct bus_calls {
	sd_event *loop;
	DBusConnection *connection; /* NULL: none */
	struct bus_call_list queued;
	struct bus_call_list flying;
	struct bus_call_list ended;
	size_t flying_count;
	uint64_t launched;     /* all that ever left */
	sd_event_source *turn; /* deferred: tells ended calls, fills the window */
	/* Made in advance, so that telling of a failure cannot fail. */
	DBusMessage *not_sent;
	DBusMessage *disconnected;
	DBusMessage *no_reply;
};

/* 0 or -errno; bus_calls_deinit() is due in either case. */
int bus_calls_init(struct bus_calls *calls, sd_event *loop);
void bus_calls_deinit(struct bus_calls *calls);

/* From now on calls leave over this connection (borrowed). */
void bus_calls_connect(struct bus_calls *calls, DBusConnection *connection);
/* Ends every call with the error that fits; the callbacks run in later turns. */
void bus_calls_disconnect(struct bus_calls *calls);

/* As bus_call(). */
struct bus_call *bus_calls_add(struct bus_calls *calls, DBusMessage *message,
			       int timeout_ms, bus_reply reply, void *data);

#endif
