/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of messages. A message of the hub has in every phone the idempotency key
 *
 *   HUB.MESSAGE.ATTEMPT     HUB: 16 hex digits of the hub's message store
 *
 * so a phone that gets it again sends nothing. Towards the outbox its UUID is 16 hex digits of
 * the phone's name, 16 of the message ID and 8 of the attempt. Both follow from what the store
 * has, so a restart loses nothing.
 */
#include "remote/remote_private.h"

#include "base/hash.h"

struct hub_phones *remote_phones(const struct ofono *ofono)
{
	return ofono->phones;
}

struct hub_phone *remote_phone_of(const struct modem *modem)
{
	return remote_modem_of(modem)->feed->phone;
}

long long remote_sim_of(const struct modem *modem)
{
	return remote_modem_of(modem)->sim_id;
}

void remote_write_key(const struct ofono *ofono, int64_t order_id, unsigned attempt,
		      char key[REMOTE_KEY_BYTES])
{
	snprintf(key, REMOTE_KEY_BYTES, "%s.%" PRId64 ".%u", hub_phones_id(ofono->phones),
		 order_id, attempt);
}

bool remote_read_key(const struct ofono *ofono, const char *key, int64_t *order_id_out,
		     unsigned *attempt_out)
{
	char expected[REMOTE_KEY_BYTES];
	int64_t order_id;
	unsigned attempt;

	if (sscanf(key, "%*16[0-9a-f].%20" SCNd64 ".%9u", &order_id, &attempt) != 2)
		return false;
	remote_write_key(ofono, order_id, attempt, expected);
	if (strcmp(key, expected) != 0)
		return false; /* of another hub */
	*order_id_out = order_id;
	*attempt_out = attempt;
	return true;
}

void remote_write_uuid(const struct hub_phone *phone, int64_t order_id, unsigned attempt,
		       char uuid[MESSAGE_UUID_BYTES])
{
	uint64_t name = hash_add(HASH_START, phone->row.name, strlen(phone->row.name));

	snprintf(uuid, MESSAGE_UUID_BYTES, "%016" PRIX64 "%016" PRIX64 "%08X", name,
		 (uint64_t)order_id, attempt);
}

/* Returns the phone's reason if the hub knows it, too; else NULL. */
static const char *remote_read_reason(const struct json *facts)
{
	static const char *const reasons[] = {
		"approval_rejected", "approval_not_given",  "approval_expired",
		"validity_over",     "ofono_unavailable",   "ofono_access_denied",
		"invalid_number",    "invalid_text",	    "text_too_long",
		"client_revoked",    "recipient_opted_out", "emergency_number_blocked",
	};
	const char *reason = json_string(json_member(facts, "reason"));

	for (size_t i = 0; reason && i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (strcmp(reasons[i], reason) == 0)
			return reasons[i];
	}
	return NULL;
}

bool remote_read_state(const struct json *facts, struct ofono_event *event)
{
	static const struct {
		const char *name;
		enum ofono_message_state state;
	} rows[] = {
		{ "queued", MESSAGE_PENDING },
		{ "scheduled", MESSAGE_PENDING },
		{ "submitting", MESSAGE_PENDING },
		{ "submitted", MESSAGE_PENDING },
		{ "held", MESSAGE_PENDING },
		{ "waiting_approval", MESSAGE_WAITS_FOR_OWNER },
		{ "sent", MESSAGE_SENT },
		{ "delivered", MESSAGE_SENT },
		{ "failed", MESSAGE_FAILED },
		{ "expired", MESSAGE_FAILED },
		{ "cancelled", MESSAGE_CANCELLED },
		{ "unknown", MESSAGE_LOST },
	};
	const char *state = json_string(json_member(facts, "state"));

	for (size_t i = 0; state && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, state) != 0)
			continue;
		event->state = rows[i].state;
		event->reason = remote_read_reason(facts);
		if (!event->reason && strcmp(state, "expired") == 0)
			event->reason = "validity_over"; /* the network was not asked */
		return true;
	}
	return false;
}

void remote_report_state(struct ofono *ofono, const struct json *facts,
			 const struct ofono_event *event)
{
	const char *state = json_string(json_member(facts, "state"));
	const char *delivery = json_string(json_member(facts, "delivery"));
	struct ofono_event report = {
		.type = MESSAGE_REPORT,
		.modem = event->modem,
		.uuid = event->uuid,
		.delivered = (state && strcmp(state, "delivered") == 0) ||
			     (delivery && strcmp(delivery, "delivered") == 0),
	};

	observers_notify(&ofono->observers, event);
	if (event->state == MESSAGE_SENT &&
	    (report.delivered || (delivery && strcmp(delivery, "refused") == 0)))
		observers_notify(&ofono->observers, &report);
}
