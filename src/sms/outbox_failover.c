/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failover: a message leaves a SIM that certainly does not send it. Only for radios that send
 * again safely; the table of doc/routing.md, row by row, is tests/unit/test_outbox_failover.c.
 *
 *   never reached the radio, or the radio kept nothing   at once
 *   in doubt                                             when the radio has closed it, or by
 *                                                        decision (outbox_failover_resend(), if_unknown)
 *   the network refused a message of one segment         at once
 *   it waits for a SIM that cannot send now, or that     when another one can
 *   the owner has drained
 *
 * Where it goes says the owner's routing (outbox_failover_set_finder()). The move is one commit:
 * the attempt ends, and the message is queued on its new SIM under its next attempt. Without
 * another SIM it stays queued where it is, or fails if waiting would not help.
 */
#include "sms/outbox_private.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/log.h"
#include "store/store_attempt.h"
#include "store/store_audit.h"

enum {
	USEC_PER_MS = 1000,
	FAILOVER_AGAIN_MS = 15 * 1000, /* rests and limits end without an event */
	FAILOVER_STRANDED_MAX = 256,   /* looked at in one run */
};

const char outbox_failover_not_delivered[] = "not_delivered";

/* What an outcome means for the message if there is no other SIM, and for the SIM that it leaves. */
static const struct outbox_failover_outcome {
	const char *outcome;
	bool ends;	  /* the message does not wait for the same SIM */
	bool is_harmless; /* no failure of the SIM: it need not rest */
} outbox_failover_outcomes[] = {
	{ "network_refused", true, false },
	{ "storage_full", true, false },
	/* the limits and the rules of the phone's owner */
	{ "rate_limited", true, true },
	{ "budget_exhausted", true, true },
	{ "queue_full", true, true },
	{ "quiet_hours", true, true },
	{ "loop_suspected", true, true },
	{ "insufficient_scope", true, true },
	{ "subscription_not_allowed", true, true },
	{ "recipient_not_allowed", true, true },
	{ "premium_number_blocked", true, true },
	{ "international_blocked", true, true },
	{ "text_too_long", true, true },
	/* a character that the oFono of this phone cannot send */
	{ "invalid_text", true, true },
	{ "stale_hub", true, true },
	{ "paused_by_owner", false, true },
	{ "closed", false, true },
	{ outbox_failover_not_delivered, false, true },
	/* not an outcome of the SIM */
	{ "in_doubt", false, true },
	{ "resent", false, true },
	{ "", false, true },
};

/* What is not in the table is a failure of the SIM, which may end. */
static const struct outbox_failover_outcome *outbox_failover_judge(const char *outcome)
{
	static const struct outbox_failover_outcome failure;
	size_t count =
		sizeof(outbox_failover_outcomes) / sizeof(*outbox_failover_outcomes);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(outbox_failover_outcomes[i].outcome, outcome) == 0)
			return &outbox_failover_outcomes[i];
	}
	return &failure;
}

bool outbox_failover_is_failure(const char *outcome)
{
	return !outbox_failover_judge(outcome)->is_harmless;
}

/* Returns the other SIM that is to send it; 0 if there is none. */
static int64_t outbox_failover_find(const struct outbox *outbox,
				    const struct outbox_message *message,
				    const char *outcome)
{
	struct arena *arena;
	struct message row;
	int64_t sim_id = 0;

	if (!message->routed.pool_id || !outbox->find_route)
		return 0;
	arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	if (arena && !store_message_get(outbox->store, message->id, arena, &row))
		sim_id = outbox->find_route(outbox->find_route_data, &row,
					    &message->routed, outcome);
	arena_free(arena);
	return sim_id == message->sim_id ? 0 : sim_id;
}

/* Keeps them in the order of their IDs. */
static void outbox_failover_insert(struct sim_queue *queue,
				   struct outbox_message *message)
{
	struct outbox_message *other;

	TAILQ_FOREACH (other, &queue->messages, link) {
		if (other->id > message->id) {
			TAILQ_INSERT_BEFORE(other, message, link);
			return;
		}
	}
	TAILQ_INSERT_TAIL(&queue->messages, message, link);
}

