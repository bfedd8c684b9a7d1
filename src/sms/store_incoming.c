/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's incoming messages. Modem and network repeat what they think was not taken:
 * oFono signals it again, with the same stamp (tests/unit/test_store_incoming.c).
 */
#include "sms/store.h"
#include "sms/store_statement.h"

/* What INCOMING_REPEATED and INCOMING_ADD have in common. */
static sqlite3_stmt *incoming_use(struct store *store, enum store_statement which,
				  const struct incoming_draft *draft)
{
	sqlite3_stmt *statement = store_use(store, which);

	statement_bind_text(statement, 1, draft->number);
	statement_bind_text(statement, 2, draft->sent_time);
	statement_bind_text(statement, 3, draft->text);
	sqlite3_bind_int64(statement, 4, draft->sim_id);
	return statement;
}

/* *message_id_out: 0 when it did not come before. */
static int incoming_find(struct store *store, const struct incoming_draft *draft,
			 int64_t *message_id_out)
{
	sqlite3_stmt *statement = incoming_use(store, INCOMING_REPEATED, draft);
	int result;

	sqlite3_bind_int64(statement, 5, draft->told_ms - STORE_REPEAT_MS);
	sqlite3_bind_int64(statement, 6, draft->told_ms + STORE_REPEAT_MS);
	result = sqlite3_step(statement);
	*message_id_out = result == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	return store_done(store, statement, result);
}

static int incoming_count(struct store *store, int64_t message_id, int64_t told_ms)
{
	sqlite3_stmt *statement = store_use(store, INCOMING_COUNT);

	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int64(statement, 2, told_ms);
	return store_run(store, statement);
}

static int incoming_row_add(struct store *store, const struct incoming_draft *draft,
			    int64_t *message_id_out)
{
	sqlite3_stmt *statement = incoming_use(store, INCOMING_ADD, draft);
	int error;

	sqlite3_bind_int64(statement, 5, draft->told_ms);
	sqlite3_bind_int(statement, 6, STATE_RECEIVED);
	sqlite3_bind_int64(statement, 7, draft->flags);
	error = store_run(store, statement);
	if (!error)
		*message_id_out = sqlite3_last_insert_rowid(store->database);
	return error;
}

/* Inside a transaction. *message_id_out: the one that it repeats, or its own. */
static int incoming_put(struct store *store, const struct incoming_draft *draft,
			int64_t *message_id_out, bool *repeated_out)
{
	int error = incoming_find(store, draft, message_id_out);

	if (error)
		return error;
	*repeated_out = *message_id_out;
	if (*repeated_out)
		return incoming_count(store, *message_id_out, draft->told_ms);
	return incoming_row_add(store, draft, message_id_out);
}

int store_incoming_add(struct store *store, const struct incoming_draft *draft,
		       int64_t *message_id_out, bool *repeated_out)
{
	int64_t message_id = 0;
	bool repeated = false;
	int error = store_begin(store);

	if (error)
		return error;
	error = store_end(store, incoming_put(store, draft, &message_id, &repeated));
	if (error)
		return error;
	store->added += !repeated;
	*message_id_out = message_id;
	*repeated_out = repeated;
	return 0;
}
