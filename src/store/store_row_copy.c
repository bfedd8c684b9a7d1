/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies rows column by column into tables of our schema, so nothing of the other schema runs.
 * A table that is really a view, is virtual or has computed columns is not read, and its
 * indexes are never used (tests/unit/test_store_foreign.c).
 *
 * The other database may have an older schema: a table or column is also looked for under its
 * former name, and a missing column gets the default of our table.
 *
 * A table with a damaged page is read from its first row up to the damage, and then from its
 * last row down to it (tests/unit/test_store_rescue.c).
 */
#include "store/store_row_copy.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "store/store_event.h"
#include "store/store_message.h"
#include "store/store_database.h"
#include "store/store_schema.h"
#include "store/store_setting.h"

enum {
	MS_PER_SECOND = 1000,
	SECONDS_PER_DAY = 24 * 60 * 60,
	STEP_ROWS = 256, /* between two reports of progress */
};

/* A greater ID was never reached by counting. */
#define ID_MAX (INT64_C(1) << 40)
/* JSON's greatest number; sums and differences of such times do not overflow. */
#define INTEGER_MAX  (INT64_C(1) << 53)
#define ID_CONDITION "?1 BETWEEN 1 AND 1099511627776"

/* The conditions of rows use 13, 3 and 11 for the last stored values. */
_Static_assert(STATE_LAST == 13 && DELIVERY_REFUSED == 3 && CALL_STATE_LAST == 11 &&
		       MESSAGE_ANSWER == 128,
	       "as in the conditions");

/*
 * Left behind are the sessions, whose clients begin new ones, the feed, whose IDs begin anew in
 * another epoch (webhook receivers learn that by a gap), and the identity of the other file.
 */
static const struct store_row_copy_spec tables[] = {
	{ "sim", SIM_CARRIED, ID_CONDITION },
	{ "client", CLIENT_CARRIED, CLIENT_CONDITION },
	{ "message", MESSAGE_CARRIED, MESSAGE_CONDITION },
	{ "message_change", CHANGE_CARRIED, CHANGE_CONDITION },
	{ "event", EVENT_CARRIED, EVENT_CONDITION },
	{ "balance", "id, amount, decimals, currency, code, at",
	  "?1 > 0 AND ?3 BETWEEN 0 AND 3" },
	{ "receive_gap", "id, from_at, until_at, reason", "1" },
	{ "alive", "id, at, boot, boot_at", "1" },
	{ "secret", "id, purpose, value", "length(?3) = 32" },
	{ "elicitation_declined", "request, until", "1", .has_no_rowid = true },
	{ "usage", USAGE_CARRIED, "?5 BETWEEN 0 AND 1000" },
	{ "opt_out", "id, phone_number, at, word, confirmed, message_id", "1" },
	{ "setting", SETTING_CARRIED, "1" },
	{ "webhook_consent", CONSENT_CARRIED, "?1 > 0 AND ?7 BETWEEN 0 AND 2" },
	{ "phone", PHONE_CARRIED, PHONE_CONDITION },
	{ "phone_sim", PHONE_SIM_CARRIED, PHONE_SIM_CONDITION },
	{ "webhook_subscription", WEBHOOK_CARRIED, WEBHOOK_CONDITION },
	{ "webhook_delivery", WEBHOOK_DELIVERY_CARRIED, WEBHOOK_DELIVERY_CONDITION },
	{ "command_sender", SENDER_CARRIED, "length(?3) = 20" },
	{ "command_wrong_code", "id, phone_number, at", "1" },
	{ "approval_answer", ANSWER_CARRIED, ANSWER_CONDITION },
	{ "approval_notice", "id, number, message_id, revision, at", "1" },
	{ "pool", POOL_CARRIED, "?1 > 0 AND ?3 BETWEEN 0 AND 2 AND ?4 BETWEEN 0 AND 2" },
	{ "pool_sim", "id, pool_id, sim_id", "?2 > 0 AND ?3 > 0" },
	{ "sim_service", "id, drained, failures, rests_until", "?1 > 0" },
	{ "sim_recipient", "id, sim_id, month, phone_number", "?2 > 0" },
	{ "routed_message", "id, pool_id, resends", "?1 > 0 AND ?3 BETWEEN 0 AND 1" },
	{ "attempt", "id, message_id, number, sim_id, at, ended, outcome, epoch",
	  "?2 > 0 AND ?3 > 0" },
	{ "closed_key", "id, client_id, key, at", "?1 > 0" },
	{ "bad_row", "id, table_name, row, at", "1" },
	{ "audit_anchor", "id, line, hash", "1" },
	{ "audit", "id, at, event, detail, hash", "?1 > 0" },
};

