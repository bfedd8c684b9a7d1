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
#include "store/store_search.h"

bool store_listing_knows_number(struct store *store, const char *number)
{
	sqlite3_stmt *statement = store_use(store, CONVERSATION_ROW);

	store_bind_text(statement, 1, number);
	return store_find_row(store, statement) == 0;
}

/* A party with fewer messages is listed from its own, whatever it is searched for. */
enum { SMALL_PARTY = 2000 };

enum { SCANNED_BLOCKS = 8 }; /* of a time window, in one piece */

enum { CONVERSATION_ROWS = 64 }; /* that are read at once for its latest message */

/* what a piece of a listing binds */
struct store_listing_terms {
	/* the only spelling that occurs; NULL if `numbers` holds them */
	const char *number;
	/* JSON list of spellings, "" if there is none */
	char numbers[STORE_PARTY_LIST_BYTES];
	struct store_party party; /* the spellings that occur */
	int64_t party_messages;	  /* of all spellings */
};

static void store_listing_begin(struct store_listing_query *query)
{
	const struct store_listing_filter *filter = &query->filter;

	query->after_id = filter->after_id > 0 ? filter->after_id : 0;
	query->before_id = filter->before_id ? filter->before_id : INT64_MAX;
}

/*
 * Returns the index that leaves the fewest rows to read, as an offset from LIST_BY_ID or
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

/* Returns 0 if there is none, or on an error. */
static int64_t store_listing_count_number(struct store *store, const char *number)
{
	sqlite3_stmt *statement = store_use(store, CONVERSATION_MESSAGES);
	int64_t messages = 0;

	store_bind_text(statement, 1, number);
	return store_read_integer(store, statement, &messages) ? 0 : messages;
}

static void store_listing_keep_known(struct store *store,
				     struct store_listing_terms *terms)
{
	struct store_party *party = &terms->party;
	size_t known = 0;

	for (size_t i = 0; i < party->count; i++) {
		int64_t messages = store_listing_count_number(store, party->spellings[i]);

		terms->party_messages += messages;
		if (messages)
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
	terms->party_messages = 0;
	if (!number)
		return;
	store_party_spell(store, 0, number, party);
	store_listing_keep_known(store, terms);
	if (party->count == 1)
		terms->number = party->spellings[0];
	if (party->count < 2)
		return;
	store_party_list(party, terms->numbers);
	terms->number = NULL;
}

/* `begin` is LIST_BY_ID or EDGE_BY_ID. */
static sqlite3_stmt *store_listing_use(struct store *store, enum store_sql_id begin,
				       const struct store_listing_query *query,
				       const struct store_listing_terms *terms)
{
	const struct store_listing_filter *filter = &query->filter;
	sqlite3_stmt *statement = store_use(
		store, (enum store_sql_id)(begin + store_listing_index(filter, terms)));

	store_bind_integers(statement, 1, query->after_id, query->before_id);
	if (filter->outgoing_only || filter->incoming_only) /* otherwise SQL's NULL */
		sqlite3_bind_int(statement, 3,
				 filter->outgoing_only ? MESSAGE_OUTGOING
						       : MESSAGE_INCOMING);
	store_bind_text(statement, 4, terms->number);
	if (*terms->numbers)
		store_bind_text(statement, 11, terms->numbers);
	return statement;
}

/* Finds the ID of the last row of a piece; 0 if the piece goes to the end. */
static int store_listing_find_edge(struct store *store,
				   const struct store_listing_query *query,
				   const struct store_listing_terms *terms, unsigned rows,
				   int64_t *id_out)
{
	sqlite3_stmt *statement = store_listing_use(store, EDGE_BY_ID, query, terms);

	sqlite3_bind_int64(statement, 10, (int64_t)rows - 1);
	*id_out = 0;
	return store_read_integer(store, statement, id_out);
}

/* What became of a piece. */
struct store_listing_progress {
	/* everything up to it was read; if it is 0, is_whole says what was */
	int64_t last_id;
	bool is_whole;	/* all of the range was read; else, without last_id, nothing */
	bool is_enough; /* visit stopped */
};

/* Reads everything that is left of the query. Returns 0, with *enough_out; or -errno. */
static int store_listing_scan(struct store *store,
			      const struct store_listing_query *query,
			      const struct store_listing_terms *terms, bool *enough_out)
{
	const struct store_listing_filter *filter = &query->filter;
	sqlite3_stmt *statement = store_listing_use(store, LIST_BY_ID, query, terms);
	struct message message;
	int result = SQLITE_ROW;

	store_bind_integers(statement, 5, filter->sim_id, filter->unread_only,
			    filter->since_ms, filter->until_ms);
	store_bind_text(statement, 9, filter->search);
	sqlite3_bind_int(statement, 12, filter->without_service);
	*enough_out = false;
	while (!*enough_out && (result = sqlite3_step(statement)) == SQLITE_ROW) {
		store_read_message(statement, &message);
		*enough_out = !query->visit(query->data, &message);
	}
	return store_finish(store, statement, result);
}

static int store_listing_scan_rows(struct store *store,
				   const struct store_listing_query *query,
				   const struct store_listing_terms *terms, unsigned rows,
				   struct store_listing_progress *progress)
{
	struct store_listing_query piece = *query;
	int error =
		store_listing_find_edge(store, query, terms, rows, &progress->last_id);

