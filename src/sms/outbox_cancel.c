/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message that waits in the gateway is cancelled on disk, at once. A message that oFono
 * has must be cancelled by oFono, which does so only while no segment was sent: its answer
 * decides.
 *
 * While the modem is away oFono cannot be asked. Then the request is stored with the message
 * until oFono has answered it. oFono is asked as soon as it lists the message again, usually
 * before the modem is registered and could send it.
 */
#include "sms/outbox_private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "ofono/message.h"

struct outbox_cancellation {
	struct outbox *outbox;
	int64_t message_id;
	unsigned attempt;
	struct message_cancel *call;
	void (*done)(void *data, int outcome); /* NULL if nobody waits any more */
	void *data;
	TAILQ_ENTRY(outbox_cancellation) link;
};

static void outbox_cancel_free(struct outbox_cancellation *cancellation)
{
	TAILQ_REMOVE(&cancellation->outbox->cancellations, cancellation, link);
	free(cancellation);
}

static int outbox_cancel_outcome(enum message_cancel_outcome answer)
{
	switch (answer) {
	case CANCEL_DONE:
		return 0;
	case CANCEL_REFUSED:
	case CANCEL_NOT_THERE:
	case CANCEL_FORGOTTEN:
		return OUTBOX_E_TOO_LATE;
	case CANCEL_NOT_ASKED:
	case CANCEL_UNKNOWN:
		return OUTBOX_E_NO_ANSWER;
	}
	return OUTBOX_E_NO_ANSWER;
}

static int outbox_cancel_later(struct outbox_message *message)
{
	int outcome = outbox_result(outbox_step_want_cancel(message), OUTBOX_E_TOO_LATE);

	return outcome ? outcome : OUTBOX_E_CANCEL_LATER;
}

/* During the call the message may have become unknown and have left memory. */
static struct outbox_message *outbox_cancel_find(
	const struct outbox_cancellation *cancellation)
{
	struct outbox *outbox = cancellation->outbox;
	struct outbox_message *message =
		sim_queues_find(&outbox->queues, cancellation->message_id, NULL);
	struct arena *arena;
	struct message row;

	if (message)
		return message;
	arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	if (arena &&
	    !store_message_get(outbox->store, cancellation->message_id, arena, &row))
		message = sim_queues_add(&outbox->queues, &row);
	arena_free(arena);
	if (message)
		outbox_failover_read(message);
	return message;
}

static void outbox_cancel_pause(const struct outbox_cancellation *cancellation)
{
	struct sim_queue *queue;

	if (sim_queues_find(&cancellation->outbox->queues, cancellation->message_id,
			    &queue))
		sim_queue_pause(queue);
}

/* What a radio refused while it was in doubt fails or moves when the radio has closed it. */
static void outbox_cancel_set_done(struct outbox_message *message)
{
	bool is_refused = message->refusal && !message->cancel_wanted &&
			  message->state == STATE_HELD;

	if (is_refused && !message->refusal_is_final)
		message->leaves = message->refusal;
	else if (is_refused)
		outbox_step_fail(message, message->refusal);
	else if (message_state_may_become(message->state, STATE_CANCELLED))
		outbox_step_cancelled(message);
}

/* oFono reports the state before it answers, but a fork may not. */
static void outbox_cancel_on_answer(void *data, enum message_cancel_outcome answer)
{
	struct outbox_cancellation *cancellation = data;
	struct outbox_message *message = outbox_cancel_find(cancellation);
	int outcome = outbox_cancel_outcome(answer);

	if (message && message->attempt != cancellation->attempt) {
		message = NULL; /* sent again meanwhile, by decision */
		outcome = OUTBOX_E_TOO_LATE;
	}
	if (answer == CANCEL_DONE && message)
		outbox_cancel_set_done(message);
	if (answer == CANCEL_FORGOTTEN && message)
		outbox_step_lose(message);
	if (message && message->state == STATE_CANCELLED)
		outcome = 0;
	if (message && message->state == STATE_HELD && answer == CANCEL_NOT_ASKED)
		outcome = outbox_cancel_later(message);
	if (message && outcome == OUTBOX_E_TOO_LATE) {
		message->cancel_wanted = false;
		message->refusal = NULL;
	}
	if (message && message->is_closing) {
		message->is_closing = false;
		if (answer != CANCEL_DONE && message->state == STATE_HELD)
			outbox_cancel_pause(cancellation);
		outbox_messages_request_run(&cancellation->outbox->messages);
	}
	if (cancellation->done)
		cancellation->done(cancellation->data, outcome);
	outbox_cancel_free(cancellation);
}

