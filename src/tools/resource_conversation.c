/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sms://conversation/{number}: the messages with one number, or with a sender's name.
 */
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "numbers/phone_number.h"
#include "store/store_listing.h"
#include "store/store_party.h"
#include "tools/resource_message_page.h"
#include "tools/resource_table.h"
#include "tools/services.h"

enum {
	MESSAGES = 50,
	CONVERSATIONS = 1000, /* that are looked at for a completion */
	CHARACTERS_MAX = 64,
};

/*
 * The one spelling of a number, or a name as it was written, or as it is shown; there need be
 * no message.
 */
static const char *spell(const struct resource_call *call)
{
	const struct services *services = call->services;
	char *name = arena_copy(call->arena, call->value, strlen(call->value));
	char number[PHONE_NUMBER_BYTES], form[NUMBER_FORM_BYTES];
	bool is_number = phone_number_parse(call->value, number) == PHONE_NUMBER_OK;

	if (store_party_write(services->store, is_number ? number : call->value, form))
		return arena_copy(call->arena, form, strlen(form));
	if (!name)
		return NULL;
	escape_undo(name);
	return utf8_cut(name, CHARACTERS_MAX) == strlen(name) ? name : NULL;
}

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	const struct message_page page = {
		.filter.number = call->value,
		.limit = MESSAGES,
		.needed = true,
	};

	return message_page_write(call, &page, writer);
}

struct proposing {
	const struct resource_call *call;
	struct resource_completion *completion;
};

/* Whoever types 36 or 06 may mean +36. */
static bool may_mean(const struct proposing *proposing, const char *number)
{
	const struct services *services = proposing->call->services;
	const char *typed = proposing->call->value;
	size_t length = strlen(typed);
	struct store_party party;

	if (strncmp(number, typed, length) == 0)
		return true;
	store_party_spell(services->store, 0, number, &party);
	for (size_t i = 0; i < party.count; i++) {
		if (strncmp(party.spellings[i], typed, length) == 0)
			return true;
	}
	return false;
}

/* What would have to be shown in another way is not proposed. */
static void propose(void *data, const struct conversation *conversation)
{
	struct proposing *proposing = data;
	const char *number = conversation->number;

	if (may_mean(proposing, number) && *number && escape_is_plain(number))
		resource_add_completion(proposing->completion, number);
}

static int complete(const struct resource_call *call,
		    struct resource_completion *completion)
{
	const struct services *services = call->services;
	struct proposing proposing = { call, completion };
	const struct store_listing_conversation_query query = {
		.limit = CONVERSATIONS,
		.visit = propose,
		.data = &proposing,
	};

	return store_listing_conversations(services->store, &query);
}

const struct resource resource_conversation = {
	.uri = "sms://conversation/",
	.variable = "number",
	.name = "conversation",
	.title = "Messages with one number",
	.description =
		"The last 50 messages with a phone number, however it is spelt, or with "
		"a sender's name as it is written, newest first. Subscribe to it to hear "
		"of new ones and of their states.",
	.scopes = CLIENT_READ,
	.spell = spell,
	.write = write_content,
	.complete = complete,
};
