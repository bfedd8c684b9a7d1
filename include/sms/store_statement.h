/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store statement: every SQL statement of the store, prepared once at opening. Values are
 * bound, never printed.
 *
 * Private to src/sms/store*.c.
 */
#ifndef SMS_STORE_STATEMENT_H
#define SMS_STORE_STATEMENT_H

#include <sqlite3.h>

#include "sms/store.h"

enum store_statement {
	BEGIN,
	COMMIT,
	ROLLBACK,
	SIM_BY_ICCID,
	SIM_BY_IMSI,
	SIM_COMPLETE,
	SIM_ADD,
	SIM_KNOWN,
	MESSAGE_ADD,
	MESSAGE_CHANGE_ADD,
	MESSAGE_CHANGES,
	MESSAGE_STATE_GET,
	MESSAGE_STATE_SET,
	MESSAGE_DELIVERY_SET,
	MESSAGE_GET,
	MESSAGES_UNFINISHED,
	OUTGOING_BY_KEY,
	OUTGOING_SAME,
	OUTGOING_BY_UUID,
	OUTGOING_KEY_FREE,
	INCOMING_REPEATED,
	INCOMING_COUNT,
	INCOMING_ADD,
	IDS_SINCE,
	IDS_UNTIL,
	/* newest first, each by its index; then the same, oldest first */
	LIST_BY_ID,
	LIST_BY_DIRECTION,
	LIST_BY_NUMBER,
	LIST_BY_UNREAD,
	LIST_BY_ID_UP,
	LIST_BY_DIRECTION_UP,
	LIST_BY_NUMBER_UP,
	LIST_BY_UNREAD_UP,
	CONVERSATIONS,
	CONVERSATIONS_UNREAD,
	MESSAGE_MARK_READ,
	GAP_JOIN,
	GAP_ADD,
	GAP_END,
	GAPS,
	ALIVE_SET,
	ALIVE_GET,
	CLIENT_ADD,
	CLIENT_FIND,
	CLIENT_COUNT,
	SESSION_PUT,
	SESSION_REMOVE,
	SESSIONS,
	STATEMENT_COUNT,
};

struct store {
	sqlite3 *database;
	sqlite3_stmt *statements[STATEMENT_COUNT];
	int64_t alive_ms; /* see store_alive_set(); 0: this program is not the gateway */
};

int store_prepare(struct store *store); /* 0, -errno, STORE_E_FULL */

/* Ready to be bound and stepped: every use ends with store_done() or store_run(). */
sqlite3_stmt *store_use(struct store *store, enum store_statement which);
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

#endif
