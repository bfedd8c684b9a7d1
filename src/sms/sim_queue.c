/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue submits its next message only when oFono has no other message of the SIM that
 * could still be sent later:
 *
 *   submitting  SendMessage is not answered. After answer_ms the message is unknown, but the
 *               queue stays occupied: oFono is stuck, and further calls would only pile up.
 *               The SIM is shown as stuck. A late answer or the loss of the modem frees the
 *               queue.
 *   submitted   until oFono reports the outcome. A registered modem that takes too long is
 *               stuck: it keeps the message pending for ever, and neither oFono nor its Cancel
 *               can end that. The loss of the modem makes the message
 *   held        oFono keeps it for the SIM card. When the modem of the card accepts messages
 *               again, oFono is asked which ones it has: those are submitted again, the others
 *               unknown (sent before anybody listened?). What is held later is asked for later.
 *
 *   lost        submitting when the gateway died, while our plugin recorded what ofonod
 *               accepts. As soon as the modem accepts messages, oFono is asked which ones it
 *               has: it answers after it has handled the lost call. If the call was accepted,
 *               its record has been found by then. If there is none, and none can be missing,
 *               the message never reached oFono and is queued again
 *               (tests/integration/test_crash_matrix.py, the cells with a record).
 *
 * A radio that sends again safely (ofono/ofono.h) may simply be asked once more, so silence does
 * not make a message unknown:
 *
 *   in doubt    held without a UUID: nobody answered, or the program restarted meanwhile. As
 *               soon as the modem accepts messages, the message is submitted again with the
 *               same ID and attempt, which also asks what became of it. If it is not to be
 *               sent from here any more, the radio closes it first. Only its validity makes
 *               it unknown (tests/unit/test_outbox_doubt.c).
 *
 * A fork of ofonod may report a state before it answers SendMessage: it is kept until then
 * (tests/unit/test_outbox_trouble.c::test_a_state_before_the_answer_is_kept).
 */
#include "sms/sim_queue.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "sms/submit_check.h"
#include "store/store_client.h"

enum {
	USEC_PER_MS = 1000,
	ACCURACY_USEC = 10 * 1000,
	STUCK_ACCURACY_USEC = 100 * 1000,
};

static const char unknown_outcome[] = "unknown_outcome";
static const char modem_away[] = "modem_away";
static const char in_doubt[] = "in_doubt";

/* What is to be done for a queue. */
struct sim_queue_survey {
	bool has_unsaved; /* the disk lags behind */
	bool has_held;
	bool has_lost;
	const struct outbox_message *submitted; /* or NULL */
	struct outbox_message *doubtful;	/* held and in doubt, or NULL */
	struct outbox_message *next; /* the first one that is queued, or NULL */
};

static struct sim_queue_survey sim_queue_survey(const struct sim_queue *queue)
{
	struct sim_queue_survey survey = { 0 };
	struct outbox_message *message;

	TAILQ_FOREACH (message, &queue->messages, link) {
		survey.has_unsaved |= !outbox_message_is_saved(message);
		survey.has_held |= message->state == STATE_HELD;
		survey.has_lost |= outbox_message_is_lost(message);
		if (queue->queues->messages->sends_again &&
		    outbox_message_is_in_doubt(message))
			survey.doubtful = message;
		if (message->state == STATE_SUBMITTED)
			survey.submitted = message;
		if (!survey.next && message->state == STATE_QUEUED &&
		    !outbox_deadline_is_uncertain(message))
			survey.next = message;
	}
	return survey;
}

/* ---- pauses -------------------------------------------------------------------------- */

