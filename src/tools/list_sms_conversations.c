/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_sms_conversations: one row per number or sender's name, latest message first.
 */
#include <string.h>

#include "base/clock.h"
#include "console/console.h"
#include "sms/reply_loop.h"
#include "sms/sender.h"
#include "store/store_listing.h"
#include "store/store_party.h"
#include "tools/argument.h"
#include "tools/message_view.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_table.h"

static const struct schema_field list_sms_conversations_input[] = {
	{ "unread_only", SCHEMA_BOOLEAN, false, "Only those with unread messages" },
	VIEW_SERVICE_FIELD,
	PAGE_LIMIT_FIELD,
	{ "cursor", SCHEMA_STRING, false, "next_cursor from the previous page" },
	{ 0 },
};

static const struct schema_field list_sms_conversations_row[] = {
	{ "phone_number", SCHEMA_STRING, true,
	  "The other end, for list_sms; its messages may spell it differently" },
	VIEW_CONTACT_FIELD,
	{ "trust", SCHEMA_STRING, false, "As in list_sms; it proves nothing",
	  .words = sender_trust_words },
	{ "opted_out", SCHEMA_BOOLEAN, false,
	  "true: it texted STOP, so nothing may be sent to it until it texts START" },
	{ "loop_until", SCHEMA_STRING, false,
	  "Looks like two machines answering each other: nothing may be sent there until "
	  "then, or later if more comes; RFC 3339" },
	{ "messages", SCHEMA_INTEGER, true, "Stored messages, both directions" },
	{ "unread", SCHEMA_INTEGER, false,
	  "Received and not marked by mark_sms_read; left out: none" },
	{ "last_message", SCHEMA_OBJECT, true,
	  "The latest of them, with from or to only if the number is spelled differently",
	  .members = message_view_fields },
	{ 0 },
};

static const struct schema_field list_sms_conversations_output[] = {
	VIEW_NOTICE_FIELD,
	{ "conversations", SCHEMA_ARRAY, true, "Latest message first",
	  .members = list_sms_conversations_row },
	{ "count", SCHEMA_INTEGER, true, "Conversations in this answer" },
	{ "next_cursor", SCHEMA_STRING, false, "The cursor of the next page" },
	VIEW_RECORDS_FIELD,
	{ 0 },
};

/* Writes the other end, and what stops messages to it. */
static void list_sms_conversations_put_party(const struct view *view, const char *number)
{
	const struct services *services = view->services;
	const struct reply_loop_question question = {
		.config = services->config,
		.store = services->store,
		.end.number = number,
		.now_ms = clock_wall_ms(),
	};
	struct reply_loop loop;

	view_put_line(view->writer, "phone_number", number);
	view_put_contact(view->writer, services, number);
	view_put_trust(view->writer, services, 0, number);
	if (store_party_has_opted_out(services->store, 0, number) == 0)
		json_put_boolean(view->writer, "opted_out", true);
	if (reply_loop_suspected(&question, &loop))
		view_put_time(view->writer, "loop_until", clock_ceil_ms(loop.until_ms));
}

static void list_sms_conversations_add(void *data,
				       const struct conversation *conversation)
{
	struct page *page = data;
	struct json_writer *writer = page->writer;

	if (!page_takes_row(page, conversation->place_id))
		return;
	json_open_object(writer);
	list_sms_conversations_put_party(&page->view, conversation->number);
	json_put_integer(writer, "messages", conversation->messages);
	if (conversation->unread)
		json_put_integer(writer, "unread", conversation->unread);
	json_key(writer, "last_message");
	if (strcmp(conversation->last.number, conversation->number) == 0)
		message_view_write_without_party(&page->view, &conversation->last);
	else
		message_view_write(&page->view, &conversation->last);
	json_close_object(writer);
	page_keeps_row(page);
}

static void list_sms_conversations_run(struct tool_call *call)
{
	struct page page;
	struct store_listing_conversation_query query = {
		.unread_only = argument_boolean(call, "unread_only"),
		.without_service = view_leaves_out_service(call),
		.visit = list_sms_conversations_add,
		.data = &page,
	};
	int error;

	if (!cursor_argument(call, "cursor", CURSOR_CONVERSATIONS, &query.before_id) ||
	    !page_begin(&page, call))
		return;
	query.limit = page.limit + 1;
	json_open_array_at(page.writer, "conversations");
	error = store_listing_conversations(call->services->store, &query);
	page_close_rows(&page, CURSOR_CONVERSATIONS);
	if (!page.more)
		view_put_records_since(page.writer, call->services->store, 0);
	page_answer(&page, call, error);
}

const struct tool tool_list_sms_conversations = {
	.name = "list_sms_conversations",
	.title = "List conversations",
	.description =
		"List one row per phone number or sender's name, with the last message "
		"and the number of unread ones, latest first. Read one with list_sms "
		"and its phone_number.",
	.input = list_sms_conversations_input,
	.output = list_sms_conversations_output,
	.listed = (const char *const[]){ "conversations", "next_cursor", NULL },
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.page = CONSOLE_URI,
	.run = list_sms_conversations_run,
};
