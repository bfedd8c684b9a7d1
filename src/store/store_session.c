/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store.h"
#include "store/store_statement.h"
#include "store/store_sync.h"

/*
 * Whoever may ask for anything may begin sessions as often as they like: that must not make
 * the disk work, and everybody wait for it, as often.
 */
static sqlite3_stmt *use_lazily(struct store *store, enum store_statement which)
{
	store_set_lazy(store, true);
	return store_use(store, which);
}

static int run_lazily(struct store *store, sqlite3_stmt *statement)
{
	int error = store_run(store, statement);

	store_set_lazy(store, false);
	return error;
}

int store_session_put(struct store *store, const struct session_record *record)
{
	sqlite3_stmt *statement = use_lazily(store, SESSION_PUT);

	statement_bind_text(statement, 1, record->id);
	sqlite3_bind_int64(statement, 2, record->client_id);
	statement_bind_text(statement, 3, record->revision);
	sqlite3_bind_int64(statement, 4, record->capabilities);
	sqlite3_bind_int64(statement, 5, record->used_ms);
	statement_bind_text(statement, 6, record->subscriptions);
	return run_lazily(store, statement);
}

int store_session_remove(struct store *store, const char *id)
{
	sqlite3_stmt *statement = use_lazily(store, SESSION_REMOVE);

	statement_bind_text(statement, 1, id);
	return run_lazily(store, statement);
}

int store_sessions_list(struct store *store,
			void (*visit)(void *visit_data,
				      const struct session_record *record),
			void *visit_data)
{
	sqlite3_stmt *statement = store_use(store, SESSIONS);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		struct session_record record = {
			.id = statement_column_text(statement, 0),
			.client_id = sqlite3_column_int64(statement, 1),
			.revision = statement_column_text(statement, 2),
			.capabilities = sqlite3_column_int64(statement, 3),
			.used_ms = sqlite3_column_int64(statement, 4),
			.subscriptions = statement_column_text(statement, 5),
		};

		visit(visit_data, &record);
	}
	return store_done(store, statement, result);
}
