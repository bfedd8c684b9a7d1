/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, approval notices: which messages that wait for approval were announced to the owner by
 * SMS, under which number. Part of the store of store/store.h.
 *
 * A notice is of one revision of a message. Its number is random, so that nobody who has not
 * read the notice knows it.
 */
#pragma once

#include <stdint.h>

struct store;

/* Four digits are enough for what waits at a time, and easy to type. */
enum { STORE_APPROVAL_NOTICE_LEAST = 1000, STORE_APPROVAL_NOTICE_MOST = 9999 };
/* Older ones are removed. */
enum { STORE_APPROVAL_NOTICES_MAX = 1000 };

/* outcome of store_approval_notice_add() */
enum { STORE_APPROVAL_NOTICE_E_LATER = 100 };

struct store_approval_notice {
	int64_t number;
	int64_t message_id;
	unsigned revision;
};

/* Finds the notice of a revision. Returns 0, STORE_E_NOT_FOUND or -errno. */
int store_approval_notice_of(struct store *store, int64_t message_id, unsigned revision,
			     struct store_approval_notice *notice_out);
/* Returns 0, STORE_E_NOT_FOUND or -errno. */
int store_approval_notice_find(struct store *store, int64_t number,
			       struct store_approval_notice *notice_out);

/*
 * Gives a revision a number, unless `per_hour` notices were made within the last hour, in usage
 * time (store/store_usage.h): then it returns STORE_APPROVAL_NOTICE_E_LATER, and *wait_ms_out says
 * for how long. It is durable before the notice is sent, so that a crash neither repeats nor
 * forgets one. Returns 0, STORE_E_FULL or -errno.
 */
int store_approval_notice_add(struct store *store, int64_t message_id, unsigned revision,
			      int64_t per_hour, struct store_approval_notice *notice_out,
			      int64_t *wait_ms_out);
