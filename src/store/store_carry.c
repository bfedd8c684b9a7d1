/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table with a damaged page is read from its first row up to the damage and then from
 * its last row down to it (tests/unit/test_store_rescue.c).
 */
#include "store/store_carry.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "store/delivery.h"
#include "store/message_state.h"
#include "store/store_event.h"
#include "store/store_secret.h"

enum { MS_PER_SECOND = 1000, SECONDS_PER_DAY = 24 * 60 * 60 };

#define NUMBER_MAX (INT64_C(1) << 40) /* a greater one was not counted up to */

struct carried_table {
	const char *name;
	const char *columns;   /* the first is the row's number */
	const char *condition; /* of the row ?1, ?2, ...; "1": any */
};

#define MESSAGE_CARRIED                                                             \
	"id, direction, sim_id, client_id, number, text, segments, state, reason, " \
	"uuid, created, changed, idempotency_key, send_at, expires_at, delivery, "  \
	"sent_time, flags, repeats, read_at"

#define CLIENT_CARRIED                                                          \
	"id, name, token_hash, created, scopes, ask, sims, allow, per_minute, " \
	"per_hour, per_day, segments_per_month"

/* 13, 3 and 11 are the last state, delivery and state of a call that is stored. */
_Static_assert(STATE_LAST == 13 && DELIVERY_REFUSED == 3 && CALL_STATE_LAST == 11,
	       "as in the conditions");

/*
 * Sessions stay behind, and their clients begin new ones. So does spool_lead: an older
 * version has none, and only what comes in twice within minutes asks for it. And so do the
 * owner's words to a change, which an older version has not either.
 */
static const struct carried_table tables[] = {
	{ "sim", "id, iccid, imsi, first_seen", "?1 > 0" },
	{ "client", CLIENT_CARRIED, "?1 > 0" },
	{ "client", "id, name, token_hash, created", "?1 > 0" }, /* of an older version */
	{ "message", MESSAGE_CARRIED,
	  "?1 > 0 AND ?8 BETWEEN 1 AND 13 AND ?16 BETWEEN 0 AND 3"
	  " AND (?2 = 1) = (?8 = 9)" },
	{ "message_change", "id, message_id, state, reason, at",
	  "?3 BETWEEN 1 AND 13 AND EXISTS (SELECT 1 FROM message WHERE id = ?2)" },
	{ "event", "id, kind, sim_id, at, number, text, state, topic",
	  "?1 > 0 AND ?2 BETWEEN 1 AND 2 AND ?7 BETWEEN 0 AND 11" },
	{ "balance", "id, amount, decimals, currency, code, at", "?1 > 0" },
	{ "gap", "id, from_at, until_at, reason", "1" },
	{ "alive", "id, at", "1" },
	{ "secret", "id, purpose, value", "1" },
	{ "usage", "id, at, client_id, sim_id, segments, noted", "1" },
	{ "opt_out", "id, number, at, word, confirmed", "1" },
	{ "setting", "id, name, value, at", "1" },
	{ "audit_anchor", "id, line, hash", "1" },
	{ "audit", "id, at, event, detail, hash", "?1 > 0" },
};

enum { COLUMNS_MAX = 20 };

static bool value_is_sound(sqlite3_value *value)
{
	const char *text;
	size_t length;

	if (sqlite3_value_type(value) != SQLITE_TEXT)
		return true;
	text = (const char *)sqlite3_value_text(value);
	length = (size_t)sqlite3_value_bytes(value);
	return text && strlen(text) == length && utf8_valid(text, length);
}

/* One table on its way. */
struct carrying {
	sqlite3_stmt *insert;
	bool whole; /* every row so far came over */
	int result; /* of `to`, which must take what it is given */
};

