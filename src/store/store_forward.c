/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_forward.h"

#include <inttypes.h>
#include <stdio.h>

#include "store/store_carry.h"
#include "store/store_usage.h"

/*
 * Without message_id: after the restore that number may become another message's, and its end must
 * give back nothing of these.
 */
#define USAGE_NOW "id, at, client_id, sim_id, segments, noted"

/* What the present store says, beside what the backup says: in tables of this connection. */
static const char making[] =
	"CREATE TEMP TABLE now_sim (id INTEGER NOT NULL, iccid TEXT, imsi TEXT,"
	" first_seen INTEGER NOT NULL) STRICT;"
	"CREATE TEMP TABLE now_client (id INTEGER NOT NULL, name TEXT NOT NULL,"
	" created INTEGER NOT NULL) STRICT;"
	"CREATE TEMP TABLE now_usage (id INTEGER NOT NULL, at INTEGER NOT NULL,"
	" client_id INTEGER NOT NULL, sim_id INTEGER NOT NULL,"
	" segments INTEGER NOT NULL, noted INTEGER NOT NULL) STRICT;"
	"CREATE TEMP TABLE now_setting (name TEXT NOT NULL, value TEXT NOT NULL) STRICT;"
	"CREATE TEMP TABLE now_head (id INTEGER NOT NULL, hash BLOB NOT NULL) STRICT";

static const struct carried_table present[] = {
	{ "sim", SIM_CARRIED, "?1 > 0", .into = "now_sim" },
	{ "client", "id, name, created", "?1 > 0", .into = "now_client" },
	{ "usage", USAGE_NOW, "1", .into = "now_usage" },
	{ "setting", "name, value", "1", .into = "now_setting" },
	{ "audit", "id, hash", "EXISTS (SELECT 1 FROM audit WHERE id = ?1 AND hash = ?2)",
	  .into = "now_head" },
};

/* The ids of opt-outs may stand for others there. */
static const struct carried_table kept[] = {
	{ "sim", SIM_CARRIED, "?1 > 0" },
	{ "opt_out", "number, at, word, confirmed", "1" },
};

/* What says who may do what. */
static const struct carried_table rights[] = {
	{ "client", CLIENT_CARRIED, "?1 > 0" },
	{ "setting", SETTING_CARRIED, "1" },
};

static const char kinship[] =
	"SELECT EXISTS (SELECT 1 FROM now_head) OR EXISTS (SELECT 1 FROM now_client"
	" JOIN client USING (id, name, created))";

/* A card whose number stands for another card there gets a new one. */
static const char other_cards[] =
	"INSERT INTO sim (iccid, imsi, first_seen) SELECT iccid, imsi, first_seen"
	" FROM now_sim WHERE iccid IS NOT NULL"
	" AND NOT EXISTS (SELECT 1 FROM sim WHERE sim.iccid = now_sim.iccid)";

/*
 * Of kin a row has the same number in both, and the present one counts, for it may have moved
 * with the clock. A number that stands for two is given anew to the second.
 */
static const char usage_of_kin[] =
	"INSERT OR REPLACE INTO usage (" USAGE_NOW ")"
	" SELECT CASE WHEN EXISTS (SELECT 1 FROM usage AS old WHERE old.id = now.id AND"
	"  (old.client_id, old.sim_id, old.segments, old.noted)"
	"  <> (now.client_id, now.sim_id, now.segments, now.noted))"
	"  THEN NULL ELSE now.id END,"
	" at, client_id, sim_id, segments, noted FROM now_usage AS now ORDER BY now.id";

/* The clients are others, the cards may have other numbers, and the clock another zero. */
static const char usage_of_cards[] =
	"INSERT INTO usage (at, client_id, sim_id, segments, noted)"
	" SELECT now.at + %1$" PRId64 ", -1, sim.id, now.segments, now.noted + %1$" PRId64
	" FROM now_usage AS now JOIN now_sim ON now_sim.id = now.sim_id"
	" JOIN sim ON sim.iccid = now_sim.iccid"
	"  OR (sim.iccid IS NULL AND now_sim.iccid IS NULL AND sim.imsi = now_sim.imsi)"
	" ORDER BY now.id";

