/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A restore copies the rows of the backup into a new database, then everything of the
 * present message store that an older state may not take back:
 *
 *   always           SIM IDs, opt-outs, idempotency keys by client and key, and what each SIM has
 *                    used of its limits
 *   of the same phone clients, settings, webhooks, idempotency keys with their messages, closed ones, placed
 *                    calls, and what each client has used of its limits
 *
 * The backup is of the same phone when it and the present message store share an audit
 * line or a client. A backup of another phone has other clients.
 *
 * Unfinished messages then become unknown, and the new database replaces the present one
 * (store/store_file.h). See tests/unit/test_store_restore.c.
 */
#include "store/store_restore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "store/store_internal.h"
#include "store/store_database.h"
#include "store/store_file.h"
#include "store/store_lock.h"
#include "store/store_message.h"
#include "store/store.h"
#include "store/store_row_copy.h"
#include "store/store_schema.h"
#include "store/store_usage.h"

/*
 * Without message_id: after the restore that ID may be another message's, whose end must
 * not return this usage.
 */
#define USAGE_NOW "id, at, client_id, sim_id, segments, accepted"

/* Rows of the present message store, in temporary tables beside those of the backup. */
static const char make_present_tables[] =
	"CREATE TEMP TABLE now_sim (id INTEGER NOT NULL, iccid TEXT, imsi TEXT,"
	" first_seen INTEGER NOT NULL) STRICT;"
	"CREATE TEMP TABLE now_client (id INTEGER NOT NULL, name TEXT NOT NULL,"
	" created INTEGER NOT NULL, token_hash BLOB NOT NULL) STRICT;"
	"CREATE TEMP TABLE now_key (id INTEGER NOT NULL, client_id INTEGER NOT NULL,"
	" idempotency_key TEXT NOT NULL, created INTEGER NOT NULL) STRICT;"
	"CREATE TEMP TABLE now_closed (client_id INTEGER NOT NULL,"
	" key TEXT NOT NULL) STRICT;"
	"CREATE TEMP TABLE now_usage (id INTEGER NOT NULL, at INTEGER NOT NULL,"
	" client_id INTEGER NOT NULL, sim_id INTEGER NOT NULL,"
	" segments INTEGER NOT NULL, accepted INTEGER NOT NULL) STRICT;"
	"CREATE TEMP TABLE now_setting (name TEXT NOT NULL, value TEXT NOT NULL) STRICT;"
	"CREATE TEMP TABLE now_head (id INTEGER NOT NULL, hash BLOB NOT NULL) STRICT";

static const struct store_row_copy_spec present_tables[] = {
	{ "sim", SIM_CARRIED, "?1 > 0", .into = "now_sim" },
	{ "client", "id, name, created, token_hash", "?1 > 0", .into = "now_client" },
	{ "message", "id, client_id, idempotency_key, created", "?3 IS NOT NULL",
	  .into = "now_key" },
	{ "closed_key", "client_id, key", "1", .into = "now_closed" },
	{ "usage", USAGE_NOW, "1", .into = "now_usage" },
	{ "setting", "name, value", "1", .into = "now_setting" },
	{ "audit", "id, hash", "EXISTS (SELECT 1 FROM audit WHERE id = ?1 AND hash = ?2)",
	  .into = "now_head" },
};

/* Without IDs: they may be taken by other opt-outs of the backup. */
static const struct store_row_copy_spec kept_tables[] = {
	{ "sim", SIM_CARRIED, "?1 > 0" },
	{ "opt_out", "phone_number, at, word, confirmed", "1" },
};

/* These decide who may do what. */
static const struct store_row_copy_spec rights_tables[] = {
	{ "client", CLIENT_CARRIED, "?1 > 0" },
	{ "setting", SETTING_CARRIED, "1" },
	{ "phone", PHONE_CARRIED, "?1 > 0 AND length(?3) = 32" },
	{ "phone_sim", PHONE_SIM_CARRIED, PHONE_SIM_CONDITION },
	{ "command_sender", SENDER_CARRIED, "length(?3) = 20" },
	{ "command_wrong_code", "id, phone_number, at", "1" },
	{ "closed_key", "client_id, key, at", "1" },
	{ "webhook_consent", CONSENT_CARRIED, "?1 > 0 AND ?7 BETWEEN 0 AND 2" },
	{ "webhook_subscription", WEBHOOK_CARRIED, WEBHOOK_CONDITION },
	{ "webhook_delivery", WEBHOOK_DELIVERY_CARRIED, WEBHOOK_DELIVERY_CONDITION },
};

