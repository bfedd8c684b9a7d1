/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit: events that strangers and clients can cause as often as they like, and the start and
 * stop of the gateway. Other events are written through store/store_audit.h directly.
 *
 * Refused requests cannot keep the disk busy: refusals are collected, equal ones become one
 * line with a count, and all lines are one commit. The commit follows within a second. After
 * a commit the next one waits two seconds for each line written, at most a minute. At most
 * AUDIT_COLLECTED entries wait in full; further ones lose their numbers, then their clients
 * (tests/unit/test_audit.c). A stop writes what waits; a crash loses it (doc/security.md).
 */
#pragma once

#include <systemd/sd-event.h>

#include "base/client.h"
#include "base/failure.h"
#include "store/store_audit.h"

struct config;

enum {
	AUDIT_COLLECTED = 24, /* different entries with all details */
	AUDIT_SOON_MS = 1000,
	AUDIT_PER_LINE_MS = 2000,
	AUDIT_LATEST_MS = 60 * 1000,
};

struct audit;

/* Returns 0 or -errno. */
int audit_new(sd_event *loop, struct store *store, struct audit **audit_out);
void audit_free(struct audit *audit); /* writes what waits; NULL is fine */

/*
 * Records that a message was refused and not accepted. `number` is as it would be dialled, or "" if
 * unknown; it is never what the client wrote instead of a number. `code` is that of the failure,
 * such as "rate_limited". Without an audit (NULL) nothing happens.
 */
void audit_send_refused(struct audit *audit, const struct client *client,
			const char *number, const char *code);

/*
 * Records that the client's user is asked for approval. Then the message is accepted
 * ("approved_by_person") or refused ("approval_rejected").
 */
void audit_user_asked(struct audit *audit, const struct client *client,
		      const char *number);

/* Records that a dry run told the client that a text holds a received code. */
void audit_dry_run_held(struct audit *audit, const struct client *client,
			const char *number);

/*
 * Records that a USSD code was not dialled. `ussd_code` is one of the owner's list, or "" for any
 * other, because it may contain a PIN. `code` is that of the failure.
 */
void audit_ussd_refused(struct audit *audit, const struct client *client,
			const char *ussd_code, const char *code);

/* Records that a call was not placed. The parameters are those of audit_send_refused(). */
void audit_call_refused(struct audit *audit, const struct client *client,
			const char *number, const char *code);

/* Records that a request had no valid token. `source` is an IP address. */
void audit_auth_failed(struct audit *audit, const char *source);

/*
 * Returns the number of refused messages and requests since the start. Codes of one failure are
 * counted together.
 */
uint64_t audit_refusals(const struct audit *audit, enum failure failure);
uint64_t audit_auth_failures(const struct audit *audit);

/*
 * Write "started" and "stopped", and log the head of the hash chain, so that the journal can
 * prove it. The line of the start has a digest of the configuration: it shows whether the
 * configuration has changed since the previous start, but not what.
 */
void audit_start(struct audit *audit, const struct config *config);
void audit_stop(struct audit *audit);
