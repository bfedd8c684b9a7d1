/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/audit_event.h"

#include <stddef.h>
#include <string.h>

#define MESSAGE_FIELDS                                                      \
	{ "message_id", "client_id", "client", "number", "subscription_id", \
	  "segments",	"state",     "reason", "count" }
#define DECISION_FIELDS { "message_id", "state", "reason", "by" }
#define CLIENT_FIELDS                                               \
	{ "client_id", "client",     "scopes",	 "ask",	    "sims", \
	  "allow",     "per_minute", "per_hour", "per_day", "segments_per_month" }

const struct audit_event_row audit_events[AUDIT_EVENT_COUNT] = {
	[AUDIT_STARTED] = { "started", "gateway started", { "version", "config" } },
	[AUDIT_STOPPED] = { "stopped", "gateway stopped", { "version" } },
	[AUDIT_SEND_ACCEPTED] = { "send_accepted", "message accepted", MESSAGE_FIELDS },
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
	[AUDIT_OPTED_OUT] = { "opted_out", "recipient opted out", { "number" } },
	[AUDIT_OPTED_IN] = { "opted_in", "recipient opted in again", { "number" } },
	[AUDIT_STORE_RESCUED] = { "store_rescued",
				  "damaged message store was replaced",
				  { "complete" },
				  "ledger_rescued" },
	[AUDIT_STORE_REBUILT] = { "store_rebuilt",
				  "only the rows of the message store were kept",
				  { "complete" },
				  "ledger_rebuilt" },
	[AUDIT_STORE_RESTORED] = { "store_restore_result",
				   "message store restored from a backup",
				   { "replaced" },
				   "ledger_restored" },
};

const struct audit_event_row *audit_event_find(const char *name)
{
	for (unsigned i = 0; i < AUDIT_EVENT_COUNT; i++) {
		const struct audit_event_row *row = &audit_events[i];

		if (strcmp(row->name, name) == 0 ||
		    (row->former_name && strcmp(row->former_name, name) == 0))
			return row;
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
