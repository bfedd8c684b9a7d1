/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The key lives where the messages do, and a restore or a rescue takes it away: what was
 * answered before may not be known then, so that nothing asked before may count
 * (tests/integration/test_ask.py::test_a_restored_ledger_knows_no_question).
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "sms/store.h"
#include "sms/store_statement.h"

static int add_key(struct store *store, const struct asking_key *key)
{
	sqlite3_stmt *statement = store_use(store, ASKING_KEY_ADD);

	sqlite3_bind_blob(statement, 1, key->bytes, sizeof(key->bytes), SQLITE_STATIC);
	return store_run(store, statement);
}

int store_asking_key(void *data, struct asking_key *key)
{
	struct store *store = data;
	int error = add_key(store, key);
	sqlite3_stmt *statement;
	int result;

	if (error)
		return error;
	statement = store_use(store, ASKING_KEY);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW &&
	    sqlite3_column_bytes(statement, 0) == sizeof(key->bytes))
		memcpy(key->bytes, sqlite3_column_blob(statement, 0), sizeof(key->bytes));
	else
		error = -EUCLEAN;
	return store_done(store, statement, result) ?: error;
}

static int forget_old(struct store *store)
{
	sqlite3_stmt *statement = store_use(store, ASKING_FORGET);

	sqlite3_bind_int64(statement, 1, clock_wall_ms());
	sqlite3_bind_int64(statement, 2, STORE_ASKINGS_CLOSED_MAX);
	return store_run(store, statement);
}

int store_asking_close(void *data, const char *order, int64_t until_ms)
{
	struct store *store = data;
	sqlite3_stmt *statement = store_use(store, ASKING_CLOSE);

	statement_bind_text(statement, 1, order);
	sqlite3_bind_int64(statement, 2, until_ms);
	return store_run(store, statement) ?: forget_old(store);
}

bool store_asking_is_closed(void *data, const char *order)
{
	struct store *store = data;
	sqlite3_stmt *statement = store_use(store, ASKING_CLOSED);
	int result;

	statement_bind_text(statement, 1, order);
	result = sqlite3_step(statement);
	store_done(store, statement, result);
	return result != SQLITE_DONE;
}