static const struct store_row_copy_rename {
	const char *table, *column, *former;
} renames[] = {
	{ "receive_gap", NULL, "gap" },
	{ "elicitation_declined", NULL, "asking_closed" },
	{ "elicitation_declined", "request", "name" },
	{ "message", "phone_number", "number" },
	{ "opt_out", "phone_number", "number" },
	{ "event", "phone_number", "number" },
	{ "client", "approval", "ask" },
	{ "usage", "accepted", "noted" },
};

/* Returns its name in older versions, from which rows are copied; NULL if it is the same. If
 * `column` is NULL, it is the name of the table. */
static const char *store_row_copy_former_name(const char *table, const char *column)
{
	for (size_t i = 0; i < sizeof(renames) / sizeof(*renames); i++) {
		const char *renamed = renames[i].column;

		if (strcmp(renames[i].table, table) == 0 &&
		    (renamed && column ? strcmp(renamed, column) == 0
				       : renamed == column))
			return renames[i].former;
	}
	return NULL;
}

/* The copy of all tables. */
struct store_row_copy_job {
	sqlite3 *from;
	sqlite3 *to;
	const struct store_backup_progress *progress; /* NULL if not reported */
	int pages;	   /* of `from`, the unit of progress */
	int64_t rows, due; /* copied so far, and about how many there are */
	struct store_row_copy_result copied;
	int result; /* the error of `to`, or SQLITE_INTERRUPT */
};

/* The copy of one table. */
struct store_row_copy_step {
	struct store_row_copy_job *job;
	const struct store_row_copy_spec *table;
	const char *source; /* the name of the table in `from` */
	struct store_row_copy_columns columns;
	/* the names in `from`; NULL if missing there */
	const char *sources[STORE_ROW_COPY_COLUMNS_MAX];
	sqlite3_stmt *insert;
	bool whole;   /* every row so far was copied */
	int64_t last; /* rowid */
};

/* Numbers of boots and epochs are arbitrary: they are compared, and nothing else. */
bool store_row_copy_is_arbitrary(const char *column)
{
	return strcmp(column, "boot") == 0 || strcmp(column, "epoch") == 0;
}

bool store_row_copy_value_is_valid(sqlite3_value *value)
{
	const char *text;
	size_t length;

	if (sqlite3_value_type(value) == SQLITE_INTEGER) {
		int64_t integer = sqlite3_value_int64(value);

		return integer >= -INTEGER_MAX && integer <= INTEGER_MAX;
	}
	if (sqlite3_value_type(value) != SQLITE_TEXT)
		return true;
	text = (const char *)sqlite3_value_text(value);
	length = (size_t)sqlite3_value_bytes(value);
	return text && strlen(text) == length && utf8_valid(text, length);
}

static void store_row_copy_report_progress(struct store_row_copy_job *job)
{
	const struct store_backup_progress *progress = job->progress;
	int64_t done = job->due ? job->rows * job->pages / job->due : 0;

	if (++job->rows % STEP_ROWS != 1 || !progress || !progress->step ||
	    job->pages < 1)
		return;
	if (done >= job->pages)
		done = job->pages - 1;
	if (!progress->step(progress->data, (int)done, job->pages))
		job->result = SQLITE_INTERRUPT;
}

