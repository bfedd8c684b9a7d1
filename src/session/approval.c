/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gateway's list alone decides what is shown, so nothing is worked out from the order of
 * events: each change is a reason to read it again. While it is read, and while a decision is
 * under way, another change only notes that it has to be read once more. A list that could not be
 * read is asked for again after APPROVALS_RETRY_US.
 *
 * The key of an action names the ID and the revision that the notification showed. A user who
 * presses Approve while the text is being replaced meant the former text: nothing is approved,
 * and the new text is shown.
 */
#include "session/approval.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/event_loop.h"
#include "base/log.h"
#include "base/utf8.h"
#include "session/desktop.h"
#include "session/session_call.h"

enum {
	APPROVAL_ID_BYTES = 24,
	APPROVALS_RETRY_US = 5 * 1000 * 1000,
	APPROVALS_RETRY_ACCURACY_US = 1000 * 1000,
};

struct approval {
	char id[APPROVAL_ID_BYTES]; /* of a message "12", of a webhook "w3" */
	unsigned revision;
	struct notification notification;
	bool is_listed; /* by the list that is being read */
	TAILQ_ENTRY(approval) link;
};

struct approvals {
	sd_event *loop;
	const char *control_socket;
	struct notifications *notifications;
	struct session_lock *lock;
	TAILQ_HEAD(, approval) list;
	unsigned count;
	struct session_call *reading; /* NULL if the list is not being read */
	sd_event_source *retry;	      /* enabled if it could not be read */
	int64_t last_id;	      /* the highest message that this reading has seen */
	bool is_due;		      /* it has to be read once more */
	struct session_call *deciding;
	/* One decision at a time: a key of an action, "" if there is none. */
	char decision[NOTIFICATION_KEY_BYTES];
	struct notification refusal; /* why a decision did not count */
};

static void approvals_read(struct approvals *approvals, int64_t after_id);

static void approval_free(struct approvals *approvals, struct approval *approval)
{
	notification_withdraw(&approval->notification);
	TAILQ_REMOVE(&approvals->list, approval, link);
	approvals->count--;
	free(approval);
}

static struct approval *approvals_find(struct approvals *approvals, const char *id)
{
	struct approval *approval;

	TAILQ_FOREACH (approval, &approvals->list, link) {
		if (strcmp(approval->id, id) == 0)
			return approval;
	}
	return NULL;
}

static struct approval *approvals_find_shown(struct approvals *approvals,
					     const struct notification *notification)
{
	struct approval *approval;

	TAILQ_FOREACH (approval, &approvals->list, link) {
		if (&approval->notification == notification)
			return approval;
	}
	return NULL;
}

/* ---- what a notification says */

/* "2026-11-28T21:30:00+01:00", the phone's own time, becomes "2026-11-28 21:30". */
static void approval_append_time(struct buffer *text, const char *time)
{
	if (strlen(time) < 16)
		return;
	buffer_append_text(text, "\nUntil ");
	buffer_append(text, time, 10);
	buffer_append_text(text, " ");
	buffer_append(text, time + 11, 5);
	buffer_append_text(text, ".");
}

static void approval_write_message(struct buffer *text, const struct json *item)
{
	const char *sim = session_call_text(item, "sim");
	const char *reason = session_call_text(item, "reason");
	int64_t segments = 1;
	char count[40] = "";

	json_integer(json_member(item, "segments"), &segments);
	if (segments > 1)
		snprintf(count, sizeof(count), ", %lld segments", (long long)segments);
	buffer_append_text(text, "To ");
	buffer_append_text(text, session_call_text(item, "phone_number"));
	buffer_append_text(text, *sim ? " from " : "");
	buffer_append_text(text, sim);
	buffer_append_text(text, count);
	buffer_append_text(text, ":\n\n");
	buffer_append_text(text, session_call_text(item, "text"));
	buffer_append_text(text, *reason ? "\n\n" : "\n");
	buffer_append_text(text, reason);
	approval_append_time(text, session_call_text(item, "until"));
}

