/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An approval is for one revision of a row: number and text change only with the revision,
 * the SIM never, and each revision leaves waiting_approval once. The decision is on disk
 * before anybody is notified
 * (tests/integration/test_approval.py, scenario Approve of the crash matrix).
 */
#include "sms/outbox.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "sms/outbox_private.h"
#include "store/store_message.h"

int64_t outbox_approval_expiry(int64_t approved_ms, int64_t send_at_ms,
			       int64_t expires_at_ms)
{
	int64_t from_ms = send_at_ms > approved_ms ? send_at_ms : approved_ms;
	int64_t until_ms = from_ms + OUTBOX_APPROVAL_VALID_MS;

	return expires_at_ms && expires_at_ms < until_ms ? expires_at_ms : until_ms;
}

int64_t outbox_approval_until(const struct outbox *outbox, const struct config *config,
			      const struct message *row)
{
	const struct outbox_message *message =
		outbox ? sim_queues_find(&outbox->queues, row->id, NULL) : NULL;
	int64_t asked_ms =
		row->state == STATE_WAITING_APPROVAL && row->changed_ms > row->created_ms
			? row->changed_ms
			: row->created_ms;
	int64_t until_ms = asked_ms + outbox_deadline_approval_wait_ms(config);

	if (message && message->state == STATE_WAITING_APPROVAL)
		return outbox_deadline_end(message, config);
	return row->expires_at_ms && row->expires_at_ms < until_ms ? row->expires_at_ms
								   : until_ms;
}

bool outbox_approval_ends(const struct store_message_draft *draft)
{
	return draft->reason && strcmp(draft->reason, outbox_approval_by_user) == 0 &&
	       draft->expires_at_ms ==
		       outbox_approval_expiry(draft->created_ms, draft->send_at_ms, 0);
}

/* A message whose deadline has just passed expires first. Returns NULL if it does not wait. */
static struct outbox_message *outbox_approval_find(struct outbox *outbox,
						   int64_t message_id)
{
	struct outbox_message *message;

	outbox_deadlines_run(&outbox->deadlines);
	message = sim_queues_find(&outbox->queues, message_id, NULL);
	return message && message->state == STATE_WAITING_APPROVAL ? message : NULL;
}

int outbox_approval_give(struct outbox *outbox, int64_t message_id, unsigned revision,
			 const char *who)
{
	struct outbox_message *message = outbox_approval_find(outbox, message_id);
	int64_t now_ms = clock_wall_ms(), send_at_ms, validity_ms;
	struct outbox_deadline before;
	int error;

	if (!message)
		return OUTBOX_E_NOT_WAITING;
	if (message->revision != revision)
		return OUTBOX_E_EDITED;
	before = message->deadline;
	send_at_ms = before.send_at_ms;
	validity_ms = before.expires_at_ms ? outbox_deadline_expiry(message) : 0;
	outbox_deadline_approve(message, now_ms,
				outbox_approval_expiry(now_ms, send_at_ms, validity_ms));
	log_info("outbox: message %lld: approved by %s", (long long)message_id, who);
	error = outbox_step_approve(message, who, now_ms);
	if (error)
		message->deadline = before;
	return outbox_result(error, OUTBOX_E_NOT_WAITING);
}

int outbox_approval_reject(struct outbox *outbox, int64_t message_id, const char *who,
			   const char *words)
{
	struct outbox_message *message = outbox_approval_find(outbox, message_id);

	if (!message)
		return OUTBOX_E_NOT_WAITING;
	log_info("outbox: message %lld: rejected by %s", (long long)message_id, who);
	return outbox_result(outbox_step_reject(message, who, words),
			     OUTBOX_E_NOT_WAITING);
}

static void outbox_approval_list(void *data, const struct message *message)
{
	struct outbox_approval_page *page = data;

	if (message->state != STATE_WAITING_APPROVAL || message->id <= page->after_id)
		return;
	page->waiting++;
	if (page->listed < OUTBOX_APPROVAL_PAGE)
		page->ids[page->listed++] = message->id;
}

int outbox_approval_page_read(struct store *store, int64_t after_id,
			      struct outbox_approval_page *page_out)
{
	*page_out = (struct outbox_approval_page){ .after_id = after_id };
	return store_message_list_unfinished(store, outbox_approval_list, page_out);
}
