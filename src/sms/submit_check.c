/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/submit_check.h"

#include <errno.h>
#include <string.h>

#include "base/client.h"
#include "base/clock.h"
#include "base/log.h"

/* The owner's approval is for the text as it was: what is edited afterwards waits again. */
static void submit_check_note_approval(void *data, const struct message_change *change)
{
	bool *is_approved = data;

	if (strcmp(change->reason, outbox_approval_by_owner) == 0)
		*is_approved = true;
	else if (change->state == STATE_WAITING_APPROVAL ||
		 strncmp(change->reason, "edited", strlen("edited")) == 0)
		*is_approved = false;
}

/*
 * Judges a message once more before it is submitted, because a code may have come in since it
 * was accepted. Stopped: it holds a code and waits for approval now.
 */
static int submit_check_codes(const struct sim_queues *queues,
			      struct outbox_message *message, const char *text)
{
	const struct received_code_question question = { text, message->client_id,
							 message->id };
	const struct store_message_transition move = {
		.to = STATE_WAITING_APPROVAL,
		.reason = received_code_reason,
	};
	struct received_codes *codes = queues->codes;
	bool is_approved = false;
	int error;

	if (!codes || message->client_id == CLIENT_OWNER ||
	    message->client_id == CLIENT_GATEWAY ||
	    !received_codes_are_in(codes, &question))
		return 0;
	error = store_message_changes(message->messages->store, message->id,
				      submit_check_note_approval, &is_approved);
	if (error || is_approved)
		return error;
	error = outbox_message_decide(message, &move);
	if (error)
		return error > 0 && error != STORE_E_FULL ? -EIO : error;
	outbox_deadline_ask_anew(message, clock_wall_ms());
	log_info("outbox: message %lld holds a code that came in, and waits for "
		 "approval: " PROGRAM_NAME " approve %lld",
		 (long long)message->id, (long long)message->id);
	return SUBMIT_CHECK_E_STOPPED;
}

/*
 * Asks the limits of the SIM, which count what was submitted, and all limits about a message
 * that waited for them. Stopped: it is scheduled for a later time now.
 */
static int submit_check_slot(const struct sim_queues *queues,
			     struct outbox_message *message)
{
	const struct outbox_deadline before = message->deadline;
	struct store_message_transition move = { .to = STATE_SCHEDULED };
	struct store_message_deadline deadline;
	struct outbox_slot slot = { 0 };
	struct message row;
	struct arena *arena;
	int error;

	if (!queues->find_slot)
		return 0;
	arena = arena_new(OUTBOX_MESSAGE_ARENA_BYTES);
	error = arena ? store_message_get(message->messages->store, message->id, arena,
					  &row)
		      : -ENOMEM;
	if (!error)
		error = queues->find_slot(queues->find_slot_data, &row, arena, &slot);
	arena_free(arena);
	if (error || !slot.send_at_ms)
		return error;
	outbox_deadline_postpone(message, slot.send_at_ms);
	deadline = outbox_deadline_row(message);
	move.reason = slot.reason;
	move.deadline = &deadline;
	move.send_at_ms = slot.send_at_ms;
	error = outbox_message_decide(message, &move);
	if (!error)
		return SUBMIT_CHECK_E_STOPPED;
	message->deadline = before;
	return error > 0 && error != STORE_E_FULL ? -EIO : error;
}

int submit_check(const struct sim_queues *queues, struct outbox_message *message,
		 const char *text)
{
	int error = submit_check_codes(queues, message, text);

	return error ? error : submit_check_slot(queues, message);
}
