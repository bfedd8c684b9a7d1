/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schema of the first release, and the migrations from it to the present version. A
 * released migration is never edited; a change is a new one. They run in one transaction
 * without foreign keys, so a crash leaves the old version (tests/unit/test_store_schema.c).
 *
 * A database has our schema when the text of all its tables, indexes and triggers has
 * the digest that our migrations give. That is checked before anything of the schema
 * runs.
 */
#include "store/store_schema.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "store/store_schema_index.h"

/*
 * The whole schema of version 9, which 0.1.0 had: no user has an older one. The text is the
 * one that SQLite stored then, after the migrations that led there.
 *
 * AUTOINCREMENT keeps IDs from being reused. client_id is no reference, because 0 is nobody in
 * particular and messages of a revoked client stay.
 */
static const char version_9[] =
	/*
	 * A card that hides its ICCID is known by its IMSI; two cards may show one IMSI, so
	 * only the ICCID is unique.
	 */
	"CREATE TABLE sim ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, iccid TEXT UNIQUE, imsi TEXT,"
	" first_seen INTEGER NOT NULL, CHECK (iccid IS NOT NULL OR imsi IS NOT NULL)"
	") STRICT;"
	"CREATE INDEX sim_imsi ON sim (imsi);"
	/* Its permissions: see base/client.h. */
	"CREATE TABLE client ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
	" token_hash BLOB NOT NULL UNIQUE, created INTEGER NOT NULL,"
	" scopes INTEGER NOT NULL DEFAULT 3, ask INTEGER NOT NULL DEFAULT 0,"
	" sims TEXT NOT NULL DEFAULT '', allow TEXT NOT NULL DEFAULT '',"
	" per_minute INTEGER NOT NULL DEFAULT -1, per_hour INTEGER NOT NULL DEFAULT -1,"
	" per_day INTEGER NOT NULL DEFAULT -1,"
	" segments_per_month INTEGER NOT NULL DEFAULT -1"
	") STRICT;"
	/*
	 * Both directions in one table, so that their IDs order everything. sim_id is NULL for
	 * those received by a modem whose card was not known. The columns from idempotency_key to
	 * delivery are for outgoing messages, from sent_time on for incoming ones. spool_lead is
	 * how many spool files contained an incoming message, minus how many signals did.
	 */
	"CREATE TABLE \"message\" ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" direction INTEGER NOT NULL DEFAULT 0 CHECK (direction IN (0, 1)),"
	" sim_id INTEGER REFERENCES sim (id), client_id INTEGER NOT NULL DEFAULT 0,"
	" number TEXT NOT NULL, text TEXT NOT NULL,"
	" segments INTEGER NOT NULL DEFAULT 0, state INTEGER NOT NULL,"
	" reason TEXT NOT NULL DEFAULT '', uuid TEXT NOT NULL DEFAULT '',"
	" created INTEGER NOT NULL, changed INTEGER NOT NULL,"
	" idempotency_key TEXT, send_at INTEGER NOT NULL DEFAULT 0,"
	" expires_at INTEGER NOT NULL DEFAULT 0, delivery INTEGER NOT NULL DEFAULT 0,"
	" sent_time TEXT NOT NULL DEFAULT '', flags INTEGER NOT NULL DEFAULT 0,"
	" repeats INTEGER NOT NULL DEFAULT 0, read_at INTEGER NOT NULL DEFAULT 0,"
	" spool_lead INTEGER NOT NULL DEFAULT -1,"
	" CHECK (direction = 1 OR sim_id IS NOT NULL)"
	") STRICT;"
	/*
	 * Every index ends with the ID, so a page by ID, number, direction or unread is read in
	 * order. message_created narrows times down to IDs; message_stamp finds repeats.
	 * message_unfinished contains the few that are not final: one over "state IN (1, 2, 3,
	 * 4, 10, 11)" would cost each statement a temporary table.
	 */
	"CREATE INDEX message_unfinished ON message (id)"
	" WHERE (state < 5 OR state IN (10, 11));"
	"CREATE INDEX message_uuid ON message (uuid) WHERE uuid <> '';"
	"CREATE UNIQUE INDEX message_idempotency ON message"
	" (client_id, idempotency_key) WHERE idempotency_key IS NOT NULL;"
	"CREATE INDEX message_direction ON message (direction);"
	"CREATE INDEX message_number ON message (number);"
	"CREATE INDEX message_created ON message (created);"
	"CREATE INDEX message_unread ON message (id)"
	" WHERE direction = 1 AND read_at = 0;"
	"CREATE INDEX message_stamp ON message (number, sent_time) WHERE direction = 1;"
	/* note: the owner's remark on a change. */
	"CREATE TABLE message_change ("
	" id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL REFERENCES message (id),"
	" state INTEGER NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL,"
	" note TEXT NOT NULL DEFAULT ''"
	") STRICT;"
	"CREATE INDEX message_change_message ON message_change (message_id);"
	/*
	 * Counts that would need a scan of all messages; maintained by triggers, whoever
	 * writes. sent: how many of the messages are outgoing.
	 */
	"CREATE TABLE conversation ("
	" number TEXT PRIMARY KEY, last_id INTEGER NOT NULL,"
	" messages INTEGER NOT NULL, unread INTEGER NOT NULL,"
	" sent INTEGER NOT NULL DEFAULT 0"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX conversation_last ON conversation (last_id);"
	"CREATE INDEX conversation_unread ON conversation (last_id) WHERE unread > 0;"
	"CREATE TRIGGER message_added AFTER INSERT ON message BEGIN"
	" INSERT INTO conversation (number, last_id, messages, unread, sent)"
	"  VALUES (new.number, new.id, 1, new.direction = 1 AND new.read_at = 0,"
	"   new.direction = 0)"
	"  ON CONFLICT (number) DO UPDATE SET last_id = max(last_id, excluded.last_id),"
	"  messages = messages + 1, unread = unread + excluded.unread,"
	"  sent = sent + excluded.sent;"
	"END;"
	"CREATE TRIGGER message_read AFTER UPDATE OF read_at ON message"
	" WHEN new.direction = 1 BEGIN"
	" UPDATE conversation"
	"  SET unread = unread + (new.read_at = 0) - (old.read_at = 0)"
	"  WHERE number = new.number;"
	"END;"
	"CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN"
	" UPDATE conversation SET messages = messages - 1,"
	"  unread = unread - (old.direction = 1 AND old.read_at = 0),"
	"  sent = sent - (old.direction = 0),"
	"  last_id = CASE WHEN last_id <> old.id THEN last_id ELSE coalesce("
	"   (SELECT max(id) FROM message WHERE number = old.number), 0) END"
	"  WHERE number = old.number;"
	" DELETE FROM conversation WHERE number = old.number AND messages = 0;"
	"END;"
	/* gap: until_at 0 means open. alive: at most one row. */
	"CREATE TABLE gap ("
	" id INTEGER PRIMARY KEY, from_at INTEGER NOT NULL,"
	" until_at INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL"
	") STRICT;"
	"CREATE INDEX gap_until ON gap (until_at);"
	"CREATE TABLE alive (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT "
	"NULL) STRICT;"
	"CREATE TABLE session ("
	" id TEXT PRIMARY KEY, client_id INTEGER NOT NULL, revision TEXT NOT NULL,"
	" capabilities INTEGER NOT NULL, used INTEGER NOT NULL,"
	" subscriptions TEXT NOT NULL"
	") STRICT, WITHOUT ROWID;"
	/* See store/store_setting.h. */
	"CREATE TABLE secret ("
	" id INTEGER PRIMARY KEY, purpose TEXT NOT NULL UNIQUE,"
	" value BLOB NOT NULL CHECK (length(value) = 32)"
	") STRICT;"
	/* Requests that the user declined, by name. */
	"CREATE TABLE asking_closed (name TEXT PRIMARY KEY, until INTEGER NOT NULL)"
	" STRICT, WITHOUT ROWID;"
	/*
	 * What each accepted message used of the limits, in usage time, and when it was
	 * accepted; it outlives the message.
	 */
	"CREATE TABLE usage ("
	" id INTEGER PRIMARY KEY, at INTEGER NOT NULL, client_id INTEGER NOT NULL,"
	" sim_id INTEGER NOT NULL, segments INTEGER NOT NULL, noted INTEGER NOT NULL"
	") STRICT;"
	"CREATE INDEX usage_client ON usage (client_id, at, segments);"
	"CREATE INDEX usage_sim ON usage (sim_id, at, segments);"
	/* message_id is the first message that opted out; 0 if unknown, as in a restored row. */
	"CREATE TABLE opt_out ("
	" id INTEGER PRIMARY KEY, number TEXT NOT NULL UNIQUE, at INTEGER NOT NULL,"
	" word TEXT NOT NULL, confirmed INTEGER NOT NULL DEFAULT 0,"
	" message_id INTEGER NOT NULL DEFAULT 0"
	") STRICT;"
	"CREATE TABLE setting ("
	" id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value TEXT NOT NULL,"
	" at INTEGER NOT NULL"
	") STRICT;"
	/* Calls and alerts; see store/store_event.h. sim_id is NULL if unknown. */
	"CREATE TABLE event ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL,"
	" sim_id INTEGER REFERENCES sim (id), at INTEGER NOT NULL,"
	" number TEXT NOT NULL, text TEXT NOT NULL, state INTEGER NOT NULL,"
	" topic INTEGER NOT NULL"
	") STRICT;"
	"CREATE INDEX event_kind ON event (kind);"
	/*
	 * The last balance of a SIM, in thousandths, with as many decimals as the network wrote;
	 * see store/store.h. Its id is the SIM ID, `at` is in usage time.
	 */
	"CREATE TABLE balance ("
	" id INTEGER PRIMARY KEY REFERENCES sim (id), amount INTEGER NOT NULL,"
	" decimals INTEGER NOT NULL CHECK (decimals BETWEEN 0 AND 3),"
	" currency TEXT NOT NULL, code TEXT NOT NULL, at INTEGER NOT NULL"
	") STRICT;"
	/*
	 * A line has the hash over it and the line before; audit_anchor: the last line that was
	 * pruned. The triggers protect the audit from our own mistakes: only the oldest lines go,
	 * and none changes.
	 */
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
	"END;";

