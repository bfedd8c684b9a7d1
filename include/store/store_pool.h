/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, pools: groups of SIMs that send for each other, and which SIMs serve now. Part of the
 * store of store/store.h; only a hub has any (doc/routing.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

enum { STORE_POOL_NAME_BYTES = 33, STORE_POOLS_MAX = 64 };

/* What a rule about a SIM does. Stored as these numbers: only append. */
enum store_pool_rule { POOL_RULE_PREFER, POOL_RULE_REQUIRE, POOL_RULE_OFF, POOL_RULES };

const char *store_pool_rule_name(enum store_pool_rule rule); /* "prefer" */

struct store_pool {
	int64_t id;
	char name[STORE_POOL_NAME_BYTES];
	enum store_pool_rule sticky;  /* the SIM that wrote to the recipient last */
	enum store_pool_rule country; /* a SIM of the recipient's country */
	/* different ones, of each SIM; 0 for any number */
	int64_t recipients_per_month;
	bool fails_over; /* a message may move to another SIM */
};

/* Is it a letter, then letters, digits, "-" and "_", and fits STORE_POOL_NAME_BYTES? */
bool store_pool_name_is_valid(const char *name);

/*
 * Adds a pool (id 0), or changes the one with this ID. It has these SIMs from then on; if `sims` is
 * NULL, those that it had. An audit line says so, and `by` whom. Returns 0, STORE_E_EXISTS if its
 * name is taken, STORE_E_FULL or -errno.
 */
int store_pool_put(struct store *store, struct store_pool *pool, const int64_t *sims,
		   size_t count, const char *by);
/* With its list of SIMs. Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno. */
int store_pool_remove(struct store *store, const struct store_pool *pool, const char *by);
/* `visit` must not use pools of the store. In order of ID. Returns 0 or -errno. */
int store_pool_list(struct store *store,
		    void (*visit)(void *data, const struct store_pool *pool), void *data);
int store_pool_list_sims(struct store *store,
			 void (*visit)(void *data, int64_t pool_id, int64_t sim_id),
			 void *data);

/* Whether a SIM serves. */
struct store_pool_service {
	int64_t sim_id;
	bool is_drained;	/* the owner wants no new message on it */
	unsigned failures;	/* in a row */
	int64_t rests_until_ms; /* wall clock; 0 if it does not rest */
};

int store_pool_put_service(struct store *store, const struct store_pool_service *service);
/*
 * Likewise, of a SIM that the owner has drained, or no longer; an audit line says so. `phone` may be
 * NULL.
 */
int store_pool_drain(struct store *store, const struct store_pool_service *service,
		     const char *phone, const char *by);
int store_pool_list_services(struct store *store,
			     void (*visit)(void *data,
					   const struct store_pool_service *service),
			     void *data);

/*
 * Counts the different recipients of a SIM in a month, which is any number that names it. Returns 0
 * or -errno.
 */
int store_pool_count_recipients(struct store *store, int64_t sim_id, int64_t month,
				int64_t *count_out);
/* Returns 0 if the SIM has written to it in this month; STORE_E_NOT_FOUND, -errno. */
int store_pool_has_recipient(struct store *store, int64_t sim_id, int64_t month,
			     const char *number);
/* Changes it lazily, and removes months before `month` - 1. */
int store_pool_add_recipient(struct store *store, int64_t sim_id, int64_t month,
			     const char *number);

/*
 * Finds the SIM of the last message to this number, or of the last one that came from it, among the
 * last 64 of the conversation; 0 if there is none. Returns 0 or -errno.
 */
int store_pool_last_sim(struct store *store, const char *number, bool is_incoming,
			int64_t *sim_id_out);
