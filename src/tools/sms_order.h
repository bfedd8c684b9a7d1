/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS order: the arguments of a send_sms call, and the checks that need no policy.
 *
 * Reading and checking change nothing, so a dry run uses all of it. Whether the owner allows
 * the message is the policy's question (policy/policy.h).
 */
#pragma once

#include "numbers/phone_number.h"
#include "policy/policy.h"
#include "store/store_attempt.h"
#include "text/segments.h"
#include "tools/services.h"
#include "tools/tool_failure.h"

enum {
	ORDER_AHEAD_DAYS = 30, /* limit of send_at */
	ORDER_VALID_LEAST_SECONDS = 60,
	ORDER_VALID_MOST_SECONDS = ORDER_AHEAD_DAYS * 24 * 60 * 60,
	ORDER_WAIT_MOST_SECONDS = 120,
	ORDER_RECIPIENTS_MAX = 100,
};

/* Left out, the message would go at once. */
#define SMS_ORDER_OTHER_NAMES_OF_SEND_AT                                             \
	"schedule schedule_at schedule_for schedule_time scheduled scheduled_at "    \
	"scheduled_for scheduled_time send_on send_time send_later send_after "      \
	"send_date deliver_at delivery_time delay delay_seconds delay_minutes when " \
	"datetime date_time"

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
	/* As the caller wrote it, or from the message that is answered; "" before
	 * sms_order_form_checks found neither. */
	const char *recipient;
	const struct json *recipients; /* to_phone_numbers; NULL with one recipient */
	/* several, in words, for questions; NULL with one recipient */
	const char *addressees;
	const char *text;
	const char *idempotency_key; /* NULL if there is none */
	bool key_is_ours; /* the key is elicitation_order(), not the caller's */
	const char *list_key, *list_prefix; /* see struct policy_request */
	const char *send_at; /* as the caller wrote it; NULL to send at once */
	enum sms_order_wait wait_for;
	int64_t wait_seconds;
	bool dry_run;
	bool is_spread;
	/* its fix is NULL if there is no key, or a good one */
	struct refusal key_refusal;
	/* its message is NULL if there is a recipient */
	struct refusal recipient_refusal;
	int64_t named_sim_id; /* by the caller or the answered message */
	bool names_sim;
	char number[PHONE_NUMBER_BYTES]; /* "" if `recipient` is no phone number */
	struct segments segments;
	const char *pool; /* as the caller wrote it; NULL if there is none */
	bool resends;	  /* if_unknown: resend */
	/* How a hub chose the SIM; both only where services->routing is. */
	bool is_routed;
	struct store_routed routed;
	const char *route; /* why this SIM; NULL if it was named */
	/* found by the checks */
	int64_t sim_id;	       /* 0 if none is chosen */
	int64_t wished_ms;     /* send_at; 0 for at once */
	int64_t send_at_ms;    /* the same, or later with is_spread */
	int64_t valid_ms;      /* for so long after that; 0 for always */
	int64_t expires_at_ms; /* 0 for never */
	/* it is a new version of this message; 0 if it is new */
	int64_t edits_message_id;
	bool keeps_time; /* and is to be sent when that was */
	enum sms_order_approval approval;
	bool is_unread; /* the user was asked for approval, and no answer counted */
	/* why the owner must approve it; NULL if that is not needed */
	const struct refusal *needs_owner;
};

/*
 * Reads order->number, "" if the recipient is no number. A recipient pasted with characters that
 * nobody sees becomes the number that it is.
 */
void sms_order_read_number(struct sms_order *order);
/* The arguments fit the schema. */
void sms_order_read(struct sms_order *order, struct tool_call *call);
/*
 * Returns the number itself, or + and its country code if a sender's number is shown without them.
 */
const char *sms_order_complete_sender(const struct sms_order *order, const char *number);

/* Fills in a part of the order, or returns false with *refusal_out. */
typedef bool (*sms_order_check)(struct sms_order *order, struct refusal *refusal_out);

/* Lists of checks, to be used in this order; each ends with NULL. */
extern const sms_order_check sms_order_form_checks[]; /* text and syntax of the time */
extern const sms_order_check
	sms_order_acceptance_checks[];		     /* time, validity, disk space */
extern const sms_order_check sms_order_sim_checks[]; /* exactly one check, of the SIM */

/* Returns false if a check refused, and the call has been finished. */
bool sms_order_pass(struct sms_order *order, const sms_order_check *checks);

/*
 * A schema's `describe`: what this phone's oFono cannot send. Also before oFono has answered,
 * or tools/list would change at every start.
 */
void sms_order_describe_text(const struct services *services, struct buffer *more);
/* Are there pools? For a schema's `is_offered` and `describe`. */
bool sms_order_has_pools(const struct services *services);
void sms_order_describe_pools(const struct services *services, struct buffer *more);
/* Is this a hub? For a schema's `is_offered`. */
bool sms_order_is_routed(const struct services *services);
/* The words of if_unknown. */
extern const char *const sms_order_unknown_words[];
/* Returns the first character that this phone's oFono may refuse to send; 0 if there is none. */
uint32_t sms_order_risky_character(const struct sms_order *order);

/* Returns what the policy judges, as far as it is known by now; borrows the order's strings. */
struct policy_request sms_order_request(const struct sms_order *order);

/*
 * Returns the policy's verdict: 0 (perhaps with needs_owner), POLICY_E_REFUSED or POLICY_E_REPEAT.
 * With is_spread, send_at_ms becomes the first free time. `plan` holds messages of the same call
 * that come before this one; NULL if there is none.
 */
int sms_order_judge(struct sms_order *order, const struct limit_plan *plan,
		    struct policy_verdict *verdict_out);
/* Returns a refusal of the policy, for the agent. */
/*
 * Returns when the limits of the SIM let the message go, after those of the plan (NULL if there is
 * none); 0 for now, or if that is unknown.
 */
int64_t sms_order_sim_free(const struct sms_order *order, const struct limit_plan *plan);
struct refusal sms_order_refusal(const struct sms_order *order,
				 const struct policy_verdict *verdict);

/* Returns what the store gets; borrows the order's strings. */
struct store_message_draft sms_order_draft(const struct sms_order *order);
/* Returns the message of the draft as it is stored; it is not read back. */
struct message sms_order_message(const struct store_message_draft *draft);
