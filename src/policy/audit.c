/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries wait in memory and are written together in one commit:
 *
 *   audit_*_refused() -> audit_collect() -> waiting[] -> timer -> audit_flush() -> the store
 *
 * The timer is set by the first entry that waits. It runs for AUDIT_SOON_MS, or longer after
 * a commit of many lines, so that refused requests cannot keep the disk busy.
 */
#include "policy/audit.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "sms/received_code.h"

enum {
	USEC_PER_MS = 1000,
	ACCURACY_USEC = 100 * 1000,
	SUBJECT_BYTES = 64, /* a phone number or an address */
	CODE_BYTES = 40,
	DIGEST_BYTES = 32,
	DIGEST_TEXT_BYTES = 17, /* enough to distinguish two configurations */
	/* entries that have lost details: see audit_collect() */
	AUDIT_COARSE = AUDIT_COLLECTED + 8,
	AUDIT_COARSEST = AUDIT_COARSE + 2,
};

struct audit_entry {
	enum audit_event event;
	int64_t client_id;
	char client[CLIENT_NAME_BYTES];
	char subject[SUBJECT_BYTES];
	char code[CODE_BYTES];
	int64_t count;
};

struct audit {
	struct store *store;
	sd_event_source *timer;
	struct audit_entry waiting[AUDIT_COARSEST];
	unsigned count;
	int64_t not_before_ms;		 /* monotonic clock */
	uint64_t refused[FAILURE_COUNT]; /* since the start */
	uint64_t auth_failures;
	bool is_troubled; /* the disk refuses; already logged */
};

static bool audit_is_same(const struct audit_entry *one, const struct audit_entry *other)
{
	return one->event == other->event && one->client_id == other->client_id &&
	       strcmp(one->client, other->client) == 0 &&
	       strcmp(one->subject, other->subject) == 0 &&
	       strcmp(one->code, other->code) == 0;
}

/* Counts an equal entry, or adds one. Returns false if there are `room` entries already. */
static bool audit_take(struct audit *audit, const struct audit_entry *next, unsigned room)
{
	for (unsigned i = 0; i < audit->count; i++) {
		if (audit_is_same(&audit->waiting[i], next)) {
			audit->waiting[i].count++;
			return true;
		}
	}
	if (audit->count >= room)
		return false;
	audit->waiting[audit->count] = *next;
	audit->waiting[audit->count++].count = 1;
	return true;
}

static int audit_write_refused(struct store *store, const struct audit_entry *one)
{
	const char *subject = one->event == AUDIT_USSD_REFUSED ? "ussd_code" : "number";

	return store_audit_record(
		store, one->event,
		(struct audit_event_fact[]){
			{ "count", NULL, one->count },
			{ "client_id", NULL, one->client_id },
			{ "client", one->client },
			{ "code", one->code },
			{ *one->subject ? subject : NULL, one->subject },
			{ NULL },
		});
}

static int audit_write_auth_failed(struct store *store, const struct audit_entry *one)
{
	return store_audit_record(
		store, AUDIT_AUTH_FAILED,
		(struct audit_event_fact[]){
			{ "count", NULL, one->count },
			{ *one->subject ? "source" : NULL, one->subject },
			{ NULL },
		});
}

static int audit_write_asked(struct store *store, const struct audit_entry *one)
{
	return store_audit_record(
		store, AUDIT_APPROVAL_ASKED,
		(struct audit_event_fact[]){
			{ "count", NULL, one->count },
			{ "client_id", NULL, one->client_id },
			{ "client", one->client },
			{ "reason", one->code },
			{ *one->subject ? "number" : NULL, one->subject },
			{ NULL },
		});
}

static int audit_write_one(struct store *store, const struct audit_entry *one)
{
	if (one->event == AUDIT_AUTH_FAILED)
		return audit_write_auth_failed(store, one);
	return one->event == AUDIT_APPROVAL_ASKED ? audit_write_asked(store, one)
						  : audit_write_refused(store, one);
}

static int audit_write_all(void *data, struct store *store)
{
	const struct audit *audit = data;
	int error = 0;

	for (unsigned i = 0; !error && i < audit->count; i++)
		error = audit_write_one(store, &audit->waiting[i]);
	return error;
}

static int64_t audit_pause_ms(unsigned lines)
{
	int64_t pause_ms = (int64_t)lines * AUDIT_PER_LINE_MS;

	return pause_ms < AUDIT_LATEST_MS ? pause_ms : AUDIT_LATEST_MS;
}

static void audit_log_trouble(struct audit *audit, int error)
{
	if (error && !audit->is_troubled)
		log_warning("audit: refusals cannot be written now: %s",
			    error < 0 ? strerror(-error) : "the disk is full");
	audit->is_troubled = error;
}

/* What the disk refuses is kept for the next time. */
static void audit_flush(struct audit *audit)
{
	int error;

	if (!audit->count)
		return;
	error = store_audit_transaction(audit->store, audit_write_all, audit);
	audit_log_trouble(audit, error);
	audit->not_before_ms = clock_monotonic_ms() + audit_pause_ms(audit->count);
	if (!error)
		audit->count = 0;
}

static void audit_flush_later(struct audit *audit)
{
	int64_t wait_ms = audit->not_before_ms - clock_monotonic_ms();

	if (wait_ms < AUDIT_SOON_MS)
		wait_ms = AUDIT_SOON_MS;
	if (wait_ms > AUDIT_LATEST_MS)
		wait_ms = AUDIT_LATEST_MS;
	sd_event_source_set_time_relative(audit->timer, (uint64_t)wait_ms * USEC_PER_MS);
	sd_event_source_set_enabled(audit->timer, SD_EVENT_ONESHOT);
}

