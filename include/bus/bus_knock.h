/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bus knock: is anybody at home at a bus, before libdbus connects to it?
 *
 * libdbus connects with a connect(2) that waits, and it waits for as long as the queue of the
 * bus is full: with a bus that is frozen, for ever. So a socket of our own, which does not
 * wait, asks first which ways to greet there are; a bus that answers takes up who calls.
 *
 * For src/bus/bus.c, and for programs that may wait.
 */
#ifndef BUS_BUS_KNOCK_H
#define BUS_BUS_KNOCK_H

#include <systemd/sd-event.h>

enum {
	/* No UNIX socket to knock at: libdbus does not wait there, or says what is wrong. */
	BUS_KNOCK_E_NO_DOOR = 1,
};

struct bus_knock {
	void (*answered)(
		void *data); /* or hung up; not before bus_knock_start() returned */
	void *data;
	sd_event_source *source; /* NULL: nobody knocks */
};

/*
 * `knock` has its callback; it runs once, unless bus_knock_stop() came first. 0; -EAGAIN: so
 * many wait there that no more are let in; another -errno; or BUS_KNOCK_E_NO_DOOR.
 */
int bus_knock_start(struct bus_knock *knock, sd_event *loop, const char *address);
/* The same for a program that may wait: -ETIMEDOUT when nobody answered. */
int bus_knock_and_wait(const char *address, int timeout_ms);
/* Also from inside the callback; once more is fine. */
void bus_knock_stop(struct bus_knock *knock);

#endif
