/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contacts: the people whom the owner knows by name. They come from the SIM cards, read when a
 * modem shows one, and from the owner's vCard file, read at the start, when it changes, and
 * when the configuration is reloaded. They stay in memory and are never written
 * (tests/integration/test_contacts.py).
 *
 * The contacts of a card go with its modem. A file that cannot be read leaves the contacts
 * that were read before; a file that was removed does not.
 */
#ifndef PHONE_CONTACTS_H
#define PHONE_CONTACTS_H

#include "ofono/ofono.h"
#include "phone/contact.h"
#include "phone/sim.h"
#include "store/store.h"

struct config;
struct contacts;

/* The arguments outlive it. 0 or -errno; a bad file is not an error. */
int contacts_new(sd_event *loop, const struct config *config, struct sims *sims,
		 struct ofono *ofono, struct contacts **contacts_out);
void contacts_free(struct contacts *contacts); /* NULL is fine */

/* The configuration may have changed: reads everything again. */
void contacts_reload(struct contacts *contacts);

const struct contact_book *contacts_book(const struct contacts *contacts);
/* The owner configured a contact file, or allows reading the SIM cards. */
bool contacts_are_enabled(const struct config *config);
/* What is wrong with the file, and which cards have more contacts than are kept; "" nothing. */
const char *contacts_problem(const struct contacts *contacts);
/* The file or a card has more contacts than are kept. */
bool contacts_are_truncated(const struct contacts *contacts);

/*
 * The contact with this number, in any spelling. NULL: none, `number` is an alphanumeric
 * sender, or `contacts` is NULL. Valid for as long as that of contact_book_at().
 */
const struct contact *contacts_find(const struct contacts *contacts, struct store *store,
				    const char *number);

#endif
