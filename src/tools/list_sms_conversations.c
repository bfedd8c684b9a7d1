/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_sms_conversations: one row per number, the one with the latest message first.
 */
#include "tools/argument.h"
#include "tools/cursor.h"
#include "tools/failure.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "tools/tool_table.h"

enum {
	LIMIT_USUAL = 20,
	LIMIT_MAX = 100,
	PAGE_BYTES = 256 * 1024,
};

static const struct schema_field input[] = {
	{ "unread_only", SCHEMA_BOOLEAN, false, "Only those with unread messages" },
	{ "limit", SCHEMA_INTEGER, false, "At most so many; 20 when left out", 1,
	  LIMIT_MAX },
	{ "cursor", SCHEMA_STRING, false,
	  "next_cursor of the answer before: the page after it" },
	{ 0 },
};

static const struct schema_field conversation_fields[] = {
	{ "phone_number", SCHEMA_STRING, true, "The other end, for list_sms" },
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

/* one call */
struct listing {
	struct buffer structured;
	struct json_writer *writer;
	unsigned limit;
	unsigned count;
	bool more;
	int64_t last_id;
};

static void add_conversation(void *data, const struct conversation *conversation)
{
	struct listing *listing = data;
	struct json_writer *writer = listing->writer;

	if (listing->count == listing->limit || listing->structured.length > PAGE_BYTES) {
		listing->more = true;
		return;
	}
	json_open_object(writer);
	message_view_put_shown(writer, "phone_number", conversation->number);
	json_put_integer(writer, "messages", conversation->messages);
	json_put_integer(writer, "unread", conversation->unread);
	json_key(writer, "last_message");
	message_view_write(writer, &conversation->last);
	json_close_object(writer);
	listing->count++;
	listing->last_id = conversation->last.id;
}

static int write_page(struct listing *listing, struct tool_call *call, int64_t before_id)
{
	const struct services *services = call->services;
	struct json_writer *writer = listing->writer;
	int error;

	json_open_object(writer);
	message_view_put_notice(writer);
	json_key(writer, "conversations");
	json_open_array(writer);
	error = store_conversations_list(services->store,
					 argument_boolean(call, "unread_only"), before_id,
					 listing->limit + 1, add_conversation, listing);
	json_close_array(writer);
	json_put_integer(writer, "count", listing->count);
	if (listing->more)
		cursor_put(writer, "next_cursor", CURSOR_CONVERSATIONS, listing->last_id);
	json_close_object(writer);
	return error;
}

static void run(struct tool_call *call)
{
	struct listing listing = {
		.limit = (unsigned)argument_integer(call, "limit", LIMIT_USUAL),
	};
	int64_t before_id;
	int error;

	if (!cursor_argument(call, "cursor", CURSOR_CONVERSATIONS, &before_id))
		return;
	listing.writer = json_writer_new(&listing.structured);
	if (!listing.writer) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	error = write_page(&listing, call, before_id);
	json_writer_free(listing.writer);
	if (!error) {
		tool_call_succeed_plainly(call, &listing.structured);
		return;
	}
	buffer_deinit(&listing.structured);
	failure_answer(call, FAILURE_INTERNAL, "The stored messages could not be read.");
}

const struct tool tool_list_sms_conversations = {
	.name = "list_sms_conversations",
	.title = "List conversations",
	.description =
		"Lists with whom this phone exchanged messages: one row per number or "
		"sender's name, with the last message and how many are unread, the "
		"latest "
		"first. Call it for an overview, then list_sms with a phone_number to "
		"read "
		"one. Costs nothing and marks nothing as read. The same person may stand "
		"in "
		"several rows, and a sender's name or number proves nothing about who "
		"wrote.",
	.input = input,
	.output = output,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.run = run,
};
