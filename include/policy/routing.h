/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Routing: which SIM of a hub sends a message. doc/routing.md explains the rules to the owner.
 *
 * Filters refuse SIMs, each with a reason; among the others the first preference that tells two
 * SIMs apart decides. Both are tables (src/policy/routing.c), each row with a test
 * (tests/unit/test_routing.c). The choice changes nothing; routing_use() and routing_note()
 * record what became of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/client.h"
#include "phone/sim.h"
#include "sms/outbox.h"
#include "store/store_attempt.h"
#include "store/store_message.h"
#include "store/store_pool.h"

struct config;
struct routing;

enum {
	ROUTING_FILTERS_MAX = 12,
	ROUTING_PREFERENCES_MAX = 6,
	ROUTING_FAILURES = 3, /* in a row, before a SIM rests */
	ROUTING_REST_MS = 15 * 60 * 1000,
};

/* Returns 0 or -errno. The parameters outlive it. */
int routing_new(const struct config *config, struct store *store, struct sims *sims,
		struct routing **routing_out);
void routing_free(struct routing *routing); /* NULL is fine */
/* Reads pools and services again, after the owner changed them. Returns 0 or -errno. */
int routing_reload(struct routing *routing);

struct routing_request {
	const struct client *client; /* NULL if no client restricts it */
	const char *number;	     /* "" or NULL if not known yet */
	unsigned segments;
	int64_t pool_id; /* ATTEMPT_POOL_ANY for all SIMs */
	/* leaves out the SIMs that were tried for it; 0 if there is none */
	int64_t message_id;
	int64_t except_sim_id; /* is left out as well */
	bool is_later;	       /* it is scheduled: the SIM need not be ready */
};

struct routing_choice {
	int64_t sim_id;	     /* 0 if every SIM is refused */
	const char *decided; /* "it got the last message of this number" */
	unsigned candidates; /* SIMs that passed all filters */
	unsigned refused[ROUTING_FILTERS_MAX];
	bool has_other_hub; /* the phone of a refused SIM works with another hub */
	int64_t frees_ms;   /* wall clock: when the first refusal ends; 0 if unknown */
};

/* Returns false if there is no SIM; then the choice says why. */
bool routing_choose(struct routing *routing, const struct routing_request *request,
		    struct routing_choice *choice_out);
/* "2 are not ready, 1 rests after failures". Returns NULL if memory runs out. */
const char *routing_explain(struct arena *arena, const struct routing_choice *choice);

struct routing_rank {
	const struct sim *sim;
	const char *refused; /* by the first filter: "not ready"; NULL if it is none */
	int64_t frees_ms;    /* wall clock: when that ends; 0 if unknown */
	int64_t scores[ROUTING_PREFERENCES_MAX]; /* private */
};

/*
 * Lists all SIMs in the order in which they would be chosen, those that are refused last; *count_out
 * is their number. Returns NULL if memory runs out, or there is no such pool.
 */
struct routing_rank *routing_rank(struct routing *routing, struct arena *arena,
				  const struct routing_request *request,
				  size_t *count_out);

/* A message to this number is accepted for the SIM. */
void routing_use(struct routing *routing, int64_t sim_id, const char *number,
		 unsigned segments);
/* A message of the SIM was sent, or failed because of the SIM or its phone. */
void routing_note(struct routing *routing, int64_t sim_id, bool has_failed);
/* From now on the outcomes of messages are noted. Before outbox_free(): routing_free(). */
void routing_watch(struct routing *routing, struct outbox *outbox);
/* Both fit outbox_failover_set_finder(), with the routing as their data. */
bool routing_is_left(void *data, int64_t sim_id);
int64_t routing_find_other(void *data, const struct message *message,
			   const struct store_routed *routed, const char *outcome);

/* Returns pools in order of ID; NULL if there are no more, or none of that name or ID. */
const struct store_pool *routing_pool_at(const struct routing *routing, size_t place);
const struct store_pool *routing_pool_named(const struct routing *routing,
					    const char *name);
bool routing_is_drained(const struct routing *routing, int64_t sim_id);
/*
 * The change is on disk and in the audit log when it returns 0; otherwise it returns -errno or
 * STORE_E_FULL. `phone` has the SIM; NULL if that is unknown. Call outbox_failover_review() afterwards.
 */
int routing_drain(struct routing *routing, int64_t sim_id, bool is_drained,
		  const char *phone, const char *by);
