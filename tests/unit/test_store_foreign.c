/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message store that a stranger made or changed: only its rows count. A sample tries each
 * foreigner in one of the four ways.
 */
#include "unit_test.h"
#include "store/store.h"
#include "store/store_restore.h"
#include "store/store_internal.h"
#include "sample.h"
#include "store_bench.h"

enum { MESSAGES = 5 };

static char file[96];
static struct store_restore_result restored;

static const struct foreign {
	const char *what;
	const char *script;
	bool loses_usage; /* the replacement of the table is not read */
} foreigners[] = {
	{ "triggers",
	  "CREATE TRIGGER one AFTER INSERT ON message BEGIN DELETE FROM usage;"
	  " UPDATE client SET scopes = 255; END;"
	  "CREATE TRIGGER two AFTER INSERT ON audit BEGIN UPDATE client SET scopes = 255;"
	  " END;"
	  "CREATE TRIGGER three AFTER UPDATE ON message BEGIN DELETE FROM usage; END" },
	{ "a trigger of ours that does something else",
	  "DROP TRIGGER message_added; CREATE TRIGGER message_added AFTER INSERT ON"
	  " message BEGIN UPDATE client SET scopes = 255; END" },
	{ "a view in the place of a table",
	  "ALTER TABLE usage RENAME TO hidden; CREATE VIEW usage AS SELECT id, at,"
	  " client_id, sim_id, 0 AS segments, accepted FROM hidden",
	  true },
	{ "a view that never ends",
	  "ALTER TABLE usage RENAME TO hidden; CREATE VIEW usage AS WITH RECURSIVE"
	  " n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, i AS at,"
	  " 7 AS client_id, 1 AS sim_id, i AS segments, i AS accepted FROM n",
	  true },
	{ "a view beside them", "CREATE VIEW more AS SELECT load_extension('x')" },
	{ "a table of a module", "CREATE VIRTUAL TABLE more USING fts5(a)" },
	{ "a table of a module in the place of ours",
	  "DROP TABLE usage; CREATE VIRTUAL TABLE usage USING fts5(id, at, client_id,"
	  " sim_id, segments, accepted)",
	  true },
	{ "a column that is computed", "ALTER TABLE client ADD COLUMN more INTEGER AS "
				       "(abs(id - 9223372036854775807))" },
	{ "computed columns in the place of ours",
	  "CREATE TABLE other (id INTEGER PRIMARY KEY, at INTEGER, client_id AS (7),"
	  " sim_id AS (1), segments AS (0), accepted INTEGER);"
	  "INSERT INTO other (id, at, accepted) SELECT id, at, accepted FROM usage;"
	  "DROP TABLE usage; ALTER TABLE other RENAME TO usage",
	  true },
	{ "an index over an expression",
	  "CREATE INDEX more ON message (abs(id - 3)); CREATE INDEX some ON usage (at)"
	  " WHERE segments > 0" },
	{ "an index of ours over something else",
	  "DROP INDEX message_unfinished; CREATE INDEX message_unfinished ON message (id)"
	  " WHERE state = 77" },
	{ "a check that nothing fits",
	  "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql,"
	  " 'segments INTEGER NOT NULL,', 'segments INTEGER NOT NULL CHECK (segments < "
	  "0),')"
	  " WHERE name = 'usage'; PRAGMA writable_schema = RESET" },
	{ "a default that fails",
	  "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql,"
	  " 'name TEXT NOT NULL', 'name TEXT NOT NULL DEFAULT "
	  "(abs(-9223372036854775808))')"
	  " WHERE name = 'client'; PRAGMA writable_schema = RESET" },
	{ "statistics", "ANALYZE" },
	{ "a table beside them", "CREATE TABLE more (a); INSERT INTO more VALUES (1)" },
	{ "a table that is missing", "DROP TABLE session" },
	{ "no triggers",
	  "DROP TRIGGER audit_stays; DROP TRIGGER audit_is_kept;"
	  "DROP TRIGGER audit_is_added_to; DROP TRIGGER audit_anchor_moves" },
	{ "a version that is none", "PRAGMA user_version = 0" },
	{ "an older version", "PRAGMA user_version = 10" },
	{ "no types",
	  "CREATE TABLE other (id INTEGER PRIMARY KEY, at, client_id, sim_id, segments,"
	  " accepted, more); INSERT INTO other SELECT id, at, client_id, sim_id, "
	  "segments,"
	  " accepted, 1 FROM usage;"
	  "INSERT INTO other VALUES (99, 'soon', 7, 1, 1, 1, 1), (98, x'00', 7, 1, 1, 1, "
	  "1),"
	  " (97, 0, NULL, 1, 1, 1, 1); DROP TABLE usage; ALTER TABLE other RENAME TO "
	  "usage" },
	{ "a row that is too long",
	  "CREATE TABLE other (id INTEGER PRIMARY KEY, at, client_id, sim_id, segments,"
	  " accepted); INSERT INTO other SELECT id, at, client_id, sim_id, segments, "
	  "accepted"
	  " FROM usage;"
	  "INSERT INTO other VALUES (2 + 1000, zeroblob(70000000), 7, 1, 1, 1);"
	  "UPDATE other SET id = id + 2000 WHERE id > 2 AND id < 1000;"
	  "DROP TABLE usage; ALTER TABLE other RENAME TO usage" },
};

