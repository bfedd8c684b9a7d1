/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_statement.h"

#include <assert.h>
#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/store_database.h"
#include "store/store_file.h"
#include "store/store_look.h"
#include "store/store_presence.h"

static int prepare(struct store *store, enum store_statement which)
{
	return sqlite3_prepare_v3(store->database, store_sql[which], -1,
				  SQLITE_PREPARE_PERSISTENT, &store->statements[which],
				  NULL);
}

/*
 * 4 KiB each, of which many are never used: each is prepared when it is. Where that fails,
 * SQLite takes NULL for a statement, steps it to nothing but misuse, and store_done() tells
 * what was the matter.
 */
sqlite3_stmt *store_use(struct store *store, enum store_statement which)
{
	sqlite3_stmt *statement;

	if (!store->statements[which])
		store->unprepared = prepare(store, which);
	statement = store->statements[which];
	assert(!sqlite3_stmt_busy(statement));
	if (statement && !sqlite3_stmt_readonly(statement)) {
		store_look_end(store);
		store_obey_lazy(store);
	}
	return statement;
}

/*
 * The gateway goes on: it keeps what comes in in memory and refuses to send. The mark makes
 * the next start move the ledger aside, even if a quick check finds it sound.
 */
static void note_damage(struct store *store)
{
	if (store->damaged)
		return;
	store->damaged = true;
	log_error("store: THE LEDGER IS DAMAGED (%s): nothing is sent any more, and what "
		  "comes in is kept in memory; restart the gateway, which moves the "
		  "ledger aside and goes on with what can be read of it",
		  sqlite3_errmsg(store->database));
	if (store_file_mark_damaged(store->folder))
		log_error("store: the mark for that cannot be made");
}

int store_noted(struct store *store, int result)
{
	int error = store_database_error(store->database, result);

	if (error == -EUCLEAN)
		note_damage(store);
	if (error == -EINVAL && store->presence != STORE_IS_THERE)
		return STORE_E_FULL; /* our own veto: see store_is_gone() */
	return error;
}

bool store_is_damaged(const struct store *store)
{
	return store->damaged;
}

int store_done(struct store *store, sqlite3_stmt *statement, int result)
{
	int error = store_noted(store, statement ? result : store->unprepared);

	if (!statement)
		return error;
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

void statement_read_message(sqlite3_stmt *statement, struct message *message_out)
{
	*message_out = (struct message){
		.id = sqlite3_column_int64(statement, 0),
		.sim_id = sqlite3_column_int64(statement, 1), /* 0 for SQL's NULL */
		.client_id = sqlite3_column_int64(statement, 2),
		.number = statement_column_text(statement, 3),
		.text = statement_column_text(statement, 4),
		.segments = (unsigned)sqlite3_column_int(statement, 5),
		.state = (enum message_state)sqlite3_column_int(statement, 6),
		.reason = statement_column_text(statement, 7),
		.uuid = statement_column_text(statement, 8),
		.created_ms = sqlite3_column_int64(statement, 9),
		.changed_ms = sqlite3_column_int64(statement, 10),
		.direction = (enum message_direction)sqlite3_column_int(statement, 11),
		.sent_time = statement_column_text(statement, 12),
		.flags = (unsigned)sqlite3_column_int(statement, 13),
		.repeats = (unsigned)sqlite3_column_int(statement, 14),
		.read_ms = sqlite3_column_int64(statement, 15),
		.idempotency_key = statement_column_text(statement, 16),
		.send_at_ms = sqlite3_column_int64(statement, 17),
		.expires_at_ms = sqlite3_column_int64(statement, 18),
		.delivery = (enum delivery)sqlite3_column_int(statement, 19),
		.boot = sqlite3_column_int64(statement, 20),
		.created_boot_ms = sqlite3_column_int64(statement, 21),
		.expires_boot_ms = sqlite3_column_int64(statement, 22),
		.seen_ms = sqlite3_column_int64(statement, 23),
	};
}

bool store_is_writing(const struct store *store)
{
	return !store->looks && !sqlite3_get_autocommit(store->database);
}

int store_begin(struct store *store)
{
	sqlite3_stmt *begin = store_use(store, BEGIN);

	store_presence_mend(store);
	return store_run(store, begin);
}

/* Inside the transaction of another write, so that it costs no wake-up and no fsync. */
int store_mark_alive(struct store *store, int64_t now_ms)
{
	sqlite3_stmt *statement = store_use(store, ALIVE_SET);

	sqlite3_bind_int64(statement, 1, now_ms);
	sqlite3_bind_int64(statement, 2, clock_boot_number());
	sqlite3_bind_int64(statement, 3, clock_boot_ms());
	return store_run(store, statement);
}

static bool is_alive_due(const struct store *store, int64_t now_ms)
{
	return store->alive_ms && now_ms >= CLOCK_SANE_MS &&
	       (now_ms < store->alive_ms || now_ms - store->alive_ms >= STORE_ALIVE_MS);
}

int store_end(struct store *store, int error)
{
	int64_t now_ms = clock_wall_ms();
	bool due = is_alive_due(store, now_ms);

	if (!error && due)
		error = store_mark_alive(store, now_ms);
	if (!error)
		error = store_run(store, store_use(store, COMMIT));
	if (!error && !store->lazy)
		store->unsynced = false; /* what was before it is there, too */
	if (!error && due)
		store->alive_ms = now_ms;
	if (error && !sqlite3_get_autocommit(store->database))
		store_run(store, store_use(store, ROLLBACK));
	return error;
}

/* What ends a transaction needs no memory then. */
static bool is_always_ready(enum store_statement which)
{
	return which == BEGIN || which == COMMIT || which == ROLLBACK || which == LOOK;
}

int store_prepare(struct store *store)
{
	bool is_ours = store_schema_digest(store->database) == STORE_SCHEMA_DIGEST;

	for (int which = 0; which < STATEMENT_COUNT; which++) {
		int result;

		if (is_ours && !is_always_ready(which))
			continue;
		result = prepare(store, which);
		if (result != SQLITE_OK)
			return store_database_error(store->database, result);
		if (is_always_ready(which))
			continue;
		sqlite3_finalize(store->statements[which]);
		store->statements[which] = NULL;
	}
	return 0;
}