static int audit_on_due(sd_event_source *source, uint64_t usec, void *data)
{
	struct audit *audit = data;

	audit_flush(audit);
	if (audit->count)
		audit_flush_later(audit);
	return 0;
}

/*
 * While there is no room, the entry loses the details that differ most, until it equals an
 * entry that is there.
 */
static void audit_collect(struct audit *audit, struct audit_entry *next)
{
	if (!audit->count)
		audit_flush_later(audit);
	if (audit_take(audit, next, AUDIT_COLLECTED))
		return;
	next->subject[0] = '\0';
	if (audit_take(audit, next, AUDIT_COARSE))
		return;
	next->client_id = 0;
	next->client[0] = next->code[0] = '\0';
	audit_take(audit, next, AUDIT_COARSEST);
}

static void audit_collect_of_client(struct audit *audit, struct audit_entry next,
				    const struct client *client, const char *number)
{
	if (!audit)
		return;
	next.client_id = client->id;
	snprintf(next.client, sizeof(next.client), "%s", client->name);
	snprintf(next.subject, sizeof(next.subject), "%s", number);
	audit_collect(audit, &next);
}

void audit_send_refused(struct audit *audit, const struct client *client,
			const char *number, const char *code)
{
	struct audit_entry next = { .event = AUDIT_SEND_REFUSED };

	if (audit)
		audit->refused[failure_of_code(code)]++;
	snprintf(next.code, sizeof(next.code), "%s", code);
	audit_collect_of_client(audit, next, client, number);
}

void audit_call_refused(struct audit *audit, const struct client *client,
			const char *number, const char *code)
{
	struct audit_entry next = { .event = AUDIT_CALL_REFUSED };

	snprintf(next.code, sizeof(next.code), "%s", code);
	audit_collect_of_client(audit, next, client, number);
}

void audit_ussd_refused(struct audit *audit, const struct client *client,
			const char *ussd_code, const char *code)
{
	struct audit_entry next = { .event = AUDIT_USSD_REFUSED };

	snprintf(next.code, sizeof(next.code), "%s", code);
	audit_collect_of_client(audit, next, client, ussd_code);
}

void audit_user_asked(struct audit *audit, const struct client *client,
		      const char *number)
{
	struct audit_entry next = { .event = AUDIT_APPROVAL_ASKED,
				    .code = "person_is_asked" };

	audit_collect_of_client(audit, next, client, number);
}

void audit_dry_run_held(struct audit *audit, const struct client *client,
			const char *number)
{
	struct audit_entry next = { .event = AUDIT_DRY_RUN_HELD };

	snprintf(next.code, sizeof(next.code), "%s", received_code_reason);
	audit_collect_of_client(audit, next, client, number);
}

void audit_auth_failed(struct audit *audit, const char *source)
{
	struct audit_entry next = { .event = AUDIT_AUTH_FAILED };

	if (!audit)
		return;
	audit->auth_failures++;
	snprintf(next.subject, sizeof(next.subject), "%s", source);
	audit_collect(audit, &next);
}

uint64_t audit_refusals(const struct audit *audit, enum failure failure)
{
	return audit->refused[failure];
}

uint64_t audit_auth_failures(const struct audit *audit)
{
	return audit->auth_failures;
}

/* Writes "" if memory runs out. */
static void audit_digest(const struct config *config, char digest[DIGEST_TEXT_BYTES])
{
	uint8_t bytes[DIGEST_BYTES];
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	digest[0] = '\0';
	if (!out)
		return;
	config_print(config, out);
	if (fclose(out) == 0 &&
	    gnutls_hash_fast(GNUTLS_DIG_SHA256, text, length, bytes) >= 0) {
		for (int i = 0; i < (DIGEST_TEXT_BYTES - 1) / 2; i++)
			snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
	}
	free(text);
}

/* `config` is the digest of the configuration; NULL if there is none. */
static void audit_write_moment(struct audit *audit, enum audit_event event,
			       const char *moment, const char *config)
{
	char text[AUDIT_HEAD_TEXT_BYTES];
	struct audit_chain_head head;
	int error = store_audit_record(audit->store, event,
				       (struct audit_event_fact[]){
					       { "version", OFONO_MCP_VERSION },
					       { config ? "config" : NULL, config },
					       { NULL },
				       });

	if (error)
		log_warning("audit: the %s cannot be written: %s", moment,
			    error < 0 ? strerror(-error) : "the disk is full");
	if (store_audit_head(audit->store, &head))
		return;
	audit_chain_write_head(&head, text);
	log_info("audit: head at the %s: %s", moment, text);
}

void audit_start(struct audit *audit, const struct config *config)
{
	char digest[DIGEST_TEXT_BYTES];

	audit_digest(config, digest);
	audit_write_moment(audit, AUDIT_STARTED, "start", digest);
}

void audit_stop(struct audit *audit)
{
	audit_flush(audit);
	audit_write_moment(audit, AUDIT_STOPPED, "stop", NULL);
}

int audit_new(sd_event *loop, struct store *store, struct audit **audit_out)
{
	struct audit *audit = calloc(1, sizeof(*audit));
	int error;

	if (!audit)
		return -ENOMEM;
	audit->store = store;
	error = sd_event_add_time_relative(loop, &audit->timer, CLOCK_MONOTONIC, 0,
					   ACCURACY_USEC, audit_on_due, audit);
	if (error >= 0)
		error = sd_event_source_set_enabled(audit->timer, SD_EVENT_OFF);
	if (error < 0) {
		audit_free(audit);
		return error;
	}
	*audit_out = audit;
	return 0;
}

void audit_free(struct audit *audit)
{
	if (!audit)
		return;
	audit_flush(audit);
	sd_event_source_disable_unref(audit->timer);
	free(audit);
}
