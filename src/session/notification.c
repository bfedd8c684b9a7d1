/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One notification:
 *
 *   hidden  --- the server is ready, or the text changed ---> Notify ---> shown, with an ID
 *   shown   --- the text changed: Notify in place of that ID -----------> shown
 *   shown   --- closed, or the server left -----------------------------> hidden
 *
 * The server's capabilities are asked for first: without them nobody knows whether it has
 * buttons, and whether "<" is markup. The bus may start the server for this question, and only
 * for it: a server that ended when it had nothing to show is asked again.
 *
 * Only signals of the program that answered count: any program on the bus may send us others
 * directly, past the match rules.
 */
#include "session/notification.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/event_loop.h"
#include "base/log.h"
#include "bus/bus.h"

#define NOTIFICATIONS_NAME "org.freedesktop.Notifications"
#define NOTIFICATIONS_PATH "/org/freedesktop/Notifications"

enum {
	NOTIFICATIONS_ANSWER_MS = 25 * 1000,
	NOTIFICATIONS_LEAVE_MS = 500,
	/* A server that crashes on what it is to show is not started more often. */
	NOTIFICATIONS_RETRY_US = 30 * 1000 * 1000,
	NOTIFICATIONS_ACCURACY_US = 1000 * 1000,
	NOTIFICATIONS_EXPIRED = 1, /* a reason of NotificationClosed */
	NOTIFICATIONS_URGENCY_CRITICAL = 2,
};

/* A Notify call; it outlives a notification that is withdrawn meanwhile. */
struct notifications_showing {
	struct notifications *notifications;
	struct notification *notification; /* NULL: its ID is to be closed */
	unsigned server;		   /* the one that was asked */
	LIST_ENTRY(notifications_showing) link;
};

struct notifications {
	struct bus *bus;
	const struct notifications_handlers *handlers;
	void *data;
	bool is_ready;				  /* the capabilities are known */
	char owner[DBUS_MAXIMUM_NAME_LENGTH + 1]; /* the server's unique name, then */
	unsigned server;			  /* counts those that came and went */
	bool has_actions, has_markup;
	struct bus_call *asking; /* GetCapabilities is not answered */
	sd_event_source *retry;	 /* asks again if something is to be shown */
	TAILQ_HEAD(, notification) list;
	LIST_HEAD(, notifications_showing) showings;
};

static const char *const notifications_match_rules[] = {
	"type='signal',sender='" DBUS_SERVICE_DBUS "',interface='" DBUS_INTERFACE_DBUS
	"',member='NameOwnerChanged',arg0='" NOTIFICATIONS_NAME "'",
	"type='signal',sender='" NOTIFICATIONS_NAME "',interface='" NOTIFICATIONS_NAME
	"'",
	NULL
};

static DBusMessage *notifications_new_call(const char *method)
{
	return dbus_message_new_method_call(NOTIFICATIONS_NAME, NOTIFICATIONS_PATH,
					    NOTIFICATIONS_NAME, method);
}

/* ---- one call of Notify */

/* Escapes what would be markup. */
static void notifications_append_text(const struct notifications *notifications,
				      struct buffer *body, const char *text)
{
	for (; *text; text++) {
		if (!notifications->has_markup)
			buffer_append(body, text, 1);
		else if (*text == '<')
			buffer_append_text(body, "&lt;");
		else if (*text == '>')
			buffer_append_text(body, "&gt;");
		else if (*text == '&')
			buffer_append_text(body, "&amp;");
		else
			buffer_append(body, text, 1);
	}
}

