/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find_contact: the owner's contacts, from the owner's file and desktop and the SIM cards.
 *
 * A client that may text only some numbers, or use only some SIMs, sees no other numbers and
 * no contacts of other SIMs. An answer without a contact says how many it would find: "none" is
 * no news of a person if the gateway was given no address book.
 *
 * A cursor is a position in one edition of the contact book; after the book was read anew an
 * old cursor is refused.
 */
#include <string.h>

#include "base/escape.h"
#include "phone/contact.h"
#include "store/store_party.h"
#include "tools/argument.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"

static const struct schema_field find_contact_input[] = {
	{ "name", SCHEMA_STRING, false,
	  "Words of the name or parts of them, in any order; case and accents don't matter",
	  .other_names = "query search contact" },
	{ "phone_number", SCHEMA_STRING, false, "Whose number it is, in any spelling",
	  .other_names = "number" },
	PAGE_LIMIT_FIELD,
	{ "cursor", SCHEMA_STRING, false, "next_cursor from the previous page" },
	{ 0 },
};

static const char *const find_contact_sources[] = { "file", "desktop", "sim", NULL };

static const struct schema_field find_contact_row[] = {
	{ "name", SCHEMA_STRING, true, "Invisible characters are escaped" },
	{ "phone_numbers", SCHEMA_ARRAY, true, "As send_sms takes them",
	  .items = SCHEMA_STRING },
	{ "source", SCHEMA_STRING, true, "file, desktop: the owner's; sim: a SIM card",
	  .words = find_contact_sources },
	{ "subscription_id", SCHEMA_INTEGER, false, "sim: which one" },
	{ 0 },
};

static const struct schema_field find_contact_output[] = {
	VIEW_NOTICE_FIELD,
	{ "contacts", SCHEMA_ARRAY, true, "file, desktop, then SIM by SIM",
	  .members = find_contact_row },
	{ "count", SCHEMA_INTEGER, true, "Contacts in this answer" },
	{ "next_cursor", SCHEMA_STRING, false, "The cursor of the next page" },
	{ "contacts_known", SCHEMA_INTEGER, false,
	  "None found: how many contacts you could find. 0: there is no address book" },
	{ "incomplete", SCHEMA_BOOLEAN, false,
	  "true: a source has more contacts than the gateway keeps, so a "
	  "contact may exist that is not listed" },
	{ 0 },
};

struct find_contact {
	struct tool_call *call;
	const struct services *services;
	const struct contact_book *book;
	bool by_name, by_number;
	struct contact_query query;
	struct store_party party;
	size_t start; /* position in the book */
	struct page page;
};

/* The three functions that read arguments return false if the call is finished with a failure. */
static bool find_contact_read_name(struct find_contact *find)
{
	struct tool_call *call = find->call;
	const char *escaped = argument_text(call, "name");
	char *name = escaped ? arena_copy(call->arena, escaped, strlen(escaped)) : NULL;

	if (!escaped)
		return true;
	find->by_name = true;
	if (name)
		escape_undo(name);
	if (name && contact_query_parse(&find->query, name))
		return true;
	tool_failure_answer(call, FAILURE_INVALID_ARGUMENTS,
			    name ? "name is longer than any contact's name." : NULL);
	return false;
}

static bool find_contact_read_number(struct find_contact *find)
{
	struct tool_call *call = find->call;
	const char *number = argument_party(call, "phone_number");

	if (!argument_filled_text(call, "phone_number"))
		return true;
	if (!argument_check_party(call, "phone_number", number))
		return false;
	find->by_number = true;
	if (number)
		store_party_spell(find->services->store, 0, number, &find->party);
	if (number && find->party.count)
		return true;
	tool_failure_answer(
		call, FAILURE_INVALID_NUMBER,
		number ? "phone_number is not a phone number; pass a name as name."
		       : NULL);
	return false;
}

static int64_t find_contact_cursor(const struct find_contact *find, size_t position)
{
	return (int64_t)(contact_book_edition(find->book) & INT32_MAX) << 32 |
	       (int64_t)position;
}

static bool find_contact_read_cursor(struct find_contact *find)
{
	int64_t cursor;

	if (!cursor_argument(find->call, "cursor", CURSOR_CONTACTS, &cursor))
		return false;
	find->start = (size_t)(cursor & UINT32_MAX);
	if (!cursor || cursor >> 32 == find_contact_cursor(find, 0) >> 32)
		return true;
	tool_failure_answer(
		find->call, FAILURE_INVALID_ARGUMENTS,
		"cursor: the contacts have been read again since; start over without it.");
	return false;
}

