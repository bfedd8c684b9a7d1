/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS order: the arguments of a send_sms call, and the checks that need no policy.
 *
 * Reading and checking change nothing, so a dry run uses all of it. Whether the owner allows
 * the message is the policy's question (policy/policy.h).
 */
#ifndef TOOLS_SMS_ORDER_H
#define TOOLS_SMS_ORDER_H

#include "numbers/phone_number.h"
#include "policy/policy.h"
#include "sms/segments.h"
#include "tools/services.h"
#include "tools/tool_failure.h"

enum {
	ORDER_AHEAD_DAYS = 30, /* limit of send_at */
	ORDER_VALID_LEAST_SECONDS = 60,
	ORDER_VALID_MOST_SECONDS = ORDER_AHEAD_DAYS * 24 * 60 * 60,
	ORDER_WAIT_MOST_SECONDS = 120,
};

enum sms_order_wait { ORDER_WAIT_NONE, ORDER_WAIT_SENT, ORDER_WAIT_DELIVERED };

/* The approval that a message needs before it is sent. */
enum sms_order_approval {
	ORDER_APPROVAL_NONE,
	ORDER_APPROVAL_AWAITED, /* the owner is to give it */
	ORDER_APPROVAL_GIVEN,	/* the client's user gave it just now */
};

/* The words of enum sms_order_wait, for the schema; ends with NULL. */
extern const char *const sms_order_wait_words[];

struct sms_order {
	struct tool_call *call;
	const char *recipient; /* as the caller wrote it */
	const char *text;
	const char *idempotency_key; /* NULL: none */
	bool key_is_ours;    /* the key is elicitation_order(), not the caller's */
	const char *send_at; /* as the caller wrote it; NULL: send at once */
	enum sms_order_wait wait_for;
	int64_t wait_seconds;
	bool dry_run;
	char number[PHONE_NUMBER_BYTES]; /* "": `recipient` is no phone number */
	struct segments segments;
	/* found by the checks */
	int64_t sim_id;	       /* 0: none chosen */
	int64_t send_at_ms;    /* 0: at once */
	int64_t expires_at_ms; /* 0: never */
	enum sms_order_approval approval;
};

/* The arguments fit the schema. */
void sms_order_read(struct sms_order *order, struct tool_call *call);

/* Fills in a part of the order, or returns false with *refusal_out. */
typedef bool (*sms_order_check)(struct sms_order *order, struct refusal *refusal_out);

/* Lists of checks, to be used in this order; each ends with NULL. */
extern const sms_order_check sms_order_form_checks[]; /* text and syntax of the time */
extern const sms_order_check
	sms_order_acceptance_checks[];		     /* time, validity, disk space */
extern const sms_order_check sms_order_sim_checks[]; /* exactly one: the SIM */

/* False: a check refused, and the call has been finished. */
bool sms_order_pass(struct sms_order *order, const sms_order_check *checks);

/* The first character that this phone's oFono may refuse to send; 0: none. */
uint32_t sms_order_risky_character(const struct sms_order *order);

/* What the policy judges, as far as it is known by now; borrows the order's strings. */
struct policy_request sms_order_request(const struct sms_order *order);

/* What the store gets; borrows the order's strings. */
struct store_message_draft sms_order_draft(const struct sms_order *order);

#endif
