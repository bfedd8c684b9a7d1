/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits: how many messages per minute, hour and day, and how many segments per month, are
 * accepted from one client or for one SIM.
 *
 * A message counts at the time at which it may go out: now, or its send_at. No minute, hour
 * or day, wherever it begins, contains more messages than its limit, in whatever order they
 * were accepted (tests/unit/test_policy_random.c). For a client's hours and days a message
 * also counts when it is accepted: otherwise scheduling and cancelling would be unlimited.
 */
#pragma once

#include <stdbool.h>

#include "base/client.h"
#include "store/store_usage.h"

struct config_policy;

enum limit_unit { LIMIT_MINUTE, LIMIT_HOUR, LIMIT_DAY, LIMIT_MONTH };

struct limit {
	enum store_usage_by by;
	enum limit_unit unit;
	int64_t id;
	/* messages, or segments for LIMIT_MONTH; 0 for no limit */
	int64_t most;
	int64_t except_usage_id; /* does not count; see struct store_usage_span */
	bool ignores_later;	 /* what is to go out later does not count */
	int64_t sim_id;		 /* of a share: `id` is the client */
	bool with_planned;	 /* see struct store_usage_span */
};

enum { LIMITS_MAX = 12 };

/*
 * Lists the limits that apply when a message is accepted, the shortest first. If sim_id is 0, no
 * limit of a SIM is listed. If client is NULL, none of a client is, but those of the whole SIM are.
 * Limits of the client itself replace those of all clients. `clients` is how many paired clients
 * share the SIM.
 */
size_t limit_list(const struct config_policy *policy, const struct client *client,
		  int64_t sim_id, int64_t clients, struct limit limits_out[LIMITS_MAX]);

/*
 * Returns the same when a message is to be submitted: the limits of the SIM, and the client's share
 * of them. What is not submitted does not count.
 */
size_t limit_list_submitting(const struct config_policy *policy, int64_t client_id,
			     int64_t sim_id, int64_t clients,
			     struct limit limits_out[LIMITS_MAX]);

const char *limit_unit_name(enum limit_unit unit); /* "minute" */

/*
 * Messages that the same call is about to send, with the same client and SIM. They are not
 * stored yet, and count as if they were.
 */
struct limit_plan {
	struct limit_planned {
		int64_t at_ms;	     /* wall clock; 0 is now */
		int64_t accepted_ms; /* the same */
		unsigned segments;
	} *items;
	size_t count;
};

/* A message that somebody wants to send. */
struct limit_wish {
	int64_t at_ms; /* wall clock; 0 is now */
	unsigned segments;
	/* It is asked for again at at_ms, and counts as accepted then; otherwise now. */
	bool is_asked_again;
	bool is_accepted;	       /* before: it counts only for sending */
	const struct limit_plan *plan; /* NULL if there is none */
};

struct limit_place {
	int64_t fits_ms; /* wall clock: when the message fits, at_ms or later */
	/* the first limit that is exceeded; limit.most is 0 if none is */
	struct limit limit;
	bool is_acceptance; /* it is exceeded by messages accepted, not by those sent */
	int64_t fits;	    /* how many such messages fit then; only if one is exceeded */
};

/*
 * Finds when the message fits all limits except monthly ones. Returns 0 or -errno. With very many
 * messages scheduled ahead fits_ms may be too early, never too late.
 */
int limit_find_place(struct store *store, const struct limit *limits, size_t count,
		     const struct limit_wish *wish, struct limit_place *place_out);

/* The same for the monthly limits; `fits` is not counted. */
int limit_check_budgets(struct store *store, const struct limit *limits, size_t count,
			const struct limit_wish *wish, struct limit_place *place_out);

/*
 * Finds how many more fit now, and when (wall clock) one more does; 0 if nothing is used. Returns 0
 * or -errno.
 */
int limit_left(struct store *store, const struct limit *limit, int64_t *left_out,
	       int64_t *frees_ms_out);
