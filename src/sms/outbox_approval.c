/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the owner says to a message that waits for it. A yes is about that row: its number,
 * text and SIM never change, and it leaves waiting_approval once. It is on disk before
 * anybody hears of it (tests/integration/test_approval.py, scenario Approve of the crash
 * matrix).
 */
#include "sms/outbox_approval.h"

#include "base/clock.h"
#include "base/log.h"
#include "sms/approval.h"
#include "sms/outbox_clock.h"
#include "sms/outbox_private.h"
#include "store/store_outgoing.h"

int64_t outbox_approval_end(const struct outbox_message *message)
{
	int64_t expiry_ms = outbox_clock_expiry(message), waited_ms;

	if (message->state != STATE_WAITING_APPROVAL)
		return expiry_ms;
	waited_ms =
		outbox_clock_waited(message, approval_wait_ms(message->shared->config));
	return expiry_ms < waited_ms ? expiry_ms : waited_ms;
}

const char *outbox_approval_end_reason(const struct outbox_message *message)
{
	if (message->state != STATE_WAITING_APPROVAL)
		return message->yes_ends ? "approval_expired" : "validity_over";
	return outbox_approval_end(message) == outbox_clock_expiry(message)
		       ? "validity_over"
		       : "approval_not_given";
}

/* One that is over but was not looked at yet is over. NULL: it waits for nobody. */
static struct outbox_message *find_waiting(struct outbox *outbox, int64_t message_id)
{
	struct outbox_message *message;

	outbox_schedule_run(&outbox->schedule, &outbox->lanes);
	message = outbox_find(outbox, message_id, NULL);
	return message && message->state == STATE_WAITING_APPROVAL ? message : NULL;
}

int64_t outbox_awaited_until(const struct outbox *outbox, const struct config *config,
			     const struct message *row)
{
	const struct outbox_message *message =
		outbox ? outbox_find(outbox, row->id, NULL) : NULL;

	if (message && message->state == STATE_WAITING_APPROVAL)
		return outbox_approval_end(message);
	return approval_awaited_until(config, row);
}

static void take_times(struct outbox_message *message, const struct outbox_message *from)
{
	message->expires_at_ms = from->expires_at_ms;
	message->lived_ms = from->lived_ms;
	message->seen_ms = from->seen_ms;
	message->yes_ends = from->yes_ends;
}

/* The approval is of now. What the message had seen before counts for its own validity alone. */
static void limit_to_yes(struct outbox_message *message, int64_t now_ms)
{
	int64_t own_ms = message->expires_at_ms ? outbox_clock_expiry(message) : 0;
	int64_t expires_at_ms = approval_expiry(now_ms, message->send_at_ms, own_ms);
	bool is_scheduled = message->send_at_ms > now_ms;

	if (!own_ms)
		message->seen_ms = 0;
	message->yes_ends = expires_at_ms != own_ms;
	if (is_scheduled || !message->seen_ms)
		message->expires_at_ms = expires_at_ms;
	message->lived_ms = is_scheduled ? 0 : expires_at_ms;
}

int outbox_approve(struct outbox *outbox, int64_t message_id, const char *who)
{
	struct outbox_message *message = find_waiting(outbox, message_id), before;
	int64_t now_ms = clock_wall_ms();
	struct outgoing_deadline deadline;
	struct outgoing_move move = {
		.reason = approval_by_owner,
		.by = who,
		.at_ms = now_ms,
		.deadline = &deadline,
	};
	int error;

	if (!message)
		return OUTBOX_E_NOT_WAITING;
	before = *message;
	move.to = message->send_at_ms > now_ms ? STATE_SCHEDULED : STATE_QUEUED;
	limit_to_yes(message, now_ms);
	deadline = outbox_clock_deadline(message);
	log_info("outbox: message %lld: %s says yes", (long long)message_id, who);
	error = outbox_message_decide(message, &move);
	if (error)
		take_times(message, &before);
	return outbox_outcome(error, OUTBOX_E_NOT_WAITING);
}

int outbox_reject(struct outbox *outbox, int64_t message_id, const char *who,
		  const char *words)
{
	struct outbox_message *message = find_waiting(outbox, message_id);
	struct outgoing_move move = {
		.to = STATE_FAILED,
		.reason = "approval_rejected",
		.by = who,
		.note = words,
	};

	if (!message)
		return OUTBOX_E_NOT_WAITING;
	log_info("outbox: message %lld: %s says no", (long long)message_id, who);
	return outbox_outcome(outbox_message_decide(message, &move),
			      OUTBOX_E_NOT_WAITING);
}
