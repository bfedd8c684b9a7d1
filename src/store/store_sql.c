/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every statement of an open store, as one table. The planner may choose to read
 * everything, so statements on large tables name their index, or NOT INDEXED.
 */
#include "store/store_sql.h"

#include "store/audit_chain_sql.h"
#include "store/message_state.h"

/* in the order of store_client_read() and store_read_message() */
#define CLIENT_COLUMNS                                                            \
	"id, name, scopes, approval, sims, allow, per_minute, per_hour, per_day," \
	" segments_per_month"

#define MESSAGE_COLUMNS                                                                \
	"message.id, message.sim_id, message.client_id, message.phone_number, "        \
	"message.text,"                                                                \
	" message.segments, message.state, message.reason, message.uuid,"              \
	" message.created, message.changed, message.direction, message.sent_time,"     \
	" message.flags, message.repeats, message.read_at,"                            \
	" message.idempotency_key, message.send_at, message.expires_at,"               \
	" message.delivery, message.boot, message.created_boot, message.expires_boot," \
	" message.seen"

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
	" AND (?9 IS NULL OR text LIKE ?9 ESCAPE '\\') ORDER BY message.id " order
#define EDGE(by, order)                                         \
	"SELECT message.id FROM message " by " message.id > ?1" \
	" AND message.id < ?2 ORDER BY message.id " order " LIMIT 1 OFFSET ?10"

/*
 * The first edge among those of several spellings: up to it there are as many rows of
 * each.
 */
#define EDGE_OF_EACH(first, order)                                               \
	"SELECT " first "((SELECT id FROM message INDEXED BY message_number"     \
	" WHERE phone_number = value AND id > ?1 AND id < ?2 ORDER BY id " order \
	" LIMIT 1"                                                               \
	" OFFSET ?10)) FROM json_each(?11)"

#define BY_ID	     "NOT INDEXED WHERE"
#define BY_DIRECTION "INDEXED BY message_direction WHERE direction = ?3 AND"
#define BY_NUMBER    "INDEXED BY message_number WHERE phone_number = ?4 AND"
#define BY_NUMBERS                                                            \
	"INDEXED BY message_number WHERE phone_number IN (SELECT value FROM " \
	"json_each(?11))"                                                     \
	" AND"
#define BY_UNREAD "INDEXED BY message_unread WHERE direction = 1 AND read_at = 0 AND"

/* Times of usage, at most ?4. `by` is the column and its index. */
#define USAGE_UNTIL(by)                                                                 \
	"SELECT at FROM usage INDEXED BY usage_" by " WHERE " by "_id = ?1 AND at > ?2" \
	" AND at <= ?3 ORDER BY at DESC LIMIT ?4"
#define USAGE_AFTER(by)                                                                 \
	"SELECT at FROM usage INDEXED BY usage_" by " WHERE " by "_id = ?1 AND at > ?2" \
	" AND at < ?3 ORDER BY at LIMIT ?4"
/* Times at which a client had messages accepted. */
#define USAGE_ACCEPTED(order)                                                       \
	"SELECT accepted FROM usage INDEXED BY usage_accepted WHERE client_id = ?1" \
	" AND accepted > ?2 AND accepted " order " LIMIT ?4"
