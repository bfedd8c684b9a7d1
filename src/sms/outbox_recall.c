/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking a message back. One that waits in the gateway is cancelled on disk, at once. What
 * oFono has, oFono must cancel, and it does so only while no segment is on the air: its
 * answer decides, not our wish. While a modem is away oFono cannot be asked at all.
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
		return OUTBOX_E_AWAY;
	case CANCEL_UNKNOWN:
		return OUTBOX_E_NO_ANSWER;
	}
	return OUTBOX_E_NO_ANSWER;
}

/* oFono tells the state before it answers, but a fork may not. */
static void on_cancelled(void *data, enum cancel_outcome answer)
{
	struct outbox_recall *recall = data;
	struct outbox_message *message =
		outbox_find(recall->outbox, recall->message_id, NULL);
	int outcome = outcome_of(answer);

	if (answer == CANCEL_DONE && message && !message_state_is_final(message->state))
		outbox_message_become(message, STATE_CANCELLED, "");
	if (message && message->state == STATE_CANCELLED)
		outcome = 0;
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

/* It may be final in memory and not on disk: what is true counts. */
static int cancel_waiting(struct outbox_message *message)
{
	int error = outbox_message_cancel(message);

	if (error == STORE_E_FULL)
		return OUTBOX_E_STORAGE;
	return error > 0 ? OUTBOX_E_TOO_LATE : error;
}

int outbox_cancel(struct outbox *outbox, int64_t message_id,
		  struct outbox_recall **recall_out)
{
	struct outbox_lane *lane;
	struct outbox_message *message = outbox_find(outbox, message_id, &lane);

	if (!message)
		return OUTBOX_E_TOO_LATE;
	if (message_state_is_waiting(message->state))
		return cancel_waiting(message);
	if (message->state == STATE_CANCELLED)
		return 0;
	if (message->state != STATE_HANDED && message->state != STATE_HELD)
		return OUTBOX_E_TOO_LATE;
	if (!lane->modem)
		return OUTBOX_E_AWAY;
	return recall_start(outbox, lane->modem, message, recall_out);
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
