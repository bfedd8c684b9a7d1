/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides who sent a message that ofonod accepted:
 *
 *   a row has its UUID                  -> ours, or recorded before: nothing to do
 *   a call of ours is not answered      -> its answer decides; the record waits
 *   a row was submitted and has no UUID -> ours, if number and text are the same: its call was
 *       lost. It becomes held, so that oFono is asked whether it still has the message.
 *   otherwise                           -> of another program: a row of CLIENT_PHONE, held for
 *       the same reason. From then on it lives like one of ours, without limits and approvals.
 *
 * The outcome of a message is recorded before ofonod drops it. So it is known here before
 * GetMessages can leave the message out.
 */
#include "sms/outbox_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/client.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "sms/outbox_private.h"
#include "store/store.h"
#include "text/segments.h"

/* Its row may be the recorded message. */
static bool outbox_record_awaits_answer(const struct outbox *outbox, int64_t sim_id)
{
	const struct sim_queue *queue;

	TAILQ_FOREACH (queue, &outbox->queues.list, link) {
		if (queue->sim_id == sim_id && queue->send &&
		    queue->current->state == STATE_SUBMITTING)
			return true;
	}
	return false;
}

/* From memory, or from its row. Returns NULL if memory runs out. */
static struct outbox_message *outbox_record_load(struct outbox *outbox,
						 const struct message *row)
{
	struct outbox_message *message = sim_queues_find(&outbox->queues, row->id, NULL);

	return message ? message : sim_queues_add(&outbox->queues, row);
}

/* Returns NULL if there is none, or if it could not be read: then *error_out is not 0. */
static struct outbox_message *outbox_record_find(struct outbox *outbox, const char *uuid,
						 int *error_out)
{
	struct outbox_message *message = sim_queues_find_uuid(&outbox->queues, uuid);
	struct arena *arena;
	struct message row;

	*error_out = 0;
	if (message)
		return message;
	arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	*error_out =
		arena ? store_message_by_uuid(outbox->store, uuid, arena, &row) : -ENOMEM;
	if (!*error_out) {
		message = outbox_record_load(outbox, &row);
		*error_out = message ? 0 : -ENOMEM;
	} else if (*error_out == STORE_E_NOT_FOUND) {
		*error_out = 0;
	}
	arena_free(arena);
	return message;
}

/* Returns STORE_E_NOT_FOUND if no message of ours is lost like that. */
static int outbox_record_adopt(struct outbox *outbox, const struct outbox_record *record,
			       int64_t sim_id)
{
	const struct store_message_lost lost = { sim_id, record->number, record->text,
						 record->at_ms };
	struct arena *arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	struct outbox_message *message = NULL;
	struct message row;
	int error = arena ? store_message_find_lost(outbox->store, &lost, arena, &row)
			  : -ENOMEM;

	if (!error) {
		message = outbox_record_load(outbox, &row);
		error = message ? 0 : -ENOMEM;
	}
	arena_free(arena);
	if (error)
		return error;
	outbox_step_found(message, record->uuid, outbox->config->delivery_reports);
	return 0;
}

/*
 * Another program sends it: it becomes a row of CLIENT_PHONE. Returns what outbox_record_take()
 * does.
 */
static int outbox_record_add(struct outbox *outbox, const struct outbox_record *record,
			     int64_t sim_id)
{
	struct segments segments;
	struct store_message_draft draft = {
		.sim_id = sim_id,
		.client_id = CLIENT_PHONE,
		.number = record->number,
		.text = record->text,
		.state = STATE_HELD,
		.created_ms = record->at_ms,
		.uuid = record->uuid,
	};
	struct outbox_event event = { .state = STATE_HELD, .reason = "" };
	int64_t message_id;
	int error;

	if (*record->number) { /* else its text is not known either */
		segments_measure(record->text, &segments);
		draft.segments = segments.count;
	}
	error = store_message_add(outbox->store, &draft, &message_id);
	if (error)
		return outbox_result(error, -EINVAL);
	event.message_id = message_id;
	log_info("outbox: message %lld: another program sends it", (long long)message_id);
	outbox_record_find(outbox, record->uuid, &error); /* takes it into memory */
	observers_notify(&outbox->messages.observers, &event);
	outbox_messages_request_run(&outbox->messages);
	return error;
}

static int outbox_record_accepted(struct outbox *outbox,
				  const struct outbox_record *record)
{
	int64_t sim_id = 0;
	int error;

	if (!*record->imsi)
		return -EINVAL;
	error = store_sim_identify(outbox->store, "", record->imsi, &sim_id);
	if (error)
		return outbox_result(error, -EINVAL);
	if (outbox_record_awaits_answer(outbox, sim_id))
		return -EAGAIN;
	error = outbox_record_adopt(outbox, record, sim_id);
	if (error != STORE_E_NOT_FOUND)
		return outbox_result(error, -EINVAL);
	return outbox_record_add(outbox, record, sim_id);
}

static void outbox_record_apply(struct outbox_message *message,
				enum outbox_record_type type)
{
	switch (type) {
	case OUTBOX_RECORD_ACCEPTED:
		break;
	case OUTBOX_RECORD_SENT:
		outbox_step_on_record(message, MESSAGE_SENT);
		break;
	case OUTBOX_RECORD_FAILED:
		outbox_step_on_record(message, MESSAGE_FAILED);
		break;
	case OUTBOX_RECORD_CANCELLED:
		outbox_step_on_record(message, MESSAGE_CANCELLED);
		break;
	case OUTBOX_RECORD_DELIVERED:
		outbox_step_on_report(message, true);
		break;
	case OUTBOX_RECORD_NOT_DELIVERED:
		outbox_step_on_report(message, false);
		break;
	}
}