/* Returns false if nothing has changed. */
static bool outbox_failover_move(struct outbox *outbox, struct sim_queue *queue,
				 struct outbox_message *message, const char *outcome,
				 int64_t sim_id)
{
	bool stays = sim_id == message->sim_id;
	/* What never reached the radio may go there under the same attempt. */
	bool goes_on = stays && strcmp(outcome, outbox_failover_not_delivered) == 0;
	const struct store_attempt_move move = {
		.number =
			goes_on || message->state == STATE_QUEUED ? 0 : message->attempt,
		.outcome = outcome,
		.sim_id = sim_id,
		.reason = message->is_decided ? "resent"
			  : stays	      ? "not_taken"
					      : "moved",
		.is_decided = message->is_decided,
	};
	struct sim_queue *other = sim_queues_get(&outbox->queues, sim_id);
	int error =
		other ? store_attempt_move(outbox->store, message->id, &move) : -ENOMEM;

	outbox_messages_sync_later(&outbox->messages);
	if (error) {
		log_error("outbox: message %lld could not be moved to sim %lld",
			  (long long)message->id, (long long)sim_id);
		return false;
	}
	if (!stays) {
		log_info("outbox: message %lld: from sim %lld to sim %lld (%s)",
			 (long long)message->id, (long long)message->sim_id,
			 (long long)sim_id, *outcome ? outcome : "it cannot send");
		TAILQ_REMOVE(&queue->messages, message, link);
		outbox_failover_insert(other, message);
	}
	outbox_step_move(message, sim_id, move.number != 0, move.reason);
	return true;
}

static void outbox_failover_leave(struct outbox *outbox, struct sim_queue *queue,
				  struct outbox_message *message)
{
	const char *outcome = message->leaves;
	int64_t sim_id;
	bool stays;

	if (message->is_decided && !outbox_message_is_in_doubt(message) &&
	    message->state != STATE_UNKNOWN) {
		message->leaves = NULL; /* the radio answered after the decision */
		message->is_decided = false;
		return;
	}
	sim_id = outbox_failover_find(outbox, message, outcome);
	stays = !sim_id;

	if (stays && !message->is_decided && outbox_failover_judge(outcome)->ends) {
		message->leaves = NULL;
		if (message->state == STATE_QUEUED)
			outbox_step_withdraw(message, outcome);
		else
			outbox_step_fail(message, outcome);
		return;
	}
	if (!outbox_failover_move(outbox, queue, message, outcome,
				  stays ? message->sim_id : sim_id)) {
		outbox->is_stranded = true; /* tried again by the timer */
		return;
	}
	message->leaves = NULL;
	message->is_decided = false;
	if (stays)
		sim_queue_pause_sends(queue);
}

/*
 * Is another SIM better for what waits in this queue, because its own cannot send, holds a message
 * in doubt, or is drained by the owner?
 */
static bool outbox_failover_is_blocked(const struct outbox *outbox,
				       const struct sim_queue *queue)
{
	const struct sim *sim = sims_find(outbox->queues.sims, queue->sim_id);
	const struct outbox_message *message;

	if (!sim || sim->state != SIM_READY ||
	    (outbox->is_left && outbox->is_left(outbox->find_route_data, queue->sim_id)))
		return true;
	TAILQ_FOREACH (message, &queue->messages, link) {
		if (message->state == STATE_HELD)
			return true;
	}
	return false;
}

static void outbox_failover_look_at_queue(struct outbox *outbox, struct sim_queue *queue,
					  unsigned *left)
{
	bool is_blocked =
		outbox->messages.reroute_due && outbox_failover_is_blocked(outbox, queue);
	struct outbox_message *message, *next;

	for (message = TAILQ_FIRST(&queue->messages); message; message = next) {
		int64_t sim_id;

		next = TAILQ_NEXT(message, link);
		if (message->leaves && message->stage != STAGE_CALLING) {
			outbox_failover_leave(outbox, queue, message);
			continue;
		}
		if (!is_blocked || message->state != STATE_QUEUED ||
		    !message->routed.pool_id || !*left)
			continue;
		--*left;
		sim_id = outbox_failover_find(outbox, message, "");
		if (!sim_id || !outbox_failover_move(outbox, queue, message, "", sim_id))
			outbox->is_stranded = true;
	}
}