/*
 * message: boot is the boot of the machine (clock_boot_number(); 0 if unknown) by whose
 * CLOCK_BOOTTIME the message was accepted (created_boot) and expires (expires_boot; 0 if its
 * validity has not begun, or it has none). seen: an earlier boot lasted at least until then, by the
 * wall clock; 0 if it is of this boot. See sms/outbox_deadline.h.
 *
 * alive: the gateway ran until `at` by the wall clock (0 if that was never set) and, for deadlines,
 * until boot_at by CLOCK_BOOTTIME of that boot. boot_at may be later: it follows whatever the wall
 * clock says, up to a minute ahead (store_message_set_lived()).
 *
 * place says which file this is. epoch is 0 if an older version stored nothing; there is no row if
 * we made the file and never used it. See store/store_database.h.
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
 * usage has message_id, so that a cancelled message returns its usage to the SIM; it is 0 for a
 * call, or a message of an older version. usage_noted counts what a client had accepted.
 */
static const char version_11[] =
	"ALTER TABLE usage ADD COLUMN message_id INTEGER NOT NULL DEFAULT 0;"
	"CREATE INDEX usage_noted ON usage (client_id, noted);";

/* Plain names. Triggers are made anew, so that SQLite need not rewrite them. */
#define MESSAGE_TRIGGERS                                                                 \
	"CREATE TRIGGER message_added AFTER INSERT ON message BEGIN"                     \
	" INSERT INTO conversation (phone_number, last_id, messages, unread, sent)"      \
	"  VALUES (new.phone_number, new.id, 1,"                                         \
	"   new.direction = 1 AND new.read_at = 0, new.direction = 0)"                   \
	"  ON CONFLICT (phone_number) DO UPDATE SET"                                     \
	"  last_id = max(last_id, excluded.last_id),"                                    \
	"  messages = messages + 1, unread = unread + excluded.unread,"                  \
	"  sent = sent + excluded.sent;"                                                 \
	"END;"                                                                           \
	"CREATE TRIGGER message_read AFTER UPDATE OF read_at ON message"                 \
	" WHEN new.direction = 1 BEGIN"                                                  \
	" UPDATE conversation"                                                           \
	"  SET unread = unread + (new.read_at = 0) - (old.read_at = 0)"                  \
	"  WHERE phone_number = new.phone_number;"                                       \
	"END;"                                                                           \
	"CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN"                   \
	" UPDATE conversation SET messages = messages - 1,"                              \
	"  unread = unread - (old.direction = 1 AND old.read_at = 0),"                   \
	"  sent = sent - (old.direction = 0),"                                           \
	"  last_id = CASE WHEN last_id <> old.id THEN last_id ELSE coalesce("            \
	"   (SELECT max(id) FROM message WHERE phone_number = old.phone_number), 0) END" \
	"  WHERE phone_number = old.phone_number;"                                       \
	" DELETE FROM conversation"                                                      \
	"  WHERE phone_number = old.phone_number AND messages = 0;"                      \
	"END;"