static void sim_queue_start_timer(sd_event_source *timer, uint64_t after_ms)
{
	sd_event_source_set_time_relative(timer, after_ms * USEC_PER_MS);
	sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

static bool sim_queue_is_paused(const struct sim_queue *queue)
{
	return sd_event_source_get_enabled(queue->pause_timer, NULL) > 0;
}

/* pause_ms, twice that, ... up to retry_max_ms. */
static void sim_queue_back_off(struct sim_queue *queue, unsigned *failures,
			       uint64_t pause_ms)
{
	uint64_t max_ms = queue->queues->timing.retry_max_ms;
	unsigned failure;

	for (failure = 0; failure < *failures && pause_ms < max_ms; failure++)
		pause_ms *= 2;
	++*failures;
	sim_queue_start_timer(queue->pause_timer, pause_ms < max_ms ? pause_ms : max_ms);
}

void sim_queue_pause_sends(struct sim_queue *queue)
{
	sim_queue_back_off(queue, &queue->failed_sends, queue->queues->timing.retry_ms);
}

void sim_queue_pause(struct sim_queue *queue)
{
	sim_queue_back_off(queue, &queue->failed_listings,
			   queue->queues->timing.listing_ms);
}

static int sim_queue_on_pause_over(sd_event_source *source, uint64_t usec, void *data)
{
	struct sim_queue *queue = data;

	outbox_messages_request_run(queue->queues->messages);
	return 0;
}

/* ---- submitting ---------------------------------------------------------------------- */

void sim_queue_keep_early_state(struct sim_queue *queue, const struct ofono_event *event)
{
	struct sim_queue_early_state *early;

	early = &queue->early_states[queue->early_state_count++ %
				     SIM_QUEUE_EARLY_STATES_MAX];
	snprintf(early->uuid, sizeof(early->uuid), "%s", event->uuid);
	early->state = event->state;
}

/* Applies the early states of a message that has just got its UUID, in their order. */
static void sim_queue_apply_early_states(struct sim_queue *queue,
					 struct outbox_message *message)
{
	unsigned count = queue->early_state_count;
	unsigned at = count > SIM_QUEUE_EARLY_STATES_MAX
			      ? count - SIM_QUEUE_EARLY_STATES_MAX
			      : 0;

	for (; at < count; at++) {
		const struct sim_queue_early_state *early =
			&queue->early_states[at % SIM_QUEUE_EARLY_STATES_MAX];

		if (strcmp(early->uuid, message->uuid) == 0)
			outbox_message_on_state(message, early->state);
	}
}

/* oFono never accepted the message. */
static void sim_queue_not_submitted(struct sim_queue *queue,
				    struct outbox_message *message, const char *error)
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
		outbox_message_set_state(message, STATE_FAILED, "ofono_unavailable");
	else
		outbox_message_set_state(message, STATE_QUEUED, "not_taken");
	sim_queue_back_off(queue, &queue->failed_sends, queue->queues->timing.retry_ms);
}

static void sim_queue_end_send(struct sim_queue *queue)
{
	if (queue->is_unanswered)
		sims_set_stuck(queue->queues->sims, queue->sim_id, false);
	queue->is_unanswered = false;
	queue->send = NULL;
	queue->submitting = NULL;
	sd_event_source_set_enabled(queue->answer_timer, SD_EVENT_OFF);
	outbox_messages_request_run(queue->queues->messages);
}

/* Nobody answered: it is not known whether the radio has the message. */
static void sim_queue_doubt(struct sim_queue *queue, struct outbox_message *message)
{
	if (!queue->queues->messages->sends_again) {
		sim_queues_lose_call(queue->queues, message);
		return;
	}
	if (message->state == STATE_SUBMITTING)
		outbox_message_set_state(message, STATE_HELD, in_doubt);
	sim_queue_pause_sends(queue);
}

/*
 * The radio refuses it, for good or for now, and keeps nothing. While it is in doubt, an earlier
 * try may still reach the radio, so it is closed first.
 */
static void sim_queue_refuse(struct sim_queue *queue, struct outbox_message *message,
			     const char *reason, bool is_final)
{
	if (outbox_message_is_in_doubt(message)) {
		message->refusal = reason;
		message->refusal_is_final = is_final;
		message->cancel_due = true;
	} else if (is_final) {
		outbox_message_set_state(message, STATE_FAILED, reason);
	} else {
		message->leaves = reason;
	}
	outbox_messages_request_run(queue->queues->messages);
}

