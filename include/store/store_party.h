/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's parties: what it knows of who is at the other end, however the number is
 * spelt: +36201234567, 0036201234567 and, with a SIM card of Hungary, 06201234567 are one
 * (tests/unit/test_store_party.c).
 */
#ifndef STORE_STORE_PARTY_H
#define STORE_STORE_PARTY_H

#include "numbers/number.h"
#include "store/store.h"

enum {
	STORE_COUNTRIES_MAX = 256, /* more than there are */
	STORE_SPELLINGS_MAX = 64,
	STORE_PARTY_LIST_BYTES = STORE_SPELLINGS_MAX * (NUMBER_FORM_BYTES + 3) + 3,
};

struct store_party {
	size_t count; /* 0: it is a sender's name */
	char spellings[STORE_SPELLINGS_MAX][NUMBER_FORM_BYTES];
};

/* The countries of all SIM cards seen so far, each once, the first first. */
struct store_countries {
	bool known; /* private: else to be read again */
	size_t count;
	const struct country *items[STORE_COUNTRIES_MAX];
};

const struct store_countries *store_party_countries(struct store *store);

/*
 * Every spelling that messages with it may have, as it is meant at this SIM; the SIM's country
 * counts however many others there are (tests/unit/test_store_party.c). At no SIM (0), or one
 * of a country that is not known, a national number may be one of each country, of the first
 * ten or so.
 */
void store_party_spell(struct store *store, int64_t sim_id, const char *number,
		       struct store_party *party_out);

/* The one spelling of a number at this SIM (0: not known); see number_read(). */
bool store_party_form(struct store *store, int64_t sim_id, const char *number,
		      char form_out[NUMBER_FORM_BYTES]);

/* ["+36201234567","06201234567"], for json_each() of a statement. */
void store_party_list(const struct store_party *party,
		      char list_out[STORE_PARTY_LIST_BYTES]);

/*
 * One spelling for all that are the same, by the country of the first SIM card that was seen:
 * under it changes are told. False: it is a name.
 */
bool store_party_write(struct store *store, const char *number,
		       char form_out[NUMBER_FORM_BYTES]);

/* ... without that guess, for what must not mean another. */
void store_party_spell_at(struct store *store, int64_t sim_id, const char *number,
			  struct store_party *party_out);

/* A number, and the SIM that it is written for (0: not known). */
struct store_end {
	int64_t sim_id;
	const char *number;
};

/* Are both the same party, however each is spelt? */
bool store_party_is(struct store *store, const struct store_end *one,
		    const struct store_end *other);

/* Is there a message that was to go to it? false also when that cannot be read. */
bool store_party_was_sent_to(struct store *store, const struct store_party *party);

/* Did any message come from it? true also when that cannot be read. */
bool store_party_ever_wrote(struct store *store, const struct store_party *party);

/* Messages from and to a party, newest first; their strings live in the arena. */
struct store_recent {
	struct arena *arena;
	int64_t since_ms; /* no older ones */
	unsigned limit;	  /* the room of `messages` */
	struct message *messages;
	unsigned count; /* of those found */
};

/* As many as there is room for are looked at of each spelling. 0 or -errno. */
int store_party_recent(struct store *store, const struct store_party *party,
		       struct store_recent *recent);

#endif
