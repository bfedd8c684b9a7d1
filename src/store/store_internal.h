/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store internals: the open store and its prepared statements, for files of this folder.
 *
 * The statements of store_sql.h are prepared at their first use. Values are bound, never
 * printed.
 */
#ifndef STORE_STORE_INTERNAL_H
#define STORE_STORE_INTERNAL_H

#include <limits.h>
#include <sqlite3.h>
#include <sys/types.h>

#include "base/client.h"
#include "base/clock.h"
#include "store/store.h"
#include "store/store_party.h"
#include "store/store_sql.h"

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

/* A moment at which the gateway was alive. */
struct store_moment {
	int64_t at_ms;	 /* wall clock; 0: none is known */
	int64_t boot;	 /* clock_boot_number(); 0 not known */
	int64_t boot_ms; /* clock_boot_ms() then */
};

enum store_files_state { STORE_IS_THERE, STORE_FILE_IS_LOST, STORE_WAL_IS_LOST };

struct store {
	sqlite3 *database;
	sqlite3_stmt *statements[STATEMENT_COUNT]; /* NULL: not used yet */
	int unprepared;	  /* why the last statement could not be prepared */
	int64_t alive_ms; /* store_receive_gaps_set_alive(); 0: this is not the gateway */
	struct store_moment before; /* the last one stored before the store was opened */
	int64_t added;		    /* messages, since it was opened */
	uint64_t commits;	    /* that waited for the disk, since it was opened */
	bool all_lazy;		    /* inside store_sync_once() */
	bool lazy;		    /* PRAGMA synchronous is NORMAL now, not FULL */
	bool in_snapshot;
	bool unsynced;	     /* lazy commits that the disk has not confirmed */
	int64_t audit_added; /* audit lines, since it was opened; also rolled back ones */
	bool damaged;	     /* found in use, and logged */
	enum store_files_state files; /* as logged */
	dev_t wal_device;	      /* of the -wal that SQLite has open */
	ino_t wal_inode;	      /* 0: not known */
	char folder[PATH_MAX];
	char notice[512]; /* see store_rescue_notice(); "" none */
	struct store_party_country_list countries;
	struct store_known_clients known_clients;
	struct store_barred_clients barred_clients;
	struct clock_history clock; /* since the first message was added */
	struct store_usage_clock usage_clock;
};

/*
 * Checks that every statement can be prepared: by the digest of the schema, or else one by
 * one. 0, -errno, STORE_E_FULL.
 */
int store_prepare_all(struct store *store);

/*
 * A statement, ready to be bound and stepped; every use ends with store_finish() or
 * store_run(). A write outside a transaction is durable, or lazy with store_use_lazily().
 */
sqlite3_stmt *store_use(struct store *store, enum store_sql_id which);
sqlite3_stmt *store_use_lazily(struct store *store, enum store_sql_id which);
/* Resets a statement. Maps the result of its last step to 0, -errno or STORE_E_FULL. */
int store_finish(struct store *store, sqlite3_stmt *statement, int result);
/* Steps a statement that returns no rows, and resets it. */
int store_run(struct store *store, sqlite3_stmt *statement);
/* Runs a pragma that writes, durably. 0, -errno or STORE_E_FULL. */
int store_run_pragma(struct store *store, const char *sql);
/* Maps a result of SQLite to 0, -errno or STORE_E_FULL; logs and remembers damage. */
int store_check_result(struct store *store, int result);

/* `text` is borrowed until the statement is reset; NULL is SQL's NULL. */
void store_bind_text(sqlite3_stmt *statement, int place, const char *text);
/* "" for SQL's NULL; lives until the next step. */
const char *store_column_text(sqlite3_stmt *statement, int column);
/* Reads a row that begins with MESSAGE_COLUMNS; texts live until the next step. */
void store_read_message(sqlite3_stmt *statement, struct message *message_out);

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
/* The last stored moment. 0 or -errno. */
int store_read_moment(struct store *store, struct store_moment *moment_out);

/* Remembers which -wal SQLite has open. */
void store_identify_wal(struct store *store);
/* SQLite's commit hook: a result other than 0 turns the commit into a rollback. */
int store_on_commit(void *data);

#endif
