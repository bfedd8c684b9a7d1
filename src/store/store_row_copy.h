/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store row copy: copies rows from one database into the one that replaces it.
 *
 * `to` is a new database that nobody uses yet. `from` may be damaged, or made by a stranger:
 * what cannot be read, text that is not UTF-8 and states that do not exist are left out, and
 * nothing of its schema runs. All functions return SQLITE_OK, or the error of `to`.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store_backup.h"

/* A table, or some of its rows. */
struct store_row_copy_spec {
	const char *name;
	const char *columns;   /* with ", " between; ?1, ?2, ... in the condition */
	const char *condition; /* of a row; "1" for any */
	bool has_no_rowid;     /* ordered by its first column */
	const char *into;      /* NULL for the table of that name */
};

#define SIM_CARRIED "id, iccid, imsi, first_seen"

#define MESSAGE_CARRIED                                                            \
	"id, direction, sim_id, client_id, phone_number, text, segments, state, "  \
	"reason, "                                                                 \
	"uuid, created, changed, idempotency_key, send_at, expires_at, delivery, " \
	"sent_time, flags, repeats, read_at, spool_lead, boot, created_boot, "     \
	"expires_boot, seen, revision, valid_for, first_phone_number, first_text"
/*
 * Times end with the year 9999. expires_at may be negative: see sms/outbox_deadline.c. A message
 * that the gateway may still submit has a SIM, and a text that its segments can hold, because they
 * are what was checked against the limits; of another program's message (STATE_HELD) neither text
 * nor segments may be known.
 */
#define MESSAGE_CONDITION                                                                \
	"?1 BETWEEN 1 AND 1099511627776 AND ?2 BETWEEN 0 AND 1 AND ?8 BETWEEN 1 AND 13 " \
	"AND ?16 BETWEEN 0 AND 3 AND (?2 = 1) = (?8 = 9) AND ?7 BETWEEN 0 AND 255 "      \
	"AND min(?11, ?12, ?14, ?18, ?19, ?20, ?26, ?27) >= 0 "                          \
	"AND max(?11, ?12, ?14, ?15, ?18, ?19, ?20, ?26, ?27) <= 253402300799999 "       \
	"AND coalesce(length(?13), 1) BETWEEN 1 AND 255 "                                \
	"AND (?8 NOT IN (1, 2, 10, 11) OR (?4 >= -4 AND ?7 > 0 "                         \
	"AND length(?6) BETWEEN 1 AND 160 * ?7 "                                         \
	"AND EXISTS (SELECT 1 FROM sim WHERE sim.id = ?3)))"

#define CHANGE_CARRIED "id, message_id, state, reason, at, note"
#define CHANGE_CONDITION \
	"?3 BETWEEN 1 AND 13 AND EXISTS (SELECT 1 FROM message WHERE id = ?2)"

/* It is made with the owner's message that has the same ID; 128 is MESSAGE_ANSWER. */
#define ANSWER_CARRIED "id, sim_id, phone_number, approves, number"
#define ANSWER_CONDITION                                                                  \
	"?4 BETWEEN 0 AND 1 AND EXISTS (SELECT 1 FROM message WHERE message.id = ?1 AND " \
	"direction = 1 AND flags & 128)"

#define POOL_CARRIED "id, name, sticky, country, recipients, fails_over"

#define CLIENT_CARRIED                                                               \
	"id, name, token_hash, created, scopes, approval, sims, allow, per_minute, " \
	"per_hour, per_day, segments_per_month"

/* Scopes are nine bits, and a limit of -1 is none. */
#define CLIENT_CONDITION                                                         \
	"?1 BETWEEN 1 AND 1099511627776 AND length(?2) > 0 AND length(?3) = 32 " \
	"AND ?5 BETWEEN 0 AND 511 AND ?6 BETWEEN 0 AND 2"

#define EVENT_CARRIED	"id, kind, sim_id, at, phone_number, text, state, topic"
#define EVENT_CONDITION "?1 > 0 AND ?2 BETWEEN 1 AND 2 AND ?7 BETWEEN 0 AND 11"

