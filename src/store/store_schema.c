/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store schema: from nothing to the present version. An entry is never edited once it was
 * released, only added.
 */
#include "store/store_schema.h"

#include <stddef.h>

/*
 * sim: a card that hides its ICCID is known by its IMSI; two cards may show one IMSI,
 * hence only the ICCID is unique. AUTOINCREMENT: no number is ever given out twice.
 * message: client_id is no reference, for 0 is nobody in particular, and what a
 * revoked client sent stays. The index holds the few that are not final.
 */
static const char version_1[] =
	"CREATE TABLE sim ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, iccid TEXT UNIQUE, imsi TEXT,"
	" first_seen INTEGER NOT NULL, CHECK (iccid IS NOT NULL OR imsi IS NOT NULL)"
	") STRICT;"
	"CREATE INDEX sim_imsi ON sim (imsi);"
	"CREATE TABLE client ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
	" token_hash BLOB NOT NULL UNIQUE, created INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE message ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, sim_id INTEGER NOT NULL REFERENCES sim "
	"(id),"
	" client_id INTEGER NOT NULL, number TEXT NOT NULL, text TEXT NOT NULL,"
	" segments INTEGER NOT NULL, state INTEGER NOT NULL,"
	" reason TEXT NOT NULL DEFAULT '', uuid TEXT NOT NULL DEFAULT '',"
	" created INTEGER NOT NULL, changed INTEGER NOT NULL"
	") STRICT;"
	"CREATE INDEX message_unfinished ON message (id) WHERE state IN (1, 2, 3, 4);"
	"CREATE TABLE message_change ("
	" id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL REFERENCES message (id),"
	" state INTEGER NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL"
	") STRICT;"
	"CREATE INDEX message_change_message ON message_change (message_id);";

/*
 * message: both directions in one table, so that their numbers order everything. SQLite
 * takes no NOT NULL away, hence a new table in the place of the old one, which goes on
 * with its numbers. sim_id NULL: it came in by a modem whose card was not known. From
 * idempotency_key to delivery is about outgoing ones, from sent_time on about incoming.
 */
#define MESSAGE_TABLE                                                                  \
	"CREATE TABLE message_2 ("                                                     \
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"                                       \
	" direction INTEGER NOT NULL DEFAULT 0 CHECK (direction IN (0, 1)),"           \
	" sim_id INTEGER REFERENCES sim (id), client_id INTEGER NOT NULL DEFAULT 0,"   \
	" number TEXT NOT NULL, text TEXT NOT NULL,"                                   \
	" segments INTEGER NOT NULL DEFAULT 0, state INTEGER NOT NULL,"                \
	" reason TEXT NOT NULL DEFAULT '', uuid TEXT NOT NULL DEFAULT '',"             \
	" created INTEGER NOT NULL, changed INTEGER NOT NULL,"                         \
	" idempotency_key TEXT, send_at INTEGER NOT NULL DEFAULT 0,"                   \
	" expires_at INTEGER NOT NULL DEFAULT 0, delivery INTEGER NOT NULL DEFAULT 0," \
	" sent_time TEXT NOT NULL DEFAULT '', flags INTEGER NOT NULL DEFAULT 0,"       \
	" repeats INTEGER NOT NULL DEFAULT 0, read_at INTEGER NOT NULL DEFAULT 0,"     \
	" CHECK (direction = 1 OR sim_id IS NOT NULL)"                                 \
	") STRICT;"                                                                    \
	"INSERT INTO message_2 (id, sim_id, client_id, number, text, segments, state," \
	" reason, uuid, created, changed) SELECT id, sim_id, client_id, number, text," \
	" segments, state, reason, uuid, created, changed FROM message;"               \
	"DELETE FROM sqlite_sequence WHERE name = 'message_2';"                        \
	"INSERT INTO sqlite_sequence (name, seq)"                                      \
	" SELECT 'message_2', seq FROM sqlite_sequence WHERE name = 'message';"        \
	"DROP TABLE message;"                                                          \
	"ALTER TABLE message_2 RENAME TO message;"

