/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   ThreadForProperties: the conversation with this number, made if there is none
 *   WriteEvents:         the message in it
 */
#include "session/history.h"

#include <dbus/dbus.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bus/bus.h"

enum {
	HISTORY_ANSWER_MS = 30 * 1000,
	HISTORY_TYPE_TEXT = 0,
	HISTORY_CHAT_CONTACT = 1,
	HISTORY_MATCH_PHONE_NUMBER = 8,
	HISTORY_TIME_CHARACTERS = 19, /* "2026-11-28T21:30:00" */
};

/* The interface has the service's name, and the path follows from it. */
static const struct history_place {
	const char *name, *path;
} history_places[] = {
	{ "com.lomiri.HistoryService", "/com/lomiri/HistoryService" },
	{ "com.canonical.HistoryService", "/com/canonical/HistoryService" },
};

enum { HISTORY_PLACES = sizeof(history_places) / sizeof(*history_places) };

struct history {
	struct bus *session;
	unsigned place; /* HISTORY_PLACES if there is none */
	struct bus_call *call;
	struct history_message message; /* that is being written */
	void (*done)(void *data, bool written);
	void *data;
};

static int history_find_thread(struct history *history);

/* ---- dictionaries a{sv} */

/* `value` points to the value, as for dbus_message_iter_append_basic(). */
static bool history_put(DBusMessageIter *dictionary, const char *name, int type,
			const void *value)
{
	const char signature[] = { (char)type, '\0' };
	DBusMessageIter entry, variant;

	return dbus_message_iter_open_container(dictionary, DBUS_TYPE_DICT_ENTRY, NULL,
						&entry) &&
	       dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name) &&
	       dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature,
						&variant) &&
	       dbus_message_iter_append_basic(&variant, type, value) &&
	       dbus_message_iter_close_container(&entry, &variant) &&
	       dbus_message_iter_close_container(dictionary, &entry);
}

static bool history_put_text(DBusMessageIter *dictionary, const char *name,
			     const char *text)
{
	return history_put(dictionary, name, DBUS_TYPE_STRING, &text);
}

static bool history_put_number(DBusMessageIter *dictionary, const char *name,
			       dbus_int32_t number)
{
	return history_put(dictionary, name, DBUS_TYPE_INT32, &number);
}

static bool history_put_recipient(DBusMessageIter *dictionary, const char *number)
{
	const char *name = "participantIds";
	DBusMessageIter entry, variant, list;

	return dbus_message_iter_open_container(dictionary, DBUS_TYPE_DICT_ENTRY, NULL,
						&entry) &&
	       dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name) &&
	       dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "as",
						&variant) &&
	       dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "s", &list) &&
	       dbus_message_iter_append_basic(&list, DBUS_TYPE_STRING, &number) &&
	       dbus_message_iter_close_container(&variant, &list) &&
	       dbus_message_iter_close_container(&entry, &variant) &&
	       dbus_message_iter_close_container(dictionary, &entry);
}

/* ---- the two calls */

static void history_end(struct history *history, bool written)
{
	history->done(history->data, written);
}

/* telepathy-ofono's account of a SIM. */
static void history_write_account(const struct history *history, char account[40])
{
	snprintf(account, 40, "ofono/ofono/account%d", history->message.slot);
}

static void history_on_written(void *data, DBusMessage *reply)
{
	struct history *history = data;
	dbus_bool_t written = FALSE;

	history->call = NULL;
	dbus_message_get_args(reply, NULL, DBUS_TYPE_BOOLEAN, &written,
			      DBUS_TYPE_INVALID);
	if (!written)
		log_warning(
			"a message of an agent cannot be added to the phone's messages: %s",
			dbus_message_get_error_name(reply)
				? dbus_message_get_error_name(reply)
				: "refused");
	history_end(history, written);
}

static bool history_fill_event(const struct history *history, const char *thread,
			       DBusMessage *message)
{
	const struct history_message *event = &history->message;
	const dbus_bool_t is_new = FALSE;
	char account[40], time[HISTORY_TIME_CHARACTERS + 5];
	DBusMessageIter at, list, members;

	history_write_account(history, account);
	snprintf(time, sizeof(time), "%.*s.000", HISTORY_TIME_CHARACTERS, event->time);
	dbus_message_iter_init_append(message, &at);
	return dbus_message_iter_open_container(&at, DBUS_TYPE_ARRAY, "a{sv}", &list) &&
	       dbus_message_iter_open_container(&list, DBUS_TYPE_ARRAY, "{sv}",
						&members) &&
	       history_put_text(&members, "accountId", account) &&
	       history_put_text(&members, "threadId", thread) &&
	       history_put_text(&members, "eventId", event->event_id) &&
	       history_put_number(&members, "type", HISTORY_TYPE_TEXT) &&
	       history_put_text(&members, "senderId", "self") &&
	       history_put_text(&members, "timestamp", time) &&
	       history_put_text(&members, "sentTime", time) &&
	       history_put_text(&members, "readTimestamp", time) &&
	       history_put(&members, "newEvent", DBUS_TYPE_BOOLEAN, &is_new) &&
	       history_put_text(&members, "message", event->text) &&
	       history_put_number(&members, "messageType", 0) &&
	       history_put_number(&members, "messageStatus", (int)event->status) &&
	       dbus_message_iter_close_container(&list, &members) &&
	       dbus_message_iter_close_container(&at, &list);
}

