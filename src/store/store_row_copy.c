/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Only rows come over, column by column, into tables of ours: nothing that the schema of `from`
 * says is run. A table that is a view, is virtual, or computes a column is not read, and no
 * index of it is (tests/unit/test_store_foreign.c).
 *
 * A table with a damaged page is read from its first row up to the damage and then from
 * its last row down to it (tests/unit/test_store_rescue.c).
 */
#include "store/store_row_copy.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "store/store_event.h"
#include "store/store_message.h"
#include "store/store_schema.h"
#include "store/store_setting.h"

enum {
	MS_PER_SECOND = 1000,
	SECONDS_PER_DAY = 24 * 60 * 60,
	COLUMNS_MAX = 28,
	COLUMN_NAME_BYTES = 32,
	STEP_ROWS = 256, /* between two looks at who waits */
};

#define NUMBER_MAX (INT64_C(1) << 40) /* a greater one was not counted up to */

/* 13, 3 and 11 are the last state, delivery and state of a call that is stored. */
_Static_assert(STATE_LAST == 13 && DELIVERY_REFUSED == 3 && CALL_STATE_LAST == 11,
	       "as in the conditions");

/*
 * Sessions stay behind, and their clients begin new ones; so does `place`, for it is of the
 * other file.
 */
static const struct store_row_copy_spec tables[] = {
	{ "sim", SIM_CARRIED, "?1 > 0" },
	{ "client", CLIENT_CARRIED, "?1 > 0" },
	{ "message", MESSAGE_CARRIED, MESSAGE_CONDITION },
	{ "message_change", CHANGE_CARRIED,
	  "?3 BETWEEN 1 AND 13 AND EXISTS (SELECT 1 FROM message WHERE id = ?2)" },
	{ "event", EVENT_CARRIED, EVENT_CONDITION },
	{ "balance", "id, amount, decimals, currency, code, at", "?1 > 0" },
	{ "gap", "id, from_at, until_at, reason", "1" },
	{ "alive", "id, at, boot, boot_at", "1" },
	{ "secret", "id, purpose, value", "1" },
	{ "asking_closed", "name, until", "1", .order = "name" },
	{ "usage", USAGE_CARRIED, "1" },
	{ "opt_out", "id, number, at, word, confirmed, message_id", "1" },
	{ "setting", SETTING_CARRIED, "1" },
	{ "audit_anchor", "id, line, hash", "1" },
	{ "audit", "id, at, event, detail, hash", "?1 > 0" },
};

/* All tables on their way. */
struct store_row_copy_job {
	sqlite3 *from;
	sqlite3 *to;
	const struct store_backup_progress *progress; /* NULL: nobody waits */
	int pages;	   /* of `from`, as progress is counted */
	int64_t rows, due; /* so far, and about how many there are */
	struct store_row_copy_result carried;
	int result; /* of `to`, which must take what it is given, or SQLITE_INTERRUPT */
};

/* One table on its way. */
struct store_row_copy_step {
	struct store_row_copy_job *carriage;
	const struct store_row_copy_spec *table;
	char names[COLUMNS_MAX][COLUMN_NAME_BYTES];
	bool is_there[COLUMNS_MAX]; /* in the table of `from` */
	int columns;
	sqlite3_stmt *insert;
	bool whole;   /* every row so far came over */
	int64_t last; /* rowid */
};

static bool store_row_copy_value_is_valid(sqlite3_value *value)
{
	const char *text;
	size_t length;

	if (sqlite3_value_type(value) != SQLITE_TEXT)
		return true;
	text = (const char *)sqlite3_value_text(value);
	length = (size_t)sqlite3_value_bytes(value);
	return text && strlen(text) == length && utf8_valid(text, length);
}