#define USAGE_CARRIED "id, at, client_id, sim_id, segments, accepted, message_id"
#define CONSENT_CARRIED \
	"id, client_id, origin, event, filter, with_text, state, asked, until"
#define PHONE_CONDITION "?1 > 0 AND length(?3) = 32 AND coalesce(length(?4), 32) = 32"
/* Without the cursor: what came since is read again, and repeats are recognised. */
#define PHONE_CARRIED "id, name, key, next_key, enrolled, joined, seen"

#define PHONE_SIM_CARRIED   "id, phone_id"
#define PHONE_SIM_CONDITION "?1 > 0 AND ?2 > 0"
#define WEBHOOK_CARRIED                                                             \
	"id, name_id, client_id, created, refreshed, expires, url, origin, event, " \
	"arguments, secret, old_secret, old_until, scanned, epoch, suspended, "     \
	"failed_since, delivered, error"
#define WEBHOOK_CONDITION	 "?1 > 0 AND EXISTS (SELECT 1 FROM client WHERE id = ?3)"
#define WEBHOOK_DELIVERY_CARRIED "subscription_id, feed_id, attempts, message_id, body"
#define WEBHOOK_DELIVERY_CONDITION \
	"EXISTS (SELECT 1 FROM webhook_subscription WHERE id = ?1)"
#define SETTING_CARRIED "id, name, value, at"
#define SENDER_CARRIED                                                            \
	"id, phone_number, secret, enrolled, last_step, used, refused, refusal, " \
	"locked_until"

enum { STORE_ROW_COPY_COLUMNS_MAX = 32, STORE_ROW_COPY_NAME_BYTES = 32 };

struct store_row_copy_columns {
	char names[STORE_ROW_COPY_COLUMNS_MAX][STORE_ROW_COPY_NAME_BYTES];
	int count;
};

void store_row_copy_split_columns(const struct store_row_copy_spec *table,
				  struct store_row_copy_columns *columns);

/* Returns the tables that store_row_copy_all() copies. */
const struct store_row_copy_spec *store_row_copy_all_tables(size_t *count_out);

/* Text is UTF-8 without NUL, and an integer is at most this far from 0. */
#define STORE_ROW_COPY_INTEGER_MAX_SQL "9007199254740992"
bool store_row_copy_value_is_valid(sqlite3_value *value);
bool store_row_copy_is_arbitrary(const char *column); /* any integer */

struct store_row_copy_result {
	bool whole;	  /* every row was copied */
	bool is_damaged;  /* some rows could not be read */
	int64_t left_out; /* rows that the gateway would not have written */
};

/*
 * Copies every row of every table that can be read. `progress` may be NULL; else SQLITE_INTERRUPT
 * is returned when it aborts.
 */
int store_row_copy_all(sqlite3 *from, sqlite3 *to,
		       const struct store_backup_progress *progress,
		       struct store_row_copy_result *result_out);

/* Copies these tables alone, as far as they can be read; a row that exists stays. */
int store_row_copy_tables(sqlite3 *from, sqlite3 *to,
			  const struct store_row_copy_spec *list, size_t count);

/*
 * Prevents an ID of a message, SIM card, client or event that `from` (NULL if it cannot be read)
 * ever gave out from being given out again. Where `from` does not say, IDs jump ahead.
 */
int store_row_copy_sequences(sqlite3 *from, sqlite3 *to);

/*
 * Corrects counters of IDs that are no numbers or were never reached by counting: SQLite would
 * say that the disk is full.
 */
int store_row_copy_repair_sequences(sqlite3 *database);

/*
 * Settles unfinished messages. Their states in `to` may be old, and the messages sent since, so
 * each becomes unknown for this reason and is never submitted. From `heard_ms` (0 if the database
 * itself is to say) until now there is a receive gap.
 */
int store_row_copy_settle(sqlite3 *to, const char *reason, int64_t heard_ms);
