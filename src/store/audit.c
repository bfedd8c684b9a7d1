/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the audit log: their hashes, the text form of a head, and their columns in
 * SQL. The layout of a hash is in store/audit.h. The table of events is below.
 *
 * A new line needs the hash of the newest one, so reading the head, computing the hash
 * and inserting the line happen in one transaction. A database that is not opened as a
 * store, during a restore or rebuild, gets its line by audit_chain_add().
 */
#include "store/audit.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_internal.h"

enum { DIGITS_MAX = 18 };

void audit_chain_write_head(const struct audit_chain_head *head,
			    char text[AUDIT_HEAD_TEXT_BYTES])
{
	int length =
		snprintf(text, AUDIT_HEAD_TEXT_BYTES, "%lld:", (long long)head->line);

	for (int i = 0; i < AUDIT_HASH_BYTES; i++)
		length += snprintf(text + length, AUDIT_HEAD_TEXT_BYTES - (size_t)length,
				   "%02x", head->hash[i]);
}

static bool audit_chain_parse_hash(const char *text, uint8_t hash_out[AUDIT_HASH_BYTES])
{
	gnutls_datum_t digits = { (unsigned char *)(uintptr_t)text,
				  (unsigned)strlen(text) };
	size_t size = AUDIT_HASH_BYTES;

	return digits.size == 2 * AUDIT_HASH_BYTES &&
	       strspn(text, "0123456789abcdefABCDEF") == digits.size &&
	       gnutls_hex_decode(&digits, hash_out, &size) == 0;
}

bool audit_chain_parse_head(const char *text, struct audit_chain_head *head_out)
{
	struct audit_chain_head head = { .line = 0 };
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > DIGITS_MAX || text[digits] != ':' ||
	    !audit_chain_parse_hash(text + digits + 1, head.hash))
		return false;
	for (size_t i = 0; i < digits; i++)
		head.line = head.line * 10 + (text[i] - '0');
	*head_out = head;
	return true;
}

static int audit_chain_hash_number(gnutls_hash_hd_t digest, uint64_t number)
{
	uint8_t bytes[sizeof(number)];

	for (size_t i = sizeof(bytes); i-- > 0; number >>= 8)
		bytes[i] = (uint8_t)number;
	return gnutls_hash(digest, bytes, sizeof(bytes));
}

static int audit_chain_hash_text(gnutls_hash_hd_t digest, const char *text)
{
	size_t length = strlen(text);
	int error = audit_chain_hash_number(digest, length);

	return error ? error : gnutls_hash(digest, text, length);
}

bool audit_chain_hash(const uint8_t before[AUDIT_HASH_BYTES],
		      const struct audit_chain_line *line,
		      uint8_t hash_out[AUDIT_HASH_BYTES])
{
	gnutls_hash_hd_t digest;
	int error = gnutls_hash_init(&digest, GNUTLS_DIG_SHA256);

	if (error)
		return false;
	error = gnutls_hash(digest, before, AUDIT_HASH_BYTES);
	if (!error)
		error = audit_chain_hash_number(digest, (uint64_t)line->id);
	if (!error)
		error = audit_chain_hash_number(digest, (uint64_t)line->at_ms);
	if (!error)
		error = audit_chain_hash_text(digest, line->event);
	if (!error)
		error = audit_chain_hash_text(digest, line->detail);
	gnutls_hash_deinit(digest, hash_out);
	return !error;
}

static void audit_chain_read_hash(sqlite3_stmt *statement, int column, uint8_t *hash_out)
{
	memset(hash_out, 0, AUDIT_HASH_BYTES);
	if (sqlite3_column_bytes(statement, column) == AUDIT_HASH_BYTES)
		memcpy(hash_out, sqlite3_column_blob(statement, column),
		       AUDIT_HASH_BYTES);
}

/*
 * SQL ends a text at a NUL, but the hash covers all of it: a line with a NUL counts as
 * having no text.
 */