#define RENAMED_COLUMNS                                                   \
	"ALTER TABLE message RENAME COLUMN number TO phone_number;"       \
	"ALTER TABLE conversation RENAME COLUMN number TO phone_number;"  \
	"ALTER TABLE opt_out RENAME COLUMN number TO phone_number;"       \
	"ALTER TABLE event RENAME COLUMN number TO phone_number;"         \
	"ALTER TABLE client RENAME COLUMN ask TO approval;"               \
	"ALTER TABLE elicitation_declined RENAME COLUMN name TO request;" \
	"ALTER TABLE file_identity RENAME COLUMN system TO file_system;"  \
	"ALTER TABLE file_identity RENAME COLUMN born TO file_born;"      \
	"ALTER TABLE file_identity RENAME COLUMN marked TO mark_changed;" \
	"DROP INDEX usage_noted;"                                         \
	"ALTER TABLE usage RENAME COLUMN noted TO accepted;"              \
	"CREATE INDEX usage_accepted ON usage (client_id, accepted);"

static const char version_12[] =
	"DROP TRIGGER message_added; DROP TRIGGER message_read;"
	"DROP TRIGGER message_removed; DROP INDEX gap_until;"
	"ALTER TABLE gap RENAME TO receive_gap;"
	"CREATE INDEX receive_gap_until ON receive_gap (until_at);"
	"ALTER TABLE asking_closed RENAME TO elicitation_declined;"
	"ALTER TABLE place RENAME TO file_identity;" RENAMED_COLUMNS MESSAGE_TRIGGERS
		STORE_SCHEMA_RENAME_VALUES;

