/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's lists. Each walks one index in the order of ids and stops when its page is
 * full, however many messages there are (tests/unit/test_store_listing.c). What the index
 * does not tell apart is left out row by row, and a look counts those rows, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_conversation.h"
#include "store/store_party.h"
#include "store/store_statement.h"

/* So many messages are asked for the first or the last id of a time. */
enum { TIME_ROWS_MAX = 1000 };

/* what a piece of a look binds */
struct look_words {
	char *pattern; /* NULL: no search */
	const char
		*number; /* as all messages of the party have it; NULL: see `numbers` */
	char numbers[STORE_PARTY_LIST_BYTES]; /* "" none */
	struct store_party party;	      /* its spellings that there are */
};

/* *id stays as it is when a time has too many messages to ask. */
static int id_ask(struct store *store, enum store_statement which, int64_t wall_ms,
		  int64_t *id)
{
	sqlite3_stmt *statement = store_use(store, which);
	int result;

	sqlite3_bind_int64(statement, 1, wall_ms);
	sqlite3_bind_int64(statement, 2, TIME_ROWS_MAX);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
		*id = sqlite3_column_int64(statement, 0);
	return store_done(store, statement, result);
}

/*
 * The ids that can be meant: "since yesterday" need not look at all the years before.
 * Clocks jump, so that times are not in the order of ids: each row's time still counts.
 */
static int look_begin(struct store *store, struct message_look *look)
{
	const struct message_filter *filter = &look->filter;
	int64_t first = 1, last = INT64_MAX - 1;
	int error = 0;

	if (filter->since_ms)
		error = id_ask(store, IDS_SINCE, filter->since_ms, &first);
	if (!error && filter->until_ms)
		error = id_ask(store, IDS_UNTIL, filter->until_ms, &last);
	if (error)
		return error;
	if (!first)
		last = 0;
	look->after_id = filter->after_id >= first ? filter->after_id : first - 1;
	look->before_id = filter->before_id && filter->before_id <= last
				  ? filter->before_id
				  : last + 1;
	return 0;
}

/* The index that leaves least to look at: its place behind LIST_BY_ID or EDGE_BY_ID. */
static int look_index(const struct message_filter *filter, const struct look_words *words)
{
	static const int up = LIST_BY_ID_UP - LIST_BY_ID;
	int index = 0;

	if (words->number)
		index = LIST_BY_NUMBER - LIST_BY_ID;
	else if (*words->numbers)
		index = LIST_BY_NUMBERS - LIST_BY_ID;
	else if (filter->unread_only)
		index = LIST_BY_UNREAD - LIST_BY_ID;
	else if (filter->outgoing_only || filter->incoming_only)
		index = LIST_BY_DIRECTION - LIST_BY_ID;
	return filter->after_id ? index + up : index;
}

/* For LIKE: '%' on both sides, and its special characters escaped. NULL: no memory. */
static char *search_pattern(const char *search)
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

static void keep_known(struct store *store, struct store_party *party)
{
	size_t known = 0;

	for (size_t i = 0; i < party->count; i++) {
		if (store_conversation_known(store, party->spellings[i]))
			memmove(party->spellings[known++], party->spellings[i],
				NUMBER_FORM_BYTES);
	}
	party->count = known;
}

/* The spellings of a number that there are. One alone, as nearly always, needs no sorting. */
static void find_numbers(struct store *store, const char *number,
			 struct look_words *words)
{
	struct store_party *party = &words->party;

	words->number = number;
	words->numbers[0] = '\0';
	if (!number)
		return;
	store_party_spell(store, 0, number, party);
	keep_known(store, party);
	if (party->count == 1)
		words->number = party->spellings[0];
	if (party->count < 2)
		return;
	store_party_list(party, words->numbers);
	words->number = NULL;
}

/* False: no memory. */
static bool look_words_init(struct store *store, const struct message_filter *filter,
			    struct look_words *words)
{
	words->pattern = filter->search ? search_pattern(filter->search) : NULL;
	find_numbers(store, filter->number, words);
	return words->pattern || !filter->search;
}

