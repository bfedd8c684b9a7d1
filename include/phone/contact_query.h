/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact query: words of a name, whatever their case, accents and order. Each has to stand
 * somewhere in the name: "kov anna" finds Anna Kovács.
 */
#ifndef PHONE_CONTACT_QUERY_H
#define PHONE_CONTACT_QUERY_H

#include "phone/vcard.h"

struct contact_query {
	char words[VCARD_NAME_BYTES]; /* folded */
};

/* `name` is valid UTF-8. False: it is longer than any name. */
bool contact_query_read(struct contact_query *query, const char *name);
bool contact_query_fits(const struct contact_query *query, const char *name);

#endif