/*
 * message: revision counts the changes by edit_sms. valid_for is in milliseconds after send_at, or
 * after it was accepted; 0 if it never expires. first_...: of an edited message with an idempotency
 * key, what the key was used for. A message whose recipient changes also changes its conversation.
 */
static const char version_13[] =
	"ALTER TABLE message ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE message ADD COLUMN valid_for INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE message ADD COLUMN first_phone_number TEXT;"
	"ALTER TABLE message ADD COLUMN first_text TEXT;"
	"UPDATE message SET valid_for = expires_at -"
	" CASE WHEN send_at > 0 THEN send_at ELSE created END"
	" WHERE (state < 5 OR state IN (10, 11)) AND expires_at > 0 AND flags & 16 = 0;"
	"CREATE TRIGGER message_readdressed AFTER UPDATE OF phone_number ON message"
	" WHEN new.phone_number <> old.phone_number BEGIN"
	" INSERT INTO conversation (phone_number, last_id, messages, unread, sent)"
	"  VALUES (new.phone_number, new.id, 1,"
	"   new.direction = 1 AND new.read_at = 0, new.direction = 0)"
	"  ON CONFLICT (phone_number) DO UPDATE SET"
	"  last_id = max(last_id, excluded.last_id),"
	"  messages = messages + 1, unread = unread + excluded.unread,"
	"  sent = sent + excluded.sent;"
	" UPDATE conversation SET messages = messages - 1,"
	"  unread = unread - (old.direction = 1 AND old.read_at = 0),"
	"  sent = sent - (old.direction = 0),"
	"  last_id = CASE WHEN last_id <> old.id THEN last_id ELSE coalesce("
	"   (SELECT max(id) FROM message WHERE phone_number = old.phone_number), 0) END"
	"  WHERE phone_number = old.phone_number;"
	" DELETE FROM conversation"
	"  WHERE phone_number = old.phone_number AND messages = 0;"
	"END;";

