/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contacts: whom the owner knows by name: what the SIM cards have, read whenever a modem shows
 * one, and the owner's vCard file, read at the start, when it changes, and when the
 * configuration is read. In memory alone, and written nowhere (tests/integration/test_contacts.py).
 *
 * What a card has goes with its modem. A file that cannot be read leaves what was there; one
 * that is not there any more does not.
 */
#ifndef SMS_SMS_CONTACTS_H
#define SMS_SMS_CONTACTS_H

#include "config/config.h"
#include "phone/contact_book.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "store/store.h"

struct contacts;

/* The parts outlive it. 0 or -errno; a file that is not good is no error. */
int contacts_new(sd_event *loop, const struct config *config, struct sims *sims,
		 struct ofono *ofono, struct contacts **contacts_out);
void contacts_free(struct contacts *contacts); /* NULL is fine */

/* The configuration may be different; everything is read again. */
void contacts_review(struct contacts *contacts);

const struct contact_book *contacts_book(const struct contacts *contacts);
/* Where there could be contacts: the owner named a file, or lets cards be read. */
bool contacts_are_wanted(const struct config *config);
/* What is wrong with the file, and which cards have more than is kept; "" nothing. */
const char *contacts_problem(const struct contacts *contacts);
/* The file or a card has more contacts than are kept. */
bool contacts_are_cut(const struct contacts *contacts);

/*
 * Who has this number, in any spelling; a sender's name is nobody's. NULL: nobody. As
 * contact_book_at() for how long. `contacts` NULL: there are none.
 */
const struct contact *contacts_find(const struct contacts *contacts, struct store *store,
				    const char *number);

#endif
