/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   AWAY       the control socket is tried, with longer and longer pauses; what could not be
 *              decided is not shown
 *   CONNECTED  the gateway sends its events: one of an approval is a reason to read what waits, and
 *              one of a SIM to ask whether the gateway can send
 */
#include "session/desktop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_loop.h"
#include "base/log.h"
#include "session/address_book.h"
#include "session/approval.h"
#include "session/history.h"
#include "session/notification.h"
#include "session/recorder.h"
#include "session/session_call.h"
#include "session/session_lock.h"

enum {
	DESKTOP_RETRY_US = 2 * 1000 * 1000, /* doubles */
	DESKTOP_RETRY_MAX_US = 60 * 1000 * 1000,
	/* A restart of the gateway, or of oFono, is shorter. */
	DESKTOP_TROUBLE_US = 60 * 1000 * 1000,
	DESKTOP_TROUBLE_BYTES = 512,
	DESKTOP_ACCURACY_US = 1000 * 1000,
};

struct desktop {
	sd_event *loop;
	struct desktop_options options;
	struct notifications *notifications;
	struct session_lock *lock;
	struct approvals *approvals;
	struct history *history;
	struct recorder *recorder;
	struct address_books *books;   /* NULL if they are not to be told */
	struct session_call *events;   /* NULL while the gateway is away */
	struct session_call *status;   /* NULL if it is not being asked */
	struct session_call *received; /* NULL if no message is being read */
	sd_event_source *retry;
	unsigned retry_us; /* the next pause; 0 if the gateway was there */
	/* Enabled since there is trouble, until it is shown. */
	sd_event_source *trouble_timer;
	char trouble[DESKTOP_TROUBLE_BYTES]; /* "" if there is none */
	struct notification trouble_shown, received_shown;
};

/* Starts a command. Returns 0 or -errno. */
static int desktop_call_gateway(struct desktop *desktop, const char *request,
				bool is_endless,
				const struct session_call_handlers *handlers,
				struct session_call **call_out)
{
	return session_call_new(desktop->loop, desktop->options.control_socket, request,
				is_endless, handlers, desktop, call_out);
}

/* ---- trouble */

static int desktop_on_trouble_lasts(sd_event_source *source, uint64_t usec, void *data)
{
	struct desktop *desktop = data;
	const struct notification_text text = { "Agents cannot text", desktop->trouble };

	notification_show(desktop->notifications, &desktop->trouble_shown, &text);
	return 0;
}

/* `text` is "" if there is no trouble. It is shown when it has lasted, and once. */
static void desktop_set_trouble(struct desktop *desktop, const char *text)
{
	bool was_troubled = *desktop->trouble;

	snprintf(desktop->trouble, sizeof(desktop->trouble), "%s", text);
	if (!*text) {
		sd_event_source_set_enabled(desktop->trouble_timer, SD_EVENT_OFF);
		notification_withdraw(&desktop->trouble_shown);
	} else if (!was_troubled) {
		event_loop_start_timer(desktop->trouble_timer, DESKTOP_TROUBLE_US);
	}
}

static void desktop_ignore_item(void *data, const struct json *item)
{
}

static void desktop_on_status(void *data, const struct json *result, const char *problem)
{
	struct desktop *desktop = data;
	const struct json *can_send = json_member(result, "can_send");
	const struct json *paused = json_member(result, "paused");
	const char *why_not = json_string(json_member(result, "why_not"));

	desktop->status = NULL;
	if (!result) { /* if the events end as well, the timer connects anew */
		event_loop_start_timer(desktop->retry, DESKTOP_RETRY_US);
		return;
	}
	recorder_take_status(desktop->recorder, result);
	if ((can_send && can_send->boolean) || (paused && paused->boolean) || !why_not)
		desktop_set_trouble(desktop, "");
	else
		desktop_set_trouble(desktop, why_not);
}

