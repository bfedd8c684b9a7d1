/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PHONEBOOK_READ (a card)      -> contact_list -+
 * change of the owner's file   -> contact_list -+-> contact_book_put()
 * modem gone, setting disabled -> NULL ---------+
 *
 * Each modem whose card was read has a place in `cards`. When two modems show the same card,
 * its contacts stay until both are gone.
 */
#include "phone/contact.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "config/config.h"
#include "store/store_party.h"

enum {
	CONTACTS_CARDS_MAX = CONTACT_BOOK_LISTS_MAX - 1,
	/* bytes of a card's vCards; more is ignored */
	CONTACTS_PHONEBOOK_MAX = 1024 * 1024,
	CONTACTS_CARD_PROBLEM_BYTES = 128,
	CONTACTS_PROBLEM_BYTES = CONTACT_FILE_PROBLEM_BYTES +
				 CONTACTS_CARDS_MAX * CONTACTS_CARD_PROBLEM_BYTES,
};

/* A modem whose card was read. */
struct contacts_card {
	const struct modem *modem; /* NULL: this place is free */
	int64_t sim_id;
	bool is_truncated;
};

struct contacts {
	sd_event *loop;
	const struct config *config;
	struct sims *sims;
	struct ofono *ofono;
	struct observer ofono_observer;
	struct contact_book *book;
	struct contacts_card cards[CONTACTS_CARDS_MAX];
	struct contact_file_watch *watch; /* NULL: no file, or it cannot be watched */
	bool is_file_truncated;
	char file_problem[CONTACT_FILE_PROBLEM_BYTES];
	char problem[CONTACTS_PROBLEM_BYTES];
};

/* Joins the problems of the file and the cards in one line. */
static void contacts_update_problem(struct contacts *contacts)
{
	char *end = contacts->problem + sizeof(contacts->problem);
	char *at = contacts->problem;

	at += snprintf(at, (size_t)(end - at), "%s", contacts->file_problem);
	for (size_t i = 0; i < CONTACTS_CARDS_MAX; i++) {
		const struct contacts_card *card = &contacts->cards[i];

		if (card->modem && card->is_truncated)
			at += snprintf(
				at, (size_t)(end - at),
				"%sSIM %lld: it has more contacts than the gateway "
				"keeps; the last ones are left out",
				at == contacts->problem ? "" : "; ",
				(long long)card->sim_id);
	}
}

/* ---- the cards */

/* `modem` NULL: a free place. */
static struct contacts_card *contacts_find_card(struct contacts *contacts,
						const struct modem *modem)
{
	for (size_t i = 0; i < CONTACTS_CARDS_MAX; i++) {
		if (contacts->cards[i].modem == modem)
			return &contacts->cards[i];
	}
	return NULL;
}

static bool contacts_have_card(const struct contacts *contacts, int64_t sim_id)
{
	for (size_t i = 0; i < CONTACTS_CARDS_MAX; i++) {
		if (contacts->cards[i].modem && contacts->cards[i].sim_id == sim_id)
			return true;
	}
	return false;
}

static void contacts_drop_card(struct contacts *contacts, const struct modem *modem)
{
	struct contacts_card *card = contacts_find_card(contacts, modem);

	if (!card)
		return;
	card->modem = NULL;
	contacts_update_problem(contacts);
	if (!contacts_have_card(contacts, card->sim_id) &&
	    !contact_book_put(contacts->book, card->sim_id, NULL))
		log_error("contacts: cannot drop those of SIM %lld: out of memory",
			  (long long)card->sim_id);
}

static struct contact_list *contacts_parse_card(const struct ofono_event *event,
						int64_t sim_id)
{
	struct contact_list *list = contact_list_new(sim_id, CONTACT_LIST_SIM_BYTES);
	struct vcard_reader reader;
	size_t length;

	if (!list)
		return NULL;
	length = strnlen(event->text, CONTACTS_PHONEBOOK_MAX);
	vcard_reader_init(&reader, contact_list_add, list);
	vcard_reader_feed(&reader, event->text, length);
	vcard_reader_finish(&reader);
	list->is_full |= event->text[length] != '\0';
	return list;
}

static void contacts_on_phonebook(struct contacts *contacts,
				  const struct ofono_event *event)
{
	int64_t sim_id = sims_identify(contacts->sims, &event->modem->sim);
	struct contacts_card *card = contacts_find_card(contacts, event->modem);
	struct contact_list *list;

	if (card && card->sim_id != sim_id) {
		contacts_drop_card(contacts, event->modem);
		card = NULL;
	}
	if (!card)
		card = contacts_find_card(contacts, NULL);
	list = sim_id && card ? contacts_parse_card(event, sim_id) : NULL;
	if (!list || !contact_book_put(contacts->book, sim_id, list)) {
		log_warning("contacts: those on the card in %s are ignored: %s",
			    event->modem->path,
			    sim_id ? "there is no room" : "the card is not identified");
		return;
	}
	*card = (struct contacts_card){ event->modem, sim_id, list->is_full };
	contacts_update_problem(contacts);
	log_info("contacts: SIM %lld has %zu%s", (long long)sim_id, list->contact_count,
		 list->is_full ? ", and more than are kept" : "");
}