static void store_row_copy_report_progress(struct store_row_copy_job *carriage)
{
	const struct store_backup_progress *progress = carriage->progress;
	int64_t done =
		carriage->due ? carriage->rows * carriage->pages / carriage->due : 0;

	if (++carriage->rows % STEP_ROWS != 1 || !progress || !progress->step ||
	    carriage->pages < 1)
		return;
	if (done >= carriage->pages)
		done = carriage->pages - 1;
	if (!progress->step(progress->data, (int)done, carriage->pages))
		carriage->result = SQLITE_INTERRUPT;
}

static void store_row_copy_skip(struct store_row_copy_step *carrying)
{
	carrying->whole = false;
	carrying->carriage->carried.left_out++;
}

/*
 * A row that is none of ours, or does not fit, is left out; one that is there stays. A
 * column that an older version has not is 0 to the condition, and what our table says else.
 */
static void store_row_copy_row(struct store_row_copy_step *carrying, sqlite3_stmt *row)
{
	struct store_row_copy_job *carriage = carrying->carriage;
	int at = 1;

	store_row_copy_report_progress(carriage);
	for (int column = 0; column < carrying->columns; column++) {
		sqlite3_value *value;

		if (!carrying->is_there[column]) {
			sqlite3_bind_int64(carrying->insert, column + 1, 0);
			continue;
		}
		value = sqlite3_column_value(row, at++);
		if (!store_row_copy_value_is_valid(value)) {
			store_row_copy_skip(carrying);
			return;
		}
		sqlite3_bind_value(carrying->insert, column + 1, value);
	}
	if (sqlite3_step(carrying->insert) != SQLITE_DONE) {
		int result = sqlite3_reset(carrying->insert);

		if ((result & 0xff) == SQLITE_CONSTRAINT)
			store_row_copy_skip(carrying);
		else
			carriage->result = result;
	}
	sqlite3_reset(carrying->insert);
}

/* "id, number": those that are there. */
static void store_row_copy_list_columns(const struct store_row_copy_step *carrying,
					char *list, size_t size)
{
	const char *comma = "";

	*list = '\0';
	for (int column = 0; column < carrying->columns; column++) {
		size_t length = strlen(list);

		if (!carrying->is_there[column])
			continue;
		snprintf(list + length, size - length, "%s%s", comma,
			 carrying->names[column]);
		comma = ", ";
	}
}

static const char *store_row_copy_order(const struct store_row_copy_spec *table)
{
	return table->order ? table->order : "rowid";
}

static sqlite3_stmt *store_row_copy_prepare_select(
	const struct store_row_copy_step *carrying, const char *order)
{
	const struct store_row_copy_spec *table = carrying->table;
	char list[COLUMNS_MAX * COLUMN_NAME_BYTES], sql[1200];
	sqlite3_stmt *rows = NULL;

	store_row_copy_list_columns(carrying, list, sizeof(list));
	snprintf(sql, sizeof(sql),
		 "SELECT %s, %s FROM main.%s NOT INDEXED%s ORDER BY %s %s",
		 store_row_copy_order(table), list, table->name,
		 table->order ? "" : " WHERE rowid > ?1", store_row_copy_order(table),
		 order);
	sqlite3_prepare_v2(carrying->carriage->from, sql, -1, &rows, NULL);
	return rows;
}

/* The row behind the last one is longer than any of ours; false: there is none. */
static bool store_row_copy_skip_oversized(struct store_row_copy_step *carrying)
{
	sqlite3_stmt *next = NULL;
	char sql[160];
	bool found;

	snprintf(sql, sizeof(sql),
		 "SELECT rowid FROM main.%s NOT INDEXED WHERE rowid > ?1"
		 " ORDER BY rowid LIMIT 1",
		 carrying->table->name);
	if (carrying->table->order || sqlite3_prepare_v2(carrying->carriage->from, sql,
							 -1, &next, NULL) != SQLITE_OK)
		return false;
	sqlite3_bind_int64(next, 1, carrying->last);
	found = sqlite3_step(next) == SQLITE_ROW;
	if (found)
		carrying->last = sqlite3_column_int64(next, 0);
	sqlite3_finalize(next);
	return found;
}

