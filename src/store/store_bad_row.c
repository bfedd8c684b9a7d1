/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that another program wrote to, or a disk that lost bits, can have any value in any
 * column, and SQLite calls such a file sound. So each start of the gateway compares all rows
 * with the conditions by which rows are copied (store_row_copy.c): a row that does not meet them
 * is written to bad_row, with its table, and then deleted (tests/integration/test_bad_rows.py).
 *
 * Safety comes first: an opt-out, a used idempotency key and a pause still count when only
 * another column of the row is bad. That column is corrected, and bad_row has what it was. The
 * key of a message that is set aside is closed, so nothing is sent twice.
 *
 * Not compared: the history of messages and the audit log, which have as many rows as there are
 * messages, or more. Their readers take any value, and the hashes of the audit log prove it.
 */
#include "store/store_bad_row.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/store_database.h"
#include "store/store_row_copy.h"
#include "store/store_schema.h"

/* Tables that are not copied, whose rows would not be compared otherwise. */
static const struct store_row_copy_spec own_tables[] = {
	{ "session", "id, client_id, revision, capabilities, used, subscriptions", "1",
	  .has_no_rowid = true },
	{ "feed",
	  "id, at, type, subject_id, sim_id, client_id, state, previous_state, detail",
	  "?1 > 0 AND ?3 BETWEEN 1 AND 11" },
	{ "phone", PHONE_CARRIED ", cursor", "?1 > 0" },
	{ "conversation", "phone_number, last_id, messages, unread, sent", "1",
	  .has_no_rowid = true },
};

static const char *const not_compared[] = { "message_change", "audit", "audit_anchor",
					    "bad_row", "alive" };

/* Columns that are set to a harmless value, so that the meaning of the row stays. */
static const struct {
	const char *table, *columns;
} corrections[] = {
	{ "opt_out", "at = 0, word = '', confirmed = 0, message_id = 0" },
	{ "setting", "at = 0" },
	/* as if it had been closed now */
	{ "closed_key", "at = coalesce((SELECT max(at) FROM closed_key WHERE"
			" at BETWEEN 0 AND " STORE_ROW_COPY_INTEGER_MAX_SQL "), 0)" },
};

/* What else goes with a message. Before its row is deleted. */
static const char with_messages[] =
	"INSERT OR IGNORE INTO closed_key (client_id, key, at)"
	" SELECT client_id, idempotency_key,"
	"  coalesce((SELECT max(at) FROM usage WHERE at "
	"<= " STORE_ROW_COPY_INTEGER_MAX_SQL "), 0)"
	" FROM message WHERE idempotency_key IS NOT NULL AND %s;"
	"DELETE FROM message_change WHERE message_id IN"
	" (SELECT id FROM message WHERE %s);"
	"UPDATE message_index SET outdated = 1 WHERE outdated = 0;";

/* Changes of one table. */
struct store_bad_row_table {
	sqlite3 *database;
	const struct store_row_copy_spec *spec;
	struct store_row_copy_columns columns;
	char *is_bad; /* a condition in SQL */
};

/* Implements values_are_valid(id, text, ...) of SQL. */
static void store_bad_row_are_values_valid(sqlite3_context *context, int count,
					   sqlite3_value **values)
{
	bool is_valid = true;

	for (int i = 0; i < count && is_valid; i++)
		is_valid = store_row_copy_value_is_valid(values[i]);
	sqlite3_result_int(context, is_valid);
}

/* Writes the condition of the table, with the names of columns for ?1, ?2, ... */
static void store_bad_row_write_condition(sqlite3_str *sql,
					  const struct store_bad_row_table *table)
{
	const char *rest = table->spec->condition;

	while (*rest) {
		size_t length = strcspn(rest, "?");
		unsigned column = 0;

		sqlite3_str_append(sql, rest, (int)length);
		rest += length;
		if (*rest != '?')
			break;
		for (rest++; *rest >= '0' && *rest <= '9'; rest++)
			column = column * 10 + (unsigned)(*rest - '0');
		sqlite3_str_appendf(sql, "%s.%s", table->spec->name,
				    table->columns.names[column - 1]);
	}
}

static char *store_bad_row_make_condition(const struct store_bad_row_table *table)
{
	sqlite3_str *sql = sqlite3_str_new(table->database);

	sqlite3_str_appendall(sql, "NOT coalesce((");
	store_bad_row_write_condition(sql, table);
	sqlite3_str_appendall(sql, ") AND values_are_valid(0");
	for (int i = 0; i < table->columns.count; i++) {
		if (!store_row_copy_is_arbitrary(table->columns.names[i]))
			sqlite3_str_appendf(sql, ", %s", table->columns.names[i]);
	}
	sqlite3_str_appendall(sql, "), 0)");
	return sqlite3_str_finish(sql);
}

/* A text is written as its octets, because it may be none. */
static char *store_bad_row_make_insert(const struct store_bad_row_table *table)
{
	sqlite3_str *sql = sqlite3_str_new(table->database);

	sqlite3_str_appendall(sql, "INSERT INTO bad_row (table_name, row, at) SELECT ");
	sqlite3_str_appendf(sql, "'%s', ", table->spec->name);
	for (int i = 0; i < table->columns.count; i++) {
		const char *name = table->columns.names[i];

		sqlite3_str_appendf(sql,
				    "%s'%s=' || quote(CASE typeof(%s) WHEN 'text'"
				    " THEN CAST(%s AS BLOB) ELSE %s END)",
				    i ? " || ', ' || " : "", name, name, name, name);
	}
	sqlite3_str_appendf(sql, ", %lld FROM %s WHERE %s", (long long)clock_wall_ms(),
			    table->spec->name, table->is_bad);
	return sqlite3_str_finish(sql);
}

