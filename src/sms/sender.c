/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/sender.h"

#include <string.h>
#include <strings.h>

#include "config/config.h"
#include "store/store_party.h"

const char *const sender_trust_words[] = {
	[SENDER_BLOCKED] = "blocked", [SENDER_OWNER] = "owner",
	[SENDER_CONTACT] = "contact", [SENDER_ALPHANUMERIC] = "alphanumeric",
	[SENDER_KNOWN] = "known",     [SENDER_UNKNOWN] = "unknown",
	[SENDER_UNKNOWN + 1] = NULL,
};

/* the one who is looked for in a list */
struct wanted {
	const char *written; /* as the message came with it */
	const struct store_party_country_list *countries;
	struct store_party party;
};

/* One entry of a list: a number, a name, or how one begins. */
struct entry {
	char text[CONFIG_TEXT_BYTES];
	bool is_beginning;
};

static bool entry_fits(const struct entry *entry, const char *party)
{
	if (entry->is_beginning)
		return strncasecmp(party, entry->text, strlen(entry->text)) == 0;
	return strcasecmp(party, entry->text) == 0;
}

/* The form of an entry as it is dialled in a country; false: it has no other than itself. */
static bool entry_form(const struct entry *entry, const struct country *country,
		       struct entry *form_out)
{
	form_out->is_beginning = entry->is_beginning;
	return *entry->text != '+' && strlen(entry->text) > NUMBER_SHORT_MOST &&
	       (entry->is_beginning
			? number_form_beginning(entry->text, country, form_out->text)
			: number_form(entry->text, country, form_out->text));
}

static bool entry_is_spelt(const struct entry *entry, const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->party.count; i++) {
		if (entry_fits(entry, wanted->party.spellings[i]))
			return true;
	}
	return false;
}

/* A national entry is meant as it is dialled in the country of any SIM card. */
static bool entry_has(const struct entry *entry, const struct wanted *wanted)
{
	struct entry form;

	if (!*entry->text)
		return false;
	if (entry_fits(entry, wanted->written) || entry_is_spelt(entry, wanted))
		return true;
	for (size_t i = 0; wanted->party.count && i < wanted->countries->count; i++) {
		if (entry_form(entry, wanted->countries->items[i], &form) &&
		    entry_is_spelt(&form, wanted))
			return true;
	}
	return false;
}

/* "+36 90*" -> "+3690", a beginning; a name keeps its blanks. */
static void entry_read(const char *text, size_t length, struct entry *entry)
{
	char form[NUMBER_FORM_BYTES];

	while (length > 0 && *text == ' ') {
		text++;
		length--;
	}
	while (length > 0 && text[length - 1] == ' ')
		length--;
	entry->is_beginning = length > 1 && text[length - 1] == '*';
	length -= entry->is_beginning;
	memcpy(entry->text, text, length);
	entry->text[length] = '\0';
	if (entry->is_beginning ? number_form_beginning(entry->text, NULL, form)
				: number_form(entry->text, NULL, form))
		strcpy(entry->text, form);
}

static bool line_has(const char *line, const struct wanted *wanted)
{
	struct entry entry;

	while (*line) {
		size_t length = strcspn(line, ",");

		entry_read(line, length, &entry);
		if (entry_has(&entry, wanted))
			return true;
		line += length + (line[length] == ',');
	}
	return false;
}

static bool list_has(const struct config_list *list, const struct wanted *wanted)
{
	for (size_t i = 0; i < list->count; i++) {
		if (line_has(list->items[i], wanted))
			return true;
	}
	return false;
}

static bool is_contact(const struct contacts *contacts, const struct wanted *wanted)
{
	return contacts &&
	       contact_book_find(contacts_book(contacts), wanted->party.spellings,
				 wanted->party.count);
}

enum sender_trust sender_trust(const struct config *config, struct store *store,
			       const struct contacts *contacts,
			       const struct store_party_address *end)
{
	struct wanted wanted = { .written = end->number,
				 .countries = store_party_countries(store) };

	store_party_spell(store, end->sim_id, end->number, &wanted.party);
	if (list_has(&config->blocked_senders, &wanted))
		return SENDER_BLOCKED;
	if (list_has(&config->owner_numbers, &wanted))
		return SENDER_OWNER;
	if (is_contact(contacts, &wanted))
		return SENDER_CONTACT;
	if (!wanted.party.count)
		return *end->number ? SENDER_ALPHANUMERIC : SENDER_UNKNOWN;
	return store_party_was_sent_to(store, &wanted.party) ? SENDER_KNOWN
							     : SENDER_UNKNOWN;
}

bool sender_is_blocked(const struct config *config, struct store *store,
		       const struct store_party_address *end)
{
	struct wanted wanted = { .written = end->number,
				 .countries = store_party_countries(store) };

	if (!config->blocked_senders.count)
		return false;
	store_party_spell(store, end->sim_id, end->number, &wanted.party);
	return list_has(&config->blocked_senders, &wanted);
}
