/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sms://inbox: what came in last. It changes when a message comes in or is marked as read.
 */
#include "tools/resource_message_page.h"
#include "tools/resource_table.h"

enum { MESSAGES = 20 };

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	const struct message_page page = {
		.filter.incoming_only = true,
		.limit = MESSAGES,
	};

	return message_page_write(call, &page, writer);
}

const struct resource resource_inbox = {
	.uri = "sms://inbox",
	.name = "inbox",
	.title = "Received messages",
	.description = "The 20 messages that came in last, newest first, with "
		       "wait_cursor for wait_for_sms; list_sms gives the older ones. "
		       "Subscribe to it to hear of new messages.",
	.scopes = CLIENT_READ,
	.write = write_content,
};
