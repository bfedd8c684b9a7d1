/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * There are two ways to change the state of a message.
 *
 * A decision (submit, cancel, approve) is written to disk first and becomes true with that.
 * The step to submitting is one: it keeps a restart from sending the message twice
 * (tests/unit/test_outbox_trouble.c). It is written lazily, and outbox_run() waits once for
 * the disk for all messages that leave together.
 *
 * What oFono reports is true whether or not the disk takes it. The message goes on in memory,
 * and the write is repeated until it succeeds. Observers hear of it only then: no crash takes
 * back what an agent was answered (tests/unit/test_outbox_trouble.c). Lazy writes are
 * confirmed after SYNC_MS.
 */
#include "sms/outbox_message.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/failure.h"
#include "base/log.h"
#include "text/segments.h"
#include "store/store.h"
#include "store/store_edit.h"

const char outbox_approval_by_owner[] = "approved_by_owner";
const char outbox_approval_by_user[] = "approved_by_person";

enum {
	USEC_PER_MS = 1000,
	ACCURACY_USEC = 10 * 1000,
	SYNC_MS = 50,
	SYNC_RETRY_MS = 5 * 1000,
	OFONO_SEGMENTS_MAX = 255,
};

/* Reason of a state in which only oFono can cancel the message. */
static const char cancel_wanted[] = "cancel_wanted";

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

/* Logs the first refusal of the disk, and the end of refusals. */
static void outbox_messages_set_refused(struct outbox_messages *messages, int error)
{
	if (error && !messages->storage_refuses)
		log_error(
			"outbox: a message state could not be stored (%s); trying again",
			error < 0 ? strerror(-error) : "the disk is full");
	if (!error && messages->storage_refuses)
		log_info("outbox: message states can be stored again");
	messages->storage_refuses = error != 0;
}

static void outbox_messages_count(struct outbox_messages *messages,
				  enum message_state state, int change)
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
	message->state = message->saved = row->state;
	message->delivery = message->saved_delivery = row->delivery;
	message->cancel_wanted = row->reason && strcmp(row->reason, cancel_wanted) == 0;
	message->reason = message->cancel_wanted ? cancel_wanted : "";
	snprintf(message->uuid, sizeof(message->uuid), "%s", row->uuid);
	observers_init(&message->observers);
	outbox_messages_count(messages, row->state, 1);
	return message;
}

static void outbox_message_remove_observers(struct outbox_message *message)
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

bool outbox_message_is_prepared(const struct outbox_message *message)
{
	return message->state == STATE_QUEUED && message->saved == STATE_SUBMITTING &&
	       message->payload;
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

	return message_state_is_final(message->state) &&
	       outbox_message_is_saved(message) &&
	       (!is_observed || outbox_message_has_ended(message));
}

static void outbox_message_change(struct outbox_message *message,
				  enum message_state state, const char *reason)
{
	struct message_counters *counters = message->messages->counters;

	outbox_messages_count(message->messages, state, 1);
	outbox_messages_count(message->messages, message->state, -1);
	if (counters)
		message_counters_row(counters, message->sim_id)->became[state]++;
	message->state = state;
	message->reason = reason;
}

static struct outbox_event outbox_message_event(const struct outbox_message *message)
{
	return (struct outbox_event){
		.message_id = message->id,
		.state = message->state,
		.reason = message->reason,
		.delivery = message->delivery,
		.last = outbox_message_has_ended(message),
	};
}

static void outbox_message_notify(struct outbox_message *message)
{
	struct outbox_event event = outbox_message_event(message);

	log_info("outbox: message %lld: %s%s%s", (long long)message->id,
		 message_state_name(message->state), *message->reason ? ", " : "",
		 message->reason);
	observers_notify(&message->observers, &event);
	observers_notify(&message->messages->observers, &event);
	if (event.last)
		outbox_message_remove_observers(message);
}

/* ---- decisions: the disk first ------------------------------------------------------- */

static bool outbox_message_row_is_lost(int error)
{
	return error == STORE_E_NOT_FOUND || error == STORE_E_ILLEGAL;
}

