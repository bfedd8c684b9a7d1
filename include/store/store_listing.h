/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, listings of messages and conversations. Part of the store of store/store.h.
 *
 * A conversation is all messages with one party, however its phone number is spelt. Two
 * spellings are one party when store_party_write() writes the same for both. A national
 * number that exists in several countries counts as a number of the first SIM card's country
 * (tests/unit/test_store_listing.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/store_message.h"

struct store_listing_filter { /* of both directions; 0, NULL and false filter nothing */
	bool outgoing_only;
	bool incoming_only;
	bool unread_only;
	bool without_service; /* no MESSAGE_SERVICE */
	/* phone number in any spelling (store/store_party.h), or a name */
	const char *number;
	const char *search;	      /* a part of the text, in any case */
	enum store_message_kind kind; /* visits also others: visit decides */
	int64_t sim_id;
	int64_t since_ms;  /* created_ms >= */
	int64_t until_ms;  /* created_ms < */
	int64_t before_id; /* newest first: only messages older than this */
	int64_t after_id;  /* only messages newer than this, oldest first */
};

/*
 * A list of messages, newest first (see after_id), read in pieces. What happens between two
 * pieces does not move the position; messages removed meanwhile are left out.
 */
struct store_listing_query {
	struct store_listing_filter filter; /* strings are borrowed until the end */
	/* Returns false to stop. `message` lives during the call, which must not list or write. */
	bool (*visit)(void *data, const struct message *message);
	void *data;
	/* 0 before the first piece; IDs strictly between the two are left to read */
	int64_t after_id;
	int64_t before_id;
	bool is_sharded; /* private: the search is common, see store_search.c */
};

/*
 * Reads the next `rows` rows of the index that fits best, for a phone number this many of each
 * spelling. Returns 0 at the end, or if visit stopped; STORE_E_MORE if there may be more; or
 * -errno.
 *
 * What it costs hardly depends on how many messages there are (tests/unit/test_store_listing.c),
 * once store/store_index.h has added the messages of an older version.
 */
int store_listing_messages(struct store *store, struct store_listing_query *query,
			   unsigned rows);

struct conversation {
	const char *number;  /* a spelling that occurs: the one with +, else the latest */
	int64_t place_id;    /* before_id of the next page */
	struct message last; /* the newest message, of all spellings */
	int64_t messages;
	int64_t unread;
};

struct store_listing_conversation_query {
	bool unread_only;
	/* `last` is no MESSAGE_SERVICE; a conversation of nothing else is left out. */
	bool without_service;
	int64_t before_id; /* place_id of the last conversation of the previous page, or 0 */
	unsigned limit;
	/* `conversation` lives during the call, which must list nothing. */
	void (*visit)(void *data, const struct conversation *conversation);
	void *data;
};

/*
 * Lists conversations by their latest message, newest first. With unread_only, by the latest
 * message of a spelling that has unread ones. Returns 0 or -errno.
 */
int store_listing_conversations(struct store *store,
				const struct store_listing_conversation_query *query);

/* Does a message have this phone number, spelt exactly so? False also on an error. */
bool store_listing_knows_number(struct store *store, const char *number);
