/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every statement of an open store, as one table. The planner may choose to read
 * everything, so statements on large tables name their index, or NOT INDEXED.
 */
#include "store/store_internal.h"

#include "store/store_message.h"
#include "store/store_sql_index.h"

/* in the order of store_client_read() and store_read_message() */
#define CLIENT_COLUMNS                                                            \
	"id, name, scopes, approval, sims, allow, per_minute, per_hour, per_day," \
	" segments_per_month"

/* in the order of store_webhook_read_consent() */
#define WEBHOOK_CONSENT_COLUMNS \
	"id, client_id, origin, event, filter, with_text, state, asked, until"

#define MESSAGE_COLUMNS                                                                      \
	"message.id, message.sim_id, message.client_id, message.phone_number, message.text," \
	" message.segments, message.state, message.reason, message.uuid,"                    \
	" message.created, message.changed, message.direction, message.sent_time,"           \
	" message.flags, message.repeats, message.read_at,"                                  \
	" message.idempotency_key, message.send_at, message.expires_at,"                     \
	" message.delivery, message.boot, message.created_boot, message.expires_boot,"       \
	" message.seen, message.revision, message.valid_for"

/*
 * A listing of messages, and the edge of a piece: the ID of its row ?10 + 1, whether it
 * matches or not. `by` names the index.
 */
#define LIST(by, order)                                                      \
	"SELECT " MESSAGE_COLUMNS " FROM message " by " message.id > ?1"     \
	" AND message.id < ?2 AND (?3 IS NULL OR direction = ?3)"            \
	" AND (?4 IS NULL OR phone_number = ?4) AND (?5 = 0 OR sim_id = ?5)" \
	" AND (NOT ?6 OR (direction = 1 AND read_at = 0))"                   \
	" AND (?7 = 0 OR created >= ?7) AND (?8 = 0 OR created < ?8)"        \
	" AND (?9 IS NULL OR text_contains(text, ?9))"                       \
	" AND (NOT ?12 OR message.flags & 16384 = 0) ORDER BY message.id " order
#define EDGE(by, order)                                         \
	"SELECT message.id FROM message " by " message.id > ?1" \
	" AND message.id < ?2 ORDER BY message.id " order " LIMIT 1 OFFSET ?10"

/* The first edge among several spellings: up to it there are as many rows of each. */
#define EDGE_OF_EACH(first, order)                                               \
	"SELECT " first "((SELECT id FROM message INDEXED BY message_number"     \
	" WHERE phone_number = value AND id > ?1 AND id < ?2 ORDER BY id " order \
	" LIMIT 1 OFFSET ?10)) FROM json_each(?11)"

#define BY_ID	     "NOT INDEXED WHERE"
#define BY_DIRECTION "INDEXED BY message_direction WHERE direction = ?3 AND"
#define BY_NUMBER    "INDEXED BY message_number WHERE phone_number = ?4 AND"
#define BY_NUMBERS                                                      \
	"INDEXED BY message_number WHERE phone_number IN (SELECT value" \
	" FROM json_each(?11)) AND"
#define BY_UNREAD "INDEXED BY message_unread WHERE direction = 1 AND read_at = 0 AND"

/*
 * Usage, of at most ?4 messages. sim_id is negative for one that is not submitted yet. ?6 and ?7
 * are the SIM's ID, and what it is for messages that are not submitted if those count.
 */
#define USAGE_OF_CLIENT "INDEXED BY usage_client WHERE client_id = ?1"
#define USAGE_OF_SIM	"INDEXED BY usage_sim WHERE sim_id IN (?6, ?7)"
#define USAGE_OF_SHARE	USAGE_OF_CLIENT " AND sim_id IN (?6, ?7)"
#define USAGE_UNTIL(of)                                                     \
	"SELECT at FROM usage " of " AND at > ?2 AND at <= ?3 AND id <> ?5" \
	" ORDER BY at DESC LIMIT ?4"
#define USAGE_AFTER(of)                                                    \
	"SELECT at FROM usage " of " AND at > ?2 AND at < ?3 AND id <> ?5" \
	" ORDER BY at LIMIT ?4"
/* Times at which a client had messages accepted. */
#define USAGE_ACCEPTED(order)                                                       \
	"SELECT accepted FROM usage INDEXED BY usage_accepted WHERE client_id = ?1" \
	" AND accepted > ?2 AND id <> ?5 AND accepted " order " LIMIT ?4"
#define USAGE_SUM(of)                                                            \
	"SELECT coalesce(sum(segments), 0) FROM (SELECT segments FROM usage " of \
	" AND at >= ?2 AND at < ?3 AND id <> ?5 LIMIT ?4)"

/* opt_out.confirmed: 0 no, 1 the sender got the confirmation, 2 the owner decides first. */
#define OPT_OUT_ASKING "2"

#define MESSAGE_STATE \
	"state = ?2, reason = ?3, changed = ?4, delivery = coalesce(?5, delivery)"

