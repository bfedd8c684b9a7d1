/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failure: the ways a tool call can fail, each with its code, whether a retry can help, and the
 * next step. One table, so that an agent reads the same words everywhere.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum failure {
	FAILURE_INVALID_ARGUMENTS,
	FAILURE_INVALID_NUMBER,
	FAILURE_NO_REPLY, /* invalid_number: the sender is a name */
	FAILURE_INVALID_TEXT,
	FAILURE_TEXT_TOO_LONG,
	FAILURE_SUBSCRIPTION_REQUIRED,
	FAILURE_SUBSCRIPTION_UNKNOWN,
	FAILURE_ELICITATION_DECLINED,
	FAILURE_APPROVAL_REJECTED, /* by the owner */
	FAILURE_USER_REJECTED,	   /* approval_rejected by the user */
	FAILURE_SIM_ABSENT,
	FAILURE_SIM_LOCKED,
	FAILURE_SIM_HELD,	/* sim_locked by a lock that neither PIN nor PUK opens */
	FAILURE_SIM_RESTRICTED, /* by fixed or barred dialling */
	FAILURE_MODEM_OFF,
	FAILURE_NOT_REGISTERED,
	FAILURE_SIM_DUPLICATE,
	FAILURE_MODEM_STUCK,
	FAILURE_PAUSED,
	FAILURE_SCOPE,
	FAILURE_SUBSCRIPTION_NOT_ALLOWED,
	FAILURE_EMERGENCY_NUMBER,
	FAILURE_PREMIUM_NUMBER,
	FAILURE_INTERNATIONAL,
	FAILURE_RECIPIENT_NOT_ALLOWED,
	FAILURE_RECIPIENT_OPTED_OUT,
	FAILURE_QUIET_HOURS,
	FAILURE_QUIET_FOR_CALLS, /* quiet_hours */
	FAILURE_LOOP,
	FAILURE_RECEIVED_CODE, /* only the owner can approve it */
	FAILURE_RATE_LIMITED,
	FAILURE_BUDGET_EXHAUSTED,
	FAILURE_BALANCE_LOW, /* budget_exhausted: the SIM's balance */
	FAILURE_QUEUE_FULL,
	FAILURE_TOO_MANY_WAITING,
	FAILURE_STORAGE_FULL,
	FAILURE_NOT_ON_DISK, /* storage_full after the message was accepted */
	FAILURE_NETWORK_REFUSED,
	FAILURE_NOT_DELIVERED,
	FAILURE_UNKNOWN_OUTCOME,
	FAILURE_CANCELLED,
	FAILURE_EXPIRED,
	FAILURE_NOT_FOUND,
	FAILURE_KEY_NOT_FOUND, /* not_found, with another next step */
	FAILURE_KEY_TAKEN,
	FAILURE_KEY_CLOSED,
	FAILURE_STALE_HUB,
	FAILURE_OTHER_EPOCH,
	FAILURE_TOO_LATE,
	FAILURE_DECIDED, /* too_late for a decision */
	FAILURE_OWN_MESSAGE,
	FAILURE_CODE_NOT_ALLOWED,
	FAILURE_USSD_BUSY,
	FAILURE_USSD_UNAVAILABLE,
	FAILURE_USSD_FAILED,
	FAILURE_NO_DIALOGUE,
	FAILURE_CALL_BUSY,
	FAILURE_CALL_UNAVAILABLE,
	FAILURE_CALL_FAILED,
	FAILURE_CALL_UNKNOWN,	/* unknown_outcome */
	FAILURE_CALL_NOT_FOUND, /* not_found */
	FAILURE_CALL_COMES_IN,
	FAILURE_CALL_REJECTED, /* approval_rejected */
	FAILURE_NOT_YOUR_CALL,
	FAILURE_APPROVAL_REQUIRED,
	FAILURE_OFONO_ACCESS, /* oFono's own access control, beyond the bus policy */
	FAILURE_OFONO_UNAVAILABLE,
	FAILURE_INTERNAL,
};

enum { FAILURE_COUNT = FAILURE_INTERNAL + 1 };

struct failure_words {
	const char *code;
	const char *fix;
	bool retryable;
	int retry_after_seconds; /* unless the call knows better */
};

const struct failure_words *failure_words(enum failure failure);

/* Returns the failure with this code, such as a reason of the outbox ("network_refused"). */
enum failure failure_of_code(const char *code);

/* A failure with its message: the result of a check, collected by a dry run. */
struct refusal {
	enum failure failure;
	const char *message;	     /* NULL if memory runs out */
	int64_t retry_after_seconds; /* 0 for the default of the table */
	const char *fix;	     /* NULL for the one of the table */
	int64_t fits; /* how many such messages are accepted then; 0 if unknown */
};

/* Returns the next step of a refusal: its own, or the one of the table. */
const char *failure_fix(const struct refusal *refusal);