/* Runs and frees it; NULL if there was no memory for it. */
static int store_bad_row_run(sqlite3 *database, char *sql)
{
	int result = sql ? sqlite3_exec(database, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return result;
}

static int store_bad_row_count(const struct store_bad_row_table *table,
			       int64_t *count_out)
{
	char *sql = sqlite3_mprintf("SELECT count(*) FROM %s NOT INDEXED WHERE %s",
				    table->spec->name, table->is_bad);
	int result = SQLITE_NOMEM;

	if (sql)
		result = store_database_read_integer(table->database, sql, count_out);
	sqlite3_free(sql);
	return result == SQLITE_ROW ? SQLITE_OK : result;
}

static int store_bad_row_correct(const struct store_bad_row_table *table)
{
	const char *name = table->spec->name;

	for (size_t i = 0; i < sizeof(corrections) / sizeof(*corrections); i++) {
		if (strcmp(corrections[i].table, name) == 0)
			return store_bad_row_run(
				table->database,
				sqlite3_mprintf("UPDATE %s SET %s WHERE %s", name,
						corrections[i].columns, table->is_bad));
	}
	return SQLITE_OK;
}

static int store_bad_row_move(const struct store_bad_row_table *table)
{
	sqlite3 *database = table->database;
	int result = store_bad_row_run(database, store_bad_row_make_insert(table));

	if (!result)
		result = store_bad_row_correct(table);
	if (!result && strcmp(table->spec->name, "message") == 0)
		result = store_bad_row_run(
			database,
			sqlite3_mprintf(with_messages, table->is_bad, table->is_bad));
	if (result)
		return result;
	return store_bad_row_run(database,
				 sqlite3_mprintf("DELETE FROM %s WHERE %s",
						 table->spec->name, table->is_bad));
}

static int store_bad_row_check_table(sqlite3 *database,
				     const struct store_row_copy_spec *spec)
{
	struct store_bad_row_table table = { .database = database, .spec = spec };
	int64_t count = 0;
	int result = SQLITE_NOMEM;

	store_row_copy_split_columns(spec, &table.columns);
	table.is_bad = store_bad_row_make_condition(&table);
	if (table.is_bad)
		result = store_bad_row_count(&table, &count);
	if (!result && count)
		result = store_bad_row_move(&table);
	if (!result && count)
		log_warning("store: %lld bad rows of the table %s were set aside; see "
			    "\"" PROGRAM_NAME " doctor\"",
			    (long long)count, spec->name);
	sqlite3_free(table.is_bad);
	return result;
}

static bool store_bad_row_is_compared(const char *table)
{
	for (size_t i = 0; i < sizeof(not_compared) / sizeof(*not_compared); i++) {
		if (strcmp(not_compared[i], table) == 0)
			return false;
	}
	return true;
}

static int store_bad_row_check_tables(sqlite3 *database)
{
	size_t count;
	const struct store_row_copy_spec *copied = store_row_copy_all_tables(&count);
	int result = SQLITE_OK;

	for (size_t i = 0; !result && i < count; i++) {
		if (store_bad_row_is_compared(copied[i].name))
			result = store_bad_row_check_table(database, &copied[i]);
	}
	for (size_t i = 0; !result && i < sizeof(own_tables) / sizeof(*own_tables); i++)
		result = store_bad_row_check_table(database, &own_tables[i]);
	return result;
}

static int store_bad_row_change(sqlite3 *database)
{
	int result = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);

	if (!result)
		result = store_bad_row_check_tables(database);
	if (!result)
		result = store_row_copy_repair_sequences(database);
	if (!result)
		result = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
	if (!sqlite3_get_autocommit(database))
		sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return result;
}

int store_bad_row_set_aside(sqlite3 *database)
{
	int result = sqlite3_create_function_v2(
		database, "values_are_valid", -1,
		SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
		store_bad_row_are_values_valid, NULL, NULL, NULL);

	/* Other rows may refer to a SIM that is set aside. */
	if (!result)
		result = sqlite3_exec(database, "PRAGMA foreign_keys = OFF", NULL, NULL,
				      NULL);
	if (!result)
		result = store_bad_row_change(database);
	sqlite3_exec(database, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
	return result;
}

void store_bad_row_list(const char *folder,
			void (*visit)(void *data, const char *table, int64_t rows),
			void *data)
{
	struct explanation error;
	struct store_database opening = { .error = &error };
	sqlite3_stmt *statement = NULL;

	if (!store_open_readonly(folder, &opening) &&
	    sqlite3_prepare_v2(opening.database,
			       "SELECT table_name, count(*) FROM main.bad_row"
			       " GROUP BY table_name",
			       -1, &statement, NULL) == SQLITE_OK) {
		while (sqlite3_step(statement) == SQLITE_ROW) {
			const char *table =
				(const char *)sqlite3_column_text(statement, 0);

			visit(data, table ? table : "",
			      sqlite3_column_int64(statement, 1));
		}
	}
	sqlite3_finalize(statement);
	store_database_abort(&opening);
}
