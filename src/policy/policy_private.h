/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Policy, inside: one request while the rules check it, and the table of rules.
 *
 * Private to src/policy.
 */
#pragma once

#include "policy/code_probe.h"
#include "policy/policy.h"
#include "policy/recipient.h"

/* What a rule needs to know of a request. */
enum policy_need {
	POLICY_NEEDS_WRITTEN = 1 << 0, /* a number, in whatever form */
	POLICY_NEEDS_NUMBER = 1 << 1,  /* a valid number */
	POLICY_NEEDS_TEXT = 1 << 2,
	POLICY_NEEDS_SIM = 1 << 3,
};

struct policy_case {
	const struct policy *policy;
	const struct policy_parts *parts;
	struct code_probes *probes;
	const struct policy_request *request;
	struct recipient recipient;
	unsigned known;	  /* enum policy_need */
	int64_t now_ms;	  /* wall clock */
	int64_t at_ms;	  /* wall clock, when it would go out */
	int64_t usage_id; /* of the message that is edited; 0 if there is none */
	/* written by the rule that refuses */
	struct refusal refusal;
	int64_t retry_at_ms; /* wall clock: when the refusal ends; 0 if unknown */
	enum policy_repeat repeat;
	struct message first;
};

struct policy_rule {
	unsigned needs;
	unsigned acts; /* enum policy_act: what the rule is about */
	/*
	 * Returns 0 if it passes, or an outcome of policy_check(). After POLICY_E_NEEDS_OWNER the
	 * other rules are still checked. Changes nothing but the case, and the probes.
	 */
	int (*check)(struct policy_case *about);
};

/* In the order of checking; ends with a check that is NULL. */
extern const struct policy_rule policy_rules[];

const struct config_list *policy_segment_prices(const struct policy *policy);

/* Returns how many paired clients share the limits of this SIM. */
int64_t policy_sim_clients(const struct policy *policy, int64_t sim_id);
/* Does its recipient reach an emergency service, as far as any modem knows (policy_rules.c)? */
bool policy_rules_is_emergency(const struct policy_case *about);

/* ---- policy_case.c */

bool policy_case_is_call(const struct policy_case *about);
/* Refuses, and returns POLICY_E_REFUSED. `message` is NULL if memory ran out. */
int policy_case_refuse(struct policy_case *about, enum failure failure,
		       const char *message);
/* It passes only with the owner's approval. Returns POLICY_E_NEEDS_OWNER. */
int policy_case_ask_owner(struct policy_case *about, enum failure failure,
			  const char *message);
/*
 * Refuses because the message store could not be read: with `message`, unless the store knows why.
 */
int policy_case_refuse_unread(struct policy_case *about, const char *message);
/* After a refusal: it ends at this time of the wall clock. */
void policy_case_set_retry(struct policy_case *about, int64_t wall_ms);

/* Returns why the text needs the owner's approval; NULL if it does not (policy_codes.c). */
const char *policy_codes_check(struct policy_case *about, enum failure *failure_out);
/* Rules of policy_limits.c. */
int policy_limits_check_rates(struct policy_case *about);
int policy_limits_check_budgets(struct policy_case *about);
int policy_limits_check_calls(struct policy_case *about);
int policy_limits_check_balance(struct policy_case *about);
/* A rule of policy_sim.c. */
int policy_sim_check_allowed(struct policy_case *about);
/*
 * Refuses the SIM if it is locked and its country unknown, because it was never unlocked; else
 * returns 0. For rules that would blame the number, which no other spelling mends.
 */
int policy_sim_check_unlocked(struct policy_case *about);
