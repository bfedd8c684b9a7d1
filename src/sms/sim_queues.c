/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds messages and queues, and passes events to the queues that they concern. A run of the
 * outbox calls sim_queues_advance(), sim_queues_sweep() and sim_queues_submit() in this order.
 * All messages that leave in one run wait for the disk together, in sim_queues_submit().
 */
#include "sms/sim_queue.h"

#include <string.h>

#include "base/clock.h"
#include "store/store.h"

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
	outbox_messages_request_run(queues->messages); /* removes an empty queue, too */
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
		any |= queue->claimed != NULL;
	if (!any)
		return;
	error = store_identity_advance(queues->messages->store);
	TAILQ_FOREACH (queue, &queues->list, link) {
		if (queue->claimed)
			sim_queue_submit(queue, error);
	}
}

void sim_queues_on_state(struct sim_queues *queues, const struct ofono_event *event)
{
	struct outbox_message *message = sim_queues_find_uuid(queues, event->uuid);
	struct sim_queue *queue;

	if (message) {
		outbox_message_on_state(message, event->state);
		return;
	}
	/* Another program sent it, or it is the one whose SendMessage is not answered yet. */
	TAILQ_FOREACH (queue, &queues->list, link) {
		if (queue->send && queue->modem == event->modem)
			sim_queue_keep_early_state(queue, event);
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

static bool sim_queues_has_all_records(const struct sim_queue *queue)
{
	const struct sim_queues *queues = queue->queues;

	return queues->read_records && queue->modem &&
	       queue->modem->interfaces & MODEM_OUTGOING_RECORDS &&
	       queues->read_records(queues->records_data, queues->recorded_since_ms);
}

void sim_queues_lose_call(struct sim_queues *queues, struct outbox_message *message)
{
	queues->call_lost_ms = clock_boot_ms();
	outbox_message_set_state(message, STATE_UNKNOWN, "unknown_outcome");
}

/* What no record is of never reached oFono, if no record can be missing. */
void sim_queues_settle_lost(struct sim_queue *queue, bool has_answered)
{
	bool is_complete = has_answered && sim_queues_has_all_records(queue);
	struct outbox_message *message;

	sd_event_source_set_enabled(queue->answer_timer, SD_EVENT_OFF);
	TAILQ_FOREACH (message, &queue->messages, link) {
		if (!outbox_message_is_lost(message))
			continue;
		message->is_lost = false;
		if (is_complete)
			outbox_message_set_state(message, STATE_QUEUED, "not_taken");
		else
			sim_queues_lose_call(queue->queues, message);
	}
}

static void sim_queues_await_records(struct sim_queue *queue)
{
	sd_event_source_set_time_relative(queue->answer_timer,
					  queue->queues->timing.answer_ms * 1000);
	sd_event_source_set_enabled(queue->answer_timer, SD_EVENT_ONESHOT);
}

void sim_queues_restart(struct sim_queues *queues)
{
	struct outbox_message *message;
	struct sim_queue *queue;

	TAILQ_FOREACH (queue, &queues->list, link) {
		TAILQ_FOREACH (message, &queue->messages, link) {
			if (message->state == STATE_SUBMITTING &&
			    queues->messages->sends_again)
				outbox_message_set_state(message, STATE_HELD,
							 "gateway_restarted");
			else if (message->state == STATE_SUBMITTING && message->is_lost)
				sim_queues_await_records(queue);
			else if (message->state == STATE_SUBMITTING)
				sim_queues_lose_call(queues, message);
			else if (message->state == STATE_SUBMITTED)
				outbox_message_set_state(message, STATE_HELD,
							 "gateway_restarted");
		}
	}
}
