/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit event: the table of events that the audit log records, and the facts of each.
 *
 * No fact is a message text, a token, a one-time code or a PIN. Phone numbers are complete,
 * unlike in a log: the audit is the owner's proof of which numbers the phone wrote to, it is
 * as secret as the message store that contains it, and it is never sent anywhere. A log is
 * copied, shipped and pasted, so it has only three digits.
 */
#ifndef STORE_AUDIT_EVENT_H
#define STORE_AUDIT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* Stored by name: the order may change. */
enum audit_event {
	AUDIT_STARTED,
	AUDIT_STOPPED,
	AUDIT_SEND_ACCEPTED,
	AUDIT_SEND_REFUSED,
	AUDIT_SEND_CANCELLED,
	AUDIT_SEND_OUTCOME,
	AUDIT_APPROVAL_ASKED,
	AUDIT_APPROVAL_GIVEN,
	AUDIT_APPROVAL_REJECTED,
	AUDIT_APPROVAL_EXPIRED,
	AUDIT_CLIENT_PAIRED,
	AUDIT_CLIENT_CHANGED,
	AUDIT_CLIENT_REVOKED,
	AUDIT_CLIENT_ROTATED,
	AUDIT_AUTH_FAILED,
	AUDIT_CONFIG_CHANGED,
	AUDIT_PAUSED,
	AUDIT_RESUMED,
	AUDIT_SIM_UNLOCK,
	AUDIT_USSD_DIALLED,
	AUDIT_USSD_ENDED,
	AUDIT_USSD_REFUSED,
	AUDIT_BALANCE_READ,
	AUDIT_BALANCE_FORGOTTEN,
	AUDIT_CALL_PLACED,
	AUDIT_CALL_HUNG_UP,
	AUDIT_CALL_ENDED,
	AUDIT_CALL_REFUSED,
	AUDIT_OPTED_OUT,
	AUDIT_OPTED_IN,
	AUDIT_STORE_RESCUED,
	AUDIT_STORE_REBUILT,
	AUDIT_STORE_RESTORED,
	AUDIT_EVENT_COUNT,
};

enum { AUDIT_FIELDS_MAX = 10 };

struct audit_event_row {
	const char *name;  /* "send_accepted" */
	const char *words; /* "message accepted" */
	/* All are optional; ends with NULL. */
	const char *fields[AUDIT_FIELDS_MAX + 1];
	const char *former_name; /* in lines of older versions; NULL: the same name */
};

extern const struct audit_event_row audit_events[AUDIT_EVENT_COUNT];

/* By its present or former name. NULL: unknown, perhaps of a newer program. */
const struct audit_event_row *audit_event_find(const char *name);
bool audit_event_has(enum audit_event event, const char *field);

/* One fact; a list of facts ends with { NULL }. */
struct audit_event_fact {
	const char *field;
	const char *text; /* NULL: `number` is the fact */
	int64_t number;
};

#endif
