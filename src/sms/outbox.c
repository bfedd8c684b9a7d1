/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accepting a message: there must be room in the queue, room on the disk and memory for the
 * message; then its row is written, and last it gets its place in the queue of its SIM. If
 * one of these fails nothing has changed. The row is on disk before outbox_accept() returns
 * (tests/integration/test_crash.py). A draft with is_awaited waits for the disk together with
 * its submission: nobody is notified of it before that.
 *
 * Everything that moves messages on happens in outbox_run(), before the loop sleeps: so no
 * observer is called inside outbox_accept() with a later state, and no message is freed while
 * an observer is called.
 */
#include "sms/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/event_loop.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "sms/outbox_private.h"
#include "sms/outgoing_spool.h"
#include "sms/received_code.h"
#include "store/store.h"
#include "store/store_client.h"
#include "store/store_message.h"

static const struct outbox_timing outbox_default_timing = {
	.answer_ms = 30 * 1000,
	.retry_ms = 1000,
	.retry_max_ms = 60 * 1000,
	.listing_ms = 1000,
	.storage_ms = 250,
	.stuck_segment_ms = 30 * 1000,
	.resend_ms = 5 * 60 * 1000,
};

/* ---- room ---------------------------------------------------------------------------- */

bool outbox_is_full(const struct outbox *outbox)
{
	return outbox->messages.waiting >= outbox->config->queue_limit;
}

int64_t outbox_client_limit(const struct outbox *outbox, int64_t client_id)
{
	int64_t limit = outbox->config->queue_limit, clients;

	if (client_id <= 0 || store_client_count(outbox->store, &clients) || clients < 1)
		return limit;
	return limit > clients ? limit / clients : 1;
}

bool outbox_has_room(const struct outbox *outbox, int64_t client_id, size_t count)
{
	const struct outbox_message *message;
	const struct sim_queue *queue;
	int64_t room;

	if (!outbox->messages.waiting && count == 1)
		return true;
	room = outbox_client_limit(outbox, client_id) + 1 - (int64_t)count;
	if (outbox->messages.waiting < room)
		return true;
	TAILQ_FOREACH (queue, &outbox->queues.list, link) {
		TAILQ_FOREACH (message, &queue->messages, link)
			room -= message->client_id == client_id &&
				message_state_is_waiting(message->state);
	}
	return room > 0;
}

bool outbox_has_disk_space(const struct config *config)
{
	uint64_t reserve = (uint64_t)config->reserve_mib << 20;
	struct statvfs status;

	if (!reserve || statvfs(config->state_dir, &status) < 0)
		return true;
	return (uint64_t)status.f_bavail * status.f_frsize >= reserve;
}

bool outbox_has_storage(struct outbox *outbox)
{
	bool has_room = outbox_has_disk_space(outbox->config);

	if (!has_room && !outbox->storage_is_short)
		log_error(
			"outbox: less than %lld MiB are free on the disk: no message is "
			"accepted until there is more room",
			(long long)outbox->config->reserve_mib);
	if (has_room && outbox->storage_is_short)
		log_info("outbox: there is room on the disk again");
	outbox->storage_is_short = !has_room;
	return has_room && !store_is_damaged(outbox->store) &&
	       !store_is_gone(outbox->store);
}

/* ---- accepting ----------------------------------------------------------------------- */

/* Returns whether the limits of the SIM let it go now; else its row waits to be judged again. */
static bool outbox_may_submit(const struct outbox *outbox,
			      const struct store_message_draft *draft)
{
	const struct message row = {
		.sim_id = draft->sim_id,
		.client_id = draft->client_id,
		.segments = draft->segments,
	};
	struct outbox_slot slot = { 0 };

	return !outbox->queues.find_slot ||
	       (!outbox->queues.find_slot(outbox->queues.find_slot_data, &row, NULL,
					  &slot) &&
		!slot.send_at_ms);
}

/*
 * Prepares a message that the next run can submit: one commit says then that it is accepted
 * and that it is being submitted. If something comes between, the row becomes queued again.
 */