static const char *audit_chain_read_text(sqlite3_stmt *statement, int column)
{
	const char *text = store_column_text(statement, column);

	return strlen(text) == (size_t)sqlite3_column_bytes(statement, column) ? text
									       : "";
}

void audit_chain_read_line(sqlite3_stmt *statement, struct audit_chain_line *line_out)
{
	*line_out = (struct audit_chain_line){
		.id = sqlite3_column_int64(statement, 0),
		.at_ms = sqlite3_column_int64(statement, 1),
		.event = audit_chain_read_text(statement, 2),
		.detail = audit_chain_read_text(statement, 3),
	};
	audit_chain_read_hash(statement, 4, line_out->hash);
}

void audit_chain_read_head(sqlite3_stmt *statement, struct audit_chain_head *head_out)
{
	head_out->line = sqlite3_column_int64(statement, 0);
	audit_chain_read_hash(statement, 1, head_out->hash);
}

bool audit_chain_bind(sqlite3_stmt *statement, const struct audit_chain_head *head,
		      struct audit_chain_line *line)
{
	line->id = head->line + 1;
	line->at_ms = clock_wall_ms();
	if (!audit_chain_hash(head->hash, line, line->hash))
		return false;
	store_bind_integers(statement, 1, line->id, line->at_ms);
	store_bind_text(statement, 3, line->event);
	store_bind_text(statement, 4, line->detail);
	sqlite3_bind_blob(statement, 5, line->hash, AUDIT_HASH_BYTES, SQLITE_STATIC);
	return true;
}

int audit_chain_find_head(sqlite3 *database, struct audit_chain_head *head_out)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(database, AUDIT_HEAD_SQL, -1, &statement, NULL);

	*head_out = (struct audit_chain_head){ .line = 0 };
	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		audit_chain_read_head(statement, head_out);
	sqlite3_finalize(statement);
	return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

