/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognises repeats. The modem and the network repeat messages that they believe were
 * not accepted: oFono then signals the same text with the same time stamp again
 * (tests/unit/test_store_incoming.c).
 *
 * With our plugin in ofonod each arrival is reported twice, in any order: by a signal,
 * unless the gateway was down, and by a spool file, unless the spool was full. So a
 * message arrived as often as the way that reported it more often. spool_lead is the
 * number of files minus the number of signals. A file that is read again, because the
 * gateway died before removing it, has a name that is not greater than the one in the
 * row.
 */
#include "store/store_incoming.h"

#include "base/clock.h"
#include "store/store_internal.h"
#include "store/store_party.h"

/* The parameters that INCOMING_REPEATED and INCOMING_ADD share. */
static sqlite3_stmt *store_incoming_use(struct store *store, enum store_sql_id which,
					const struct store_incoming_draft *draft)
{
	sqlite3_stmt *statement = store_use(store, which);

	store_bind_text(statement, 1, draft->number);
	store_bind_text(statement, 2, draft->sent_time);
	store_bind_text(statement, 3, draft->text);
	sqlite3_bind_int64(statement, 4, draft->sim_id);
	return statement;
}

/* Steps a bound statement. *message_id_out: 0 when there is no row. */
static int store_incoming_read_id(struct store *store, sqlite3_stmt *statement,
				  int64_t *message_id_out)
{
	int result = sqlite3_step(statement);

	*message_id_out = result == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	return store_finish(store, statement, result);
}

/* *message_id_out: 0 when it is no repeat. */
static int store_incoming_find_repeat(struct store *store,
				      const struct store_incoming_draft *draft,
				      int64_t *message_id_out)
{
	sqlite3_stmt *statement = store_incoming_use(store, INCOMING_REPEATED, draft);

	sqlite3_bind_int64(statement, 5, draft->reported_ms - STORE_REPEAT_MS);
	sqlite3_bind_int64(statement, 6, draft->reported_ms + STORE_REPEAT_MS);
	sqlite3_bind_int(statement, 7, draft->spool_file != NULL);
	sqlite3_bind_int(statement, 8, STORE_HALVES_MAX);
	return store_incoming_read_id(store, statement, message_id_out);
}

/* *message_id_out: 0 for a signal, or for a new file. */
static int store_incoming_find_file(struct store *store,
				    const struct store_incoming_draft *draft,
				    int64_t *message_id_out)
{
	sqlite3_stmt *statement = store_use(store, INCOMING_OF_FILE);

	if (draft->spool_file)
		store_bind_text(statement, 1, draft->spool_file);
	return store_incoming_read_id(store, statement, message_id_out);
}

static int store_incoming_count_repeat(struct store *store, int64_t message_id,
				       const struct store_incoming_draft *draft)
{
	bool spooled = draft->spool_file;
	sqlite3_stmt *statement =
		store_use(store, spooled ? INCOMING_SPOOLED : INCOMING_SIGNALLED);

	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int64(statement, 2, draft->reported_ms);
	if (spooled)
		store_bind_text(statement, 3, draft->spool_file);
	return store_run(store, statement);
}

static int store_incoming_add_row(struct store *store,
				  const struct store_incoming_draft *draft,
				  int64_t *message_id_out)
{
	sqlite3_stmt *statement = store_incoming_use(store, INCOMING_ADD, draft);
	int error;

	sqlite3_bind_int64(statement, 5, draft->reported_ms);
	sqlite3_bind_int(statement, 6, STATE_RECEIVED);
	sqlite3_bind_int64(statement, 7, draft->flags);
	store_bind_text(statement, 8, draft->spool_file ? draft->spool_file : "");
	sqlite3_bind_int(statement, 9, draft->spool_file ? 1 : -1);
	error = store_run(store, statement);
	if (error)
		return error;
	*message_id_out = sqlite3_last_insert_rowid(store->database);
	return store_party_record_opt(store, draft, *message_id_out);
}

/* Inside a transaction. */
static int store_incoming_put(struct store *store,
			      const struct store_incoming_draft *draft,
			      int64_t *message_id_out, bool *known_out)
{
	int error = store_incoming_find_file(store, draft, message_id_out);

	if (!error && !*message_id_out)
		error = store_incoming_find_repeat(store, draft, message_id_out);
	if (error)
		return error;
	*known_out = *message_id_out;
	if (*known_out)
		return store_incoming_count_repeat(store, *message_id_out, draft);
	return store_incoming_add_row(store, draft, message_id_out);
}

/* Inside a transaction. */
static int store_incoming_put_group(struct store *store,
				    struct store_incoming_entry *entries, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = store_incoming_put(store, entries[i].draft,
					   &entries[i].message_id, &entries[i].known);
	return error;
}

int store_incoming_add_group(struct store *store, struct store_incoming_entry *entries,
			     size_t count)
{
	int error = store_begin(store);

	if (error)
		return error;
	error = store_end(store, store_incoming_put_group(store, entries, count));
	if (error)
		return error;
	for (size_t i = 0; i < count; i++)
		store->added += !entries[i].known;
	return 0;
}

static int store_incoming_mark_one_read(struct store *store, int64_t message_id,
					int64_t now_ms)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_MARK_READ);

	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int64(statement, 2, now_ms);
	return store_run(store, statement);
}

int store_incoming_mark_read(struct store *store, const int64_t *message_ids,
			     size_t count, unsigned *marked_out)
{
	int64_t now_ms = clock_wall_ms();
	unsigned marked = 0;
	int error = store_begin(store);
	size_t place;

	if (error)
		return error;
	if (now_ms < 1)
		now_ms = 1; /* 0 means unread */
	for (place = 0; !error && place < count; place++) {
		error = store_incoming_mark_one_read(store, message_ids[place], now_ms);
		marked += !error && sqlite3_changes(store->database);
	}
	error = store_end(store, error);
	if (!error)
		*marked_out = marked;
	return error;
}