/*
 * Every index ends with the id. By id, number, direction or unread a page is read in
 * order; message_created narrows times down to ids; message_stamp finds repeats.
 */
#define MESSAGE_INDEXES                                                                \
	"CREATE INDEX message_unfinished ON message (id) WHERE state IN (1, 2, 3, 4, " \
	"10, 11);"                                                                     \
	"CREATE INDEX message_uuid ON message (uuid) WHERE uuid <> '';"                \
	"CREATE UNIQUE INDEX message_idempotency ON message"                           \
	" (client_id, idempotency_key) WHERE idempotency_key IS NOT NULL;"             \
	"CREATE INDEX message_direction ON message (direction);"                       \
	"CREATE INDEX message_number ON message (number);"                             \
	"CREATE INDEX message_created ON message (created);"                           \
	"CREATE INDEX message_unread ON message (id)"                                  \
	" WHERE direction = 1 AND read_at = 0;"                                        \
	"CREATE INDEX message_stamp ON message (number, sent_time) WHERE direction = 1;"

/* What would have to be counted over all messages; kept by triggers, whoever writes. */
#define CONVERSATION_TABLE                                                             \
	"CREATE TABLE conversation ("                                                  \
	" number TEXT PRIMARY KEY, last_id INTEGER NOT NULL,"                          \
	" messages INTEGER NOT NULL, unread INTEGER NOT NULL"                          \
	") STRICT, WITHOUT ROWID;"                                                     \
	"CREATE INDEX conversation_last ON conversation (last_id);"                    \
	"CREATE INDEX conversation_unread ON conversation (last_id) WHERE unread > 0;" \
	"INSERT INTO conversation SELECT number, max(id), count(*), 0"                 \
	" FROM message GROUP BY number;"

#define CONVERSATION_TRIGGERS                                                            \
	"CREATE TRIGGER message_added AFTER INSERT ON message BEGIN"                     \
	" INSERT INTO conversation (number, last_id, messages, unread)"                  \
	"  VALUES (new.number, new.id, 1, new.direction = 1 AND new.read_at = 0)"        \
	"  ON CONFLICT (number) DO UPDATE SET last_id = max(last_id, excluded.last_id)," \
	"  messages = messages + 1, unread = unread + excluded.unread;"                  \
	"END;"                                                                           \
	"CREATE TRIGGER message_read AFTER UPDATE OF read_at ON message"                 \
	" WHEN new.direction = 1 BEGIN"                                                  \
	" UPDATE conversation"                                                           \
	"  SET unread = unread + (new.read_at = 0) - (old.read_at = 0)"                  \
	"  WHERE number = new.number;"                                                   \
	"END;"                                                                           \
	"CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN"                   \
	" UPDATE conversation SET messages = messages - 1,"                              \
	"  unread = unread - (old.direction = 1 AND old.read_at = 0),"                   \
	"  last_id = CASE WHEN last_id <> old.id THEN last_id ELSE coalesce("            \
	"   (SELECT max(id) FROM message WHERE number = old.number), 0) END"             \
	"  WHERE number = old.number;"                                                   \
	" DELETE FROM conversation WHERE number = old.number AND messages = 0;"          \
	"END;"

/* gap: until_at 0, it goes on. alive: one row at most. */
#define HEARING_TABLES                                                               \
	"CREATE TABLE gap ("                                                         \
	" id INTEGER PRIMARY KEY, from_at INTEGER NOT NULL,"                         \
	" until_at INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL"                 \
	") STRICT;"                                                                  \
	"CREATE INDEX gap_until ON gap (until_at);"                                  \
	"CREATE TABLE alive (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT " \
	"NULL) STRICT;"

static const char version_2[] = MESSAGE_TABLE MESSAGE_INDEXES CONVERSATION_TABLE
	CONVERSATION_TRIGGERS HEARING_TABLES;

/*
 * spool_lead: how many times more the spool told of an incoming message than oFono's
 * signal did. What was there before was told by a signal.
 */
