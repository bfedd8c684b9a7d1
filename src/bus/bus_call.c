/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call is in one of three lists:
 *
 *     queued --- room in the window ---> pending --- answer ---> callback, freed
 *        |                                  |
 *        +------- connection broke ---------+---> ended --- later ---> callback, freed
 *
 * A pending call whose callback has run (timeout) or never will (cancelled) stays in the
 * window: the bus still counts it. The answer or the end of the connection frees it.
 *
 * libdbus does not notify pending calls when the connection breaks (their errors go to the
 * filters instead), so bus_calls_disconnect() ends them.
 */
#include "bus/bus_private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum bus_call_state { BUS_CALL_QUEUED, BUS_CALL_PENDING, BUS_CALL_ENDED };

struct bus_call {
	struct bus_calls *calls;
	enum bus_call_state state;
	DBusMessage *message;	  /* queued: the request; ended: the answer */
	DBusPendingCall *pending; /* BUS_CALL_PENDING */
	sd_event_source *timer;	  /* BUS_CALL_PENDING, with a timeout */
	int timeout_ms;
	bus_reply reply; /* NULL if already called, or cancelled */
	void *data;
	TAILQ_ENTRY(bus_call) link;
};

static struct bus_call_list *bus_call_list(struct bus_call *call)
{
	switch (call->state) {
	case BUS_CALL_QUEUED:
		return &call->calls->queued;
	case BUS_CALL_PENDING:
		return &call->calls->pending;
	case BUS_CALL_ENDED:
		return &call->calls->ended;
	}
	abort();
}

/* Removes the call from its list and from libdbus. */
static void bus_call_detach(struct bus_call *call)
{
	TAILQ_REMOVE(bus_call_list(call), call, link);
	if (call->state == BUS_CALL_PENDING)
		call->calls->pending_count--;
	if (call->pending) {
		dbus_pending_call_cancel(call->pending);
		dbus_pending_call_unref(call->pending);
		call->pending = NULL;
	}
	call->timer = sd_event_source_disable_unref(call->timer);
}

static void bus_call_free(struct bus_call *call)
{
	bus_call_detach(call);
	if (call->message)
		dbus_message_unref(call->message);
	free(call);
}

/* The callback gets `error` (borrowed) in a later iteration. */
static void bus_call_end(struct bus_call *call, DBusMessage *error)
{
	struct bus_calls *calls = call->calls;

	bus_call_detach(call);
	if (call->message)
		dbus_message_unref(call->message);
	call->message = dbus_message_ref(error);
	call->state = BUS_CALL_ENDED;
	TAILQ_INSERT_TAIL(&calls->ended, call, link);
	sd_event_source_set_enabled(calls->defer, SD_EVENT_ON);
}

static int bus_call_on_timeout(sd_event_source *source, uint64_t usec, void *data)
{
	struct bus_call *call = data;
	bus_reply reply = call->reply;

	call->reply = NULL;
	call->timer = sd_event_source_disable_unref(call->timer);
	reply(call->data, call->calls->no_reply);
	return 0;
}

static void bus_call_on_answer(DBusPendingCall *pending, void *data)
{
	struct bus_call *call = data;
	struct bus_calls *calls = call->calls;
	DBusMessage *answer = dbus_pending_call_steal_reply(pending);

	bus_call_detach(call);
	if (!TAILQ_EMPTY(&calls->queued))
		sd_event_source_set_enabled(calls->defer, SD_EVENT_ON);
	if (call->reply)
		call->reply(call->data, answer);
	dbus_message_unref(answer);
	free(call);
}

static bool bus_call_start_timer(struct bus_call *call)
{
	uint64_t usec = (uint64_t)call->timeout_ms * 1000;

	if (!call->timeout_ms || !call->reply)
		return true;
	return sd_event_add_time_relative(call->calls->loop, &call->timer,
					  CLOCK_MONOTONIC, usec, 1000,
					  bus_call_on_timeout, call) >= 0;
}

/* The timer comes first: if there is no memory for it, the call has not left. */
static bool bus_call_send(struct bus_call *call)
{
	struct bus_calls *calls = call->calls;

	if (!bus_call_start_timer(call))
		return false;
	if (!dbus_connection_send_with_reply(calls->connection, call->message,
					     &call->pending, DBUS_TIMEOUT_INFINITE))
		return false;
	if (!call->pending) /* libdbus knows already that the connection is gone */
		return false;
	TAILQ_REMOVE(&calls->queued, call, link);
	call->state = BUS_CALL_PENDING;
	TAILQ_INSERT_TAIL(&calls->pending, call, link);
	calls->pending_count++;
	calls->sent++;
	dbus_message_unref(call->message);
	call->message = NULL;
	/* No answer can have been read yet, so this fails only when out of memory. */
	return dbus_pending_call_set_notify(call->pending, bus_call_on_answer, call,
					    NULL);
}

