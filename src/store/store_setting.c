/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_setting.h"

#include <stdio.h>

#include "base/clock.h"
#include "store/store_statement.h"

int store_setting_get(struct store *store, const char *name,
		      char value_out[STORE_SETTING_BYTES])
{
	sqlite3_stmt *statement = store_use(store, SETTING_GET);
	int result, error;

	statement_bind_text(statement, 1, name);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		snprintf(value_out, STORE_SETTING_BYTES, "%s",
			 statement_column_text(statement, 0));
	error = store_done(store, statement, result);
	if (error)
		return error;
	return result == SQLITE_ROW ? 0 : STORE_E_NOT_FOUND;
}

int store_setting_set(struct store *store, const char *name, const char *value)
{
	sqlite3_stmt *statement = store_use(store, value ? SETTING_PUT : SETTING_REMOVE);

	statement_bind_text(statement, 1, name);
	if (value) {
		statement_bind_text(statement, 2, value);
		sqlite3_bind_int64(statement, 3, clock_wall_ms());
	}
	return store_run(store, statement);
}
