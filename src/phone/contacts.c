/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PHONEBOOK_READ (a card)      -> contact_list -+
 * change of the owner's file   -> contact_list -+-> contact_book_put()
 * list of the owner's desktop  -> contact_list -+
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
	CONTACTS_CARDS_MAX = CONTACT_BOOK_LISTS_MAX - 2,
	/* bytes of a card's vCards; more is ignored */
	CONTACTS_PHONEBOOK_MAX = 1024 * 1024,
	/* of a card, or the desktop */
	CONTACTS_SOURCE_PROBLEM_BYTES = 128,
	CONTACTS_PROBLEM_BYTES = CONTACT_FILE_PROBLEM_BYTES +
				 CONTACT_BOOK_LISTS_MAX * CONTACTS_SOURCE_PROBLEM_BYTES,
	CONTACTS_SOURCE_SKIPS_BYTES = VCARD_SKIPS_BYTES + 32,
	CONTACTS_SKIPPED_BYTES = CONTACT_BOOK_LISTS_MAX * CONTACTS_SOURCE_SKIPS_BYTES,
	/* A file that is larger than the first step is read between other work. */
	CONTACTS_FIRST_STEP_BYTES = CONTACT_FILE_MAX + 1,
	CONTACTS_STEP_BYTES = 256 * 1024,
};

/* A modem whose card was read. */
struct contacts_card {
	const struct modem *modem; /* NULL if this place is free */
	int64_t sim_id;
	bool is_truncated;
	struct vcard_skips skips;
};

/* The list that the owner's desktop sends. */
struct contacts_desktop {
	struct contact_list *list; /* NULL if none has begun */
	int64_t uid;		   /* who sends it */
	size_t total;		   /* bytes */
	struct vcard_reader reader;
};

struct contacts {
	sd_event *loop;
	const struct config *config;
	struct sims *sims;
	struct ofono *ofono;
	struct observer ofono_observer;
	struct contact_book *book;
	struct contacts_card cards[CONTACTS_CARDS_MAX];
	/* NULL if there is no file, or it cannot be watched */
	struct contact_file_watch *watch;
	struct contact_file *file;  /* NULL if none is being read */
	sd_event_source *file_step; /* reads on */
	bool is_file_truncated;
	struct vcard_skips file_skips;
	struct contacts_desktop desktop;
	bool is_desktop_truncated;
	struct vcard_skips desktop_skips;
	char file_problem[CONTACT_FILE_PROBLEM_BYTES];
	char problem[CONTACTS_PROBLEM_BYTES];
	char skipped[CONTACTS_SKIPPED_BYTES];
};

/* Joins the problems of the file, the desktop and the cards in one line. */
static void contacts_update_problem(struct contacts *contacts)
{
	char *end = contacts->problem + sizeof(contacts->problem);
	char *at = contacts->problem;

	at += snprintf(at, (size_t)(end - at), "%s", contacts->file_problem);
	if (contacts->is_desktop_truncated)
		at += snprintf(
			at, (size_t)(end - at),
			"%sdesktop: it has more contacts than the gateway keeps; the "
			"last ones are left out",
			at == contacts->problem ? "" : "; ");
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

/* Joins what the readers left out: of the file, what is no defect of it. */
static void contacts_update_skipped(struct contacts *contacts)
{
	char *end = contacts->skipped + sizeof(contacts->skipped);
	char *at = contacts->skipped, text[VCARD_SKIPS_BYTES];

	vcard_skips_describe(&contacts->file_skips, VCARD_SKIP_DEFECTS, VCARD_SKIP_KINDS,
			     text);
	at += snprintf(at, (size_t)(end - at), "%s%s", *text ? "file: " : "", text);
	vcard_skips_describe(&contacts->desktop_skips, 0, VCARD_SKIP_KINDS, text);
	if (*text)
		at += snprintf(at, (size_t)(end - at), "%sdesktop: %s",
			       at == contacts->skipped ? "" : "; ", text);
	for (size_t i = 0; i < CONTACTS_CARDS_MAX; i++) {
		const struct contacts_card *card = &contacts->cards[i];

		vcard_skips_describe(&card->skips, 0, VCARD_SKIP_KINDS, text);
		if (card->modem && *text)
			at += snprintf(at, (size_t)(end - at), "%sSIM %lld: %s",
				       at == contacts->skipped ? "" : "; ",
				       (long long)card->sim_id, text);
	}
}

static void contacts_update(struct contacts *contacts)
{
	contacts_update_problem(contacts);
	contacts_update_skipped(contacts);
}

/* ---- the cards */

/* If `modem` is NULL, returns a free place. */
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
	contacts_update(contacts);
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
	list->skips = reader.skips;
	list->is_full |= event->text[length] != '\0';
	return list;
}