static const char version_3[] =
	"ALTER TABLE message ADD COLUMN spool_lead INTEGER NOT NULL DEFAULT -1;";

/* client_id is no reference, for 0 is nobody in particular. */
static const char version_4[] =
	"CREATE TABLE session ("
	" id TEXT PRIMARY KEY, client_id INTEGER NOT NULL, revision TEXT NOT NULL,"
	" capabilities INTEGER NOT NULL, used INTEGER NOT NULL,"
	" subscriptions TEXT NOT NULL"
	") STRICT, WITHOUT ROWID;";

/*
 * secret: see store_setting_secret.h. asking_closed: what the person said no to, by the name of the
 * order.
 */
static const char version_5[] =
	"CREATE TABLE secret ("
	" id INTEGER PRIMARY KEY, purpose TEXT NOT NULL UNIQUE,"
	" value BLOB NOT NULL CHECK (length(value) = 32)"
	") STRICT;"
	"CREATE TABLE asking_closed (name TEXT PRIMARY KEY, until INTEGER NOT NULL)"
	" STRICT, WITHOUT ROWID;";

/* sent: how many of the messages are outgoing. */
#define CONVERSATION_SENT                                                                \
	"ALTER TABLE conversation ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;"           \
	"UPDATE conversation SET sent = (SELECT count(*) FROM message"                   \
	" WHERE message.number = conversation.number AND direction = 0);"                \
	"DROP TRIGGER message_added;"                                                    \
	"CREATE TRIGGER message_added AFTER INSERT ON message BEGIN"                     \
	" INSERT INTO conversation (number, last_id, messages, unread, sent)"            \
	"  VALUES (new.number, new.id, 1, new.direction = 1 AND new.read_at = 0,"        \
	"   new.direction = 0)"                                                          \
	"  ON CONFLICT (number) DO UPDATE SET last_id = max(last_id, excluded.last_id)," \
	"  messages = messages + 1, unread = unread + excluded.unread,"                  \
	"  sent = sent + excluded.sent;"                                                 \
	"END;"                                                                           \
	"DROP TRIGGER message_removed;"                                                  \
	"CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN"                   \
	" UPDATE conversation SET messages = messages - 1,"                              \
	"  unread = unread - (old.direction = 1 AND old.read_at = 0),"                   \
	"  sent = sent - (old.direction = 0),"                                           \
	"  last_id = CASE WHEN last_id <> old.id THEN last_id ELSE coalesce("            \
	"   (SELECT max(id) FROM message WHERE number = old.number), 0) END"             \
	"  WHERE number = old.number;"                                                   \
	" DELETE FROM conversation WHERE number = old.number AND messages = 0;"          \
	"END;"

/*
 * client: what it may do; see base/client.h. note: the owner's words to a change. usage:
 * what each accepted message takes of the limits, by the clock of store_usage.h, and when
 * it was taken; it outlives the message. audit: a line, and the hash over it and the one
 * before; audit_anchor: the last line that went for its age. That only the oldest go, and
 * none changes, is said here too, against our own mistakes.
 */