enum { FOREIGNERS = sizeof(foreigners) / sizeof(*foreigners), WAYS = 4 };

/* So that a sample has every foreigner. */
static unsigned first_of(unsigned way)
{
	return way % sample_stride(WAYS);
}

static void make_store(void)
{
	uint8_t hash[CLIENT_HASH_BYTES] = { 1 };
	struct client client = NAMED("laptop");
	int64_t id;

	open_store();
	assert_int_equal(store_client_add(store, &client, hash, &id), 0);
	for (int i = 0; i < MESSAGES; i++)
		add_message("x");
}

static void close_store(void)
{
	store_close(store);
	store = NULL;
}

static int set_up(void **state)
{
	int failed = store_set_up(state);

	snprintf(file, sizeof(file), "%s/copy.db", root);
	return failed;
}

static int64_t ask_store(const char *text)
{
	sqlite3_stmt *statement;
	int64_t value = -1;

	assert_int_equal(sqlite3_prepare_v2(store->database, text, -1, &statement, NULL),
			 SQLITE_OK);
	if (sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

static void assert_ours(const struct foreign *foreign)
{
	if (store_schema_digest(store->database) != STORE_SCHEMA_DIGEST)
		fail_msg("%s: the schema is not ours", foreign->what);
	assert_int_equal(ask_store("SELECT count(*) FROM message WHERE text = 'x'"),
			 MESSAGES);
	if (ask_store("SELECT scopes FROM client") != (CLIENT_READ | CLIENT_SEND))
		fail_msg("%s: a client may do more", foreign->what);
	if (!foreign->loses_usage &&
	    ask_store("SELECT sum(segments) FROM usage WHERE client_id = 7") < MESSAGES)
		fail_msg("%s: usage is %lld", foreign->what,
			 (long long)ask_store("SELECT sum(segments) FROM usage"));
	assert_int_equal(ask_store("SELECT messages FROM conversation"), MESSAGES);
	/* the store works on */
	add_message("next");
	assert_int_equal(ask_store("SELECT messages FROM conversation"), MESSAGES + 1);
	assert_int_equal(ask_store("SELECT scopes FROM client"),
			 CLIENT_READ | CLIENT_SEND);
}

static void change_file(const char *name, const char *script)
{
	char kept[96];

	strcpy(kept, path);
	strcpy(path, name);
	sql_script(script);
	strcpy(path, kept);
}

static void must_back_up(void)
{
	const struct store_backup backup = { folder, file, true, { NULL } };
	struct explanation error = { "" };
	struct store_backup_summary summary;

	if (store_backup(&backup, &summary, &error))
		fail_msg("%s", error.text);
}

static void must_restore_from(const struct foreign *foreign, const char *name)
{
	const struct store_restore order = { folder, name, { NULL } };
	struct explanation error = { "" };

	if (store_restore(&order, &restored, &error))
		fail_msg("%s: %s", foreign->what, error.text);
}

static void must_restore(const struct foreign *foreign)
{
	must_restore_from(foreign, file);
}

static void remove_store(void)
{
	char command[96];

	close_store();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

FIXTURE(set_up, store_tear_down)

TEST(test_a_foreign_backup_gives_only_its_rows)
{
	for (unsigned i = first_of(0); i < FOREIGNERS; i += sample_stride(WAYS)) {
		make_store();
		must_back_up();
		close_store();
		remove_store();
		change_file(file, foreigners[i].script);
		must_restore(&foreigners[i]);
		assert_int_equal(restored.unknown, MESSAGES);
		open_store();
		assert_ours(&foreigners[i]);
		assert_int_equal(state_of(1), STATE_UNKNOWN);
		remove_store();
		remove(file);
	}
}

/* The present store is a stranger's; a sound backup replaces it. */
TEST(test_a_foreign_present_store_is_replaced)
{
	for (unsigned i = first_of(1); i < FOREIGNERS; i += sample_stride(WAYS)) {
		make_store();
		must_back_up();
		close_store();
		sql_script(foreigners[i].script);
		must_restore(&foreigners[i]);
		open_store();
		assert_ours(&(struct foreign){ foreigners[i].what, "", false });
		remove_store();
		remove(file);
	}
}

/* Refused, until a restore of the file itself brings its rows. */
static void assert_only_a_restore_helps(const struct foreign *foreign)
{
	struct explanation error = { "" };

	if (store_open_or_rescue(folder, &store, &error) != -EINVAL)
		fail_msg("%s: %s", foreign->what, error.text);
	must_restore_from(foreign, path);
	open_store();
	assert_ours(foreign);
	assert_int_equal(state_of(1), STATE_UNKNOWN);
}

TEST(test_a_foreign_copy_is_refused)
{
	for (unsigned i = first_of(2); i < FOREIGNERS; i += sample_stride(WAYS)) {
		make_store();
		must_back_up();
		close_store();
		change_file(file, foreigners[i].script);
		assert_int_equal(rename(file, path), 0);
		assert_only_a_restore_helps(&foreigners[i]);
		remove_store();
	}
}

TEST(test_a_changed_schema_is_refused)
{
	for (unsigned i = first_of(3); i < FOREIGNERS; i += sample_stride(WAYS)) {
		make_store();
		close_store();
		sql_script(foreigners[i].script);
		assert_only_a_restore_helps(&foreigners[i]);
		remove_store();
	}
}

/* Texts are converted, and the new pages are ours. */
TEST(test_another_encoding_is_converted)
{
	change_file(file,
		    "PRAGMA encoding = 'UTF-16be'; PRAGMA page_size = 512;"
		    "CREATE TABLE sim (id INTEGER PRIMARY KEY, iccid, imsi, first_seen);"
		    "CREATE TABLE client (id INTEGER PRIMARY KEY, name, token_hash,"
		    " created);"
		    "CREATE TABLE message_change (id INTEGER PRIMARY KEY);"
		    "CREATE TABLE message (id INTEGER PRIMARY KEY, sim_id, client_id,"
		    " number, text, segments, state, reason, uuid, created, changed);"
		    "INSERT INTO sim VALUES (1, '8936', NULL, 1);"
		    "INSERT INTO message VALUES (4, 1, 0, '+36', 'á\U0001F600', 1, 5, '',"
		    " '', 1, 1); PRAGMA user_version = 9");
	must_restore(&foreigners[0]);
	open_store();
	assert_int_equal(ask_store("SELECT count(*) FROM message"
				   " WHERE text = 'á\U0001F600' AND id = 4"),
			 1);
	assert_int_equal(sql("PRAGMA page_size"), 4096);
	assert_int_equal(store_schema_digest(store->database), STORE_SCHEMA_DIGEST);
}
