/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, calls: those that were placed for somebody. Rows of store_event.h; part of the store
 * of store/store.h.
 *
 * The row is on disk, with what it takes of the limits of messages and its line of the audit,
 * before anything is dialled (tests/unit/test_store_call.c).
 */
#ifndef STORE_STORE_CALL_H
#define STORE_STORE_CALL_H

#include "store/store_event.h"

/* Borrowed strings. */
struct call_draft {
	int64_t client_id;
	const char *client; /* its name */
	int64_t sim_id;
	const char *number;
	const char
		*reason; /* that it may be placed, for the audit; NULL: none is needed */
};

/* CALL_DIALLING, on disk when 0 returns. Else STORE_E_FULL, -errno. */
int store_call_place(struct store *store, const struct call_draft *draft,
		     int64_t *id_out);

struct call_end {
	int64_t id;
	int64_t client_id;
	const char *client;    /* NULL: not known any more */
	enum call_state state; /* not one that goes on */
	const char *reason;
};

/* With its line of the audit. As above. */
int store_call_end(struct store *store, const struct call_end *end);

/*
 * When the call was placed that is the `nth` from the newest on, counted from 1, of those up
 * to that time; 0: there are not so many. 0 or -errno.
 */
int store_call_placed(struct store *store, int64_t nth, int64_t until_ms,
		      int64_t *at_ms_out);

#endif
