/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Submitting the next message of a queue, once sim_queue.c says that it may go:
 *
 *   check   a code may have come in since it was accepted, and limits may have been used up
 *   claim   its row says submitting
 *   call    after one store_sync() for all that leave in this run: SendMessage
 *   answer  or none in time, or none ever, because the gateway died meanwhile
 *
 * What each of them does to the message is a step of outbox_step.c. A fork of ofonod may report
 * a state before it answers SendMessage: it is kept until then
 * (tests/unit/test_outbox_trouble.c::test_a_state_before_the_answer_is_kept).
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/client.h"
#include "base/clock.h"
#include "base/log.h"
#include "sms/outbox_step.h"
#include "sms/sim_queue.h"
#include "store/store_client.h"

enum { SIM_SUBMIT_E_STOPPED = 100 }; /* besides the outcomes of the store */

/* ---- the last judgement ---------------------------------------------------------------- */

/* The owner's approval is for the text as it was: what is edited afterwards waits again. */
static void sim_submit_note_approval(void *data, const struct message_change *change)
{
	bool *is_approved = data;

	if (strcmp(change->reason, outbox_approval_by_owner) == 0)
		*is_approved = true;
	else if (change->state == STATE_WAITING_APPROVAL ||
		 strncmp(change->reason, "edited", strlen("edited")) == 0)
		*is_approved = false;
}

/*
 * Judges a message once more before it is submitted, because a code may have come in since it
 * was accepted. Stopped: it holds a code and waits for approval now.
 */
static int sim_submit_check_codes(const struct sim_queues *queues,
				  struct outbox_message *message, const char *text)
{
	const struct received_code_question question = { text, message->client_id,
							 message->id };
	struct received_codes *codes = queues->codes;
	bool is_approved = false;
	int error;

	if (!codes || message->client_id == CLIENT_OWNER ||
	    message->client_id == CLIENT_GATEWAY ||
	    !received_codes_are_in(codes, &question))
		return 0;
	error = store_message_changes(message->messages->store, message->id,
				      sim_submit_note_approval, &is_approved);
	if (error || is_approved)
		return error;
	error = outbox_step_ask_owner(message, received_code_reason);
	if (error)
		return error > 0 && error != STORE_E_FULL ? -EIO : error;
	outbox_deadline_ask_anew(message, clock_wall_ms());
	log_info("outbox: message %lld holds a code that came in, and waits for "
		 "approval: " PROGRAM_NAME " approve %lld",
		 (long long)message->id, (long long)message->id);
	return SIM_SUBMIT_E_STOPPED;
}

/* It must never be sent. */
static int sim_submit_cancel(struct outbox_message *message, const char *reason)
{
	int error = outbox_step_cancel_waiting(message, reason, false);

	if (!error)
		return SIM_SUBMIT_E_STOPPED;
	return error > 0 && error != STORE_E_FULL ? -EIO : error;
}

/*
 * Asks the limits of the SIM, which count what was submitted, and all limits about a message
 * that waited for them. Stopped: it is scheduled for a later time now, or cancelled.
 */
static int sim_submit_check_slot(const struct sim_queues *queues,
				 struct outbox_message *message)
{
	const struct outbox_deadline before = message->deadline;
	struct outbox_slot slot = { 0 };
	struct message row;
	struct arena *arena;
	int error;

	if (!queues->find_slot)
		return 0;
	arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	error = arena ? store_message_get(message->messages->store, message->id, arena,
					  &row)
		      : -ENOMEM;
	if (!error)
		error = queues->find_slot(queues->find_slot_data, &row, arena, &slot);
	arena_free(arena);
	if (!error && slot.is_never)
		return sim_submit_cancel(message, slot.reason);
	if (error || !slot.send_at_ms)
		return error;
	outbox_deadline_postpone(message, slot.send_at_ms);
	error = outbox_step_postpone(message, slot.reason);
	if (!error)
		return SIM_SUBMIT_E_STOPPED;
	message->deadline = before;
	return error > 0 && error != STORE_E_FULL ? -EIO : error;
}

/*
 * Returns 0 if it may be submitted; SIM_SUBMIT_E_STOPPED if it waits for approval, or for a later
 * time, or is cancelled, on disk; -errno or STORE_E_FULL if it may not be submitted, and nothing has changed.
 */
static int sim_submit_check(const struct sim_queues *queues,
			    struct outbox_message *message, const char *text)
{
	int error = sim_submit_check_codes(queues, message, text);

	return error ? error : sim_submit_check_slot(queues, message);
}

/* ---- lost calls ------------------------------------------------------------------------ */

static bool sim_submit_has_all_records(const struct sim_queue *queue)
{
	const struct sim_queues *queues = queue->queues;

	return queues->read_records && queue->modem &&
	       queue->modem->interfaces & MODEM_OUTGOING_RECORDS &&
	       queues->read_records(queues->records_data, queues->recorded_since_ms);
}

