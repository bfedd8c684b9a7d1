/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find_contact: whom the owner knows by name, from the SIM cards and the owner's file.
 *
 * A client that may only write to some numbers, or use some SIMs, sees no others here.
 */
#include <string.h>

#include "base/escape.h"
#include "phone/contact_query.h"
#include "store/store_party.h"
#include "tools/argument.h"
#include "tools/failure.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_table.h"

static const struct schema_field input[] = {
	{ "name", SCHEMA_STRING, false,
	  "Words or parts of words that all stand in the name, in any order, whatever "
	  "their case and accents; all contacts when neither this nor phone_number is "
	  "given" },
	{ "phone_number", SCHEMA_STRING, false,
	  "Whose number it is, in any form: +36201234567 or as it is dialled at home" },
	PAGE_LIMIT_FIELD,
	{ "cursor", SCHEMA_STRING, false,
	  "next_cursor of the answer before: the page after it" },
	{ 0 },
};

static const char *const sources[] = { "file", "sim", NULL };

static const struct schema_field contact_fields[] = {
	{ "name", SCHEMA_STRING, true, "What is invisible in it is written out" },
	{ "phone_numbers", SCHEMA_ARRAY, true, "As send_sms takes them",
	  .items = SCHEMA_STRING },
	{ "source", SCHEMA_STRING, true, "file: the owner's; sim: a SIM card",
	  .words = sources },
	{ "subscription_id", SCHEMA_INTEGER, false, "sim: which one" },
	{ 0 },
};

static const struct schema_field output[] = {
	MESSAGE_VIEW_NOTICE_FIELD,
	{ "contacts", SCHEMA_ARRAY, true, "The owner's file first, then SIM by SIM",
	  .members = contact_fields },
	{ "count", SCHEMA_INTEGER, true, "Contacts in this answer" },
	{ "next_cursor", SCHEMA_STRING, false, "There are more: the cursor for them" },
	{ "incomplete", SCHEMA_BOOLEAN, false,
	  "true: a SIM card or the file has more contacts than the gateway keeps, so one "
	  "that is not listed may exist" },
	{ 0 },
};

struct search {
	struct tool_call *call;
	const struct services *services;
	const struct contact_book *book;
	bool by_name, by_number;
	struct contact_query query;
	struct store_party party;
	size_t start; /* position */
	struct page page;
};

/* ---- what is asked for */

static bool read_name(struct search *search)
{
	struct tool_call *call = search->call;
	const char *shown = argument_text(call, "name");
	char *name = shown ? arena_copy(call->arena, shown, strlen(shown)) : NULL;

	if (!shown)
		return true;
	search->by_name = true;
	if (name)
		escape_undo(name);
	if (name && contact_query_read(&search->query, name))
		return true;
	failure_answer(call, FAILURE_INVALID_ARGUMENTS,
		       name ? "name is longer than any name here." : NULL);
	return false;
}

static bool read_number(struct search *search)
{
	struct tool_call *call = search->call;
	const char *number = argument_party(call, "phone_number");

	if (!argument_text(call, "phone_number"))
		return true;
	search->by_number = true;
	if (number)
		store_party_spell(search->services->store, 0, number, &search->party);
	if (number && search->party.count)
		return true;
	failure_answer(call, FAILURE_INVALID_NUMBER,
		       number ? "phone_number is no number; a name goes into name."
			      : NULL);
	return false;
}

/* A cursor is a position in one edition of the book. */
static int64_t place_of(const struct search *search, size_t position)
{
	return (int64_t)(contact_book_edition(search->book) & INT32_MAX) << 32 |
	       (int64_t)position;
}

static bool read_cursor(struct search *search)
{
	int64_t place;

	if (!cursor_argument(search->call, "cursor", CURSOR_CONTACTS, &place))
		return false;
	search->start = (size_t)(place & UINT32_MAX);
	if (!place || place >> 32 == place_of(search, 0) >> 32)
		return true;
	failure_answer(
		search->call, FAILURE_INVALID_ARGUMENTS,
		"cursor: the contacts were read again since; begin anew without it.");
	return false;
}

/* ---- what is found */

static bool has_number(const struct contact *contact, const struct store_party *party)
{
	for (unsigned i = 0; i < contact->count; i++) {
		for (size_t at = 0; at < party->count; at++) {
			if (strcmp(contact->numbers[i], party->spellings[at]) == 0)
				return true;
		}
	}
	return false;
}

static bool may_see_number(const struct search *search, const char *number)
{
	return policy_allows_number(search->services->policy, search->call->client,
				    number);
}

static bool may_see(const struct search *search, const struct contact *contact)
{
	if (contact->sim_id && !policy_allows_sim(search->call->client, contact->sim_id))
		return false;
	for (unsigned i = 0; i < contact->count; i++) {
		if (may_see_number(search, contact->numbers[i]))
			return true;
	}
	return false;
}

static bool fits(const struct search *search, const struct contact *contact)
{
	return (!search->by_number || has_number(contact, &search->party)) &&
	       (!search->by_name || contact_query_fits(&search->query, contact->name)) &&
	       may_see(search, contact);
}

static void write_contact(const struct search *search, const struct contact *contact)
{
	struct json_writer *writer = search->page.writer;

	json_open_object(writer);
	message_view_put_line(writer, "name", contact->name);
	json_key(writer, "phone_numbers");
	json_open_array(writer);
	for (unsigned i = 0; i < contact->count; i++) {
		if (may_see_number(search, contact->numbers[i]))
			json_write_string(writer, contact->numbers[i]);
	}
	json_close_array(writer);
	json_put_string(writer, "source", sources[contact->sim_id != 0]);
	if (contact->sim_id)
		json_put_integer(writer, "subscription_id", contact->sim_id);
	json_close_object(writer);
}

static void answer(struct search *search)
{
	struct page *page = &search->page;
	size_t count = contact_book_count(search->book);

	if (!page_begin(page, search->call))
		return;
	page_open_rows(page, "contacts");
	for (size_t at = search->start; at < count && !page->more; at++) {
		const struct contact *contact = contact_book_at(search->book, at);

		if (fits(search, contact) &&
		    page_takes_row(page, place_of(search, at + 1)))
			write_contact(search, contact);
	}
	page_close_rows(page, CURSOR_CONTACTS);
	if (contacts_are_cut(search->services->contacts))
		json_put_boolean(page->writer, "incomplete", true);
	page_answer(page, search->call, 0);
}

static void run(struct tool_call *call)
{
	const struct services *services = call->services;
	struct search search = {
		.call = call,
		.services = services,
		.book = contacts_book(services->contacts),
	};

	if (read_name(&search) && read_number(&search) && read_cursor(&search))
		answer(&search);
}

static bool usable(const struct services *services)
{
	return services->contacts && contacts_are_wanted(services->config);
}

const struct tool tool_find_contact = {
	.name = "find_contact",
	.title = "Find a contact",
	.description =
		"Finds people whom the owner knows, by name or by number, with all their "
		"phone numbers: from the SIM cards and from the owner's address book. "
		"Call it before send_sms when you have a name and no number, and ask "
		"your person when several fit. Costs nothing and changes nothing. A name "
		"says whom the owner keeps under that number, and proves nothing about "
		"who writes from it.",
	.input = input,
	.output = output,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.usable = usable,
	.run = run,
};
