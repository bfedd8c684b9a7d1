/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stages of a message from accepted to final; each arrow is a function, outbox_step_...():
 *
 *   accepted                       accepted
 *      |                              | prepare
 *      v             save             v
 *   WAITING <---------------------- PREPARED
 *      |  ^                           |
 *      |  +------ not_taken, move ----|---+
 *      | claim                        |   |
 *      v                        claim |   |
 *   CLAIMED <-------------------------+   |
 *      |  ^                               |
 *      |  +--- claim, if in doubt ----+   |
 *      | call                         |   |
 *      v                              |   |
 *   CALLING                           |   |
 *      | end_call (also if CLAIMED)   |   |
 *      v                              |   |
 *   WITH_OFONO -----------------------+---+
 *      | on_state, on_record, on_report, fail, cancelled, lose
 *      v
 *   ENDED <--- expire, withdraw, cancel_waiting, reject --- WAITING, PREPARED
 *
 * and the states in each stage:
 *
 *   WAITING      waiting_approval, scheduled, queued: approve and due lead on, ask_owner and
 *                postpone back, edit to any
 *   PREPARED     queued, but the row says submitting
 *   CLAIMED      submitting, until the disk confirms it; in doubt: held
 *   CALLING      the same, until oFono answers; lose: unknown, if it takes too long
 *   WITH_OFONO   submitting until the answer is judged: accepted leads to submitted, doubt to
 *                held; lose_modem, restart and found lead to held, listed back to submitted
 *   ENDED        sent (on_report: delivered), failed, cancelled, expired; unknown, which a late
 *                answer, a record or the owner still moves on
 *
 * There are two ways to change the state of a message.
 *
 * A decision (submit, cancel, approve) is written to disk first and becomes true with that.
 * The step to submitting is one: it keeps a restart from sending the message twice
 * (tests/unit/test_outbox_trouble.c). It is written lazily, and outbox_run() waits once for
 * the disk for all messages that leave together.
 *
 * What oFono reports is true whether or not the disk takes it. The message goes on in memory,
 * and the write is repeated until it succeeds. Observers hear of it only then: no crash takes
 * back what an agent was answered (tests/unit/test_outbox_trouble.c).
 */
#include "sms/outbox_step.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/store.h"
#include "store/store_edit.h"
#include "store/store_feed.h"

const char outbox_approval_by_owner[] = "approved_by_owner";
const char outbox_approval_by_user[] = "approved_by_person";

/* ---- stage and state ----------------------------------------------------------------- */

/* Only this function sets the stage. Number and text stay in memory while they are due. */
static void outbox_step_enter(struct outbox_message *message, enum outbox_stage stage)
{
	message->stage = stage;
	if (stage == STAGE_PREPARED || stage == STAGE_CLAIMED)
		return;
	free(message->payload);
	message->payload = NULL;
}

/* Enters the stage that its state says, while no call of ours is due or under way. */
static void outbox_step_enter_state(struct outbox_message *message)
{
	if (message_state_is_waiting(message->state))
		outbox_step_enter(message, STAGE_WAITING);
	else if (message_state_is_final(message->state))
		outbox_step_enter(message, STAGE_ENDED);
	else
		outbox_step_enter(message, STAGE_WITH_OFONO);
}

void outbox_step_begin(struct outbox_message *message, enum message_state state)
{
	message->state = message->saved = state;
	outbox_step_enter_state(message);
}

static void outbox_step_change(struct outbox_message *message, enum message_state state,
			       const char *reason)
{
	struct message_counters *counters = message->messages->counters;

	outbox_messages_count(message->messages, state, 1);
	outbox_messages_count(message->messages, message->state, -1);
	if (counters)
		message_counters_row(counters, message->sim_id)->became[state]++;
	message->state = state;
	message->reason = reason;
	message->waits_for_owner = false;
	if (message->stage != STAGE_CLAIMED && message->stage != STAGE_CALLING)
		outbox_step_enter_state(message);
}

static struct outbox_event outbox_step_event(const struct outbox_message *message)
{
	return (struct outbox_event){
		.message_id = message->id,
		.state = message->state,
		.reason = message->reason,
		.delivery = message->delivery,
		.last = outbox_message_has_ended(message),
	};
}