	if (error)
		return error;
	progress->is_whole = !progress->last_id;
	if (progress->last_id && query->filter.after_id)
		piece.before_id = progress->last_id + 1;
	else if (progress->last_id)
		piece.after_id = progress->last_id - 1;
	return store_listing_scan(store, &piece, terms, &progress->is_enough);
}

/* Compares what an index found; `query` has the range. */
static int store_listing_scan_found(struct store *store,
				    const struct store_listing_query *query,
				    const struct store_listing_terms *terms,
				    const struct store_search *search,
				    struct store_listing_progress *progress)
{
	struct store_listing_query piece = *query;
	struct store_search_found found;
	int error = store_search_run(store, search, &found);

	for (size_t i = 0; !error && !progress->is_enough && i < found.count; i++) {
		progress->last_id = found.ids[i];
		piece.after_id = found.ids[i] - 1;
		piece.before_id = found.ids[i] + 1;
		error = store_listing_scan(store, &piece, terms, &progress->is_enough);
	}
	progress->is_whole = found.is_whole;
	return error;
}

/* Narrows the range to what is in the index, or else to what is not. */
static int store_listing_split(struct store *store, struct store_search *search)
{
	struct store_search_range *range = &search->range;
	int64_t first_id;
	int error = store_search_first(store, search->index, &first_id);

	if (error)
		return error;
	if (search->is_upward ? range->after_id < first_id - 1
			      : range->before_id <= first_id) {
		search->index = STORE_SEARCH_NONE;
		if (range->before_id > first_id)
			range->before_id = first_id;
		return 0;
	}
	if (range->after_id < first_id - 1)
		range->after_id = first_id - 1;
	return search->is_sharded
		       ? store_search_narrow_shard(store, search->is_upward, range)
		       : 0;
}

/* Finds the next range to read. Returns 0, STORE_E_NOT_FOUND if there is none, or -errno. */
static int store_listing_narrow(struct store *store,
				const struct store_listing_terms *terms,
				struct store_search *search)
{
	const struct store_listing_filter *filter = search->filter;
	int error;

