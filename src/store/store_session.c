/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store.h"
#include "store/store_statement.h"

int store_session_put(void *data, const struct session_record *record)
{
	struct store *store = data;
	sqlite3_stmt *statement = store_use(store, SESSION_PUT);

	statement_bind_text(statement, 1, record->id);
	sqlite3_bind_int64(statement, 2, record->client_id);
	statement_bind_text(statement, 3, record->revision);
	sqlite3_bind_int64(statement, 4, record->capabilities);
	sqlite3_bind_int64(statement, 5, record->used_ms);
	statement_bind_text(statement, 6, record->subscriptions);
	return store_run(store, statement);
}

int store_session_remove(void *data, const char *id)
{
	struct store *store = data;
	sqlite3_stmt *statement = store_use(store, SESSION_REMOVE);

	statement_bind_text(statement, 1, id);
	return store_run(store, statement);
}

int store_sessions_list(void *data,
			void (*visit)(void *visit_data,
				      const struct session_record *record),
			void *visit_data)
{
	struct store *store = data;
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