static void desktop_ask_status(struct desktop *desktop)
{
	static const struct session_call_handlers handlers = { desktop_ignore_item,
							       desktop_on_status };

	session_call_free(desktop->status);
	desktop->status = NULL;
	if (desktop_call_gateway(desktop, "{\"command\":\"status\",\"arguments\":{}}",
				 false, &handlers, &desktop->status))
		event_loop_start_timer(desktop->retry, DESKTOP_RETRY_US);
}

/* ---- incoming messages */

static void desktop_on_received_item(void *data, const struct json *item)
{
	struct desktop *desktop = data;
	const struct json *message = json_member(item, "message");
	const char *from = json_string(json_member(message, "from"));
	const char *body = json_string(json_member(message, "text"));
	const struct notification_text text = { from ? from : "Text message", body };

	if (body)
		notification_show(desktop->notifications, &desktop->received_shown,
				  &text);
}

static void desktop_on_received_end(void *data, const struct json *result,
				    const char *problem)
{
	struct desktop *desktop = data;

	desktop->received = NULL;
}

static void desktop_show_received(struct desktop *desktop, const struct json *event)
{
	static const struct session_call_handlers handlers = { desktop_on_received_item,
							       desktop_on_received_end };
	int64_t message_id;
	char line[80];

	if (!desktop->options.shows_received ||
	    !json_integer(json_member(json_member(event, "data"), "message_id"),
			  &message_id))
		return;
	snprintf(line, sizeof(line),
		 "{\"command\":\"show\",\"arguments\":{\"message_id\":%lld}}",
		 (long long)message_id);
	session_call_free(desktop->received);
	desktop->received = NULL;
	desktop_call_gateway(desktop, line, false, &handlers, &desktop->received);
}

/* ---- the gateway */

static void desktop_on_event(void *data, const struct json *event)
{
	struct desktop *desktop = data;
	const char *name = session_call_text(event, "name");

	recorder_take_event(desktop->recorder, event);
	if (strcmp(name, "sms.received") == 0)
		desktop_show_received(desktop, event);
	else if (strcmp(name, "sim.state_changed") == 0)
		desktop_ask_status(desktop);
	else if (strncmp(name, "approval.", strlen("approval.")) == 0)
		approvals_refresh(desktop->approvals);
}

/* `why` has no full stop. */
static void desktop_lose_gateway(struct desktop *desktop, const char *why)
{
	char trouble[DESKTOP_TROUBLE_BYTES];

	if (!desktop->retry_us)
		log_warning("the gateway cannot be reached: %s; trying again", why);
	session_call_free(desktop->status);
	session_call_free(desktop->received);
	desktop->status = desktop->received = NULL;
	approvals_withdraw(desktop->approvals);
	recorder_stop(desktop->recorder);
	if (desktop->books)
		address_books_stop(desktop->books);
	snprintf(trouble, sizeof(trouble),
		 "The gateway cannot be reached: %s. To see more: sudo " PROGRAM_NAME
		 " doctor",
		 why);
	desktop_set_trouble(desktop, trouble);
	desktop->retry_us = desktop->retry_us ? 2 * desktop->retry_us : DESKTOP_RETRY_US;
	if (desktop->retry_us > DESKTOP_RETRY_MAX_US)
		desktop->retry_us = DESKTOP_RETRY_MAX_US;
	event_loop_start_timer(desktop->retry, desktop->retry_us);
}

static void desktop_on_events_end(void *data, const struct json *result,
				  const char *problem)
{
	struct desktop *desktop = data;

	desktop->events = NULL;
	desktop_lose_gateway(desktop, problem ? problem : "it has ended the call");
}

