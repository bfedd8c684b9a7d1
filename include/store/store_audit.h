/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, audit: what was decided, in lines that are only ever added. Part of the store of
 * store/store.h.
 *
 * Each line has the hash over itself and the hash before (store/audit_chain.h), so that
 * none can be changed, taken out or put in without that showing (audit_reader.h,
 * tests/unit/test_audit_reader.c). A line is written in the transaction of what it tells
 * where there is one: both are on disk, or neither, and it costs no fsync of its own.
 *
 * Whoever is asked by strangers as often as they like writes through policy/audit.h.
 */
#ifndef STORE_STORE_AUDIT_H
#define STORE_STORE_AUDIT_H

#include "base/client.h"
#include "store/audit_event.h"
#include "store/audit_head.h"
#include "store/store.h"

enum {
	AUDIT_KEEP = 100000,	   /* lines; the oldest go when there are more */
	AUDIT_DETAIL_BYTES = 8192, /* of one line, at most */
};

/*
 * A line whose detail is this JSON object; 0, -E2BIG, or as store_end(). Within a
 * transaction its error is to be given to store_end(); else it is on disk when 0 returns.
 */
int store_audit_add(struct store *store, enum audit_event event, const char *detail_json);

/*
 * The same of facts, each one that the event has (audit_event.h). A text that is no UTF-8 is
 * left out.
 *	store_audit_note(store, AUDIT_PAUSED,
 *			 (struct audit_fact[]){ { "by", "owner" }, { NULL } });
 */
int store_audit_note(struct store *store, enum audit_event event,
		     const struct audit_fact *facts);

/* client_paired, _changed, _revoked, _rotated: what it may do from now on. */
int store_audit_client(struct store *store, enum audit_event event,
		       const struct client *client);

/* The newest line. 0 or -errno. */
int store_audit_head(struct store *store, struct audit_head *head_out);

/* How many lines this program added since it opened the store. */
int64_t store_audit_added(const struct store *store);

/*
 * Lines that `write` adds are one commit, or none is there: 0, its error, or the disk's.
 */
int store_audit_together(struct store *store,
			 int (*write)(void *data, struct store *store), void *data);

/*
 * A step of at most AUDIT_STEP_LINES that lets the oldest go while there are more than
 * `keep`; the hash of the last of them stays as the anchor of the rest. *done_out: there
 * are no more to go. 0, STORE_E_FULL, -errno.
 */
enum { AUDIT_STEP_LINES = 100 };
int store_audit_prune(struct store *store, int64_t keep, bool *done_out);

#endif
