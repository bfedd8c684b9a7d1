/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages that other programs send while ofonod has no plugin of ours: oFono shows each one to
 * everybody, but neither its recipient nor its text. Such a message becomes a row of
 * CLIENT_PHONE without both, whose outcome is known. With the plugin its records have all of
 * it, and what is seen here is ignored.
 *
 *   MessageAdded, a row has its UUID               -> known
 *                 a call of ours is not answered   -> it waits for the answer, which may name it
 *                 a call of ours was lost recently -> it may be of that call: ignored, because a
 *                                                     missing row is better than one too many
 *                 otherwise                        -> another program's
 */
#include <stdio.h>
#include <string.h>

#include "base/client.h"
#include "base/clock.h"
#include "base/log.h"
#include "sms/outbox_private.h"

enum { OUTBOX_SEEN_LOST_MS = 10 * 60 * 1000 };

static bool outbox_seen_awaits_answer(const struct outbox *outbox, int64_t sim_id)
{
	const struct sim_queue *queue;

	TAILQ_FOREACH (queue, &outbox->queues.list, link) {
		if (queue->sim_id == sim_id && queue->send)
			return true;
	}
	return false;
}

/* May it be of a call whose answer nobody will get? */
static bool outbox_seen_may_be_lost(const struct outbox *outbox)
{
	int64_t lost_ms = outbox->queues.call_lost_ms;

	return lost_ms && clock_boot_ms() - lost_ms < OUTBOX_SEEN_LOST_MS;
}

static void outbox_seen_take(struct outbox *outbox,
			     const struct outbox_seen_message *seen)
{
	const struct outbox_record record = {
		.type = OUTBOX_RECORD_ACCEPTED,
		.imsi = "",
		.uuid = seen->uuid,
		.number = "",
		.text = "",
		.at_ms = seen->at_ms,
	};
	struct outbox_message *message;
	int error;

	message = outbox_record_find(outbox, seen->uuid, &error);
	if (message || error || outbox_seen_may_be_lost(outbox))
		return;
	error = outbox_record_add(outbox, &record, seen->sim_id);
	if (error)
		log_warning("outbox: a message of another program could not be stored");
	message = sim_queues_find_uuid(&outbox->queues, seen->uuid);
	if (message && seen->state != MESSAGE_PENDING)
		outbox_step_on_state(message, seen->state);
}

static void outbox_seen_remove_first(struct outbox_seen_messages *seen)
{
	seen->count--;
	memmove(seen->messages, seen->messages + 1,
		seen->count * sizeof(*seen->messages));
}

void outbox_seen_on_added(struct outbox *outbox, const struct ofono_event *event)
{
	struct outbox_seen_messages *waiting = &outbox->seen;
	struct outbox_seen_message seen = {
		.sim_id = sims_identify(outbox->queues.sims, &event->modem->sim),
		.at_ms = clock_wall_ms(),
		.state = MESSAGE_PENDING,
	};

	if (!seen.sim_id || event->modem->interfaces & MODEM_OUTGOING_RECORDS)
		return;
	snprintf(seen.uuid, sizeof(seen.uuid), "%s", event->uuid);
	if (!outbox_seen_awaits_answer(outbox, seen.sim_id)) {
		outbox_seen_take(outbox, &seen);
		return;
	}
	if (waiting->count == OUTBOX_SEEN_MAX)
		outbox_seen_remove_first(waiting);
	waiting->messages[waiting->count++] = seen;
}

void outbox_seen_on_state(struct outbox *outbox, const struct ofono_event *event)
{
	for (unsigned i = 0; i < outbox->seen.count; i++) {
		if (strcmp(outbox->seen.messages[i].uuid, event->uuid) == 0)
			outbox->seen.messages[i].state = event->state;
	}
}

void outbox_seen_run(struct outbox *outbox)
{
	struct outbox_seen_messages *waiting = &outbox->seen;
	unsigned kept = 0;

	for (unsigned i = 0; i < waiting->count; i++) {
		if (outbox_seen_awaits_answer(outbox, waiting->messages[i].sim_id))
			waiting->messages[kept++] = waiting->messages[i];
		else
			outbox_seen_take(outbox, &waiting->messages[i]);
	}
	waiting->count = kept;
}