static bool outbox_prepare(const struct outbox *outbox, const struct sim_queue *queue,
			   struct outbox_message *message,
			   const struct store_message_draft *draft)
{
	if (!draft->is_awaited || message->state != STATE_QUEUED ||
	    outbox->messages.sends_again || /* its attempt begins in another commit */
	    outbox_deadline_is_uncertain(message) || !sim_queue_is_free(queue) ||
	    !outbox_may_submit(outbox, draft))
		return false;
	return outbox_step_prepare(message, draft->number, draft->text);
}

/* Without memory nothing would move the row on: so the memory comes first. */
static struct outbox_message *outbox_new_message(struct outbox *outbox,
						 const struct store_message_draft *draft)
{
	const struct message row = {
		.state = draft->state ? draft->state : STATE_QUEUED,
		.uuid = "",
		.sim_id = draft->sim_id,
		.client_id = draft->client_id,
		.segments = draft->segments,
		.created_ms = draft->created_ms ? draft->created_ms : clock_wall_ms(),
		.send_at_ms = draft->send_at_ms,
		.expires_at_ms = draft->expires_at_ms,
		.flags = (outbox_approval_ends(draft) ? MESSAGE_ENDS_APPROVAL : 0) |
			 (draft->is_spread ? MESSAGE_SPREAD : 0),
	};
	struct outbox_message *message = outbox_message_new(&outbox->messages, &row);

	if (message)
		outbox_deadline_read(message, &row);
	if (message && draft->routed)
		message->routed = *draft->routed;
	return message;
}

/* Its row is on disk: now it gets its place. */
static void outbox_add_message(struct outbox *outbox, struct sim_queue *queue,
			       struct outbox_message *message)
{
	struct message_counters *counters = outbox->messages.counters;
	struct outbox_event event;

	TAILQ_INSERT_TAIL(&queue->messages, message, link);
	if (counters)
		message_counters_row(counters, message->sim_id)->accepted++;
	if (message->routed.pool_id) {
		const struct sim *sim = sims_find(outbox->queues.sims, message->sim_id);

		outbox->messages.reroute_due |= !sim || sim->state != SIM_READY;
	}
	if (message->state == STATE_WAITING_APPROVAL)
		log_info("outbox: message %lld waits for approval: " PROGRAM_NAME
			 " approve %lld",
			 (long long)message->id, (long long)message->id);
	/* the message itself cannot have an observer yet */
	event = (struct outbox_event){ message->id,	  message->state, message->reason,
				       message->delivery, false,	  false };
	observers_notify(&outbox->messages.observers, &event);
}

static int outbox_accept_into(struct outbox *outbox, struct sim_queue *queue,
			      const struct store_message_draft *draft,
			      int64_t *message_id_out)
{
	struct outbox_message *message = outbox_new_message(outbox, draft);
	struct store_message_draft accepted = *draft;
	int error;

	if (!message)
		return -ENOMEM;
	accepted.ends_approval = message->deadline.ends_approval;
	accepted.is_submitting = outbox_prepare(outbox, queue, message, draft);
	error = store_message_add(outbox->store, &accepted, &message->id);
	outbox_messages_sync_later(&outbox->messages);
	if (error) {
		outbox_message_free(message);
		return error == STORE_E_FULL ? OUTBOX_E_STORAGE : error;
	}
	*message_id_out = message->id;
	outbox_add_message(outbox, queue, message);
	return 0;
}

/* There is room for the messages, and a queue. */
static int outbox_prepare_queue(struct outbox *outbox,
				const struct store_message_draft *draft, size_t count,
				struct sim_queue **queue_out)
{
	if (!outbox_has_room(outbox, draft->client_id, count))
		return OUTBOX_E_FULL;
	if (!outbox_has_storage(outbox))
		return OUTBOX_E_STORAGE;
	*queue_out = sim_queues_get(&outbox->queues, draft->sim_id);
	if (!*queue_out)
		return -ENOMEM;
	/* Its times are of the present clock, so an earlier change must not move them. */
	outbox_deadlines_follow_clock(&outbox->deadlines);
	return 0;
}

int outbox_accept(struct outbox *outbox, const struct store_message_draft *draft,
		  int64_t *message_id_out)
{
	struct sim_queue *queue;
	int error = outbox_prepare_queue(outbox, draft, 1, &queue);

	if (error)
		return error;
	error = outbox_accept_into(outbox, queue, draft, message_id_out);
	outbox_messages_request_run(&outbox->messages); /* also removes an empty queue */
	return error;
}