static void store_row_copy_skip(struct store_row_copy_step *step)
{
	step->whole = false;
	step->job->copied.left_out++;
}

/*
 * Leaves a row out that is not ours or does not fit; an existing row stays. A column that is
 * missing in `from` is 0 in the condition.
 */
static void store_row_copy_row(struct store_row_copy_step *step, sqlite3_stmt *row)
{
	struct store_row_copy_job *job = step->job;
	int at = 1;

	store_row_copy_report_progress(job);
	for (int column = 0; column < step->columns.count; column++) {
		sqlite3_value *value;

		if (!step->sources[column]) {
			sqlite3_bind_int64(step->insert, column + 1, 0);
			continue;
		}
		value = sqlite3_column_value(row, at++);
		if (!store_row_copy_is_arbitrary(step->columns.names[column]) &&
		    !store_row_copy_value_is_valid(value)) {
			store_row_copy_skip(step);
			return;
		}
		sqlite3_bind_value(step->insert, column + 1, value);
	}
	if (sqlite3_step(step->insert) != SQLITE_DONE) {
		int result = sqlite3_reset(step->insert);

		if ((result & 0xff) == SQLITE_CONSTRAINT)
			store_row_copy_skip(step);
		else
			job->result = result;
	}
	sqlite3_reset(step->insert);
}

/* Lists "id, phone_number": the columns that exist in `from`, by their names there or here. */
static void store_row_copy_list_columns(const struct store_row_copy_step *step,
					bool by_source, char *list, size_t size)
{
	const char *comma = "";

	*list = '\0';
	for (int column = 0; column < step->columns.count; column++) {
		size_t length = strlen(list);

		if (!step->sources[column])
			continue;
		snprintf(list + length, size - length, "%s%s", comma,
			 by_source ? step->sources[column] : step->columns.names[column]);
		comma = ", ";
	}
}

static sqlite3_stmt *store_row_copy_prepare_select(const struct store_row_copy_step *step,
						   const char *direction)
{
	const bool has_rowid = !step->table->has_no_rowid;
	const char *order = has_rowid ? "rowid" : step->sources[0];
	char list[STORE_ROW_COPY_COLUMNS_MAX * STORE_ROW_COPY_NAME_BYTES], sql[1200];
	sqlite3_stmt *rows = NULL;

	if (!order)
		return NULL;
	store_row_copy_list_columns(step, true, list, sizeof(list));
	snprintf(sql, sizeof(sql),
		 "SELECT %s, %s FROM main.%s NOT INDEXED%s ORDER BY %s %s", order, list,
		 step->source, has_rowid ? " WHERE rowid > ?1" : "", order, direction);
	sqlite3_prepare_v2(step->job->from, sql, -1, &rows, NULL);
	return rows;
}

/* Skips the next row, which is longer than any of ours. Returns false if there is none. */
static bool store_row_copy_skip_oversized(struct store_row_copy_step *step)
{
	sqlite3_stmt *next = NULL;
	char sql[160];
	bool found;

	snprintf(sql, sizeof(sql),
		 "SELECT rowid FROM main.%s NOT INDEXED WHERE rowid > ?1"
		 " ORDER BY rowid LIMIT 1",
		 step->source);
	if (step->table->has_no_rowid ||
	    sqlite3_prepare_v2(step->job->from, sql, -1, &next, NULL) != SQLITE_OK)
		return false;
	sqlite3_bind_int64(next, 1, step->last);
	found = sqlite3_step(next) == SQLITE_ROW;
	if (found)
		step->last = sqlite3_column_int64(next, 0);
	sqlite3_finalize(next);
	return found;
}