static bool find_contact_has_number(const struct contact *contact,
				    const struct store_party *party)
{
	for (unsigned i = 0; i < contact->count; i++) {
		for (size_t at = 0; at < party->count; at++) {
			if (strcmp(contact->numbers[i], party->spellings[at]) == 0)
				return true;
		}
	}
	return false;
}

static bool find_contact_may_see_number(const struct find_contact *find,
					const char *number)
{
	return policy_allows_number(find->services->policy, find->call->client, number);
}

static bool find_contact_may_see(const struct find_contact *find,
				 const struct contact *contact)
{
	if (contact->sim_id > 0 &&
	    !policy_sim_is_allowed(find->call->client, contact->sim_id))
		return false;
	for (unsigned i = 0; i < contact->count; i++) {
		if (find_contact_may_see_number(find, contact->numbers[i]))
			return true;
	}
	return false;
}

static bool find_contact_matches(const struct find_contact *find,
				 const struct contact *contact)
{
	return (!find->by_number || find_contact_has_number(contact, &find->party)) &&
	       (!find->by_name || contact_query_matches(&find->query, contact->name)) &&
	       find_contact_may_see(find, contact);
}

static size_t find_contact_count_known(const struct find_contact *find)
{
	size_t known = 0;

	for (size_t at = 0; at < contact_book_count(find->book); at++)
		known += find_contact_may_see(find, contact_book_at(find->book, at));
	return known;
}

static void find_contact_write_row(const struct find_contact *find,
				   const struct contact *contact)
{
	struct json_writer *writer = find->page.writer;

	json_open_object(writer);
	view_put_line(writer, "name", contact->name);
	json_open_array_at(writer, "phone_numbers");
	for (unsigned i = 0; i < contact->count; i++) {
		if (find_contact_may_see_number(find, contact->numbers[i]))
			json_write_string(writer, contact->numbers[i]);
	}
	json_close_array(writer);
	json_put_string(writer, "source",
			contact->sim_id == CONTACT_OF_FILE	? "file"
			: contact->sim_id == CONTACT_OF_DESKTOP ? "desktop"
								: "sim");
	if (contact->sim_id > 0)
		json_put_integer(writer, "subscription_id", contact->sim_id);
	json_close_object(writer);
}

static void find_contact_answer(struct find_contact *find)
{
	struct page *page = &find->page;
	size_t count = contact_book_count(find->book);

	if (!page_begin(page, find->call))
		return;
	json_open_array_at(page->writer, "contacts");
	for (size_t at = find->start; at < count && !page->more; at++) {
		const struct contact *contact = contact_book_at(find->book, at);

		if (find_contact_matches(find, contact) &&
		    page_takes_row(page, find_contact_cursor(find, at + 1))) {
			find_contact_write_row(find, contact);
			page_keeps_row(page);
		}
	}
	page_close_rows(page, CURSOR_CONTACTS);
	if (!page->room.rows)
		json_put_integer(page->writer, "contacts_known",
				 (int64_t)find_contact_count_known(find));
	if (contacts_are_truncated(find->services->contacts))
		json_put_boolean(page->writer, "incomplete", true);
	page_answer(page, find->call, 0);
}

static void find_contact_run(struct tool_call *call)
{
	struct find_contact find = {
		.call = call,
		.services = call->services,
		.book = contacts_book(call->services->contacts),
	};

	if (find_contact_read_name(&find) && find_contact_read_number(&find) &&
	    find_contact_read_cursor(&find))
		find_contact_answer(&find);
}

static bool find_contact_is_usable(const struct services *services)
{
	return services->contacts && contacts_are_enabled(services->config);
}

const struct tool tool_find_contact = {
	.name = "find_contact",
	.title = "Find a contact",
	.description =
		"Find the owner's contacts, with all their phone numbers, by name or "
		"number. Call it before you text or call someone by name, and ask your "
		"user if several match. A contact's name proves nothing about who "
		"writes from that number.",
	.input = find_contact_input,
	.output = find_contact_output,
	.listed = (const char *const[]){ "contacts", "next_cursor", NULL },
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.usable = find_contact_is_usable,
	.run = find_contact_run,
};
