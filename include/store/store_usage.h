/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, usage: what each accepted message used of the limits. Part of the store of
 * store/store.h.
 *
 * A row is committed with its message and outlives it, so retention frees no budget. Its time
 * is when the message may go out: now, or send_at. When the message is submitted, it is that
 * moment, and from then on the message counts for the SIM.
 *
 * A message that certainly failed before a segment of it was sent returns its usage to SIM
 * and client. One that was cancelled, or that the owner did not approve, returns it to the
 * SIM alone, so a client that schedules and cancels exhausts its own limits. A message whose
 * outcome is unknown, or of which segments may be sent, returns nothing
 * (tests/unit/test_store_usage.c).
 *
 * Usage time is a clock that nobody can set. It begins as the wall clock at the first start
 * and then runs on like clock_boot_ms(). Only while the machine is off does the wall clock
 * say how long that took, and never less than nothing. When the wall clock is set, messages
 * that are still to go out move in usage time, and past ones stay. So setting the clock
 * frees no budget (tests/unit/test_store_usage.c, tests/unit/test_policy_random.c).
 */
#pragma once

#include "store/store.h"

/* The setting that holds the clock, and by how much the wall clock is ahead of it. */
#define STORE_SETTING_USAGE_CLOCK "usage_clock"
int64_t store_usage_clock_ahead(const char *value);
/* Returns usage time by that setting, whatever the wall clock says; the wall clock if NULL. */
int64_t store_usage_clock_now(const char *value);

enum store_usage_by {
	USAGE_BY_CLIENT,
	USAGE_BY_SIM,
	USAGE_BY_SHARE, /* of a client, on one SIM */
	USAGE_ACCEPTED, /* by a client, at the time of acceptance; not for segments */
};

/* Older rows are removed, this many with each added message. */
enum { USAGE_KEEP_DAYS = 32, USAGE_PRUNE_ROWS = 4 };
/* A message that goes so soon after its time counts at its time. */
enum { USAGE_ON_TIME_MS = 2000 };

struct store_usage_span {
	enum store_usage_by by;
	int64_t id; /* of the client or the SIM */
	int64_t from_ms;
	int64_t until_ms;
	int64_t except_id; /* of the usage that does not count; 0 if all counts */
	int64_t sim_id;	   /* of a share */
	bool with_planned; /* of a SIM or a share: what is not submitted also counts */
};

/*
 * Writes the usage time now, and how far the wall clock is ahead of it. Returns 0, -errno or
 * STORE_E_FULL.
 */
int store_usage_now(struct store *store, int64_t *now_ms_out, int64_t *ahead_ms_out);

/*
 * At most `room` times, in usage time: those after from_ms up to until_ms, latest first; or those
 * after from_ms and before until_ms, earliest first. Returns 0 or -errno.
 */
int store_usage_times_until(struct store *store, const struct store_usage_span *span,
			    int64_t *times_out, size_t room, size_t *count_out);
int store_usage_times_after(struct store *store, const struct store_usage_span *span,
			    int64_t *times_out, size_t room, size_t *count_out);

/*
 * Counts the segments from from_ms on and before until_ms, of at most `rows` messages. Returns 0 or
 * -errno.
 */
int store_usage_segments(struct store *store, const struct store_usage_span *span,
			 int64_t rows, int64_t *segments_out);

/* Finds the usage of a message, for except_id; 0 if none is known. Returns 0 or -errno. */
int store_usage_find(struct store *store, int64_t message_id, int64_t *usage_id_out);

/*
 * Call it inside the transaction that changes the message. With `keeps_time` only its segments
 * change.
 */
int store_usage_change(struct store *store, const struct store_message_draft *draft,
		       int64_t message_id, bool keeps_time);
/* Call it inside a transaction: it counts at this time of the wall clock; 0 is now. */
int store_usage_move(struct store *store, int64_t message_id, int64_t send_at_ms);
/* Call it inside the transaction that says that it is being submitted. */
int store_usage_submit(struct store *store, int64_t message_id);
/* Call it inside the transaction that adds the message; message_id is 0 for a call. */
int store_usage_add(struct store *store, const struct store_message_draft *draft,
		    int64_t message_id);
/* Inside the transaction that ends the message. */
enum store_usage_return {
	USAGE_RETURN_NONE,
	USAGE_RETURN_TO_SIM,
	USAGE_RETURN_ALL, /* to the SIM and to the client */
};
int store_usage_give_back(struct store *store, int64_t message_id,
			  enum store_usage_return how);
/* Call when a transaction failed that may have written the clock: it is read again. */
void store_usage_forget_clock(struct store *store);

/* ---- closed keys: idempotency keys that no message has, and nothing may be sent with any more */

/*
 * A hub whose request may still be under way closes its key before it sends the message from
 * another phone. A key is kept as long as those of messages, STORE_KEY_DAYS, in usage time:
 * setting the clock opens none (tests/unit/test_store_closed_key.c).
 */
enum { STORE_CLOSED_KEYS_MAX = 20 * 1000 }; /* of a client */

/*
 * Closes the key; fine if it is closed. Durable. Returns 0; STORE_E_FULL if the disk is full, or
 * this client has too many; or -errno.
 */
int store_usage_close_key(struct store *store, int64_t client_id, const char *key);
/* Returns 0 if it is closed; STORE_E_NOT_FOUND; -errno. */
int store_usage_find_closed_key(struct store *store, int64_t client_id, const char *key);