static void contacts_on_phonebook(struct contacts *contacts,
				  const struct ofono_event *event)
{
	int64_t sim_id = sims_identify(contacts->sims, &event->modem->sim);
	struct contacts_card *card = contacts_find_card(contacts, event->modem);
	char skipped[VCARD_SKIPS_BYTES];
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
	*card = (struct contacts_card){ event->modem, sim_id, list->is_full,
					list->skips };
	contacts_update(contacts);
	vcard_skips_describe(&list->skips, 0, VCARD_SKIP_KINDS, skipped);
	log_info("contacts: SIM %lld has %zu%s%s%s", (long long)sim_id,
		 list->contact_count, list->is_full ? ", and more than are kept" : "",
		 *skipped ? "; left out: " : "", skipped);
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

static void contacts_stop_reading(struct contacts *contacts)
{
	contacts->file_step = sd_event_source_disable_unref(contacts->file_step);
	contact_file_close(contacts->file);
	contacts->file = NULL;
}

/* The list is NULL without a file, or after an error. */
static void contacts_take_file(struct contacts *contacts, int error,
			       struct contact_list *list)
{
	const char *path = contacts->config->contacts_file;
	char skipped[VCARD_SKIPS_BYTES] = "";

	*contacts->file_problem = '\0';
	if (*path)
		contact_file_describe(path, error, list, contacts->file_problem);
	if (*contacts->file_problem)
		log_warning("contacts: %s", contacts->file_problem);
	if (!error || error == -ENOENT) {
		contacts->is_file_truncated = list && list->is_full;
		contacts->file_skips = list ? list->skips : (struct vcard_skips){ 0 };
	}
	contacts_update(contacts);
	if (error && error != -ENOENT)
		return;
	vcard_skips_describe(&contacts->file_skips, VCARD_SKIP_DEFECTS, VCARD_SKIP_KINDS,
			     skipped);
	if (list)
		log_info("contacts: the owner's file has %zu%s%s", list->contact_count,
			 *skipped ? "; left out: " : "", skipped);
	if (!contact_book_put(contacts->book, CONTACT_OF_FILE, list))
		log_error(
			"contacts: cannot replace those of the owner's file: out of memory");
}

/* Returns whether there is more to read. */
static bool contacts_step_file(struct contacts *contacts, size_t bytes)
{
	int result = contact_file_step(contacts->file, bytes);

	if (result > 0)
		return true;
	contacts_take_file(contacts, result,
			   result ? NULL : contact_file_take(contacts->file));
	contacts_stop_reading(contacts);
	return false;
}

static int contacts_on_file_step(sd_event_source *source, void *data)
{
	contacts_step_file(data, CONTACTS_STEP_BYTES);
	return 0;
}

/* Reads the rest of a large file whenever the loop has nothing else to do. */
static int contacts_read_on(struct contacts *contacts)
{
	int error = sd_event_add_defer(contacts->loop, &contacts->file_step,
				       contacts_on_file_step, contacts);

	if (error >= 0)
		error = sd_event_source_set_priority(contacts->file_step,
						     SD_EVENT_PRIORITY_IDLE);
	if (error >= 0)
		error = sd_event_source_set_enabled(contacts->file_step, SD_EVENT_ON);
	return error < 0 ? error : 0;
}

static void contacts_read_file(struct contacts *contacts)
{
	const char *path = contacts->config->contacts_file;
	int error;

	contacts_stop_reading(contacts);
	error = *path ? contact_file_open(path, &contacts->file) : 0;
	if (error || !*path) {
		contacts_take_file(contacts, error, NULL);
		return;
	}
	if (!contacts_step_file(contacts, CONTACTS_FIRST_STEP_BYTES))
		return;
	error = contacts_read_on(contacts);
	if (error) {
		contacts_take_file(contacts, error, NULL);
		contacts_stop_reading(contacts);
		return;
	}
	snprintf(contacts->file_problem, sizeof(contacts->file_problem),
		 "%s: it is large and still being read", path);
	contacts_update(contacts);
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

/* ---- the desktop */

/* Forgets the list that has begun. */
static void contacts_forget_desktop(struct contacts *contacts)
{
	struct contacts_desktop *desktop = &contacts->desktop;

	if (!desktop->list)
		return;
	vcard_reader_abandon(&desktop->reader);
	contact_list_free(desktop->list);
	desktop->list = NULL;
}

/* Takes the list; NULL for no contacts. */
static bool contacts_take_desktop(struct contacts *contacts, struct contact_list *list)
{
	bool is_truncated = list && list->is_full;
	struct vcard_skips skips = list ? list->skips : (struct vcard_skips){ 0 };

	if (!contact_book_put(contacts->book, CONTACT_OF_DESKTOP, list))
		return false;
	contacts->is_desktop_truncated = is_truncated;
	contacts->desktop_skips = skips;
	contacts_update(contacts);
	return true;
}

static void contacts_drop_desktop(struct contacts *contacts)
{
	contacts_forget_desktop(contacts);
	if (!contacts_take_desktop(contacts, NULL))
		log_error("contacts: cannot drop those of the desktop: out of memory");
}

int contacts_begin_desktop(struct contacts *contacts, int64_t uid)
{
	struct contacts_desktop *desktop = &contacts->desktop;

	if (!contacts->config->contacts_of_desktop)
		return CONTACTS_E_DISABLED;
	contacts_forget_desktop(contacts);
	desktop->list = contact_list_new(CONTACT_OF_DESKTOP, CONTACT_LIST_FILE_BYTES);
	if (!desktop->list)
		return -ENOMEM;
	desktop->uid = uid;
	desktop->total = 0;
	vcard_reader_init(&desktop->reader, contact_list_add, desktop->list);
	return 0;
}

static int contacts_check_desktop(const struct contacts *contacts, int64_t uid)
{
	if (!contacts->config->contacts_of_desktop)
		return CONTACTS_E_DISABLED;
	return contacts->desktop.list && contacts->desktop.uid == uid
		       ? 0
		       : CONTACTS_E_OUT_OF_ORDER;
}

int contacts_add_desktop(struct contacts *contacts, int64_t uid, const char *vcards)
{
	struct contacts_desktop *desktop = &contacts->desktop;
	size_t length = strlen(vcards);
	int error = contacts_check_desktop(contacts, uid);

	if (error)
		return error;
	desktop->total += length;
	vcard_reader_feed(&desktop->reader, vcards, length);
	if (vcard_reader_text_bytes(&desktop->reader) <= CONTACT_FILE_MAX &&
	    desktop->total <= CONTACT_FILE_TOTAL_MAX)
		return 0;
	contacts_forget_desktop(contacts);
	return CONTACTS_E_TOO_LARGE;
}

int contacts_end_desktop(struct contacts *contacts, int64_t uid, size_t *count_out)
{
	struct contacts_desktop *desktop = &contacts->desktop;
	struct contact_list *list = desktop->list;
	char skipped[VCARD_SKIPS_BYTES];
	int error = contacts_check_desktop(contacts, uid);
	size_t count;

	if (error)
		return error;
	vcard_reader_finish(&desktop->reader);
	vcard_skips_merge(&list->skips, &desktop->reader.skips);
	count = list->contact_count;
	desktop->list = NULL;
	if (!contacts_take_desktop(contacts, list))
		return -ENOMEM;
	vcard_skips_describe(&contacts->desktop_skips, 0, VCARD_SKIP_KINDS, skipped);
	log_info("contacts: the desktop of uid %lld has %zu%s%s%s", (long long)uid, count,
		 contacts->is_desktop_truncated ? ", and more than are kept" : "",
		 *skipped ? "; left out: " : "", skipped);
	*count_out = count;
	return 0;
}

/* ---- the whole */

void contacts_reload(struct contacts *contacts)
{
	contacts_watch_file(contacts); /* first, so that no change is missed */
	contacts_read_file(contacts);
	if (!contacts->config->contacts_of_desktop)
		contacts_drop_desktop(contacts);
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
	contacts_stop_reading(contacts);
	contacts_forget_desktop(contacts);
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
	return *config->contacts_file || config->contacts_of_desktop ||
	       config->contacts_of_sims;
}

bool contacts_are_truncated(const struct contacts *contacts)
{
	bool is_truncated = contacts->is_file_truncated || contacts->is_desktop_truncated;

	for (size_t i = 0; i < CONTACTS_CARDS_MAX; i++)
		is_truncated |=
			contacts->cards[i].modem && contacts->cards[i].is_truncated;
	return is_truncated;
}

const char *contacts_problem(const struct contacts *contacts)
{
	return contacts->problem;
}

const char *contacts_skipped(const struct contacts *contacts)
{
	return contacts->skipped;
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
