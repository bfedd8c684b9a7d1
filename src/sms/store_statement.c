/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/store_statement.h"

#include <assert.h>
#include <errno.h>

#include "sms/store_database.h"

#define MESSAGE_COLUMNS                                                                 \
	"id, sim_id, client_id, number, text, segments, state, reason, uuid, created, " \
	"changed"

static const char *const store_sql[STATEMENT_COUNT] = {
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
	[SIM_BY_ICCID] = "SELECT id, iccid, imsi FROM sim WHERE iccid = ?1",
	/* With an ICCID at hand, a row that has another one is another card. */
	[SIM_BY_IMSI] =
		"SELECT id, iccid, imsi FROM sim WHERE imsi = ?1"
		" AND (iccid IS NULL OR ?2 IS NULL) ORDER BY iccid IS NULL, id DESC",
	[SIM_COMPLETE] = "UPDATE sim SET iccid = coalesce(iccid, ?2),"
			 " imsi = coalesce(imsi, ?3) WHERE id = ?1",
	[SIM_ADD] = "INSERT INTO sim (iccid, imsi, first_seen) VALUES (?1, ?2, ?3)",
	[SIM_KNOWN] = "SELECT 1 FROM sim WHERE id = ?1",
	[MESSAGE_ADD] =
		"INSERT INTO message (sim_id, client_id, number, text, segments,"
		" state, created, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
	[MESSAGE_CHANGE_ADD] =
		"INSERT INTO message_change (message_id, state, reason, at)"
		" VALUES (?1, ?2, ?3, ?4)",
	[MESSAGE_CHANGES] = "SELECT state, reason, at FROM message_change"
			    " WHERE message_id = ?1 ORDER BY id",
	[MESSAGE_STATE_GET] = "SELECT state FROM message WHERE id = ?1",
	[MESSAGE_STATE_SET] = "UPDATE message SET state = ?2, reason = ?3,"
			      " uuid = coalesce(?4, uuid), changed = ?5 WHERE id = ?1",
	[MESSAGE_GET] = "SELECT " MESSAGE_COLUMNS " FROM message WHERE id = ?1",
	/* The states that message_state_is_final() denies; and see message_unfinished. */
	[MESSAGES_UNFINISHED] = "SELECT " MESSAGE_COLUMNS " FROM message"
				" WHERE state IN (1, 2, 3, 4) ORDER BY id",
	[CLIENT_ADD] =
		"INSERT INTO client (name, token_hash, created) VALUES (?1, ?2, ?3)"
		" ON CONFLICT (name) DO NOTHING",
	[CLIENT_FIND] = "SELECT id, name FROM client WHERE token_hash = ?1",
	[CLIENT_COUNT] = "SELECT count(*) FROM client",
};

sqlite3_stmt *store_use(struct store *store, enum store_statement which)
{
	assert(!sqlite3_stmt_busy(store->statements[which]));
	return store->statements[which];
}

int store_done(struct store *store, sqlite3_stmt *statement, int result)
{
	int error = store_database_error(store->database, result);

	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return error;
}

int store_run(struct store *store, sqlite3_stmt *statement)
{
	errno = 0; /* see store_database_error() */
	return store_done(store, statement, sqlite3_step(statement));
}

void statement_bind_text(sqlite3_stmt *statement, int place, const char *text)
{
	sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

const char *statement_column_text(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}

int store_begin(struct store *store)
{
	return store_run(store, store_use(store, BEGIN));
}

int store_end(struct store *store, int error)
{
	if (!error)
		error = store_run(store, store_use(store, COMMIT));
	if (error && !sqlite3_get_autocommit(store->database))
		store_run(store, store_use(store, ROLLBACK));
	return error;
}

int store_prepare(struct store *store)
{
	int which;

	for (which = 0; which < STATEMENT_COUNT; which++) {
		int result = sqlite3_prepare_v3(store->database, store_sql[which], -1,
						SQLITE_PREPARE_PERSISTENT,
						&store->statements[which], NULL);

		if (result != SQLITE_OK)
			return store_database_error(store->database, result);
	}
	return 0;
}
