/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the owner says to a message that waits for it. A yes is about that row: its number,
 * text and SIM never change, and it leaves waiting_approval once. It is on disk before
 * anybody hears of it (tests/integration/test_approval.py, scenario Approve of the crash
 * matrix).
 */
#include "sms/outbox_approval.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "sms/approval.h"
#include "sms/outbox_private.h"
#include "store/store_outgoing.h"

struct yes {
	int64_t at_ms; /* 0: none was needed */
};

static void hear_change(void *data, const struct message_change *change)
{
	struct yes *yes = data;

	if (strcmp(change->reason, approval_by_owner) == 0 ||
	    strcmp(change->reason, approval_by_person) == 0)
		yes->at_ms = change->at_ms;
}

/* Both move a message out of the way before its time; the history tells which. */
static const char *why_expired(const struct outbox_message *message)
{
	struct yes yes = { 0 };

	if (store_message_changes(message->shared->store, message->id, hear_change, &yes))
		yes.at_ms = 0;
	return yes.at_ms && message->expires_at_ms - message->expiry_moved_ms ==
				       approval_expiry(yes.at_ms, message->send_at_ms, 0)
		       ? "approval_expired"
		       : "validity_over";
}

int64_t outbox_approval_end(const struct outbox_message *message)
{
	const struct message row = { .created_ms = message->created_ms,
				     .expires_at_ms = message->expires_at_ms };

	if (message->state == STATE_WAITING_APPROVAL)
		return approval_awaited_until(message->shared->config, &row);
	return message->expires_at_ms ? message->expires_at_ms : INT64_MAX;
}

const char *outbox_approval_end_reason(const struct outbox_message *message)
{
	if (message->state != STATE_WAITING_APPROVAL)
		return why_expired(message);
	return outbox_approval_end(message) == message->expires_at_ms
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

int outbox_approve(struct outbox *outbox, int64_t message_id, const char *who)
{
	struct outbox_message *message = find_waiting(outbox, message_id);
	int64_t now_ms = clock_wall_ms();
	struct outgoing_move move = {
		.reason = approval_by_owner,
		.by = who,
		.at_ms = now_ms,
	};
	int error;

	if (!message)
		return OUTBOX_E_NOT_WAITING;
	move.to = message->send_at_ms > now_ms ? STATE_SCHEDULED : STATE_QUEUED;
	move.expires_at_ms =
		approval_expiry(now_ms, message->send_at_ms, message->expires_at_ms);
	log_info("outbox: message %lld: %s says yes", (long long)message_id, who);
	error = outbox_message_decide(message, &move);
	if (!error) {
		message->expires_at_ms = move.expires_at_ms;
		message->expiry_moved_ms = 0;
	}
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
