/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * approval.requested and approval.decided: about a client's own messages and webhooks, and with
 * the scope admin about everybody's. They hold no text, and nothing that decides.
 */
#include <string.h>

#include "numbers/number.h"
#include "policy/policy.h"
#include "sms/outbox.h"
#include "store/store_message.h"
#include "store/store_webhook.h"
#include "tools/event_view.h"
#include "tools/services.h"
#include "tools/tool_table.h"

static const struct schema_field event_approval_arguments[] = { { 0 } };

#define EVENT_APPROVAL_FIELDS                                                          \
	{ "approval_id", SCHEMA_INTEGER, true,                                         \
	  "The message_id of what waits, or the number of a webhook" },                \
		{ "kind", SCHEMA_STRING, true, "What it is for",                       \
		  .words = event_approval_kinds },                                     \
		{ "subscription_id", SCHEMA_INTEGER, false,                            \
		  "The SIM that a message is sent from" },                             \
		{ "to_country", SCHEMA_STRING, false,                                  \
		  "ISO 3166 code of the recipient's country; left out when unknown" }, \
		{ "own", SCHEMA_BOOLEAN, true, "You asked for it" }

enum { EVENT_APPROVAL_SMS, EVENT_APPROVAL_WEBHOOK };

static const char *const event_approval_kinds[] = {
	[EVENT_APPROVAL_SMS] = "sms",
	[EVENT_APPROVAL_WEBHOOK] = "webhook",
	NULL,
};

static const struct schema_field event_approval_requested_payload[] = {
	EVENT_APPROVAL_FIELDS,
	{ "expires_at", SCHEMA_STRING, false,
	  "It expires then unless approved; left out when it no longer waits" },
	{ 0 },
};

enum event_approval_decision {
	EVENT_APPROVAL_APPROVED,
	EVENT_APPROVAL_REJECTED,
	EVENT_APPROVAL_EXPIRED,
	EVENT_APPROVAL_WITHDRAWN,
};

static const char *const event_approval_decisions[] = {
	[EVENT_APPROVAL_APPROVED] = "approved",
	[EVENT_APPROVAL_REJECTED] = "rejected",
	[EVENT_APPROVAL_EXPIRED] = "expired",
	[EVENT_APPROVAL_WITHDRAWN] = "withdrawn",
	NULL,
};

static const struct schema_field event_approval_decided_payload[] = {
	EVENT_APPROVAL_FIELDS,
	{ "decision", SCHEMA_STRING, true,
	  "expired: nobody decided in time; withdrawn: it was cancelled or edited",
	  .words = event_approval_decisions },
	{ 0 },
};

/* Is it the receiver of a webhook that waits, not a message? */
static bool event_approval_is_webhook(const struct feed_entry *entry)
{
	return strcmp(entry->detail, STORE_WEBHOOK_FEED_DETAIL) == 0;
}

static bool event_approval_matches(struct event_query *query,
				   const struct feed_entry *entry)
{
	return (event_view_is_own(query, entry) ||
		query->client->scopes & CLIENT_ADMIN) &&
	       (event_approval_is_webhook(entry) ||
		event_view_find_message(query, entry));
}

static void event_approval_write(const struct event_query *query,
				 const struct feed_entry *entry,
				 struct json_writer *writer)
{
	const struct message *message = query->found;
	struct number number;

	json_put_integer(writer, "approval_id", entry->subject_id);
	json_put_string(writer, "kind",
			event_approval_kinds[message ? EVENT_APPROVAL_SMS
						     : EVENT_APPROVAL_WEBHOOK]);
	json_put_boolean(writer, "own", event_view_is_own(query, entry));
	if (!message)
		return;
	json_put_integer(writer, "subscription_id", entry->sim_id);
	if (number_read(message->number,
			policy_home_country(query->services->policy, message->sim_id),
			&number) &&
	    number.country)
		json_put_string(writer, "to_country", number.country->code);
}

static void event_approval_write_requested(const struct event_query *query,
					   const struct feed_entry *entry,
					   struct json_writer *writer)
{
	const struct services *services = query->services;
	const struct message *message = query->found;

	event_approval_write(query, entry, writer);
	if (message && message->state == STATE_WAITING_APPROVAL)
		view_put_time(writer, "expires_at",
			      outbox_approval_until(services->outbox, services->config,
						    message));
}

static enum event_approval_decision event_approval_decision(
	const struct feed_entry *entry)
{
	if (event_approval_is_webhook(entry))
		return entry->state == WEBHOOK_CONSENT_APPROVED ? EVENT_APPROVAL_APPROVED
								: EVENT_APPROVAL_REJECTED;
	switch (entry->state) {
	case STATE_FAILED:
		return EVENT_APPROVAL_REJECTED;
	case STATE_EXPIRED:
		return EVENT_APPROVAL_EXPIRED;
	case STATE_CANCELLED:
	case STATE_UNKNOWN:
		return EVENT_APPROVAL_WITHDRAWN;
	default:
		return strcmp(entry->detail, "edited") == 0 ? EVENT_APPROVAL_WITHDRAWN
							    : EVENT_APPROVAL_APPROVED;
	}
}

static void event_approval_write_decided(const struct event_query *query,
					 const struct feed_entry *entry,
					 struct json_writer *writer)
{
	event_approval_write(query, entry, writer);
	json_put_string(writer, "decision",
			event_approval_decisions[event_approval_decision(entry)]);
}

const struct event_type event_approval_requested = {
	.name = "approval.requested",
	.description =
		"A message or webhook waits for the owner's approval, or a message "
		"changed while it waits. Tell your user; the owner decides on the phone.",
	.arguments = event_approval_arguments,
	.payload = event_approval_requested_payload,
	.scopes = CLIENT_READ,
	.feed = FEED_APPROVAL_REQUESTED,
	.matches = event_approval_matches,
	.write_data = event_approval_write_requested,
};

const struct event_type event_approval_decided = {
	.name = "approval.decided",
	.description = "A message or webhook no longer waits for approval. "
		       "An approved message goes out by itself: do not send "
		       "it again. For an approved webhook, subscribe again.",
	.arguments = event_approval_arguments,
	.payload = event_approval_decided_payload,
	.scopes = CLIENT_READ,
	.feed = FEED_APPROVAL_DECIDED,
	.matches = event_approval_matches,
	.write_data = event_approval_write_decided,
};