static bool notification_append_actions(DBusMessageIter *message,
					const struct notification *notification)
{
	DBusMessageIter list;

	if (!dbus_message_iter_open_container(message, DBUS_TYPE_ARRAY, "s", &list))
		return false;
	for (unsigned i = 0;
	     notification->notifications->has_actions && i < NOTIFICATION_ACTIONS_MAX;
	     i++) {
		const char *key = notification->text.actions[i].key;

		if (*key &&
		    (!dbus_message_iter_append_basic(&list, DBUS_TYPE_STRING, &key) ||
		     !dbus_message_iter_append_basic(
			     &list, DBUS_TYPE_STRING,
			     &notification->text.actions[i].label))) {
			dbus_message_iter_abandon_container(message, &list);
			return false;
		}
	}
	return dbus_message_iter_close_container(message, &list);
}

/* Appends {"urgency": <byte>}. */
static bool notification_append_hints(DBusMessageIter *message, bool is_urgent)
{
	const char *name = "urgency";
	unsigned char level = is_urgent ? NOTIFICATIONS_URGENCY_CRITICAL : 1;
	DBusMessageIter hints, hint, value;

	if (!dbus_message_iter_open_container(message, DBUS_TYPE_ARRAY, "{sv}", &hints))
		return false;
	if (dbus_message_iter_open_container(&hints, DBUS_TYPE_DICT_ENTRY, NULL, &hint)) {
		if (dbus_message_iter_append_basic(&hint, DBUS_TYPE_STRING, &name) &&
		    dbus_message_iter_open_container(&hint, DBUS_TYPE_VARIANT, "y",
						     &value) &&
		    dbus_message_iter_append_basic(&value, DBUS_TYPE_BYTE, &level) &&
		    dbus_message_iter_close_container(&hint, &value) &&
		    dbus_message_iter_close_container(&hints, &hint))
			return dbus_message_iter_close_container(message, &hints);
	}
	dbus_message_iter_abandon_container(message, &hints);
	return false;
}

static bool notification_fill(const struct notification *notification, const char *body,
			      DBusMessage *message)
{
	const char *program = "ofono-mcp", *icon = "phone";
	/* Approvals wait for their owner as long as they can. */
	dbus_int32_t never = 0, usual = -1;
	DBusMessageIter at;

	dbus_message_iter_init_append(message, &at);
	return dbus_message_iter_append_basic(&at, DBUS_TYPE_STRING, &program) &&
	       dbus_message_iter_append_basic(&at, DBUS_TYPE_UINT32, &notification->id) &&
	       dbus_message_iter_append_basic(&at, DBUS_TYPE_STRING, &icon) &&
	       dbus_message_iter_append_basic(&at, DBUS_TYPE_STRING,
					      &notification->text.summary) &&
	       dbus_message_iter_append_basic(&at, DBUS_TYPE_STRING, &body) &&
	       notification_append_actions(&at, notification) &&
	       notification_append_hints(&at, notification->text.is_urgent) &&
	       dbus_message_iter_append_basic(&at, DBUS_TYPE_INT32,
					      notification->text.is_urgent ? &never
									   : &usual);
}

/* Returns NULL if memory runs out. */
static DBusMessage *notification_new_call(const struct notification *notification)
{
	DBusMessage *message = notifications_new_call("Notify");
	struct buffer body = BUFFER_INIT;

	notifications_append_text(notification->notifications, &body,
				  notification->text.body);
	if (!notification->notifications->has_actions ||
	    !*notification->text.actions[0].key)
		notifications_append_text(notification->notifications, &body,
					  notification->text.instead);
	buffer_append(&body, "", 1);
	if (message &&
	    (body.failed || !notification_fill(notification, body.data, message))) {
		dbus_message_unref(message);
		message = NULL;
	}
	buffer_deinit(&body);
	return message;
}

/* ---- showing and closing */

/* Whether it was still there makes no difference. */
static void notifications_on_close_answered(void *data, DBusMessage *reply)
{
}

static void notifications_close_id(struct notifications *notifications, uint32_t id)
{
	DBusMessage *message = notifications_new_call("CloseNotification");

	if (message &&
	    dbus_message_append_args(message, DBUS_TYPE_UINT32, &id, DBUS_TYPE_INVALID)) {
		dbus_message_set_auto_start(message, FALSE);
		/* No timer: a loop that has ended takes none. */
		bus_call(notifications->bus, dbus_message_ref(message), 0,
			 notifications_on_close_answered, NULL);
	}
	if (message)
		dbus_message_unref(message);
}

