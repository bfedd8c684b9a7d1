/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table has a row for each spelling of a number, which the triggers of messages keep; a
 * conversation is all rows of one party, and stands where the latest of them does. The rows
 * are walked from the latest on, and those for which a later one stands are passed over.
 */
#include "store/store_conversation.h"

#include <string.h>

#include "store/store_party.h"
#include "store/store_statement.h"

struct walk {
	struct store *store;
	bool unread_only;
	const char *number; /* of the row */
	int64_t row_id;	    /* its latest message */
	int64_t latest_id;  /* of the conversation */
	struct store_party party;
};

/* A row that another stands for; `number` is shown for all of them. False: there is none. */
static bool add_row(struct walk *walk, const char *spelling,
		    struct conversation *conversation)
{
	sqlite3_stmt *statement = store_use(walk->store, CONVERSATION_ROW);
	int64_t last_id = 0, unread = 0;
	int result;

	statement_bind_text(statement, 1, spelling);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		last_id = sqlite3_column_int64(statement, 0);
		unread = sqlite3_column_int64(statement, 2);
		conversation->messages += sqlite3_column_int64(statement, 1);
		conversation->unread += unread;
		if (last_id > walk->latest_id)
			walk->latest_id = last_id;
		if (*spelling == '+')
			conversation->number = spelling;
	}
	store_done(walk->store, statement, result);
	return last_id > walk->row_id && (unread || !walk->unread_only);
}

/* Who is meant by a national number of several countries cannot be told: see the header. */
static bool is_of_party(struct store *store, const char *spelling, const char *form)
{
	char other[NUMBER_FORM_BYTES];

	return store_party_write(store, spelling, other) && strcmp(other, form) == 0;
}

/* False: a later row stands for this one. */
static bool join_rows(struct walk *walk, struct conversation *conversation)
{
	struct store_party *party = &walk->party;
	char form[NUMBER_FORM_BYTES];
	bool is_spelt = false;

	if (!store_party_write(walk->store, walk->number, form))
		return true;
	store_party_spell(walk->store, 0, form, party);
	for (size_t i = 0; i < party->count; i++)
		is_spelt |= strcmp(party->spellings[i], walk->number) == 0;
	if (!is_spelt) /* a name of digits */
		return true;
	for (size_t i = 0; i < party->count; i++) {
		const char *spelling = party->spellings[i];

		if (strcmp(spelling, walk->number) != 0 &&
		    is_of_party(walk->store, spelling, form) &&
		    add_row(walk, spelling, conversation))
			return false;
	}
	return true;
}

static int tell(struct walk *walk, struct conversation *conversation,
		const struct conversation_query *query)
{
	sqlite3_stmt *statement = store_use(walk->store, CONVERSATION_LAST);
	int result;

	sqlite3_bind_int64(statement, 1, walk->latest_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		statement_read_message(statement, &conversation->last);
		query->visit(query->data, conversation);
	}
	return store_done(walk->store, statement, result);
}

/* 1: told; 0: another row stands for this one; -errno. */
static int visit_row(struct store *store, const struct conversation_query *query,
		     sqlite3_stmt *row)
{
	struct conversation conversation = {
		.number = statement_column_text(row, 0),
		.place_id = sqlite3_column_int64(row, 1),
		.messages = sqlite3_column_int64(row, 2),
		.unread = sqlite3_column_int64(row, 3),
	};
	struct walk walk = {
		.store = store,
		.unread_only = query->unread_only,
		.number = conversation.number,
		.row_id = conversation.place_id,
		.latest_id = conversation.place_id,
	};
	int error;

	if (!join_rows(&walk, &conversation))
		return 0;
	error = tell(&walk, &conversation, query);
	return error ? error : 1;
}

int store_conversations_list(struct store *store, const struct conversation_query *query)
{
	sqlite3_stmt *statement = store_use(
		store, query->unread_only ? CONVERSATIONS_UNREAD : CONVERSATIONS);
	int result = SQLITE_DONE, told = 0, error;
	unsigned count = 0;

	sqlite3_bind_int64(statement, 1, query->before_id ? query->before_id : INT64_MAX);
	while (told >= 0 && count < query->limit &&
	       (result = sqlite3_step(statement)) == SQLITE_ROW) {
		told = visit_row(store, query, statement);
		count += told > 0;
	}
	error = store_done(store, statement, result);
	return told < 0 ? told : error;
}

bool store_conversation_known(struct store *store, const char *number)
{
	sqlite3_stmt *statement = store_use(store, CONVERSATION_ROW);
	int result;

	statement_bind_text(statement, 1, number);
	result = sqlite3_step(statement);
	store_done(store, statement, result);
	return result == SQLITE_ROW;
}
