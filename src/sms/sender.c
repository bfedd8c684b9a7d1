/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/sender.h"

#include <string.h>
#include <strings.h>

#include "config/config.h"
#include "numbers/phone_number.h"

const char *const sender_trust_words[] = {
	[SENDER_BLOCKED] = "blocked", [SENDER_OWNER] = "owner",
	[SENDER_CONTACT] = "contact", [SENDER_ALPHANUMERIC] = "unverified_name",
	[SENDER_KNOWN] = "known",     [SENDER_UNKNOWN] = "unknown",
	[SENDER_UNKNOWN + 1] = NULL,
};

/* the sender that is searched for in a list */
struct sender_query {
	const char *written; /* as in the message */
	const struct store_party_country_list *countries;
	struct store_party party;
};

/* One entry of a list: a number, a name, or a prefix of these. */
struct sender_entry {
	char text[CONFIG_TEXT_BYTES];
	bool is_prefix;
};

static bool sender_entry_fits(const struct sender_entry *entry, const char *party)
{
	if (entry->is_prefix)
		return strncasecmp(party, entry->text, strlen(entry->text)) == 0;
	return strcasecmp(party, entry->text) == 0;
}

/*
 * The entry in international form, as dialled in a country. Returns false if it has no such form.
 */
static bool sender_entry_form(const struct sender_entry *entry,
			      const struct country *country,
			      struct sender_entry *form_out)
{
	form_out->is_prefix = entry->is_prefix;
	return *entry->text != '+' && strlen(entry->text) > NUMBER_SHORT_MOST &&
	       (entry->is_prefix
			? number_form_beginning(entry->text, country, form_out->text)
			: number_form(entry->text, country, form_out->text));
}

static bool sender_entry_is_spelling(const struct sender_entry *entry,
				     const struct sender_query *query)
{
	for (size_t i = 0; i < query->party.count; i++) {
		if (sender_entry_fits(entry, query->party.spellings[i]))
			return true;
	}
	return false;
}

/* A national number in the list is read as dialled in the country of any SIM card. */
static bool sender_entry_has(const struct sender_entry *entry,
			     const struct sender_query *query)
{
	struct sender_entry form;

	if (!*entry->text)
		return false;
	if (sender_entry_fits(entry, query->written) ||
	    sender_entry_is_spelling(entry, query))
		return true;
	for (size_t i = 0; query->party.count && i < query->countries->count; i++) {
		if (sender_entry_form(entry, query->countries->items[i], &form) &&
		    sender_entry_is_spelling(&form, query))
			return true;
	}
	return false;
}

/* "+36 90*" becomes the prefix "+3690"; a name keeps its spaces. */
static void sender_entry_read(const char *text, size_t length, struct sender_entry *entry)
{
	char number[PHONE_NUMBER_BYTES], form[NUMBER_FORM_BYTES];

	memcpy(entry->text, text, length);
	entry->text[length] = '\0';
	phone_number_simplify(entry->text);
	length = strlen(entry->text);
	entry->is_prefix = length > 1 && entry->text[length - 1] == '*';
	if (entry->is_prefix) {
		if (phone_number_parse_beginning(entry->text, number) &&
		    number_form_beginning(number, NULL, form))
			strcpy(entry->text, form);
		else
			entry->text[length - 1] = '\0';
	} else if (phone_number_parse(entry->text, number) == PHONE_NUMBER_OK &&
		   number_form(number, NULL, form)) {
		strcpy(entry->text, form);
	}
}

static bool sender_line_has(const char *line, const struct sender_query *query)
{
	struct sender_entry entry;

	while (*line) {
		size_t length = strcspn(line, ",");

		sender_entry_read(line, length, &entry);
		if (sender_entry_has(&entry, query))
			return true;
		line += length + (line[length] == ',');
	}
	return false;
}

static bool sender_list_has(const struct config_list *list,
			    const struct sender_query *query)
{
	for (size_t i = 0; i < list->count; i++) {
		if (sender_line_has(list->items[i], query))
			return true;
	}
	return false;
}

static bool sender_is_contact(const struct contacts *contacts,
			      const struct sender_query *query)
{
	return contacts && contact_book_find(contacts_book(contacts),
					     query->party.spellings, query->party.count);
}

enum sender_trust sender_trust(const struct config *config, struct store *store,
			       const struct contacts *contacts,
			       const struct store_party_address *end)
{
	struct sender_query query = { .written = end->number,
				      .countries = store_party_countries(store) };

	store_party_spell(store, end->sim_id, end->number, &query.party);
	if (sender_list_has(&config->blocked_senders, &query))
		return SENDER_BLOCKED;
	if (sender_list_has(&config->owner_numbers, &query) ||
	    sender_list_has(&config->agent.owner_numbers, &query))
		return SENDER_OWNER;
	if (sender_is_contact(contacts, &query))
		return SENDER_CONTACT;
	if (!query.party.count)
		return *end->number ? SENDER_ALPHANUMERIC : SENDER_UNKNOWN;
	return store_party_was_sent_to(store, &query.party) ? SENDER_KNOWN
							    : SENDER_UNKNOWN;
}

bool sender_is_blocked(const struct config *config, struct store *store,
		       const struct store_party_address *end)
{
	struct sender_query query = { .written = end->number,
				      .countries = store_party_countries(store) };

	if (!config->blocked_senders.count)
		return false;
	store_party_spell(store, end->sim_id, end->number, &query.party);
	return sender_list_has(&config->blocked_senders, &query);
}
