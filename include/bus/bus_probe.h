/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bus probe: does a bus answer, before libdbus connects to it?
 *
 * libdbus' connect(2) blocks for as long as the listen queue of the bus is full: with a
 * frozen bus, for ever. So a non-blocking socket of our own first asks for the
 * authentication mechanisms; a bus that answers accepts connections.
 *
 * For src/bus/bus.c, and for commands that may block.
 */
#ifndef BUS_BUS_PROBE_H
#define BUS_BUS_PROBE_H

#include <systemd/sd-event.h>

enum {
	/* Not a single UNIX socket, or it refuses: libdbus connects without blocking, or
	 * says what is wrong. */
	BUS_PROBE_E_NOT_UNIX = 1,
};

struct bus_probe {
	/* The bus answered or disconnected; not before bus_probe_start() returned. */
	void (*answered)(void *data);
	void *data;
	sd_event_source *source; /* NULL: no probe under way */
};

/*
 * The callback runs once, unless bus_probe_stop() comes first. 0; -EAGAIN: the listen queue
 * is full; another -errno; or BUS_PROBE_E_NOT_UNIX.
 */
int bus_probe_start(struct bus_probe *probe, sd_event *loop, const char *address);
/* Blocks until the answer. Also -ETIMEDOUT. */
int bus_probe_wait(const char *address, int timeout_ms);
/* Also from inside the callback; calling it twice is fine. */
void bus_probe_stop(struct bus_probe *probe);

#endif
