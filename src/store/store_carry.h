/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store carry: what goes from one database into the one that takes its place.
 *
 * Private to src/store. `to` is a new database that nobody uses yet. `from` may be
 * damaged, or made by a stranger: what it does not give is left out, text that is not UTF-8 or
 * a state that is none does not come over, and nothing that its schema says is run. All give
 * SQLITE_OK, or what `to` refused with.
 */
#ifndef STORE_STORE_CARRY_H
#define STORE_STORE_CARRY_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store_backup.h"

/* A table, or some of its rows. */
struct carried_table {
	const char *name;
	const char *columns;   /* with ", " between; ?1, ?2, ... */
	const char *condition; /* of a row; "1": any */
	const char *order;     /* NULL: rowid */
	const char *into;      /* NULL: the table of that name */
};

#define SIM_CARRIED "id, iccid, imsi, first_seen"

#define MESSAGE_CARRIED                                                             \
	"id, direction, sim_id, client_id, number, text, segments, state, reason, " \
	"uuid, created, changed, idempotency_key, send_at, expires_at, delivery, "  \
	"sent_time, flags, repeats, read_at, spool_lead, boot, created_boot, "      \
	"expires_boot, seen"
#define MESSAGE_CONDITION                                         \
	"?1 > 0 AND ?8 BETWEEN 1 AND 13 AND ?16 BETWEEN 0 AND 3 " \
	"AND (?2 = 1) = (?8 = 9)"

#define CHANGE_CARRIED "id, message_id, state, reason, at, note"

#define CLIENT_CARRIED                                                          \
	"id, name, token_hash, created, scopes, ask, sims, allow, per_minute, " \
	"per_hour, per_day, segments_per_month"

#define EVENT_CARRIED	"id, kind, sim_id, at, number, text, state, topic"
#define EVENT_CONDITION "?1 > 0 AND ?2 BETWEEN 1 AND 2 AND ?7 BETWEEN 0 AND 11"

#define USAGE_CARRIED	"id, at, client_id, sim_id, segments, noted, message_id"
#define SETTING_CARRIED "id, name, value, at"

/* What came of it. */
struct store_carried {
	bool whole;	  /* every row came over */
	bool is_damaged;  /* some could not be read */
	int64_t left_out; /* that are none of ours */
};

/*
 * Every row of every table that can be read. `progress` NULL: nobody waits; else
 * SQLITE_INTERRUPT when it says so.
 */
int store_carry_all(sqlite3 *from, sqlite3 *to, const struct store_progress *progress,
		    struct store_carried *carried_out);

/* These alone, as far as they can be read; one that is there stays. */
int store_carry_tables(sqlite3 *from, sqlite3 *to, const struct carried_table *list,
		       size_t count);

/*
 * No number of a message, SIM card or client that `from` (NULL: cannot be read) ever gave
 * out is given out again. What it does not tell is jumped over.
 */
int store_carry_numbers(sqlite3 *from, sqlite3 *to);

/*
 * What `to` says of messages under way may be old: they may have been sent since, so each
 * becomes unknown for this reason and is never handed over. From `heard_ms` on (0: as the
 * database itself knows) until now there is a gap.
 */
int store_carry_settle(sqlite3 *to, const char *reason, int64_t heard_ms);

#endif
