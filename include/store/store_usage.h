/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, usage: what each accepted message took of the limits. Part of the store of
 * store/store.h.
 *
 * A row is written in the commit of its message and outlives it, so retention gives no place
 * back. It stands at the time at which its message may go out: now, or send_at. A message that
 * ends in the gateway, before oFono had it, gives the SIM its share back; its client's stays
 * used, so a client that schedules and cancels exhausts its own limits only
 * (tests/unit/test_store_usage.c).
 *
 * Usage time is counted by the clock that runs on from one start of the program to the next
 * and that nobody sets: at the first start it is the wall clock, after that it goes on as
 * clock_boot_ms() does. Only while the machine is off the wall clock tells how long that
 * was, and never less than nothing. When the wall clock is set, what is still to go out by
 * it moves in usage time, and what is over stays. So setting the clock makes no room
 * (tests/unit/test_store_usage.c, tests/unit/test_policy_random.c).
 */
#ifndef STORE_STORE_USAGE_H
#define STORE_STORE_USAGE_H

#include "store/store.h"

/* The setting that holds the clock, and by how much that says the wall clock is ahead. */
#define STORE_SETTING_USAGE_CLOCK "usage_clock"
int64_t store_usage_ahead(const char *value);

enum usage_by {
	USAGE_BY_CLIENT,
	USAGE_BY_SIM,
	USAGE_ACCEPTED, /* by a client, at the time of acceptance; not for segments */
};

/* Rows that are older go, so many at most with each message that is added. */
enum { USAGE_KEEP_DAYS = 32, USAGE_PRUNE_ROWS = 4 };

struct usage_span {
	enum usage_by by;
	int64_t id; /* of the client or the SIM */
	int64_t from_ms;
	int64_t until_ms;
};

/* Usage time of now, and how far the wall clock is ahead of it. 0 or -errno, STORE_E_FULL. */
int store_usage_now(struct store *store, int64_t *now_ms_out, int64_t *ahead_ms_out);

/*
 * Times in usage time, at most `room`: after from_ms up to until_ms, the latest first; or
 * after from_ms and before until_ms, the earliest first. 0 or -errno.
 */
int store_usage_until(struct store *store, const struct usage_span *span,
		      int64_t *times_out, size_t room, size_t *count_out);
int store_usage_after(struct store *store, const struct usage_span *span,
		      int64_t *times_out, size_t room, size_t *count_out);

/* Segments from from_ms on and before until_ms, of at most `rows` messages. 0 or -errno. */
int store_usage_segments(struct store *store, const struct usage_span *span, int64_t rows,
			 int64_t *segments_out);

/* Inside the transaction that adds the message; message_id 0: a call. */
int store_usage_add(struct store *store, const struct message_draft *draft,
		    int64_t message_id);
/* Inside the transaction that ends the message: the SIM gets its share back. */
int store_usage_return(struct store *store, int64_t message_id);
/* A transaction failed that may have written the clock: it is read again. */
void store_usage_forget_clock(struct store *store);

#endif