/*
 * feed: see store/store_feed.h; its types are those of base/feed.h. feed_epoch has one row,
 * except while rows are copied into a new database: then the triggers add nothing. An entry is
 * shown for each message that is received (1), each state of an outgoing one (2), approval that
 * is requested (5) or decided (6), call (3), alert (4), balance (8), offline gap (9) and message
 * that is marked as read (11). 11 is STATE_WAITING_APPROVAL.
 */
#define FEED_TABLES                                                                     \
	"CREATE TABLE feed_epoch ("                                                     \
	" id INTEGER PRIMARY KEY CHECK (id = 1),"                                       \
	" epoch INTEGER NOT NULL CHECK (epoch > 0)"                                     \
	") STRICT;" STORE_SCHEMA_BEGIN_FEED "CREATE TABLE feed ("                       \
	" id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,"                   \
	" type INTEGER NOT NULL, subject_id INTEGER NOT NULL, sim_id INTEGER NOT NULL," \
	" client_id INTEGER NOT NULL, state INTEGER NOT NULL,"                          \
	" previous_state INTEGER NOT NULL, detail TEXT NOT NULL"                        \
	") STRICT;"                                                                     \
	"CREATE INDEX feed_sim ON feed (sim_id) WHERE type = 7;"                        \
	"CREATE TRIGGER feed_bounded AFTER INSERT ON feed WHEN new.id % 64 = 0 BEGIN"   \
	" DELETE FROM feed WHERE id <= new.id - 100000;"                                \
	"END;"

#define FEED_ADD                                                             \
	" INSERT INTO feed (at, type, subject_id, sim_id, client_id, state," \
	"  previous_state, detail) SELECT "

#define FEED_MESSAGE_TRIGGERS                                                            \
	"CREATE TRIGGER feed_message_added AFTER INSERT ON message BEGIN" FEED_ADD       \
	"  new.created, CASE new.direction WHEN 1 THEN 1 ELSE 2 END, new.id,"            \
	"  coalesce(new.sim_id, 0), new.client_id, new.state, 0, new.reason"             \
	"  FROM feed_epoch;" FEED_ADD                                                    \
	"  new.created, 5, new.id, new.sim_id, new.client_id, new.state, 0, new.reason"  \
	"  FROM feed_epoch WHERE new.state = 11;"                                        \
	"END;"                                                                           \
	"CREATE TRIGGER feed_message_changed AFTER UPDATE OF state ON message"           \
	" WHEN new.direction = 0 BEGIN" FEED_ADD                                         \
	"  new.changed, 2, new.id, new.sim_id, new.client_id, new.state, old.state,"     \
	"  new.reason FROM feed_epoch WHERE new.state <> old.state;" FEED_ADD            \
	"  new.changed, 6, new.id, new.sim_id, new.client_id, new.state, old.state,"     \
	"  new.reason FROM feed_epoch WHERE old.state = 11 AND new.state <> "            \
	"11;" FEED_ADD                                                                   \
	"  new.changed, 5, new.id, new.sim_id, new.client_id, new.state, old.state,"     \
	"  new.reason FROM feed_epoch WHERE new.state = 11"                              \
	"  AND (old.state <> 11 OR new.revision <> old.revision);"                       \
	"END;"                                                                           \
	"CREATE TRIGGER feed_message_not_delivered AFTER INSERT ON message_change"       \
	" WHEN new.reason = 'not_delivered' BEGIN" FEED_ADD                              \
	"  new.at, 2, message.id, message.sim_id, client_id, new.state, new.state,"      \
	"  new.reason FROM feed_epoch, message WHERE message.id = new.message_id;"       \
	"END;"                                                                           \
	"CREATE TRIGGER feed_message_read AFTER UPDATE OF read_at ON message"            \
	" WHEN new.direction = 1 AND old.read_at = 0 AND new.read_at > 0 BEGIN" FEED_ADD \
	"  new.read_at, 11, new.id, coalesce(new.sim_id, 0), 0, new.state, new.state, "  \
	"''"                                                                             \
	"  FROM feed_epoch;"                                                             \
	"END;"

