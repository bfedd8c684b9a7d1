/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sender: how far who wrote a message is known. It says what the owner and the ledger know
 * of the number or name that the message came with, and that can be forged: it is a reason
 * to doubt, never a proof (tests/unit/test_sender.c).
 */
#ifndef SMS_SENDER_H
#define SMS_SENDER_H

#include <stdbool.h>

#include "phone/contacts.h"
#include "store/store_party.h"

struct config;

enum sender_trust {
	SENDER_BLOCKED,	     /* on the owner's list blocked_senders, whatever else */
	SENDER_OWNER,	     /* on the owner's list owner_numbers */
	SENDER_CONTACT,	     /* its number is among the contacts */
	SENDER_ALPHANUMERIC, /* a name, which anybody may have chosen */
	SENDER_KNOWN,	     /* a message went to that number */
	SENDER_UNKNOWN,
};

extern const char *const sender_trust_words[]; /* in that order; ends with NULL */

/*
 * Looks into the ledger, for which `store` must not be in the middle of a write. `contacts`
 * NULL: there are none.
 */
enum sender_trust sender_trust(const struct config *config, struct store *store,
			       const struct contacts *contacts,
			       const struct store_party_address *end);

/* The same, for that alone: "" is blocked by nothing. */
bool sender_is_blocked(const struct config *config, struct store *store,
		       const struct store_party_address *end);

#endif
