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
 *               can end that. Unless it waits on another phone for the approval of its
 *               owner: that may take a day, and the queue goes on. The loss of the modem, or of
 *               the message store of a radio that is a gateway itself, makes the message
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
 * sim_submit.c submits. A run of the outbox calls sim_queues_advance(), sim_queues_sweep() and
 * sim_queues_submit() in this order: all messages that leave in one run wait for the disk together.
 */
#include "sms/sim_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "sms/outbox_step.h"
#include "store/store.h"

enum {
	USEC_PER_MS = 1000,
	ACCURACY_USEC = 10 * 1000,
	STUCK_ACCURACY_USEC = 100 * 1000,
};

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
		if (message->state == STATE_SUBMITTED && !message->waits_for_owner)
			survey.submitted = message;
		if (!survey.next && message->state == STATE_QUEUED &&
		    !outbox_deadline_is_uncertain(message))
			survey.next = message;
	}
	return survey;
}

/* ---- pauses -------------------------------------------------------------------------- */

void sim_queue_start_timer(sd_event_source *timer, uint64_t after_ms)
{
	sd_event_source_set_time_relative(timer, after_ms * USEC_PER_MS);
	sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

static bool sim_queue_is_paused(const struct sim_queue *queue)
{
	return sd_event_source_get_enabled(queue->pause_timer, NULL) > 0;
}

/* Pauses pause_ms, then twice that, ... up to retry_max_ms. */
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

void sim_queue_pause_for_storage(struct sim_queue *queue)
{
	sim_queue_start_timer(queue->pause_timer, queue->queues->timing.storage_ms);
}

static int sim_queue_on_pause_over(sd_event_source *source, uint64_t usec, void *data)
{
	struct sim_queue *queue = data;

	outbox_messages_request_run(queue->queues->messages);
	return 0;
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
			outbox_step_lose(message);
			continue;
		}
		message->cancel_due = message->cancel_wanted;
		message->epoch = queue->modem->epoch;
		outbox_step_listed(message);
	}
	if (sim_queue_survey(queue).has_lost)
		sim_submit_settle_lost(queue, true);
	outbox_messages_request_run(queue->queues->messages);
}

/* A radio that sends again safely is asked for one message after the other. */
static void sim_queue_list_held(struct sim_queue *queue, struct modem *modem)
{
	bool asks_for_one = queue->queues->messages->sends_again;
	struct message_order order = { 0 };
	struct outbox_message *message;

	queue->modem = modem;
	TAILQ_FOREACH (message, &queue->messages, link) {
		message->is_asked_for = message->state == STATE_HELD && *message->uuid &&
					!(asks_for_one && order.id);
		if (message->is_asked_for)
			order = outbox_message_order(message, NULL);
	}
	queue->listing = message_list(modem, &order, sim_queue_on_listed, queue);
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
		sim_submit_claim(queue, message, sim->modem);
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
	return sim_queue_is_paused(queue) || queue->current || queue->listing;
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
		outbox_step_save(message);
		if (!outbox_message_is_saved(message)) {
			sim_queue_pause_for_storage(queue);
			return;
		}
	}
}

/* After a start the codes of the last day are read first: the outbox runs again then. */
static bool sim_queue_can_judge(const struct sim_queue *queue)
{
	return !queue->queues->codes || received_codes_are_ready(queue->queues->codes);
}

/*
 * The radio's message store was replaced since: it may have forgotten what it accepted. Or this
 * was heard of a message before its modem was known here, so that nothing would notice its loss.
 */
static void sim_queue_check_epoch(struct sim_queue *queue)
{
	struct outbox_message *message;

	if (!queue->queues->messages->sends_again)
		return;
	TAILQ_FOREACH (message, &queue->messages, link) {
		if (message->state == STATE_SUBMITTED &&
		    (!queue->modem || message->epoch != queue->modem->epoch))
			outbox_step_lose_modem(message);
	}
}

