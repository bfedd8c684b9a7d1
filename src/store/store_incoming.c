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
#include "store/store.h"

#include "base/clock.h"
#include "store/store_command.h"
#include "store/store_internal.h"
#include "store/store_party.h"
#include "store/store_usage.h"

/* Binds the parameters that INCOMING_REPEATED and INCOMING_ADD share. */
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

/* Fills *message_id_out when it is a repeat. */
static int store_incoming_find_repeat(struct store *store,
				      const struct store_incoming_draft *draft,
				      int64_t *message_id_out)
{
	sqlite3_stmt *statement = store_incoming_use(store, INCOMING_REPEATED, draft);

	store_bind_integers(statement, 5, draft->reported_ms - STORE_REPEAT_MS,
			    draft->reported_ms + STORE_REPEAT_MS,
			    draft->spool_file != NULL, STORE_HALVES_MAX);
	return store_read_integer(store, statement, message_id_out);
}

/* Fills *message_id_out unless it is a signal, or a new file. */
static int store_incoming_find_file(struct store *store,
				    const struct store_incoming_draft *draft,
				    int64_t *message_id_out)
{
	sqlite3_stmt *statement = store_use(store, INCOMING_OF_FILE);

	if (draft->spool_file)
		store_bind_text(statement, 1, draft->spool_file);
	return store_read_integer(store, statement, message_id_out);
}

static int store_incoming_count_repeat(struct store *store, int64_t message_id,
				       const struct store_incoming_draft *draft)
{
	bool spooled = draft->spool_file;
	sqlite3_stmt *statement =
		store_use(store, spooled ? INCOMING_SPOOLED : INCOMING_SIGNALLED);

	store_bind_integers(statement, 1, message_id, draft->reported_ms);
	if (spooled)
		store_bind_text(statement, 3, draft->spool_file);
	return store_run(store, statement);
}

static int store_incoming_add_row(struct store *store, struct store_incoming_entry *entry)
{
	const struct store_incoming_draft *draft = entry->draft;
	sqlite3_stmt *statement;
	int error = store_command_judge(store, entry);

	if (error)
		return error;
	statement = store_incoming_use(store, INCOMING_ADD, draft);
	store_bind_integers(statement, 5, draft->reported_ms, STATE_RECEIVED,
			    entry->flags);
	store_bind_text(statement, 8, draft->spool_file ? draft->spool_file : "");
	sqlite3_bind_int(statement, 9, draft->spool_file ? 1 : -1);
	error = store_run(store, statement);
	if (error)
		return error;
	entry->message_id = sqlite3_last_insert_rowid(store->database);
	error = store_index_put(store, entry->message_id);
	if (!error)
		error = store_party_record_opt(store, draft, entry->message_id);
	return error ? error : store_command_record(store, entry);
}

/* Call it inside a transaction. */
static int store_incoming_put(struct store *store, struct store_incoming_entry *entry)
{
	const struct store_incoming_draft *draft = entry->draft;
	int error;

	entry->message_id = 0;
	error = store_incoming_find_file(store, draft, &entry->message_id);
	if (!error && !entry->message_id)
		error = store_incoming_find_repeat(store, draft, &entry->message_id);
	if (error)
		return error;
	entry->known = entry->message_id;
	if (entry->known)
		return store_incoming_count_repeat(store, entry->message_id, draft);
	return store_incoming_add_row(store, entry);
}

int store_incoming_add_group(struct store *store, struct store_incoming_entry *entries,
			     size_t count)
{
	int error = store_begin(store);

	if (error)
		return error;
	for (size_t i = 0; i < count && !error; i++)
		error = store_incoming_put(store, &entries[i]);
	error = store_end(store, error);
	if (error) {
		store_usage_forget_clock(store); /* judging may have written it */
		return error;
	}
	for (size_t i = 0; i < count; i++)
		store->added += !entries[i].known;
	return 0;
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
		error = store_execute(store, MESSAGE_MARK_READ, message_ids[place],
				      now_ms);
		marked += !error && sqlite3_changes(store->database);
	}
	error = store_end(store, error);
	if (!error)
		*marked_out = marked;
	return error;
}