#define FEED_OTHER_TRIGGERS                                                              \
	"CREATE TRIGGER feed_event_added AFTER INSERT ON event BEGIN" FEED_ADD           \
	"  new.at, CASE new.kind WHEN 1 THEN 3 ELSE 4 END, new.id,"                      \
	"  coalesce(new.sim_id, 0), 0, new.state, 0, '' FROM feed_epoch;"                \
	"END;"                                                                           \
	"CREATE TRIGGER feed_call_changed AFTER UPDATE OF state, phone_number ON event"  \
	" WHEN new.kind = 1 AND (new.state <> old.state"                                 \
	"  OR new.phone_number <> old.phone_number) BEGIN" FEED_ADD                      \
	"  new.at, 3, new.id, coalesce(new.sim_id, 0), 0, new.state, old.state, ''"      \
	"  FROM feed_epoch;"                                                             \
	"END;"                                                                           \
	"CREATE TRIGGER feed_balance_read BEFORE INSERT ON balance BEGIN" FEED_ADD       \
	"  CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 8, 0, new.id, 0," \
	"  0, 0, new.amount || ' ' || new.decimals || ' ' || new.currency"               \
	"  FROM feed_epoch WHERE NOT EXISTS (SELECT 1 FROM balance WHERE id = new.id"    \
	"  AND amount = new.amount AND currency = new.currency);"                        \
	"END;"                                                                           \
	"CREATE TRIGGER feed_gap_added AFTER INSERT ON receive_gap BEGIN" FEED_ADD       \
	"  CASE WHEN new.until_at > 0 THEN new.until_at ELSE new.from_at END, 9, "       \
	"new.id,"                                                                        \
	"  0, 0, new.until_at > 0, -1,"                                                  \
	"  new.from_at || ' ' || new.until_at || ' ' || new.reason FROM feed_epoch;"     \
	"END;"                                                                           \
	"CREATE TRIGGER feed_gap_ended AFTER UPDATE OF until_at ON receive_gap"          \
	" WHEN new.until_at <> old.until_at AND new.from_at = old.from_at "              \
	"BEGIN" FEED_ADD                                                                 \
	"  new.until_at, 9, new.id, 0, 0, new.until_at > 0, old.until_at > 0,"           \
	"  new.from_at || ' ' || new.until_at || ' ' || new.reason FROM feed_epoch;"     \
	"END;"

static const char version_14[] = FEED_TABLES FEED_MESSAGE_TRIGGERS FEED_OTHER_TRIGGERS;

/*
 * command_sender: numbers of the owner whose commands need a code; secret is that of the codes,
 * last_step the step of the last one that counted. locked_until and command_wrong_code.at are
 * usage time, and so is approval_notice.at. approval_answer: what the owner texted, until it
 * has been acted on; its ID is that of the message.
 */
static const char version_15[] =
	"CREATE TABLE command_sender ("
	" id INTEGER PRIMARY KEY, phone_number TEXT NOT NULL UNIQUE,"
	" secret BLOB NOT NULL CHECK (length(secret) = 20), enrolled INTEGER NOT NULL,"
	" last_step INTEGER NOT NULL DEFAULT 0, used INTEGER NOT NULL DEFAULT 0,"
	" refused INTEGER NOT NULL DEFAULT 0, refusal TEXT NOT NULL DEFAULT '',"
	" locked_until INTEGER NOT NULL DEFAULT 0"
	") STRICT;"
	"CREATE TABLE command_wrong_code ("
	" id INTEGER PRIMARY KEY, phone_number TEXT NOT NULL, at INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE approval_answer ("
	" id INTEGER PRIMARY KEY, sim_id INTEGER NOT NULL, phone_number TEXT NOT NULL,"
	" approves INTEGER NOT NULL, number INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE approval_notice ("
	" id INTEGER PRIMARY KEY, number INTEGER NOT NULL UNIQUE,"
	" message_id INTEGER NOT NULL, revision INTEGER NOT NULL, at INTEGER NOT NULL,"
	" UNIQUE (message_id, revision)) STRICT;";

