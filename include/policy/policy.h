/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Policy: what the owner decides about every message before it is taken over, and about
 * every call before it is placed.
 *
 * One table of rules (policy_rules.c), asked in one order by send_sms, a dry run and
 * get_gateway_status: so what is told beforehand is what happens. A rule changes nothing.
 * What a rule needs and is not known yet (a number, a SIM) leaves the rule out; ask again
 * when it is known.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/client.h"
#include "base/failure.h"
#include "base/observer.h"
#include "numbers/phone_number.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "policy/limit.h"
#include "sms/outbox.h"
#include "store/store.h"

struct config;

/* outcomes of policy_check() */
enum {
	POLICY_E_REFUSED = 1,
	POLICY_E_REPEAT, /* it was asked for before: nothing new is to be sent */
};

struct policy;

struct policy_parts {
	sd_event *loop;
	const struct config *config; /* looked at each time */
	struct store *store;
	struct ofono *ofono;
	struct sims *sims;
	struct outbox *outbox;
};

enum policy_act {
	POLICY_MESSAGE = 1 << 0,
	POLICY_CALL = 1 << 1,
};

/* Borrowed strings. What is NULL or 0 is not known. */
struct policy_request {
	enum policy_act act; /* 0: POLICY_MESSAGE */
	struct arena *arena; /* the verdicts' words live there */
	const struct client *client;
	const char *number; /* as it was written */
	const char *text;
	unsigned segments;
	int64_t sim_id;
	int64_t send_at_ms;	     /* wall clock; 0, or over: now */
	const char *idempotency_key; /* NULL: none */
	bool key_is_ours;	     /* ... see struct sms_order */
};

enum policy_repeat {
	POLICY_REPEAT_NONE,
	POLICY_REPEAT_KEY,  /* "replayed": its key stands for the first */
	POLICY_REPEAT_SAME, /* "duplicate": the same within sms.duplicate_seconds */
};

struct verdict {
	const char *code;
	const char *message; /* NULL: out of memory */
	const char *fix;
	bool retryable;
	int64_t retry_after_seconds;
	enum failure failure;	   /* whose code that is */
	enum policy_repeat repeat; /* POLICY_E_REPEAT only: */
	struct message first;	   /* ... the message that this one repeats */
};

int policy_new(const struct policy_parts *parts, struct policy **policy_out);
void policy_free(struct policy *policy); /* NULL is fine */

/* The first rule that refuses. 0: none, POLICY_E_REFUSED, POLICY_E_REPEAT. */
int policy_check(struct policy *policy, const struct policy_request *request,
		 struct verdict *verdict_out);

/* Every rule that refuses, in the same order; a repeat with it. */
void policy_check_all(struct policy *policy, const struct policy_request *request,
		      void (*hear)(void *data, const struct verdict *verdict),
		      void *data);

/*
 * A number that passed, as oFono is given it and messages are stored with it: as it was written
 * where that is one of the usual spellings, else with + and country code.
 */
void policy_normalise_number(const struct policy *policy, int64_t sim_id,
			     char number[PHONE_NUMBER_BYTES]);

struct policy_limit_visit {
	/* `frees_ms`: wall clock, when there is one more again; 0: all are free */
	void (*visit)(void *data, const struct limit *limit, int64_t left,
		      int64_t frees_ms);
	void *data;
	int error; /* 0; -errno: the rest could not be read */
};

/* What is left now of each limit of the client (NULL none) and of the SIM (0 none). */
void policy_list_limits(struct policy *policy, const struct client *client,
			int64_t sim_id, struct policy_limit_visit *visit);

/* May this client use this SIM? The same question that the rule asks. */
bool policy_allows_sim(const struct client *client, int64_t sim_id);
/*
 * Is this number, dialled from any of the SIMs that are there, on the list of those that the
 * client may write to? Of a client without such a list: yes.
 */
bool policy_allows_number(const struct policy *policy, const struct client *client,
			  const char *number);

/*
 * Nothing is accepted, and nothing more is handed to oFono, until the pause is over: what
 * waits goes on then. On disk when 0 returns; else STORE_E_FULL, -errno.
 */
int policy_set_paused(struct policy *policy, bool paused);
bool policy_is_paused(const struct policy *policy); /* NULL: it is not */
/* The configuration, or the setting of the pause, may be another one by now. */
void policy_review(struct policy *policy);

/* Hear, without an event, that other things may be sent from now on: paused, configured. */
struct observers *policy_observers(struct policy *policy);

#endif