static void sim_submit_lose_call(struct sim_queues *queues,
				 struct outbox_message *message)
{
	queues->call_lost_ms = clock_boot_ms();
	outbox_step_lose(message);
}

/* A message without a record never reached oFono, if no record can be missing. */
void sim_submit_settle_lost(struct sim_queue *queue, bool has_answered)
{
	bool is_complete = has_answered && sim_submit_has_all_records(queue);
	struct outbox_message *message;

	sd_event_source_set_enabled(queue->answer_timer, SD_EVENT_OFF);
	TAILQ_FOREACH (message, &queue->messages, link) {
		if (!outbox_message_is_lost(message))
			continue;
		message->is_lost = false;
		if (is_complete)
			outbox_step_not_taken(message);
		else
			sim_submit_lose_call(queue->queues, message);
	}
}

void sim_submit_restart(struct sim_queues *queues)
{
	struct outbox_message *message;
	struct sim_queue *queue;

	TAILQ_FOREACH (queue, &queues->list, link) {
		TAILQ_FOREACH (message, &queue->messages, link) {
			if (message->state == STATE_SUBMITTING &&
			    queues->messages->sends_again)
				outbox_step_restart(message);
			else if (message->state == STATE_SUBMITTING && message->is_lost)
				sim_queue_start_timer(queue->answer_timer,
						      queues->timing.answer_ms);
			else if (message->state == STATE_SUBMITTING)
				sim_submit_lose_call(queues, message);
			else if (message->state == STATE_SUBMITTED)
				outbox_step_restart(message);
		}
	}
}

/* ---- the call -------------------------------------------------------------------------- */

void sim_submit_keep_early_state(struct sim_queue *queue, const struct ofono_event *event)
{
	struct sim_queue_early_state *early;

	early = &queue->early_states[queue->early_state_count++ %
				     SIM_QUEUE_EARLY_STATES_MAX];
	snprintf(early->uuid, sizeof(early->uuid), "%s", event->uuid);
	early->is_report = event->type == MESSAGE_REPORT;
	early->delivered = event->delivered;
	early->state = event->state;
	early->reason = event->reason;
}

/* Applies the early states of a message that has just got its UUID, in their order. */
static void sim_submit_apply_early_states(struct sim_queue *queue,
					  struct outbox_message *message)
{
	unsigned count = queue->early_state_count;
	unsigned at = count > SIM_QUEUE_EARLY_STATES_MAX
			      ? count - SIM_QUEUE_EARLY_STATES_MAX
			      : 0;

	for (; at < count; at++) {
		const struct sim_queue_early_state *early =
			&queue->early_states[at % SIM_QUEUE_EARLY_STATES_MAX];

		if (strcmp(early->uuid, message->uuid) != 0)
			continue;
		if (early->is_report)
			outbox_step_on_report(message, early->delivered);
		else
			outbox_step_on_state(message, early->state, early->reason);
	}
}

/* oFono never accepted the message. */
static void sim_submit_not_taken(struct sim_queue *queue, struct outbox_message *message,
				 const char *error)
{
	log_info("outbox: message %lld: not accepted by oFono (%s)",
		 (long long)message->id, error ? error : "out of memory");
	/* An agent that was told "unknown" may have acted on it: no second try. */
	if (message->state == STATE_SUBMITTING && queue->queues->messages->sends_again) {
		message->leaves = outbox_failover_not_delivered;
		outbox_messages_request_run(queue->queues->messages);
		return;
	}
	if (message->state == STATE_HELD)
		log_info("outbox: message %lld: still in doubt", (long long)message->id);
	else if (message->state == STATE_UNKNOWN)
		outbox_step_fail(message, "ofono_unavailable");
	else
		outbox_step_not_taken(message);
	sim_queue_pause_sends(queue);
}

void sim_submit_end_call(struct sim_queue *queue)
{
	if (queue->is_unanswered)
		sims_set_stuck(queue->queues->sims, queue->sim_id, false);
	queue->is_unanswered = false;
	outbox_step_end_call(queue->current);
	queue->send = NULL;
	queue->current = NULL;
	sd_event_source_set_enabled(queue->answer_timer, SD_EVENT_OFF);
	outbox_messages_request_run(queue->queues->messages);
}

/* Nobody answered: it is not known whether the radio has the message. */
static void sim_submit_doubt(struct sim_queue *queue, struct outbox_message *message)
{
	if (!queue->queues->messages->sends_again) {
		sim_submit_lose_call(queue->queues, message);
		return;
	}
	if (message->state == STATE_SUBMITTING)
		outbox_step_doubt(message);
	sim_queue_pause_sends(queue);
}

/*
 * The radio refuses it, for good or for now, and keeps nothing. While it is in doubt, an earlier
 * try may still reach the radio, so it is closed first.
 */
