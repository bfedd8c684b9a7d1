/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The key lives where the messages do, and a restore or a rescue takes it away: what was
 * answered before may not be known then, so that nothing asked before may count
 * (tests/integration/test_ask.py::test_a_restored_ledger_knows_no_question).
 */
#include "base/clock.h"
#include "store/store.h"
#include "store/store_secret.h"
#include "store/store_statement.h"

_Static_assert(sizeof(struct elicitation_key) == STORE_SECRET_BYTES,
	       "the secret is the key");

int store_asking_key(struct store *store, struct elicitation_key *key)
{
	return store_secret(store, STORE_ASKING_PURPOSE, key->bytes);
}

static int forget_old(struct store *store)
{
	sqlite3_stmt *statement = store_use(store, ASKING_FORGET);

	sqlite3_bind_int64(statement, 1, clock_wall_ms());
	sqlite3_bind_int64(statement, 2, STORE_ASKINGS_CLOSED_MAX);
	return store_run(store, statement);
}

int store_asking_close(struct store *store, const char *order, int64_t until_ms)
{
	sqlite3_stmt *statement = store_use(store, ASKING_CLOSE);

	statement_bind_text(statement, 1, order);
	sqlite3_bind_int64(statement, 2, until_ms);
	return store_run(store, statement) ?: forget_old(store);
}

bool store_asking_is_closed(struct store *store, const char *order)
{
	sqlite3_stmt *statement = store_use(store, ASKING_CLOSED);
	int result;

	statement_bind_text(statement, 1, order);
	result = sqlite3_step(statement);
	store_done(store, statement, result);
	return result != SQLITE_DONE;
}