/*
 * webhook_...: see store/store_webhook.h. Times are by the wall clock; 0 is none. A delivery
 * without a feed_id is a control message. closed_key (17): store/store_usage.h; usage time.
 */
static const char version_16[] =
	"CREATE TABLE webhook_subscription ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, name_id TEXT NOT NULL UNIQUE,"
	" client_id INTEGER NOT NULL, created INTEGER NOT NULL,"
	" refreshed INTEGER NOT NULL, expires INTEGER NOT NULL,"
	" url TEXT NOT NULL, origin TEXT NOT NULL, event TEXT NOT NULL,"
	" arguments TEXT NOT NULL, secret BLOB NOT NULL, old_secret BLOB NOT NULL,"
	" old_until INTEGER NOT NULL, scanned INTEGER NOT NULL, epoch INTEGER NOT NULL,"
	" suspended INTEGER NOT NULL, failed_since INTEGER NOT NULL,"
	" delivered INTEGER NOT NULL, error TEXT NOT NULL"
	") STRICT;"
	"CREATE TABLE webhook_delivery ("
	" subscription_id INTEGER PRIMARY KEY, feed_id INTEGER NOT NULL,"
	" attempts INTEGER NOT NULL, message_id TEXT NOT NULL, body TEXT NOT NULL"
	") STRICT;"
	"CREATE TABLE webhook_consent ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, client_id INTEGER NOT NULL,"
	" origin TEXT NOT NULL, event TEXT NOT NULL, filter TEXT NOT NULL,"
	" with_text INTEGER NOT NULL, state INTEGER NOT NULL CHECK (state BETWEEN 0 AND "
	"2),"
	" asked INTEGER NOT NULL, until INTEGER NOT NULL"
	") STRICT;";

static const char version_17[] =
	"CREATE TABLE closed_key ("
	" id INTEGER PRIMARY KEY, client_id INTEGER NOT NULL, key TEXT NOT NULL,"
	" at INTEGER NOT NULL, UNIQUE (client_id, key)) STRICT;"
	"CREATE INDEX closed_key_at ON closed_key (at);";

/* A change of owner or permissions also changes the former time; mark_born is 0 if unknown. */
static const char version_21[] =
	"ALTER TABLE file_identity RENAME COLUMN mark_changed TO mark_born;"
	"UPDATE file_identity SET mark_born = 0;";

/*
 * The tables that only a hub fills. They are in every store, so that there is one schema and one check
 * of it. pool...: see store/store_pool.h; routed_message and attempt: store/store_attempt.h.
 * sim_service and routed_message have the IDs of SIMs and messages.
 */
static const char version_18[] =
	"CREATE TABLE pool ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
	" sticky INTEGER NOT NULL, country INTEGER NOT NULL,"
	" recipients INTEGER NOT NULL, fails_over INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE pool_sim ("
	" id INTEGER PRIMARY KEY, pool_id INTEGER NOT NULL, sim_id INTEGER NOT NULL,"
	" UNIQUE (pool_id, sim_id)"
	") STRICT;"
	"CREATE TABLE sim_service ("
	" id INTEGER PRIMARY KEY, drained INTEGER NOT NULL, failures INTEGER NOT NULL,"
	" rests_until INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE sim_recipient ("
	" id INTEGER PRIMARY KEY, sim_id INTEGER NOT NULL, month INTEGER NOT NULL,"
	" phone_number TEXT NOT NULL, UNIQUE (sim_id, month, phone_number)"
	") STRICT;"
	"CREATE TABLE routed_message ("
	" id INTEGER PRIMARY KEY, pool_id INTEGER NOT NULL, resends INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE attempt ("
	" id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL, number INTEGER NOT NULL,"
	" sim_id INTEGER NOT NULL, at INTEGER NOT NULL, ended INTEGER NOT NULL,"
	" outcome TEXT NOT NULL, UNIQUE (message_id, number)"
	") STRICT;"
	"CREATE TRIGGER message_routed_removed AFTER DELETE ON message BEGIN"
	" DELETE FROM routed_message WHERE id = old.id;"
	" DELETE FROM attempt WHERE message_id = old.id;"
	"END;";