/* Behind carrying->last. What ended it: SQLITE_DONE, or what `from` fails with. */
static int store_row_copy_scan(struct store_row_copy_step *carrying, const char *order)
{
	sqlite3_stmt *rows = store_row_copy_prepare_select(carrying, order);
	int result;

	if (!rows)
		return SQLITE_CORRUPT;
	if (!carrying->table->order)
		sqlite3_bind_int64(rows, 1, carrying->last);
	while ((result = sqlite3_step(rows)) == SQLITE_ROW &&
	       !carrying->carriage->result) {
		carrying->last = sqlite3_column_int64(rows, 0);
		store_row_copy_row(carrying, rows);
	}
	sqlite3_finalize(rows);
	return result == SQLITE_ROW ? SQLITE_DONE : result;
}

static void store_row_copy_rows(struct store_row_copy_step *carrying)
{
	int result;

	carrying->last = INT64_MIN;
	while ((result = store_row_copy_scan(carrying, "ASC")) == SQLITE_TOOBIG &&
	       store_row_copy_skip_oversized(carrying))
		store_row_copy_skip(carrying);
	if (result == SQLITE_DONE)
		return;
	carrying->whole = false;
	carrying->carriage->carried.is_damaged = true;
	carrying->last = INT64_MIN;
	if (!carrying->carriage->result)
		store_row_copy_scan(carrying, "DESC");
}

static sqlite3_stmt *store_row_copy_prepare_insert(
	const struct store_row_copy_step *carrying)
{
	const struct store_row_copy_spec *table = carrying->table;
	char list[COLUMNS_MAX * COLUMN_NAME_BYTES], places[COLUMNS_MAX * 6] = "",
									 sql[1600];
	sqlite3_stmt *insert = NULL;
	size_t length = 0;

	store_row_copy_list_columns(carrying, list, sizeof(list));
	for (int column = 0; column < carrying->columns; column++) {
		if (carrying->is_there[column])
			length +=
				(size_t)snprintf(places + length, sizeof(places) - length,
						 "%s?%d", length ? ", " : "", column + 1);
	}
	snprintf(sql, sizeof(sql), "INSERT OR IGNORE INTO %s (%s) SELECT %s WHERE %s",
		 table->into ? table->into : table->name, list, places, table->condition);
	sqlite3_prepare_v2(carrying->carriage->to, sql, -1, &insert, NULL);
	return insert;
}

static void store_row_copy_split_columns(struct store_row_copy_step *carrying)
{
	const char *rest = carrying->table->columns;

	while (*rest && carrying->columns < COLUMNS_MAX) {
		size_t length = strcspn(rest, ",");

		snprintf(carrying->names[carrying->columns++], COLUMN_NAME_BYTES, "%.*s",
			 (int)length, rest);
		rest += length;
		rest += strspn(rest, ", ");
	}
}

/* A table that only holds rows: no view, and none of a module. */
static bool store_row_copy_is_plain_table(sqlite3 *from, const char *name)
{
	sqlite3_stmt *statement = NULL;
	bool is_plain = false;

	if (sqlite3_prepare_v2(from,
			       "SELECT type = 'table' FROM pragma_table_list(?1)"
			       " WHERE schema = 'main'",
			       -1, &statement, NULL) == SQLITE_OK) {
		sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
		is_plain = sqlite3_step(statement) == SQLITE_ROW &&
			   sqlite3_column_int(statement, 0);
	}
	sqlite3_finalize(statement);
	return is_plain;
}

