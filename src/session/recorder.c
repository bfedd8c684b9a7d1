/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   event -> queue of message IDs -> "show" of the gateway -> history -> next
 *
 * One message at a time, and each once however often its state changed meanwhile. The file gets the
 * last event when the queue is empty.
 */
#include "session/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "session/history.h"
#include "session/session_call.h"

enum {
	RECORDER_QUEUE_MAX = 256,
	RECORDER_SIMS_MAX = 8,
	RECORDER_EVENT_BYTES = 48, /* of an event's ID */
};

struct recorder_sim {
	int64_t id;
	int slot;
};

struct recorder {
	sd_event *loop;
	const char *control_socket, *state_file;
	struct history *history;
	struct recorder_sim sims[RECORDER_SIMS_MAX];
	size_t sim_count;
	int64_t queue[RECORDER_QUEUE_MAX]; /* IDs of messages, oldest first */
	size_t queued;
	struct session_call *reading; /* NULL if no message is being read */
	bool is_writing;
	char last_event[RECORDER_EVENT_BYTES]; /* that was taken */
	char kept_event[RECORDER_EVENT_BYTES]; /* in the file */
	/* Of the message that is being read or written. */
	char *number, *text, *time;
	char event_id[RECORDER_EVENT_BYTES];
};

static void recorder_run(struct recorder *recorder);

/* ---- the file */

static void recorder_read_file(struct recorder *recorder)
{
	FILE *file = recorder->state_file ? fopen(recorder->state_file, "re") : NULL;

	if (!file)
		return;
	if (fgets(recorder->last_event, sizeof(recorder->last_event), file))
		recorder->last_event[strspn(recorder->last_event, "0123456789.")] = '\0';
	strcpy(recorder->kept_event, recorder->last_event);
	fclose(file);
}

/* Writes another file first, so that no end of this program leaves half a line. */
static void recorder_write_file(struct recorder *recorder)
{
	char fresh[4096];
	FILE *file;
	bool is_written;

	if (!recorder->state_file || !strcmp(recorder->kept_event, recorder->last_event))
		return;
	snprintf(fresh, sizeof(fresh), "%s.new", recorder->state_file);
	file = fopen(fresh, "we");
	is_written = file && fprintf(file, "%s\n", recorder->last_event) > 0;
	if (file)
		is_written &= fclose(file) == 0;
	if (!is_written || rename(fresh, recorder->state_file) < 0) {
		log_warning("%s: %s", recorder->state_file, strerror(errno));
		return;
	}
	strcpy(recorder->kept_event, recorder->last_event);
}

/* ---- one message */

static void recorder_clear(struct recorder *recorder)
{
	free(recorder->number);
	free(recorder->text);
	free(recorder->time);
	recorder->number = recorder->text = recorder->time = NULL;
}

static void recorder_on_written(void *data, bool written)
{
	struct recorder *recorder = data;

	recorder->is_writing = false;
	recorder_clear(recorder);
	recorder_run(recorder);
}

/* The item has the text, unless the message is gone. */
static void recorder_on_item(void *data, const struct json *item)
{
	struct recorder *recorder = data;

	free(recorder->text);
	recorder->text = strdup(session_call_text(json_member(item, "message"), "text"));
}

static bool recorder_find_status(const struct json *result,
				 enum history_status *status_out)
{
	static const struct {
		const char *state;
		enum history_status status;
	} states[] = {
		{ "sent", HISTORY_SENT },
		{ "delivered", HISTORY_DELIVERED },
		{ "failed", HISTORY_FAILED },
		{ "unknown", HISTORY_UNKNOWN },
	};
	const char *state = session_call_text(result, "state");

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		if (strcmp(states[i].state, state) == 0) {
			*status_out = states[i].status;
			return true;
		}
	}
	return false;
}

/* Was it submitted? A message that was rejected or refused before is none of the phone's. */
static bool recorder_was_submitted(const struct json *result)
{
	json_foreach (change, json_member(result, "changes")) {
		if (strcmp(session_call_text(change, "state"), "submitting") == 0)
			return true;
	}
	return false;
}

static int recorder_find_slot(const struct recorder *recorder, int64_t sim_id)
{
	for (size_t i = 0; i < recorder->sim_count; i++) {
		if (recorder->sims[i].id == sim_id)
			return recorder->sims[i].slot;
	}
	return 0;
}