static void sim_queue_on_answer(void *data, const struct message_send_result *result)
{
	struct sim_queue *queue = data;
	struct outbox_message *message = queue->submitting;

	sim_queue_end_send(queue);
	if (message_state_is_final(message->state) && message->state != STATE_UNKNOWN)
		return; /* its outcome came first */
	if (message->state == STATE_UNKNOWN)
		log_warning("outbox: message %lld: oFono answered late",
			    (long long)message->id);
	switch (result->outcome) {
	case SEND_ACCEPTED:
		queue->failed_sends = queue->failed_listings = 0;
		outbox_message_set_submitted(message, result->uuid,
					     queue->modem &&
						     queue->modem->uses_delivery_reports);
		sim_queue_apply_early_states(queue, message);
		if (!queue->modem &&
		    message->state == STATE_SUBMITTED) /* lost meanwhile */
			outbox_message_set_state(message, STATE_HELD, modem_away);
		break;
	case SEND_REFUSED:
		log_info("outbox: message %lld: refused by oFono: %s",
			 (long long)message->id, result->error ? result->error : "-");
		queue->failed_sends = 0;
		sim_queue_refuse(queue, message,
				 outbox_message_refusal_reason(message, queue->modem,
							       result->error),
				 true);
		break;
	case SEND_NOT_HERE:
		sim_queue_refuse(queue, message,
				 outbox_message_refusal_reason(message, queue->modem,
							       result->error),
				 false);
		break;
	case SEND_NOT_SUBMITTED:
		sim_queue_not_submitted(queue, message, result->error);
		break;
	case SEND_FORGOTTEN:
		outbox_message_set_state(message, STATE_UNKNOWN, unknown_outcome);
		break;
	case SEND_UNKNOWN:
		sim_queue_doubt(queue, message);
		break;
	}
}

static int sim_queue_on_answer_overdue(sd_event_source *source, uint64_t usec, void *data)
{
	struct sim_queue *queue = data;
	struct outbox_message *message = queue->submitting;

	if (!message) {
		sim_queues_settle_lost(queue, false);
		return 0;
	}
	log_warning("outbox: message %lld: no answer from oFono", (long long)message->id);
	if (queue->queues->messages->sends_again) {
		message_send_cancel(queue->send);
		sim_queue_end_send(queue);
		sim_queue_doubt(queue, message);
		return 0;
	}
	outbox_message_set_state(message, STATE_UNKNOWN, unknown_outcome);
	if (!queue->modem) { /* lost before: no other event would free the queue */
		message_send_cancel(queue->send);
		sim_queue_end_send(queue);
		return 0;
	}
	queue->is_unanswered = true;
	sims_set_stuck(queue->queues->sims, queue->sim_id, true);
	return 0;
}

/* Takes the next message: from here on only oFono's answer makes it queued again. */
static void sim_queue_claim(struct sim_queue *queue, struct outbox_message *message,
			    struct modem *modem)
{
	struct outbox_message_payload *payload = message->payload;
	bool is_judged = outbox_message_is_prepared(message) ||
			 message->state != STATE_QUEUED; /* in doubt: judged before */
	int error = 0;

	message->payload = NULL;
	if (!payload)
		error = outbox_message_payload_read(message, &payload);
	if (!error && !is_judged) /* else judged in this turn, when it was accepted */
		error = submit_check(queue->queues, message, payload->text);
	if (error == SUBMIT_CHECK_E_STOPPED) {
		free(payload);
		return;
	}

