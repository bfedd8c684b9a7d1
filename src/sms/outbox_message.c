/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a message is; outbox_step.c says how it changes. Lazy writes are confirmed after SYNC_MS.
 */
#include "sms/outbox_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/log.h"
#include "sms/outbox_step.h"
#include "text/segments.h"
#include "store/store.h"

enum {
	USEC_PER_MS = 1000,
	ACCURACY_USEC = 10 * 1000,
	SYNC_MS = 50,
	SYNC_RETRY_MS = 5 * 1000,
	OFONO_SEGMENTS_MAX = 255,
};

const char outbox_message_cancel_wanted[] = "cancel_wanted";

/* ---- what all messages share -------------------------------------------------------- */

static void outbox_messages_set_timer(struct outbox_messages *messages, uint64_t pause_ms)
{
	sd_event_source_set_time_relative(messages->sync_timer, pause_ms * USEC_PER_MS);
	sd_event_source_set_enabled(messages->sync_timer, SD_EVENT_ONESHOT);
}

static int outbox_messages_on_sync_due(sd_event_source *source, uint64_t due_us,
				       void *data)
{
	struct outbox_messages *messages = data;
	int error = store_sync(messages->store);

	if (!error)
		return 0;
	log_error("outbox: the disk does not confirm message states (%s); trying again",
		  strerror(-error));
	outbox_messages_set_timer(messages, SYNC_RETRY_MS);
	return 0;
}

int outbox_messages_init(struct outbox_messages *messages, sd_event *loop,
			 struct store *store)
{
	int error;

	*messages = (struct outbox_messages){ .store = store };
	observers_init(&messages->observers);
	error = sd_event_add_time_relative(loop, &messages->sync_timer, CLOCK_MONOTONIC,
					   0, ACCURACY_USEC, outbox_messages_on_sync_due,
					   messages);
	return error < 0
		       ? error
		       : sd_event_source_set_enabled(messages->sync_timer, SD_EVENT_OFF);
}

void outbox_messages_deinit(struct outbox_messages *messages)
{
	messages->sync_timer = sd_event_source_disable_unref(messages->sync_timer);
	observers_deinit(&messages->observers);
}

void outbox_messages_request_run(struct outbox_messages *messages)
{
	messages->run_due = true;
}

void outbox_messages_sync_later(struct outbox_messages *messages)
{
	if (!store_is_synced(messages->store) &&
	    sd_event_source_get_enabled(messages->sync_timer, NULL) == SD_EVENT_OFF)
		outbox_messages_set_timer(messages, SYNC_MS);
}

void outbox_messages_set_refused(struct outbox_messages *messages, int error)
{
	if (error && !messages->storage_refuses)
		log_error(
			"outbox: a message state could not be stored (%s); trying again",
			error < 0 ? strerror(-error) : "the disk is full");
	if (!error && messages->storage_refuses)
		log_info("outbox: message states can be stored again");
	messages->storage_refuses = error != 0;
}

void outbox_messages_count(struct outbox_messages *messages, enum message_state state,
			   int change)
{
	if (message_state_is_waiting(state))
		messages->waiting += (unsigned)change;
	if (state == STATE_WAITING_APPROVAL)
		messages->waiting_for_approval += (unsigned)change;
}

/* ---- one message in memory ---------------------------------------------------------- */

struct outbox_message *outbox_message_new(struct outbox_messages *messages,
					  const struct message *row)
{
	struct outbox_message *message = calloc(1, sizeof(*message));

	if (!message)
		return NULL;
	message->messages = messages;
	message->id = row->id;
	message->sim_id = row->sim_id;
	message->client_id = row->client_id;
	message->segments = row->segments;
	message->revision = row->revision;
	message->is_spread = row->flags & MESSAGE_SPREAD;
	message->attempt = 1;
	outbox_step_begin(message, row->state);
	message->delivery = message->saved_delivery = row->delivery;
	message->cancel_wanted =
		row->reason && strcmp(row->reason, outbox_message_cancel_wanted) == 0;
	message->reason = message->cancel_wanted ? outbox_message_cancel_wanted : "";
	snprintf(message->uuid, sizeof(message->uuid), "%s", row->uuid);
	observers_init(&message->observers);
	outbox_messages_count(messages, row->state, 1);
	return message;
}

void outbox_message_remove_observers(struct outbox_message *message)
{
	struct observer *observer;

	while ((observer = TAILQ_FIRST(&message->observers.list)))
		observer_remove(observer);
}