int audit_chain_add(sqlite3 *database, enum audit_event event, const char *detail_json)
{
	struct audit_chain_line line = { .event = audit_events[event].name,
					 .detail = detail_json };
	struct audit_chain_head head;
	sqlite3_stmt *statement = NULL;
	int result = audit_chain_find_head(database, &head);

	if (!result)
		result =
			sqlite3_prepare_v2(database, AUDIT_ADD_SQL, -1, &statement, NULL);
	if (!result)
		result = audit_chain_bind(statement, &head, &line)
				 ? sqlite3_step(statement)
				 : SQLITE_NOMEM;
	sqlite3_finalize(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ---- events */

#define MESSAGE_FIELDS                                                      \
	{ "message_id", "client_id", "client", "number", "subscription_id", \
	  "segments",	"state",     "reason", "count" }
#define DECISION_FIELDS { "message_id", "state", "reason", "by" }
#define CLIENT_FIELDS                                               \
	{ "client_id", "client",     "scopes",	 "ask",	    "sims", \
	  "allow",     "per_minute", "per_hour", "per_day", "segments_per_month" }

#define COMMAND_FIELDS { "message_id", "number", "subscription_id", "kind", "reason" }
#define CONSENT_FIELDS \
	{ "consent", "client_id", "client", "receiver", "type", "with_text", "by" }
#define WEBHOOK_FIELDS \
	{ "client_id", "client", "subscription", "receiver", "type", "reason" }

const struct audit_event_row audit_events[AUDIT_EVENT_COUNT] = {
	[AUDIT_STARTED] = { "started", "gateway started", { "version", "config" } },
	[AUDIT_STOPPED] = { "stopped", "gateway stopped", { "version" } },
	[AUDIT_SEND_ACCEPTED] = { "send_accepted", "message accepted", MESSAGE_FIELDS },
	[AUDIT_SEND_EDITED] = { "send_edited", "message changed", MESSAGE_FIELDS },
	[AUDIT_SEND_REFUSED] = { "send_refused",
				 "message refused",
				 { "client_id", "client", "number", "code", "count" } },
	[AUDIT_SEND_CANCELLED] = { "send_cancelled",
				   "message cancelled",
				   { "message_id", "state", "reason", "by" } },
	[AUDIT_SEND_OUTCOME] = { "send_outcome",
				 "message ended",
				 { "message_id", "state", "reason", "by" } },
	[AUDIT_APPROVAL_ASKED] = { "approval_asked", "approval requested",
				   MESSAGE_FIELDS },
	[AUDIT_APPROVAL_GIVEN] = { "approval_given", "message approved",
				   DECISION_FIELDS },
	[AUDIT_APPROVAL_REJECTED] = { "approval_rejected", "message rejected",
				      DECISION_FIELDS },
	[AUDIT_APPROVAL_EXPIRED] = { "approval_expired", "nobody approved in time",
				     DECISION_FIELDS },
	[AUDIT_CLIENT_PAIRED] = { "client_paired", "client paired", CLIENT_FIELDS },
	[AUDIT_CLIENT_CHANGED] = { "client_changed", "client permissions changed",
				   CLIENT_FIELDS },
	[AUDIT_CLIENT_REVOKED] = { "client_revoked",
				   "client revoked",
				   { "client_id", "client" } },
	[AUDIT_CLIENT_ROTATED] = { "client_rotated",
				   "client has a new token",
				   { "client_id", "client" } },
	[AUDIT_AUTH_FAILED] = { "auth_failed", "wrong token", { "source", "count" } },
	[AUDIT_CONFIG_CHANGED] = { "config_changed",
				   "configuration changed",
				   { "key", "old", "new", "adopted" } },
	[AUDIT_PAUSED] = { "paused", "sending paused", { "by", "reason" } },
	[AUDIT_RESUMED] = { "resumed", "sending resumed", { "by", "reason" } },
	[AUDIT_SIM_UNLOCK] = { "sim_unlock",
			       "SIM unlock",
			       { "subscription_id", "outcome", "retries", "by" } },
	[AUDIT_USSD_DIALLED] = { "ussd_dialled",
				 "USSD code dialled",
				 { "client_id", "client", "ussd_code", "subscription_id",
				   "turn" } },
	[AUDIT_USSD_ENDED] = { "ussd_ended",
			       "USSD code ended",
			       { "client_id", "client", "ussd_code", "subscription_id",
				 "turn", "outcome" } },
	[AUDIT_USSD_REFUSED] = { "ussd_refused",
				 "USSD code refused",
				 { "client_id", "client", "ussd_code", "code",
				   "count" } },
	[AUDIT_BALANCE_READ] = { "balance_read",
				 "balance of a SIM read",
				 { "subscription_id", "ussd_code", "amount",
				   "currency" } },
	[AUDIT_BALANCE_FORGOTTEN] = { "balance_forgotten",
				      "balance of a SIM forgotten",
				      { "subscription_id", "by" } },
	[AUDIT_CALL_PLACED] = { "call_placed",
				"call placed",
				{ "call_id", "client_id", "client", "number",
				  "subscription_id", "reason" } },
	[AUDIT_CALL_HUNG_UP] = { "call_hung_up",
				 "client hung up",
				 { "call_id", "client_id", "client" } },
	[AUDIT_CALL_ENDED] = { "call_ended",
			       "call ended",
			       { "call_id", "client_id", "client", "state", "reason" } },
	[AUDIT_CALL_REFUSED] = { "call_refused",
				 "call refused",
				 { "client_id", "client", "number", "code", "count" } },
	[AUDIT_OPTED_OUT] = { "opted_out", "recipient opted out", { "number", "by" } },
	[AUDIT_OPTED_IN] = { "opted_in", "recipient opted in again", { "number", "by" } },
	[AUDIT_OPT_OUT_ASKED] = { "opt_out_asked",
				  "opt-out from a number of the owner, who decides",
				  { "number" } },
	[AUDIT_AGENT_ENROLLED] = { "agent_enrolled",
				   "number got a secret for commands",
				   { "number", "by" } },
	[AUDIT_AGENT_REMOVED] = { "agent_removed",
				  "number lost its secret for commands",
				  { "number", "by" } },
	[AUDIT_COMMAND_ACCEPTED] = { "command_accepted", "command by SMS accepted",
				     COMMAND_FIELDS },
	[AUDIT_COMMAND_REFUSED] = { "command_refused", "command by SMS refused",
				    COMMAND_FIELDS },
	[AUDIT_COMMAND_LOCKED] = { "command_locked",
				   "commands of a number refused for an hour",
				   { "number" } },
	[AUDIT_WEBHOOK_ASKED] = { "webhook_asked", "webhook waits for approval",
				  CONSENT_FIELDS },
	[AUDIT_WEBHOOK_APPROVED] = { "webhook_approved", "webhook approved",
				     CONSENT_FIELDS },
	[AUDIT_WEBHOOK_REJECTED] = { "webhook_rejected", "webhook rejected",
				     CONSENT_FIELDS },
	[AUDIT_WEBHOOK_WITHDRAWN] = { "webhook_withdrawn", "webhook approval withdrawn",
				      CONSENT_FIELDS },
	[AUDIT_WEBHOOK_SUBSCRIBED] = { "webhook_subscribed", "client has a webhook",
				       WEBHOOK_FIELDS },
	[AUDIT_WEBHOOK_SUSPENDED] = { "webhook_suspended", "webhook suspended",
				      WEBHOOK_FIELDS },
	[AUDIT_WEBHOOK_ENDED] = { "webhook_ended", "webhook ended", WEBHOOK_FIELDS },
	[AUDIT_PHONE_ENROLLED] = { "phone_enrolled", "phone enrolled", { "phone" } },
	[AUDIT_PHONE_REVOKED] = { "phone_revoked", "phone revoked", { "phone" } },
	[AUDIT_POOL_CHANGED] = { "pool_changed",
				 "pool of SIMs set",
				 { "pool", "sims", "count", "sticky", "country",
				   "recipients_per_month", "failover", "by" } },
	[AUDIT_POOL_REMOVED] = { "pool_removed",
				 "pool of SIMs removed",
				 { "pool", "by" } },
	[AUDIT_SIM_DRAINED] = { "sim_drained",
				"SIM gets no new messages",
				{ "subscription_id", "phone", "by" } },
	[AUDIT_SIM_UNDRAINED] = { "sim_undrained",
				  "SIM gets new messages again",
				  { "subscription_id", "phone", "by" } },
	[AUDIT_SEND_REPEATED] = { "send_repeated",
				  "message sent again by the owner",
				  { "message_id", "by" } },
	[AUDIT_STORE_RESCUED] = { "store_rescued",
				  "damaged message store was replaced",
				  { "complete" },
				  { "ledger_rescued" } },
	[AUDIT_STORE_RESTORED] = { "store_restored",
				   "message store restored from a backup",
				   { "replaced" },
				   { "ledger_restored", "store_restore_result" } },
	[AUDIT_DRY_RUN_HELD] = { "dry_run_held",
				 "dry run told of a received code",
				 { "client_id", "client", "number", "code", "count" } },
};

static bool audit_event_is_named(const struct audit_event_row *row, const char *name)
{
	if (strcmp(row->name, name) == 0)
		return true;
	for (unsigned i = 0; i < AUDIT_FORMER_NAMES && row->former_names[i]; i++) {
		if (strcmp(row->former_names[i], name) == 0)
			return true;
	}
	return false;
}

const struct audit_event_row *audit_event_find(const char *name)
{
	for (unsigned i = 0; i < AUDIT_EVENT_COUNT; i++) {
		if (audit_event_is_named(&audit_events[i], name))
			return &audit_events[i];
	}
	return NULL;
}

bool audit_event_has(enum audit_event event, const char *field)
{
	for (const char *const *known = audit_events[event].fields; *known; known++) {
		if (strcmp(*known, field) == 0)
			return true;
	}
	return false;
}