const char *const store_sql[STATEMENT_COUNT] = {
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
	[SNAPSHOT] = "BEGIN",
	[SIM_BY_ICCID] = "SELECT id, iccid, imsi FROM sim WHERE iccid = ?1",
	/* If the ICCID is known, a row with another ICCID is another card. */
	[SIM_BY_IMSI] =
		"SELECT id, iccid, imsi FROM sim WHERE imsi = ?1"
		" AND (iccid IS NULL OR ?2 IS NULL) ORDER BY iccid IS NULL, id DESC",
	[SIM_COMPLETE] = "UPDATE sim SET iccid = coalesce(iccid, ?2),"
			 " imsi = coalesce(imsi, ?3) WHERE id = ?1",
	[SIM_ADD] = "INSERT INTO sim (iccid, imsi, first_seen) VALUES (?1, ?2, ?3)",
	/* A spool file names no ICCID, and may have been read before the card was seen. */
	[SIM_JOIN] = "UPDATE message SET sim_id = ?1 WHERE direction = 1 AND sim_id IN"
		     " (SELECT id FROM sim WHERE imsi = ?2 AND iccid IS NULL)",
	[SIM_KNOWN] = "SELECT 1 FROM sim WHERE id = ?1",
	[SIMS_KNOWN] = "SELECT id FROM sim ORDER BY id",
	[SIM_IMSI] = "SELECT imsi FROM sim WHERE id = ?1",
	[MESSAGE_ADD] =
		"INSERT INTO message (sim_id, client_id, phone_number, text, segments,"
		" state, created, changed, idempotency_key, send_at, expires_at,"
		" reason, boot, created_boot, expires_boot, flags, valid_for, uuid)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12,"
		" ?13, ?14, ?15, ?16, coalesce(?17, ''))",
	/* oFono never had it. A key keeps what it was used for first. */
	[MESSAGE_EDIT] =
		"UPDATE message SET phone_number = ?2, text = ?3, segments = ?4,"
		" state = ?5, reason = ?6, changed = ?7, send_at = ?8, expires_at = ?9,"
		" valid_for = ?10, boot = ?11, expires_boot = ?12,"
		" seen = 0, flags = ?13, revision = revision + 1,"
		" first_phone_number = CASE WHEN idempotency_key IS NOT NULL"
		" THEN coalesce(first_phone_number, phone_number) END,"
		" first_text = CASE WHEN idempotency_key IS NOT NULL"
		" THEN coalesce(first_text, text) END"
		" WHERE id = ?1 AND direction = 0 AND state IN (1, 10, 11)",
	[MESSAGE_FIRST] = "SELECT first_phone_number, first_text FROM message"
			  " WHERE id = ?1 AND first_text IS NOT NULL",
	[MESSAGE_CHANGE_ADD] =
		"INSERT INTO message_change (message_id, state, reason, at, note)"
		" VALUES (?1, ?2, ?3, ?4, coalesce(?5, ''))",
	[MESSAGE_CHANGES] = "SELECT state, reason, at, note FROM message_change"
			    " WHERE message_id = ?1 ORDER BY id",
	[MESSAGE_STATE_GET] = "SELECT state, segments FROM message WHERE id = ?1",
	/*
	 * Setting the UUID writes its index even when it is unchanged, so there are two
	 * statements.
	 */
	[MESSAGE_STATE_SET] = "UPDATE message SET " MESSAGE_STATE " WHERE id = ?1",
	[MESSAGE_STATE_SET_UUID] =
		"UPDATE message SET " MESSAGE_STATE ", uuid = ?6 WHERE id = ?1",
	[MESSAGE_DELIVERY_SET] = "UPDATE message SET delivery = ?2 WHERE id = ?1",
	[MESSAGE_GET] = "SELECT " MESSAGE_COLUMNS " FROM message WHERE id = ?1",
	[MESSAGE_NEWEST] = "SELECT max(id) FROM message",
	/* the condition of the index message_unfinished */
	[MESSAGES_UNFINISHED] =
		"SELECT " MESSAGE_COLUMNS " FROM message"
		" INDEXED BY message_unfinished WHERE " STATE_IS_UNFINISHED
		" ORDER BY id",
	[OUTGOING_BY_KEY] =
		"SELECT " MESSAGE_COLUMNS " FROM message INDEXED BY message_idempotency"
		" WHERE client_id = ?1 AND idempotency_key = ?2",
	/* The mark is char(31). */
	[OUTGOING_BY_LIST_KEY] =
		"SELECT " MESSAGE_COLUMNS " FROM message INDEXED BY message_idempotency"
		" WHERE client_id = ?1 AND idempotency_key >= ?2 || char(31)"
		" AND idempotency_key < ?2 || char(32) AND NOT (?3 <> ''"
		" AND substr(idempotency_key, 1, length(?3)) = ?3 AND "
		"coalesce(first_text, text) IS ?4)"
		" ORDER BY idempotency_key",
	/* By time, because few messages are of the last minute. -4 is CLIENT_PHONE. */
	[OUTGOING_SAME] =
		"SELECT " MESSAGE_COLUMNS " FROM message INDEXED BY message_created"
		" WHERE direction = 0 AND client_id IN (?2, -4) AND text = ?3"
		" AND phone_number IN (SELECT value FROM json_each(?1))"
		" AND created BETWEEN ?4 AND ?5 AND send_at BETWEEN ?6 AND ?7"
		" AND state NOT IN (6, 7) AND state <> 13" /* failed, cancelled, expired */
		" ORDER BY id LIMIT 1",
	[OUTGOING_BY_UUID] =
		"SELECT " MESSAGE_COLUMNS " FROM message INDEXED BY message_uuid"
		" WHERE uuid = ?1 AND uuid <> '' AND direction = 0"
		" ORDER BY id DESC LIMIT 1",
	/* submitting, unknown */
	[OUTGOING_LOST] =
		"SELECT " MESSAGE_COLUMNS " FROM message INDEXED BY message_number"
		" WHERE phone_number = ?1 AND text = ?2 AND sim_id = ?3 AND direction = 0"
		" AND uuid = '' AND (state = 2 OR state = 8 AND changed >= ?4)"
		" AND created <= ?5 ORDER BY id LIMIT 1",
	[OUTGOING_DEADLINE_SET] =
		"UPDATE message SET expires_at = ?2, expires_boot = ?3, seen = ?4,"
		" flags = (flags & ~16) | ?5 WHERE id = ?1",
	[OUTGOING_SEND_AT_SET] = "UPDATE message SET send_at = ?2 WHERE id = ?1",
	/*
	 * ?3 and ?4: the last known moment of the boot that counted them; ?2: the last known
	 * wall clock time, 0 if the clock was never set.
	 */
	[DEADLINES_CARRY] =
		"UPDATE message INDEXED BY message_unfinished"
		" SET expires_boot = CASE WHEN expires_boot = 0 THEN 0"
		" ELSE max(1, expires_boot - max(?4, created_boot)) END,"
		" created_boot = created_boot - max(?4, created_boot),"
		" seen = max(seen, CASE ?2 WHEN 0 THEN changed ELSE ?2 END), boot = ?1"
		" WHERE id > 0 AND " STATE_IS_UNFINISHED " AND boot = ?3 AND ?3 <> 0"
		" AND (boot <> ?1 OR ?5)",
	/* Counted by an older or unknown boot: from now on, at most. */
	[DEADLINES_GUESS] = "UPDATE message INDEXED BY message_unfinished"
			    " SET expires_boot = CASE WHEN expires_at = 0"
			    " OR (send_at > 0 AND state IN (10, 11)) THEN 0"
			    " ELSE max(1, ?3 + expires_at - max(?2, changed)) END,"
			    " created_boot = ?3 - max(0, max(?2, changed) - created),"
			    " seen = max(seen, ?2, changed), boot = ?1"
			    " WHERE id > 0 AND " STATE_IS_UNFINISHED
			    " AND (boot <> ?1 OR ?1 = 0 OR created_boot > ?3)",
	/* sent, delivered: the network accepted it */
	[NUMBER_EXCHANGED] =
		"SELECT 1 FROM message INDEXED BY message_number WHERE phone_number = ?1"
		" AND (direction = 1 OR state IN (5, 12)) LIMIT 1",
	[OUTGOING_KEY_FREE] = "UPDATE message SET idempotency_key = NULL WHERE id = ?1",
	[CLOSED_KEY_ADD] = "INSERT OR IGNORE INTO closed_key (client_id, key, at)"
			   " VALUES (?1, ?2, ?3)",
	[CLOSED_KEY_FIND] = "SELECT 1 FROM closed_key WHERE client_id = ?1 AND key = ?2",
	[CLOSED_KEY_COUNT] = "SELECT count(*) FROM closed_key WHERE client_id = ?1",
	[CLOSED_KEYS_PRUNE] = "DELETE FROM closed_key WHERE at < ?1",
	[INCOMING_OF_FILE] = "SELECT id FROM message INDEXED BY message_uuid"
			     " WHERE uuid = ?1 AND uuid <> '' AND direction = 1",
	/*
	 * Within the time of a repeat; or the missing half of a message that just came
	 * by the other way, because the clock may have been set between the two.
	 */
	[INCOMING_REPEATED] =
		"SELECT id FROM message INDEXED BY message_stamp WHERE direction = 1"
		" AND phone_number = ?1 AND sent_time = ?2 AND sent_time <> '' AND text "
		"= ?3"
		" AND sim_id IS nullif(?4, 0) AND (changed BETWEEN ?5 AND ?6"
		" OR CASE WHEN ?7 THEN spool_lead < 0 ELSE spool_lead > 0 END"
		" AND id > (SELECT max(id) - ?8 FROM message))"
		" ORDER BY id DESC LIMIT 1",
	/* The way that reported it more often counts: see store_incoming.c. */
	[INCOMING_SIGNALLED] = "UPDATE message SET repeats = repeats + (spool_lead <= 0),"
			       " spool_lead = spool_lead - 1, changed = ?2 WHERE id = ?1",
	[INCOMING_SPOOLED] =
		"UPDATE message SET repeats = repeats + (spool_lead >= 0),"
		" spool_lead = spool_lead + 1, changed = max(changed, ?2), uuid = ?3"
		" WHERE id = ?1 AND uuid < ?3",
	[INCOMING_ADD] =
		"INSERT INTO message (direction, phone_number, sent_time, text, sim_id,"
		" created, changed, state, flags, uuid, spool_lead, read_at)"
		" VALUES (1, ?1, ?2, ?3, nullif(?4, 0), ?5, ?5, ?6, ?7, ?8, ?9,"
		" CASE WHEN ?7 & 16384 THEN max(?5, 1) ELSE 0 END)", /* MESSAGE_SERVICE */
	STORE_SQL_INDEX_STATEMENTS[LIST_BY_ID] = LIST(BY_ID, "DESC"),
	[LIST_BY_DIRECTION] = LIST(BY_DIRECTION, "DESC"),
	[LIST_BY_NUMBER] = LIST(BY_NUMBER, "DESC"),
	[LIST_BY_NUMBERS] = LIST(BY_NUMBERS, "DESC"),
	[LIST_BY_UNREAD] = LIST(BY_UNREAD, "DESC"),
	[LIST_BY_ID_UP] = LIST(BY_ID, "ASC"),
	[LIST_BY_DIRECTION_UP] = LIST(BY_DIRECTION, "ASC"),
	[LIST_BY_NUMBER_UP] = LIST(BY_NUMBER, "ASC"),
	[LIST_BY_NUMBERS_UP] = LIST(BY_NUMBERS, "ASC"),
	[LIST_BY_UNREAD_UP] = LIST(BY_UNREAD, "ASC"),
	[EDGE_BY_ID] = EDGE(BY_ID, "DESC"),
	[EDGE_BY_DIRECTION] = EDGE(BY_DIRECTION, "DESC"),
	[EDGE_BY_NUMBER] = EDGE(BY_NUMBER, "DESC"),
	[EDGE_BY_NUMBERS] = EDGE_OF_EACH("max", "DESC"),
	[EDGE_BY_UNREAD] = EDGE(BY_UNREAD, "DESC"),
	[EDGE_BY_ID_UP] = EDGE(BY_ID, "ASC"),
	[EDGE_BY_DIRECTION_UP] = EDGE(BY_DIRECTION, "ASC"),
	[EDGE_BY_NUMBER_UP] = EDGE(BY_NUMBER, "ASC"),
	[EDGE_BY_NUMBERS_UP] = EDGE_OF_EACH("min", "ASC"),
	[EDGE_BY_UNREAD_UP] = EDGE(BY_UNREAD, "ASC"),
	[CONVERSATIONS] =
		"SELECT phone_number, last_id, messages, unread FROM conversation"
		" INDEXED BY conversation_last WHERE last_id < ?1 ORDER BY last_id DESC",
	[CONVERSATIONS_UNREAD] =
		"SELECT phone_number, last_id, messages, unread FROM conversation"
		" INDEXED BY conversation_unread WHERE unread > 0 AND last_id < ?1"
		" ORDER BY last_id DESC",
	[CONVERSATION_ROW] = "SELECT last_id, messages, unread FROM conversation WHERE "
			     "phone_number = ?1",
	[CONVERSATION_MESSAGES] =
		"SELECT messages FROM conversation WHERE phone_number = ?1",
	/* For the listing alone, whose visitors read other messages. */
	[CONVERSATION_LAST] = "SELECT " MESSAGE_COLUMNS " FROM message WHERE id = ?1",
	[MESSAGE_MARK_READ] = "UPDATE message SET read_at = ?2"
			      " WHERE id = ?1 AND direction = 1 AND read_at = 0",
	[GAP_JOIN] =
		"UPDATE receive_gap SET until_at = ?2 WHERE reason = ?3 AND until_at > 0"
		" AND until_at BETWEEN ?1 - ?4 AND ?1",
	/* An open gap of one reason exists once. */
	[GAP_ADD] =
		"INSERT INTO receive_gap (from_at, until_at, reason) SELECT ?1, ?2, ?3"
		" WHERE ?2 <> 0 OR NOT EXISTS"
		" (SELECT 1 FROM receive_gap WHERE until_at = 0 AND reason = ?3)",
	[GAP_END] = "UPDATE receive_gap SET until_at = max(?2, from_at)"
		    " WHERE until_at = 0 AND reason = ?1",
	[GAPS_SHIFT] = "UPDATE receive_gap SET from_at = from_at + ?3,"
		       " until_at = until_at + ?3 * (until_at > 0)"
		       " WHERE from_at >= ?1 AND from_at < ?2",
	[GAPS] = "SELECT from_at, until_at, reason FROM"
		 " (SELECT * FROM receive_gap"
		 "  WHERE (until_at > ?1 OR until_at = 0) AND from_at < ?2"
		 "  ORDER BY from_at DESC, id DESC LIMIT 20) ORDER BY from_at, id",
	[GAP_FIND] =
		"SELECT 1 FROM receive_gap WHERE reason = ?1 AND until_at > ?2 LIMIT 1",
	/* The wall clock is behind that moment. */
	[DEADLINES_SEEN] =
		"UPDATE message INDEXED BY message_unfinished"
		" SET seen = max(seen, ?1) WHERE id > 0 AND " STATE_IS_UNFINISHED,
	[ALIVE_SET] = "INSERT OR REPLACE INTO alive (id, at, boot, boot_at)"
		      " VALUES (1, ?1, ?2, ?3)",
	/* The wall clock shows no time to store: the last known one stays. */
	[ALIVE_BOOT_SET] =
		"INSERT INTO alive (id, at, boot, boot_at) VALUES (1, 0, ?1, ?2)"
		" ON CONFLICT (id) DO UPDATE SET boot = excluded.boot,"
		" boot_at = excluded.boot_at",
	[ALIVE_GET] = "SELECT at, boot, boot_at FROM alive",
	[CLIENT_ADD] =
		"INSERT INTO client (name, scopes, approval, sims, allow, per_minute, "
		"per_hour, per_day, segments_per_month, token_hash, "
		"created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
		"?9, ?10, ?11) ON CONFLICT (name) DO NOTHING",
	[CLIENT_CHANGE] =
		"UPDATE client SET name = ?1, scopes = ?2, approval = ?3, sims = ?4,"
		" allow = ?5, per_minute = ?6, per_hour = ?7, per_day = ?8, segments_per_month = ?9"
		" WHERE id = ?10",
	[CLIENT_ROTATE] = "UPDATE client SET token_hash = ?2 WHERE id = ?1",
	[CLIENT_CLOSE] = "UPDATE client SET scopes = 0 WHERE id = ?1",
	[CLIENT_REMOVE] = "DELETE FROM client WHERE id = ?1",
	[CLIENT_SESSIONS_REMOVE] = "DELETE FROM session WHERE client_id = ?1",
	[CLIENT_FIND] = "SELECT " CLIENT_COLUMNS " FROM client WHERE token_hash = ?1",
	[CLIENT_FIND_ID] = "SELECT " CLIENT_COLUMNS " FROM client WHERE id = ?1",
	[CLIENT_GET] = "SELECT " CLIENT_COLUMNS ", created FROM client WHERE name = ?1",
	[CLIENTS] = "SELECT " CLIENT_COLUMNS ", created FROM client ORDER BY name",
	[CLIENT_COUNT] = "SELECT count(*) FROM client"
			 " WHERE substr(name, 1, 6) <> '" CLIENT_LOCAL_PREFIX "'",
	/*
	 * Whether each message may go: it is final, awaits no delivery report (as in
	 * store_message_delivery()), and has no idempotency key that must be kept.
	 */
	[RETENTION_PAGE] =
		"SELECT id, NOT " STATE_IS_UNFINISHED
		" AND NOT (delivery = 1 AND state IN (5, 8) AND changed >= ?2)"
		" AND NOT (idempotency_key IS NOT NULL AND changed >= ?3), created"
		" FROM message NOT INDEXED WHERE id > ?1 ORDER BY id LIMIT ?4",
	[RETENTION_CHANGES] = "DELETE FROM message_change WHERE message_id = ?1",
	[RETENTION_REMOVE] = "DELETE FROM message WHERE id = ?1",
	/* By ID: rows before the border are about to be removed. */
	[RETENTION_FIRST] =
		"SELECT min(at) FROM (SELECT min(created) AS at FROM message "
		"WHERE created >= ?1 UNION ALL SELECT min(at) FROM event WHERE at >= ?1)",
	[RETENTION_BORDER] =
		"SELECT id FROM message NOT INDEXED WHERE id > 0 AND created >= ?1"
		" ORDER BY id LIMIT 1",
	[RETENTION_COUNT] = "SELECT coalesce(sum(messages), 0) FROM conversation",
	[RETENTION_LEAP] = "SELECT EXISTS (SELECT 1 FROM receive_gap WHERE until_at "
			   "BETWEEN ?1 AND ?2"
			   " AND until_at - from_at > ?3)",
	[RETENTION_GAPS] = "DELETE FROM receive_gap WHERE until_at > 0 AND (until_at < ?1"
			   " OR id <= (SELECT max(id) FROM receive_gap) - ?2)",
	[SESSION_PUT] = "INSERT OR REPLACE INTO session"
			" (id, client_id, revision, capabilities, used, subscriptions)"
			" VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
	[SESSION_REMOVE] = "DELETE FROM session WHERE id = ?1",
	/* Sorts IDs only: whole rows would all be in memory at once. */
	[SESSIONS] = "SELECT session.id, client_id, revision, capabilities, session.used,"
		     " subscriptions FROM (SELECT id, used FROM session ORDER BY used"
		     " LIMIT -1) AS sorted CROSS JOIN session ON session.id = sorted.id",
	[SECRET_GET] = "SELECT value FROM secret WHERE purpose = ?1",
	[SECRET_ADD] = "INSERT INTO secret (purpose, value) VALUES (?1, ?2)",
	[DECLINED_ADD] = "INSERT OR IGNORE INTO elicitation_declined (request, until) "
			 "VALUES (?1, ?2)",
	[DECLINED_FIND] = "SELECT 1 FROM elicitation_declined WHERE request = ?1",
	[DECLINED_PRUNE] =
		"DELETE FROM elicitation_declined WHERE until < ?1 OR request NOT IN"
		" (SELECT request FROM elicitation_declined ORDER BY until DESC LIMIT "
		"?2)",
	[AUDIT_HEAD] = AUDIT_HEAD_SQL,
	[AUDIT_ADD] = AUDIT_ADD_SQL,
	[CLIENT_NAME] = "SELECT name FROM client WHERE id = ?1",
	[AUDIT_SPAN] = "SELECT min(id), coalesce(max(id) - min(id) + 1, 0) FROM audit",
	/* the last line that goes; a rescue may have left it out */
	[AUDIT_ANCHOR_SET] =
		"INSERT INTO audit_anchor (id, line, hash)"
		" SELECT 1, id, hash FROM audit WHERE id <= ?1 ORDER BY id DESC LIMIT 1"
		" ON CONFLICT (id) DO UPDATE SET line = excluded.line,"
		" hash = excluded.hash",
	[AUDIT_FORGET] = "DELETE FROM audit WHERE id <= (SELECT line FROM audit_anchor)",
	[USAGE_ADD] = "INSERT INTO usage"
		      " (client_id, sim_id, segments, at, accepted, message_id)"
		      " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
	[USAGE_CLIENT_UNTIL] = USAGE_UNTIL(USAGE_OF_CLIENT),
	[USAGE_SIM_UNTIL] = USAGE_UNTIL(USAGE_OF_SIM),
	[USAGE_SHARE_UNTIL] = USAGE_UNTIL(USAGE_OF_SHARE),
	[USAGE_ACCEPTED_UNTIL] = USAGE_ACCEPTED("<= ?3 ORDER BY accepted DESC"),
	[USAGE_CLIENT_AFTER] = USAGE_AFTER(USAGE_OF_CLIENT),
	[USAGE_SIM_AFTER] = USAGE_AFTER(USAGE_OF_SIM),
	[USAGE_SHARE_AFTER] = USAGE_AFTER(USAGE_OF_SHARE),
	[USAGE_ACCEPTED_AFTER] = USAGE_ACCEPTED("< ?3 ORDER BY accepted"),
	[USAGE_CLIENT_SUM] = USAGE_SUM(USAGE_OF_CLIENT),
	[USAGE_SIM_SUM] = USAGE_SUM(USAGE_OF_SIM),
	[USAGE_SHARE_SUM] = USAGE_SUM(USAGE_OF_SHARE),
	[USAGE_NEWEST] = "SELECT accepted FROM usage ORDER BY id DESC LIMIT 1",
	[USAGE_SHIFT] = "UPDATE usage SET at = max(?1, at + ?2) WHERE at > ?1",
	/* Among the oldest rows only. One that was scheduled far ahead stays until its time is old. */
	[USAGE_PRUNE] = "DELETE FROM usage WHERE at < ?1 AND id IN (SELECT id FROM usage"
			" NOT INDEXED ORDER BY id LIMIT ?2)",
	[USAGE_RETURN] = "UPDATE usage INDEXED BY usage_message SET sim_id = 0"
			 " WHERE message_id = ?1 AND client_id ="
			 " (SELECT client_id FROM message WHERE id = ?1)",
	[USAGE_OF_MESSAGE] = "SELECT id FROM usage INDEXED BY usage_message"
			     " WHERE message_id = ?1 AND client_id ="
			     " (SELECT client_id FROM message WHERE id = ?1)",
	[USAGE_CHANGE] = "UPDATE usage SET segments = ?2,"
			 " at = CASE WHEN ?3 THEN at ELSE ?4 END WHERE id = ?1",
	[USAGE_MOVE] = "UPDATE usage SET at = ?2 WHERE id = ?1",
	/* It keeps its time if that is about now, so that announced times stay exact. */
	[USAGE_SUBMIT] = "UPDATE usage SET sim_id = abs(sim_id),"
			 " at = CASE WHEN at BETWEEN ?2 - ?3 AND ?2 THEN at ELSE ?2 END"
			 " WHERE id = ?1",
	/* The row stays, because usage time never falls behind the newest one. No client has
	 * the ID -2. */
	[USAGE_RETURN_TO_BOTH] =
		"UPDATE usage INDEXED BY usage_message SET sim_id = 0, client_id = -2"
		" WHERE message_id = ?1 AND"
		" client_id = (SELECT client_id FROM message WHERE id = ?1)",
	[SETTING_GET] = "SELECT value FROM setting WHERE name = ?1",
	[SETTING_PUT] = "INSERT INTO setting (name, value, at) VALUES (?1, ?2, ?3)"
			" ON CONFLICT (name) DO UPDATE SET value = excluded.value,"
			" at = excluded.at",
	[SETTING_REMOVE] = "DELETE FROM setting WHERE name = ?1",
	[PARTY_COUNTRIES] = "SELECT DISTINCT CAST(substr(imsi, 1, 3) AS INTEGER) FROM sim"
			    " WHERE length(imsi) > 3 ORDER BY id LIMIT ?1",
	[PARTY_COUNTRY] = "SELECT CAST(substr(imsi, 1, 3) AS INTEGER) FROM sim"
			  " WHERE id = ?1 AND length(imsi) > 3",
	[PARTY_SENT_TO] =
		"SELECT 1 FROM conversation WHERE phone_number = ?1 AND sent > 0",
	[PARTY_WROTE] =
		"SELECT 1 FROM conversation WHERE phone_number = ?1 AND messages > sent",
	/* Clocks jump: older rows are left out and do not end the search. */
	[PARTY_RECENT] =
		"SELECT " MESSAGE_COLUMNS " FROM (SELECT id AS recent_id FROM message"
		" INDEXED BY message_number WHERE phone_number = ?1 ORDER BY id DESC"
		" LIMIT ?3) CROSS JOIN message ON message.id = recent_id"
		" WHERE message.created >= ?2 ORDER BY message.id DESC",
	/* The first STOP counts: it is confirmed once. */
	[OPT_OUT_SET] =
		"INSERT INTO opt_out (phone_number, at, word, message_id, confirmed)"
		" VALUES (?1, ?2, ?3, ?4, ?5)"
		" ON CONFLICT (phone_number) DO UPDATE SET at = excluded.at,"
		" confirmed = 0, message_id = excluded.message_id"
		" WHERE confirmed = " OPT_OUT_ASKING " AND excluded.confirmed = 0",
	[OPT_OUT_CLEAR] = "DELETE FROM opt_out WHERE phone_number = ?1",
	[OPT_OUT_KNOWN] = "SELECT at, message_id FROM opt_out WHERE phone_number = ?1"
			  " AND confirmed <> " OPT_OUT_ASKING,
	[OPT_OUT_ALL] = "SELECT phone_number, word, at, message_id,"
			" confirmed = " OPT_OUT_ASKING " FROM opt_out ORDER BY id",
	[OPT_OUT_CONFIRM] = "UPDATE opt_out SET confirmed = 1 WHERE phone_number = ?1 "
			    "AND confirmed = 0",
	[EVENT_ADD] =
		"INSERT INTO event (kind, sim_id, at, phone_number, text, state, topic)"
		" VALUES (?1, nullif(?2, 0), ?3, ?4, ?5, ?6, ?7)",
	[EVENT_BOUND] =
		"DELETE FROM event WHERE kind = ?1 AND id <= (SELECT id FROM event"
		" WHERE kind = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
	[EVENT_STATE] = "UPDATE event SET state = ?2 WHERE id = ?1",
	[EVENT_END] = "UPDATE event SET state = ?2, text = ?3 WHERE id = ?1",
	[EVENT_NUMBER] = "UPDATE event SET phone_number = ?2 WHERE id = ?1",
	[EVENTS_SETTLE] = "UPDATE event SET state = 0 WHERE kind = ?1 AND state = 1",
	[EVENTS_LIST] =
		"SELECT id, coalesce(sim_id, 0), at, phone_number, text, state, topic"
		" FROM event INDEXED BY event_kind WHERE kind = ?1 AND id < ?2"
		" AND (?3 < 0 OR state = ?3) ORDER BY id DESC LIMIT ?4",
	[EVENTS_PRUNE] = "DELETE FROM event WHERE at < ?1",
	[BALANCE_PUT] =
		"INSERT OR REPLACE INTO balance (id, amount, decimals, currency, code,"
		" at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
	[BALANCE_GET] = "SELECT amount, decimals, currency, code, at FROM balance"
			" WHERE id = ?1",
	[BALANCE_REMOVE] = "DELETE FROM balance WHERE id = ?1",
	[CALL_PLACED_BEFORE] =
		"SELECT at FROM event INDEXED BY event_kind WHERE kind = ?1"
		" AND state >= ?2 AND at <= ?3 ORDER BY id DESC LIMIT 1 OFFSET ?4",
	[FEED_ROW_ADD] =
		"INSERT INTO feed (at, type, subject_id, sim_id, client_id, state,"
		" previous_state, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	/* Messages and events number their rows apart. */
	[FEED_ROWS] = "SELECT id, at, type, subject_id, sim_id, client_id, state,"
		      " previous_state, detail,"
		      " CASE WHEN type IN (1, 2, 5, 6, 10, 11) THEN"
		      " (SELECT phone_number FROM message WHERE message.id = subject_id)"
		      " WHEN type IN (3, 4) THEN"
		      " (SELECT phone_number FROM event WHERE event.id = subject_id) END"
		      " FROM feed WHERE id > ?1 ORDER BY id LIMIT ?2",
	[FEED_ROWS_BOUNDS] =
		"SELECT coalesce((SELECT min(id) FROM feed), head + 1), head FROM (SELECT"
		" coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'feed'), 0)"
		" AS head)",
	[FEED_ROWS_SINCE] =
		"SELECT id - 1 FROM feed WHERE id > ?1 AND at >= ?2 ORDER BY id LIMIT 1",
	[FEED_ROWS_SKIPPED] =
		"SELECT 1 FROM feed WHERE id > ?1 AND id <= ?2 AND type = ?3 LIMIT 1",
	/* From the oldest on without a hole, which no reader could notice. */
	[FEED_ROWS_PRUNE] =
		"DELETE FROM feed WHERE id <= (SELECT min(id) + ?2 FROM feed) AND id <"
		" coalesce((SELECT id FROM feed WHERE at >= ?1 ORDER BY id LIMIT 1),"
		" 9223372036854775807)",
	[FEED_EPOCH] = "SELECT epoch FROM feed_epoch",
	[FEED_LAST_OF_SIM] = "SELECT state FROM feed INDEXED BY feed_sim WHERE type = 7"
			     " AND sim_id = ?1 ORDER BY id DESC LIMIT 1",
	[IDENTITY_ADVANCE] = "UPDATE file_identity SET epoch = ?1 + 1"
			     " WHERE epoch BETWEEN ?1 AND ?1 + 1",
	[COMMAND_SECRET] = "SELECT secret, last_step, locked_until FROM command_sender"
			   " WHERE phone_number = ?1",
	[COMMAND_USE] = "UPDATE command_sender SET last_step = ?2, used = ?3"
			" WHERE phone_number = ?1",
	[COMMAND_REFUSE] = "UPDATE command_sender SET refusal = ?2, refused = ?3"
			   " WHERE phone_number = ?1",
	[COMMAND_LOCK] = "UPDATE command_sender SET locked_until = ?2"
			 " WHERE phone_number = ?1",
	[COMMAND_ENROL] = "INSERT INTO command_sender (phone_number, secret, enrolled)"
			  " VALUES (?1, ?2, ?3)",
	[COMMAND_REMOVE] = "DELETE FROM command_sender WHERE phone_number = ?1",
	[COMMAND_SENDER] = /* in the order of store_command_read_sender() */
	"SELECT phone_number, enrolled, used, refused, refusal, locked_until"
	" FROM command_sender WHERE phone_number = ?1",
	[COMMAND_WRONG_ADD] = "INSERT INTO command_wrong_code (phone_number, at)"
			      " VALUES (?1, ?2)",
	[COMMAND_WRONG_COUNT] =
		"SELECT count(*) FROM command_wrong_code WHERE phone_number = ?1",
	[COMMAND_WRONG_PRUNE] = "DELETE FROM command_wrong_code WHERE at <= ?1",
	[COMMAND_WRONG_FORGET] = "DELETE FROM command_wrong_code WHERE phone_number = ?1",
	[ANSWER_ADD] =
		"INSERT INTO approval_answer (id, sim_id, phone_number, approves, number)"
		" VALUES (?1, ?2, ?3, ?4, ?5)",
	[ANSWER_NEXT] = "SELECT id, sim_id, phone_number, approves, number"
			" FROM approval_answer ORDER BY id LIMIT 1",
	[ANSWER_END] = "DELETE FROM approval_answer WHERE id = ?1",
	[NOTICE_OF] = "SELECT number, message_id, revision FROM approval_notice"
		      " WHERE message_id = ?1 AND revision = ?2",
	[NOTICE_FIND] = "SELECT number, message_id, revision FROM approval_notice"
			" WHERE number = ?1",
	/* the one that is ?2 notices before the newest */
	[NOTICE_RATE] = "SELECT at FROM approval_notice WHERE at > ?1"
			" ORDER BY at DESC LIMIT 1 OFFSET ?2",
	[NOTICE_ADD] = "INSERT INTO approval_notice (number, message_id, revision, at)"
		       " VALUES (?1, ?2, ?3, ?4)",
	[NOTICE_PRUNE] = "DELETE FROM approval_notice WHERE id <="
			 " (SELECT max(id) FROM approval_notice) - ?1",
	/* A refresh keeps what its deliveries have reached. */
	[WEBHOOK_PUT] =
		"INSERT INTO webhook_subscription (name_id, client_id, created,"
		" refreshed, expires, old_until, url, origin, event, arguments, secret,"
		" old_secret, scanned, epoch, suspended, failed_since, delivered, error)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
		" ?15, ?16, ?17, ?18) ON CONFLICT (name_id) DO UPDATE SET"
		" refreshed = excluded.refreshed, expires = excluded.expires,"
		" old_until = excluded.old_until, secret = excluded.secret,"
		" old_secret = excluded.old_secret, scanned = excluded.scanned,"
		" epoch = excluded.epoch, suspended = excluded.suspended,"
		" failed_since = excluded.failed_since, delivered = excluded.delivered,"
		" error = excluded.error",
	[WEBHOOK_FIND] = "SELECT id FROM webhook_subscription WHERE name_id = ?1",
	[WEBHOOK_ADVANCE] =
		"UPDATE webhook_subscription SET scanned = ?2, epoch = ?3, suspended = "
		"?4,"
		" failed_since = ?5, delivered = ?6, error = ?7 WHERE id = ?1",
	[WEBHOOK_REMOVE] = "DELETE FROM webhook_subscription WHERE id = ?1",
	[WEBHOOKS] = "SELECT id, name_id, client_id, created, refreshed, expires,"
		     " old_until, url, origin, event, arguments, secret, old_secret,"
		     " scanned, epoch, suspended, failed_since, delivered, error,"
		     " coalesce(feed_id, 0), coalesce(attempts, 0), message_id, body"
		     " FROM webhook_subscription LEFT JOIN webhook_delivery"
		     " ON subscription_id = id ORDER BY id",
	[WEBHOOK_DELIVERY_PUT] =
		"INSERT OR REPLACE INTO webhook_delivery (subscription_id, feed_id,"
		" attempts, message_id, body) VALUES (?1, ?2, ?3, ?4, ?5)",
	[WEBHOOK_DELIVERY_REMOVE] =
		"DELETE FROM webhook_delivery WHERE subscription_id = ?1",
	[WEBHOOK_CONSENT_ADD] =
		"INSERT INTO webhook_consent (client_id, with_text, asked, until, origin,"
		" event, filter, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)",
	[WEBHOOK_CONSENT_GET] = "SELECT " WEBHOOK_CONSENT_COLUMNS " FROM webhook_consent"
				" WHERE id = ?1 AND state = ?2"
				" AND (until = 0 OR until > ?3)",
	[WEBHOOK_CONSENT_DECIDE] =
		"UPDATE webhook_consent SET state = ?2, until = ?3 WHERE id = ?1",
	[WEBHOOK_CONSENT_REMOVE] = "DELETE FROM webhook_consent WHERE id = ?1",
	[WEBHOOK_CONSENTS] = "SELECT " WEBHOOK_CONSENT_COLUMNS " FROM webhook_consent"
			     " WHERE (?1 = 0 OR client_id = ?1)"
			     " AND (until = 0 OR until > ?2) ORDER BY id",
	[WEBHOOK_CONSENTS_WAITING] =
		"SELECT count(*) FROM webhook_consent WHERE client_id = ?1 AND state = 0",
	[WEBHOOK_CONSENTS_PRUNE] =
		"DELETE FROM webhook_consent WHERE until > 0 AND until <= ?1",
	[WEBHOOK_CLIENT_DELIVERIES_REMOVE] =
		"DELETE FROM webhook_delivery WHERE subscription_id IN"
		" (SELECT id FROM webhook_subscription WHERE client_id = ?1)",
	[WEBHOOK_CLIENT_REMOVE] = "DELETE FROM webhook_subscription WHERE client_id = ?1",
	[WEBHOOK_CLIENT_CONSENTS_REMOVE] =
		"DELETE FROM webhook_consent WHERE client_id = ?1",
	[PHONE_FIND] = "SELECT id FROM phone WHERE name = ?1",
	[PHONE_ADD] = "INSERT INTO phone (name, key, next_key, enrolled, joined, seen,"
		      " cursor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[PHONE_PUT] = "UPDATE phone SET key = ?2, next_key = ?3, enrolled = ?4,"
		      " joined = ?5, seen = ?6, cursor = ?7 WHERE name = ?1",
	[PHONE_REMOVE] = "DELETE FROM phone WHERE id = ?1",
	[PHONES] = "SELECT id, name, key, next_key, enrolled, joined, seen, cursor"
		   " FROM phone ORDER BY name",
	[PHONE_SIM_PUT] = "INSERT INTO phone_sim (id, phone_id) SELECT id, ?2 FROM sim"
			  " WHERE iccid = ?1 ON CONFLICT (id) DO UPDATE"
			  " SET phone_id = ?2 WHERE phone_id <> ?2",
	[PHONE_SIM_NEXT] =
		"SELECT min(id) FROM phone_sim WHERE phone_id = ?1 AND id > ?2",
	[PHONE_SIMS_REMOVE] = "DELETE FROM phone_sim WHERE phone_id = ?1",
	[POOL_ADD] = "INSERT INTO pool (name, sticky, country, recipients, fails_over)"
		     " VALUES (?1, ?2, ?3, ?4, ?5)",
	[POOL_CHANGE] = "UPDATE pool SET name = ?1, sticky = ?2, country = ?3,"
			" recipients = ?4, fails_over = ?5 WHERE id = ?6",
	[POOL_REMOVE] = "DELETE FROM pool WHERE id = ?1",
	[POOLS] = "SELECT id, name, sticky, country, recipients, fails_over FROM pool"
		  " ORDER BY id",
	[POOL_SIM_ADD] =
		"INSERT OR IGNORE INTO pool_sim (pool_id, sim_id) VALUES (?1, ?2)",
	[POOL_SIMS_REMOVE] = "DELETE FROM pool_sim WHERE pool_id = ?1",
	[POOL_SIMS] = "SELECT pool_id, sim_id FROM pool_sim ORDER BY pool_id, sim_id",
	[POOL_LAST_SIM] =
		"SELECT sim_id FROM (SELECT id, sim_id, direction FROM message"
		" INDEXED BY message_number WHERE phone_number = ?1"
		" ORDER BY id DESC LIMIT 64) WHERE direction = ?2 AND sim_id > 0"
		" ORDER BY id DESC LIMIT 1",
	[SIM_SERVICE_PUT] =
		"INSERT OR REPLACE INTO sim_service"
		" (id, drained, failures, rests_until) VALUES (?1, ?2, ?3, ?4)",
	[SIM_SERVICES] = "SELECT id, drained, failures, rests_until FROM sim_service",
	[SIM_RECIPIENT_COUNT] = "SELECT count(*) FROM sim_recipient"
				" WHERE sim_id = ?1 AND month = ?2",
	[SIM_RECIPIENT_FIND] = "SELECT 1 FROM sim_recipient WHERE sim_id = ?1"
			       " AND month = ?2 AND phone_number = ?3",
	[SIM_RECIPIENT_ADD] = "INSERT OR IGNORE INTO sim_recipient"
			      " (sim_id, month, phone_number) VALUES (?1, ?2, ?3)",
	[SIM_RECIPIENT_PRUNE] = "DELETE FROM sim_recipient WHERE id IN (SELECT id"
				" FROM sim_recipient WHERE sim_id = ?1 AND month < ?2"
				" LIMIT 4)",
	[ROUTED_ADD] = "INSERT OR REPLACE INTO routed_message (id, pool_id, resends)"
		       " VALUES (?1, ?2, ?3)",
	[ROUTED_GET] = "SELECT pool_id, resends FROM routed_message WHERE id = ?1",
	/* The same attempt may be submitted again. */
	[ATTEMPT_BEGIN] =
		"INSERT INTO attempt"
		" (message_id, number, sim_id, epoch, at, ended, outcome)"
		" VALUES (?1, ?2, ?3, ?4, ?5, 0, '') ON CONFLICT (message_id, number)"
		" DO UPDATE SET sim_id = excluded.sim_id, epoch = excluded.epoch,"
		" at = excluded.at",
	[ATTEMPT_END] = "UPDATE attempt SET ended = ?3, outcome = ?4"
			" WHERE message_id = ?1 AND number = ?2",
	[ATTEMPTS] = "SELECT number, sim_id, at, ended, outcome, epoch FROM attempt"
		     " WHERE message_id = ?1 ORDER BY number",
	[MESSAGE_MOVE] = "UPDATE message SET state = 1, reason = ?2, changed = ?3,"
			 " sim_id = ?4, uuid = '', delivery = 0 WHERE id = ?1",
	[USAGE_MOVE_SIM] =
		"UPDATE usage SET sim_id = -?2 WHERE id = (SELECT id FROM usage"
		" INDEXED BY usage_client WHERE message_id = ?1"
		" AND client_id = (SELECT client_id FROM message WHERE id = ?1)"
		" ORDER BY at DESC LIMIT 1) AND sim_id > 0",
};
