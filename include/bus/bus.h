/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bus: one private libdbus connection on the event loop.
 *
 * Nothing here blocks: libdbus connects only after the bus has answered a probe
 * (bus_probe.c), and Hello is an asynchronous call. The bus may be absent at start and may
 * go away: the connection is retried (after 250 ms, doubling to 5 s) for as long as the bus
 * object lives. On every new connection the match rules are sent before anything else, so no
 * later signal can be missed.
 *
 * At most BUS_CALLS_MAX calls are under way at once (the system bus refuses the 129th);
 * further calls wait in order.
 */
#pragma once

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

enum { BUS_CALLS_MAX = 100 };

/*
 * The error that answers a call that never left this process: there was no connection, or
 * it broke while the call waited for its turn.
 */
#define BUS_ERROR_NOT_SENT "org.ofono_mcp.Error.NotSent"

struct bus;
struct bus_call;

struct bus_handlers {
	/* The bus is connected (Hello is answered, match rules are sent), or no longer is. */
	void (*connected)(void *data);
	void (*disconnected)(void *data);
	/* An attempt to connect has failed; another one follows. */
	void (*unreachable)(void *data);
	/* Every signal that arrives, in order with the answers to calls. */
	void (*signal)(void *data, DBusMessage *signal);
};

/* Returns DBUS_SYSTEM_BUS_ADDRESS, else the system's socket. Do not free it. */
const char *bus_default_address(void);
/*
 * If `address` is NULL, bus_default_address() is used. `match_rules` ends with NULL and, like
 * `handlers`, outlives the bus. No handler runs before bus_new() returned. Returns 0 or -errno, the
 * latter only if memory runs out: an absent bus is no error.
 */
int bus_new(sd_event *loop, const char *address, const char *const *match_rules,
	    const struct bus_handlers *handlers, void *data, struct bus **bus_out);
/*
 * Drops every call under way without its callback. Not from inside a handler or callback.
 * NULL is fine.
 */
void bus_free(struct bus *bus);

/*
 * Waits until all calls are answered, also those that an answer causes, for at most so long. It
 * blocks, so it is only for a program that is about to end.
 */
void bus_finish(struct bus *bus, int timeout_ms);

uint64_t bus_calls_sent(const struct bus *bus); /* since bus_new() */
bool bus_is_connected(const struct bus *bus);
const char *bus_address(const struct bus *bus);
sd_event *bus_loop(const struct bus *bus);

/*
 * The answer to a call: a method return, or an error with its D-Bus name. Runs exactly once,
 * never before bus_call() returned, never after bus_call_cancel(). Errors made here have no
 * sender:
 * - BUS_ERROR_NOT_SENT if the call never left;
 * - DBUS_ERROR_DISCONNECTED if the connection broke after the call left; it may be executed;
 * - DBUS_ERROR_NO_REPLY if the timeout passed (the bus also uses this name when the service
 *   exits during the call); it may be executed.
 */
typedef void (*bus_reply)(void *data, DBusMessage *reply);

/*
 * Sends `message`, and takes ownership of it whatever the outcome. `timeout_ms` counts from when
 * the call leaves the queue; 0 for no limit. Without a connection the callback gets
 * BUS_ERROR_NOT_SENT in a later iteration of the loop. Returns NULL if there is no memory, no
 * callback. Every string in the message must have been checked: libdbus aborts on invalid ones.
 */
struct bus_call *bus_call(struct bus *bus, DBusMessage *message, int timeout_ms,
			  bus_reply reply, void *data);
/*
 * After this the callback does not run. A call that has left is executed all the same, and occupies
 * one of the BUS_CALLS_MAX places until it is answered, because the bus counts it too. NULL is
 * fine. Not for a call whose callback has begun.
 */
void bus_call_cancel(struct bus_call *call);

/*
 * Bus probe: does a bus answer, before libdbus connects to it?
 *
 * libdbus' connect(2) blocks for as long as the listen queue of the bus is full: with a
 * frozen bus, for ever. So a non-blocking socket of our own first asks for the
 * authentication mechanisms; a bus that answers accepts connections.
 *
 * For src/bus/bus.c, and for commands that may block.
 */

enum {
	/* Not a single UNIX socket, or it refuses: libdbus connects without blocking, or
	 * says what is wrong. */
	BUS_PROBE_E_NOT_UNIX = 1,
};

struct bus_probe {
	/* The bus answered or disconnected; not before bus_probe_start() returned. */
	void (*answered)(void *data);
	void *data;
	sd_event_source *source; /* NULL if there is no probe under way */
};

/*
 * The callback runs once, unless bus_probe_stop() comes first. Returns 0; -EAGAIN if the listen
 * queue is full; another -errno; or BUS_PROBE_E_NOT_UNIX.
 */
int bus_probe_start(struct bus_probe *probe, sd_event *loop, const char *address);
/* Blocks until the answer. Returns -ETIMEDOUT as well. */
int bus_probe_wait(const char *address, int timeout_ms);
/* Call it also from inside the callback; calling it twice is fine. */
void bus_probe_stop(struct bus_probe *probe);