static void outbox_free_messages(struct outbox_message **messages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		outbox_message_free(messages[i]);
	free(messages);
}

/* Without memory nothing would move the rows on: so the memory comes first. */
static struct outbox_message **outbox_new_messages(
	struct outbox *outbox, const struct store_message_draft *drafts, size_t count)
{
	struct outbox_message **messages = calloc(count, sizeof(struct outbox_message *));

	for (size_t i = 0; messages && i < count; i++) {
		messages[i] = outbox_new_message(outbox, &drafts[i]);
		if (!messages[i]) {
			outbox_free_messages(messages, i);
			return NULL;
		}
	}
	return messages;
}

int outbox_accept_all(struct outbox *outbox, const struct store_message_draft *drafts,
		      size_t count, int64_t *message_ids_out)
{
	struct outbox_message **messages;
	struct sim_queue *queue;
	int error = outbox_prepare_queue(outbox, drafts, count, &queue);

	if (error)
		return error;
	messages = outbox_new_messages(outbox, drafts, count);
	error = messages ? store_message_add_all(outbox->store, drafts, count,
						 message_ids_out)
			 : -ENOMEM;
	for (size_t i = 0; !error && i < count; i++) {
		messages[i]->id = message_ids_out[i];
		outbox_add_message(outbox, queue, messages[i]);
	}
	if (messages)
		outbox_free_messages(messages, error ? count : 0);
	outbox_messages_request_run(&outbox->messages); /* also removes an empty queue */
	return error == STORE_E_FULL ? OUTBOX_E_STORAGE : error;
}

/* ---- observing ----------------------------------------------------------------------- */

/* A sent message is no longer in memory, but its delivery report may be awaited. */
static struct outbox_message *outbox_find_awaiting(struct outbox *outbox,
						   int64_t message_id)
{
	struct arena *arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	struct outbox_message *message = NULL;
	struct message row;

	if (arena && !store_message_get(outbox->store, message_id, arena, &row) &&
	    row.direction == MESSAGE_OUTGOING && row.state == STATE_SENT &&
	    row.delivery == DELIVERY_AWAITED)
		message = sim_queues_add(&outbox->queues, &row);
	arena_free(arena);
	return message;
}

bool outbox_watch(struct outbox *outbox, int64_t message_id, struct observer *observer,
		  void (*notify)(void *data, const void *event), void *data)
{
	struct outbox_message *message =
		sim_queues_find(&outbox->queues, message_id, NULL);

	if (!message)
		message = outbox_find_awaiting(outbox, message_id);
	if (!message || outbox_message_has_ended(message))
		return false;
	observer_add(&message->observers, observer, notify, data);
	return true;
}

struct observers *outbox_observers(struct outbox *outbox)
{
	return &outbox->messages.observers;
}

unsigned outbox_waiting(const struct outbox *outbox)
{
	return outbox->messages.waiting;
}

unsigned outbox_queued(const struct outbox *outbox, int64_t sim_id)
{
	const struct outbox_message *message;
	const struct sim_queue *queue;
	unsigned count = 0;

	TAILQ_FOREACH (queue, &outbox->queues.list, link) {
		TAILQ_FOREACH (message, &queue->messages, link)
			count += queue->sim_id == sim_id &&
				 (message->state == STATE_QUEUED ||
				  message->state == STATE_SUBMITTING ||
				  message->state == STATE_SUBMITTED ||
				  message->state == STATE_HELD);
	}
	return count;
}

unsigned outbox_waiting_for_approval(const struct outbox *outbox)
{
	return outbox->messages.waiting_for_approval;
}

/* ---- events -------------------------------------------------------------------------- */

static void outbox_on_report(struct outbox *outbox, const struct ofono_event *event)
{
	struct outbox_message *message =
		sim_queues_find_uuid(&outbox->queues, event->uuid);
	struct arena *arena = NULL;
	struct message row;

	/* Usually it was final long ago, perhaps before the gateway started. */
	if (!message)
		arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	if (arena && !store_message_by_uuid(outbox->store, event->uuid, arena, &row) &&
	    message_state_is_final(row.state))
		message = sim_queues_add(&outbox->queues, &row);
	arena_free(arena);
	if (message)
		outbox_step_on_report(message, event->delivered);
	else
		sim_queues_keep_report(&outbox->queues, event);
}