static const char version_6[] =
	"ALTER TABLE client ADD COLUMN scopes INTEGER NOT NULL DEFAULT 3;"
	"ALTER TABLE client ADD COLUMN ask INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE client ADD COLUMN sims TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE client ADD COLUMN allow TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE client ADD COLUMN per_minute INTEGER NOT NULL DEFAULT -1;"
	"ALTER TABLE client ADD COLUMN per_hour INTEGER NOT NULL DEFAULT -1;"
	"ALTER TABLE client ADD COLUMN per_day INTEGER NOT NULL DEFAULT -1;"
	"ALTER TABLE client ADD COLUMN segments_per_month INTEGER NOT NULL DEFAULT -1;"
	"ALTER TABLE message_change ADD COLUMN note TEXT NOT NULL DEFAULT '';"
	"CREATE TABLE usage ("
	" id INTEGER PRIMARY KEY, at INTEGER NOT NULL, client_id INTEGER NOT NULL,"
	" sim_id INTEGER NOT NULL, segments INTEGER NOT NULL, noted INTEGER NOT NULL"
	") STRICT;"
	"CREATE INDEX usage_client ON usage (client_id, at, segments);"
	"CREATE INDEX usage_sim ON usage (sim_id, at, segments);"
	"CREATE TABLE opt_out ("
	" id INTEGER PRIMARY KEY, number TEXT NOT NULL UNIQUE, at INTEGER NOT NULL,"
	" word TEXT NOT NULL, confirmed INTEGER NOT NULL DEFAULT 0"
	") STRICT;"
	"CREATE TABLE setting ("
	" id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value TEXT NOT NULL,"
	" at INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE audit ("
	" id INTEGER PRIMARY KEY, at INTEGER NOT NULL, event TEXT NOT NULL,"
	" detail TEXT NOT NULL, hash BLOB NOT NULL CHECK (length(hash) = 32)"
	") STRICT;"
	"CREATE TABLE audit_anchor ("
	" id INTEGER PRIMARY KEY CHECK (id = 1), line INTEGER NOT NULL CHECK (line > 0),"
	" hash BLOB NOT NULL CHECK (length(hash) = 32)"
	") STRICT;"
	"CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN"
	" SELECT raise(ABORT, 'the audit is append-only');"
	"END;"
	"CREATE TRIGGER audit_is_added_to BEFORE INSERT ON audit"
	" WHEN EXISTS (SELECT 1 FROM audit WHERE id = new.id) BEGIN"
	" SELECT raise(ABORT, 'the audit is append-only');"
	"END;"
	"CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit"
	" WHEN old.id > coalesce((SELECT line FROM audit_anchor), 0) BEGIN"
	" SELECT raise(ABORT, 'the audit is append-only');"
	"END;"
	"CREATE TRIGGER audit_anchor_moves BEFORE UPDATE ON audit_anchor"
	" WHEN new.line <= old.line OR NOT EXISTS"
	" (SELECT 1 FROM audit WHERE id = new.line AND hash = new.hash) BEGIN"
	" SELECT raise(ABORT, 'the anchor goes from line to line');"
	"END;"
	"CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor BEGIN"
	" SELECT raise(ABORT, 'the anchor goes from line to line');"
	"END;" CONVERSATION_SENT;

/* event: calls and alerts that came in; see store_event.h. sim_id NULL: not known. */
static const char version_7[] =
	"CREATE TABLE event ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL,"
	" sim_id INTEGER REFERENCES sim (id), at INTEGER NOT NULL,"
	" number TEXT NOT NULL, text TEXT NOT NULL, state INTEGER NOT NULL,"
	" topic INTEGER NOT NULL"
	") STRICT;"
	"CREATE INDEX event_kind ON event (kind);";

/*
 * opt_out: message_id is the first message that says it; 0: not known, as of one of an older
 * ledger. balance: what a SIM had when the network was asked last, in thousandths, with as many
 * decimals as were written; see store_sim_balance.h. The id is the SIM's, `at` in usage time.
 */
static const char version_8[] =
	"ALTER TABLE opt_out ADD COLUMN message_id INTEGER NOT NULL DEFAULT 0;"
	"CREATE TABLE balance ("
	" id INTEGER PRIMARY KEY REFERENCES sim (id), amount INTEGER NOT NULL,"
	" decimals INTEGER NOT NULL CHECK (decimals BETWEEN 0 AND 3),"
	" currency TEXT NOT NULL, code TEXT NOT NULL, at INTEGER NOT NULL"
	") STRICT;";

/*
 * An index over "state IN (1, 2, 3, 4, 10, 11)" makes each statement that writes to it build
 * that list as a table of its own.
 */
static const char version_9[] = "DROP INDEX message_unfinished;"
				"CREATE INDEX message_unfinished ON message (id)"
				" WHERE (state < 5 OR state IN (10, 11));";

