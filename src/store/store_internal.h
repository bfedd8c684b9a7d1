/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store internals: the open store, its prepared statements, and lines of the audit log in SQL,
 * for files of this folder.
 *
 * A statement is prepared at its first use. Values are bound, never printed.
 */
#pragma once

#include <limits.h>
#include <sqlite3.h>
#include <sys/types.h>

#include "base/client.h"
#include "base/clock.h"
#include "store/audit.h"
#include "store/store.h"
#include "store/store_audit.h"
#include "store/store_party.h"

/* Every statement of an open store; store_sql.c has their texts. */
enum store_sql_id {
	BEGIN,
	COMMIT,
	ROLLBACK,
	SNAPSHOT,
	SIM_BY_ICCID,
	SIM_BY_IMSI,
	SIM_COMPLETE,
	SIM_ADD,
	SIM_JOIN,
	SIM_KNOWN,
	SIMS_KNOWN,
	SIM_IMSI,
	MESSAGE_ADD,
	MESSAGE_EDIT,
	MESSAGE_FIRST,
	MESSAGE_CHANGE_ADD,
	MESSAGE_CHANGES,
	MESSAGE_STATE_GET,
	MESSAGE_STATE_SET,
	MESSAGE_STATE_SET_UUID,
	MESSAGE_DELIVERY_SET,
	MESSAGE_GET,
	MESSAGE_NEWEST,
	MESSAGES_UNFINISHED,
	OUTGOING_BY_KEY,
	OUTGOING_BY_LIST_KEY,
	OUTGOING_SAME,
	OUTGOING_BY_UUID,
	OUTGOING_LOST,
	OUTGOING_KEY_FREE,
	CLOSED_KEY_ADD,
	CLOSED_KEY_FIND,
	CLOSED_KEY_COUNT,
	CLOSED_KEYS_PRUNE,
	OUTGOING_DEADLINE_SET,
	OUTGOING_SEND_AT_SET,
	DEADLINES_CARRY,
	DEADLINES_GUESS,
	DEADLINES_SEEN,
	NUMBER_EXCHANGED,
	INCOMING_OF_FILE,
	INCOMING_REPEATED,
	INCOMING_SIGNALLED,
	INCOMING_SPOOLED,
	INCOMING_ADD,
	SPAN_LOWEST,
	SPAN_HIGHEST,
	/* the next block that overlaps a time window, or does not */
	SPAN_WITHIN_BELOW,
	SPAN_OUTSIDE_BELOW,
	SPAN_WITHIN_ABOVE,
	SPAN_OUTSIDE_ABOVE,
	INDEX_TEXT_FROM,
	INDEX_KIND_FROM,
	TEXT_FOUND,
	TEXT_FOUND_UP,
	KIND_FOUND,
	KIND_FOUND_UP,
	/* see store_index.c */
	INDEX_READ,
	INDEX_TEXT_SET,
	INDEX_KIND_SET,
	INDEX_KIND_BEGIN,
	INDEX_OUTDATED_SET,
	INDEX_OUTDATED_END,
	INDEX_EDGE,
	INDEX_TEXT_ADD,
	INDEX_TEXT_PUT,
	INDEX_TEXT_FORGET,
	INDEX_OUTDATE,
	INDEX_TEXT_MERGE,
	INDEX_KIND_ROWS,
	INDEX_KIND_CLEAR,
	INDEX_KIND_ADD,
	INDEX_SPAN_NEXT,
	INDEX_SPAN_ADD,
	INDEX_SPAN_CLEAR,
	/* newest first, or oldest first (*_UP), each by its index; EDGE_*: where a piece ends */
	LIST_BY_ID,
	LIST_BY_DIRECTION,
	LIST_BY_NUMBER,
	LIST_BY_NUMBERS,
	LIST_BY_UNREAD,
	LIST_BY_ID_UP,
	LIST_BY_DIRECTION_UP,
	LIST_BY_NUMBER_UP,
	LIST_BY_NUMBERS_UP,
	LIST_BY_UNREAD_UP,
	EDGE_BY_ID,
	EDGE_BY_DIRECTION,
	EDGE_BY_NUMBER,
	EDGE_BY_NUMBERS,
	EDGE_BY_UNREAD,
	EDGE_BY_ID_UP,
	EDGE_BY_DIRECTION_UP,
	EDGE_BY_NUMBER_UP,
	EDGE_BY_NUMBERS_UP,
	EDGE_BY_UNREAD_UP,
	CONVERSATIONS,
	CONVERSATIONS_UNREAD,
	CONVERSATION_ROW,
	CONVERSATION_MESSAGES,
	CONVERSATION_LAST,
	MESSAGE_MARK_READ,
	GAP_JOIN,
	GAP_ADD,
	GAP_END,
	GAPS_SHIFT,
	GAPS,
	GAP_FIND,
	ALIVE_SET,
	ALIVE_BOOT_SET,
	ALIVE_GET,
	CLIENT_ADD,
	CLIENT_CHANGE,
	CLIENT_ROTATE,
	CLIENT_CLOSE,
	CLIENT_REMOVE,
	CLIENT_SESSIONS_REMOVE,
	CLIENT_FIND,
	CLIENT_FIND_ID,
	CLIENT_GET,
	CLIENTS,
	CLIENT_COUNT,
	RETENTION_PAGE,
	RETENTION_CHANGES,
	RETENTION_REMOVE,
	RETENTION_BORDER,
	RETENTION_FIRST,
	RETENTION_COUNT,
	RETENTION_GAPS,
	RETENTION_LEAP,
	SESSION_PUT,
	SESSION_REMOVE,
	SESSIONS,
	SECRET_GET,
	SECRET_ADD,
	DECLINED_ADD,
	DECLINED_FIND,
	DECLINED_PRUNE,
	AUDIT_HEAD,
	AUDIT_ADD,
	CLIENT_NAME,
	AUDIT_SPAN,
	AUDIT_ANCHOR_SET,
	AUDIT_FORGET,
	USAGE_ADD,
	/* by client, by SIM: in this order */
	USAGE_CLIENT_UNTIL,
	USAGE_SIM_UNTIL,
	USAGE_SHARE_UNTIL,
	USAGE_ACCEPTED_UNTIL,
	USAGE_CLIENT_AFTER,
	USAGE_SIM_AFTER,
	USAGE_SHARE_AFTER,
	USAGE_ACCEPTED_AFTER,
	USAGE_CLIENT_SUM,
	USAGE_SIM_SUM,
	USAGE_SHARE_SUM,
	USAGE_NEWEST,
	USAGE_SHIFT,
	USAGE_PRUNE,
	USAGE_RETURN,
	USAGE_OF_MESSAGE,
	USAGE_CHANGE,
	USAGE_MOVE,
	USAGE_SUBMIT,
	USAGE_RETURN_TO_BOTH,
	SETTING_GET,
	SETTING_PUT,
	SETTING_REMOVE,
	PARTY_COUNTRIES,
	PARTY_COUNTRY,
	PARTY_SENT_TO,
	PARTY_WROTE,
	PARTY_RECENT,
	OPT_OUT_SET,
	OPT_OUT_CLEAR,
	OPT_OUT_KNOWN,
	OPT_OUT_CONFIRM,
	OPT_OUT_ALL,
	EVENT_ADD,
	EVENT_BOUND,
	EVENT_STATE,
	EVENT_END,
	EVENT_NUMBER,
	EVENTS_SETTLE,
	EVENTS_LIST,
	EVENTS_PRUNE,
	BALANCE_PUT,
	BALANCE_GET,
	BALANCE_REMOVE,
	CALL_PLACED_BEFORE,
	FEED_ROW_ADD,
	FEED_ROWS,
	FEED_ROWS_BOUNDS,
	FEED_ROWS_SINCE,
	FEED_ROWS_SKIPPED,
	FEED_ROWS_PRUNE,
	FEED_EPOCH,
	FEED_LAST_OF_SIM,
	IDENTITY_ADVANCE,
	COMMAND_SECRET,
	COMMAND_USE,
	COMMAND_REFUSE,
	COMMAND_LOCK,
	COMMAND_ENROL,
	COMMAND_REMOVE,
	COMMAND_SENDER,
	COMMAND_WRONG_ADD,
	COMMAND_WRONG_COUNT,
	COMMAND_WRONG_PRUNE,
	COMMAND_WRONG_FORGET,
	ANSWER_ADD,
	ANSWER_NEXT,
	ANSWER_END,
	NOTICE_OF,
	NOTICE_FIND,
	NOTICE_RATE,
	NOTICE_ADD,
	NOTICE_PRUNE,
	WEBHOOK_PUT,
	WEBHOOK_FIND,
	WEBHOOK_ADVANCE,
	WEBHOOK_REMOVE,
	WEBHOOKS,
	WEBHOOK_DELIVERY_PUT,
	WEBHOOK_DELIVERY_REMOVE,
	WEBHOOK_CONSENT_ADD,
	WEBHOOK_CONSENT_GET,
	WEBHOOK_CONSENT_DECIDE,
	WEBHOOK_CONSENT_REMOVE,
	WEBHOOK_CONSENTS,
	WEBHOOK_CONSENTS_WAITING,
	WEBHOOK_CONSENTS_PRUNE,
	WEBHOOK_CLIENT_DELIVERIES_REMOVE,
	WEBHOOK_CLIENT_REMOVE,
	WEBHOOK_CLIENT_CONSENTS_REMOVE,
	PHONE_FIND,
	PHONE_ADD,
	PHONE_PUT,
	PHONE_REMOVE,
	PHONES,
	PHONE_SIM_PUT,
	PHONE_SIM_NEXT,
	PHONE_SIMS_REMOVE,
	POOL_ADD,
	POOL_CHANGE,
	POOL_REMOVE,
	POOLS,
	POOL_SIM_ADD,
	POOL_SIMS_REMOVE,
	POOL_SIMS,
	POOL_LAST_SIM,
	SIM_SERVICE_PUT,
	SIM_SERVICES,
	SIM_RECIPIENT_COUNT,
	SIM_RECIPIENT_FIND,
	SIM_RECIPIENT_ADD,
	SIM_RECIPIENT_PRUNE,
	ROUTED_ADD,
	ROUTED_GET,
	ATTEMPT_BEGIN,
	ATTEMPT_END,
	ATTEMPTS,
	MESSAGE_MOVE,
	USAGE_MOVE_SIM,
	STATEMENT_COUNT,
};

