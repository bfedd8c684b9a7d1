/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A listing of messages walks one index in the order of IDs and stops when its piece is
 * full, however many messages there are (tests/unit/test_store_listing.c). Rows that the
 * index does not filter out are skipped one by one and count as read. A piece is found
 * in two steps: EDGE_BY_... finds the ID at which it ends, LIST_BY_... reads up to
 * there.
 *
 * The table `conversation` has a row for each spelling of a phone number, which triggers
 * of the table `message` maintain. A conversation is all rows of one party and is listed
 * where its latest row is. The rows are walked from the latest on, and a row is skipped
 * when a later row of the same party exists.
 */
#include "store/store_listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_internal.h"
#include "store/store_party.h"

bool store_listing_knows_number(struct store *store, const char *number)
{
	sqlite3_stmt *statement = store_use(store, CONVERSATION_ROW);
	int result;

	store_bind_text(statement, 1, number);
	result = sqlite3_step(statement);
	store_finish(store, statement, result);
	return result == SQLITE_ROW;
}

/* The most messages that are searched for the first or last ID of a time. */
enum { TIME_ROWS_MAX = 1000 };

/* what a piece of a listing binds */
struct store_listing_terms {
	char *pattern;	    /* NULL: no search */
	const char *number; /* the only spelling that occurs; NULL: see `numbers` */
	char numbers[STORE_PARTY_LIST_BYTES]; /* JSON list of spellings, "" none */
	struct store_party party;	      /* the spellings that occur */
};

/* *id is unchanged when too many messages have such times. */
static int store_listing_id_at(struct store *store, enum store_sql_id which,
			       int64_t wall_ms, int64_t *id)
{
	sqlite3_stmt *statement = store_use(store, which);
	int result;

	sqlite3_bind_int64(statement, 1, wall_ms);
	sqlite3_bind_int64(statement, 2, TIME_ROWS_MAX);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
		*id = sqlite3_column_int64(statement, 0);
	return store_finish(store, statement, result);
}

/*
 * Narrows the times down to IDs: "since yesterday" need not read all the years before.
 * Clocks jump, so times are not in the order of IDs, and the time of each row is still
 * compared.
 */
static int store_listing_begin(struct store *store, struct store_listing_query *query)
{
	const struct store_listing_filter *filter = &query->filter;
	int64_t first = 1, last = INT64_MAX - 1;
	int error = 0;

	if (filter->since_ms)
		error = store_listing_id_at(store, IDS_SINCE, filter->since_ms, &first);
	if (!error && filter->until_ms)
		error = store_listing_id_at(store, IDS_UNTIL, filter->until_ms, &last);
	if (error)
		return error;
	if (!first)
		last = 0;
	query->after_id = filter->after_id >= first ? filter->after_id : first - 1;
	query->before_id = filter->before_id && filter->before_id <= last
				   ? filter->before_id
				   : last + 1;
	return 0;
}

/*
 * The index that leaves the fewest rows to read, as an offset from LIST_BY_ID or
 * EDGE_BY_ID.
 */
static int store_listing_index(const struct store_listing_filter *filter,
			       const struct store_listing_terms *terms)
{
	static const int up = LIST_BY_ID_UP - LIST_BY_ID;
	int index = 0;

	if (terms->number)
		index = LIST_BY_NUMBER - LIST_BY_ID;
	else if (*terms->numbers)
		index = LIST_BY_NUMBERS - LIST_BY_ID;
	else if (filter->unread_only)
		index = LIST_BY_UNREAD - LIST_BY_ID;
	else if (filter->outgoing_only || filter->incoming_only)
		index = LIST_BY_DIRECTION - LIST_BY_ID;
	return filter->after_id ? index + up : index;
}

/* For LIKE: '%' on both sides, its special characters escaped. NULL: no memory. */
static char *store_listing_pattern(const char *search)
{
	char *pattern = malloc(2 * strlen(search) + 3), *end = pattern;

	if (!pattern)
		return NULL;
	*end++ = '%';
	for (; *search; search++) {
		if (strchr("%_\\", *search))
			*end++ = '\\';
		*end++ = *search;
	}
	*end++ = '%';
	*end = '\0';
	return pattern;
}