/* How many of its columns hold what was put in: one that is computed does not. */
static int store_row_copy_find_columns(struct store_row_copy_step *carrying)
{
	sqlite3_stmt *statement = NULL;
	int found = 0;

	if (!store_row_copy_is_plain_table(carrying->carriage->from,
					   carrying->table->name) ||
	    sqlite3_prepare_v2(carrying->carriage->from,
			       "SELECT count(*) FROM pragma_table_xinfo(?1)"
			       " WHERE name = ?2 AND hidden = 0",
			       -1, &statement, NULL) != SQLITE_OK)
		return 0;
	for (int column = 0; column < carrying->columns; column++) {
		sqlite3_bind_text(statement, 1, carrying->table->name, -1, SQLITE_STATIC);
		sqlite3_bind_text(statement, 2, carrying->names[column], -1,
				  SQLITE_STATIC);
		carrying->is_there[column] = sqlite3_step(statement) == SQLITE_ROW &&
					     sqlite3_column_int(statement, 0);
		found += carrying->is_there[column];
		sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	return found;
}

static int64_t store_row_copy_query_int(sqlite3 *database, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	int64_t number = 0;

	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

/* Before it is read: a table that an older version has not is no loss. */
static void store_row_copy_record_missing(struct store_row_copy_job *carriage)
{
	if (store_row_copy_query_int(carriage->from, "PRAGMA user_version") >=
	    STORE_SCHEMA_VERSION)
		carriage->carried.whole = false;
}

static void store_row_copy_table(struct store_row_copy_job *carriage,
				 const struct store_row_copy_spec *table)
{
	struct store_row_copy_step carrying = { .carriage = carriage,
						.table = table,
						.whole = true };

	store_row_copy_split_columns(&carrying);
	if (!store_row_copy_find_columns(&carrying)) {
		store_row_copy_record_missing(carriage);
		return;
	}
	carrying.insert = store_row_copy_prepare_insert(&carrying);
	if (!carrying.insert) {
		carriage->result = sqlite3_errcode(carriage->to);
		return;
	}
	store_row_copy_rows(&carrying);
	sqlite3_finalize(carrying.insert);
	carriage->carried.whole &= carrying.whole;
}

static int store_row_copy_run(struct store_row_copy_job *carriage,
			      const struct store_row_copy_spec *list, size_t count)
{
	carriage->carried.whole = true;
	carriage->result = sqlite3_exec(carriage->to, "BEGIN", NULL, NULL, NULL);
	for (size_t i = 0; !carriage->result && i < count; i++)
		store_row_copy_table(carriage, &list[i]);
	if (!carriage->result)
		carriage->result = sqlite3_exec(carriage->to, "COMMIT", NULL, NULL, NULL);
	return carriage->result;
}

/* About: it is only for who waits. */
static void store_row_copy_estimate(struct store_row_copy_job *carriage)
{
	char sql[96];

	if (!carriage->progress)
		return;
	carriage->pages =
		(int)store_row_copy_query_int(carriage->from, "PRAGMA page_count");
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		if (tables[i].order)
			continue;
		snprintf(sql, sizeof(sql), "SELECT max(rowid) FROM main.%s NOT INDEXED",
			 tables[i].name);
		if (store_row_copy_is_plain_table(carriage->from, tables[i].name))
			carriage->due +=
				store_row_copy_query_int(carriage->from, sql) & INT32_MAX;
	}
}

int store_row_copy_all(sqlite3 *from, sqlite3 *to,
		       const struct store_backup_progress *progress,
		       struct store_row_copy_result *carried_out)
{
	struct store_row_copy_job carriage = { .from = from,
					       .to = to,
					       .progress = progress };
	int result;

	store_row_copy_estimate(&carriage);
	result = store_row_copy_run(&carriage, tables, sizeof(tables) / sizeof(*tables));
	if (!result)
		*carried_out = carriage.carried;
	return result;
}

int store_row_copy_tables(sqlite3 *from, sqlite3 *to,
			  const struct store_row_copy_spec *list, size_t count)
{
	struct store_row_copy_job carriage = { .from = from, .to = to };

	return store_row_copy_run(&carriage, list, count);
}

/* -1: it cannot be read, or is no number that was counted up to. */
static int64_t store_row_copy_last_id(sqlite3 *from, const char *table)
{
	sqlite3_stmt *statement = NULL;
	int64_t number = -1;
	int result = SQLITE_ERROR;

	if (from)
		result = sqlite3_prepare_v2(
			from, "SELECT max(seq) FROM sqlite_sequence WHERE name = ?1", -1,
			&statement, NULL);
	if (result == SQLITE_OK) {
		sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
		if (sqlite3_step(statement) == SQLITE_ROW)
			number = sqlite3_column_int64(statement, 0);
	}
	sqlite3_finalize(statement);
	return number > NUMBER_MAX ? -1 : number;
}

/*
 * Above all that can have been given out, and no more than must be: a phone makes no
 * message a second, and sees no new card a day, for years.
 */
static int64_t store_row_copy_safe_id(const char *table)
{
	int64_t seconds = clock_wall_ms() / MS_PER_SECOND;

	return strcmp(table, "sim") == 0 ? seconds / SECONDS_PER_DAY : seconds;
}

static int store_row_copy_raise_id(sqlite3 *to, const char *table, int64_t number)
{
	char sql[320];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO sqlite_sequence (name, seq) SELECT '%s', 0 WHERE NOT EXISTS"
		 " (SELECT 1 FROM sqlite_sequence WHERE name = '%s');"
		 "UPDATE sqlite_sequence SET seq = max(seq, %lld) WHERE name = '%s'",
		 table, table, (long long)number, table);
	return sqlite3_exec(to, sql, NULL, NULL, NULL);
}