static void contacts_on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct contacts *contacts = data;

	if (event->type == PHONEBOOK_READ && contacts->config->contacts_of_sims)
		contacts_on_phonebook(contacts, event);
	else if (event->type == MODEM_REMOVED ||
		 (event->type == MODEM_CHANGED &&
		  !(event->modem->interfaces & MODEM_PHONEBOOK)))
		contacts_drop_card(contacts, event->modem);
}

/* ---- the file */

static void contacts_read_file(struct contacts *contacts)
{
	const char *path = contacts->config->contacts_file;
	struct contact_list *list = NULL;
	int error = 0;

	*contacts->file_problem = '\0';
	if (*path)
		error = contact_file_read(path, &list, contacts->file_problem);
	if (*contacts->file_problem)
		log_warning("contacts: %s", contacts->file_problem);
	contacts_update_problem(contacts);
	if (error && error != -ENOENT)
		return;
	contacts->is_file_truncated = list && list->is_full;
	if (list)
		log_info("contacts: the owner's file has %zu", list->contact_count);
	if (!contact_book_put(contacts->book, 0, list))
		log_error("contacts: cannot replace those of the owner's file: out of "
			  "memory");
}

static void contacts_on_file_changed(void *data)
{
	contacts_read_file(data);
}

static void contacts_watch_file(struct contacts *contacts)
{
	const char *path = contacts->config->contacts_file;
	int error;

	contact_file_watch_free(contacts->watch);
	contacts->watch = NULL;
	if (!*path)
		return;
	error = contact_file_watch_new(contacts->loop, path, contacts_on_file_changed,
				       contacts, &contacts->watch);
	if (error)
		log_info("contacts: %s is read again only with the configuration: %s",
			 path, strerror(-error));
}

void contacts_reload(struct contacts *contacts)
{
	contacts_watch_file(contacts); /* first, so that no change is missed */
	contacts_read_file(contacts);
	for (size_t i = 0; i < CONTACTS_CARDS_MAX; i++) {
		if (contacts->cards[i].modem && !contacts->config->contacts_of_sims)
			contacts_drop_card(contacts, contacts->cards[i].modem);
	}
	ofono_use_phonebooks(contacts->ofono, contacts->config->contacts_of_sims);
}

int contacts_new(sd_event *loop, const struct config *config, struct sims *sims,
		 struct ofono *ofono, struct contacts **contacts_out)
{
	struct contacts *contacts = calloc(1, sizeof(*contacts));

	if (!contacts)
		return -ENOMEM;
	contacts->book = contact_book_new();
	if (!contacts->book) {
		free(contacts);
		return -ENOMEM;
	}
	contacts->loop = loop;
	contacts->config = config;
	contacts->sims = sims;
	contacts->ofono = ofono;
	observer_add(ofono_observers(ofono), &contacts->ofono_observer,
		     contacts_on_ofono_event, contacts);
	contacts_reload(contacts);
	*contacts_out = contacts;
	return 0;
}

void contacts_free(struct contacts *contacts)
{
	if (!contacts)
		return;
	observer_remove(&contacts->ofono_observer);
	contact_file_watch_free(contacts->watch);
	contact_book_free(contacts->book);
	free(contacts);
}

const struct contact_book *contacts_book(const struct contacts *contacts)
{
	return contacts->book;
}

bool contacts_are_enabled(const struct config *config)
{
	return *config->contacts_file || config->contacts_of_sims;
}

bool contacts_are_truncated(const struct contacts *contacts)
{
	bool is_truncated = contacts->is_file_truncated;

	for (size_t i = 0; i < CONTACTS_CARDS_MAX; i++)
		is_truncated |=
			contacts->cards[i].modem && contacts->cards[i].is_truncated;
	return is_truncated;
}

const char *contacts_problem(const struct contacts *contacts)
{
	return contacts->problem;
}

const struct contact *contacts_find(const struct contacts *contacts, struct store *store,
				    const char *number)
{
	struct store_party party;

	if (!contacts || !contact_book_count(contacts->book))
		return NULL;
	store_party_spell(store, 0, number, &party);
	return contact_book_find(contacts->book, party.spellings, party.count);
}