void outbox_message_free(struct outbox_message *message)
{
	outbox_messages_count(message->messages, message->state, -1);
	outbox_message_remove_observers(message);
	observers_deinit(&message->observers);
	free(message->payload);
	free(message);
}

bool outbox_message_is_saved(const struct outbox_message *message)
{
	return message->saved == message->state &&
	       message->saved_delivery == message->delivery;
}

bool outbox_message_is_lost(const struct outbox_message *message)
{
	return message->is_lost && message->state == STATE_SUBMITTING;
}

bool outbox_message_is_in_doubt(const struct outbox_message *message)
{
	return message->state == STATE_HELD && !*message->uuid;
}

struct message_order outbox_message_order(const struct outbox_message *message,
					  const struct outbox_message_payload *payload)
{
	return (struct message_order){
		.number = payload ? payload->number : NULL,
		.text = payload ? payload->text : NULL,
		.uuid = message->uuid,
		.id = message->id,
		.attempt = message->attempt,
		.epoch = message->epoch,
		.is_repeat = outbox_message_is_in_doubt(message),
		.expires_ms = message->deadline.expires_at_ms,
	};
}

/* A sent message whose delivery is confirmed is about to become delivered. */
bool outbox_message_has_ended(const struct outbox_message *message)
{
	bool awaits = message->delivery == DELIVERY_AWAITED ||
		      message->delivery == DELIVERY_CONFIRMED;

	return message_state_is_final(message->state) &&
	       !(message->state == STATE_SENT && awaits);
}

bool outbox_message_is_done(const struct outbox_message *message)
{
	bool is_observed = !TAILQ_EMPTY(&message->observers.list);

	return message->stage == STAGE_ENDED && outbox_message_is_saved(message) &&
	       (!is_observed || outbox_message_has_ended(message));
}

/* ---- number and text ----------------------------------------------------------------- */

struct outbox_message_payload *outbox_message_payload_new(const char *number,
							  const char *text)
{
	size_t number_bytes = strlen(number) + 1, text_bytes = strlen(text) + 1;
	struct outbox_message_payload *payload =
		malloc(sizeof(*payload) + number_bytes + text_bytes);
	char *at;

	if (!payload)
		return NULL;
	at = (char *)(payload + 1);
	payload->number = memcpy(at, number, number_bytes);
	payload->text = memcpy(at + number_bytes, text, text_bytes);
	return payload;
}

int outbox_message_payload_read(const struct outbox_message *message,
				struct outbox_message_payload **payload_out)
{
	struct arena *arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	struct outbox_message_payload *payload = NULL;
	struct message row;
	int error = arena ? store_message_get(message->messages->store, message->id,
					      arena, &row)
			  : -ENOMEM;

	if (!error) {
		payload = outbox_message_payload_new(row.number, row.text);
		error = payload ? 0 : -ENOMEM;
	}
	arena_free(arena);
	if (!error)
		*payload_out = payload;
	return error;
}

/* oFono has one error for a bad number, for a text it cannot encode and for a long one. */
static const char *outbox_message_format_reason(const struct outbox_message *message,
						const struct modem *modem)
{
	bool sends_emoji = modem && ofono_sends_emoji(modem->ofono);
	struct outbox_message_payload *payload = NULL;
	const char *reason = "invalid_number";
	struct segments segments;

	if (!outbox_message_payload_read(message, &payload)) {
		segments_measure(payload->text, &segments);
		if (segments.unsendable && !(sends_emoji && segments.unsendable > 0xffff))
			reason = "invalid_text";
		else if (segments.count > OFONO_SEGMENTS_MAX)
			reason = "text_too_long";
	}
	free(payload);
	return reason;
}

/* The network was not asked: its answer comes later, as a state of the message. */
const char *outbox_message_refusal_reason(const struct outbox_message *message,
					  const struct modem *modem, const char *error)
{
	if (error && strcmp(error, "org.ofono.Error.InvalidFormat") == 0)
		return outbox_message_format_reason(message, modem);
	/* Sailfish OS's oFono checks its callers itself; the bus has an error of its own. */
	if (error && strcmp(error, "org.ofono.Error.AccessDenied") == 0)
		return "ofono_access_denied";
	/* A radio that is a gateway itself answers with its own codes. */
	if (error && !strchr(error, '.') && failure_of_code(error) != FAILURE_INTERNAL)
		return failure_words(failure_of_code(error))->code;
	return "ofono_unavailable";
}
