/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, receive gaps: times in which the gateway could not receive messages, because it was
 * down, oFono was down, or the phone was suspended. Part of the store of store/store.h.
 */
#ifndef STORE_STORE_RECEIVE_GAPS_H
#define STORE_STORE_RECEIVE_GAPS_H

#include <stdint.h>

struct store;

struct gap {
	int64_t from_ms;    /* wall clock */
	int64_t until_ms;   /* 0: it is still open */
	const char *reason; /* "gateway_down", "ofono_down", "suspended", or one below */
};

/* Reasons of gaps whose messages may be missing from the message store itself. */
#define STORE_GAP_RESTORED "restored"
#define STORE_GAP_DAMAGED  "store_damaged"

/* Gaps of one reason with less than this between them are joined. */
enum { STORE_GAP_JOIN_MS = 5 * 1000 };

/* Ignored when a gap of this reason is open. 0, STORE_E_FULL, -errno. */
int store_receive_gaps_add(struct store *store, const struct gap *gap);
/* Gaps that end after `since_ms` or are open, oldest first, the last 100. 0 or -errno. */
int store_receive_gaps_list(struct store *store, int64_t since_ms,
			    void (*visit)(void *data, const struct gap *gap), void *data);
/* Did a gap of this reason end after that? 0, STORE_E_NOT_FOUND, -errno. */
int store_receive_gaps_has(struct store *store, const char *reason, int64_t since_ms);
/* Ends every open gap of this reason. 0, STORE_E_FULL, -errno. */
int store_receive_gaps_end(struct store *store, const char *reason, int64_t until_ms);
/* Moves gaps that begin within [from_ms, until_ms). 0, STORE_E_FULL, -errno. */
int store_receive_gaps_shift(struct store *store, int64_t from_ms, int64_t until_ms,
			     int64_t later_ms);

/* After the first store_receive_gaps_set_alive(), other commits update the time this often. */
enum { STORE_ALIVE_MS = 60 * 1000 };

/* Records that the gateway was alive at this time: a gap after a crash begins there. */
int store_receive_gaps_set_alive(struct store *store, int64_t wall_ms);
/* *wall_ms_out: 0 means never. 0 or -errno. */
int store_receive_gaps_get_alive(struct store *store, int64_t *wall_ms_out);

#endif