/* Copies rows after step->last. Returns SQLITE_DONE, or the error of `from`. */
static int store_row_copy_scan(struct store_row_copy_step *step, const char *direction)
{
	sqlite3_stmt *rows = store_row_copy_prepare_select(step, direction);
	int result;

	if (!rows)
		return SQLITE_CORRUPT;
	if (!step->table->has_no_rowid)
		sqlite3_bind_int64(rows, 1, step->last);
	while ((result = sqlite3_step(rows)) == SQLITE_ROW && !step->job->result) {
		step->last = sqlite3_column_int64(rows, 0);
		store_row_copy_row(step, rows);
	}
	sqlite3_finalize(rows);
	return result == SQLITE_ROW ? SQLITE_DONE : result;
}

static void store_row_copy_rows(struct store_row_copy_step *step)
{
	int result;

	step->last = INT64_MIN;
	while ((result = store_row_copy_scan(step, "ASC")) == SQLITE_TOOBIG &&
	       store_row_copy_skip_oversized(step))
		store_row_copy_skip(step);
	if (result == SQLITE_DONE)
		return;
	step->whole = false;
	step->job->copied.is_damaged = true;
	step->last = INT64_MIN;
	if (!step->job->result)
		store_row_copy_scan(step, "DESC");
}

static sqlite3_stmt *store_row_copy_prepare_insert(const struct store_row_copy_step *step)
{
	const struct store_row_copy_spec *table = step->table;
	char list[STORE_ROW_COPY_COLUMNS_MAX * STORE_ROW_COPY_NAME_BYTES], sql[2048];
	char places[STORE_ROW_COPY_COLUMNS_MAX * 6] = "";
	sqlite3_stmt *insert = NULL;
	size_t length = 0;

	store_row_copy_list_columns(step, false, list, sizeof(list));
	for (int column = 0; column < step->columns.count; column++) {
		if (step->sources[column])
			length +=
				(size_t)snprintf(places + length, sizeof(places) - length,
						 "%s?%d", length ? ", " : "", column + 1);
	}
	snprintf(sql, sizeof(sql), "INSERT OR IGNORE INTO %s (%s) SELECT %s WHERE %s",
		 table->into ? table->into : table->name, list, places, table->condition);
	sqlite3_prepare_v2(step->job->to, sql, -1, &insert, NULL);
	return insert;
}

/* ---- tables and columns of the other database */

void store_row_copy_split_columns(const struct store_row_copy_spec *table,
				  struct store_row_copy_columns *columns)
{
	const char *rest = table->columns;

	columns->count = 0;
	while (*rest && columns->count < STORE_ROW_COPY_COLUMNS_MAX) {
		size_t length = strcspn(rest, ",");

		snprintf(columns->names[columns->count++], STORE_ROW_COPY_NAME_BYTES,
			 "%.*s", (int)length, rest);
		rest += length;
		rest += strspn(rest, ", ");
	}
}

/* Is it a table that only contains rows: no view, and not virtual? */
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

/* Under its present name, or its former one. Returns NULL if there is none. */
static const char *store_row_copy_find_table(sqlite3 *from, const char *name)
{
	const char *former = store_row_copy_former_name(name, NULL);

	if (store_row_copy_is_plain_table(from, name))
		return name;
	return former && store_row_copy_is_plain_table(from, former) ? former : NULL;
}

/* Does the column contain stored values? A computed column does not. */
static bool store_row_copy_has_column(sqlite3_stmt *statement, const char *table,
				      const char *column)
{
	bool found;

	sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
	found = sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0);
	sqlite3_reset(statement);
	return found;
}

/* Returns how many columns exist in `from`. */
static int store_row_copy_find_columns(struct store_row_copy_step *step)
{
	sqlite3_stmt *statement = NULL;
	int found = 0;

	step->source = store_row_copy_find_table(step->job->from, step->table->name);
	if (!step->source ||
	    sqlite3_prepare_v2(step->job->from,
			       "SELECT count(*) FROM pragma_table_xinfo(?1)"
			       " WHERE name = ?2 AND hidden = 0",
			       -1, &statement, NULL) != SQLITE_OK)
		return 0;
	for (int column = 0; column < step->columns.count; column++) {
		const char *name = step->columns.names[column];
		const char *former = store_row_copy_former_name(step->table->name, name);

		if (store_row_copy_has_column(statement, step->source, name))
			step->sources[column] = name;
		else if (former &&
			 store_row_copy_has_column(statement, step->source, former))
			step->sources[column] = former;
		found += step->sources[column] != NULL;
	}
	sqlite3_finalize(statement);
	return found;
}

