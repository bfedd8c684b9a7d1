/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The schema of the first release, and the migration to 12, which renames what is stored. */
#include "unit_test.h"
#include "store/audit.h"
#include "store/store.h"
#include "store/store_internal.h"
#include "store/store_party.h"
#include "store/store_restore.h"
#include "store/store_setting.h"
#include "store_bench.h"

static char file[96];

/* A row in each table and column that is renamed, and in each that refers to one. */
static const char rows_of_11[] =
	"INSERT INTO sim VALUES (1, '8936', NULL, 5);"
	"INSERT INTO client (id, name, token_hash, created, scopes, ask) VALUES"
	" (3, 'laptop', zeroblob(32), 7, 3, 2);"
	"INSERT INTO message (id, direction, sim_id, client_id, number, text, segments,"
	" state, reason, created, changed) VALUES"
	" (1, 0, 1, 3, '+36201', 'out', 1, 5, '', 100, 200),"
	" (2, 0, 1, 3, '+36201', 'lost', 1, 8, 'ledger_damaged', 101, 201),"
	" (3, 1, 1, 0, '+36202', 'in', 0, 9, '', 102, 202);"
	"INSERT INTO message_change (message_id, state, reason, at) VALUES"
	" (1, 1, '', 100), (1, 2, '', 100), (1, 3, '', 150), (1, 5, '', 200),"
	" (2, 1, '', 101), (2, 8, 'ledger_damaged', 201);"
	"INSERT INTO gap (from_at, until_at, reason) VALUES"
	" (10, 20, 'ledger_damaged'), (30, 40, 'gateway_down');"
	"INSERT INTO secret (purpose, value) VALUES ('asking', zeroblob(32));"
	"INSERT INTO asking_closed VALUES ('order', 9000000000000);"
	"INSERT INTO usage (at, client_id, sim_id, segments, noted) VALUES"
	" (50, 3, 1, 2, 60);"
	"INSERT INTO opt_out (number, at, word) VALUES ('+36203', 70, 'stop');"
	"INSERT INTO event (kind, sim_id, at, number, text, state, topic) VALUES"
	" (1, 1, 80, '+36204', '', 3, -1);"
	"DELETE FROM place;";

static int set_up(void **state)
{
	int failed = store_set_up(state);

	snprintf(file, sizeof(file), "%s/copy.db", root);
	if (!failed)
		open_store();
	return failed;
}

static uint64_t digest_of_file(void)
{
	sqlite3 *database;
	uint64_t digest;

	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	digest = store_schema_digest(database);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
	return digest;
}

static void make_11(const char *more)
{
	make_old_ledger(11, rows_of_11);
	if (*more)
		sql_script(more);
}

