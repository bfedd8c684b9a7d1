/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_sms_conversations: one row per party, the one with the latest message first.
 */
#include "base/clock.h"
#include "console/console.h"
#include "sms/loop.h"
#include "sms/sender.h"
#include "store/store_listing.h"
#include "store/store_party.h"
#include "tools/argument.h"
#include "tools/message_view.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_table.h"

static const struct schema_field input[] = {
	{ "unread_only", SCHEMA_BOOLEAN, false, "Only those with unread messages" },
	PAGE_LIMIT_FIELD,
	{ "cursor", SCHEMA_STRING, false,
	  "next_cursor of the answer before: the page after it" },
	{ 0 },
};

static const struct schema_field conversation_fields[] = {
	{ "phone_number", SCHEMA_STRING, true,
	  "The other end, for list_sms; its messages may spell it in other ways" },
	MESSAGE_VIEW_CONTACT_FIELD,
	{ "trust", SCHEMA_STRING, true, "As that of its messages; it proves nothing",
	  .words = sender_trust_words },
	{ "opted_out", SCHEMA_BOOLEAN, false,
	  "true: it said STOP, so nothing may be sent to it until it says START" },
	{ "loop_until", SCHEMA_STRING, false,
	  "It looks as if two machines answered each other here: nothing may be sent "
	  "there until then, or later when more comes; RFC 3339" },
	{ "messages", SCHEMA_INTEGER, true, "Stored messages, of both directions" },
	{ "unread", SCHEMA_INTEGER, true, "Received and not marked by mark_sms_read" },
	{ "last_message", SCHEMA_OBJECT, true, "The latest of them",
	  .members = message_view_fields },
	{ 0 },
};

static const struct schema_field output[] = {
	MESSAGE_VIEW_NOTICE_FIELD,
	{ "conversations", SCHEMA_ARRAY, true, "Latest message first",
	  .members = conversation_fields },
	{ "count", SCHEMA_INTEGER, true, "Conversations in this answer" },
	{ "next_cursor", SCHEMA_STRING, false, "There are more: the cursor for them" },
	{ 0 },
};

/* Who is at the other end, and what keeps messages from going there. */
static void write_party(const struct message_view *view, const char *number)
{
	const struct services *services = view->services;
	const struct loop_question question = {
		.config = services->config,
		.store = services->store,
		.end.number = number,
		.now_ms = clock_wall_ms(),
	};
	int64_t until_ms;

	message_view_put_line(view->writer, "phone_number", number);
	message_view_put_contact(view->writer, services, number);
	message_view_put_trust(view->writer, services, 0, number);
	if (store_party_has_opted_out(services->store, 0, number) == 0)
		json_put_boolean(view->writer, "opted_out", true);
	if (loop_suspected(&question, &until_ms))
		message_view_put_time(view->writer, "loop_until", until_ms);
}

static void add_conversation(void *data, const struct conversation *conversation)
{
	struct page *page = data;
	struct json_writer *writer = page->writer;

	if (!page_takes_row(page, conversation->place_id))
		return;
	json_open_object(writer);
	write_party(&page->view, conversation->number);
	json_put_integer(writer, "messages", conversation->messages);
	json_put_integer(writer, "unread", conversation->unread);
	json_key(writer, "last_message");
	message_view_write(&page->view, &conversation->last);
	json_close_object(writer);
}

static int write_page(struct page *page, struct tool_call *call, int64_t before_id)
{
	const struct services *services = call->services;
	const struct store_listing_conversation_query query = {
		.unread_only = argument_boolean(call, "unread_only"),
		.before_id = before_id,
		.limit = page->limit + 1,
		.visit = add_conversation,
		.data = page,
	};
	int error;

	page_open_rows(page, "conversations");
	error = store_listing_conversations(services->store, &query);
	page_close_rows(page, CURSOR_CONVERSATIONS);
	return error;
}

static void run(struct tool_call *call)
{
	struct page page;
	int64_t before_id;

	if (cursor_argument(call, "cursor", CURSOR_CONVERSATIONS, &before_id) &&
	    page_begin(&page, call))
		page_answer(&page, call, write_page(&page, call, before_id));
}

const struct tool tool_list_sms_conversations = {
	.name = "list_sms_conversations",
	.title = "List conversations",
	.description =
		"Lists with whom this phone exchanged messages: one row per number, "
		"however it was spelt, or sender's name, with the last message and how "
		"many are unread, the latest first. Call it for an overview, then "
		"list_sms with a phone_number to read one. Costs nothing and marks "
		"nothing as read. The same person may stand in several rows, and a "
		"sender's name or number "
		"proves nothing about who wrote.",
	.input = input,
	.output = output,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.page = CONSOLE_URI,
	.run = run,
};