/* phone: see store/store_phone.h. Times are by the wall clock; 0 is none. */
static const char version_20[] =
	"CREATE TABLE phone ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
	" key BLOB NOT NULL CHECK (length(key) = 32),"
	" next_key BLOB CHECK (length(next_key) = 32),"
	" enrolled INTEGER NOT NULL, joined INTEGER NOT NULL DEFAULT 0,"
	" seen INTEGER NOT NULL DEFAULT 0, cursor TEXT NOT NULL DEFAULT ''"
	") STRICT;";

/* Rows that were set aside: the names and values of their columns; see store_bad_row.c. */
static const char version_22[] =
	"CREATE TABLE bad_row ("
	" id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, row TEXT NOT NULL,"
	" at INTEGER NOT NULL"
	") STRICT;";

/* The epoch of the phone's message store for which the attempt was made; 0 is not known. */
static const char version_23[] =
	"ALTER TABLE attempt ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;";

/* The phone that showed the SIM with this ID last: see store/store_phone.h. */
static const char version_24[] =
	"CREATE TABLE phone_sim (id INTEGER PRIMARY KEY, phone_id INTEGER NOT NULL) STRICT;"
	"CREATE INDEX phone_sim_phone ON phone_sim (phone_id);";

/* The first makes the schema of STORE_SCHEMA_FIRST, each of the others the next version. */
static const char *const migrations[] = {
	version_9,  version_10, version_11, version_12, version_13,	    version_14,
	version_15, version_16, version_17, version_18, STORE_SCHEMA_INDEX, version_20,
	version_21, version_22, version_23, version_24,
};

_Static_assert(sizeof(migrations) / sizeof(*migrations) ==
		       STORE_SCHEMA_VERSION - STORE_SCHEMA_FIRST + 1,
	       "one for each version");

bool store_schema_is_known(int64_t version)
{
	return version == 0 ||
	       (version >= STORE_SCHEMA_FIRST && version <= STORE_SCHEMA_VERSION);
}

int store_schema_migrate(sqlite3 *database, int64_t from, int64_t to)
{
	int result = SQLITE_OK;
	char set_version[40];

	for (int64_t version = from ? from + 1 : STORE_SCHEMA_FIRST;
	     result == SQLITE_OK && version <= to; version++)
		result = sqlite3_exec(database, migrations[version - STORE_SCHEMA_FIRST],
				      NULL, NULL, NULL);
	snprintf(set_version, sizeof(set_version), "PRAGMA user_version = %d", (int)to);
	return result ? result : sqlite3_exec(database, set_version, NULL, NULL, NULL);
}

/* The end of each text also counts. */
static uint64_t store_schema_digest_row(uint64_t digest, sqlite3_stmt *statement)
{
	for (int column = 0; column < sqlite3_column_count(statement); column++) {
		const void *text = sqlite3_column_text(statement, column);

		if (!text)
			text = "";
		digest = hash_add(digest, text, strlen(text) + 1);
	}
	return digest;
}

uint64_t store_schema_digest(sqlite3 *database)
{
	uint64_t digest = HASH_START;
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

/*
 * Returns the digest that this SQLite writes, which may differ from the one that
 * STORE_SCHEMA_DIGEST is of.
 */
static uint64_t store_schema_version_digest(int64_t version)
{
	sqlite3 *database = NULL;
	int result = sqlite3_open(":memory:", &database);
	uint64_t digest = 0;

	if (result == SQLITE_OK)
		result = store_schema_migrate(database, 0, version);
	if (result == SQLITE_OK)
		digest = store_schema_digest(database);
	sqlite3_close(database);
	return digest;
}

bool store_schema_is_ours(sqlite3 *database, int64_t version)
{
	uint64_t digest;

	if (!version || !store_schema_is_known(version))
		return false;
	digest = store_schema_digest(database);
	if (!digest)
		return false;
	if (version == STORE_SCHEMA_VERSION && digest == STORE_SCHEMA_DIGEST)
		return true;
	return digest == store_schema_version_digest(version);
}