/*
 * message: boot is the start of the machine (clock_boot_number(); 0: not known) by whose
 * CLOCK_BOOTTIME the message was accepted (created_boot) and expires (expires_boot; 0: its
 * validity has not begun, or it has none). seen: the latest time of an earlier start that
 * the message has lived through, by the wall clock; 0: it is of this start. See
 * sms/outbox_deadline.h.
 * alive: boot and boot_at are the same moment as `at`, by CLOCK_BOOTTIME.
 * place: which file this is; of epoch 0: it was made by a version that noted nothing; no
 * row: it was made by us and not used yet. See store/store_identity.h.
 */
static const char version_10[] =
	"ALTER TABLE message ADD COLUMN boot INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE message ADD COLUMN created_boot INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE message ADD COLUMN expires_boot INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE message ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE alive ADD COLUMN boot INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE alive ADD COLUMN boot_at INTEGER NOT NULL DEFAULT 0;"
	"CREATE TABLE place ("
	" id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL,"
	" boot INTEGER NOT NULL, device INTEGER NOT NULL, system INTEGER NOT NULL,"
	" file INTEGER NOT NULL, born INTEGER NOT NULL,"
	" mark INTEGER NOT NULL, marked INTEGER NOT NULL"
	") STRICT;"
	"INSERT INTO place VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0);";

/*
 * usage: message_id, so that a cancelled message gives the SIM its share back; 0: a call, or a
 * message of an older version. usage_noted counts what a client had accepted.
 */
static const char version_11[] =
	"ALTER TABLE usage ADD COLUMN message_id INTEGER NOT NULL DEFAULT 0;"
	"CREATE INDEX usage_noted ON usage (client_id, noted);";

const char *const store_schema_migrations[STORE_SCHEMA_VERSION] = {
	version_1, version_2, version_3, version_4,  version_5,	 version_6,
	version_7, version_8, version_9, version_10, version_11,
};

/* FNV-1a, 64 bits; the end of the text counts, too. */
static uint64_t store_schema_digest_text(uint64_t digest, const unsigned char *text)
{
	for (; *text; text++)
		digest = (digest ^ *text) * UINT64_C(0x100000001b3);
	return digest * UINT64_C(0x100000001b3);
}

static uint64_t store_schema_digest_row(uint64_t digest, sqlite3_stmt *statement)
{
	for (int column = 0; column < sqlite3_column_count(statement); column++) {
		const unsigned char *text = sqlite3_column_text(statement, column);

		digest = store_schema_digest_text(
			digest, text ? text : (const unsigned char *)"");
	}
	return digest;
}

uint64_t store_schema_digest(sqlite3 *database)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(database,
					"SELECT type, name, tbl_name, sql"
					" FROM sqlite_schema ORDER BY type, name",
					-1, &statement, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	for (; result == SQLITE_ROW; result = sqlite3_step(statement))
		digest = store_schema_digest_row(digest, statement);
	sqlite3_finalize(statement);
	return result == SQLITE_DONE ? digest : 0;
}

/* As this SQLite writes it, which may differ from the one that STORE_SCHEMA_DIGEST is of. */
static uint64_t store_schema_version_digest(int64_t version)
{
	sqlite3 *database = NULL;
	int result = sqlite3_open(":memory:", &database);
	uint64_t digest = 0;

	for (int64_t i = 0; result == SQLITE_OK && i < version; i++)
		result = sqlite3_exec(database, store_schema_migrations[i], NULL, NULL,
				      NULL);
	if (result == SQLITE_OK)
		digest = store_schema_digest(database);
	sqlite3_close(database);
	return digest;
}

bool store_schema_is_ours(sqlite3 *database, int64_t version)
{
	uint64_t digest;

	if (version < 1 || version > STORE_SCHEMA_VERSION)
		return false;
	digest = store_schema_digest(database);
	if (!digest)
		return false;
	if (version == STORE_SCHEMA_VERSION && digest == STORE_SCHEMA_DIGEST)
		return true;
	return digest == store_schema_version_digest(version);
}