static void approval_write_webhook(struct buffer *text, const struct json *item)
{
	const struct json *with_text = json_member(item, "include_text");
	const char *filter = session_call_text(item, "filter");

	buffer_append_text(text, "Events ");
	buffer_append_text(text, session_call_text(item, "type"));
	buffer_append_text(text, with_text && with_text->boolean
					 ? ", with the texts of messages, to "
					 : ", without texts, to ");
	buffer_append_text(text, session_call_text(item, "receiver"));
	if (strcmp(filter, "{}") != 0) {
		buffer_append_text(text, "\nOnly those that fit ");
		buffer_append_text(text, filter);
	}
	approval_append_time(text, session_call_text(item, "until"));
}

/* Is every desktop going to show it as a whole? */
static bool approval_is_short(const char *text)
{
	size_t lines = 0, column = 0;

	for (; *text; utf8_next(&text)) {
		lines += column == 0;
		column = *text == '\n' ? 0 : (column + 1) % DESKTOP_LINE_CHARACTERS;
	}
	return lines <= DESKTOP_TEXT_LINES;
}

static void approval_show(struct approvals *approvals, struct approval *approval,
			  const struct json *item)
{
	const char *client = session_call_text(item, "client");
	bool is_webhook = *approval->id == 'w';
	bool is_short = approval_is_short(session_call_text(item, "text"));
	struct buffer summary = BUFFER_INIT, body = BUFFER_INIT;
	char command[112];
	struct notification_text text = {
		.instead = command,
		.actions = { { .label = "Approve" }, { .label = "Reject" } },
		.is_urgent = true,
	};

	snprintf(command, sizeof(command),
		 "\nTo read and decide: " PROGRAM_NAME " approvals; " PROGRAM_NAME
		 " approve %s.%u",
		 approval->id, approval->revision);
	for (unsigned i = 0; is_short && i < NOTIFICATION_ACTIONS_MAX; i++)
		snprintf(text.actions[i].key, sizeof(text.actions[i].key), "%s %s.%u",
			 i ? "reject" : "approve", approval->id, approval->revision);
	/* An open gateway's clients have no names. */
	buffer_append_text(&summary, *client ? client : "Somebody");
	buffer_append_text(&summary, is_webhook ? " wants to be sent events"
						: " wants to send an SMS");
	(is_webhook ? approval_write_webhook : approval_write_message)(&body, item);
	buffer_append(&summary, "", 1);
	buffer_append(&body, "", 1);
	text.summary = summary.data;
	text.body = body.data;
	if (summary.failed || body.failed ||
	    notification_show(approvals->notifications, &approval->notification, &text))
		log_error("a message that waits for approval cannot be shown: "
			  "out of memory");
	buffer_deinit(&summary);
	buffer_deinit(&body);
}

/* ---- the list */

static void approvals_on_item(void *data, const struct json *item)
{
	struct approvals *approvals = data;
	const char *webhook = session_call_text(item, "approval_id");
	char id[APPROVAL_ID_BYTES];
	struct approval *approval;
	int64_t message_id = 0, revision = 0;

	json_integer(json_member(item, "revision"), &revision);
	if (json_integer(json_member(item, "message_id"), &message_id))
		snprintf(id, sizeof(id), "%lld", (long long)message_id);
	else
		snprintf(id, sizeof(id), "%s", webhook);
	if (message_id > approvals->last_id)
		approvals->last_id = message_id;
	if (!*id)
		return; /* a computer that asks to be paired: its code has to be typed */
	approval = approvals_find(approvals, id);
	if (!approval && approvals->count < DESKTOP_SHOWN_MAX) {
		approval = calloc(1, sizeof(*approval));
		if (!approval)
			return;
		strcpy(approval->id, id);
		TAILQ_INSERT_TAIL(&approvals->list, approval, link);
		approvals->count++;
	}
	if (!approval)
		return;
	approval->is_listed = true;
	approval->revision = (unsigned)revision;
	approval_show(approvals, approval, item);
}

