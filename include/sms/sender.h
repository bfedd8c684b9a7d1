/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sender: how well the sender of a message is known to the owner and to the message store.
 * Senders can be forged, so this can be a reason for doubt, but never a proof
 * (tests/unit/test_sender.c).
 */
#pragma once

#include <stdbool.h>

#include "phone/contact.h"
#include "store/store_party.h"

struct config;

enum sender_trust {
	SENDER_BLOCKED, /* on the owner's list blocked_senders; comes before all others */
	SENDER_OWNER,	/* on the owner's list owner_numbers */
	SENDER_CONTACT, /* a contact has its number */
	SENDER_ALPHANUMERIC, /* a name, which anybody can choose */
	SENDER_KNOWN,	     /* a message was sent to its number */
	SENDER_UNKNOWN,
};

extern const char *const sender_trust_words[]; /* in this order; ends with NULL */

/* Reads the store, which must not be in a write. If `contacts` is NULL, there are none. */
enum sender_trust sender_trust(const struct config *config, struct store *store,
			       const struct contacts *contacts,
			       const struct store_party_address *end);

/* Is it SENDER_BLOCKED? "" never is. */
bool sender_is_blocked(const struct config *config, struct store *store,
		       const struct store_party_address *end);