/* Returns false if there is nothing to write. */
static bool recorder_write(struct recorder *recorder, const struct json *result)
{
	struct history_message message = { .event_id = recorder->event_id };
	int64_t sim_id = 0;

	if (!result || !recorder->text ||
	    !recorder_find_status(result, &message.status) ||
	    !recorder_was_submitted(result) || *session_call_text(result, "origin"))
		return false;
	json_integer(json_member(result, "subscription_id"), &sim_id);
	recorder->number = strdup(session_call_text(result, "phone_number"));
	recorder->time = strdup(session_call_text(result, "created_at"));
	if (!recorder->number || !recorder->time)
		return false;
	message.phone_number = recorder->number;
	message.text = recorder->text;
	message.time = recorder->time;
	message.slot = recorder_find_slot(recorder, sim_id);
	recorder->is_writing = true;
	if (!history_write(recorder->history, &message, recorder_on_written, recorder))
		return true;
	recorder->is_writing = false;
	return false;
}

static void recorder_on_read(void *data, const struct json *result, const char *problem)
{
	struct recorder *recorder = data;

	recorder->reading = NULL;
	if (recorder_write(recorder, result))
		return;
	recorder_clear(recorder);
	recorder_run(recorder);
}

static void recorder_read(struct recorder *recorder, int64_t message_id)
{
	static const struct session_call_handlers handlers = { recorder_on_item,
							       recorder_on_read };
	char line[80];

	/* The epoch belongs to it: a restored store gives its IDs to other messages. */
	snprintf(recorder->event_id, sizeof(recorder->event_id), "ofono-mcp-%.*s-%lld",
		 (int)strcspn(recorder->last_event, "."), recorder->last_event,
		 (long long)message_id);
	snprintf(
		line, sizeof(line),
		"{\"command\":\"show\",\"arguments\":{\"message_id\":%lld,\"history\":true}}",
		(long long)message_id);
	if (session_call_new(recorder->loop, recorder->control_socket, line, false,
			     &handlers, recorder, &recorder->reading))
		log_warning("message %lld cannot be read for the phone's messages",
			    (long long)message_id);
}

static void recorder_run(struct recorder *recorder)
{
	while (!recorder->reading && !recorder->is_writing && recorder->queued) {
		int64_t message_id = recorder->queue[0];

		recorder->queued--;
		memmove(recorder->queue, recorder->queue + 1,
			recorder->queued * sizeof(*recorder->queue));
		if (history_may_exist(recorder->history))
			recorder_read(recorder, message_id);
	}
	if (!recorder->reading && !recorder->is_writing)
		recorder_write_file(recorder);
}

/* ---- the gateway */

const char *recorder_last_event(const struct recorder *recorder)
{
	return recorder->last_event;
}

static void recorder_add(struct recorder *recorder, int64_t message_id)
{
	for (size_t i = 0; i < recorder->queued; i++) {
		if (recorder->queue[i] == message_id)
			return;
	}
	if (recorder->queued == RECORDER_QUEUE_MAX)
		log_warning(
			"message %lld is left out of the phone's messages: too many are waiting",
			(long long)message_id);
	else
		recorder->queue[recorder->queued++] = message_id;
}

void recorder_take_event(struct recorder *recorder, const struct json *event)
{
	const struct json *data = json_member(event, "data");
	bool is_first = !*recorder->last_event;
	int64_t message_id;

	snprintf(recorder->last_event, sizeof(recorder->last_event), "%s",
		 session_call_text(event, "eventId"));
	if (!is_first &&
	    strcmp(session_call_text(event, "name"), "sms.status_changed") == 0 &&
	    json_integer(json_member(data, "message_id"), &message_id))
		recorder_add(recorder, message_id);
	recorder_run(recorder);
}

void recorder_take_status(struct recorder *recorder, const struct json *status)
{
	recorder->sim_count = 0;
	json_foreach (sim, json_member(json_member(status, "sims"), "subscriptions")) {
		int64_t id = 0, slot = 0;

		json_integer(json_member(sim, "subscription_id"), &id);
		json_integer(json_member(sim, "sim_slot_index"), &slot);
		if (recorder->sim_count < RECORDER_SIMS_MAX)
			recorder->sims[recorder->sim_count++] =
				(struct recorder_sim){ id, (int)slot };
	}
}

void recorder_stop(struct recorder *recorder)
{
	session_call_free(recorder->reading);
	recorder->reading = NULL;
	recorder->queued = 0;
	/* What is left begins again behind the last event that was dealt with. */
	strcpy(recorder->last_event, recorder->kept_event);
	if (!recorder->is_writing)
		recorder_clear(recorder);
}

int recorder_new(sd_event *loop, const char *control_socket, const char *state_file,
		 struct history *history, struct recorder **recorder_out)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder)
		return -ENOMEM;
	recorder->loop = loop;
	recorder->control_socket = control_socket;
	recorder->state_file = state_file;
	recorder->history = history;
	recorder_read_file(recorder);
	*recorder_out = recorder;
	return 0;
}

void recorder_free(struct recorder *recorder)
{
	if (!recorder)
		return;
	session_call_free(recorder->reading);
	recorder_clear(recorder);
	free(recorder);
}