/*
 * A key that is used now stays used, for as long as one that is used today. Row numbers say
 * nothing, because those of a backup may be other messages': only the same message, with the
 * same ID and no older, stands for its key. A client of the same phone has the same ID; in a
 * backup of another phone it is recognised by its token or name, and the IDs up to 0 mean the
 * same everywhere. Bound: the same phone, now in usage time.
 */
static const char used_keys[] =
	"INSERT INTO closed_key (client_id, key, at)"
	" SELECT new_id, key, max(?2, coalesce((SELECT max(accepted) FROM usage), ?2))"
	" FROM (SELECT CASE WHEN ?1 OR used.client_id < 1"
	"   THEN used.client_id ELSE client.id END AS new_id, key, used.id, used.created"
	"  FROM (SELECT client_id, idempotency_key AS key, id, created FROM now_key"
	"   UNION ALL SELECT client_id, key, NULL, NULL FROM now_closed) AS used"
	"  LEFT JOIN now_client ON NOT ?1 AND now_client.id = used.client_id"
	"  LEFT JOIN client ON client.token_hash = now_client.token_hash"
	"   OR client.name = now_client.name) AS used"
	" WHERE new_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM message WHERE ?1"
	"  AND message.id = used.id AND client_id = new_id AND idempotency_key = key"
	"  AND message.created >= used.created)"
	" ON CONFLICT (client_id, key) DO UPDATE SET at = max(at, excluded.at)";

static const char kinship[] =
	"SELECT EXISTS (SELECT 1 FROM now_head) OR EXISTS (SELECT 1 FROM now_client"
	" JOIN client USING (id, name, created))";

/* A card whose ID is another card's in the backup gets a new ID. */
static const char other_cards[] =
	"INSERT INTO sim (iccid, imsi, first_seen) SELECT iccid, imsi, first_seen"
	" FROM now_sim WHERE iccid IS NOT NULL"
	" AND NOT EXISTS (SELECT 1 FROM sim WHERE sim.iccid = now_sim.iccid)";

/*
 * On the same phone a row has the same ID in both. The present row counts, because it
 * may have moved with the clock, and its message may have been submitted. When an ID means two different rows, the second gets a
 * new ID.
 */
static const char usage_of_kin[] =
	"INSERT OR REPLACE INTO usage (" USAGE_NOW ")"
	" SELECT CASE WHEN EXISTS (SELECT 1 FROM usage AS old WHERE old.id = now.id AND"
	"  (old.client_id, abs(old.sim_id), old.segments, old.accepted)"
	"  <> (now.client_id, abs(now.sim_id), now.segments, now.accepted))"
	"  THEN NULL ELSE now.id END,"
	" at, client_id, sim_id, segments, accepted FROM now_usage AS now ORDER BY "
	"now.id";

/*
 * What was submitted from the same cards. On another phone the clients are others, the cards may have other IDs, and usage time
 * another zero.
 */
static const char usage_of_cards[] =
	"INSERT INTO usage (at, client_id, sim_id, segments, accepted)"
	" SELECT now.at + %1$" PRId64
	", -1, sim.id, now.segments, now.accepted + %1$" PRId64
	" FROM now_usage AS now JOIN now_sim ON now_sim.id = now.sim_id"
	" JOIN sim ON sim.iccid = now_sim.iccid"
	"  OR (sim.iccid IS NULL AND now_sim.iccid IS NULL AND sim.imsi = now_sim.imsi)"
	" ORDER BY now.id";

