/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/approval.h"

#define MS_PER_HOUR (INT64_C(60) * 60 * 1000)

const char approval_by_owner[] = "approved_by_owner";
const char approval_by_person[] = "approved_by_person";

int64_t approval_wait_ms(const struct config *config)
{
	return config->approval_hours * MS_PER_HOUR;
}

int64_t approval_awaited_until(const struct config *config, const struct message *message)
{
	int64_t until_ms = message->created_ms + approval_wait_ms(config);

	return message->expires_at_ms && message->expires_at_ms < until_ms
		       ? message->expires_at_ms
		       : until_ms;
}

int64_t approval_expiry(int64_t yes_ms, int64_t send_at_ms, int64_t expires_at_ms)
{
	int64_t from_ms = send_at_ms > yes_ms ? send_at_ms : yes_ms;
	int64_t until_ms = from_ms + APPROVAL_GOOD_MS;

	return expires_at_ms && expires_at_ms < until_ms ? expires_at_ms : until_ms;
}

static void note_id(void *data, const struct message *message)
{
	struct approvals_page *page = data;

	if (message->state != STATE_WAITING_APPROVAL || message->id <= page->after_id)
		return;
	page->waiting++;
	if (page->listed < APPROVALS_PAGE)
		page->ids[page->listed++] = message->id;
}

int approvals_page_read(struct store *store, int64_t after_id,
			struct approvals_page *page_out)
{
	*page_out = (struct approvals_page){ .after_id = after_id };
	return store_messages_unfinished(store, note_id, page_out);
}