static void notification_send(struct notification *notification);

/* What a server that has gone did not answer is shown by the next one. */
static void notification_take_answer(struct notification *notification, dbus_uint32_t id,
				     bool is_of_this_server)
{
	notification->showing = NULL;
	notification->id = is_of_this_server ? id : 0;
	notification->shown_ms = clock_boot_ms();
	if (!notification->is_stale && notification->id)
		return;
	if (!notification->is_stale && is_of_this_server)
		notification->is_stale =
			true; /* it refused; perhaps the next one does not */
	else
		notification_send(notification);
}

static void notifications_on_shown(void *data, DBusMessage *reply)
{
	struct notifications_showing *showing = data;
	struct notifications *notifications = showing->notifications;
	struct notification *notification = showing->notification;
	bool is_of_this_server = showing->server == notifications->server;
	dbus_uint32_t id = 0;

	LIST_REMOVE(showing, link);
	free(showing);
	if (dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR)
		log_warning("the desktop does not show a notification: %s",
			    dbus_message_get_error_name(reply));
	else
		dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &id,
				      DBUS_TYPE_INVALID);
	if (notification)
		notification_take_answer(notification, id, is_of_this_server);
	else if (id && is_of_this_server)
		notifications_close_id(notifications, id);
}

static void notification_send(struct notification *notification)
{
	struct notifications *notifications = notification->notifications;
	struct notifications_showing *showing;
	DBusMessage *message;

	notification->is_stale = true;
	if (!notifications->is_ready || notification->showing)
		return;
	showing = calloc(1, sizeof(*showing));
	message = showing ? notification_new_call(notification) : NULL;
	if (!message || !bus_call(notifications->bus, message, NOTIFICATIONS_ANSWER_MS,
				  notifications_on_shown, showing)) {
		log_error("a notification cannot be shown: out of memory");
		free(showing);
		return;
	}
	notification->is_expired = false;
	*showing = (struct notifications_showing){ notifications, notification,
						   notifications->server };
	LIST_INSERT_HEAD(&notifications->showings, showing, link);
	notification->showing = showing;
	notification->is_stale = false;
}

static void notifications_ask(struct notifications *notifications);

static bool notification_says(const struct notification *notification,
			      const struct notification_text *text)
{
	const struct notification_text *shown = &notification->text;

	return notification->notifications && !strcmp(shown->summary, text->summary) &&
	       !strcmp(shown->body, text->body) &&
	       !strcmp(shown->instead, text->instead ? text->instead : "") &&
	       !strcmp(shown->actions[0].key, text->actions[0].key);
}

int notification_show(struct notifications *notifications,
		      struct notification *notification,
		      const struct notification_text *text)
{
	const char *instead = text->instead ? text->instead : "";
	size_t summary_bytes = strlen(text->summary) + 1;
	size_t body_bytes = strlen(text->body) + 1;
	char *memory;

	if (notification_says(notification, text))
		return 0;
	memory = malloc(summary_bytes + body_bytes + strlen(instead) + 1);
	if (!memory)
		return -ENOMEM;
	free(notification->memory);
	notification->memory = memory;
	notification->text = *text;
	notification->text.summary = strcpy(memory, text->summary);
	notification->text.body = strcpy(memory + summary_bytes, text->body);
	notification->text.instead = strcpy(memory + summary_bytes + body_bytes, instead);
	if (!notification->notifications)
		TAILQ_INSERT_TAIL(&notifications->list, notification, link);
	notification->notifications = notifications;
	notification_send(notification);
	if (!notifications->is_ready && !notifications->asking &&
	    bus_is_connected(notifications->bus))
		notifications_ask(notifications);
	return 0;
}

void notification_repeat(struct notification *notification)
{
	if (notification->notifications)
		notification_send(notification);
}

