/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's lists. Each page walks one index in the order of ids and stops when it is
 * full, however many messages there are (tests/unit/test_store_listing.c). What the index
 * does not tell apart is left out row by row.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sms/store.h"
#include "sms/store_statement.h"

/* ids strictly between these */
struct id_range {
	int64_t after;
	int64_t before;
};

/* The id that a statement of one parameter and one value gives; 0: none. */
static int id_ask(struct store *store, enum store_statement which, int64_t parameter,
		  int64_t *id_out)
{
	sqlite3_stmt *statement = store_use(store, which);
	int result;

	sqlite3_bind_int64(statement, 1, parameter);
	result = sqlite3_step(statement);
	*id_out = result == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	return store_done(store, statement, result);
}

/*
 * The ids that can be meant. Clocks jump, so that times are not in the order of ids: the
 * page still looks at the time of each.
 */
static int range_find(struct store *store, const struct message_filter *filter,
		      struct id_range *range)
{
	int64_t first = 1, last = INT64_MAX - 1;
	int error = 0;

	if (filter->since_ms)
		error = id_ask(store, IDS_SINCE, filter->since_ms, &first);
	if (!error && filter->until_ms)
		error = id_ask(store, IDS_UNTIL, filter->until_ms, &last);
	if (!first)
		last = 0;
	range->after = filter->after_id >= first ? filter->after_id : first - 1;
	range->before = filter->before_id && filter->before_id <= last ? filter->before_id
								       : last + 1;
	return error;
}

/* The index that leaves least to look at. */
static enum store_statement list_statement(const struct message_filter *filter)
{
	static const int up = LIST_BY_ID_UP - LIST_BY_ID;
	int which = LIST_BY_ID;

	if (filter->number)
		which = LIST_BY_NUMBER;
	else if (filter->unread_only)
		which = LIST_BY_UNREAD;
	else if (filter->outgoing_only || filter->incoming_only)
		which = LIST_BY_DIRECTION;
	return (enum store_statement)(filter->after_id ? which + up : which);
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

static void list_bind(sqlite3_stmt *statement, const struct message_filter *filter,
		      const struct id_range *range, const char *pattern)
{
	sqlite3_bind_int64(statement, 1, range->after);
	sqlite3_bind_int64(statement, 2, range->before);
	if (filter->outgoing_only || filter->incoming_only) /* else SQL's NULL */
		sqlite3_bind_int(statement, 3,
				 filter->outgoing_only ? MESSAGE_OUTGOING
						       : MESSAGE_INCOMING);
	statement_bind_text(statement, 4, filter->number);
	sqlite3_bind_int64(statement, 5, filter->sim_id);
	sqlite3_bind_int(statement, 6, filter->unread_only);
	sqlite3_bind_int64(statement, 7, filter->since_ms);
	sqlite3_bind_int64(statement, 8, filter->until_ms);
	statement_bind_text(statement, 9, pattern);
	sqlite3_bind_int64(statement, 10, filter->limit);
}

int store_messages_list(struct store *store, const struct message_filter *filter,
			void (*visit)(void *data, const struct message *message),
			void *data)
{
	char *pattern = filter->search ? search_pattern(filter->search) : NULL;
	sqlite3_stmt *statement;
	struct id_range range;
	struct message message;
	int result, error;

	if (filter->search && !pattern)
		return -ENOMEM;
	error = range_find(store, filter, &range);
	if (!error) {
		statement = store_use(store, list_statement(filter));
		list_bind(statement, filter, &range, pattern);
		while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
			statement_read_message(statement, &message);
			visit(data, &message);
		}
		error = store_done(store, statement, result);
	}
	free(pattern);
	return error;
}

int store_conversations_list(
	struct store *store, bool unread_only, int64_t before_id, unsigned limit,
	void (*visit)(void *data, const struct conversation *conversation), void *data)
{
	sqlite3_stmt *statement =
		store_use(store, unread_only ? CONVERSATIONS_UNREAD : CONVERSATIONS);
	struct conversation conversation;
	int first = sqlite3_column_count(statement) - 2; /* behind MESSAGE_COLUMNS */
	int result;

	sqlite3_bind_int64(statement, 1, before_id ? before_id : INT64_MAX);
	sqlite3_bind_int64(statement, 2, limit);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		statement_read_message(statement, &conversation.last);
		conversation.number = conversation.last.number;
		conversation.messages = sqlite3_column_int64(statement, first);
		conversation.unread = sqlite3_column_int64(statement, first + 1);
		visit(data, &conversation);
	}
	return store_done(store, statement, result);
}

bool store_conversation_known(struct store *store, const char *number)
{
	sqlite3_stmt *statement = store_use(store, CONVERSATION_KNOWN);
	int result;

	statement_bind_text(statement, 1, number);
	result = sqlite3_step(statement);
	store_done(store, statement, result);
	return result == SQLITE_ROW;
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