static int ask(sqlite3 *database, const char *sql, int64_t *number_out)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*number_out = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

/* By how much the wall clock is ahead of usage time; 0: not known. */
static int64_t ahead(sqlite3 *database, const char *table)
{
	sqlite3_stmt *statement = NULL;
	int64_t ahead_ms = 0;
	char sql[96];

	snprintf(sql, sizeof(sql),
		 "SELECT value FROM %s WHERE name = '" STORE_SETTING_USAGE_CLOCK "'",
		 table);
	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		ahead_ms = store_usage_ahead(
			(const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return ahead_ms;
}

static int forward_cards(sqlite3 *to)
{
	char sql[sizeof(usage_of_cards) + 2 * 24];
	int result = sqlite3_exec(to, other_cards, NULL, NULL, NULL);

	snprintf(sql, sizeof(sql), usage_of_cards,
		 ahead(to, "now_setting") - ahead(to, "setting"));
	if (!result)
		result = sqlite3_exec(to, sql, NULL, NULL, NULL);
	return result;
}

/* Only what came after the backup: the rest is in it, and what it says of that stays. */
static int forward_rows(sqlite3 *from, sqlite3 *to)
{
	char messages[160], changes[160], calls[160];
	const struct carried_table rows[] = {
		{ "message", MESSAGE_CARRIED, messages },
		{ "message_change", CHANGE_CARRIED, changes },
		{ "event", EVENT_CARRIED, calls },
	};
	int64_t message = 0, event = 0;
	int result =
		ask(to, "SELECT max(seq) FROM sqlite_sequence WHERE name = 'message'",
		    &message);

	if (!result)
		result = ask(to,
			     "SELECT max(seq) FROM sqlite_sequence"
			     " WHERE name = 'event'",
			     &event);
	snprintf(messages, sizeof(messages),
		 MESSAGE_CONDITION " AND ?1 > %" PRId64 " AND ?13 IS NOT NULL", message);
	snprintf(changes, sizeof(changes),
		 "?3 BETWEEN 1 AND 13 AND ?2 > %" PRId64
		 " AND EXISTS (SELECT 1 FROM message WHERE id = ?2)",
		 message);
	snprintf(calls, sizeof(calls),
		 EVENT_CONDITION " AND ?2 = 1 AND ?7 >= 5 AND ?1 > %" PRId64, event);
	if (result)
		return result;
	return store_carry_tables(from, to, rows, sizeof(rows) / sizeof(*rows));
}

static int forward_kin(sqlite3 *from, sqlite3 *to)
{
	int result = sqlite3_exec(to, "DELETE FROM client; DELETE FROM setting", NULL,
				  NULL, NULL);

	if (!result)
		result = store_carry_tables(from, to, rights,
					    sizeof(rights) / sizeof(*rights));
	if (!result)
		result = sqlite3_exec(to, usage_of_kin, NULL, NULL, NULL);
	return result ? result : forward_rows(from, to);
}

int store_forward(sqlite3 *from, sqlite3 *to, bool *is_kin_out)
{
	int64_t is_kin = 0;
	int result = sqlite3_exec(to, making, NULL, NULL, NULL);

	if (!result)
		result = store_carry_tables(from, to, present,
					    sizeof(present) / sizeof(*present));
	if (!result)
		result = ask(to, kinship, &is_kin);
	if (!result)
		result = store_carry_tables(from, to, kept, sizeof(kept) / sizeof(*kept));
	if (!result)
		result = is_kin ? forward_kin(from, to) : forward_cards(to);
	if (!result)
		*is_kin_out = is_kin;
	return result;
}