bool notification_is_expired(const struct notification *notification)
{
	return notification->is_expired;
}

int64_t notification_age(const struct notification *notification)
{
	return notification->id && !notification->showing
		       ? clock_boot_ms() - notification->shown_ms
		       : 0;
}

void notification_withdraw(struct notification *notification)
{
	struct notifications *notifications = notification->notifications;

	if (!notifications)
		return;
	if (notification->showing)
		notification->showing->notification = NULL;
	else if (notification->id)
		notifications_close_id(notifications, notification->id);
	TAILQ_REMOVE(&notifications->list, notification, link);
	free(notification->memory);
	*notification = (struct notification){ 0 };
}

/* ---- the server */

static void notifications_retry_later(struct notifications *notifications)
{
	event_loop_start_timer(notifications->retry, NOTIFICATIONS_RETRY_US);
}

static void notifications_on_capabilities(void *data, DBusMessage *reply)
{
	struct notifications *notifications = data;
	const char *error = dbus_message_get_error_name(reply);
	const char *owner = dbus_message_get_sender(reply);
	struct notification *notification;
	char **names = NULL;
	int count = 0;

	notifications->asking = NULL;
	if (error || !owner ||
	    !dbus_message_get_args(reply, NULL, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &names,
				   &count, DBUS_TYPE_INVALID)) {
		log_warning("the desktop shows no notifications yet (%s)",
			    error ? error : "it does not list what it can do");
		/* The bus reports when there is one. */
		if (!error || strcmp(error, DBUS_ERROR_SERVICE_UNKNOWN) != 0)
			notifications_retry_later(notifications);
		return;
	}
	notifications->is_ready = true;
	snprintf(notifications->owner, sizeof(notifications->owner), "%s", owner);
	notifications->has_actions = notifications->has_markup = false;
	for (int i = 0; i < count; i++) {
		notifications->has_actions |= strcmp(names[i], "actions") == 0;
		notifications->has_markup |= strcmp(names[i], "body-markup") == 0;
	}
	dbus_free_string_array(names);
	TAILQ_FOREACH (notification, &notifications->list, link) {
		if (notification->is_stale)
			notification_send(notification);
	}
}

static void notifications_ask(struct notifications *notifications)
{
	DBusMessage *message = notifications_new_call("GetCapabilities");

	bus_call_cancel(notifications->asking);
	notifications->asking =
		message ? bus_call(notifications->bus, message, NOTIFICATIONS_ANSWER_MS,
				   notifications_on_capabilities, notifications)
			: NULL;
}

static int notifications_on_retry(sd_event_source *source, uint64_t usec, void *data)
{
	struct notifications *notifications = data;
	const struct notification *notification;

	if (notifications->is_ready || notifications->asking ||
	    !bus_is_connected(notifications->bus))
		return 0;
	TAILQ_FOREACH (notification, &notifications->list, link) {
		if (notification->is_stale) {
			notifications_ask(notifications);
			break;
		}
	}
	return 0;
}

static void notifications_lose_server(struct notifications *notifications)
{
	struct notification *notification;

	notifications->is_ready = false;
	notifications->server++;
	bus_call_cancel(notifications->asking);
	notifications->asking = NULL;
	TAILQ_FOREACH (notification, &notifications->list, link) {
		notification->is_stale |= notification->id || notification->is_expired;
		notification->id = 0;
	}
}

static void notifications_on_connected(void *data)
{
	struct notifications *notifications = data;

	notifications_ask(notifications);
	notifications->handlers->on_connected(notifications->data);
}

static void notifications_on_disconnected(void *data)
{
	notifications_lose_server(data);
}

static void notifications_on_unreachable(void *data)
{
}

static struct notification *notifications_find(struct notifications *notifications,
					       uint32_t id)
{
	struct notification *notification;

	TAILQ_FOREACH (notification, &notifications->list, link) {
		if (id && notification->id == id)
			return notification;
	}
	return NULL;
}

