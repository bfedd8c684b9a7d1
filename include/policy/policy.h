/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Policy: what the owner allows. Every message is checked before it is accepted, and every
 * call before it is placed.
 *
 * One table of rules (src/policy/policy_rules.c) is checked in one order by send_sms, its dry
 * run and get_gateway_status, so what is reported beforehand is what happens, except that a dry
 * run says of a few texts an hour only that they hold a received code (src/policy/code_probe.h).
 * A rule changes nothing. A rule that needs something that is not known yet (a number, a SIM) is left out;
 * check again when it is known.
 *
 * Below the owner's minimum balance nothing is accepted from a SIM, before it costs. The
 * refusal ends with a new reading, when the owner forgets the reading or changes the minimum,
 * and by itself when the reading is older than policy.balance_hours: so none lasts for ever.
 * A SIM whose balance was never read is not refused. The gateway never dials for a balance by
 * itself: that would cost, and wake the phone (tests/unit/test_policy_balance.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/client.h"
#include "base/failure.h"
#include "base/observer.h"
#include "numbers/number.h"
#include "numbers/phone_number.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "policy/limit.h"
#include "sms/outbox.h"
#include "store/store.h"

struct audit;
struct config;
struct received_codes;

/* outcomes of policy_check() */
enum {
	POLICY_E_REFUSED = 1,
	POLICY_E_REPEAT, /* the same request came before: nothing new is to be sent */
	POLICY_E_NEEDS_OWNER, /* it passes, but only with the owner's approval: not with
				 the one of the agent's user */
};

struct country;
struct policy;

struct policy_parts {
	sd_event *loop;
	const struct config *config; /* read for each request */
	struct store *store;
	struct ofono *ofono;
	struct sims *sims;
	struct outbox *outbox;
	struct received_codes *received_codes; /* NULL if no text is judged */
	struct audit *audit;		       /* NULL if dry runs are not recorded */
};

enum policy_act {
	POLICY_MESSAGE = 1 << 0,
	POLICY_CALL = 1 << 1,
};

/* Borrowed strings. NULL or 0 if unknown. */
struct policy_request {
	enum policy_act act; /* 0 is POLICY_MESSAGE */
	struct arena *arena; /* for the texts of the verdict */
	const struct client *client;
	const char *number; /* as it was written */
	const char *text;
	unsigned segments;
	int64_t sim_id;
	int64_t send_at_ms;	     /* wall clock; 0, or in the past: now */
	const char *idempotency_key; /* NULL if there is none */
	bool key_is_ours;	     /* see struct sms_order */
	/*
	 * The new version of this message, which waits in the gateway: it counts once and repeats
	 * nothing. 0 if it is new.
	 */
	int64_t edits_message_id;
	bool is_dry_run;
	bool keeps_time; /* its time is not edited: it keeps its place in the rates */
	/* To several recipients, NULL otherwise: the caller's key, and the beginning of
	 * the key of every message of this call. */
	const char *list_key;
	const char *list_prefix;
	/* It waited for its time: what is to go out later does not count. */
	bool is_due;
	bool is_spread;	   /* for policy_find_slot() */
	int64_t wished_ms; /* for policy_find_slot(): send_at_ms at first */
	/* messages of the same call; NULL if there is none */
	const struct limit_plan *plan;
};

enum policy_repeat {
	POLICY_REPEAT_NONE,
	POLICY_REPEAT_KEY,  /* "replayed": the key belongs to an earlier message */
	POLICY_REPEAT_SAME, /* "duplicate": the same within sms.duplicate_seconds */
};

struct policy_verdict {
	const char *code;
	const char *message; /* NULL if memory runs out */
	const char *fix;
	bool retryable;
	int64_t retry_after_seconds;
	int64_t retry_at_ms;  /* wall clock: when the refusal ends; 0 if unknown */
	int64_t fits;	      /* see struct refusal */
	enum failure failure; /* the one that has this code */
	bool needs_owner;     /* for POLICY_E_NEEDS_OWNER; the verdict says why */
	/* for POLICY_E_REPEAT */
	enum policy_repeat repeat;
	struct message first; /* the message that this request repeats */
};

/* Returns 0, -errno, or a store error. */
int policy_new(const struct policy_parts *parts, struct policy **policy_out);
void policy_free(struct policy *policy); /* NULL is fine */

/* Checks the rules up to the first that refuses. Returns 0, or an outcome with its verdict. */
int policy_check(struct policy *policy, const struct policy_request *request,
		 struct policy_verdict *verdict_out);

/* How far ahead policy_find_slot() looks. */
enum { POLICY_SLOT_DAYS = 30 };

/*
 * Like policy_check(), but what only the time forbids (rates, monthly budgets, quiet hours) is
 * moved to the first time at which no rule refuses it: request->send_at_ms, a whole second. A
 * client that called again at that time would find it free. POLICY_E_REFUSED if none of the
 * next POLICY_SLOT_DAYS is free: with the refusal of the wished time, and send_at_ms
 * unchanged (tests/unit/test_policy_slot.c).
 */
int policy_find_slot(struct policy *policy, struct policy_request *request,
		     struct policy_verdict *verdict_out);

/*
 * Judges a message before it is submitted. Fits outbox_set_slot_finder(), with the policy as its
 * data. The limits of the SIM count what was submitted, and no message exceeds them
 * (tests/unit/test_policy.c::test_submissions_never_exceed_the_limit_of_a_sim). If
 * policy_find_slot() chose its time, everything is judged again: by then messages may have been
 * held up and go together, or the owner may allow less (tests/integration/test_spread.py). What
 * only the time forbids moves the message to the next free time, or if none is free, to when the
 * refusal ends. One to an emergency number may never go
 * (tests/unit/test_policy.c::test_a_due_message_to_an_emergency_number_is_never_submitted). The
 * message may have no ID yet, and `arena` may be NULL if it is not spread.
 */
int policy_find_due_slot(void *data, const struct message *message, struct arena *arena,
			 struct outbox_slot *slot_out);

/*
 * Finds when the limits of the SIM let a message go that is not accepted yet, once those of the plan
 * (NULL if there is none) have gone: 0 for now. For dry runs. Returns 0, -errno or a store error.
 */
int policy_find_new_slot(struct policy *policy, const struct message *message,
			 const struct limit_plan *plan, struct outbox_slot *slot_out);

/*
 * Checks all rules in the same order and visits the verdict of each one that refuses or
 * needs the owner.
 */
void policy_check_all(struct policy *policy, const struct policy_request *request,
		      void (*visit)(void *data, const struct policy_verdict *verdict),
		      void *data);

/*
 * Rewrites a number that passed as oFono gets it and as messages are stored: unchanged if it
 * is written in one of the usual ways, otherwise with + and the country code.
 */
void policy_normalise_number(const struct policy *policy, int64_t sim_id,
			     char number[PHONE_NUMBER_BYTES]);
/*
 * Writes the international spelling of a number that is not dialled as written from this country,
 * like number_suggest(). Returns false, and writes nothing, if it is dialled so, there is no
 * suggestion, or *number_inout already holds another one.
 */
bool policy_complete_number(const char *number, const struct country *home,
			    char number_inout[NUMBER_FORM_BYTES]);

struct policy_limit_visit {
	/* `frees_ms`: wall clock, when one more fits; 0 if nothing is used */
	void (*visit)(void *data, const struct limit *limit, int64_t left,
		      int64_t frees_ms);
	void *data;
	int error; /* 0, or -errno if the others could not be read */
};

/* Lists what is left now of each limit of the client (none if NULL) and of the SIM (none if 0). */
void policy_list_limits(struct policy *policy, const struct client *client,
			int64_t sim_id, struct policy_limit_visit *visit);

/* May this client use this SIM? The rule asks the same. */
bool policy_sim_is_allowed(const struct client *client, int64_t sim_id);
/*
 * Is this number, dialled from any of the present SIMs, on the client's allow list? True for
 * a client without such a list.
 */
bool policy_allows_number(const struct policy *policy, const struct client *client,
			  const char *number);

/*
 * While the policy is paused nothing is accepted, and nothing is submitted to oFono; waiting
 * messages go out after the pause. On disk when 0 is returned; otherwise STORE_E_FULL,
 * -errno, and a pause holds until the program ends.
 */
int policy_set_paused(struct policy *policy, bool paused);
/* Returns the country of a SIM's card; NULL if unknown. */
const struct country *policy_home_country(const struct policy *policy, int64_t sim_id);
/* Returns false if `policy` is NULL. */
bool policy_is_paused(const struct policy *policy);
/* The configuration, or the stored pause, may have changed. */
void policy_review(struct policy *policy);

/* Notified, without an event, when the pause, a balance or the configuration changes. */
struct observers *policy_observers(struct policy *policy);

/* ---- balance ------------------------------------------------------------------------- */

struct policy_balance_state {
	struct store_sim_balance last; /* reading */
	bool has_minimum;
	struct amount minimum;
	int64_t counts_until_ms; /* wall clock; afterwards the reading is too old */
	bool is_low;		 /* it counts, and is below the minimum */
};

/* Returns 0; STORE_E_NOT_FOUND if it was never read, or was forgotten; or -errno. */
int policy_get_balance(const struct policy *policy, int64_t sim_id,
		       struct policy_balance_state *balance_out);
/* Takes a new reading. Returns 0; or STORE_E_FULL or -errno, and the previous one stays. */
int policy_put_balance(struct policy *policy, int64_t sim_id, const char *code,
		       const struct balance *balance);
/* Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno. */
int policy_forget_balance(struct policy *policy, int64_t sim_id);
