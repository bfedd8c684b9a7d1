/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sms://inbox: the last received messages. Changes when a message is received or marked as
 * read.
 * sms://message/{id}: one message, in or out. Changes with its state.
 * sms://conversation/{number}: the messages with one number, or with a sender's name.
 *
 * A subscription is matched by the URI's text, so a variable has one spelling: an ID without
 * sign or leading zeros, a number in the form that the store compares. change_source.c uses
 * the same spelling.
 */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "numbers/phone_number.h"
#include "store/store_listing.h"
#include "store/store_party.h"
#include "tools/message_view.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_table.h"

enum {
	RESOURCE_MESSAGE_INBOX_LIMIT = 20,
	RESOURCE_MESSAGE_CONVERSATION_LIMIT = 50,
	/* how many are read at most to get past service texts */
	RESOURCE_MESSAGE_PIECES = 100,
	RESOURCE_MESSAGE_COMPLETION_LIMIT = 1000, /* conversations that are read for it */
	RESOURCE_MESSAGE_NAME_CHARACTERS = 64,
	RESOURCE_MESSAGE_ID_DIGITS = 18,
};

static bool resource_message_add(void *data, const struct message *message)
{
	struct page *page = data;

	if (!page_takes_row(page, message->id))
		return false;
	message_view_write(&page->view, message);
	return page_keeps_row(page);
}

/*
 * Writes {"notice":...,"messages":[...],"count":N,"more":...,"wait_cursor":...}: the newest
 * messages that pass the filter. *count_out is how many. Returns 0 or -errno.
 */
static int resource_message_write_page(const struct resource_call *call,
				       struct json_writer *writer,
				       const struct store_listing_filter *filter,
				       unsigned limit, unsigned *count_out)
{
	struct store *store = call->services->store;
	struct view_contacts contacts = { 0 };
	struct page page;
	struct store_listing_query look = {
		.filter = *filter,
		.visit = resource_message_add,
		.data = &page,
	};
	int64_t newest_id;
	unsigned pieces = 0;
	/* before the messages: what arrives later is found with the cursor */
	int error = store_message_newest(store, &newest_id);

	if (error)
		return error;
	look.filter.without_service = true;
	page_begin_resource(&page, call, writer, limit);
	page.view.contacts = &contacts;
	json_open_array_at(writer, "messages");
	/* one row more than the limit shows whether there are more */
	do
		error = store_listing_messages(store, &look, limit + 1);
	while (error == STORE_E_MORE && ++pieces < RESOURCE_MESSAGE_PIECES);
	page.more |= error == STORE_E_MORE;
	json_close_array(writer);
	view_put_contacts(&page.view);
	json_put_integer(writer, "count", page.room.rows);
	json_put_boolean(writer, "more", page.more);
	if (!page.more)
		view_put_records_since(writer, store, 0);
	cursor_put(writer, "wait_cursor", CURSOR_ARRIVALS, newest_id);
	json_close_object(writer);
	*count_out = page.room.rows;
	return error < 0 ? error : 0;
}

static int resource_message_write_inbox(const struct resource_call *call,
					struct json_writer *writer)
{
	const struct store_listing_filter filter = { .incoming_only = true };
	unsigned count;

	return resource_message_write_page(call, writer, &filter,
					   RESOURCE_MESSAGE_INBOX_LIMIT, &count);
}

const struct resource resource_inbox = {
	.uri = "sms://inbox",
	.name = "inbox",
	.title = "Received messages",
	.description = "The last 20 received messages, newest first, "
		       "with wait_cursor for wait_for_sms; list_sms has "
		       "older ones. Subscribe to learn of new messages.",
	.scopes = CLIENT_READ,
	.write = resource_message_write_inbox,
};

/* Returns 0 if it is not a message ID */
static int64_t resource_message_read_id(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (text[digits] || !digits || digits > RESOURCE_MESSAGE_ID_DIGITS ||
	    text[0] == '0')
		return 0;
	return strtoll(text, NULL, 10);
}

/* Returns 0, -errno or RESOURCE_E_NOT_FOUND */
static int resource_message_get(const struct resource_call *call,
				struct message *message_out)
{
	int error = store_message_get(call->services->store,
				      resource_message_read_id(call->value), call->arena,
				      message_out);