/* A row that is none of ours, or does not fit, is left out; one that is there stays. */
static void carry_row(struct carrying *carrying, sqlite3_stmt *row)
{
	int column, columns = sqlite3_column_count(row);

	for (column = 0; column < columns; column++) {
		sqlite3_value *value = sqlite3_column_value(row, column);

		if (!value_is_sound(value)) {
			carrying->whole = false;
			return;
		}
		sqlite3_bind_value(carrying->insert, column + 1, value);
	}
	carrying->result = sqlite3_step(carrying->insert);
	sqlite3_reset(carrying->insert);
	if (carrying->result == SQLITE_DONE)
		carrying->result = SQLITE_OK;
	if ((carrying->result & 0xff) != SQLITE_CONSTRAINT)
		return;
	carrying->result = SQLITE_OK;
	carrying->whole = false;
}

static void carry_rows(struct carrying *carrying, sqlite3 *from,
		       const struct carried_table *table, const char *order)
{
	sqlite3_stmt *row = NULL;
	char sql[512];
	int result;

	snprintf(sql, sizeof(sql), "SELECT %s FROM %s NOT INDEXED ORDER BY id %s",
		 table->columns, table->name, order);
	result = sqlite3_prepare_v2(from, sql, -1, &row, NULL);
	if (result == SQLITE_OK)
		result = sqlite3_step(row);
	for (; result == SQLITE_ROW && !carrying->result; result = sqlite3_step(row))
		carry_row(carrying, row);
	if (result != SQLITE_DONE)
		carrying->whole = false;
	sqlite3_finalize(row);
}

static sqlite3_stmt *prepare_insert(sqlite3 *to, const struct carried_table *table)
{
	sqlite3_stmt *insert = NULL;
	char sql[1024], places[COLUMNS_MAX * 5] = "";
	const char *comma = table->columns;
	int column = 1, length = 0;

	do {
		length += snprintf(places + length, sizeof(places) - (size_t)length,
				   "%s?%d", column > 1 ? "," : "", column);
		column++;
		comma = strchr(comma + 1, ',');
	} while (comma);
	snprintf(sql, sizeof(sql), "INSERT OR IGNORE INTO %s (%s) SELECT %s WHERE %s",
		 table->name, table->columns, places, table->condition);
	sqlite3_prepare_v2(to, sql, -1, &insert, NULL);
	return insert;
}

static int carry_table(sqlite3 *from, sqlite3 *to, const struct carried_table *table,
		       bool *whole)
{
	struct carrying carrying = { prepare_insert(to, table), true, SQLITE_OK };

	if (!carrying.insert)
		return sqlite3_errcode(to);
	carry_rows(&carrying, from, table, "ASC");
	if (!carrying.whole && !carrying.result)
		carry_rows(&carrying, from, table, "DESC");
	sqlite3_finalize(carrying.insert);
	*whole &= carrying.whole;
	return carrying.result;
}

static int carry_tables(sqlite3 *from, sqlite3 *to, const struct carried_table *list,
			size_t count, bool *whole_out)
{
	int result = sqlite3_exec(to, "BEGIN", NULL, NULL, NULL);
	bool whole = true;

	for (size_t i = 0; !result && i < count; i++)
		result = carry_table(from, to, &list[i], &whole);
	if (!result)
		result = sqlite3_exec(to, "COMMIT", NULL, NULL, NULL);
	if (!result)
		*whole_out = whole;
	return result;
}

int store_carry_all(sqlite3 *from, sqlite3 *to, bool *whole_out)
{
	return carry_tables(from, to, tables, sizeof(tables) / sizeof(*tables),
			    whole_out);
}

/* The ids of opt-outs may stand for others there. */
static const struct carried_table kept[] = {
	{ "sim", "id, iccid, imsi, first_seen", "?1 > 0" },
	{ "opt_out", "number, at, word, confirmed", "1" },
};

int store_carry_kept(sqlite3 *from, sqlite3 *to, bool *whole_out)
{
	return carry_tables(from, to, kept, sizeof(kept) / sizeof(*kept), whole_out);
}

