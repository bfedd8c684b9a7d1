/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact: names and their phone numbers, in memory only; the gateway never writes contacts.
 *
 *   contact_list   the contacts of one source: a SIM card, the owner's file or desktop
 *   contact_book   all lists in one order: the file, the desktop, the SIM cards by ID; finds a
 *                  contact by number
 *   contact_query  the words of a name, in any case, accents and order: "kov anna" matches
 *                  Anna Kovács
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "numbers/number.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "phone/vcard.h"
#include "store/store.h"

/* A SIM ID is more than 0. What is from no SIM card has one of these in its place. */
enum { CONTACT_OF_FILE = -2, CONTACT_OF_DESKTOP = -1 };

struct contact {
	const char *name; /* as vcard.name */
	unsigned count;
	const char **numbers; /* as vcard.numbers */
	int64_t sim_id;	      /* or CONTACT_OF_ */
	TAILQ_ENTRY(contact) link;
};

/* ---- the contacts of one source */

enum {
	CONTACT_LIST_FILE_BYTES =
		512 * 1024, /* about 5,000 contacts; the desktop's, too */
	CONTACT_LIST_SIM_BYTES = 128 * 1024,
};

struct contact_list {
	TAILQ_HEAD(contact_list_head, contact) contacts;
	size_t contact_count;
	size_t number_count;
	bool is_full;		     /* contacts were left out */
	struct vcard_skips skips;    /* what the reader of its vCards left out */
	struct contact_list_unread { /* files of the owner's folder */
		size_t count;
		size_t first; /* from 1, in the order of names */
		int error;    /* of the first: -errno */
	} unread;
	struct arena *arena; /* private to contact.c */
	int64_t sim_id;	     /* private to contact.c */
};

/* Returns a list that leaves out what does not fit into `limit_bytes`; NULL if memory runs out. */
struct contact_list *contact_list_new(int64_t sim_id, size_t limit_bytes);
void contact_list_free(struct contact_list *list); /* NULL is fine */
/* Adds a copy of the card. For vcard_reader_init(), with the list as its data. */
void contact_list_add(void *list, const struct vcard *card);

/* ---- the contacts of all sources */

enum { CONTACT_BOOK_LISTS_MAX = 10 }; /* the file, the desktop and eight SIM cards */

struct contact_book;

struct contact_book *contact_book_new(void);	   /* Returns NULL if memory runs out */
void contact_book_free(struct contact_book *book); /* NULL is fine */

/*
 * Replaces the list of that SIM, or CONTACT_OF_ one, with `list`, which it takes. A NULL list
 * removes it. Returns false if memory runs out, or there is no room for another SIM; then the book
 * is unchanged.
 */
bool contact_book_put(struct contact_book *book, int64_t sim_id,
		      struct contact_list *list);

/* A contact is valid until the next contact_book_put(). */
size_t contact_book_count(const struct contact_book *book);
const struct contact *contact_book_at(const struct contact_book *book, size_t position);
/* Changes whenever a position may mean another contact. */
uint32_t contact_book_edition(const struct contact_book *book);

/*
 * Returns the first contact that has a number in one of these spellings. Returns NULL if there is
 * none, or `book` is NULL.
 */
const struct contact *contact_book_find(const struct contact_book *book,
					const char (*spellings)[NUMBER_FORM_BYTES],
					size_t count);

/* ---- search by name */

struct contact_query {
	char words[VCARD_NAME_BYTES]; /* folded */
};

/* `name` is valid UTF-8. Returns false if it is longer than any contact's name. */
bool contact_query_parse(struct contact_query *query, const char *name);
/* Returns whether each word is somewhere in the name. */
bool contact_query_matches(const struct contact_query *query, const char *name);

/* ---- the owner's file (contact_file.c) */

/*
 * The vCards that the owner keeps for the gateway, and a watch on that file; or on a folder: all
 * files *.vcf in it that are not hidden, in the order of their names (strcmp()), but not those
 * in its subfolders. The limits are for the sum of the files.
 *
 * It is read at the start, when it changes, and when the owner reloads the configuration. A
 * step blocks for as long as the disk takes. One is enough for a file without photographs;
 * a larger one is read in further steps, so that the loop is never blocked for longer.
 */

enum {
	/* bytes, photographs not counted */
	CONTACT_FILE_MAX = 8 * 1024 * 1024,
	/* bytes with photographs */
	CONTACT_FILE_TOTAL_MAX = 512 * 1024 * 1024,
	CONTACT_FILE_FOLDER_MAX = 10 * 1000, /* files */
	CONTACT_FILE_PROBLEM_BYTES = 1536,
};