static void approvals_sweep(struct approvals *approvals)
{
	struct approval *approval, *next;
	unsigned gone = 0;

	for (approval = TAILQ_FIRST(&approvals->list); approval; approval = next) {
		next = TAILQ_NEXT(approval, link);
		if (approval->is_listed)
			continue;
		gone += !notification_is_expired(&approval->notification);
		approval_free(approvals, approval);
	}
	/* The desktop has room again for as many as it gave up. */
	TAILQ_FOREACH (approval, &approvals->list, link) {
		if (gone && notification_is_expired(&approval->notification)) {
			notification_repeat(&approval->notification);
			gone--;
		}
	}
}

static void approvals_retry_later(struct approvals *approvals, const char *problem)
{
	log_warning("what waits for approval cannot be read: %s; trying again", problem);
	event_loop_start_timer(approvals->retry, APPROVALS_RETRY_US);
}

static int approvals_on_retry(sd_event_source *source, uint64_t usec, void *data)
{
	approvals_refresh(data);
	return 0;
}

static void approvals_on_read(void *data, const struct json *result, const char *problem)
{
	struct approvals *approvals = data;
	int64_t more = 0;

	approvals->reading = NULL;
	json_integer(json_member(result, "more"), &more);
	if (!result)
		approvals_retry_later(approvals, problem);
	else if (more > 0 && !approvals->is_due)
		approvals_read(approvals, approvals->last_id);
	else
		approvals_sweep(approvals);
	if (approvals->is_due && !approvals->reading)
		approvals_refresh(approvals);
}

static const struct session_call_handlers approvals_read_handlers = { approvals_on_item,
								      approvals_on_read };

static void approvals_read(struct approvals *approvals, int64_t after_id)
{
	char request[80];
	int error;

	snprintf(request, sizeof(request),
		 "{\"command\":\"approvals\",\"arguments\":{\"after\":%lld}}",
		 (long long)after_id);
	error = session_call_new(approvals->loop, approvals->control_socket, request,
				 false, &approvals_read_handlers, approvals,
				 &approvals->reading);
	if (error)
		approvals_retry_later(approvals, strerror(-error));
}

void approvals_refresh(struct approvals *approvals)
{
	struct approval *approval;

	approvals->is_due = approvals->reading || approvals->deciding;
	if (approvals->is_due)
		return;
	TAILQ_FOREACH (approval, &approvals->list, link)
		approval->is_listed = false;
	approvals->last_id = 0;
	approvals_read(approvals, 0);
}

void approvals_withdraw(struct approvals *approvals)
{
	session_call_free(approvals->reading);
	session_call_free(approvals->deciding);
	approvals->reading = approvals->deciding = NULL;
	approvals->is_due = false;
	sd_event_source_set_enabled(approvals->retry, SD_EVENT_OFF);
	*approvals->decision = '\0';
	while (!TAILQ_EMPTY(&approvals->list))
		approval_free(approvals, TAILQ_FIRST(&approvals->list));
}

/* ---- decisions */

/* Returns what is being decided, if it still waits. */
static struct approval *approvals_find_decided(struct approvals *approvals)
{
	const char *id = strchr(approvals->decision, ' ');
	struct approval *approval;

	TAILQ_FOREACH (approval, &approvals->list, link) {
		size_t length = strlen(approval->id);

		if (id && strncmp(id + 1, approval->id, length) == 0 &&
		    id[1 + length] == '.')
			return approval;
	}
	return NULL;
}

static void approvals_refuse(struct approvals *approvals, const char *why)
{
	const struct notification_text text = { "Not decided", why };

	notification_withdraw(&approvals->refusal); /* the same reason is shown again */
	notification_show(approvals->notifications, &approvals->refusal, &text);
}

static void approvals_on_decision_item(void *data, const struct json *item)
{
	const char *why = session_call_text(item, "why");

	if (*why)
		approvals_refuse(data, why);
}

