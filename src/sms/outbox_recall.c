/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking a message back. One that waits in the gateway is cancelled on disk, at once. What
 * oFono has, oFono must cancel, and it does so only while no segment is on the air: its
 * answer decides, not our wish.
 *
 * While a modem is away oFono cannot be asked: the wish is noted with the message, on disk,
 * and stays there until oFono has answered to it. It is asked as soon as it tells that it
 * has the message again, mostly before the network is found and it sends.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "ofono/message_cancel.h"
#include "sms/outbox_private.h"

struct outbox_recall {
	struct outbox *outbox;
	int64_t message_id;
	struct message_cancel *cancel;
	void (*done)(void *data, int outcome); /* NULL: nobody waits any more */
	void *data;
	TAILQ_ENTRY(outbox_recall) link;
};

static void recall_free(struct outbox_recall *recall)
{
	TAILQ_REMOVE(&recall->outbox->recalls, recall, link);
	free(recall);
}

static int outcome_of(enum cancel_outcome answer)
{
	switch (answer) {
	case CANCEL_DONE:
		return 0;
	case CANCEL_REFUSED:
	case CANCEL_NOT_THERE:
		return OUTBOX_E_TOO_LATE;
	case CANCEL_NOT_ASKED:
	case CANCEL_UNKNOWN:
		return OUTBOX_E_NO_ANSWER;
	}
	return OUTBOX_E_NO_ANSWER;
}

/* The disk first: it is no wish before it is there. */
static int want_later(struct outbox_message *message)
{
	int outcome = outbox_outcome(outbox_message_unwant(message), OUTBOX_E_TOO_LATE);

	return outcome ? outcome : OUTBOX_E_LATER;
}

/* While oFono was asked the message may have become unknown, and gone from memory. */
static struct outbox_message *recalled_message(const struct outbox_recall *recall)
{
	struct outbox_message *message =
		outbox_find(recall->outbox, recall->message_id, NULL);
	struct store *store = recall->outbox->shared.store;
	struct arena *arena;
	struct message row;

	if (message)
		return message;
	arena = arena_new(OUTBOX_ARENA_BYTES);
	if (arena && !store_message_get(store, recall->message_id, arena, &row))
		message = outbox_adopt(recall->outbox, &row);
	arena_free(arena);
	return message;
}

/* oFono tells the state before it answers, but a fork may not. */
static void on_cancelled(void *data, enum cancel_outcome answer)
{
	struct outbox_recall *recall = data;
	struct outbox_message *message = recalled_message(recall);
	int outcome = outcome_of(answer);

	if (answer == CANCEL_DONE && message &&
	    message_state_may_become(message->state, STATE_CANCELLED))
		outbox_message_become(message, STATE_CANCELLED, "");
	if (message && message->state == STATE_CANCELLED)
		outcome = 0;
	if (message && message->state == STATE_HELD && answer == CANCEL_NOT_ASKED)
		outcome = want_later(message);
	if (message && outcome == OUTBOX_E_TOO_LATE)
		message->unwanted = false;
	if (recall->done)
		recall->done(recall->data, outcome);
	recall_free(recall);
}

static int recall_start(struct outbox *outbox, struct modem *modem,
			const struct outbox_message *message,
			struct outbox_recall **recall_out)
{
	struct outbox_recall *recall = calloc(1, sizeof(*recall));

	if (!recall)
		return -ENOMEM;
	recall->outbox = outbox;
	recall->message_id = message->id;
	recall->cancel = message_cancel(modem, message->uuid, on_cancelled, recall);
	if (!recall->cancel) {
		free(recall);
		return -ENOMEM;
	}
	TAILQ_INSERT_TAIL(&outbox->recalls, recall, link);
	*recall_out = recall;
	return OUTBOX_E_ASKING;
}

int outbox_cancel(struct outbox *outbox, int64_t message_id,
		  struct outbox_recall **recall_out)
{
	struct outbox_lane *lane;
	struct outbox_message *message = outbox_find(outbox, message_id, &lane);

	if (!message)
		return OUTBOX_E_TOO_LATE;
	if (message_state_is_waiting(message->state))
		return outbox_outcome(outbox_message_cancel(message), OUTBOX_E_TOO_LATE);
	if (message->state == STATE_CANCELLED)
		return 0;
	if (message->state != STATE_HANDED && message->state != STATE_HELD)
		return OUTBOX_E_TOO_LATE;
	if (!lane->modem)
		return want_later(message);
	return recall_start(outbox, lane->modem, message, recall_out);
}

int outbox_drop(struct outbox *outbox, int64_t message_id, const char *reason)
{
	struct outbox_message *message = outbox_find(outbox, message_id, NULL);

	if (!message || !message_state_is_waiting(message->state))
		return OUTBOX_E_TOO_LATE;
	return outbox_outcome(outbox_message_drop(message, reason), OUTBOX_E_TOO_LATE);
}

void outbox_keep(struct outbox *outbox, int64_t message_id)
{
	struct outbox_message *message = outbox_find(outbox, message_id, NULL);

	if (message)
		message->kept = true;
}

/* What the disk refuses goes on: it was accepted. */
void outbox_withdraw(struct outbox *outbox, int64_t message_id)
{
	struct outbox_message *message = outbox_find(outbox, message_id, NULL);

	if (message && !message->kept && message_state_is_waiting(message->state))
		outbox_message_withdraw(message);
}

/* What is not asked for want of memory is due again in the next turn. */
void outbox_recalls_start(struct outbox *outbox, struct outbox_lane *lane)
{
	struct outbox_recall *recall;
	struct outbox_message *message;

	TAILQ_FOREACH (message, &lane->messages, link) {
		if (message->recall_due && message->state == STATE_HANDED && lane->modem)
			message->recall_due = recall_start(outbox, lane->modem, message,
							   &recall) != OUTBOX_E_ASKING;
	}
}

void outbox_recall_wait(struct outbox_recall *recall,
			void (*done)(void *data, int outcome), void *data)
{
	assert(!recall->done);
	recall->done = done;
	recall->data = data;
}

void outbox_recall_leave(struct outbox_recall *recall)
{
	if (recall)
		recall->done = NULL;
}

void outbox_recalls_free(struct outbox *outbox)
{
	struct outbox_recall *recall;

	while ((recall = TAILQ_FIRST(&outbox->recalls))) {
		message_cancel_stop(recall->cancel);
		recall_free(recall);
	}
}