#define USAGE_SUM(by)                                                                   \
	"SELECT coalesce(sum(segments), 0) FROM (SELECT segments FROM usage INDEXED BY" \
	" usage_" by " WHERE " by "_id = ?1 AND at >= ?2 AND at < ?3 LIMIT ?4)"

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
	/*
	 * A spool file names no ICCID, and may have been read before the card was seen.
	 */
	[SIM_JOIN] = "UPDATE message SET sim_id = ?1 WHERE direction = 1 AND sim_id IN"
		     " (SELECT id FROM sim WHERE imsi = ?2 AND iccid IS NULL)",
	[SIM_KNOWN] = "SELECT 1 FROM sim WHERE id = ?1",
	[SIMS_KNOWN] = "SELECT id FROM sim ORDER BY id",
	[SIM_IMSI] = "SELECT imsi FROM sim WHERE id = ?1",
	[MESSAGE_ADD] =
		"INSERT INTO message (sim_id, client_id, phone_number, text, segments,"
		" state, created, changed, idempotency_key, send_at, expires_at,"
		" reason, boot, created_boot, expires_boot, flags)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12,"
		" ?13, ?14, ?15)",
	[MESSAGE_CHANGE_ADD] =
		"INSERT INTO message_change (message_id, state, reason, at, note)"
		" VALUES (?1, ?2, ?3, ?4, coalesce(?5, ''))",
	[MESSAGE_CHANGES] = "SELECT state, reason, at, note FROM message_change"
			    " WHERE message_id = ?1 ORDER BY id",
	[MESSAGE_STATE_GET] = "SELECT state FROM message WHERE id = ?1",
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
	/* By time, because few messages are of the last minute. */
	[OUTGOING_SAME] =
		"SELECT " MESSAGE_COLUMNS " FROM message INDEXED BY message_created"
		" WHERE direction = 0 AND client_id = ?2 AND text = ?3"
		" AND phone_number IN (SELECT value FROM json_each(?1))"
		" AND created BETWEEN ?4 AND ?5 AND send_at = ?6"
		" AND state NOT IN (6, 7) AND state <> 13" /* failed, cancelled, expired */
		" ORDER BY id LIMIT 1",
	[OUTGOING_BY_UUID] =
		"SELECT " MESSAGE_COLUMNS " FROM message INDEXED BY message_uuid"
		" WHERE uuid = ?1 AND uuid <> '' AND direction = 0"
		" ORDER BY id DESC LIMIT 1",
	[OUTGOING_DEADLINE_SET] =
		"UPDATE message SET expires_at = ?2, expires_boot = ?3, seen = ?4,"
		" flags = ?5 WHERE id = ?1",
	/* ?3 and ?4: the last known moment of the boot that counted them. */
	[DEADLINES_CARRY] =
		"UPDATE message INDEXED BY message_unfinished"
		" SET expires_boot = CASE WHEN expires_boot = 0 THEN 0"
		" ELSE max(1, expires_boot - max(?4, created_boot)) END,"
		" created_boot = created_boot - max(?4, created_boot),"
		" seen = max(seen, ?2), boot = ?1"
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
		" created, changed, state, flags, uuid, spool_lead)"
		" VALUES (1, ?1, ?2, ?3, nullif(?4, 0), ?5, ?5, ?6, ?7, ?8, ?9)",
	/* NULL when there are too many to search */
	[IDS_SINCE] = "SELECT CASE WHEN count(*) < ?2 THEN coalesce(min(id), 0) END FROM"
		      " (SELECT id FROM message INDEXED BY message_created"
		      " WHERE created >= ?1 LIMIT ?2)",
	[IDS_UNTIL] = "SELECT CASE WHEN count(*) < ?2 THEN coalesce(max(id), 0) END FROM"
		      " (SELECT id FROM message INDEXED BY message_created"
		      " WHERE created < ?1 LIMIT ?2)",
	[LIST_BY_ID] = LIST(BY_ID, "DESC"),
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
		 " (SELECT * FROM receive_gap WHERE until_at > ?1 OR until_at = 0"
		 "  ORDER BY from_at DESC, id DESC LIMIT 100) ORDER BY from_at, id",
	[GAP_FIND] =
		"SELECT 1 FROM receive_gap WHERE reason = ?1 AND until_at > ?2 LIMIT 1",
	/* The wall clock is behind that moment. */
	[DEADLINES_SEEN] =
		"UPDATE message INDEXED BY message_unfinished"
		" SET seen = max(seen, ?1) WHERE id > 0 AND " STATE_IS_UNFINISHED,
	[ALIVE_SET] = "INSERT OR REPLACE INTO alive (id, at, boot, boot_at)"
		      " VALUES (1, ?1, ?2, ?3)",
	[ALIVE_GET] = "SELECT at, boot, boot_at FROM alive",
	[CLIENT_ADD] =
		"INSERT INTO client (name, scopes, approval, sims, allow, per_minute, "
		"per_hour,"
		" per_day, segments_per_month, token_hash, created)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
		" ON CONFLICT (name) DO NOTHING",
	[CLIENT_CHANGE] =
		"UPDATE client SET name = ?1, scopes = ?2, approval = ?3, sims = ?4, "
		"allow = "
		"?5,"
		" per_minute = ?6, per_hour = ?7, per_day = ?8, segments_per_month = ?9"
		" WHERE id = ?10",
	[CLIENT_ROTATE] = "UPDATE client SET token_hash = ?2 WHERE id = ?1",
	[CLIENT_REMOVE] = "DELETE FROM client WHERE id = ?1",
	[CLIENT_SESSIONS_REMOVE] = "DELETE FROM session WHERE client_id = ?1",
	[CLIENT_FIND] = "SELECT " CLIENT_COLUMNS " FROM client WHERE token_hash = ?1",
	[CLIENT_FIND_ID] = "SELECT " CLIENT_COLUMNS " FROM client WHERE id = ?1",
	[CLIENT_GET] = "SELECT " CLIENT_COLUMNS ", created FROM client WHERE name = ?1",
	[CLIENTS] = "SELECT " CLIENT_COLUMNS ", created FROM client ORDER BY name",
	[CLIENT_COUNT] = "SELECT count(*) FROM client",
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
	[RETENTION_BORDER] =
		"SELECT id FROM message NOT INDEXED WHERE id > 0 AND created >= ?1"
		" ORDER BY id LIMIT 1",
	[RETENTION_COUNT] = "SELECT count(*) FROM message",
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
	[USAGE_CLIENT_UNTIL] = USAGE_UNTIL("client"),
	[USAGE_SIM_UNTIL] = USAGE_UNTIL("sim"),
	[USAGE_ACCEPTED_UNTIL] = USAGE_ACCEPTED("<= ?3 ORDER BY accepted DESC"),
	[USAGE_CLIENT_AFTER] = USAGE_AFTER("client"),
	[USAGE_SIM_AFTER] = USAGE_AFTER("sim"),
	[USAGE_ACCEPTED_AFTER] = USAGE_ACCEPTED("< ?3 ORDER BY accepted"),
	[USAGE_CLIENT_SUM] = USAGE_SUM("client"),
	[USAGE_SIM_SUM] = USAGE_SUM("sim"),
	[USAGE_NEWEST] = "SELECT accepted FROM usage ORDER BY id DESC LIMIT 1",
	[USAGE_SHIFT] = "UPDATE usage SET at = max(?1, at + ?2) WHERE at > ?1",
	/* Among the oldest rows only. One that was scheduled far ahead stays until its time is old. */
	[USAGE_PRUNE] = "DELETE FROM usage WHERE at < ?1 AND id IN (SELECT id FROM usage"
			" NOT INDEXED ORDER BY id LIMIT ?2)",
	[USAGE_RETURN] =
		"UPDATE usage SET sim_id = 0 WHERE message_id = ?1 AND client_id ="
		" (SELECT client_id FROM message WHERE id = ?1)",
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
		" INDEXED BY message_number WHERE phone_number = ?1 ORDER BY id DESC "
		"LIMIT ?3)"
		" CROSS JOIN message ON message.id = recent_id"
		" WHERE message.created >= ?2 ORDER BY message.id DESC",
	/* The first STOP counts: it is confirmed once. */
	[OPT_OUT_SET] = "INSERT INTO opt_out (phone_number, at, word, message_id)"
			" VALUES (?1, ?2, ?3, ?4)"
			" ON CONFLICT (phone_number) DO NOTHING",
	[OPT_OUT_CLEAR] = "DELETE FROM opt_out WHERE phone_number = ?1",
	[OPT_OUT_KNOWN] = "SELECT at, message_id FROM opt_out WHERE phone_number = ?1",
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
};