int store_row_copy_sequences(sqlite3 *from, sqlite3 *to)
{
	static const char *const numbered[] = { "sim", "client", "message", "event" };
	int result = SQLITE_OK;

	for (size_t i = 0; !result && i < sizeof(numbered) / sizeof(*numbered); i++) {
		int64_t number = store_row_copy_last_id(from, numbered[i]);

		if (number < 0)
			number = store_row_copy_safe_id(numbered[i]);
		result = store_row_copy_raise_id(to, numbered[i], number);
	}
	return result;
}

/* Bound by number: reason, now, where the gap begins (0: as `alive` knows). */
static const char *const settling[] = {
	"INSERT INTO message_change (message_id, state, reason, at)"
	" SELECT id, 8, ?1, ?2 FROM message WHERE " STATE_IS_UNFINISHED,
	/* see message_state.h: whatever waits or is under way may become unknown */
	"UPDATE message SET state = 8, reason = ?1, changed = ?2"
	" WHERE " STATE_IS_UNFINISHED,
	"UPDATE event SET state = 0 WHERE kind = 1 AND state = 1",
	"UPDATE gap SET until_at = max(from_at, ?2) WHERE until_at = 0",
	"INSERT INTO gap (from_at, until_at, reason) SELECT min(?2, from_at), ?2, ?1"
	" FROM (SELECT coalesce(nullif(?3, 0), (SELECT at FROM alive), ?2) AS from_at)",
	"INSERT OR REPLACE INTO alive (id, at) VALUES (1, ?2)",
	/* what was sent after an answer may be gone: see store_asking.c */
	"DELETE FROM secret WHERE purpose = '" STORE_SETTING_ELICITATION_KEY "'",
};

static int store_row_copy_settle_step(sqlite3 *to, const char *sql, const char *reason,
				      const int64_t times_ms[2])
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(to, sql, -1, &statement, NULL);

	if (result == SQLITE_OK) {
		sqlite3_bind_text(statement, 1, reason, -1, SQLITE_STATIC);
		sqlite3_bind_int64(statement, 2, times_ms[0]);
		sqlite3_bind_int64(statement, 3, times_ms[1]);
		result = sqlite3_step(statement);
	}
	sqlite3_finalize(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

int store_row_copy_settle(sqlite3 *to, const char *reason, int64_t heard_ms)
{
	const int64_t times_ms[2] = { clock_wall_ms(), heard_ms };
	int result = sqlite3_exec(to, "BEGIN", NULL, NULL, NULL);

	for (size_t i = 0; !result && i < sizeof(settling) / sizeof(*settling); i++)
		result = store_row_copy_settle_step(to, settling[i], reason, times_ms);
	if (!result)
		result = sqlite3_exec(to, "COMMIT", NULL, NULL, NULL);
	return result;
}