static void desktop_connect(struct desktop *desktop)
{
	static const struct session_call_handlers handlers = { desktop_on_event,
							       desktop_on_events_end };
	char line[160];
	int error;

	snprintf(line, sizeof(line),
		 "{\"command\":\"events\",\"arguments\":{\"follow\":true,\"limit\":1,"
		 "\"after\":\"%s\"}}",
		 recorder_last_event(desktop->recorder));
	error = desktop_call_gateway(desktop, line, true, &handlers, &desktop->events);
	if (error) {
		desktop_lose_gateway(desktop,
				     error == -EACCES
					     ? "you are not in the group of its control "
					       "socket, " PROGRAM_NAME
					     : strerror(-error));
		return;
	}
	log_info("connected to the gateway");
	desktop->retry_us = 0;
	approvals_refresh(desktop->approvals);
	desktop_ask_status(desktop);
	if (desktop->books)
		address_books_start(desktop->books);
}

static int desktop_on_retry(sd_event_source *source, uint64_t usec, void *data)
{
	struct desktop *desktop = data;

	if (desktop->events)
		desktop_ask_status(desktop);
	else
		desktop_connect(desktop);
	return 0;
}

/* ---- life */

static void desktop_on_action(void *data, struct notification *notification,
			      const char *key)
{
	struct desktop *desktop = data;

	approvals_take_action(desktop->approvals, notification, key);
}

/* What the gateway reports is of use only when it can be shown. */
static void desktop_on_connected(void *data)
{
	struct desktop *desktop = data;

	if (!desktop->events && !desktop->retry_us)
		desktop_connect(desktop);
}

static const struct notifications_handlers desktop_notification_handlers = {
	.on_connected = desktop_on_connected,
	.on_action = desktop_on_action,
};

static int desktop_init(struct desktop *desktop)
{
	int error = event_loop_add_timer(desktop->loop, &desktop->retry,
					 DESKTOP_ACCURACY_US, desktop_on_retry, desktop);

	if (error >= 0)
		error = event_loop_add_timer(desktop->loop, &desktop->trouble_timer,
					     DESKTOP_ACCURACY_US,
					     desktop_on_trouble_lasts, desktop);
	if (error >= 0)
		error = notifications_new(desktop->loop, desktop->options.session_bus,
					  &desktop_notification_handlers, desktop,
					  &desktop->notifications);
	if (error >= 0)
		error = session_lock_new(desktop->loop,
					 notifications_bus(desktop->notifications),
					 desktop->options.system_bus, &desktop->lock);
	if (error >= 0)
		error = approvals_new(desktop->loop, desktop->options.control_socket,
				      desktop->notifications, desktop->lock,
				      &desktop->approvals);
	if (error >= 0)
		error = history_new(notifications_bus(desktop->notifications),
				    &desktop->history);
	if (error >= 0)
		error = recorder_new(desktop->loop, desktop->options.control_socket,
				     desktop->options.state_file, desktop->history,
				     &desktop->recorder);
	if (error >= 0 && !desktop->options.hides_contacts)
		error = address_books_new(desktop->loop, desktop->options.session_bus,
					  desktop->options.control_socket,
					  &desktop->books);
	return error;
}

int desktop_new(sd_event *loop, const struct desktop_options *options,
		struct desktop **desktop_out)
{
	struct desktop *desktop = calloc(1, sizeof(*desktop));
	int error;

	if (!desktop)
		return -ENOMEM;
	desktop->loop = loop;
	desktop->options = *options;
	error = desktop_init(desktop);
	if (error < 0) {
		desktop_free(desktop);
		return error;
	}
	*desktop_out = desktop;
	return 0;
}

void desktop_free(struct desktop *desktop)
{
	if (!desktop)
		return;
	session_call_free(desktop->events);
	session_call_free(desktop->status);
	session_call_free(desktop->received);
	approvals_free(desktop->approvals);
	recorder_free(desktop->recorder);
	address_books_free(desktop->books);
	history_free(desktop->history);
	session_lock_free(desktop->lock);
	notification_withdraw(&desktop->trouble_shown);
	notification_withdraw(&desktop->received_shown);
	notifications_free(desktop->notifications);
	sd_event_source_disable_unref(desktop->retry);
	sd_event_source_disable_unref(desktop->trouble_timer);
	free(desktop);
}