static void notifications_on_owner(struct notifications *notifications,
				   DBusMessage *signal)
{
	const char *name, *before, *owner;

	if (!dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &name,
				   DBUS_TYPE_STRING, &before, DBUS_TYPE_STRING, &owner,
				   DBUS_TYPE_INVALID))
		return;
	notifications_lose_server(notifications);
	if (*owner)
		notifications_ask(notifications);
	else
		notifications_retry_later(notifications);
}

static bool notifications_is_from_server(const struct notifications *notifications,
					 DBusMessage *signal, const char *member)
{
	return notifications->is_ready &&
	       dbus_message_is_signal(signal, NOTIFICATIONS_NAME, member) &&
	       dbus_message_has_sender(signal, notifications->owner);
}

static void notifications_on_signal(void *data, DBusMessage *signal)
{
	struct notifications *notifications = data;
	struct notification *notification;
	dbus_uint32_t id, reason;
	const char *key;

	if (dbus_message_is_signal(signal, DBUS_INTERFACE_DBUS, "NameOwnerChanged")) {
		if (dbus_message_has_sender(signal, DBUS_SERVICE_DBUS))
			notifications_on_owner(notifications, signal);
	} else if (notifications_is_from_server(notifications, signal, "ActionInvoked") &&
		   dbus_message_get_args(signal, NULL, DBUS_TYPE_UINT32, &id,
					 DBUS_TYPE_STRING, &key, DBUS_TYPE_INVALID)) {
		notification = notifications_find(notifications, id);
		if (notification)
			notifications->handlers->on_action(notifications->data,
							   notification, key);
	} else if (notifications_is_from_server(notifications, signal,
						"NotificationClosed") &&
		   dbus_message_get_args(signal, NULL, DBUS_TYPE_UINT32, &id,
					 DBUS_TYPE_UINT32, &reason, DBUS_TYPE_INVALID)) {
		notification = notifications_find(notifications, id);
		if (notification) {
			notification->id = 0;
			notification->is_expired = notification->text.is_urgent &&
						   reason == NOTIFICATIONS_EXPIRED;
		}
	}
}

static const struct bus_handlers notifications_bus_handlers = {
	.connected = notifications_on_connected,
	.disconnected = notifications_on_disconnected,
	.unreachable = notifications_on_unreachable,
	.signal = notifications_on_signal,
};

struct bus *notifications_bus(const struct notifications *notifications)
{
	return notifications->bus;
}

int notifications_new(sd_event *loop, const char *address,
		      const struct notifications_handlers *handlers, void *data,
		      struct notifications **notifications_out)
{
	struct notifications *notifications = calloc(1, sizeof(*notifications));
	int error;

	if (!notifications)
		return -ENOMEM;
	notifications->handlers = handlers;
	notifications->data = data;
	TAILQ_INIT(&notifications->list);
	LIST_INIT(&notifications->showings);
	error = event_loop_add_timer(loop, &notifications->retry,
				     NOTIFICATIONS_ACCURACY_US, notifications_on_retry,
				     notifications);
	if (error >= 0)
		error = bus_new(loop, address, notifications_match_rules,
				&notifications_bus_handlers, notifications,
				&notifications->bus);
	if (error < 0) {
		sd_event_source_disable_unref(notifications->retry);
		free(notifications);
		return error;
	}
	*notifications_out = notifications;
	return 0;
}

void notifications_free(struct notifications *notifications)
{
	struct notification *notification;
	struct notifications_showing *showing;

	if (!notifications)
		return;
	while ((notification = TAILQ_FIRST(&notifications->list)))
		notification_withdraw(notification);
	bus_finish(notifications->bus, NOTIFICATIONS_LEAVE_MS);
	bus_free(notifications->bus);
	sd_event_source_disable_unref(notifications->retry);
	while ((showing = LIST_FIRST(&notifications->showings))) {
		LIST_REMOVE(showing, link);
		free(showing);
	}
	free(notifications);
}