static void outbox_step_notify(struct outbox_message *message)
{
	struct outbox_event event = outbox_step_event(message);

	log_info("outbox: message %lld: %s%s%s", (long long)message->id,
		 message_state_name(message->state), *message->reason ? ", " : "",
		 message->reason);
	observers_notify(&message->observers, &event);
	observers_notify(&message->messages->observers, &event);
	if (event.last)
		outbox_message_remove_observers(message);
}

/* ---- decisions: the disk first ------------------------------------------------------- */

static bool outbox_step_row_is_lost(int error)
{
	return error == STORE_E_NOT_FOUND || error == STORE_E_ILLEGAL;
}

/* Adds UUID and delivery of the message to the move. */
static int outbox_step_move_row(struct outbox_message *message,
				struct store_message_transition move, bool is_lazy)
{
	int error;

	move.uuid = message->uuid_unsaved ? message->uuid : NULL;
	move.delivery = message->delivery;
	move.is_lazy = is_lazy;
	error = store_message_change_state(message->messages->store, message->id, &move);
	if (is_lazy)
		outbox_messages_sync_later(message->messages);
	if (outbox_step_row_is_lost(error))
		log_error("outbox: message %lld: its row does not allow the state %s",
			  (long long)message->id, message_state_name(move.to));
	else
		outbox_messages_set_refused(message->messages, error);
	message->uuid_unsaved &= error != 0;
	return error;
}

static void outbox_step_set_decided(struct outbox_message *message,
				    enum message_state state, const char *reason)
{
	outbox_step_change(message, state, reason ? reason : "");
	message->saved = state;
	message->saved_delivery = message->delivery;
	outbox_step_notify(message);
}

/* A row that is lost leaves the message unknown. */
static int outbox_step_write(struct outbox_message *message,
			     const struct store_message_transition *move, bool is_lazy)
{
	int error = outbox_step_move_row(message, *move, is_lazy);

	if (outbox_step_row_is_lost(error)) {
		outbox_step_change(message, STATE_UNKNOWN, "internal");
		message->saved = STATE_UNKNOWN;
		outbox_step_notify(message);
		outbox_messages_request_run(message->messages);
	}
	if (!error)
		outbox_step_set_decided(message, move->to, move->reason);
	return error;
}

static int outbox_step_decide(struct outbox_message *message,
			      const struct store_message_transition *move)
{
	outbox_messages_request_run(message->messages);
	return outbox_step_write(message, move, false);
}

int outbox_step_postpone(struct outbox_message *message, const char *reason)
{
	const struct store_message_deadline deadline = outbox_deadline_row(message);
	const struct store_message_transition move = {
		.to = STATE_SCHEDULED,
		.reason = reason,
		.deadline = &deadline,
		.send_at_ms = message->deadline.send_at_ms,
	};

	return outbox_step_decide(message, &move);
}

int outbox_step_ask_owner(struct outbox_message *message, const char *reason)
{
	const struct store_message_transition move = { .to = STATE_WAITING_APPROVAL,
						       .reason = reason };

	return outbox_step_decide(message, &move);
}

int outbox_step_approve(struct outbox_message *message, const char *who, int64_t now_ms)
{
	const struct store_message_deadline deadline = outbox_deadline_row(message);
	const struct store_message_transition move = {
		.to = message->deadline.send_at_ms > now_ms ? STATE_SCHEDULED
							    : STATE_QUEUED,
		.reason = outbox_approval_by_owner,
		.by = who,
		.at_ms = now_ms,
		.deadline = &deadline,
	};

	return outbox_step_decide(message, &move);
}

int outbox_step_reject(struct outbox_message *message, const char *who, const char *words)
{
	const struct store_message_transition move = {
		.to = STATE_FAILED,
		.reason = "approval_rejected",
		.by = who,
		.note = words,
	};

	return outbox_step_decide(message, &move);
}

int outbox_step_cancel_waiting(struct outbox_message *message, const char *reason,
			       bool frees_key)
{
	const struct store_message_transition move = { .to = STATE_CANCELLED,
						       .reason = reason,
						       .frees_key = frees_key };

	return outbox_step_decide(message, &move);
}

