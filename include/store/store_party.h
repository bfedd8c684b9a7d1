/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, parties: the phone numbers at the other end, and which of them opted out. Part of the
 * store of store/store.h.
 *
 * A party is one phone number however it is spelt: +36201234567, 0036201234567 and, with a
 * SIM card of Hungary, 06201234567 are one party (tests/unit/test_store_party.c).
 */
#pragma once

#include "numbers/number.h"
#include "store/store.h"

enum {
	STORE_COUNTRIES_MAX = 256, /* more than there are */
	STORE_SPELLINGS_MAX = 64,
	STORE_PARTY_LIST_BYTES = STORE_SPELLINGS_MAX * (NUMBER_FORM_BYTES + 3) + 3,
};

struct store_party {
	size_t count; /* 0 if it is a sender's name */
	char spellings[STORE_SPELLINGS_MAX][NUMBER_FORM_BYTES];
};

/* The countries of all SIM cards so far, each once, in the order of the cards. */
struct store_party_country_list {
	bool known; /* private; false if it is to be read again */
	size_t count;
	const struct country *items[STORE_COUNTRIES_MAX];
};

const struct store_party_country_list *store_party_countries(struct store *store);

/*
 * Finds every spelling of a phone number that messages may have, as it is meant at this SIM, whose
 * country decides. Without a SIM (0), or when its country is not known, a national number is tried
 * in each country, as far as there is room.
 */
void store_party_spell(struct store *store, int64_t sim_id, const char *number,
		       struct store_party *party_out);

/* Writes the canonical spelling of a number at this SIM (0 if unknown); see number_read(). */
bool store_party_form(struct store *store, int64_t sim_id, const char *number,
		      char form_out[NUMBER_FORM_BYTES]);

/* Lists ["+36201234567","06201234567"], for json_each() in a statement. */
void store_party_list(const struct store_party *party,
		      char list_out[STORE_PARTY_LIST_BYTES]);

/*
 * Writes one spelling for all that are the same, by the country of the first SIM card; change
 * notifications use it. Returns false if it is a name.
 */
bool store_party_write(struct store *store, const char *number,
		       char form_out[NUMBER_FORM_BYTES]);

/* A phone number and the SIM at which it is meant (0 if unknown). */
struct store_party_address {
	int64_t sim_id;
	const char *number;
};

/* Are both the same party, in any spelling? */
bool store_party_is(struct store *store, const struct store_party_address *one,
		    const struct store_party_address *other);

/* Is there an outgoing message to the party? False also on an error. */
bool store_party_was_sent_to(struct store *store, const struct store_party *party);
/* Is there an incoming message from the party? True also on an error. */
bool store_party_ever_wrote(struct store *store, const struct store_party *party);

/*
 * Was there a message from this number, or one to it that the network accepted? Any spelling at
 * this SIM (0 if unknown) counts; messages that retention removed do not. Returns 0 if there was,
 * STORE_E_NOT_FOUND if not, or -errno.
 */
int store_party_has_exchanged(struct store *store, int64_t sim_id, const char *number);

/* Messages from and to a party, newest first; their strings live in the arena. */
struct store_party_recent_query {
	struct arena *arena;
	int64_t since_ms; /* no older ones */
	unsigned limit;	  /* the room in `messages` */
	struct message *messages;
	unsigned count; /* output */
};

/* Reads up to `limit` rows of each spelling. Returns 0 or -errno. */
int store_party_recent(struct store *store, const struct store_party *party,
		       struct store_party_recent_query *recent);

/*
 * Opt-outs: phone numbers that sent STOP and not START since. An opt-out is committed with the
 * message that contains it and with an audit line. A restore also keeps the opt-outs of the message
 * store that it replaces (tests/unit/test_store_party_opt_out.c).
 */

/*
 * Has the number, in any spelling at this SIM (0 if unknown), opted out? Returns 0 if it has,
 * STORE_E_NOT_FOUND if not; on -errno do not send.
 */
int store_party_has_opted_out(struct store *store, int64_t sim_id, const char *number);

/*
 * Did the recipient opt out after this message was accepted? Compares message IDs, because
 * clocks are set; compares times where the STOP is not in this message store.
 */
bool store_party_opted_out_since(struct store *store, const struct message *message);

/*
 * Call before a confirmation of the opt-out is sent. True once for each STOP after a START; it
 * is on disk then, whether the confirmation is sent or not.
 */
bool store_party_confirm_opt_out(struct store *store, int64_t sim_id, const char *number);

/* What the owner sees of an opt-out. The strings live until `visit` returns. */
struct store_party_opt_out {
	const char *number; /* its canonical spelling */
	const char *word;   /* "stop"; "" when the owner added it */
	int64_t at_ms;	    /* wall clock, of the first STOP */
	int64_t message_id; /* of the first STOP; 0 if unknown */
	bool asks;	    /* not in force until the owner adds it */
};

/* Lists all opt-outs, the oldest first. Returns 0 or -errno. */
int store_party_list_opt_outs(struct store *store,
			      void (*visit)(void *data,
					    const struct store_party_opt_out *found),
			      void *data);

/*
 * The owner adds or removes an opt-out, in any spelling of the number; `who` is for the audit log.
 * Returns 0; STORE_E_NOT_FOUND if there is nothing to change; -EINVAL if it is not a phone number;
 * STORE_E_FULL or -errno.
 */
int store_party_add_opt_out(struct store *store, const char *number, const char *who);
int store_party_remove_opt_out(struct store *store, const char *number, const char *who);

/*
 * Call it inside the transaction of an incoming message; ignores a sender's name. Returns 0 or an
 * error.
 */
int store_party_record_opt(struct store *store, const struct store_incoming_draft *draft,
			   int64_t message_id);