void outbox_record_set_reader(struct outbox *outbox, outbox_record_reader read,
			      void *data)
{
	outbox->queues.read_records = read;
	outbox->queues.records_data = data;
}

int outbox_record_take(struct outbox *outbox, const struct outbox_record *record)
{
	struct outbox_message *message;
	int error;

	message = outbox_record_find(outbox, record->uuid, &error);
	if (error)
		return outbox_result(error, -EINVAL);
	if (!message && record->type == OUTBOX_RECORD_ACCEPTED)
		return outbox_record_accepted(outbox, record);
	if (!message)
		return 0; /* nobody knows the message any more */
	outbox_record_apply(message, record->type);
	if (!outbox_message_is_saved(message))
		return -EIO;
	outbox_messages_request_run(&outbox->messages); /* it may not stay in memory */
	return 0;
}

/* ---- messages that are only seen ----------------------------------------------------- */

/*
 * Messages that other programs send while ofonod has no plugin of ours: oFono shows each one to
 * everybody, but neither its recipient nor its text. Such a message becomes a row of
 * CLIENT_PHONE without both, whose outcome is known. With the plugin its records have all of
 * it; a message is seen here only if the plugin could not write.
 *
 *   MessageAdded, our plugin is there              -> it waits for its outcome, which comes after
 *                                                     its record
 *                 a row has its UUID               -> known
 *                 a call of ours is not answered   -> it waits for the answer, which may name it
 *                 a call of ours was lost recently -> it may be of that call: ignored, because a
 *                                                     missing row is better than one too many
 *                 otherwise                        -> another program's
 */

enum { OUTBOX_SEEN_LOST_MS = 10 * 60 * 1000 };

static bool outbox_record_is_calling(const struct outbox *outbox, int64_t sim_id)
{
	const struct sim_queue *queue;

	TAILQ_FOREACH (queue, &outbox->queues.list, link) {
		if (queue->sim_id == sim_id && queue->send)
			return true;
	}
	return false;
}

/* May it be of a call whose answer nobody will get? */
static bool outbox_record_may_be_lost(const struct outbox *outbox)
{
	int64_t lost_ms = outbox->queues.call_lost_ms;

	return lost_ms && clock_boot_ms() - lost_ms < OUTBOX_SEEN_LOST_MS;
}

static void outbox_record_take_seen(struct outbox *outbox,
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
	if (!message && !error && seen->is_recorded && outbox->queues.read_records) {
		outbox->queues.read_records(outbox->queues.records_data, 0);
		message = outbox_record_find(outbox, seen->uuid, &error);
	}
	if (message || error || outbox_record_may_be_lost(outbox))
		return;
	error = outbox_record_add(outbox, &record, seen->sim_id);
	if (error)
		log_warning("outbox: a message of another program could not be stored");
	message = sim_queues_find_uuid(&outbox->queues, seen->uuid);
	if (message && seen->state != MESSAGE_PENDING)
		outbox_step_on_state(message, seen->state, NULL);
}

static void outbox_record_forget_first(struct outbox_seen_messages *seen)
{
	seen->count--;
	memmove(seen->messages, seen->messages + 1,
		seen->count * sizeof(*seen->messages));
}

static bool outbox_record_must_wait(const struct outbox *outbox,
				    const struct outbox_seen_message *seen)
{
	return outbox_record_is_calling(outbox, seen->sim_id) ||
	       (seen->is_recorded && seen->state == MESSAGE_PENDING);
}

void outbox_record_on_added(struct outbox *outbox, const struct ofono_event *event)
{
	struct outbox_seen_messages *waiting = &outbox->seen;
	struct outbox_seen_message seen = {
		.sim_id = sims_identify(outbox->queues.sims, &event->modem->sim),
		.at_ms = clock_wall_ms(),
		.state = MESSAGE_PENDING,
		.is_recorded = event->modem->interfaces & MODEM_OUTGOING_RECORDS,
	};

	if (!seen.sim_id)
		return;
	snprintf(seen.uuid, sizeof(seen.uuid), "%s", event->uuid);
	if (!outbox_record_must_wait(outbox, &seen)) {
		outbox_record_take_seen(outbox, &seen);
		return;
	}
	if (waiting->count == OUTBOX_SEEN_MAX)
		outbox_record_forget_first(waiting);
	waiting->messages[waiting->count++] = seen;
}

void outbox_record_on_state(struct outbox *outbox, const struct ofono_event *event)
{
	for (unsigned i = 0; i < outbox->seen.count; i++) {
		if (strcmp(outbox->seen.messages[i].uuid, event->uuid) != 0)
			continue;
		outbox->seen.messages[i].state = event->state;
		outbox_messages_request_run(&outbox->messages);
	}
}

void outbox_record_run(struct outbox *outbox)
{
	struct outbox_seen_messages *waiting = &outbox->seen;
	unsigned kept = 0;

	for (unsigned i = 0; i < waiting->count; i++) {
		if (outbox_record_must_wait(outbox, &waiting->messages[i]))
			waiting->messages[kept++] = waiting->messages[i];
		else
			outbox_record_take_seen(outbox, &waiting->messages[i]);
	}
	waiting->count = kept;
}