/* Whoever edited it knows its ID, so the caller that had it accepted may leave. */
void outbox_step_edit(struct outbox_message *message,
		      const struct store_message_draft *draft, const char *former_number)
{
	struct outbox_event event;

	message->segments = draft->segments;
	message->revision++;
	message->never_abandoned = true;
	message->is_spread = draft->is_spread;
	outbox_messages_count(message->messages, draft->state, 1);
	outbox_messages_count(message->messages, message->state, -1);
	message->state = message->saved = draft->state;
	message->reason = draft->reason ? draft->reason : store_edit_reason;
	event = outbox_step_event(message);
	event.edited = true;
	if (strcmp(former_number, draft->number) != 0)
		event.former_number = former_number;
	log_info("outbox: message %lld: edited, %s", (long long)message->id,
		 message_state_name(message->state));
	observers_notify(&message->observers, &event);
	observers_notify(&message->messages->observers, &event);
	outbox_messages_request_run(message->messages);
}

/* ---- preparing, claiming, calling ----------------------------------------------------- */

bool outbox_step_prepare(struct outbox_message *message, const char *number,
			 const char *text)
{
	struct outbox_message_payload *payload = outbox_message_payload_new(number, text);

	if (!payload)
		return false;
	message->payload = payload;
	message->saved = STATE_SUBMITTING;
	outbox_step_enter(message, STAGE_PREPARED);
	return true;
}

/* From now on its queue waits for oFono, so no further run is requested. */
int outbox_step_claim(struct outbox_message *message,
		      struct outbox_message_payload *payload, int64_t epoch)
{
	const struct store_message_transition move = {
		.to = STATE_SUBMITTING,
		.attempt = message->messages->sends_again ? message->attempt : 0,
		.attempt_sim_id = message->sim_id,
		.attempt_epoch = epoch,
	};
	bool was_prepared = message->stage == STAGE_PREPARED;
	int error = 0;

	message->payload = payload;
	outbox_step_enter(message, STAGE_CLAIMED);
	if (was_prepared)
		outbox_step_set_decided(message, STATE_SUBMITTING, NULL);
	else if (message->state == STATE_QUEUED ||
		 !payload) /* else in doubt: it stays held */
		error = outbox_step_write(message, &move, true);
	if (error)
		outbox_step_enter_state(message);
	else if (message->state == STATE_SUBMITTING)
		message->epoch = epoch;
	return error;
}

void outbox_step_call(struct outbox_message *message)
{
	assert(message->stage == STAGE_CLAIMED);
	outbox_step_enter(message, STAGE_CALLING);
}

void outbox_step_end_call(struct outbox_message *message)
{
	outbox_step_enter_state(message);
}

/* ---- with oFono: decisions ------------------------------------------------------------- */

int outbox_step_want_cancel(struct outbox_message *message)
{
	static const struct store_message_transition move = {
		.to = STATE_HELD, .reason = outbox_message_cancel_wanted
	};
	int error;

	assert(message->state == STATE_HELD);
	if (message->cancel_wanted)
		return 0;
	error = outbox_step_decide(message, &move);
	message->cancel_wanted = !error;
	return error;
}

void outbox_step_move(struct outbox_message *message, int64_t sim_id,
		      bool is_next_attempt, const char *reason)
{
	message->sim_id = sim_id;
	message->attempt += is_next_attempt;
	message->doubtful_since_ms = 0;
	message->refusal = NULL;
	message->cancel_due = message->is_closing = message->uuid_unsaved = false;
	message->uuid[0] = '\0';
	message->delivery = DELIVERY_NONE;
	outbox_step_set_decided(message, STATE_QUEUED, reason);
	outbox_messages_request_run(message->messages);
}

/* ---- facts: true whether or not the disk takes them ---------------------------------- */

static void outbox_step_write_fact(struct outbox_message *message)
{
	int error;

	if (outbox_message_is_saved(message))
		return;
	if (message->saved != message->state) {
		const struct store_message_transition move = { .to = message->state,
							       .reason =
								       message->reason };

		error = outbox_step_move_row(message, move, true);
	} else {
		error = store_message_set_delivery(message->messages->store, message->id,
						   message->delivery);
		if (error != STORE_E_NOT_FOUND)
			outbox_messages_set_refused(message->messages, error);
	}
	if (error && !outbox_step_row_is_lost(error))
		return;
	message->saved = message->state;
	message->saved_delivery = message->delivery;
}