extern const char *const store_sql[STATEMENT_COUNT];

/* see store/store_usage.h; private to store_usage.c */
struct store_usage_clock {
	bool known;
	int64_t offset_ms; /* usage time is clock_boot_ms() plus this */
	int64_t epoch_ms;  /* the wall clock is clock_boot_ms() plus this */
};

enum { STORE_KNOWN_CLIENTS_MAX = 4 };

/* Private to store_client.c: clients found by their tokens, so that a request reads nothing. */
struct store_known_clients {
	unsigned count;
	struct {
		uint8_t hash[CLIENT_HASH_BYTES]; /* of its token */
		struct client client;
	} items[STORE_KNOWN_CLIENTS_MAX];
};

enum { STORE_BARRED_CLIENTS_MAX = 64 };

/* Private to store_client.c: revoked clients whose revocation is not on disk yet. */
struct store_barred_clients {
	unsigned count;
	int64_t ids[STORE_BARRED_CLIENTS_MAX];
	int64_t tried_ms; /* clock_boot_ms() */
};

/* Until when the gateway was alive. */
struct store_moment {
	int64_t at_ms;	 /* wall clock; 0 if none is known */
	int64_t boot;	 /* clock_boot_number(); 0 if unknown */
	int64_t boot_ms; /* of that boot, at least until then; perhaps after at_ms */
};