struct contact_file;

/*
 * Returns 0 or -errno: -ENOENT if there is none, -EINVAL if it is neither a regular file nor a
 * folder, -E2BIG if the folder has too many files. A file in a folder that cannot be read is no
 * error: the list's `unread` counts it.
 */
int contact_file_open(const char *path, struct contact_file **file_out);
/*
 * Reads at most `bytes`. Returns 1 if there may be more, 0 at the end, or -errno: -EFBIG if it is
 * too large.
 */
int contact_file_step(struct contact_file *file, size_t bytes);
/* Takes the list of a file that was read to its end. */
struct contact_list *contact_file_take(struct contact_file *file);
void contact_file_close(struct contact_file *file); /* NULL is fine */

/*
 * Tells the owner what is wrong with the file, an empty string for nothing: `error` is that of
 * the functions above, 0 with the list.
 */
void contact_file_describe(const char *path, int error, const struct contact_list *list,
			   char problem_out[CONTACT_FILE_PROBLEM_BYTES]);

struct contact_file_watch;

/*
 * `changed` runs 0.5 s after the file was written, replaced by rename, or removed, so that an
 * editor that writes it in pieces causes one call. Where the path is a link, its target counts as
 * well, and where it is a folder, the files that are read in it. `changed` never runs from in here; it may free the watch. Returns 0 or -errno: -EACCES if
 * the folder is not readable, -ENOENT if there is none.
 */
int contact_file_watch_new(sd_event *loop, const char *path, void (*changed)(void *data),
			   void *data, struct contact_file_watch **watch_out);
void contact_file_watch_free(struct contact_file_watch *watch); /* NULL is fine */

/* ---- the contacts of the gateway (contacts.c) */

/*
 * The people whom the owner knows by name. They come from the SIM cards, read when a
 * modem shows one, from the owner's vCard file, read at the start, when it changes, and
 * when the configuration is reloaded, and from the owner's desktop, which sends them. They stay in memory and are never written
 * (tests/integration/test_contacts.py).
 *
 * The contacts of a card go with its modem. A file that cannot be read leaves the contacts
 * that were read before; a file that was removed does not. Those of the desktop stay until
 * it sends others, or the gateway restarts.
 */

struct config;
struct contacts;

/* The arguments outlive it. Returns 0 or -errno; a bad file is not an error. */
int contacts_new(sd_event *loop, const struct config *config, struct sims *sims,
		 struct ofono *ofono, struct contacts **contacts_out);
void contacts_free(struct contacts *contacts); /* NULL is fine */

/* The configuration may have changed: reads everything again. */
void contacts_reload(struct contacts *contacts);

const struct contact_book *contacts_book(const struct contacts *contacts);
/* Returns whether the owner configured a contact file, or allows those of desktop or SIM cards. */
bool contacts_are_enabled(const struct config *config);
/*
 * Returns what is wrong with the file, and whether desktop or cards have more contacts than are kept; "" if
 * there is nothing.
 */
const char *contacts_problem(const struct contacts *contacts);
/*
 * Returns what else is left out, and is no defect, such as vCards without a number; "" if there is
 * nothing.
 */
const char *contacts_skipped(const struct contacts *contacts);
/* Returns whether the file, the desktop or a card has more contacts than are kept. */
bool contacts_are_truncated(const struct contacts *contacts);

enum contacts_error {
	CONTACTS_E_DISABLED = 1, /* the owner wants none of the desktop */
	CONTACTS_E_OUT_OF_ORDER, /* no list has begun, or that of another user */
	CONTACTS_E_TOO_LARGE,	 /* limits as for a file; the list is forgotten */
};

/*
 * The contacts of the owner's desktop: the list begins, its vCards follow in pieces that may end
 * anywhere, and at its end it replaces the list before. There is one at a time, of one user; to
 * begin forgets another that has not ended. Returns 0, -ENOMEM or CONTACTS_E_*.
 */
int contacts_begin_desktop(struct contacts *contacts, int64_t uid);
int contacts_add_desktop(struct contacts *contacts, int64_t uid, const char *vcards);
int contacts_end_desktop(struct contacts *contacts, int64_t uid, size_t *count_out);

/*
 * Returns the contact with this number, in any spelling. Returns NULL if there is none, `number` is
 * an alphanumeric sender, or `contacts` is NULL. Valid for as long as that of contact_book_at().
 */
const struct contact *contacts_find(const struct contacts *contacts, struct store *store,
				    const char *number);