/* Finds the message that a radio names by ID and attempt, and gives one in doubt its UUID. */
static void outbox_name_message(struct outbox *outbox, const struct ofono_event *event)
{
	struct outbox_message *message =
		sim_queues_find(&outbox->queues, event->order_id, NULL);
	struct arena *arena = NULL;
	struct message row;

	if (!message)
		arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	if (arena && !store_message_get(outbox->store, event->order_id, arena, &row) &&
	    row.direction == MESSAGE_OUTGOING && row.state == STATE_UNKNOWN)
		message = sim_queues_add(&outbox->queues, &row);
	arena_free(arena);
	if (message && arena)
		outbox_failover_read(message);
	if (!message || *message->uuid || message->attempt != event->attempt ||
	    message->stage == STAGE_CALLING) /* its answer has the UUID */
		return;
	if (message->state == STATE_HELD || message->state == STATE_UNKNOWN)
		outbox_step_accepted(message, event->uuid,
				     event->modem && event->modem->uses_delivery_reports);
}

static void outbox_on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct outbox *outbox = data;

	switch (event->type) {
	case MODEM_CHANGED:
		if (!(event->modem->interfaces & MODEM_MESSAGE_MANAGER))
			sim_queues_on_modem_lost(&outbox->queues, event->modem);
		else if (!TAILQ_EMPTY(&outbox->queues.list)) /* it may list held ones */
			outbox_messages_request_run(&outbox->messages);
		break;
	case MODEM_REMOVED:
		sim_queues_on_modem_lost(&outbox->queues, event->modem);
		break;
	case MESSAGE_ADDED:
		outbox_record_on_added(outbox, event);
		break;
	case MESSAGE_STATE:
		if (event->order_id)
			outbox_name_message(outbox, event);
		outbox_record_on_state(outbox, event);
		sim_queues_on_state(&outbox->queues, event);
		break;
	case MESSAGE_REPORT:
		outbox_on_report(outbox, event);
		break;
	default:
		break;
	}
}

static void outbox_on_sims_event(void *data, const void *event_data)
{
	const struct sims_event *event = event_data;
	struct outbox *outbox = data;

	if (event->type == SIMS_STATE)
		sim_queues_on_sim_changed(&outbox->queues);
}

static int outbox_run(sd_event_source *source, void *data)
{
	struct outbox *outbox = data;

	if (!outbox->messages.run_due)
		return 0;
	outbox->messages.run_due = false;
	outbox_deadlines_run(&outbox->deadlines);
	outbox_failover_run(outbox);
	outbox_record_run(outbox);
	sim_queues_advance(&outbox->queues);
	outbox_cancel_start_due(outbox);
	sim_queues_sweep(&outbox->queues);
	sim_queues_submit(&outbox->queues);
	/* nothing else may wake the loop for what is left to do */
	sd_event_source_set_enabled(outbox->run_again, outbox->messages.run_due
							       ? SD_EVENT_ONESHOT
							       : SD_EVENT_OFF);
	return 0;
}

/* It only keeps the loop from sleeping: outbox_run() is called next. */
static int outbox_on_run_again(sd_event_source *source, void *data)
{
	return 0;
}

/* ---- life ---------------------------------------------------------------------------- */

struct outbox_loading {
	struct outbox *outbox;
	int error;
};

static void outbox_load_row(void *data, const struct message *row)
{
	struct outbox_loading *loading = data;
	struct outbox_message *message = sim_queues_add(&loading->outbox->queues, row);
	int64_t since_ms = loading->outbox->queues.recorded_since_ms;

	if (!message)
		loading->error = -ENOMEM;
	else
		message->is_lost = row->state == STATE_SUBMITTING && since_ms &&
				   row->boot && row->boot == clock_boot_number() &&
				   row->created_boot_ms > since_ms;
}

static int outbox_load(struct outbox *outbox)
{
	struct outbox_loading loading = { .outbox = outbox };
	int error = store_message_rebase_deadlines(outbox->store);

	if (error) /* the rows have older times, which end no later */
		log_error("outbox: the deadlines of messages could not be stored");
	if (!outbox->messages.sends_again)
		outbox->queues.recorded_since_ms = outgoing_spool_since(outbox->config);
	error = store_message_list_unfinished(outbox->store, outbox_load_row, &loading);
	if (!error)
		error = loading.error;
	if (error)
		return error < 0 ? error : -EIO;
	sim_submit_restart(&outbox->queues);
	return 0;
}

