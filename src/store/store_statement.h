/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store statement: the statements of store_sql.h, each prepared when it is first used, and the
 * transactions they are in. Values are bound, never printed.
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
#include "store/store_sql.h"

/* see store/store_usage.h; private to store_usage_clock.c */
struct usage_clock {
	bool known;
	int64_t offset_ms; /* usage time is clock_boot_ms() and this */
	int64_t epoch_ms;  /* the wall clock is clock_boot_ms() and this */
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

struct store_moment {
	int64_t at_ms;	 /* wall clock; 0: none is known */
	int64_t boot;	 /* clock_boot_number(); 0 not known */
	int64_t boot_ms; /* clock_boot_ms() then */
};

/* Revoked, and the disk does not have that yet: refused all the same. */
enum { STORE_BARRED_CLIENTS_MAX = 64 };

/* Private to store_client.c. */
struct store_barred_clients {
	unsigned count;
	int64_t ids[STORE_BARRED_CLIENTS_MAX];
	int64_t tried_ms; /* clock_boot_ms() */
};

enum store_presence { STORE_IS_THERE, STORE_FILE_IS_LOST, STORE_LOG_IS_LOST };

struct store {
	sqlite3 *database;
	sqlite3_stmt *statements[STATEMENT_COUNT]; /* NULL: not used yet */
	int unprepared;	  /* why the last one that could not be prepared is not there */
	int64_t alive_ms; /* see store_alive_set(); 0: this program is not the gateway */
	struct store_moment before;   /* the last that was noted when it was opened */
	int64_t added;		      /* messages, since it was opened */
	uint64_t commits;	      /* likewise; those that waited for the disk */
	bool wants_lazy;	      /* see store/store_sync.h */
	bool lazy;		      /* ... as SQLite was told: see store_obey_lazy() */
	bool looks;		      /* see store/store_look.h */
	bool unsynced;		      /* since the last lazy change */
	int64_t audit_added;	      /* lines, likewise; also what was rolled back */
	bool damaged;		      /* found while it was used, and told */
	enum store_presence presence; /* as it was told */
	char folder[PATH_MAX];
	char notice[512]; /* see store/store_rescue.h; "" none */
	struct store_countries countries;
	struct store_known_clients known_clients;
	struct store_barred_clients barred_clients;
	struct clock_history clock; /* since the first message was added */
	struct usage_clock usage_clock;
};

enum { STORE_BUSY_MS = 2000 }; /* `ofono-mcp backup` reads from its own process */

/*
 * Each could be: the tables are ours, as their digest or each statement shows. 0, -errno,
 * STORE_E_FULL.
 */
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
/* Inside a transaction, or as one: the gateway works at this time. */
int store_mark_alive(struct store *store, int64_t now_ms);
/* The last of these. 0 or -errno. */
int store_moment_read(struct store *store, struct store_moment *moment_out);
bool store_is_writing(const struct store *store); /* between the two */

#endif