void outbox_step_save(struct outbox_message *message)
{
	if (outbox_message_is_saved(message))
		return;
	outbox_step_write_fact(message);
	if (!outbox_message_is_saved(message))
		return;
	if (message->stage == STAGE_PREPARED)
		outbox_step_enter(message, STAGE_WAITING);
	outbox_step_notify(message);
}

static void outbox_step_become(struct outbox_message *message, enum message_state state,
			       const char *reason)
{
	/* A delivery report proves more than a held or unknown state says. */
	if (message->delivery == DELIVERY_CONFIRMED &&
	    (state == STATE_HELD || state == STATE_UNKNOWN)) {
		state = STATE_DELIVERED;
		reason = "";
	}
	if (message->state == state)
		return;
	if (state == STATE_HELD) {
		message->messages->reroute_due = true;
		message->doubtful_since_ms = *message->uuid ? 0 : clock_wall_ms();
	}
	if (message->cancel_wanted && (state == STATE_HELD || state == STATE_SUBMITTED))
		reason = outbox_message_cancel_wanted;
	outbox_step_change(message, state, reason);
	outbox_step_save(message);
	outbox_messages_request_run(message->messages);
	if (state == STATE_SENT && message->delivery == DELIVERY_CONFIRMED)
		outbox_step_become(message, STATE_DELIVERED, "");
}

void outbox_step_due(struct outbox_message *message)
{
	message->messages->reroute_due |= message->routed.pool_id != 0;
	outbox_step_become(message, STATE_QUEUED, "");
}

void outbox_step_expire(struct outbox_message *message, const char *reason)
{
	outbox_step_become(message, STATE_EXPIRED, reason);
}

void outbox_step_withdraw(struct outbox_message *message, const char *reason)
{
	outbox_step_become(message, STATE_CANCELLED, reason);
}

static void outbox_step_set_uuid(struct outbox_message *message, const char *uuid,
				 bool awaited)
{
	snprintf(message->uuid, sizeof(message->uuid), "%s", uuid);
	message->uuid_unsaved = true;
	if (awaited)
		message->delivery = DELIVERY_AWAITED;
}

void outbox_step_accepted(struct outbox_message *message, const char *uuid, bool awaited)
{
	outbox_step_set_uuid(message, uuid, awaited);
	outbox_step_become(message, STATE_SUBMITTED, "");
}

void outbox_step_found(struct outbox_message *message, const char *uuid, bool awaited)
{
	outbox_step_set_uuid(message, uuid, awaited);
	outbox_step_become(message, STATE_HELD, "found_in_record");
}

void outbox_step_not_taken(struct outbox_message *message)
{
	outbox_step_become(message, STATE_QUEUED, "not_taken");
}

void outbox_step_doubt(struct outbox_message *message)
{
	outbox_step_become(message, STATE_HELD, "in_doubt");
}

void outbox_step_lose_modem(struct outbox_message *message)
{
	outbox_step_become(message, STATE_HELD, "modem_away");
}

void outbox_step_restart(struct outbox_message *message)
{
	outbox_step_become(message, STATE_HELD, "gateway_restarted");
}

void outbox_step_listed(struct outbox_message *message)
{
	outbox_step_become(message, STATE_SUBMITTED, "");
}

/* ---- facts: its end -------------------------------------------------------------------- */

void outbox_step_fail(struct outbox_message *message, const char *reason)
{
	outbox_step_become(message, STATE_FAILED, reason);
}

void outbox_step_cancelled(struct outbox_message *message)
{
	outbox_step_become(message, STATE_CANCELLED, "");
}

void outbox_step_lose(struct outbox_message *message)
{
	outbox_step_become(message, STATE_UNKNOWN, "unknown_outcome");
}

void outbox_step_lose_radio(struct outbox_message *message)
{
	static const char reason[] = "stale_hub";

	if (message->state == STATE_QUEUED && !message->leaves) {
		message->leaves = reason;
		outbox_messages_request_run(message->messages);
	} else if (message->state == STATE_HELD || message->state == STATE_SUBMITTED) {
		outbox_step_become(message, STATE_UNKNOWN, reason);
	}
}