enum store_files_state { STORE_IS_THERE, STORE_FILE_IS_LOST, STORE_WAL_IS_LOST };

struct store {
	sqlite3 *database;
	sqlite3_stmt *statements[STATEMENT_COUNT]; /* NULL if not used yet */
	int unprepared; /* why the last statement could not be prepared */
	/* store_receive_gaps_set_alive(); 0 if this is not the gateway */
	int64_t alive_ms;
	int64_t lived_until_ms;	    /* store_message_set_lived(); 0 if not called yet */
	struct store_moment before; /* the last one stored before the store was opened */
	int64_t added;		    /* messages, since it was opened */
	uint64_t commits;	    /* that waited for the disk, since it was opened */
	bool all_lazy;		    /* inside store_sync_once() */
	bool lazy;		    /* PRAGMA synchronous is NORMAL now, not FULL */
	bool in_snapshot;
	bool is_gateway;      /* opened by store_open_or_rescue() */
	int64_t epoch;	      /* of store_identity_record(); 0 if there is none */
	bool is_checkpointed; /* the file changed, and the mark does not say so yet */
	bool unsynced;	      /* lazy commits that the disk has not confirmed */
	int64_t audit_added; /* audit lines, since it was opened; also rolled back ones */
	bool damaged;	     /* found in use, and logged */
	enum store_files_state files; /* as logged */
	dev_t wal_device;	      /* of the -wal that SQLite has open */
	ino_t wal_inode;	      /* 0 if unknown */
	char acting_for
		[STORE_AUDIT_ACTING_FOR_BYTES]; /* store_audit_act_for(); "" nobody */
	char folder[PATH_MAX];
	char notice[512]; /* see store_rescue_notice(); "" if there is none */
	struct store_party_country_list countries;
	struct store_known_clients known_clients;
	struct store_barred_clients barred_clients;
	struct clock_history clock; /* since the first message was added */
	struct store_usage_clock usage_clock;
};