static void approvals_on_decided(void *data, const struct json *result,
				 const char *problem)
{
	struct approvals *approvals = data;
	struct approval *approval = approvals_find_decided(approvals);

	approvals->deciding = NULL;
	*approvals->decision = '\0';
	if (!result)
		log_warning("a decision had no effect: %s", problem);
	if (!result && approval) /* the desktop has closed it with the button */
		notification_repeat(&approval->notification);
	approvals_refresh(approvals);
}

static const struct session_call_handlers approvals_decision_handlers = {
	approvals_on_decision_item, approvals_on_decided
};

/* "approve 12.3" becomes {"command":"approve","arguments":{...}}. */
static void approvals_write_decision(const char *key, char *request, size_t bytes)
{
	const char *id = strchr(key, ' ') + 1;
	const char *revision = strrchr(key, '.') + 1;
	bool is_webhook = *id == 'w';

	snprintf(
		request, bytes,
		is_webhook
			? "{\"command\":\"%.*s\",\"arguments\":{\"webhook_ids\":[\"%.*s\"]}}"
			: "{\"command\":\"%.*s\",\"arguments\":{\"message_ids\":[%.*s],\"revisions\":[%s]}}",
		(int)(id - key - 1), key, (int)(revision - id - 1), id, revision);
}

static void approvals_decide(struct approvals *approvals)
{
	char request[200];
	int error;

	approvals_write_decision(approvals->decision, request, sizeof(request));
	error = session_call_new(approvals->loop, approvals->control_socket, request,
				 false, &approvals_decision_handlers, approvals,
				 &approvals->deciding);
	if (error)
		approvals_on_decided(approvals, NULL, strerror(-error));
}

static void approvals_on_lock_known(void *data, bool is_locked)
{
	struct approvals *approvals = data;

	if (*approvals->decision != 'a')
		return; /* the gateway went away, and the approval with it */
	if (!is_locked) {
		approvals_decide(approvals);
		return;
	}
	approvals_refuse(approvals, "Unlock the screen, then approve it.");
	approvals_on_decided(approvals, NULL, "the screen is locked");
}

void approvals_take_action(struct approvals *approvals,
			   const struct notification *notification, const char *key)
{
	struct approval *approval = approvals_find_shown(approvals, notification);
	const struct notification_action *action = NULL;

	if (!approval)
		return;
	for (unsigned i = 0; i < NOTIFICATION_ACTIONS_MAX; i++) {
		if (*key && strcmp(notification->text.actions[i].key, key) == 0)
			action = &notification->text.actions[i];
	}
	if (!action || *approvals->decision ||
	    notification_age(notification) < DESKTOP_READ_MS) {
		notification_repeat(&approval->notification);
		return;
	}
	snprintf(approvals->decision, sizeof(approvals->decision), "%s", key);
	if (*key == 'a')
		session_lock_ask(approvals->lock, approvals_on_lock_known, approvals);
	else
		approvals_decide(approvals);
}

/* ---- life */

int approvals_new(sd_event *loop, const char *control_socket,
		  struct notifications *notifications, struct session_lock *lock,
		  struct approvals **approvals_out)
{
	struct approvals *approvals = calloc(1, sizeof(*approvals));
	int error;

	if (!approvals)
		return -ENOMEM;
	error = event_loop_add_timer(loop, &approvals->retry, APPROVALS_RETRY_ACCURACY_US,
				     approvals_on_retry, approvals);
	if (error) {
		sd_event_source_disable_unref(approvals->retry);
		free(approvals);
		return error;
	}
	approvals->loop = loop;
	approvals->control_socket = control_socket;
	approvals->notifications = notifications;
	approvals->lock = lock;
	TAILQ_INIT(&approvals->list);
	*approvals_out = approvals;
	return 0;
}

void approvals_free(struct approvals *approvals)
{
	if (!approvals)
		return;
	approvals_withdraw(approvals);
	notification_withdraw(&approvals->refusal);
	sd_event_source_disable_unref(approvals->retry);
	free(approvals);
}