/* Adds UUID and delivery of the message to the move. */
static int outbox_message_move_row(struct outbox_message *message,
				   struct store_message_transition move, bool is_lazy)
{
	int error;

	move.uuid = message->uuid_unsaved ? message->uuid : NULL;
	move.delivery = message->delivery;
	move.is_lazy = is_lazy;
	error = store_message_change_state(message->messages->store, message->id, &move);
	if (is_lazy)
		outbox_messages_sync_later(message->messages);
	if (outbox_message_row_is_lost(error))
		log_error("outbox: message %lld: its row does not allow the state %s",
			  (long long)message->id, message_state_name(move.to));
	else
		outbox_messages_set_refused(message->messages, error);
	message->uuid_unsaved &= error != 0;
	return error;
}

static void outbox_message_set_decided(struct outbox_message *message,
				       enum message_state state, const char *reason)
{
	outbox_message_change(message, state, reason ? reason : "");
	message->saved = state;
	message->saved_delivery = message->delivery;
	outbox_message_notify(message);
}

/* A row that is lost leaves the message unknown. */
static int outbox_message_write(struct outbox_message *message,
				const struct store_message_transition *move, bool is_lazy)
{
	int error = outbox_message_move_row(message, *move, is_lazy);

	if (outbox_message_row_is_lost(error)) {
		outbox_message_change(message, STATE_UNKNOWN, "internal");
		message->saved = STATE_UNKNOWN;
		outbox_message_notify(message);
		outbox_messages_request_run(message->messages);
	}
	if (!error)
		outbox_message_set_decided(message, move->to, move->reason);
	return error;
}

int outbox_message_decide(struct outbox_message *message,
			  const struct store_message_transition *move)
{
	outbox_messages_request_run(message->messages);
	return outbox_message_write(message, move, false);
}

/* Whoever edited it knows its ID, so the caller that had it accepted may leave. */
void outbox_message_set_edited(struct outbox_message *message,
			       const struct store_message_draft *draft,
			       const char *former_number)
{
	struct outbox_event event;

	free(message->payload);
	message->payload = NULL;
	message->segments = draft->segments;
	message->revision++;
	message->never_abandoned = true;
	message->is_spread = draft->is_spread;
	outbox_messages_count(message->messages, draft->state, 1);
	outbox_messages_count(message->messages, message->state, -1);
	message->state = message->saved = draft->state;
	message->reason = draft->reason ? draft->reason : store_edit_reason;
	event = outbox_message_event(message);
	event.edited = true;
	if (strcmp(former_number, draft->number) != 0)
		event.former_number = former_number;
	log_info("outbox: message %lld: edited, %s", (long long)message->id,
		 message_state_name(message->state));
	observers_notify(&message->observers, &event);
	observers_notify(&message->messages->observers, &event);
	outbox_messages_request_run(message->messages);
}

/* From now on its queue waits for oFono, so no further run is requested. */
int outbox_message_begin_submitting(struct outbox_message *message)
{
	const struct store_message_transition move = {
		.to = STATE_SUBMITTING,
		.attempt = message->messages->sends_again ? message->attempt : 0,
		.attempt_sim_id = message->sim_id,
	};

	if (message->saved != STATE_SUBMITTING)
		return outbox_message_write(message, &move, true);
	outbox_message_set_decided(message, STATE_SUBMITTING, NULL);
	return 0;
}

int outbox_message_want_cancel(struct outbox_message *message)
{
	static const struct store_message_transition move = { .to = STATE_HELD,
							      .reason = cancel_wanted };
	int error;

	assert(message->state == STATE_HELD);
	if (message->cancel_wanted)
		return 0;
	error = outbox_message_decide(message, &move);
	message->cancel_wanted = !error;
	return error;
}

void outbox_message_set_moved(struct outbox_message *message, int64_t sim_id,
			      bool is_next_attempt, const char *reason)
{
	message->sim_id = sim_id;
	message->attempt += is_next_attempt;
	message->doubtful_since_ms = 0;
	message->refusal = NULL;
	message->cancel_due = message->uuid_unsaved = false;
	message->uuid[0] = '\0';
	message->delivery = DELIVERY_NONE;
	outbox_message_set_decided(message, STATE_QUEUED, reason);
	outbox_messages_request_run(message->messages);
}

