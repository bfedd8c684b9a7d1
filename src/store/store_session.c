/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MCP sessions are stored lazily, because clients may begin any number of them, and each
 * would make everybody wait for the disk.
 *
 * The elicitation key is stored with the messages, and a restore or rescue discards it:
 * messages sent after an answer may be missing then, so no earlier question may be
 * answered (tests/integration/test_ask.py::test_a_restore_invalidates_earlier_states).
 */
#include "store/store.h"

#include "base/clock.h"
#include "store/store_internal.h"
#include "store/store_setting.h"

int store_session_put(struct store *store, const struct session_record *record)
{
	sqlite3_stmt *statement = store_use_lazily(store, SESSION_PUT);

	store_bind_text(statement, 1, record->id);
	sqlite3_bind_int64(statement, 2, record->client_id);
	store_bind_text(statement, 3, record->revision);
	store_bind_integers(statement, 4, record->capabilities, record->used_ms);
	store_bind_text(statement, 6, record->subscriptions);
	return store_run(store, statement);
}

int store_session_remove(struct store *store, const char *id)
{
	sqlite3_stmt *statement = store_use_lazily(store, SESSION_REMOVE);

	store_bind_text(statement, 1, id);
	return store_run(store, statement);
}

int store_session_list(struct store *store,
		       void (*visit)(void *visit_data,
				     const struct session_record *record),
		       void *visit_data)
{
	sqlite3_stmt *statement = store_use(store, SESSIONS);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		struct session_record record = {
			.id = store_column_text(statement, 0),
			.client_id = sqlite3_column_int64(statement, 1),
			.revision = store_column_text(statement, 2),
			.capabilities = sqlite3_column_int64(statement, 3),
			.used_ms = sqlite3_column_int64(statement, 4),
			.subscriptions = store_column_text(statement, 5),
		};

		visit(visit_data, &record);
	}
	return store_finish(store, statement, result);
}

_Static_assert(sizeof(struct crypto_key) == STORE_SETTING_SECRET_BYTES,
	       "the secret is the key");

int store_session_elicitation_key(struct store *store, struct crypto_key *key)
{
	return store_setting_secret(store, STORE_SETTING_ELICITATION_KEY, key->bytes);
}

int store_session_decline_elicitation(struct store *store, const char *request,
				      int64_t until_ms)
{
	sqlite3_stmt *statement = store_use(store, DECLINED_ADD);
	int error;

	store_bind_text(statement, 1, request);
	sqlite3_bind_int64(statement, 2, until_ms);
	error = store_run(store, statement);
	return error ? error
		     : store_execute(store, DECLINED_PRUNE, clock_wall_ms(),
				     STORE_DECLINED_MAX);
}

bool store_session_is_declined(struct store *store, const char *request)
{
	sqlite3_stmt *statement = store_use(store, DECLINED_FIND);

	store_bind_text(statement, 1, request);
	return store_find_row(store, statement) != STORE_E_NOT_FOUND;
}