static int store_restore_query_int(sqlite3 *database, const char *sql,
				   int64_t *number_out)
{
	int result = store_database_read_integer(database, sql, number_out);

	return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Asks the usage clock of the table of settings; the function gets NULL if it has none. */
static int64_t store_restore_ask_clock(sqlite3 *database, const char *table,
				       int64_t (*ask)(const char *value))
{
	sqlite3_stmt *statement = NULL;
	const char *value = NULL;
	char sql[96];
	int64_t answer_ms;

	snprintf(sql, sizeof(sql),
		 "SELECT value FROM %s WHERE name = '" STORE_SETTING_USAGE_CLOCK "'",
		 table);
	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		value = (const char *)sqlite3_column_text(statement, 0);
	answer_ms = ask(value);
	sqlite3_finalize(statement);
	return answer_ms;
}

static int store_restore_keep_cards(sqlite3 *to)
{
	char sql[sizeof(usage_of_cards) + 2 * 24];
	int result = sqlite3_exec(to, other_cards, NULL, NULL, NULL);

	snprintf(sql, sizeof(sql), usage_of_cards,
		 store_restore_ask_clock(to, "now_setting", store_usage_clock_ahead) -
			 store_restore_ask_clock(to, "setting", store_usage_clock_ahead));
	if (!result)
		result = sqlite3_exec(to, sql, NULL, NULL, NULL);
	return result;
}

/* Only rows that are newer than the backup; for older ones the backup counts. */
static int store_restore_keep_rows(sqlite3 *from, sqlite3 *to)
{
	char messages[sizeof(MESSAGE_CONDITION) + 64], changes[160], calls[160];
	const struct store_row_copy_spec rows[] = {
		{ "message", MESSAGE_CARRIED, messages },
		{ "message_change", CHANGE_CARRIED, changes },
		{ "event", EVENT_CARRIED, calls },
	};
	int64_t message = 0, event = 0;
	int result = store_restore_query_int(
		to, "SELECT max(seq) FROM sqlite_sequence WHERE name = 'message'",
		&message);

	if (!result)
		result = store_restore_query_int(to,
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
	return store_row_copy_tables(from, to, rows, sizeof(rows) / sizeof(*rows));
}

static int store_restore_keep_same_phone(sqlite3 *from, sqlite3 *to)
{
	int result = sqlite3_exec(to,
				  "DELETE FROM client; DELETE FROM setting;"
				  "DELETE FROM webhook_consent; DELETE FROM phone;"
				  "DELETE FROM phone_sim;"
				  "DELETE FROM webhook_delivery;"
				  "DELETE FROM webhook_subscription;"
				  "DELETE FROM command_sender;"
				  "DELETE FROM command_wrong_code",
				  NULL, NULL, NULL);

	if (!result)
		result = store_row_copy_tables(from, to, rights_tables,
					       sizeof(rights_tables) /
						       sizeof(*rights_tables));
	if (!result)
		result = sqlite3_exec(to, usage_of_kin, NULL, NULL, NULL);
	return result ? result : store_restore_keep_rows(from, to);
}

/* Usage time of the new database, or of the present one if that is later. */
static int64_t store_restore_now(sqlite3 *to)
{
	int64_t new_ms = store_restore_ask_clock(to, "setting", store_usage_clock_now);
	int64_t present_ms =
		store_restore_ask_clock(to, "now_setting", store_usage_clock_now);

	return new_ms > present_ms ? new_ms : present_ms;
}

static int store_restore_keep_keys(sqlite3 *to, bool is_kin)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(to, used_keys, -1, &statement, NULL);

	if (result == SQLITE_OK) {
		sqlite3_bind_int(statement, 1, is_kin);
		sqlite3_bind_int64(statement, 2, store_restore_now(to));
		result = sqlite3_step(statement);
	}
	sqlite3_finalize(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int store_restore_keep_present(sqlite3 *from, sqlite3 *to, bool *is_kin_out)
{
	int64_t is_kin = 0;
	int result = sqlite3_exec(to, make_present_tables, NULL, NULL, NULL);

	if (!result)
		result = store_row_copy_tables(from, to, present_tables,
					       sizeof(present_tables) /
						       sizeof(*present_tables));
	if (!result)
		result = store_restore_query_int(to, kinship, &is_kin);
	if (!result)
		result =
			store_row_copy_tables(from, to, kept_tables,
					      sizeof(kept_tables) / sizeof(*kept_tables));
	if (!result)
		result = is_kin ? store_restore_keep_same_phone(from, to)
				: store_restore_keep_cards(to);
	if (!result)
		result = store_restore_keep_keys(to, is_kin);
	if (!result)
		*is_kin_out = is_kin;
	return result;
}

struct store_restore_work {
	const struct store_restore *restore;
	struct store_database backup;
	struct store_database fresh;
	struct store_database present;
};

static int store_restore_open_backup(struct store_restore_work *work)
{
	struct stat status;
	int error;

	snprintf(work->backup.path, PATH_MAX, "%s", work->restore->file);
	if (stat(work->backup.path, &status) < 0)
		return store_database_fail(&work->backup, -errno, "%m");
	if (!S_ISREG(status.st_mode))
		return store_database_fail(&work->backup, -EINVAL, "not a file");
	error = store_database_check_companions(&work->backup);
	if (!error)
		error = store_database_connect(&work->backup, SQLITE_OPEN_READONLY);
	if (!error)
		error = store_database_check_kind(&work->backup);
	if (error == -EUCLEAN)
		return store_database_fail(
			&work->backup, error,
			"damaged, or no backup; the message store is unchanged");
	return error;
}

static int store_restore_fail_damaged(struct store_restore_work *work)
{
	return store_database_fail(&work->backup, -EUCLEAN,
				   "damaged; the message store is unchanged");
}

/*
 * A check of the pages would run parts of a foreign schema. Then it must suffice that
 * every row can be read.
 */
static int store_restore_check_backup(struct store_restore_work *work)
{
	int64_t version = 0;
	int error = store_database_execute(&work->backup, "BEGIN");

	if (!error)
		error = store_database_query_int(&work->backup, "PRAGMA user_version",
						 &version);
	if (!error && store_schema_is_ours(work->backup.database, version))
		error = store_database_check(&work->backup, "integrity_check");
	return error == -EUCLEAN ? store_restore_fail_damaged(work) : error;
}

static int store_restore_fail_copying(struct store_restore_work *work, int result)
{
	if (result == SQLITE_INTERRUPT)
		return store_database_fail(&work->fresh, -EINTR, "interrupted");
	result = store_database_error(work->fresh.database, result);
	return store_database_fail(&work->fresh, result > 0 ? -ENOSPC : result,
				   "cannot be written: %s",
				   sqlite3_errmsg(work->fresh.database));
}

/* Copies the rows into tables of our schema. */
static int store_restore_copy_rows(struct store_restore_work *work,
				   struct store_restore_result *restored)
{
	const struct store_backup_progress *progress = &work->restore->progress;
	struct store_row_copy_result copied = { false };
	int64_t pages = 0;
	int result, error;

	errno = 0; /* see store_database_error() */
	result = store_row_copy_all(work->backup.database, work->fresh.database, progress,
				    &copied);
	if (result)
		return store_restore_fail_copying(work, result);
	if (copied.is_damaged)
		return store_restore_fail_damaged(work);
	restored->left_out = copied.left_out;
	error = store_database_query_int(&work->backup, "PRAGMA page_count", &pages);
	if (!error && progress->step &&
	    !progress->step(progress->data, (int)pages, (int)pages))
		return store_restore_fail_copying(work, SQLITE_INTERRUPT);
	return error ? error : store_database_check(&work->fresh, "quick_check");
}

static int store_restore_copy_backup(struct store_restore_work *work,
				     struct store_restore_result *restored)
{
	int error;

	if (!store_file_path(work->fresh.path, work->restore->folder, STORE_FILE_FRESH,
			     ""))
		return store_database_fail(&work->fresh, -ENAMETOOLONG, "too long");
	error = store_restore_check_backup(work);
	if (!error)
		error = store_database_make(&work->fresh);
	return error ? error : store_restore_copy_rows(work, restored);
}

/* What SQLite can't open would look damaged, and what it revoked would not be kept. */
static int store_restore_find_present(struct store_restore_work *work)
{
	if (!store_file_path(work->present.path, work->restore->folder, STORE_FILE, ""))
		return store_database_fail(&work->present, -ENAMETOOLONG,
					   "path too long");
	return store_database_check_companions(&work->present);
}

/* Returns 1 if there is one. Its database is NULL when nothing of it can be read. */
static int store_restore_open_present(struct store_restore_work *work)
{
	struct stat status;

	if (stat(work->present.path, &status) < 0)
		return 0;
	if (store_database_connect(&work->present, SQLITE_OPEN_READONLY))
		store_database_abort(&work->present);
	return 1;
}

/* Records the head of the replaced audit log, which that file still proves. */
static int store_restore_audit(sqlite3 *present, sqlite3 *to)
{
	struct audit_chain_head head = { .line = 0 };
	char text[AUDIT_HEAD_TEXT_BYTES];
	char detail[AUDIT_HEAD_TEXT_BYTES + 32] = "{}";

	if (present && audit_chain_find_head(present, &head) == SQLITE_OK && head.line) {
		audit_chain_write_head(&head, text);
		snprintf(detail, sizeof(detail), "{\"replaced\":\"%s\"}", text);
	}
	return audit_chain_add(to, AUDIT_STORE_RESTORED, detail);
}

/*
 * A hub's IDs are in the keys that its phones know (remote/remote.c). Only its own present store
 * says which it has given out since the backup; a new disk does not.
 */
static int store_restore_continue_ids(sqlite3 *present, bool is_there, bool is_kin,
				      sqlite3 *to)
{
	int64_t is_hub = 0;
	int result = store_restore_query_int(to, "SELECT EXISTS (SELECT 1 FROM phone)",
					     &is_hub);

	if (!result && is_hub && !is_kin)
		return store_row_copy_sequences(NULL, to);
	return !result && is_there ? store_row_copy_sequences(present, to) : result;
}

/*
 * Refuses to replace a message store of a newer program, whose keys and clients may be in tables
 * that this one does not know. Of a damaged one, *is_damaged_out, what can be read is kept.
 */
static int store_restore_check_present(struct store_restore_work *work,
				       bool *is_damaged_out)
{
	struct store_database *present = &work->present;
	int64_t version = 0;

	*is_damaged_out =
		!present->database ||
		store_database_query_int(present, "PRAGMA user_version", &version);
	if (!*is_damaged_out && version > STORE_SCHEMA_VERSION) {
		present->error = work->backup.error;
		return store_database_check_version(present, version);
	}
	/* A check of a foreign schema would run parts of it. */
	if (!*is_damaged_out && store_schema_is_ours(present->database, version))
		*is_damaged_out = store_database_check(present, "quick_check") != 0;
	return 0;
}

static int store_restore_carry_over(struct store_restore_work *work,
				    struct store_restore_result *restored)
{
	struct explanation ignored;
	sqlite3 *to = work->fresh.database;
	bool is_there, is_kin = false;
	int result = SQLITE_OK, error = 0;

	work->present.error = &ignored;
	is_there = store_restore_open_present(work);
	if (is_there)
		error = store_restore_check_present(work, &restored->was_damaged);
	if (error) {
		store_database_abort(&work->present);
		return error;
	}
	if (work->present.database)
		result = store_restore_keep_present(work->present.database, to, &is_kin);
	restored->keeps_clients = is_kin;
	if (!result)
		result = store_restore_continue_ids(work->present.database, is_there,
						    is_kin, to);
	if (!result)
		result = store_row_copy_settle(to, STORE_GAP_RESTORED, 0);
	if (!result)
		result = store_restore_audit(work->present.database, to);
	store_database_abort(&work->present);
	if (!result)
		return 0;
	return store_database_fail(&work->fresh, -EIO, "cannot be written: %s",
				   sqlite3_errmsg(to));
}

static int store_restore_make_new(struct store_restore_work *work,
				  struct store_restore_result *restored)
{
	int error = store_restore_copy_backup(work, restored);

	if (!error)
		error = store_database_query_int(&work->fresh,
						 "SELECT count(*) FROM message"
						 " WHERE " STATE_IS_UNFINISHED,
						 &restored->unknown);
	if (!error)
		error = store_restore_carry_over(work, restored);
	if (!error)
		error = store_database_summarize(&work->fresh, &restored->summary);
	return error ? error : store_database_finish(&work->fresh);
}

int store_restore(const struct store_restore *restore,
		  struct store_restore_result *result_out, struct explanation *error)
{
	struct store_restore_work work = { .restore = restore,
					   .backup.error = error,
					   .fresh.error = error,
					   .present.error = error };
	struct store_restore_result result = { 0 };
	struct store_lock lock;
	int failure = store_lock_take(restore->folder, &lock, error);

	if (failure)
		return failure;
	failure = store_restore_find_present(&work);
	if (failure) {
		store_lock_release(&lock);
		return failure;
	}
	store_file_finish_replace(restore->folder);
	failure = store_restore_open_backup(&work);
	if (!failure) {
		failure = store_restore_make_new(&work, &result);
		if (!failure)
			failure = store_database_explain(
				&work.fresh,
				store_file_replace(restore->folder, work.fresh.path,
						   "replaced", result.aside),
				"cannot become the message store");
		store_database_abort(&work.fresh);
		store_file_remove(work.fresh.path);
	}
	store_database_abort(&work.backup);
	store_lock_release(&lock);
	if (!failure)
		*result_out = result;
	return failure;
}
