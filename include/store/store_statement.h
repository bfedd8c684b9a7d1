/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store statement: every SQL statement of the store, prepared once at opening. Values are
 * bound, never printed.
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_STATEMENT_H
#define STORE_STORE_STATEMENT_H

#include <limits.h>
#include <sqlite3.h>

#include "base/client.h"
#include "base/clock_history.h"
#include "store/store.h"
#include "store/store_party.h"

enum store_statement {
	BEGIN,
	COMMIT,
	ROLLBACK,
	LOOK,
	SIM_BY_ICCID,
	SIM_BY_IMSI,
	SIM_COMPLETE,
	SIM_ADD,
	SIM_JOIN,
	SIM_KNOWN,
	SIMS_KNOWN,
	SIM_IMSI,
	MESSAGE_ADD,
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
	OUTGOING_SAME,
	OUTGOING_BY_UUID,
	OUTGOING_KEY_FREE,
	OUTGOING_EXPIRY_SET,
	NUMBER_EXCHANGED,
	INCOMING_OF_FILE,
	INCOMING_REPEATED,
	INCOMING_SIGNALLED,
	INCOMING_SPOOLED,
	INCOMING_ADD,
	IDS_SINCE,
	IDS_UNTIL,
	/* newest first, each by its index; the same, oldest first; the ends of pieces */
	LIST_BY_ID,
	LIST_BY_DIRECTION,
	LIST_BY_NUMBER,
	LIST_BY_UNREAD,
	LIST_BY_ID_UP,
	LIST_BY_DIRECTION_UP,
	LIST_BY_NUMBER_UP,
	LIST_BY_UNREAD_UP,
	EDGE_BY_ID,
	EDGE_BY_DIRECTION,
	EDGE_BY_NUMBER,
	EDGE_BY_UNREAD,
	EDGE_BY_ID_UP,
	EDGE_BY_DIRECTION_UP,
	EDGE_BY_NUMBER_UP,
	EDGE_BY_UNREAD_UP,
	CONVERSATIONS,
	CONVERSATIONS_UNREAD,
	CONVERSATION_KNOWN,
	MESSAGE_MARK_READ,
	GAP_JOIN,
	GAP_ADD,
	GAP_END,
	GAPS_SHIFT,
	GAPS,
	GAP_KNOWN,
	ALIVE_SET,
	ALIVE_GET,
	CLIENT_ADD,
	CLIENT_CHANGE,
	CLIENT_ROTATE,
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
	RETENTION_COUNT,
	RETENTION_GAPS,
	SESSION_PUT,
	SESSION_REMOVE,
	SESSIONS,
	SECRET_GET,
	SECRET_ADD,
	ASKING_CLOSE,
	ASKING_CLOSED,
	ASKING_FORGET,
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
	USAGE_CLIENT_AFTER,
	USAGE_SIM_AFTER,
	USAGE_CLIENT_SUM,
	USAGE_SIM_SUM,
	USAGE_NEWEST,
	USAGE_SHIFT,
	USAGE_PRUNE,
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
	STATEMENT_COUNT,
};

/* see store/store_usage.h; private to store_usage_clock.c */
struct usage_clock {
	bool known;
	int64_t offset_ms; /* usage time is clock_boot_ms() and this */
	int64_t epoch_ms;  /* the wall clock is clock_boot_ms() and this */
};

/* Of the SIM cards that were seen, as store_party.h wants them. */
struct store_countries {
	bool known; /* else to be read again */
	size_t count;
	const struct country *items[STORE_COUNTRIES_MAX];
};

enum { STORE_KNOWN_CLIENTS_MAX = 4 };

/* Private to store_client.c. */
struct store_known_clients {
	unsigned count;
	struct {
		uint8_t hash[CLIENT_HASH_BYTES]; /* of its token */
		struct client client;
	} items[STORE_KNOWN_CLIENTS_MAX];
};

struct store {
	sqlite3 *database;
	sqlite3_stmt *statements[STATEMENT_COUNT]; /* NULL: not used yet */
	int unprepared;	  /* why the last one that could not be prepared is not there */
	int64_t alive_ms; /* see store_alive_set(); 0: this program is not the gateway */
	int64_t added;	  /* messages, since it was opened */
	uint64_t commits; /* likewise; those that waited for the disk */
	bool wants_lazy;  /* see store/store_sync.h */
	bool lazy;	  /* ... as SQLite was told: see store_obey_lazy() */
	bool looks;	  /* see store/store_look.h */
	bool unsynced;	  /* since the last lazy change */
	int64_t audit_added; /* lines, likewise; also what was rolled back */
	bool damaged;	     /* found while it was used, and told */
	bool gone;	     /* see store_is_gone(); told */
	char folder[PATH_MAX];
	char notice[512]; /* see store/store_rescue.h; "" none */
	struct store_countries countries;
	struct store_known_clients known_clients;
	struct clock_history clock; /* since the first message was added */
	struct usage_clock usage_clock;
};

enum { STORE_BUSY_MS = 2000 }; /* `ofono-mcp backup` reads from its own process */

/* Each could be: the tables are ours, as their digest or each statement shows. 0, -errno, STORE_E_FULL */
int store_prepare(struct store *store);

/* Ready to be bound and stepped: every use ends with store_done() or store_run(). */
sqlite3_stmt *store_use(struct store *store, enum store_statement which);
/* Before whatever writes; private to store_use(). */
void store_obey_lazy(struct store *store);
/* A result of SQLite as 0, -errno or STORE_E_FULL; damage is told, and remembered. */
int store_noted(struct store *store, int result);
/* Gives a statement back; what its last step gave, as 0, -errno or STORE_E_FULL. */
int store_done(struct store *store, sqlite3_stmt *statement, int result);
/* Steps a statement that gives no rows, and gives it back. */
int store_run(struct store *store, sqlite3_stmt *statement);

/* `text` is borrowed until the statement is given back; NULL is SQL's NULL. */
void statement_bind_text(sqlite3_stmt *statement, int place, const char *text);
/* "" for SQL's NULL; lives until the next step. */
const char *statement_column_text(sqlite3_stmt *statement, int column);

/* A row of a statement that begins with MESSAGE_COLUMNS; texts live until the next step. */
void statement_read_message(sqlite3_stmt *statement, struct message *message_out);

/*
 * What is written between these is on disk as a whole when store_end(store, 0) gives 0.
 * Else (its `error` is not 0, or the disk refuses) nothing of it is; it gives the error.
 */
int store_begin(struct store *store);
int store_end(struct store *store, int error);
bool store_is_writing(const struct store *store); /* between the two */

#endif
