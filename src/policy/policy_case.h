/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Policy case: one request before the rules, with what they have found out of it.
 *
 * Private to src/policy.
 */
#ifndef POLICY_POLICY_CASE_H
#define POLICY_POLICY_CASE_H

#include "policy/policy.h"
#include "policy/recipient.h"
#include "config/config_policy.h"

struct policy {
	struct policy_parts parts;
	bool paused;
	bool is_unkept; /* the disk has refused the pause */
	sd_event_source *look;
	struct observers observers;
	struct config_policy seen; /* the configuration that they know of */
};

/* What a rule needs; what is not known leaves it out. */
enum policy_need {
	NEEDS_WRITTEN = 1 << 0, /* a number, in whatever form */
	NEEDS_NUMBER = 1 << 1,	/* ... that is one */
	NEEDS_TEXT = 1 << 2,
	NEEDS_SIM = 1 << 3,
};

struct policy_case {
	const struct policy *policy;
	const struct policy_request *request;
	struct recipient recipient;
	unsigned known; /* enum policy_need */
	int64_t now_ms; /* wall clock */
	int64_t at_ms;	/* ... when it would go out */
	/* what a check writes when it does not pass */
	struct refusal refusal;
	enum policy_repeat repeat;
	struct message first;
};

bool policy_is_call(const struct policy_case *about);
/* `message` NULL: out of memory. */
int policy_refuse(struct policy_case *about, enum failure failure, const char *message);
/* The ledger could not be read: `message`, unless it is known why. */
int policy_refuse_unread(struct policy_case *about, const char *message);
/* The refusal is over then, by the wall clock. */
void policy_retry_at(struct policy_case *about, int64_t wall_ms);

struct policy_rule {
	unsigned needs;
	unsigned acts; /* enum policy_act: of what it speaks */
	/* 0: it passes, POLICY_E_REFUSED, POLICY_E_REPEAT. Changes nothing but the case. */
	int (*check)(struct policy_case *about);
};

/* In the order in which they are asked; ends with a check that is NULL. */
extern const struct policy_rule policy_rules[];

/* Rules with a file of their own. */
int policy_check_repeat(struct policy_case *about);
int policy_check_length(struct policy_case *about);
int policy_check_rates(struct policy_case *about);
int policy_check_budgets(struct policy_case *about);
int policy_check_balance(struct policy_case *about);
int policy_check_calls(struct policy_case *about);

#endif
