/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call is in one of three lists:
 *
 *     queued --- room in the window ---> flying --- answer ---> callback, freed
 *        |                                  |
 *        +------- connection broke ---------+---> ended --- next turn ---> callback, freed
 *
 * A flying call whose callback has run (timeout) or never will (cancelled) stays in the
 * window without one: the bus has not forgotten it, and its limit counts it. The answer or
 * the end of the connection frees it.
 *
 * libdbus does not notify pending calls when the connection breaks (its errors for them go
 * to the filters instead), so bus_calls_disconnect() ends them.
 */
#include "bus/bus_calls.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum call_state { CALL_QUEUED, CALL_FLYING, CALL_ENDED };

struct bus_call {
	struct bus_calls *calls;
	enum call_state state;
	DBusMessage *message;	  /* queued: the request; ended: the answer */
	DBusPendingCall *pending; /* flying */
	sd_event_source *timer;	  /* flying, with a timeout */
	int timeout_ms;
	bus_reply reply; /* NULL: nobody listens any more */
	void *data;
	TAILQ_ENTRY(bus_call) link;
};

static struct bus_call_list *list_of(struct bus_call *call)
{
	switch (call->state) {
	case CALL_QUEUED:
		return &call->calls->queued;
	case CALL_FLYING:
		return &call->calls->flying;
	case CALL_ENDED:
		return &call->calls->ended;
	}
	abort();
}

/* Out of its list, and out of libdbus' hands. */
static void take_out(struct bus_call *call)
{
	TAILQ_REMOVE(list_of(call), call, link);
	if (call->state == CALL_FLYING)
		call->calls->flying_count--;
	if (call->pending) {
		dbus_pending_call_cancel(call->pending);
		dbus_pending_call_unref(call->pending);
		call->pending = NULL;
	}
	call->timer = sd_event_source_disable_unref(call->timer);
}

static void free_call(struct bus_call *call)
{
	take_out(call);
	if (call->message)
		dbus_message_unref(call->message);
	free(call);
}

/* `error` is borrowed and told in a later turn. */
static void end_call(struct bus_call *call, DBusMessage *error)
{
	struct bus_calls *calls = call->calls;

	take_out(call);
	if (call->message)
		dbus_message_unref(call->message);
	call->message = dbus_message_ref(error);
	call->state = CALL_ENDED;
	TAILQ_INSERT_TAIL(&calls->ended, call, link);
	sd_event_source_set_enabled(calls->turn, SD_EVENT_ON);
}

static int on_timeout(sd_event_source *source, uint64_t usec, void *data)
{
	struct bus_call *call = data;
	bus_reply reply = call->reply;

	(void)source;
	(void)usec;
	call->reply = NULL;
	call->timer = sd_event_source_disable_unref(call->timer);
	reply(call->data, call->calls->no_reply);
	return 0;
}

static void on_answer(DBusPendingCall *pending, void *data)
{
	struct bus_call *call = data;
	struct bus_calls *calls = call->calls;
	DBusMessage *answer = dbus_pending_call_steal_reply(pending);

	take_out(call);
	if (!TAILQ_EMPTY(&calls->queued))
		sd_event_source_set_enabled(calls->turn, SD_EVENT_ON);
	if (call->reply)
		call->reply(call->data, answer);
	dbus_message_unref(answer);
	free(call);
}

static bool start_timer(struct bus_call *call)
{
	uint64_t usec = (uint64_t)call->timeout_ms * 1000;

	if (!call->timeout_ms || !call->reply)
		return true;
	return sd_event_add_time_relative(call->calls->loop, &call->timer,
					  CLOCK_MONOTONIC, usec, 1000, on_timeout,
					  call) >= 0;
}

/* The timer comes first: when it cannot be had, the call has not left yet. */
static bool launch(struct bus_call *call)
{
	DBusConnection *connection = call->calls->connection;

	if (!start_timer(call))
		return false;
	if (!dbus_connection_send_with_reply(connection, call->message, &call->pending,
					     DBUS_TIMEOUT_INFINITE))
		return false;
	if (!call->pending) /* libdbus knows already that the connection is gone */
		return false;
	TAILQ_REMOVE(&call->calls->queued, call, link);
	call->state = CALL_FLYING;
	TAILQ_INSERT_TAIL(&call->calls->flying, call, link);
	call->calls->flying_count++;
	call->calls->launched++;
	dbus_message_unref(call->message);
	call->message = NULL;
	/* No answer can have been read yet; only want of memory makes this fail. */
	return dbus_pending_call_set_notify(call->pending, on_answer, call, NULL);
}

static void launch_queued(struct bus_calls *calls)
{
	struct bus_call *call;

	while (calls->connection && calls->flying_count < BUS_CALLS_MAX) {
		call = TAILQ_FIRST(&calls->queued);
		if (!call)
			return;
		if (launch(call))
			continue;
		end_call(call, call->state == CALL_FLYING ? calls->disconnected
							  : calls->not_sent);
	}
}

/* One ended call a turn: callbacks that call again cannot keep the loop here. */
static int on_turn(sd_event_source *source, void *data)
{
	struct bus_calls *calls = data;
	struct bus_call *call = TAILQ_FIRST(&calls->ended);
	bool more = call && TAILQ_NEXT(call, link);

	if (!more)
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	launch_queued(calls);
	if (!call)
		return 0;
	TAILQ_REMOVE(&calls->ended, call, link);
	call->reply(call->data, call->message);
	dbus_message_unref(call->message);
	free(call);
	return 0;
}

static DBusMessage *make_error(const char *name, const char *text)
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
	TAILQ_INIT(&calls->flying);
	TAILQ_INIT(&calls->ended);
	calls->not_sent = make_error(BUS_ERROR_NOT_SENT, "No connection to the bus");
	calls->disconnected =
		make_error(DBUS_ERROR_DISCONNECTED, "The connection to the bus broke");
	calls->no_reply = make_error(DBUS_ERROR_NO_REPLY, "No answer in time");
	if (!calls->not_sent || !calls->disconnected || !calls->no_reply)
		return -ENOMEM;
	r = sd_event_add_defer(loop, &calls->turn, on_turn, calls);
	if (r < 0)
		return r;
	return sd_event_source_set_enabled(calls->turn, SD_EVENT_OFF);
}

static void free_all(struct bus_call_list *list)
{
	while (!TAILQ_EMPTY(list))
		free_call(TAILQ_FIRST(list));
}

void bus_calls_deinit(struct bus_calls *calls)
{
	DBusMessage *errors[] = { calls->not_sent, calls->disconnected, calls->no_reply };

	free_all(&calls->queued);
	free_all(&calls->flying);
	free_all(&calls->ended);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i])
			dbus_message_unref(errors[i]);
	}
	sd_event_source_disable_unref(calls->turn);
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
	while ((call = TAILQ_FIRST(&calls->flying))) {
		if (call->reply)
			end_call(call, calls->disconnected);
		else
			free_call(call);
	}
	while ((call = TAILQ_FIRST(&calls->queued)))
		end_call(call, calls->not_sent);
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
	call->state = CALL_QUEUED;
	TAILQ_INSERT_TAIL(&calls->queued, call, link);
	if (calls->connection)
		launch_queued(calls);
	else
		end_call(call, calls->not_sent);
	return call;
}

void bus_call_cancel(struct bus_call *call)
{
	if (!call)
		return;
	if (call->state != CALL_FLYING) {
		free_call(call);
		return;
	}
	call->reply = NULL;
	call->timer = sd_event_source_disable_unref(call->timer);
}