	/* If the row is missing, the next step fails and says so. */
	if ((!error && message->state == STATE_QUEUED) || error == STORE_E_NOT_FOUND)
		error = outbox_message_begin_submitting(message);
	assert(error || payload);
	if (!error) {
		queue->modem = modem;
		queue->claimed = message;
		queue->claimed_payload = payload;
		return;
	}
	if (message->state == STATE_QUEUED || message->state == STATE_HELD)
		sim_queue_start_timer(queue->pause_timer,
				      queue->queues->timing.storage_ms);
	free(payload);
}

void sim_queue_submit(struct sim_queue *queue, int sync_error)
{
	struct outbox_message_payload *payload = queue->claimed_payload;
	struct outbox_message *message = queue->claimed;
	struct message_order order = outbox_message_order(message, payload);
	char client[CLIENT_NAME_BYTES];

	queue->claimed = NULL;
	queue->claimed_payload = NULL;
	if (sync_error) {
		sim_queue_not_submitted(queue, message, "the disk does not confirm it");
		free(payload);
		return;
	}
	if (queue->queues->messages->sends_again &&
	    !store_client_name(queue->queues->messages->store, message->client_id,
			       client))
		order.on_behalf = client;
	if (queue->modem) /* else lost meanwhile */
		queue->send =
			message_send(queue->modem, &order, sim_queue_on_answer, queue);
	free(payload);
	if (!queue->send) {
		sim_queue_not_submitted(queue, message, NULL);
		return;
	}
	queue->submitting = message;
	queue->early_state_count = 0;
	sim_queue_start_timer(queue->answer_timer, queue->queues->timing.answer_ms);
}

/* ---- held messages ------------------------------------------------------------------- */

static bool sim_queue_list_has(char (*uuids)[MESSAGE_UUID_BYTES], size_t count,
			       const char *uuid)
{
	for (size_t at = 0; at < count; at++) {
		if (!strcmp(uuids[at], uuid))
			return true;
	}
	return false;
}

static void sim_queue_on_listed(void *data, char (*uuids)[MESSAGE_UUID_BYTES],
				size_t count)
{
	struct sim_queue *queue = data;
	struct outbox_message *message;

	queue->listing = NULL;
	if (!uuids) {
		sim_queue_pause(queue);
		return;
	}
	queue->failed_listings = 0;
	TAILQ_FOREACH (message, &queue->messages, link) {
		if (!message->is_asked_for || message->state != STATE_HELD)
			continue;
		if (!sim_queue_list_has(uuids, count, message->uuid)) {
			outbox_message_set_state(message, STATE_UNKNOWN, unknown_outcome);
			continue;
		}
		message->cancel_due = message->cancel_wanted;
		outbox_message_set_state(message, STATE_SUBMITTED, "");
	}
	if (sim_queue_survey(queue).has_lost)
		sim_queues_settle_lost(queue, true);
	outbox_messages_request_run(queue->queues->messages);
}

static void sim_queue_list_held(struct sim_queue *queue, struct modem *modem)
{
	struct outbox_message *message;

	queue->modem = modem;
	TAILQ_FOREACH (message, &queue->messages, link)
		message->is_asked_for = message->state == STATE_HELD && *message->uuid;
	queue->listing = message_list(modem, sim_queue_on_listed, queue);
	if (!queue->listing)
		sim_queue_start_timer(queue->pause_timer,
				      queue->queues->timing.listing_ms);
}

/* Asks again about a message in doubt by submitting it again, or has the radio close it. */
static void sim_queue_ask_again(struct sim_queue *queue, struct outbox_message *message,
				const struct sim *sim)
{
	queue->modem = sim->modem;
	if (sim->state != SIM_READY && message->routed.pool_id && !message->refusal) {
		message->refusal = "closed"; /* another SIM may send it then */
		message->refusal_is_final = false;
	}
	if (message->cancel_wanted || message->refusal)
		message->cancel_due = !message->is_closing; /* it follows in this run */
	else if (sim->state == SIM_READY && !queue->queues->is_paused)
		sim_queue_claim(queue, message, sim->modem);
}

/* ---- stuck modems -------------------------------------------------------------------- */