/* `begin` is LIST_BY_ID or EDGE_BY_ID. */
static sqlite3_stmt *look_use(struct store *store, enum store_statement begin,
			      const struct message_look *look,
			      const struct look_words *words)
{
	const struct message_filter *filter = &look->filter;
	sqlite3_stmt *statement = store_use(
		store, (enum store_statement)(begin + look_index(filter, words)));

	sqlite3_bind_int64(statement, 1, look->after_id);
	sqlite3_bind_int64(statement, 2, look->before_id);
	if (filter->outgoing_only || filter->incoming_only) /* else SQL's NULL */
		sqlite3_bind_int(statement, 3,
				 filter->outgoing_only ? MESSAGE_OUTGOING
						       : MESSAGE_INCOMING);
	statement_bind_text(statement, 4, words->number);
	if (*words->numbers)
		statement_bind_text(statement, 11, words->numbers);
	return statement;
}

/* The id of the last row of a piece; 0: it goes to the end. */
static int edge_find(struct store *store, const struct message_look *look,
		     const struct look_words *words, unsigned rows, int64_t *id_out)
{
	sqlite3_stmt *statement = look_use(store, EDGE_BY_ID, look, words);
	int result;

	sqlite3_bind_int64(statement, 10, (int64_t)rows - 1);
	result = sqlite3_step(statement);
	*id_out = result == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	return store_done(store, statement, result);
}

/* All of the look that is left. 0, with *enough_out; -errno. */
static int look_through(struct store *store, const struct message_look *look,
			const struct look_words *words, bool *enough_out)
{
	const struct message_filter *filter = &look->filter;
	sqlite3_stmt *statement = look_use(store, LIST_BY_ID, look, words);
	struct message message;
	int result = SQLITE_ROW;

	sqlite3_bind_int64(statement, 5, filter->sim_id);
	sqlite3_bind_int(statement, 6, filter->unread_only);
	sqlite3_bind_int64(statement, 7, filter->since_ms);
	sqlite3_bind_int64(statement, 8, filter->until_ms);
	statement_bind_text(statement, 9, words->pattern);
	*enough_out = false;
	while (!*enough_out && (result = sqlite3_step(statement)) == SQLITE_ROW) {
		statement_read_message(statement, &message);
		*enough_out = !look->visit(look->data, &message);
	}
	return store_done(store, statement, result);
}

static int look_on(struct store *store, struct message_look *look,
		   const struct look_words *words, unsigned rows)
{
	struct message_look piece = *look;
	int64_t edge_id;
	bool enough;
	int error = edge_find(store, look, words, rows, &edge_id);

	if (error)
		return error;
	if (edge_id && look->filter.after_id)
		piece.before_id = edge_id + 1;
	else if (edge_id)
		piece.after_id = edge_id - 1;
	error = look_through(store, &piece, words, &enough);
	if (error || enough || !edge_id)
		return error;
	if (look->filter.after_id)
		look->after_id = edge_id;
	else
		look->before_id = edge_id;
	return STORE_E_MORE;
}

int store_messages_look(struct store *store, struct message_look *look, unsigned rows)
{
	struct look_words words;
	int error = 0;

	if (!look_words_init(store, &look->filter, &words))
		return -ENOMEM;
	if (!look->before_id)
		error = look_begin(store, look);
	if (!error)
		error = look_on(store, look, &words, rows);
	free(words.pattern);
	return error;
}

int store_message_newest(struct store *store, int64_t *message_id_out)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_NEWEST);
	int result = sqlite3_step(statement);
	int64_t message_id = sqlite3_column_int64(statement, 0); /* 0 for SQL's NULL */
	int error = store_done(store, statement, result);

	if (!error)
		*message_id_out = message_id;
	return error;
}

static int message_mark_read(struct store *store, int64_t message_id, int64_t now_ms)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_MARK_READ);

	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int64(statement, 2, now_ms);
	return store_run(store, statement);
}

int store_messages_mark_read(struct store *store, const int64_t *message_ids,
			     size_t count, unsigned *marked_out)
{
	int64_t now_ms = clock_wall_ms();
	unsigned marked = 0;
	int error = store_begin(store);
	size_t place;

	if (error)
		return error;
	if (now_ms < 1)
		now_ms = 1; /* 0 is unread */
	for (place = 0; !error && place < count; place++) {
		error = message_mark_read(store, message_ids[place], now_ms);
		marked += !error && sqlite3_changes(store->database);
	}
	error = store_end(store, error);
	if (!error)
		*marked_out = marked;
	return error;
}