/*
 * Checks that every statement can be prepared: by the digest of the schema, or else one by one.
 * Returns 0, -errno or STORE_E_FULL.
 */
int store_prepare_all(struct store *store);

/*
 * Returns a statement, ready to be bound and stepped; every use ends with store_finish() or
 * store_run(). A write outside a transaction is durable, or lazy with store_use_lazily().
 */
sqlite3_stmt *store_use(struct store *store, enum store_sql_id which);
sqlite3_stmt *store_use_lazily(struct store *store, enum store_sql_id which);
/* Resets a statement. Maps the result of its last step to 0, -errno or STORE_E_FULL. */
int store_finish(struct store *store, sqlite3_stmt *statement, int result);
/* Likewise, for at most one row: STORE_E_NOT_FOUND when there is none. */
int store_finish_row(struct store *store, sqlite3_stmt *statement, int result);
/* Steps a statement that returns no rows, and resets it. */
int store_run(struct store *store, sqlite3_stmt *statement);
/* Steps and resets it. Returns 0 if it has a row, STORE_E_NOT_FOUND if not, or -errno. */
int store_find_row(struct store *store, sqlite3_stmt *statement);
/* Reads the integer of its only row; *integer_out stays as it is for no row and SQL's NULL. */
int store_read_integer(struct store *store, sqlite3_stmt *statement,
		       int64_t *integer_out);
/* Runs a pragma that writes, durably. Returns 0, -errno or STORE_E_FULL. */
int store_run_pragma(struct store *store, const char *sql);
/* Maps a result of SQLite to 0, -errno or STORE_E_FULL; logs and remembers damage. */
int store_check_result(struct store *store, int result);

/* Binds integers to the parameter `first` and those after it. */
void store_bind_array(sqlite3_stmt *statement, int first, const int64_t *integers,
		      size_t count);
#define store_bind_integers(statement, first, ...)                           \
	store_bind_array(statement, first, (const int64_t[]){ __VA_ARGS__ }, \
			 sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))
/* Runs a statement that returns no rows, with these integers from the first parameter on. */
int store_execute_array(struct store *store, enum store_sql_id which,
			const int64_t *integers, size_t count);