static void bus_calls_send_queued(struct bus_calls *calls)
{
	struct bus_call *call;

	while (calls->connection && calls->pending_count < BUS_CALLS_MAX) {
		call = TAILQ_FIRST(&calls->queued);
		if (!call)
			return;
		if (bus_call_send(call))
			continue;
		bus_call_end(call, call->state == BUS_CALL_PENDING ? calls->disconnected
								   : calls->not_sent);
	}
}

/* Delivers one ended call an iteration: callbacks that call again cannot block the loop. */
static int bus_calls_on_defer(sd_event_source *source, void *data)
{
	struct bus_calls *calls = data;
	struct bus_call *call = TAILQ_FIRST(&calls->ended);
	bool more = call && TAILQ_NEXT(call, link);

	if (!more)
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	bus_calls_send_queued(calls);
	if (!call)
		return 0;
	TAILQ_REMOVE(&calls->ended, call, link);
	call->reply(call->data, call->message);
	dbus_message_unref(call->message);
	free(call);
	return 0;
}

static DBusMessage *bus_calls_make_error(const char *name, const char *text)
{
	DBusMessage *error = dbus_message_new(DBUS_MESSAGE_TYPE_ERROR);

	if (error && dbus_message_set_error_name(error, name) &&
	    dbus_message_append_args(error, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID))
		return error;
	if (error)
		dbus_message_unref(error);
	return NULL;
}

int bus_calls_init(struct bus_calls *calls, sd_event *loop)
{
	int r;

	memset(calls, 0, sizeof(*calls));
	calls->loop = loop;
	TAILQ_INIT(&calls->queued);
	TAILQ_INIT(&calls->pending);
	TAILQ_INIT(&calls->ended);
	calls->not_sent =
		bus_calls_make_error(BUS_ERROR_NOT_SENT, "No connection to the bus");
	calls->disconnected = bus_calls_make_error(DBUS_ERROR_DISCONNECTED,
						   "The connection to the bus broke");
	calls->no_reply = bus_calls_make_error(DBUS_ERROR_NO_REPLY, "No answer in time");
	if (!calls->not_sent || !calls->disconnected || !calls->no_reply)
		return -ENOMEM;
	r = sd_event_add_defer(loop, &calls->defer, bus_calls_on_defer, calls);
	if (r < 0)
		return r;
	return sd_event_source_set_enabled(calls->defer, SD_EVENT_OFF);
}

static void bus_calls_free_list(struct bus_call_list *list)
{
	while (!TAILQ_EMPTY(list))
		bus_call_free(TAILQ_FIRST(list));
}

void bus_calls_deinit(struct bus_calls *calls)
{
	DBusMessage *errors[] = { calls->not_sent, calls->disconnected, calls->no_reply };

	bus_calls_free_list(&calls->queued);
	bus_calls_free_list(&calls->pending);
	bus_calls_free_list(&calls->ended);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i])
			dbus_message_unref(errors[i]);
	}
	sd_event_source_disable_unref(calls->defer);
}

void bus_calls_connect(struct bus_calls *calls, DBusConnection *connection)
{
	assert(!calls->connection);
	calls->connection = connection;
}

void bus_calls_disconnect(struct bus_calls *calls)
{
	struct bus_call *call;

	calls->connection = NULL;
	while ((call = TAILQ_FIRST(&calls->pending))) {
		if (call->reply)
			bus_call_end(call, calls->disconnected);
		else
			bus_call_free(call);
	}
	while ((call = TAILQ_FIRST(&calls->queued)))
		bus_call_end(call, calls->not_sent);
}

struct bus_call *bus_calls_add(struct bus_calls *calls, DBusMessage *message,
			       int timeout_ms, bus_reply reply, void *data)
{
	struct bus_call *call = calloc(1, sizeof(*call));

	if (!call) {
		dbus_message_unref(message);
		return NULL;
	}
	call->calls = calls;
	call->message = message;
	call->timeout_ms = timeout_ms;
	call->reply = reply;
	call->data = data;
	call->state = BUS_CALL_QUEUED;
	TAILQ_INSERT_TAIL(&calls->queued, call, link);
	if (calls->connection)
		bus_calls_send_queued(calls);
	else
		bus_call_end(call, calls->not_sent);
	return call;
}

void bus_call_cancel(struct bus_call *call)
{
	if (!call)
		return;
	if (call->state != BUS_CALL_PENDING) {
		bus_call_free(call);
		return;
	}
	call->reply = NULL;
	call->timer = sd_event_source_disable_unref(call->timer);
}