static int sim_queue_on_stuck(sd_event_source *source, uint64_t usec, void *data)
{
	struct sim_queue *queue = data;

	queue->is_stuck = true;
	log_warning(
		"sim %lld: its modem is stuck: registered, but it finishes no message",
		(long long)queue->sim_id);
	sims_set_stuck(queue->queues->sims, queue->sim_id, true);
	return 0;
}

static void sim_queue_stop_stuck_timer(struct sim_queue *queue)
{
	sd_event_source_set_enabled(queue->stuck_timer, SD_EVENT_OFF);
	if (!queue->is_stuck)
		return;
	queue->is_stuck = false;
	log_info("sim %lld: its modem is no longer stuck", (long long)queue->sim_id);
	sims_set_stuck(queue->queues->sims, queue->sim_id, false);
}

/* An unregistered modem cannot send, so the time without registration does not count. */
static void sim_queue_check_stuck(struct sim_queue *queue,
				  const struct outbox_message *submitted,
				  const struct sim *sim)
{
	const struct outbox_timing *timing = &queue->queues->timing;
	uint64_t limit_ms = timing->stuck_ms;

	if (!submitted || !sim || (sim->state != SIM_READY && sim->state != SIM_STUCK)) {
		sim_queue_stop_stuck_timer(queue);
		return;
	}
	if (!limit_ms || queue->is_stuck ||
	    sd_event_source_get_enabled(queue->stuck_timer, NULL) > 0)
		return;
	if (submitted->segments > 1)
		limit_ms += timing->stuck_segment_ms * (submitted->segments - 1);
	sim_queue_start_timer(queue->stuck_timer, limit_ms);
}

/* ---- the run ------------------------------------------------------------------------- */

static bool sim_queue_is_busy(const struct sim_queue *queue)
{
	return sim_queue_is_paused(queue) || queue->send || queue->claimed ||
	       queue->listing;
}

static bool sim_queue_may_submit(const struct sim_queue *queue,
				 const struct sim_queue_survey *survey,
				 const struct sim *sim)
{
	return !sim_queue_is_busy(queue) && !survey->has_held && !survey->has_lost &&
	       !survey->submitted && sim && sim->state == SIM_READY &&
	       !queue->queues->is_paused;
}

bool sim_queue_is_free(const struct sim_queue *queue)
{
	struct sim_queue_survey survey = sim_queue_survey(queue);
	const struct sim *sim = sims_find(queue->queues->sims, queue->sim_id);

	return !survey.next && !survey.has_unsaved &&
	       sim_queue_may_submit(queue, &survey, sim);
}

static void sim_queue_save(struct sim_queue *queue)
{
	struct outbox_message *message;

	TAILQ_FOREACH (message, &queue->messages, link) {
		outbox_message_save(message);
		if (!outbox_message_is_saved(message)) {
			sim_queue_start_timer(queue->pause_timer,
					      queue->queues->timing.storage_ms);
			return;
		}
	}
}

/* After a start the codes of the last day are read first: the outbox runs again then. */
static bool sim_queue_can_judge(const struct sim_queue *queue)
{
	return !queue->queues->codes || received_codes_are_ready(queue->queues->codes);
}

void sim_queue_advance(struct sim_queue *queue)
{
	struct sim_queue_survey survey = sim_queue_survey(queue);
	const struct sim *sim = sims_find(queue->queues->sims, queue->sim_id);
	bool may_submit = sim_queue_may_submit(queue, &survey, sim);

	sim_queue_check_stuck(queue, survey.submitted, sim);
	if (may_submit && survey.next && outbox_message_is_prepared(survey.next)) {
		sim_queue_claim(queue, survey.next, sim->modem);
		return;
	}
	if (survey.has_unsaved && !sim_queue_is_paused(queue))
		sim_queue_save(queue);
	if (sim_queue_is_busy(queue) || !sim)
		return;
	if (survey.has_held || survey.has_lost) {
		if (!(sim->modem->interfaces & MODEM_MESSAGE_MANAGER))
			return;
		if (survey.doubtful)
			sim_queue_ask_again(queue, survey.doubtful, sim);
		else
			sim_queue_list_held(queue, sim->modem);
		return;
	}
	if (may_submit && survey.next && sim_queue_can_judge(queue))
		sim_queue_claim(queue, survey.next, sim->modem);
}