	if (filter->number && terms->party_messages < SMALL_PARTY)
		search->index = STORE_SEARCH_NONE;
	error = store_search_narrow_times(store, filter, search->is_upward,
					  search->index ? INT32_MAX : SCANNED_BLOCKS,
					  &search->range);
	if (error || !search->index)
		return error;
	return store_listing_split(store, search);
}

/* Returns 0 if nothing is left; STORE_E_MORE. */
static int store_listing_advance(struct store_listing_query *query,
				 const struct store_search *search,
				 const struct store_listing_progress *progress)
{
	const struct store_search_range *range = &search->range;

	if (!progress->is_whole && !progress->last_id)
		query->is_sharded = true;
	else if (search->is_upward)
		query->after_id =
			progress->is_whole ? range->before_id - 1 : progress->last_id;
	else
		query->before_id =
			progress->is_whole ? range->after_id + 1 : progress->last_id;
	return query->before_id - query->after_id > 1 ? STORE_E_MORE : 0;
}

static int store_listing_read_piece(struct store *store,
				    struct store_listing_query *query,
				    const struct store_listing_terms *terms,
				    unsigned rows)
{
	struct store_search search = {
		.filter = &query->filter,
		.index = store_search_choose(&query->filter),
		.is_upward = query->filter.after_id != 0,
		.is_sharded = query->is_sharded,
		.range = { query->after_id, query->before_id },
	};
	struct store_listing_progress progress = { 0 };
	struct store_listing_query piece = *query;
	int error = store_listing_narrow(store, terms, &search);

	if (error)
		return error == STORE_E_NOT_FOUND ? 0 : error;
	piece.after_id = search.range.after_id;
	piece.before_id = search.range.before_id;
	if (search.index)
		error = store_listing_scan_found(store, &piece, terms, &search,
						 &progress);
	else
		error = store_listing_scan_rows(store, &piece, terms, rows, &progress);
	if (error || progress.is_enough)
		return error;
	return store_listing_advance(query, &search, &progress);
}

int store_listing_messages(struct store *store, struct store_listing_query *query,
			   unsigned rows)
{
	struct store_listing_terms terms;

	store_listing_find_numbers(store, query->filter.number, &terms);
	if (!query->before_id)
		store_listing_begin(query);
	return store_listing_read_piece(store, query, &terms, rows);
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
 * Adds the row of another spelling. Returns true if that row is later, and represents the
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

/* Returns false if a later row represents the conversation. */
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

struct store_listing_visit {
	struct conversation *conversation;
	const struct store_listing_conversation_query *query;
	bool is_done;
};

/* Returns false if the conversation has been visited. */
static bool store_listing_visit_last(void *data, const struct message *message)
{
	struct store_listing_visit *visit = data;

	visit->conversation->last = *message;
	visit->query->visit(visit->query->data, visit->conversation);
	visit->is_done = true;
	return false;
}

/*
 * Returns 1 if it was visited, with the newest message that is no service text; 0 if there is none;
 * or -errno.
 */
static int store_listing_visit_ordinary(struct store *store,
					struct store_listing_visit *visit)
{
	struct store_listing_query query = {
		.filter = { .number = visit->conversation->number,
			    .without_service = true },
		.visit = store_listing_visit_last,
		.data = visit,
	};
	int error;

	do
		error = store_listing_messages(store, &query, CONVERSATION_ROWS);
	while (error == STORE_E_MORE);
	return error ? error : visit->is_done;
}

/*
 * Returns 1 if it was visited; 0 if the caller wants no conversation of service texts alone; or
 * -errno.
 */
static int store_listing_visit_conversation(
	struct store_listing_walk *walk, struct conversation *conversation,
	const struct store_listing_conversation_query *query)
{
	sqlite3_stmt *statement = store_use(walk->store, CONVERSATION_LAST);
	struct store_listing_visit visit = { conversation, query, false };
	struct message last;
	int result, error;

	sqlite3_bind_int64(statement, 1, walk->latest_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		store_read_message(statement, &last);
		if (!query->without_service || !(last.flags & MESSAGE_SERVICE))
			store_listing_visit_last(&visit, &last);
	}
	error = store_finish(walk->store, statement, result);
	if (error || visit.is_done || result != SQLITE_ROW)
		return error ? error : 1;
	return store_listing_visit_ordinary(walk->store, &visit);
}

/* Returns 1 if it was visited, 0 if this row is none, or -errno. */
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

	if (!store_listing_join_spellings(&walk, &conversation))
		return 0;
	return store_listing_visit_conversation(&walk, &conversation, query);
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
