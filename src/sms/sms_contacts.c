/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/sms_contacts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "phone/contact_file.h"
#include "phone/contact_watch.h"
#include "phone/vcard.h"
#include "store/store_party.h"

enum {
	CARDS_MAX = CONTACT_BOOK_LISTS_MAX - 1,
	PHONEBOOK_MAX = 1024 * 1024, /* bytes of a card's vCards that are looked at */
	CARD_PROBLEM_BYTES = 128,
};

/* a modem whose card was read */
struct card {
	const struct modem *modem; /* NULL: nothing here */
	int64_t sim_id;
	bool is_cut;
};

struct contacts {
	sd_event *loop;
	const struct config *config;
	struct sims *sims;
	struct ofono *ofono;
	struct observer ofono_observer;
	struct contact_book *book;
	struct card cards[CARDS_MAX];
	struct contact_watch *watch; /* NULL: there is no file, or it cannot be watched */
	bool is_file_cut;
	char file_problem[CONTACT_FILE_PROBLEM_BYTES];
	char problem[CONTACT_FILE_PROBLEM_BYTES + CARDS_MAX * CARD_PROBLEM_BYTES];
};

/* All that is left out, of the file and of each card, in one line. */
static void tell_problems(struct contacts *contacts)
{
	char *end = contacts->problem + sizeof(contacts->problem);
	char *at = contacts->problem;

	at += snprintf(at, (size_t)(end - at), "%s", contacts->file_problem);
	for (size_t i = 0; i < CARDS_MAX; i++) {
		const struct card *card = &contacts->cards[i];

		if (card->modem && card->is_cut)
			at += snprintf(
				at, (size_t)(end - at),
				"%sSIM %lld: it has more contacts than the gateway "
				"keeps; the last ones are left out",
				at == contacts->problem ? "" : "; ",
				(long long)card->sim_id);
	}
}

/* ---- the cards */

/* `modem` NULL: a place that is free. */
static struct card *find_card(struct contacts *contacts, const struct modem *modem)
{
	for (size_t i = 0; i < CARDS_MAX; i++) {
		if (contacts->cards[i].modem == modem)
			return &contacts->cards[i];
	}
	return NULL;
}

/* Another modem may show the same card. */
static bool is_shown(const struct contacts *contacts, int64_t sim_id)
{
	for (size_t i = 0; i < CARDS_MAX; i++) {
		if (contacts->cards[i].modem && contacts->cards[i].sim_id == sim_id)
			return true;
	}
	return false;
}

static void drop_card(struct contacts *contacts, const struct modem *modem)
{
	struct card *card = find_card(contacts, modem);

	if (!card)
		return;
	card->modem = NULL;
	tell_problems(contacts);
	if (!is_shown(contacts, card->sim_id) &&
	    !contact_book_put(contacts->book, card->sim_id, NULL))
		log_error("contacts: of SIM %lld: they stay: out of memory",
			  (long long)card->sim_id);
}

static void drop_cards(struct contacts *contacts)
{
	for (size_t i = 0; i < CARDS_MAX; i++) {
		if (contacts->cards[i].modem)
			drop_card(contacts, contacts->cards[i].modem);
	}
}

static struct contact_list *read_card(const struct ofono_event *event, int64_t sim_id)
{
	struct contact_list *list = contact_list_new(sim_id, CONTACT_LIST_SIM_BYTES);
	struct vcard_reader reader;
	size_t length;

	if (!list)
		return NULL;
	length = strnlen(event->text, PHONEBOOK_MAX);
	vcard_reader_init(&reader, contact_list_add, list);
	vcard_reader_feed(&reader, event->text, length);
	vcard_reader_finish(&reader);
	list->is_full |= event->text[length] != '\0';
	return list;
}

static void on_phonebook(struct contacts *contacts, const struct ofono_event *event)
{
	int64_t sim_id = sims_identify(contacts->sims, &event->modem->sim);
	struct card *card = find_card(contacts, event->modem);
	struct contact_list *list;

	if (card && card->sim_id != sim_id) {
		drop_card(contacts, event->modem);
		card = NULL;
	}
	if (!card)
		card = find_card(contacts, NULL);
	list = sim_id && card ? read_card(event, sim_id) : NULL;
	if (!list || !contact_book_put(contacts->book, sim_id, list)) {
		log_warning("contacts: those of the card in %s are not taken: %s",
			    event->modem->path,
			    sim_id ? "there is no room" : "it is not known");
		return;
	}
	*card = (struct card){ event->modem, sim_id, list->is_full };
	tell_problems(contacts);
	log_info("contacts: SIM %lld has %zu%s", (long long)sim_id, list->contact_count,
		 list->is_full ? ", and more than are kept" : "");
}

static void on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct contacts *contacts = data;

	if (event->type == PHONEBOOK_READ && contacts->config->contacts_of_sims)
		on_phonebook(contacts, event);
	else if (event->type == MODEM_REMOVED ||
		 (event->type == MODEM_CHANGED &&
		  !(event->modem->interfaces & MODEM_PHONEBOOK)))
		drop_card(contacts, event->modem);
}

/* ---- the file */

static void read_file(struct contacts *contacts)
{
	const char *path = contacts->config->contacts_file;
	struct contact_list *list = NULL;
	int error = 0;

	*contacts->file_problem = '\0';
	if (*path)
		error = contact_file_read(path, &list, contacts->file_problem);
	if (*contacts->file_problem)
		log_warning("contacts: %s", contacts->file_problem);
	tell_problems(contacts);
	if (error && error != -ENOENT)
		return;
	contacts->is_file_cut = list && list->is_full;
	if (list)
		log_info("contacts: the owner's file has %zu", list->contact_count);
	if (!contact_book_put(contacts->book, 0, list))
		log_error("contacts: of the owner's file: out of memory");
}

static void on_changed(void *data)
{
	read_file(data);
}

/* Before it is read, so that no change falls between. */
static void watch_file(struct contacts *contacts)
{
	const char *path = contacts->config->contacts_file;
	int error;

	contact_watch_free(contacts->watch);
	contacts->watch = NULL;
	if (!*path)
		return;
	error = contact_watch_new(contacts->loop, path, on_changed, contacts,
				  &contacts->watch);
	if (error)
		log_info("contacts: %s is read again with the configuration only: %s",
			 path, strerror(-error));
}

void contacts_review(struct contacts *contacts)
{
	watch_file(contacts);
	read_file(contacts);
	if (!contacts->config->contacts_of_sims)
		drop_cards(contacts);
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
	observer_add(ofono_observers(ofono), &contacts->ofono_observer, on_ofono_event,
		     contacts);
	contacts_review(contacts);
	*contacts_out = contacts;
	return 0;
}

void contacts_free(struct contacts *contacts)
{
	if (!contacts)
		return;
	observer_remove(&contacts->ofono_observer);
	contact_watch_free(contacts->watch);
	contact_book_free(contacts->book);
	free(contacts);
}

const struct contact_book *contacts_book(const struct contacts *contacts)
{
	return contacts->book;
}

bool contacts_are_wanted(const struct config *config)
{
	return *config->contacts_file || config->contacts_of_sims;
}

bool contacts_are_cut(const struct contacts *contacts)
{
	bool is_cut = contacts->is_file_cut;

	for (size_t i = 0; i < CARDS_MAX; i++)
		is_cut |= contacts->cards[i].modem && contacts->cards[i].is_cut;
	return is_cut;
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