static void store_listing_keep_known(struct store *store, struct store_party *party)
{
	size_t known = 0;

	for (size_t i = 0; i < party->count; i++) {
		if (store_listing_knows_number(store, party->spellings[i]))
			memmove(party->spellings[known++], party->spellings[i],
				NUMBER_FORM_BYTES);
	}
	party->count = known;
}

/*
 * Finds the spellings of a number that occur. A single one, the usual case, needs no
 * sorting.
 */
static void store_listing_find_numbers(struct store *store, const char *number,
				       struct store_listing_terms *terms)
{
	struct store_party *party = &terms->party;

	terms->number = number;
	terms->numbers[0] = '\0';
	if (!number)
		return;
	store_party_spell(store, 0, number, party);
	store_listing_keep_known(store, party);
	if (party->count == 1)
		terms->number = party->spellings[0];
	if (party->count < 2)
		return;
	store_party_list(party, terms->numbers);
	terms->number = NULL;
}

/* False: no memory. */
static bool store_listing_terms_init(struct store *store,
				     const struct store_listing_filter *filter,
				     struct store_listing_terms *terms)
{
	terms->pattern = filter->search ? store_listing_pattern(filter->search) : NULL;
	store_listing_find_numbers(store, filter->number, terms);
	return terms->pattern || !filter->search;
}

/* `begin` is LIST_BY_ID or EDGE_BY_ID. */
static sqlite3_stmt *store_listing_use(struct store *store, enum store_sql_id begin,
				       const struct store_listing_query *query,
				       const struct store_listing_terms *terms)
{
	const struct store_listing_filter *filter = &query->filter;
	sqlite3_stmt *statement = store_use(
		store, (enum store_sql_id)(begin + store_listing_index(filter, terms)));

	sqlite3_bind_int64(statement, 1, query->after_id);
	sqlite3_bind_int64(statement, 2, query->before_id);
	if (filter->outgoing_only || filter->incoming_only) /* otherwise SQL's NULL */
		sqlite3_bind_int(statement, 3,
				 filter->outgoing_only ? MESSAGE_OUTGOING
						       : MESSAGE_INCOMING);
	store_bind_text(statement, 4, terms->number);
	if (*terms->numbers)
		store_bind_text(statement, 11, terms->numbers);
	return statement;
}

/* The ID of the last row of a piece; 0: the piece goes to the end. */
static int store_listing_find_edge(struct store *store,
				   const struct store_listing_query *query,
				   const struct store_listing_terms *terms, unsigned rows,
				   int64_t *id_out)
{
	sqlite3_stmt *statement = store_listing_use(store, EDGE_BY_ID, query, terms);
	int result;

	sqlite3_bind_int64(statement, 10, (int64_t)rows - 1);
	result = sqlite3_step(statement);
	*id_out = result == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	return store_finish(store, statement, result);
}

/* Reads everything that is left of the query. 0, with *enough_out; -errno. */
static int store_listing_scan(struct store *store,
			      const struct store_listing_query *query,
			      const struct store_listing_terms *terms, bool *enough_out)
{
	const struct store_listing_filter *filter = &query->filter;
	sqlite3_stmt *statement = store_listing_use(store, LIST_BY_ID, query, terms);
	struct message message;
	int result = SQLITE_ROW;

	sqlite3_bind_int64(statement, 5, filter->sim_id);
	sqlite3_bind_int(statement, 6, filter->unread_only);
	sqlite3_bind_int64(statement, 7, filter->since_ms);
	sqlite3_bind_int64(statement, 8, filter->until_ms);
	store_bind_text(statement, 9, terms->pattern);
	*enough_out = false;
	while (!*enough_out && (result = sqlite3_step(statement)) == SQLITE_ROW) {
		store_read_message(statement, &message);
		*enough_out = !query->visit(query->data, &message);
	}
	return store_finish(store, statement, result);
}

static int store_listing_scan_piece(struct store *store,
				    struct store_listing_query *query,
				    const struct store_listing_terms *terms,
				    unsigned rows)
{
	struct store_listing_query piece = *query;
	int64_t edge_id;
	bool enough;
	int error = store_listing_find_edge(store, query, terms, rows, &edge_id);

	if (error)
		return error;
	if (edge_id && query->filter.after_id)
		piece.before_id = edge_id + 1;
	else if (edge_id)
		piece.after_id = edge_id - 1;
	error = store_listing_scan(store, &piece, terms, &enough);
	if (error || enough || !edge_id)
		return error;
	if (query->filter.after_id)
		query->after_id = edge_id;
	else
		query->before_id = edge_id;
	return STORE_E_MORE;
}