void sim_queue_free(struct sim_queue *queue)
{
	struct outbox_message *message;

	message_send_cancel(queue->send);
	message_listing_cancel(queue->listing);
	free(queue->claimed_payload);
	while ((message = TAILQ_FIRST(&queue->messages))) {
		TAILQ_REMOVE(&queue->messages, message, link);
		outbox_message_free(message);
	}
	sd_event_source_disable_unref(queue->answer_timer);
	sd_event_source_disable_unref(queue->pause_timer);
	sd_event_source_disable_unref(queue->stuck_timer);
	free(queue);
}

bool sim_queue_sweep(struct sim_queue *queue)
{
	struct outbox_message *message, *next;

	for (message = TAILQ_FIRST(&queue->messages); message; message = next) {
		next = TAILQ_NEXT(message, link);
		if (message == queue->submitting || message == queue->claimed ||
		    !outbox_message_is_done(message))
			continue;
		TAILQ_REMOVE(&queue->messages, message, link);
		outbox_message_free(message);
	}
	if (!TAILQ_EMPTY(&queue->messages))
		return false;
	sim_queue_stop_stuck_timer(queue);
	return true;
}

/* ---- modems and SIMs ----------------------------------------------------------------- */

void sim_queue_lose_modem(struct sim_queue *queue)
{
	struct outbox_message *message;

	queue->modem = NULL;
	message_listing_cancel(queue->listing);
	queue->listing = NULL;
	if (queue->send && queue->submitting->state == STATE_UNKNOWN) {
		message_send_cancel(queue->send);
		sim_queue_end_send(queue);
	}
	TAILQ_FOREACH (message, &queue->messages, link) {
		if (message->state == STATE_SUBMITTED)
			outbox_message_set_state(message, STATE_HELD, modem_away);
	}
	outbox_messages_request_run(queue->queues->messages);
}

void sim_queue_end_pause(struct sim_queue *queue)
{
	sd_event_source_set_enabled(queue->pause_timer, SD_EVENT_OFF);
	outbox_messages_request_run(queue->queues->messages);
}

static int sim_queue_add_timer(struct sim_queue *queue, uint64_t accuracy_us,
			       int (*on_timer)(sd_event_source *source, uint64_t usec,
					       void *data),
			       sd_event_source **timer_out)
{
	int error = sd_event_add_time_relative(queue->queues->loop, timer_out,
					       CLOCK_MONOTONIC, 0, accuracy_us, on_timer,
					       queue);

	return error < 0 ? error : sd_event_source_set_enabled(*timer_out, SD_EVENT_OFF);
}

struct sim_queue *sim_queue_new(struct sim_queues *queues, int64_t sim_id)
{
	struct sim_queue *queue = calloc(1, sizeof(*queue));
	int error;

	if (!queue)
		return NULL;
	queue->queues = queues;
	queue->sim_id = sim_id;
	TAILQ_INIT(&queue->messages);
	error = sim_queue_add_timer(queue, ACCURACY_USEC, sim_queue_on_answer_overdue,
				    &queue->answer_timer);
	if (error >= 0)
		error = sim_queue_add_timer(queue, ACCURACY_USEC, sim_queue_on_pause_over,
					    &queue->pause_timer);
	if (error >= 0)
		error = sim_queue_add_timer(queue, STUCK_ACCURACY_USEC,
					    sim_queue_on_stuck, &queue->stuck_timer);
	if (error < 0) {
		sim_queue_free(queue);
		return NULL;
	}
	return queue;
}