static void sim_submit_refuse(struct sim_queue *queue, struct outbox_message *message,
			      const char *reason, bool is_final)
{
	if (outbox_message_is_in_doubt(message)) {
		message->refusal = reason;
		message->refusal_is_final = is_final;
		message->cancel_due = true;
	} else if (is_final) {
		outbox_step_fail(message, reason);
	} else {
		message->leaves = reason;
	}
	outbox_messages_request_run(queue->queues->messages);
}

static void sim_submit_on_answer(void *data, const struct message_send_result *result)
{
	struct sim_queue *queue = data;
	struct outbox_message *message = queue->current;

	sim_submit_end_call(queue);
	if (message_state_is_final(message->state) && message->state != STATE_UNKNOWN)
		return; /* its outcome came first */
	if (message->state == STATE_UNKNOWN)
		log_warning("outbox: message %lld: oFono answered late",
			    (long long)message->id);
	switch (result->outcome) {
	case SEND_ACCEPTED:
		queue->failed_sends = queue->failed_listings = 0;
		outbox_step_accepted(message, result->uuid,
				     queue->modem && queue->modem->uses_delivery_reports);
		sim_submit_apply_early_states(queue, message);
		if (!queue->modem &&
		    message->state == STATE_SUBMITTED) /* lost meanwhile */
			outbox_step_lose_modem(message);
		break;
	case SEND_REFUSED:
		log_info("outbox: message %lld: refused by oFono: %s",
			 (long long)message->id, result->error ? result->error : "-");
		queue->failed_sends = 0;
		sim_submit_refuse(queue, message,
				  outbox_message_refusal_reason(message, queue->modem,
								result->error),
				  true);
		break;
	case SEND_NOT_HERE:
		sim_submit_refuse(queue, message,
				  outbox_message_refusal_reason(message, queue->modem,
								result->error),
				  false);
		break;
	case SEND_NOT_SUBMITTED:
		sim_submit_not_taken(queue, message, result->error);
		break;
	case SEND_FOUND:
		outbox_step_found(message, result->uuid,
				  queue->modem && queue->modem->uses_delivery_reports);
		break;
	case SEND_FORGOTTEN:
		outbox_step_lose(message);
		break;
	case SEND_UNKNOWN:
		sim_submit_doubt(queue, message);
		break;
	}
}

int sim_submit_on_overdue(sd_event_source *source, uint64_t usec, void *data)
{
	struct sim_queue *queue = data;
	struct outbox_message *message = queue->current;

	if (!message) {
		sim_submit_settle_lost(queue, false);
		return 0;
	}
	log_warning("outbox: message %lld: no answer from oFono", (long long)message->id);
	if (queue->queues->messages->sends_again) {
		message_send_cancel(queue->send);
		sim_submit_end_call(queue);
		sim_submit_doubt(queue, message);
		return 0;
	}
	outbox_step_lose(message);
	if (!queue->modem) { /* lost before: no other event would free the queue */
		message_send_cancel(queue->send);
		sim_submit_end_call(queue);
		return 0;
	}
	queue->is_unanswered = true;
	sims_set_stuck(queue->queues->sims, queue->sim_id, true);
	return 0;
}

/* Takes the next message: from here on only oFono's answer makes it queued again. */
void sim_submit_claim(struct sim_queue *queue, struct outbox_message *message,
		      struct modem *modem)
{
	struct outbox_message_payload *payload = message->payload;
	bool is_judged = message->stage == STAGE_PREPARED ||
			 message->state != STATE_QUEUED; /* in doubt: judged before */
	int error = payload ? 0 : outbox_message_payload_read(message, &payload);

	if (!error && !is_judged) /* else judged in this turn, when it was accepted */
		error = sim_submit_check(queue->queues, message, payload->text);
	/* If the row is missing, the next step fails and says so. */
	if (!error || error == STORE_E_NOT_FOUND)
		error = outbox_step_claim(message, payload, modem->epoch);
	else
		free(payload);
	assert(error || message->payload);
	if (!error) {
		queue->modem = modem;
		queue->current = message;
	} else if (error != SIM_SUBMIT_E_STOPPED &&
		   (message->state == STATE_QUEUED || message->state == STATE_HELD)) {
		sim_queue_pause_for_storage(queue);
	}
}

void sim_submit_call(struct sim_queue *queue, int sync_error)
{
	struct outbox_message *message = queue->current;
	struct message_order order = outbox_message_order(message, message->payload);
	char client[CLIENT_NAME_BYTES];

	if (queue->queues->messages->sends_again &&
	    !store_client_name(queue->queues->messages->store, message->client_id,
			       client))
		order.on_behalf = client;
	if (!sync_error && queue->modem) /* else lost meanwhile */
		queue->send =
			message_send(queue->modem, &order, sim_submit_on_answer, queue);
	if (!queue->send) {
		queue->current = NULL;
		outbox_step_end_call(message);
		sim_submit_not_taken(queue, message,
				     sync_error ? "the disk does not confirm it" : NULL);
		return;
	}
	outbox_step_call(message);
	queue->early_state_count = 0;
	sim_queue_start_timer(queue->answer_timer, queue->queues->timing.answer_ms);
}
