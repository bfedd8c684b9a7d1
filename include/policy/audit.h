/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit: the events that strangers and clients cause as often as they like, and the start
 * and stop of the gateway. What is decided once goes to store/store_audit.h directly.
 *
 * Nobody who is refused can make the disk work for it: refusals are collected, equal ones
 * are one line with a count, and all lines are one commit. That comes within a second, and
 * after many lines only after a while: the next one two seconds later for each line
 * written, a minute at most. At most AUDIT_COLLECTED wait; of more than that the numbers are
 * left out, then the clients (tests/unit/test_audit.c). A stop writes what waits; a crash
 * loses it (doc/security.md).
 */
#ifndef POLICY_AUDIT_H
#define POLICY_AUDIT_H

#include <systemd/sd-event.h>

#include "base/client.h"
#include "base/failure.h"
#include "store/store_audit.h"

struct config;

enum {
	AUDIT_COLLECTED = 24, /* different ones, told in full */
	AUDIT_SOON_MS = 1000,
	AUDIT_PER_LINE_MS = 2000,
	AUDIT_LATEST_MS = 60 * 1000,
};

struct audit;

/* 0 or -errno. */
int audit_new(sd_event *loop, struct store *store, struct audit **audit_out);
void audit_free(struct audit *audit); /* writes what waits; NULL is fine */

/*
 * A message was refused before it was taken over. `number`: as it would be dialled, "" not
 * known; never what a caller wrote in its place. `code`: of the failure, "rate_limited".
 * Without an audit (NULL) nothing happens.
 */
void audit_send_refused(struct audit *audit, const struct client *client,
			const char *number, const char *code);

/*
 * The client's person is asked for a yes. What becomes of it: the message is accepted
 * ("approved_by_person"), or refused ("approval_rejected").
 */
void audit_user_asked(struct audit *audit, const struct client *client,
		      const char *number);

/*
 * A code was not dialled. `ussd_code`: one of the owner's list, "" any other, for it may hold
 * a PIN. `code`: of the failure.
 */
void audit_ussd_refused(struct audit *audit, const struct client *client,
			const char *ussd_code, const char *code);

/* The same of a call that was not placed. */
void audit_call_refused(struct audit *audit, const struct client *client,
			const char *number, const char *code);

/* A request had no token, or one that is none of ours. `source`: an IP address. */
void audit_auth_failed(struct audit *audit, const char *source);

/* How many of either there were since the start; codes that share one failure are one. */
uint64_t audit_refusals(const struct audit *audit, enum failure failure);
uint64_t audit_auth_failures(const struct audit *audit);

/*
 * "started" and "stopped", and the head on the log, so that the journal is a witness. The
 * line of the start has a digest of the configuration: whether it is the one of the start
 * before shows, what differs does not.
 */
void audit_start(struct audit *audit, const struct config *config);
void audit_stop(struct audit *audit);

#endif
