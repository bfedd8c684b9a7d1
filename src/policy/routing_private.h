/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Routing, inside: one choice while the rules look at it, and the tables of rules.
 *
 * Private to src/policy/routing*.c.
 */
#pragma once

#include "config/config.h"
#include "numbers/number.h"
#include "policy/routing.h"

struct routing_sim { /* by its ID */
	struct store_pool_service service;
	uint64_t pools;		    /* a bit for each place in the list of pools */
	int64_t left;		    /* segments of this month */
	int64_t left_read_ms;	    /* monotonic; 0 for never */
	int64_t exhausted_until_ms; /* wall clock: a limit is reached until then */
};

struct routing {
	const struct config *config;
	struct store *store;
	struct sims *sims;
	struct store_pool pools[STORE_POOLS_MAX];
	size_t pool_count;
	struct routing_sim *known; /* index: SIM ID */
	size_t known_count;
	bool counts_recipients; /* some pool limits them */
	bool is_failing;	/* a SIM may have failed since it sent last */
	struct observer outbox;
};

struct routing_case {
	struct routing *routing;
	const struct routing_request *request;
	const struct store_pool *pool; /* NULL for those of all SIMs */
	size_t pool_place;
	const struct country *country; /* of the recipient; NULL if unknown */
	int64_t conversation_sim, sticky_sim;
	uint64_t number_hash;
	int64_t now_ms, month;
};

/* The rows of the tables in src/policy/routing_rules.c. */
enum {
	ROUTING_FILTERS = 12,
	ROUTING_OTHER_HUB = 3,
	ROUTING_AT_LIMIT = 10,
	ROUTING_PREFERENCES = 6
};

extern const struct routing_filter {
	const char *why; /* "2 not ready" */
	/* Returns false if it is refused; *frees_ms is when that ends, 0 if unknown. */
	bool (*passes)(const struct routing_case *about, const struct sim *sim,
		       struct routing_sim *known, int64_t *frees_ms);
} routing_filters[ROUTING_FILTERS];

extern const struct routing_preference {
	const char *why; /* as a sentence about the chosen SIM */
	int64_t (*score)(const struct routing_case *about, const struct sim *sim,
			 struct routing_sim *known);
} routing_preferences[ROUTING_PREFERENCES];

/*
 * Returns the segments left of the SIM's month, at most a minute old; INT64_MAX if there is no
 * limit.
 */
int64_t routing_left(struct routing *routing, struct routing_sim *known, int64_t sim_id);