static int outbox_init(struct outbox *outbox, sd_event *loop, bool sends_again)
{
	int error = outbox_messages_init(&outbox->messages, loop, outbox->store);

	outbox->messages.sends_again = sends_again;
	if (error >= 0)
		error = event_loop_add_before_sleep(loop, &outbox->run_source, outbox_run,
						    outbox);
	if (error >=
	    0) /* after other callbacks before sleep, which may accept messages */
		error = sd_event_source_set_priority(outbox->run_source,
						     SD_EVENT_PRIORITY_NORMAL + 1);
	if (error >= 0)
		error = sd_event_add_defer(loop, &outbox->run_again, outbox_on_run_again,
					   outbox);
	if (error >= 0)
		error = outbox_deadlines_init(&outbox->deadlines, loop);
	if (error >= 0)
		error = outbox_load(outbox);
	if (error >= 0)
		error = outbox_failover_init(outbox, loop);
	return error;
}

int outbox_new(sd_event *loop, const struct config *config, struct store *store,
	       struct sims *sims, struct ofono *ofono, struct outbox **outbox_out)
{
	struct outbox_timing timing = outbox_default_timing;
	struct outbox *outbox = calloc(1, sizeof(*outbox));
	int error;

	if (!outbox)
		return -ENOMEM;
	timing.stuck_ms = (uint64_t)config->stuck_seconds * 1000;
	outbox->config = config;
	outbox->store = store;
	outbox->queues.loop = loop;
	outbox->queues.messages = &outbox->messages;
	outbox->queues.sims = sims;
	sim_queues_init(&outbox->queues, &timing);
	outbox->deadlines.config = config;
	outbox->deadlines.messages = &outbox->messages;
	outbox->deadlines.queues = &outbox->queues;
	TAILQ_INIT(&outbox->cancellations);
	error = outbox_init(outbox, loop, ofono_sends_again_safely(ofono));
	if (error < 0) {
		outbox_free(outbox);
		return error;
	}
	if (config->delivery_reports)
		ofono_use_delivery_reports(ofono);
	observer_add(ofono_observers(ofono), &outbox->ofono_observer,
		     outbox_on_ofono_event, outbox);
	observer_add(sims_observers(sims), &outbox->sims_observer, outbox_on_sims_event,
		     outbox);
	*outbox_out = outbox;
	return 0;
}

void outbox_free(struct outbox *outbox)
{
	if (!outbox)
		return;
	observer_remove(&outbox->ofono_observer);
	observer_remove(&outbox->sims_observer);
	observer_remove(&outbox->codes_observer);
	outbox_cancel_deinit(outbox);
	outbox_failover_deinit(outbox);
	sim_queues_deinit(&outbox->queues);
	outbox_deadlines_deinit(&outbox->deadlines);
	outbox_messages_deinit(&outbox->messages);
	sd_event_source_disable_unref(outbox->run_source);
	sd_event_source_disable_unref(outbox->run_again);
	free(outbox);
}

void outbox_set_paused(struct outbox *outbox, bool paused)
{
	outbox->queues.is_paused = paused;
	if (!paused)
		outbox_messages_request_run(&outbox->messages);
}

void outbox_set_message_counters(struct outbox *outbox, struct message_counters *counters)
{
	outbox->messages.counters = counters;
}

static void outbox_on_codes_ready(void *data, const void *event)
{
	struct outbox *outbox = data;

	outbox_messages_request_run(&outbox->messages);
}

void outbox_set_received_codes(struct outbox *outbox, struct received_codes *codes)
{
	outbox->queues.codes = codes;
	observer_add(received_codes_observers(codes), &outbox->codes_observer,
		     outbox_on_codes_ready, outbox);
}

void outbox_set_slot_finder(struct outbox *outbox, outbox_slot_finder find, void *data)
{
	outbox->queues.find_slot = find;
	outbox->queues.find_slot_data = data;
}

void outbox_set_timing(struct outbox *outbox, const struct outbox_timing *timing)
{
	outbox->queues.timing = *timing;
}