/* Sends a call that `fill` has filled. Returns 0 or -ENOMEM. */
static int history_call(struct history *history, DBusMessage *message, bool is_filled,
			bus_reply reply)
{
	if (message && is_filled)
		history->call = bus_call(history->session, dbus_message_ref(message),
					 HISTORY_ANSWER_MS, reply, history);
	if (message)
		dbus_message_unref(message);
	return history->call ? 0 : -ENOMEM;
}

static DBusMessage *history_new_call(const struct history *history, const char *method)
{
	const struct history_place *place = &history_places[history->place];

	return dbus_message_new_method_call(place->name, place->path, place->name,
					    method);
}

/* Finds "threadId" in the answer, an a{sv}. */
static const char *history_read_thread(DBusMessage *reply)
{
	DBusMessageIter answer, members, entry, value;
	const char *name, *thread;

	if (!dbus_message_has_signature(reply, "a{sv}"))
		return NULL;
	dbus_message_iter_init(reply, &answer);
	dbus_message_iter_recurse(&answer, &members);
	for (; dbus_message_iter_get_arg_type(&members) == DBUS_TYPE_DICT_ENTRY;
	     dbus_message_iter_next(&members)) {
		dbus_message_iter_recurse(&members, &entry);
		dbus_message_iter_get_basic(&entry, &name);
		dbus_message_iter_next(&entry);
		dbus_message_iter_recurse(&entry, &value);
		if (strcmp(name, "threadId") != 0 ||
		    dbus_message_iter_get_arg_type(&value) != DBUS_TYPE_STRING)
			continue;
		dbus_message_iter_get_basic(&value, &thread);
		return *thread ? thread : NULL;
	}
	return NULL;
}

static void history_on_thread(void *data, DBusMessage *reply)
{
	struct history *history = data;
	const char *error = dbus_message_get_error_name(reply);
	const char *thread = history_read_thread(reply);
	DBusMessage *message;

	history->call = NULL;
	if (error && strcmp(error, DBUS_ERROR_SERVICE_UNKNOWN) == 0) {
		history->place++; /* the other name, or none */
		if (!history_may_exist(history) || history_find_thread(history))
			history_end(history, false);
		return;
	}
	message = thread ? history_new_call(history, "WriteEvents") : NULL;
	if (!thread)
		log_warning("the phone's messages have no conversation for a number: %s",
			    error ? error : "no answer");
	if (history_call(history, message,
			 message && history_fill_event(history, thread, message),
			 history_on_written))
		history_end(history, false);
}

static bool history_fill_thread(const struct history *history, DBusMessage *message)
{
	const dbus_int32_t type = HISTORY_TYPE_TEXT, match = HISTORY_MATCH_PHONE_NUMBER;
	const dbus_bool_t creates = TRUE;
	char text[40];
	const char *account = text;
	DBusMessageIter at, properties;

	history_write_account(history, text);
	dbus_message_iter_init_append(message, &at);
	return dbus_message_iter_append_basic(&at, DBUS_TYPE_STRING, &account) &&
	       dbus_message_iter_append_basic(&at, DBUS_TYPE_INT32, &type) &&
	       dbus_message_iter_open_container(&at, DBUS_TYPE_ARRAY, "{sv}",
						&properties) &&
	       history_put_number(&properties, "chatType", HISTORY_CHAT_CONTACT) &&
	       history_put_recipient(&properties, history->message.phone_number) &&
	       dbus_message_iter_close_container(&at, &properties) &&
	       dbus_message_iter_append_basic(&at, DBUS_TYPE_INT32, &match) &&
	       dbus_message_iter_append_basic(&at, DBUS_TYPE_BOOLEAN, &creates);
}

static int history_find_thread(struct history *history)
{
	DBusMessage *message = history_new_call(history, "ThreadForProperties");

	return history_call(history, message,
			    message && history_fill_thread(history, message),
			    history_on_thread);
}

int history_write(struct history *history, const struct history_message *message,
		  void (*done)(void *data, bool written), void *data)
{
	history->message = *message;
	history->done = done;
	history->data = data;
	return history_find_thread(history);
}

bool history_may_exist(const struct history *history)
{
	return history->place < HISTORY_PLACES;
}

int history_new(struct bus *session, struct history **history_out)
{
	struct history *history = calloc(1, sizeof(*history));

	if (!history)
		return -ENOMEM;
	history->session = session;
	*history_out = history;
	return 0;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	bus_call_cancel(history->call);
	free(history);
}