#define store_execute(store, which, ...)                                    \
	store_execute_array(store, which, (const int64_t[]){ __VA_ARGS__ }, \
			    sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))
/* `text` is borrowed until the statement is reset; NULL is SQL's NULL. */
void store_bind_text(sqlite3_stmt *statement, int place, const char *text);
/* "" for SQL's NULL; lives until the next step. */
const char *store_column_text(sqlite3_stmt *statement, int column);
/* Reads a row that begins with MESSAGE_COLUMNS; texts live until the next step. */
void store_read_message(sqlite3_stmt *statement, struct message *message_out);

/* Returns what the row of this draft has in flags (store_message.c). */
unsigned store_message_draft_flags(const struct store_message_draft *draft);
/*
 * The full-text index (store_index.c), inside a transaction that adds a message or changes its
 * text, afterwards; or, before it removes a message or changes its text.
 */
int store_index_put(struct store *store, int64_t message_id);
int store_index_forget(struct store *store, int64_t message_id);

/* Adds a line to a message's history, inside a transaction (store_message.c). */
int store_message_add_change(struct store *store, int64_t message_id,
			     const struct message_change *change);

/*
 * A transaction. Its changes are on disk as a whole when store_end(store, 0) returns 0 (lazily
 * after store_begin_lazily()). When `error` is not 0, or the disk refuses, all are rolled
 * back and store_end() returns the error.
 */
int store_begin(struct store *store);
int store_begin_lazily(struct store *store);
int store_end(struct store *store, int error);
bool store_is_writing(const struct store *store); /* a transaction is open */

/* Stores that the gateway is alive now; in the open transaction or as one. */
int store_mark_alive(struct store *store, int64_t now_ms);
/* Reads the last stored moment. Returns 0 or -errno. */
int store_read_moment(struct store *store, struct store_moment *moment_out);

/* Remembers which -wal SQLite has open. */
void store_identify_wal(struct store *store);
/* SQLite's commit hook: a result other than 0 turns the commit into a rollback. */
int store_on_commit(void *data);

/* ---- lines of the audit log (audit.c) */

/* Returns false if GnuTLS is out of memory. */
bool audit_chain_hash(const uint8_t before[AUDIT_HASH_BYTES],
		      const struct audit_chain_line *line,
		      uint8_t hash_out[AUDIT_HASH_BYTES]);

/* Reads a row of AUDIT_COLUMNS; texts live until the next step. */
#define AUDIT_COLUMNS "id, at, event, detail, hash"
void audit_chain_read_line(sqlite3_stmt *statement, struct audit_chain_line *line_out);

/* The newest line, or the anchor where a rescue saved nothing else. */
#define AUDIT_HEAD_SQL                                                      \
	"SELECT id, hash FROM audit WHERE id = (SELECT max(id) FROM audit)" \
	" AND id >= coalesce((SELECT line FROM audit_anchor), 0)"           \
	" UNION ALL SELECT line, hash FROM audit_anchor WHERE line >"       \
	" coalesce((SELECT max(id) FROM audit), 0)"
void audit_chain_read_head(sqlite3_stmt *statement, struct audit_chain_head *head_out);

/*
 * Binds AUDIT_ADD_SQL to a line that follows `head`; fills the ID, time and hash of the line.
 * Strings are borrowed until the statement is reset. Returns false if there is no memory for the
 * hash.
 */
#define AUDIT_ADD_SQL "INSERT INTO audit (" AUDIT_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5)"
bool audit_chain_bind(sqlite3_stmt *statement, const struct audit_chain_head *head,
		      struct audit_chain_line *line);

/*
 * For a database that is not opened as a store, within its transaction: adds a line, or reads the
 * head. Returns SQLITE_OK, or the error of SQLite.
 */
int audit_chain_add(sqlite3 *database, enum audit_event event, const char *detail_json);
int audit_chain_find_head(sqlite3 *database, struct audit_chain_head *head_out);