	return error == STORE_E_NOT_FOUND ? RESOURCE_E_NOT_FOUND : error;
}

static const char *resource_message_spell_id(const struct resource_call *call)
{
	struct message message;

	return resource_message_read_id(call->value) &&
			       resource_message_get(call, &message) == 0
		       ? call->value
		       : NULL;
}

static int resource_message_write(const struct resource_call *call,
				  struct json_writer *writer)
{
	const struct view view = view_of_resource(call, writer);
	struct message message;
	int error = resource_message_get(call, &message);

	if (error)
		return error;
	message.reason = message_view_reason(call->services, &message);
	json_open_object(writer);
	view_put_notice(writer);
	json_key(writer, "message");
	message_view_write(&view, &message);
	json_close_object(writer);
	return 0;
}

const struct resource resource_message = {
	.uri = "sms://message/",
	.variable = "id",
	.name = "message",
	.title = "One message",
	.description = "A received or sent message by its message_id. Subscribe to learn "
		       "when its state changes; get_sms_status has its history.",
	.scopes = CLIENT_READ,
	.spell = resource_message_spell_id,
	.write = resource_message_write,
};

/* Returns a number's one spelling, or a sender's name, written plainly or escaped. */
static const char *resource_message_spell_party(const struct resource_call *call)
{
	char *name = arena_copy(call->arena, call->value, strlen(call->value));
	char number[PHONE_NUMBER_BYTES], form[NUMBER_FORM_BYTES];
	bool is_number = phone_number_parse(call->value, number) == PHONE_NUMBER_OK;

	if (store_party_write(call->services->store, is_number ? number : call->value,
			      form))
		return arena_copy(call->arena, form, strlen(form));
	if (!name)
		return NULL;
	escape_undo(name);
	return utf8_cut(name, RESOURCE_MESSAGE_NAME_CHARACTERS) == strlen(name) ? name
										: NULL;
}

/* A conversation without a message does not exist. */
static int resource_message_write_conversation(const struct resource_call *call,
					       struct json_writer *writer)
{
	const struct store_listing_filter filter = { .number = call->value };
	unsigned count = 0;
	int error = resource_message_write_page(
		call, writer, &filter, RESOURCE_MESSAGE_CONVERSATION_LIMIT, &count);

	return error || count ? error : RESOURCE_E_NOT_FOUND;
}

struct resource_message_completion {
	const struct resource_call *call;
	struct resource_completion *completion;
};

/* A user who types 36 or 06 may mean +36. */
static bool resource_message_completes(const struct resource_call *call,
				       const char *number)
{
	const char *typed = call->value;
	size_t length = strlen(typed);
	struct store_party party;

	if (strncmp(number, typed, length) == 0)
		return true;
	store_party_spell(call->services->store, 0, number, &party);
	for (size_t i = 0; i < party.count; i++) {
		if (strncmp(party.spellings[i], typed, length) == 0)
			return true;
	}
	return false;
}

/* Names that would have to be escaped are not suggested. */
static void resource_message_suggest(void *data, const struct conversation *conversation)
{
	struct resource_message_completion *completion = data;
	const char *number = conversation->number;

	if (*number && resource_message_completes(completion->call, number) &&
	    escape_is_plain(number))
		resource_add_completion(completion->completion, number);
}

static int resource_message_complete(const struct resource_call *call,
				     struct resource_completion *completion)
{
	struct resource_message_completion data = { call, completion };
	const struct store_listing_conversation_query query = {
		.without_service = true,
		.limit = RESOURCE_MESSAGE_COMPLETION_LIMIT,
		.visit = resource_message_suggest,
		.data = &data,
	};

	return store_listing_conversations(call->services->store, &query);
}

const struct resource resource_conversation = {
	.uri = "sms://conversation/",
	.variable = "number",
	.name = "conversation",
	.title = "Messages with one number",
	.description = "The last 50 messages with a phone number in any spelling, or "
		       "with a sender's exact name, newest first. Subscribe to learn of "
		       "new ones and of state changes.",
	.scopes = CLIENT_READ,
	.spell = resource_message_spell_party,
	.write = resource_message_write_conversation,
	.complete = resource_message_complete,
};