/* Of several segments some may have been sent: such a message stays with its SIM. */
static void outbox_step_fail_or_leave(struct outbox_message *message, const char *reason)
{
	if (!message->routed.pool_id || message->segments > 1) {
		outbox_step_become(message, STATE_FAILED, reason);
		return;
	}
	message->leaves = reason;
	outbox_messages_request_run(message->messages);
}

/* Only the network, or oFono on this phone, may do better with another SIM. */
static void outbox_step_on_failure(struct outbox_message *message, const char *reason)
{
	if (!reason)
		reason = "network_refused";
	if (message->state != STATE_UNKNOWN &&
	    (strcmp(reason, "network_refused") == 0 || strncmp(reason, "ofono_", 6) == 0))
		outbox_step_fail_or_leave(message, reason);
	else
		outbox_step_become(message, STATE_FAILED, reason);
}

/* It stays submitted: only its radio can send or cancel it. */
static void outbox_step_set_waits(struct outbox_message *message, bool waits)
{
	const struct store_message_transition move = {
		.to = STATE_SUBMITTED, .reason = waits ? message_reason_phone_owner : ""
	};
	const struct feed_entry entry = {
		.at_ms = clock_wall_ms(),
		.type = FEED_SMS_STATUS,
		.subject_id = message->id,
		.sim_id = message->sim_id,
		.client_id = message->client_id,
		.state = STATE_SUBMITTED,
		.previous_state = STATE_SUBMITTED,
		.detail = move.reason,
	};

	if (message->state != STATE_SUBMITTED || message->waits_for_owner == waits)
		return;
	message->waits_for_owner = waits;
	outbox_messages_request_run(message->messages);
	if (message->cancel_wanted || outbox_step_move_row(message, move, true))
		return;
	message->reason = move.reason;
	message->saved = message->state;
	message->saved_delivery = message->delivery;
	store_feed_add(message->messages->store, &entry); /* no trigger sees this */
	outbox_step_notify(message);
}

/* A radio that sends again safely also says later what became of an unknown message. */
void outbox_step_on_state(struct outbox_message *message, enum ofono_message_state state,
			  const char *reason)
{
	if (message_state_is_final(message->state) &&
	    (message->state != STATE_UNKNOWN || !message->messages->sends_again))
		return;
	switch (state) {
	case MESSAGE_PENDING:
	case MESSAGE_WAITS_FOR_OWNER:
		outbox_step_set_waits(message, state == MESSAGE_WAITS_FOR_OWNER);
		break;
	case MESSAGE_SENT:
		outbox_step_become(message, STATE_SENT, "");
		break;
	case MESSAGE_FAILED:
		outbox_step_on_failure(message, reason);
		break;
	case MESSAGE_CANCELLED:
		outbox_step_become(message, STATE_CANCELLED, reason ? reason : "");
		break;
	case MESSAGE_LOST:
		outbox_step_lose(message);
		break;
	}
}

void outbox_step_on_record(struct outbox_message *message, enum ofono_message_state state)
{
	static const enum message_state outcomes[] = {
		[MESSAGE_SENT] = STATE_SENT,
		[MESSAGE_FAILED] = STATE_FAILED,
		[MESSAGE_CANCELLED] = STATE_CANCELLED,
	};

	if (message->state != STATE_UNKNOWN)
		outbox_step_on_state(message, state, NULL);
	else
		outbox_step_become(message, outcomes[state],
				   state == MESSAGE_FAILED ? "network_refused" : "");
}

void outbox_step_on_report(struct outbox_message *message, bool delivered)
{
	enum delivery delivery = delivered ? DELIVERY_CONFIRMED : DELIVERY_REFUSED;

	if (message->delivery == delivery || message->delivery == DELIVERY_CONFIRMED)
		return;
	message->delivery = delivery;
	if (delivered && message->state != STATE_SUBMITTED &&
	    message_state_may_become(message->state, STATE_DELIVERED)) {
		outbox_step_become(message, STATE_DELIVERED, "");
		return;
	}
	outbox_step_write_fact(message);
	if (message_state_is_final(message->state) && outbox_message_is_saved(message))
		outbox_step_notify(message);
	outbox_messages_request_run(message->messages);
}