static int64_t store_row_copy_query_int(sqlite3 *database, const char *sql)
{
	int64_t number = 0;

	store_database_read_integer(database, sql, &number);
	return number;
}

/* A table that is missing in an older schema is no loss. */
static void store_row_copy_record_missing(struct store_row_copy_job *job)
{
	if (store_row_copy_query_int(job->from, "PRAGMA user_version") >=
	    STORE_SCHEMA_VERSION)
		job->copied.whole = false;
}

static void store_row_copy_table(struct store_row_copy_job *job,
				 const struct store_row_copy_spec *table)
{
	struct store_row_copy_step step = { .job = job, .table = table, .whole = true };

	store_row_copy_split_columns(table, &step.columns);
	if (!store_row_copy_find_columns(&step)) {
		store_row_copy_record_missing(job);
		return;
	}
	step.insert = store_row_copy_prepare_insert(&step);
	if (!step.insert) {
		job->result = sqlite3_errcode(job->to);
		return;
	}
	store_row_copy_rows(&step);
	sqlite3_finalize(step.insert);
	job->copied.whole &= step.whole;
}

static int store_row_copy_run(struct store_row_copy_job *job,
			      const struct store_row_copy_spec *list, size_t count)
{
	job->copied.whole = true;
	job->result = sqlite3_exec(job->to, "BEGIN", NULL, NULL, NULL);
	for (size_t i = 0; !job->result && i < count; i++)
		store_row_copy_table(job, &list[i]);
	if (!job->result)
		job->result = sqlite3_exec(job->to, STORE_SCHEMA_RENAME_VALUES "COMMIT",
					   NULL, NULL, NULL);
	return job->result;
}

const struct store_row_copy_spec *store_row_copy_all_tables(size_t *count_out)
{
	*count_out = sizeof(tables) / sizeof(*tables);
	return tables;
}

/* Estimates the number of rows, for the progress only. */
static void store_row_copy_estimate(struct store_row_copy_job *job)
{
	char sql[96];

	if (!job->progress)
		return;
	job->pages = (int)store_row_copy_query_int(job->from, "PRAGMA page_count");
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		const char *source = store_row_copy_find_table(job->from, tables[i].name);

		if (!source || tables[i].has_no_rowid)
			continue;
		snprintf(sql, sizeof(sql), "SELECT max(rowid) FROM main.%s NOT INDEXED",
			 source);
		job->due += store_row_copy_query_int(job->from, sql) & INT32_MAX;
	}
}

int store_row_copy_all(sqlite3 *from, sqlite3 *to,
		       const struct store_backup_progress *progress,
		       struct store_row_copy_result *result_out)
{
	struct store_row_copy_job job = { .from = from, .to = to, .progress = progress };
	int result;

	store_row_copy_estimate(&job);
	result = store_row_copy_run(&job, tables, sizeof(tables) / sizeof(*tables));
	if (!result)
		*result_out = job.copied;
	return result;
}

int store_row_copy_tables(sqlite3 *from, sqlite3 *to,
			  const struct store_row_copy_spec *list, size_t count)
{
	struct store_row_copy_job job = { .from = from, .to = to };

	return store_row_copy_run(&job, list, count);
}

/* ---- IDs, and messages under way */

/* Returns -1 if it cannot be read, or was never reached by counting. */
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
	return number > ID_MAX ? -1 : number;
}

/*
 * Returns an ID above every one that can have been given out, but not more than needed: over years,
 * a phone averages less than one message per second and one new card per day.
 */