void outbox_failover_run(struct outbox *outbox)
{
	unsigned left = FAILOVER_STRANDED_MAX;
	struct sim_queue *queue;

	if (!outbox->messages.sends_again)
		return;
	outbox->is_stranded = false;
	TAILQ_FOREACH (queue, &outbox->queues.list, link)
		outbox_failover_look_at_queue(outbox, queue, &left);
	outbox->messages.reroute_due = false;
	if (!left)
		outbox->is_stranded = true;
	if (!outbox->is_stranded ||
	    sd_event_source_get_enabled(outbox->failover_timer, NULL) > 0)
		return;
	sd_event_source_set_time_relative(outbox->failover_timer,
					  (left ? FAILOVER_AGAIN_MS : 1) * USEC_PER_MS);
	sd_event_source_set_enabled(outbox->failover_timer, SD_EVENT_ONESHOT);
}

static int outbox_failover_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct outbox *outbox = data;

	outbox->messages.reroute_due = true;
	outbox_messages_request_run(&outbox->messages);
	return 0;
}

static void outbox_failover_read_attempt(void *data, const struct store_attempt *attempt)
{
	struct outbox_message *message = data;

	message->attempt = attempt->number + (attempt->ended_ms != 0);
	message->epoch = attempt->epoch;
}

void outbox_failover_read(struct outbox_message *message)
{
	struct store *store = message->messages->store;

	if (!message->messages->sends_again)
		return;
	store_attempt_get_routed(store, message->id, &message->routed);
	if (store_attempt_list(store, message->id, outbox_failover_read_attempt, message))
		log_error("outbox: message %lld: its attempts could not be read",
			  (long long)message->id);
}

int outbox_failover_init(struct outbox *outbox, sd_event *loop)
{
	struct outbox_message *message;
	struct sim_queue *queue;
	int error;

	if (!outbox->messages.sends_again)
		return 0;
	TAILQ_FOREACH (queue, &outbox->queues.list, link) {
		TAILQ_FOREACH (message, &queue->messages, link)
			outbox_failover_read(message);
	}
	error = sd_event_add_time_relative(loop, &outbox->failover_timer, CLOCK_MONOTONIC,
					   0, 0, outbox_failover_on_timer, outbox);
	return error < 0 ? error
			 : sd_event_source_set_enabled(outbox->failover_timer,
						       SD_EVENT_OFF);
}

void outbox_failover_deinit(struct outbox *outbox)
{
	outbox->failover_timer = sd_event_source_disable_unref(outbox->failover_timer);
}

void outbox_failover_review(struct outbox *outbox)
{
	outbox->messages.reroute_due = true;
	outbox_messages_request_run(&outbox->messages);
}

void outbox_failover_set_finder(struct outbox *outbox, outbox_route_finder find,
				outbox_sim_check is_left, void *data)
{
	outbox->find_route = find;
	outbox->is_left = is_left;
	outbox->find_route_data = data;
}

/* An unknown message is no longer in memory. */
static struct outbox_message *outbox_failover_find_doubtful(struct outbox *outbox,
							    int64_t message_id)
{
	struct outbox_message *message =
		sim_queues_find(&outbox->queues, message_id, NULL);
	struct arena *arena;
	struct message row;

	if (message)
		return outbox_message_is_in_doubt(message) ||
				       message->state == STATE_UNKNOWN
			       ? message
			       : NULL;
	arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	if (arena && !store_message_get(outbox->store, message_id, arena, &row) &&
	    row.direction == MESSAGE_OUTGOING && row.state == STATE_UNKNOWN)
		message = sim_queues_add(&outbox->queues, &row);
	arena_free(arena);
	if (message)
		outbox_failover_read(message);
	return message;
}

int outbox_failover_resend(struct outbox *outbox, int64_t message_id, const char *by)
{
	const struct audit_event_fact facts[] = { { "message_id", NULL, message_id },
						  { "by", by },
						  { NULL } };
	struct outbox_message *message;
	int error;

	if (!outbox->messages.sends_again)
		return OUTBOX_E_TOO_LATE;
	message = outbox_failover_find_doubtful(outbox, message_id);
	if (!message)
		return OUTBOX_E_TOO_LATE;
	error = store_audit_record(outbox->store, AUDIT_SEND_REPEATED, facts);
	if (error)
		return error == STORE_E_FULL ? OUTBOX_E_STORAGE : error;
	outbox_deadline_renew(message);
	message->leaves = "resent";
	message->is_decided = true;
	outbox_messages_request_run(&outbox->messages);
	return 0;
}
