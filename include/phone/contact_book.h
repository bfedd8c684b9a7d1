/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact book: the contacts of all places in one order, the owner's file first, then the SIM
 * cards, and found by number. In memory alone; nobody writes contacts.
 */
#ifndef PHONE_CONTACT_BOOK_H
#define PHONE_CONTACT_BOOK_H

#include "numbers/number.h"
#include "phone/contact_list.h"

enum { CONTACT_BOOK_LISTS_MAX = 9 }; /* the file, and SIM cards */

struct contact_book;

struct contact_book *contact_book_new(void);	   /* NULL: no memory */
void contact_book_free(struct contact_book *book); /* NULL is fine */

/*
 * `list` (taken) stands in the place of what was there of that SIM, or of the file (0). NULL:
 * nothing does. False: no memory, or no room for one more SIM; then the book is as it was.
 */
bool contact_book_put(struct contact_book *book, int64_t sim_id,
		      struct contact_list *list);

/* A contact lives until the next contact_book_put(). */
size_t contact_book_count(const struct contact_book *book);
const struct contact *contact_book_at(const struct contact_book *book, size_t position);
/* Differs when positions may mean somebody else. */
uint32_t contact_book_edition(const struct contact_book *book);

/* Who has a number that may be spelt so: the first in the order. `book` NULL: nobody. */
const struct contact *contact_book_find(const struct contact_book *book,
					const char (*spellings)[NUMBER_FORM_BYTES],
					size_t count);

#endif