static int64_t store_row_copy_safe_id(const char *table)
{
	int64_t seconds = clock_wall_ms() / MS_PER_SECOND;

	return strcmp(table, "sim") == 0 ? seconds / SECONDS_PER_DAY : seconds;
}

static int store_row_copy_raise_id(sqlite3 *to, const char *table, int64_t id)
{
	char sql[320];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO sqlite_sequence (name, seq) SELECT '%s', 0 WHERE NOT EXISTS"
		 " (SELECT 1 FROM sqlite_sequence WHERE name = '%s');"
		 "UPDATE sqlite_sequence SET seq = max(seq, %lld) WHERE name = '%s'",
		 table, table, (long long)id, table);
	return sqlite3_exec(to, sql, NULL, NULL, NULL);
}

int store_row_copy_sequences(sqlite3 *from, sqlite3 *to)
{
	static const char *const numbered[] = { "sim", "client", "message", "event" };
	int result = SQLITE_OK;

	for (size_t i = 0; !result && i < sizeof(numbered) / sizeof(*numbered); i++) {
		int64_t id = store_row_copy_last_id(from, numbered[i]);

		if (id < 0)
			id = store_row_copy_safe_id(numbered[i]);
		result = store_row_copy_raise_id(to, numbered[i], id);
	}
	return result;
}

#define SEQUENCE_IS_BAD                 \
	"(typeof(seq) <> 'integer' OR " \
	"seq NOT BETWEEN 0 AND 1099511627776)"

/*
 * Counts on above every ID that can have been given out, also of rows that are removed. The feed
 * begins a new epoch, because cursors may be greater than its next ID.
 */
int store_row_copy_repair_sequences(sqlite3 *database)
{
	static const char renew_feed[] = STORE_SCHEMA_BEGIN_FEED;
	bool has_feed = store_row_copy_query_int(
		database, "SELECT count(*) FROM sqlite_sequence"
			  " WHERE name = 'feed' AND " SEQUENCE_IS_BAD);
	char sql[256];
	int result;

	snprintf(sql, sizeof(sql),
		 "UPDATE sqlite_sequence SET seq = CASE name WHEN 'sim' THEN %lld"
		 " ELSE %lld END WHERE " SEQUENCE_IS_BAD,
		 (long long)store_row_copy_safe_id("sim"),
		 (long long)store_row_copy_safe_id(""));
	result = sqlite3_exec(database, sql, NULL, NULL, NULL);
	if (result || !sqlite3_changes(database))
		return result;
	log_warning(
		"store: %d counters of IDs were at their end or no numbers; they go on "
		"from the time of the clock",
		sqlite3_changes(database));
	return has_feed ? sqlite3_exec(database, renew_feed, NULL, NULL, NULL)
			: SQLITE_OK;
}

/* Bound by number: the reason, now, and where the gap begins (0 if `alive` is to say). */
static const char *const settling[] = {
	"INSERT INTO message_change (message_id, state, reason, at)"
	" SELECT id, 8, ?1, ?2 FROM message WHERE " STATE_IS_UNFINISHED,
	/* message_state.c: every unfinished state may become unknown */
	"UPDATE message SET state = 8, reason = ?1, changed = ?2"
	" WHERE " STATE_IS_UNFINISHED,
	"UPDATE event SET state = 0 WHERE kind = 1 AND state = 1",
	"UPDATE receive_gap SET until_at = max(from_at, ?2) WHERE until_at = 0",
	"INSERT INTO receive_gap (from_at, until_at, reason)"
	" SELECT min(?2, coalesce(nullif(?3, 0),"
	" (SELECT at FROM alive WHERE at > 0), ?2)), ?2, ?1",
	"INSERT OR REPLACE INTO alive (id, at) VALUES (1, ?2)",
	"DELETE FROM approval_answer", /* it may have had its reply */
	/* messages sent after an elicitation may be missing: see store_session.c */
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