/* A line of the audit in both, with its hash: one goes on from where the other was. */
static int find_kinship(sqlite3_stmt *theirs, sqlite3_stmt *ours, bool *is_kin_out)
{
	int result = SQLITE_DONE;

	*is_kin_out = false;
	while (!*is_kin_out && (result = sqlite3_step(theirs)) == SQLITE_ROW) {
		sqlite3_bind_value(ours, 1, sqlite3_column_value(theirs, 0));
		sqlite3_bind_value(ours, 2, sqlite3_column_value(theirs, 1));
		*is_kin_out = sqlite3_step(ours) == SQLITE_ROW;
		sqlite3_reset(ours);
	}
	return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

static int compare(sqlite3 *from, sqlite3 *to, bool *is_kin_out)
{
	sqlite3_stmt *theirs = NULL, *ours = NULL;
	int result = sqlite3_prepare_v2(to, "SELECT id, hash FROM audit ORDER BY id DESC",
					-1, &theirs, NULL);

	*is_kin_out = false;
	if (result == SQLITE_OK &&
	    sqlite3_prepare_v2(from, "SELECT 1 FROM audit WHERE id = ?1 AND hash = ?2",
			       -1, &ours, NULL) == SQLITE_OK)
		result = find_kinship(theirs, ours, is_kin_out);
	sqlite3_finalize(theirs);
	sqlite3_finalize(ours);
	return result;
}

/* What says who may do what. */
static const struct carried_table rights[] = {
	{ "client", CLIENT_CARRIED, "?1 > 0" },
	{ "setting", "id, name, value, at", "1" },
};

int store_carry_rights(sqlite3 *from, sqlite3 *to, bool *carried_out)
{
	bool is_kin, whole;
	int result = compare(from, to, &is_kin);

	if (!result && is_kin)
		result = sqlite3_exec(to, "DELETE FROM client; DELETE FROM setting", NULL,
				      NULL, NULL);
	if (!result && is_kin)
		result = carry_tables(from, to, rights, sizeof(rights) / sizeof(*rights),
				      &whole);
	if (!result)
		*carried_out = is_kin;
	return result;
}

/* -1: it cannot be read, or is no number that was counted up to. */
static int64_t last_number(sqlite3 *from, const char *table)
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
static int64_t jump(const char *table)
{
	int64_t seconds = clock_wall_ms() / MS_PER_SECOND;

	return strcmp(table, "sim") == 0 ? seconds / SECONDS_PER_DAY : seconds;
}

static int raise_number(sqlite3 *to, const char *table, int64_t number)
{
	char sql[320];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO sqlite_sequence (name, seq) SELECT '%s', 0 WHERE NOT EXISTS"
		 " (SELECT 1 FROM sqlite_sequence WHERE name = '%s');"
		 "UPDATE sqlite_sequence SET seq = max(seq, %lld) WHERE name = '%s'",
		 table, table, (long long)number, table);
	return sqlite3_exec(to, sql, NULL, NULL, NULL);
}

int store_carry_numbers(sqlite3 *from, sqlite3 *to)
{
	static const char *const numbered[] = { "sim", "client", "message", "event" };
	int result = SQLITE_OK;

	for (size_t i = 0; !result && i < sizeof(numbered) / sizeof(*numbered); i++) {
		int64_t number = last_number(from, numbered[i]);

		if (number < 0)
			number = jump(numbered[i]);
		result = raise_number(to, numbered[i], number);
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
	"DELETE FROM secret WHERE purpose = '" STORE_ASKING_PURPOSE "'",
};

static int settle_step(sqlite3 *to, const char *sql, const char *reason,
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

int store_carry_settle(sqlite3 *to, const char *reason, int64_t heard_ms)
{
	const int64_t times_ms[2] = { clock_wall_ms(), heard_ms };
	int result = sqlite3_exec(to, "BEGIN", NULL, NULL, NULL);

	for (size_t i = 0; !result && i < sizeof(settling) / sizeof(*settling); i++)
		result = settle_step(to, settling[i], reason, times_ms);
	if (!result)
		result = sqlite3_exec(to, "COMMIT", NULL, NULL, NULL);
	return result;
}
