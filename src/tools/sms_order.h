/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS order: what a call of send_sms asks for, and whether it may be done.
 *
 * Reading and checking change nothing: that is why a dry run can use all of it. What the
 * owner lets be sent is not asked here but of the policy.
 */
#ifndef TOOLS_SMS_ORDER_H
#define TOOLS_SMS_ORDER_H

#include "numbers/phone_number.h"
#include "policy/policy.h"
#include "sms/segments.h"
#include "tools/failure.h"
#include "tools/services.h"

enum {
	ORDER_AHEAD_DAYS = 30, /* send_at */
	ORDER_VALID_LEAST_SECONDS = 60,
	ORDER_VALID_MOST_SECONDS = ORDER_AHEAD_DAYS * 24 * 60 * 60,
	ORDER_WAIT_MOST_SECONDS = 120,
};

enum order_wait { ORDER_WAIT_NONE, ORDER_WAIT_SENT, ORDER_WAIT_DELIVERED };

/* the yes that it needs before it goes out */
enum order_approval {
	ORDER_APPROVAL_NONE,
	ORDER_APPROVAL_AWAITED, /* the owner is to give it */
	ORDER_APPROVAL_GIVEN,	/* the person before the client has, just now */
};

/* the words of enum order_wait, for the schema; ends with NULL */
extern const char *const order_wait_words[];

struct sms_order {
	struct tool_call *call;
	const char *recipient; /* as the caller wrote it */
	const char *text;
	const char *idempotency_key; /* NULL: none */
	bool key_is_ours; /* ... the name of what the person was asked about, elicitation_order() */
	const char *send_at; /* as written; NULL: at once */
	enum order_wait wait_for;
	int64_t wait_seconds;
	bool dry_run;
	char number[PHONE_NUMBER_BYTES]; /* "": it is none */
	struct segments segments;
	/* found by the checks */
	int64_t sim_id;	       /* 0: none found */
	int64_t send_at_ms;    /* 0: at once */
	int64_t expires_at_ms; /* 0: never */
	enum order_approval approval;
};

/* The arguments fit the schema. */
void sms_order_read(struct sms_order *order, struct tool_call *call);

/* Each finds out its part, or says why not; NULL ends the list. In this order. */
typedef bool (*sms_order_check)(struct sms_order *order, struct refusal *refusal_out);

/* Whether it says anything: a text, and a time that is one. */
extern const sms_order_check sms_order_form_checks[];
/* Whether it could be taken over now, as far as the policy does not say: time, disk. */
extern const sms_order_check sms_order_acceptance_checks[];
/* Which SIM it goes out from, as far as nobody need be asked. */
extern const sms_order_check sms_order_sim_checks[];

/* The first refusal of a list, answered. False: the call has been finished. */
bool sms_order_pass(struct sms_order *order, const sms_order_check *checks);

/* The first character that this phone's oFono may refuse to send; 0: there is none. */
uint32_t sms_order_risky_character(const struct sms_order *order);

/* What the policy is asked, with what was found by now; borrows the order's strings. */
struct policy_request sms_order_request(const struct sms_order *order);

/* What goes to the store; borrows the order's strings. */
struct store_message_draft sms_order_draft(const struct sms_order *order);

#endif
