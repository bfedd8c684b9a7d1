/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bus: one private libdbus connection on the event loop.
 *
 * Nothing here blocks: libdbus connects when the bus has answered a knock (bus_knock.h), Hello
 * is an asynchronous call.
 * The bus may be absent at start and may go away: the connection is tried again (250 ms,
 * doubling to 5 s) for as long as the bus object lives. On every new connection the match
 * rules go out before anything else, so no signal that follows can be missed.
 *
 * At most BUS_CALLS_MAX calls are under way at once (the system bus refuses the 129th);
 * later ones wait in order.
 */
#ifndef BUS_BUS_H
#define BUS_BUS_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

enum { BUS_CALLS_MAX = 100 };

/*
 * The name of the error that answers a call which never left this process: there was no
 * connection, or it broke while the call waited for its turn.
 */
#define BUS_ERROR_NOT_SENT "org.ofono_mcp.Error.NotSent"

struct bus;
struct bus_call;

struct bus_handlers {
	/* Connected (the bus has greeted, match rules are out) or gone. */
	void (*connected)(void *data);
	void (*disconnected)(void *data);
	/* An attempt to connect has failed; another follows. */
	void (*unreachable)(void *data);
	/* Every signal that reaches us, in order with the answers to calls. */
	void (*signal)(void *data, DBusMessage *signal);
};

/* DBUS_SYSTEM_BUS_ADDRESS, else the system's socket; not for the caller to free. */
const char *bus_default_address(void);
/*
 * `address`: NULL for what libdbus would take (DBUS_SYSTEM_BUS_ADDRESS, else the system's
 * socket). `match_rules` ends with NULL and, like `handlers`, outlives the bus. No handler
 * runs before bus_new() returned.
 * 0 or -errno (only for want of memory: an absent bus is no error).
 */
int bus_new(sd_event *loop, const char *address, const char *const *match_rules,
	    const struct bus_handlers *handlers, void *data, struct bus **bus_out);
/*
 * Every call still under way is dropped without its callback. Not from inside a handler or
 * a callback. NULL is fine.
 */
void bus_free(struct bus *bus);

uint64_t bus_calls_sent(const struct bus *bus); /* since it was made */
bool bus_is_connected(const struct bus *bus);
const char *bus_address(const struct bus *bus);
sd_event *bus_loop(const struct bus *bus);

/*
 * The answer to a call: a method return, or an error with its D-Bus name. Runs exactly
 * once, never before bus_call() returned, never after bus_call_cancel(). Errors made here,
 * without a sender:
 * BUS_ERROR_NOT_SENT: the call never left;
 * DBUS_ERROR_DISCONNECTED: the connection broke after the call left; it may be executed;
 * DBUS_ERROR_NO_REPLY: the timeout passed (the bus uses this name too, when the service
 * dies with the call); it may be executed.
 */
typedef void (*bus_reply)(void *data, DBusMessage *reply);

/*
 * Sends `message` (taken, whatever the outcome). `timeout_ms` counts from the moment the
 * call leaves the queue; 0 = wait for ever. Without a connection the callback gets
 * BUS_ERROR_NOT_SENT in a later turn of the loop. NULL: no memory, no callback.
 * Every string in the message was checked before: libdbus aborts on a bad one.
 */
struct bus_call *bus_call(struct bus *bus, DBusMessage *message, int timeout_ms,
			  bus_reply reply, void *data);
/*
 * The callback will not run; a call that has left stays executed, and keeps its place
 * among the BUS_CALLS_MAX until it is answered, because the bus counts it too. NULL is
 * fine. Not for a call whose callback has begun.
 */
void bus_call_cancel(struct bus_call *call);

#endif