/* ---- facts: true whether or not the disk takes them ---------------------------------- */

static void outbox_message_write_fact(struct outbox_message *message)
{
	int error;

	if (outbox_message_is_saved(message))
		return;
	if (message->saved != message->state) {
		const struct store_message_transition move = { .to = message->state,
							       .reason =
								       message->reason };

		error = outbox_message_move_row(message, move, true);
	} else {
		error = store_message_set_delivery(message->messages->store, message->id,
						   message->delivery);
		if (error != STORE_E_NOT_FOUND)
			outbox_messages_set_refused(message->messages, error);
	}
	if (error && !outbox_message_row_is_lost(error))
		return;
	message->saved = message->state;
	message->saved_delivery = message->delivery;
}

void outbox_message_save(struct outbox_message *message)
{
	if (outbox_message_is_saved(message))
		return;
	outbox_message_write_fact(message);
	if (outbox_message_is_saved(message))
		outbox_message_notify(message);
}

void outbox_message_set_state(struct outbox_message *message, enum message_state state,
			      const char *reason)
{
	/* A delivery report proves more than a held or unknown state says. */
	if (message->delivery == DELIVERY_CONFIRMED &&
	    (state == STATE_HELD || state == STATE_UNKNOWN)) {
		state = STATE_DELIVERED;
		reason = "";
	}
	if (message->state == state)
		return;
	if (state == STATE_HELD) {
		message->messages->reroute_due = true;
		message->doubtful_since_ms = *message->uuid ? 0 : clock_wall_ms();
	}
	if (message->cancel_wanted && (state == STATE_HELD || state == STATE_SUBMITTED))
		reason = cancel_wanted;
	outbox_message_change(message, state, reason);
	outbox_message_save(message);
	outbox_messages_request_run(message->messages);
	if (state == STATE_SENT && message->delivery == DELIVERY_CONFIRMED)
		outbox_message_set_state(message, STATE_DELIVERED, "");
}

void outbox_message_set_submitted(struct outbox_message *message, const char *uuid,
				  bool awaited)
{
	snprintf(message->uuid, sizeof(message->uuid), "%s", uuid);
	message->uuid_unsaved = true;
	if (awaited)
		message->delivery = DELIVERY_AWAITED;
	outbox_message_set_state(message, STATE_SUBMITTED, "");
}

/* Of several segments some may have been sent: such a message stays with its SIM. */
static void outbox_message_fail(struct outbox_message *message, const char *reason)
{
	if (!message->routed.pool_id || message->segments > 1) {
		outbox_message_set_state(message, STATE_FAILED, reason);
		return;
	}
	message->leaves = reason;
	outbox_messages_request_run(message->messages);
}

void outbox_message_on_state(struct outbox_message *message,
			     enum ofono_message_state state)
{
	if (message_state_is_final(message->state))
		return;
	switch (state) {
	case MESSAGE_PENDING:
		break;
	case MESSAGE_SENT:
		outbox_message_set_state(message, STATE_SENT, "");
		break;
	case MESSAGE_FAILED:
		outbox_message_fail(message, "network_refused");
		break;
	case MESSAGE_CANCELLED:
		outbox_message_set_state(message, STATE_CANCELLED, "");
		break;
	}
}

void outbox_message_on_report(struct outbox_message *message, bool delivered)
{
	enum delivery delivery = delivered ? DELIVERY_CONFIRMED : DELIVERY_REFUSED;

	if (message->delivery == delivery || message->delivery == DELIVERY_CONFIRMED)
		return;
	message->delivery = delivery;
	if (delivered && message->state != STATE_SUBMITTED &&
	    message_state_may_become(message->state, STATE_DELIVERED)) {
		outbox_message_set_state(message, STATE_DELIVERED, "");
		return;
	}
	outbox_message_write_fact(message);
	if (message_state_is_final(message->state) && outbox_message_is_saved(message))
		outbox_message_notify(message);
	outbox_messages_request_run(message->messages);
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
