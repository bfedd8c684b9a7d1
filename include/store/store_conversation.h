/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, conversations: all messages with one party, however its number is spelt in each.
 * Part of the store of store/store.h.
 *
 * Two spellings are one party when store_party_write() writes the same for both. A national
 * number of several countries is that of the first SIM card's: it may stand for itself
 * (tests/unit/test_store_conversation.c).
 */
#ifndef STORE_STORE_CONVERSATION_H
#define STORE_STORE_CONVERSATION_H

#include "store/store.h"

struct conversation {
	const char *
		number; /* a spelling that a message has: the one with +, else the last */
	int64_t place_id;    /* where the list goes on behind it */
	struct message last; /* of all spellings */
	int64_t messages;
	int64_t unread;
};

struct conversation_query {
	bool unread_only;
	int64_t before_id; /* the place_id of the last one before these; 0: from the start */
	unsigned limit;	   /* so many at most */
	/* `conversation` lives during the call, which lists no conversations. */
	void (*visit)(void *data, const struct conversation *conversation);
	void *data;
};

/*
 * By their latest message, that one first; unread ones by the latest of a spelling that has
 * any. 0 or -errno.
 */
int store_conversations_list(struct store *store, const struct conversation_query *query);

/* Is there a message with this number, just as it is written? false also when it fails. */
bool store_conversation_known(struct store *store, const char *number);

#endif
