/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact: names and their phone numbers, in memory only; the gateway never writes contacts.
 *
 *   contact_list   the contacts of one source: a SIM card, or the owner's file
 *   contact_book   all lists in one order, the file first, then the SIM cards by ID; finds a
 *                  contact by number
 *   contact_query  the words of a name, in any case, accents and order: "kov anna" matches
 *                  Anna Kovács
 */
#ifndef PHONE_CONTACT_H
#define PHONE_CONTACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "numbers/number.h"
#include "phone/vcard.h"

struct contact {
	const char *name; /* as vcard.name */
	unsigned count;
	const char **numbers; /* as vcard.numbers */
	int64_t sim_id;	      /* 0: from the owner's file */
	TAILQ_ENTRY(contact) link;
};

/* ---- the contacts of one source */

enum {
	CONTACT_LIST_FILE_BYTES = 512 * 1024, /* about 5,000 contacts */
	CONTACT_LIST_SIM_BYTES = 128 * 1024,
};

struct contact_list {
	TAILQ_HEAD(contact_list_head, contact) contacts;
	size_t contact_count;
	size_t number_count;
	bool is_full;	     /* contacts were left out */
	struct arena *arena; /* private to contact.c */
	int64_t sim_id;	     /* private to contact.c */
};

/* A list that leaves out what does not fit into `limit_bytes`. NULL: no memory. */
struct contact_list *contact_list_new(int64_t sim_id, size_t limit_bytes);
void contact_list_free(struct contact_list *list); /* NULL is fine */
/* Adds a copy of the card. For vcard_reader_init(), with the list as its data. */
void contact_list_add(void *list, const struct vcard *card);

/* ---- the contacts of all sources */

enum { CONTACT_BOOK_LISTS_MAX = 9 }; /* the file and eight SIM cards */

struct contact_book;

struct contact_book *contact_book_new(void);	   /* NULL: no memory */
void contact_book_free(struct contact_book *book); /* NULL is fine */

/*
 * Replaces the list of that SIM, or of the file (0), by `list`, which it takes. A NULL list
 * removes it. False: no memory, or no room for another SIM; the book is unchanged.
 */
bool contact_book_put(struct contact_book *book, int64_t sim_id,
		      struct contact_list *list);

/* A contact is valid until the next contact_book_put(). */
size_t contact_book_count(const struct contact_book *book);
const struct contact *contact_book_at(const struct contact_book *book, size_t position);
/* Changes whenever a position may mean another contact. */
uint32_t contact_book_edition(const struct contact_book *book);

/*
 * The first contact that has a number in one of these spellings. NULL: none, or no `book`.
 */
const struct contact *contact_book_find(const struct contact_book *book,
					const char (*spellings)[NUMBER_FORM_BYTES],
					size_t count);

/* ---- search by name */

struct contact_query {
	char words[VCARD_NAME_BYTES]; /* folded */
};

/* `name` is valid UTF-8. False: it is longer than any contact's name. */
bool contact_query_parse(struct contact_query *query, const char *name);
/* Each word is somewhere in the name. */
bool contact_query_matches(const struct contact_query *query, const char *name);

#endif