static int outbox_cancel_start(struct outbox *outbox, struct modem *modem,
			       const struct outbox_message *message,
			       struct outbox_cancellation **cancellation_out)
{
	struct outbox_cancellation *cancellation = calloc(1, sizeof(*cancellation));
	struct message_order order = outbox_message_order(message, NULL);

	if (!cancellation)
		return -ENOMEM;
	cancellation->outbox = outbox;
	cancellation->message_id = message->id;
	cancellation->attempt = message->attempt;
	cancellation->call =
		message_cancel(modem, &order, outbox_cancel_on_answer, cancellation);
	if (!cancellation->call) {
		free(cancellation);
		return -ENOMEM;
	}
	TAILQ_INSERT_TAIL(&outbox->cancellations, cancellation, link);
	*cancellation_out = cancellation;
	return OUTBOX_E_CANCELLING;
}

static bool outbox_cancel_is_due(const struct outbox *outbox,
				 const struct sim_queue *queue,
				 const struct outbox_message *message)
{
	return message->cancel_due && queue->modem &&
	       message->stage == STAGE_WITH_OFONO &&
	       (message->state == STATE_SUBMITTED ||
		(outbox->messages.sends_again && outbox_message_is_in_doubt(message)));
}

/* A cancellation that fails for want of memory is due again in the next run. */
void outbox_cancel_start_due(struct outbox *outbox)
{
	struct outbox_cancellation *cancellation;
	struct outbox_message *message;
	struct sim_queue *queue;

	TAILQ_FOREACH (queue, &outbox->queues.list, link) {
		TAILQ_FOREACH (message, &queue->messages, link) {
			if (!outbox_cancel_is_due(outbox, queue, message) ||
			    outbox_cancel_start(outbox, queue->modem, message,
						&cancellation) != OUTBOX_E_CANCELLING)
				continue;
			message->cancel_due = false;
			message->is_closing = message->state == STATE_HELD;
		}
	}
}

int outbox_cancel(struct outbox *outbox, int64_t message_id,
		  struct outbox_cancellation **cancellation_out)
{
	struct sim_queue *queue;
	struct outbox_message *message =
		sim_queues_find(&outbox->queues, message_id, &queue);

	if (!message)
		return OUTBOX_E_TOO_LATE;
	if (message_state_is_waiting(message->state))
		return outbox_cancel_waiting(outbox, message_id, NULL);
	if (message->state == STATE_CANCELLED)
		return 0;
	if (message->state != STATE_SUBMITTED && message->state != STATE_HELD)
		return OUTBOX_E_TOO_LATE;
	if (!queue->modem && message->state != STATE_HELD)
		return OUTBOX_E_NO_ANSWER; /* it becomes held in the next run */
	if (!queue->modem)
		return outbox_cancel_later(message);
	return outbox_cancel_start(outbox, queue->modem, message, cancellation_out);
}

int outbox_cancel_waiting(struct outbox *outbox, int64_t message_id, const char *reason)
{
	struct outbox_message *message =
		sim_queues_find(&outbox->queues, message_id, NULL);

	if (!message || !message_state_is_waiting(message->state))
		return OUTBOX_E_TOO_LATE;
	return outbox_result(outbox_step_cancel_waiting(message, reason, false),
			     OUTBOX_E_TOO_LATE);
}

/* If the disk refuses the move, the message goes on: it was accepted. */
void outbox_cancel_abandoned(struct outbox *outbox, int64_t message_id)
{
	struct outbox_message *message =
		sim_queues_find(&outbox->queues, message_id, NULL);

	if (message && !message->never_abandoned &&
	    message_state_is_waiting(message->state))
		outbox_step_cancel_waiting(message, "client_left", true);
}

void outbox_cancel_never_abandoned(struct outbox *outbox, int64_t message_id)
{
	struct outbox_message *message =
		sim_queues_find(&outbox->queues, message_id, NULL);

	if (message)
		message->never_abandoned = true;
}

void outbox_cancel_wait(struct outbox_cancellation *cancellation,
			void (*done)(void *data, int outcome), void *data)
{
	assert(!cancellation->done);
	cancellation->done = done;
	cancellation->data = data;
}

void outbox_cancel_leave(struct outbox_cancellation *cancellation)
{
	if (cancellation)
		cancellation->done = NULL;
}

void outbox_cancel_deinit(struct outbox *outbox)
{
	struct outbox_cancellation *cancellation;

	while ((cancellation = TAILQ_FIRST(&outbox->cancellations))) {
		message_cancel_stop(cancellation->call);
		outbox_cancel_free(cancellation);
	}
}