int store_listing_messages(struct store *store, struct store_listing_query *query,
			   unsigned rows)
{
	struct store_listing_terms terms;
	int error = 0;

	if (!store_listing_terms_init(store, &query->filter, &terms))
		return -ENOMEM;
	if (!query->before_id)
		error = store_listing_begin(store, query);
	if (!error)
		error = store_listing_scan_piece(store, query, &terms, rows);
	free(terms.pattern);
	return error;
}

struct store_listing_walk {
	struct store *store;
	bool unread_only;
	const char *number; /* of the current row */
	int64_t row_id;	    /* its latest message */
	int64_t latest_id;  /* the latest message of the conversation */
	struct store_party party;
};

/*
 * Adds the row of another spelling. True: that row is later, and represents the
 * conversation.
 */
static bool store_listing_add_spelling(struct store_listing_walk *walk,
				       const char *spelling,
				       struct conversation *conversation)
{
	sqlite3_stmt *statement = store_use(walk->store, CONVERSATION_ROW);
	int64_t last_id = 0, unread = 0;
	int result;

	store_bind_text(statement, 1, spelling);
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
	store_finish(walk->store, statement, result);
	return last_id > walk->row_id && (unread || !walk->unread_only);
}

/*
 * A national number that exists in several countries is decided as store_listing.h says.
 */
static bool store_listing_is_same_party(struct store *store, const char *spelling,
					const char *form)
{
	char other[NUMBER_FORM_BYTES];

	return store_party_write(store, spelling, other) && strcmp(other, form) == 0;
}

/* False: a later row represents the conversation. */
static bool store_listing_join_spellings(struct store_listing_walk *walk,
					 struct conversation *conversation)
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
		    store_listing_is_same_party(walk->store, spelling, form) &&
		    store_listing_add_spelling(walk, spelling, conversation))
			return false;
	}
	return true;
}

static int store_listing_visit_conversation(
	struct store_listing_walk *walk, struct conversation *conversation,
	const struct store_listing_conversation_query *query)
{
	sqlite3_stmt *statement = store_use(walk->store, CONVERSATION_LAST);
	int result;

	sqlite3_bind_int64(statement, 1, walk->latest_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		store_read_message(statement, &conversation->last);
		query->visit(query->data, conversation);
	}
	return store_finish(walk->store, statement, result);
}

/* 1: visited; 0: a later row represents the conversation; -errno. */
static int store_listing_visit_row(struct store *store,
				   const struct store_listing_conversation_query *query,
				   sqlite3_stmt *row)
{
	struct conversation conversation = {
		.number = store_column_text(row, 0),
		.place_id = sqlite3_column_int64(row, 1),
		.messages = sqlite3_column_int64(row, 2),
		.unread = sqlite3_column_int64(row, 3),
	};
	struct store_listing_walk walk = {
		.store = store,
		.unread_only = query->unread_only,
		.number = conversation.number,
		.row_id = conversation.place_id,
		.latest_id = conversation.place_id,
	};
	int error;

	if (!store_listing_join_spellings(&walk, &conversation))
		return 0;
	error = store_listing_visit_conversation(&walk, &conversation, query);
	return error ? error : 1;
}

int store_listing_conversations(struct store *store,
				const struct store_listing_conversation_query *query)
{
	sqlite3_stmt *statement = store_use(
		store, query->unread_only ? CONVERSATIONS_UNREAD : CONVERSATIONS);
	int result = SQLITE_DONE, visited = 0, error;
	unsigned count = 0;

	sqlite3_bind_int64(statement, 1, query->before_id ? query->before_id : INT64_MAX);
	while (visited >= 0 && count < query->limit &&
	       (result = sqlite3_step(statement)) == SQLITE_ROW) {
		visited = store_listing_visit_row(store, query, statement);
		count += visited > 0;
	}
	error = store_finish(store, statement, result);
	return visited < 0 ? visited : error;
}