/* What it has will never be heard of here, and what waits for it never leaves. */
static void sim_queue_lose_radio(struct sim_queue *queue)
{
	struct outbox_message *message;

	TAILQ_FOREACH (message, &queue->messages, link) {
		if (message != queue->current)
			outbox_step_lose_radio(message);
	}
}

/* Does what can be done now: saves, asks oFono for held messages, claims the next one. */
static void sim_queue_advance(struct sim_queue *queue)
{
	struct sim_queue_survey survey;
	const struct sim *sim = sims_find(queue->queues->sims, queue->sim_id);
	bool may_submit;

	sim_queue_check_epoch(queue);
	if (sim && sim->modem->has_other_hub)
		sim_queue_lose_radio(queue);
	survey = sim_queue_survey(queue);
	may_submit = sim_queue_may_submit(queue, &survey, sim);
	sim_queue_check_stuck(queue, survey.submitted, sim);
	if (may_submit && survey.next && survey.next->stage == STAGE_PREPARED) {
		sim_submit_claim(queue, survey.next, sim->modem);
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
		sim_submit_claim(queue, survey.next, sim->modem);
}

/* With its messages; the rows stay. */
static void sim_queue_free(struct sim_queue *queue)
{
	struct outbox_message *message;

	message_send_cancel(queue->send);
	message_listing_cancel(queue->listing);
	while ((message = TAILQ_FIRST(&queue->messages))) {
		TAILQ_REMOVE(&queue->messages, message, link);
		outbox_message_free(message);
	}
	sd_event_source_disable_unref(queue->answer_timer);
	sd_event_source_disable_unref(queue->pause_timer);
	sd_event_source_disable_unref(queue->stuck_timer);
	free(queue);
}

/* Frees messages that are done. Returns true if the queue is empty. */
static bool sim_queue_sweep(struct sim_queue *queue)
{
	struct outbox_message *message, *next;

	for (message = TAILQ_FIRST(&queue->messages); message; message = next) {
		next = TAILQ_NEXT(message, link);
		if (!outbox_message_is_done(message))
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

static void sim_queue_lose_modem(struct sim_queue *queue)
{
	struct outbox_message *message;

	queue->modem = NULL;
	message_listing_cancel(queue->listing);
	queue->listing = NULL;
	if (queue->send && queue->current->state == STATE_UNKNOWN) {
		message_send_cancel(queue->send);
		sim_submit_end_call(queue);
	}
	TAILQ_FOREACH (message, &queue->messages, link) {
		if (message->state == STATE_SUBMITTED)
			outbox_step_lose_modem(message);
	}
	outbox_messages_request_run(queue->queues->messages);
}

static void sim_queue_end_pause(struct sim_queue *queue)
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

/* Returns NULL if memory runs out. */
static struct sim_queue *sim_queue_new(struct sim_queues *queues, int64_t sim_id)
{
	struct sim_queue *queue = calloc(1, sizeof(*queue));
	int error;

	if (!queue)
		return NULL;
	queue->queues = queues;
	queue->sim_id = sim_id;
	TAILQ_INIT(&queue->messages);
	error = sim_queue_add_timer(queue, ACCURACY_USEC, sim_submit_on_overdue,
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

/* ---- all queues ------------------------------------------------------------------------ */

void sim_queues_init(struct sim_queues *queues, const struct outbox_timing *timing)
{
	queues->timing = *timing;
	TAILQ_INIT(&queues->list);
}

void sim_queues_deinit(struct sim_queues *queues)
{
	struct sim_queue *queue;

	while ((queue = TAILQ_FIRST(&queues->list))) {
		TAILQ_REMOVE(&queues->list, queue, link);
		sim_queue_free(queue);
	}
}

struct sim_queue *sim_queues_get(struct sim_queues *queues, int64_t sim_id)
{
	struct sim_queue *queue;

	TAILQ_FOREACH (queue, &queues->list, link) {
		if (queue->sim_id == sim_id)
			return queue;
	}
	queue = sim_queue_new(queues, sim_id);
	if (queue)
		TAILQ_INSERT_TAIL(&queues->list, queue, link);
	return queue;
}

struct outbox_message *sim_queues_add(struct sim_queues *queues,
				      const struct message *row)
{
	struct sim_queue *queue = sim_queues_get(queues, row->sim_id);
	struct outbox_message *message = NULL;

	if (queue)
		message = outbox_message_new(queues->messages, row);
	if (message) {
		outbox_deadline_read(message, row);
		TAILQ_INSERT_TAIL(&queue->messages, message, link);
	}
	outbox_messages_request_run(queues->messages); /* also removes an empty queue */
	return message;
}

struct outbox_message *sim_queues_find(const struct sim_queues *queues,
				       int64_t message_id, struct sim_queue **queue_out)
{
	struct outbox_message *message;
	struct sim_queue *queue;

	TAILQ_FOREACH (queue, &queues->list, link) {
		/* Most callers have just had it accepted. */
		TAILQ_FOREACH_REVERSE(message, &queue->messages, outbox_message_list,
				      link)
		{
			if (message->id != message_id)
				continue;
			if (queue_out)
				*queue_out = queue;
			return message;
		}
	}
	return NULL;
}

struct outbox_message *sim_queues_find_uuid(const struct sim_queues *queues,
					    const char *uuid)
{
	struct outbox_message *message;
	struct sim_queue *queue;

	TAILQ_FOREACH (queue, &queues->list, link) {
		TAILQ_FOREACH (message, &queue->messages, link) {
			if (!strcmp(message->uuid, uuid))
				return message;
		}
	}
	return NULL;
}

void sim_queues_advance(struct sim_queues *queues)
{
	struct sim_queue *queue;

	TAILQ_FOREACH (queue, &queues->list, link)
		sim_queue_advance(queue);
}

void sim_queues_sweep(struct sim_queues *queues)
{
	struct sim_queue *queue, *next;

	for (queue = TAILQ_FIRST(&queues->list); queue; queue = next) {
		bool is_empty = sim_queue_sweep(queue);

		next = TAILQ_NEXT(queue, link); /* observers may have added one */
		if (!is_empty)
			continue;
		TAILQ_REMOVE(&queues->list, queue, link);
		sim_queue_free(queue);
	}
}

void sim_queues_submit(struct sim_queues *queues)
{
	struct sim_queue *queue;
	bool any = false;
	int error;

	TAILQ_FOREACH (queue, &queues->list, link)
		any |= queue->current && !queue->send;
	if (!any)
		return;
	error = store_identity_advance(queues->messages->store);
	TAILQ_FOREACH (queue, &queues->list, link) {
		if (queue->current && !queue->send)
			sim_submit_call(queue, error);
	}
}

void sim_queues_on_state(struct sim_queues *queues, const struct ofono_event *event)
{
	struct outbox_message *message = sim_queues_find_uuid(queues, event->uuid);
	struct sim_queue *queue;

	if (message) {
		outbox_step_on_state(message, event->state, event->reason);
		return;
	}
	/* Another program sent it, or it is the one whose SendMessage is not answered yet. */
	TAILQ_FOREACH (queue, &queues->list, link) {
		if (queue->send && queue->modem == event->modem)
			sim_submit_keep_early_state(queue, event);
	}
}

void sim_queues_keep_report(struct sim_queues *queues, const struct ofono_event *event)
{
	struct sim_queue *queue;

	TAILQ_FOREACH (queue, &queues->list, link) {
		if (queue->send)
			sim_submit_keep_early_state(queue, event);
	}
}

void sim_queues_on_modem_lost(struct sim_queues *queues, const struct modem *modem)
{
	struct sim_queue *queue;

	TAILQ_FOREACH (queue, &queues->list, link) {
		if (queue->modem == modem)
			sim_queue_lose_modem(queue);
	}
}

void sim_queues_on_sim_changed(struct sim_queues *queues)
{
	struct sim_queue *queue;

	queues->messages->reroute_due = true;
	TAILQ_FOREACH (queue, &queues->list, link)
		sim_queue_end_pause(queue);
}