/* Everything but what a restore settles. */
static void assert_rows(void)
{
	assert_int_equal(store_schema_digest(store->database), STORE_SCHEMA_DIGEST);
	assert_int_equal(sql("PRAGMA user_version"), STORE_SCHEMA_VERSION);
	assert_int_equal(sql("SELECT count(*) FROM message WHERE phone_number = '+36201'"
			     " AND direction = 0"),
			 2);
	assert_int_equal(
		sql("SELECT count(*) FROM message WHERE phone_number = '+36202'"), 1);
	assert_history(1, "queued() submitting() submitted() sent() ");
	assert_history(2, "queued() unknown(store_damaged) ");
	assert_int_equal(sql("SELECT count(*) FROM message"
			     " WHERE reason = 'store_damaged'"),
			 1);
	assert_int_equal(sql("SELECT until_at FROM receive_gap"
			     " WHERE reason = 'store_damaged'"),
			 20);
	assert_int_equal(sql("SELECT until_at FROM receive_gap"
			     " WHERE reason = 'gateway_down'"),
			 40);
	assert_true(store_session_is_declined(store, "order"));
	assert_false(store_session_is_declined(store, "another order"));
	assert_int_equal(sql("SELECT accepted FROM usage WHERE segments = 2"), 60);
	assert_int_equal(store_party_has_opted_out(store, 0, "+36203"), 0);
	assert_int_equal(sql("SELECT at FROM event WHERE phone_number = '+36204'"), 80);
	assert_int_equal(sql("SELECT approval FROM client WHERE name = 'laptop'"), 2);
	assert_int_equal(sql("SELECT count(*) FROM secret WHERE purpose = 'asking'"), 0);
	assert_int_equal(sql("SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/* The triggers count conversations by the renamed column. */
static void assert_conversations_are_counted(void)
{
	add_message("next");
	assert_int_equal(sql("SELECT messages * 10 + sent FROM conversation"
			     " WHERE phone_number = '+36201'"),
			 22);
	assert_int_equal(sql("SELECT messages * 10 + unread FROM conversation"
			     " WHERE phone_number = '+36202'"),
			 11);
	assert_int_equal(sql("SELECT sent FROM conversation"
			     " WHERE phone_number = '+36201234567'"),
			 1);
	assert_int_equal(
		store_incoming_mark_read(store, (int64_t[]){ 3 }, 1, &(unsigned){ 0 }),
		0);
	assert_int_equal(
		sql("SELECT unread FROM conversation WHERE phone_number = '+36202'"), 0);
	sql("DELETE FROM message WHERE id = 3 RETURNING 1");
	assert_int_equal(sql("SELECT count(*) FROM conversation"
			     " WHERE phone_number = '+36202'"),
			 0);
}

FIXTURE(set_up, store_tear_down)

TEST(test_schema_11_keeps_every_row)
{
	uint8_t secret[STORE_SETTING_SECRET_BYTES] = { 1 };

	make_11("");
	open_store();
	assert_rows();
	assert_int_equal(
		store_setting_secret(store, STORE_SETTING_ELICITATION_KEY, secret), 0);
	assert_int_equal(secret[0], 0); /* the stored one */
	assert_conversations_are_counted();
	reopen_store();
	assert_int_equal(store_schema_digest(store->database), STORE_SCHEMA_DIGEST);
}

TEST(test_every_older_schema_becomes_the_present_one)
{
	for (int version = STORE_SCHEMA_FIRST; version < STORE_SCHEMA_VERSION;
	     version++) {
		make_old_ledger(version, "INSERT INTO sim VALUES (1, '8936', NULL, 5);");
		open_store();
		assert_int_equal(store_schema_digest(store->database),
				 STORE_SCHEMA_DIGEST);
		assert_int_equal(identify("8936", ""), 1);
		assert_int_equal(sql("SELECT count(*) FROM audit"), 0); /* no rebuild */
	}
}

/* Else the store of a user would count as foreign. */
TEST(test_the_schema_of_the_first_release_is_the_one_that_it_had)
{
	make_old_ledger(STORE_SCHEMA_FIRST, "");
	assert_int_equal(digest_of_file(), UINT64_C(0x8bf7ba2dde0aba3c));
}

TEST(test_a_migration_that_fails_changes_nothing)
{
	struct explanation error = { "" };

	make_11("");
	fill_disk(true);
	assert_true(store_open(folder, &store, &error) < 0);
	fill_disk(false);
	assert_int_equal(sql("PRAGMA user_version"), 11);
	assert_int_equal(sql("SELECT count(*) FROM gap"), 2);
	assert_int_equal(sql("SELECT count(*) FROM message WHERE number = '+36201'"), 2);
	open_store();
	assert_rows();
}

/* Copies the files of a closed store of schema 11 to `file`, as a backup would be. */
static void make_backup_of_11(const char *more)
{
	char ledger[96];

	strcpy(ledger, path);
	strcpy(path, file);
	make_11(more);
	sql_script("PRAGMA journal_mode = DELETE");
	strcpy(path, ledger);
}

static void restore_it(struct store_restore_result *result)
{
	const struct store_restore order = { folder, file, { NULL } };
	struct explanation error = { "" };

	store_close(store);
	store = NULL;
	if (store_restore(&order, result, &error))
		fail_msg("%s", error.text);
	open_store();
}

TEST(test_a_backup_of_schema_11_is_restored_with_every_row)
{
	struct store_restore_result result;

	make_backup_of_11("");
	restore_it(&result);
	assert_int_equal(result.left_out, 0);
	assert_int_equal(result.summary.messages, 3);
	assert_rows();
	assert_conversations_are_counted();
}

/* The present store was not opened since the upgrade: `restore` reads it as it is. */
TEST(test_a_present_store_of_schema_11_keeps_what_only_grows)
{
	struct store_restore_result result;
	struct explanation error = { "" };
	const struct store_backup backup = { folder, file, false, { NULL } };

	add_message("in the backup");
	assert_int_equal(
		store_backup(&backup, &(struct store_backup_summary){ 0 }, &error), 0);
	make_11("");
	restore_it(&result);
	assert_int_equal(store_party_has_opted_out(store, 0, "+36203"), 0);
	assert_int_equal(sql("SELECT count(*) FROM usage WHERE segments = 2"), 1);
	assert_int_equal(sql("SELECT count(*) FROM message WHERE text = 'in the backup'"),
			 1);
}

/* Rows of a foreign schema 11 are copied by their former names, and its trigger never runs. */
TEST(test_a_foreign_backup_of_schema_11_is_restored_without_its_trigger)
{
	struct store_restore_result result;

	make_backup_of_11("CREATE TRIGGER one AFTER INSERT ON message BEGIN"
			  " DELETE FROM opt_out; END;"
			  "CREATE TRIGGER two AFTER UPDATE ON message BEGIN"
			  " DELETE FROM usage; END;");
	restore_it(&result);
	assert_rows();
	assert_int_equal(sql("SELECT count(*) FROM sqlite_schema"
			     " WHERE name IN ('one', 'two')"),
			 0);
}

TEST(test_audit_lines_of_older_versions_are_recognised)
{
	assert_ptr_equal(audit_event_find("ledger_rescued"),
			 &audit_events[AUDIT_STORE_RESCUED]);
	assert_ptr_equal(audit_event_find("ledger_restored"),
			 &audit_events[AUDIT_STORE_RESTORED]);
	assert_ptr_equal(audit_event_find("store_restore_result"),
			 &audit_events[AUDIT_STORE_RESTORED]);
	assert_string_equal(audit_events[AUDIT_STORE_RESTORED].name, "store_restored");
	assert_null(audit_event_find("ledger"));
}
