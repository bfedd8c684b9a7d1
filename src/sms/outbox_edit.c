/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Editing a message that waits in the gateway: the disk first, then memory. The message keeps
 * its place in the queue of its SIM. Its deadlines begin anew, by the clock of now.
 *
 * Once a message is claimed its row says submitting, and an edit comes too late. Submitting
 * and editing happen in one thread, so no version is sent that is not on disk, and none after
 * an edit that replaced it (tests/integration/test_edit_sms.py).
 */
#include "base/log.h"
#include "sms/outbox_private.h"
#include "store/store_edit.h"

/* A message whose deadline has just passed expires first. Returns NULL if it is too late. */
static struct outbox_message *outbox_edit_find(struct outbox *outbox, int64_t message_id)
{
	struct outbox_message *message;

	outbox_deadlines_run(&outbox->deadlines);
	message = sim_queues_find(&outbox->queues, message_id, NULL);
	return message && message->stage == STAGE_WAITING ? message : NULL;
}

int outbox_edit(struct outbox *outbox, const struct message *former,
		const struct store_message_draft *draft, bool keeps_time)
{
	int64_t message_id = former->id;
	struct outbox_message *message = outbox_edit_find(outbox, message_id);
	struct store_message_draft edited = *draft;
	const struct message row = {
		.created_ms = draft->created_ms,
		.send_at_ms = draft->send_at_ms,
		.expires_at_ms = draft->expires_at_ms,
		.flags = outbox_approval_ends(draft) ? MESSAGE_ENDS_APPROVAL : 0,
	};
	int error;

	if (!message)
		return OUTBOX_E_TOO_LATE;
	if (!outbox_has_storage(outbox))
		return OUTBOX_E_STORAGE;
	edited.ends_approval = row.flags & MESSAGE_ENDS_APPROVAL;
	error = store_edit_message(outbox->store, message_id, &edited, keeps_time);
	if (error)
		return outbox_result(error, OUTBOX_E_TOO_LATE);
	outbox_deadline_read(message, &row);
	outbox_step_edit(message, &edited, former->number);
	if (message->state == STATE_WAITING_APPROVAL)
		log_info("outbox: message %lld waits for approval: " PROGRAM_NAME
			 " approve %lld.%u",
			 (long long)message_id, (long long)message_id, message->revision);
	return 0;
}
