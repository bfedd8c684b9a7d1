/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.missed, alert.received, sim.state_changed, balance.changed, gateway.offline_gap.
 *
 * The entry of a balance or a gap holds its values in `detail` (base/feed.h), because the row
 * may have changed since.
 */
#include <string.h>

#include "phone/sim.h"
#include "store/store_event.h"
#include "tools/argument.h"
#include "tools/event_view.h"
#include "tools/services.h"
#include "tools/tool_table.h"

/* ---- call.missed */

static const struct schema_field event_phone_call_arguments[] = {
	EVENT_VIEW_FROM_FIELD,
	EVENT_VIEW_SIM_FIELD,
	{ 0 },
};

static const struct schema_field event_phone_call_payload[] = {
	{ "call_id", SCHEMA_INTEGER, true, "As in list_calls" },
	{ "subscription_id", SCHEMA_INTEGER, true,
	  "The SIM that was called; 0: unknown" },
	{ "from", SCHEMA_STRING, true,
	  "The caller as the network says, which proves nothing; empty when withheld" },
	VIEW_CONTACT_FIELD,
	{ "trust", SCHEMA_STRING, false, "As in list_sms; it proves nothing" },
	{ "rang_at", SCHEMA_STRING, true, "RFC 3339" },
	{ 0 },
};

static bool event_phone_call_matches(struct event_query *query,
				     const struct feed_entry *entry)
{
	const struct event *call;

	if (entry->state != CALL_MISSED || entry->previous_state == CALL_MISSED)
		return false;
	call = event_view_find(query, entry, EVENT_CALL);
	return call && event_view_is_of_sim(query, call->sim_id) &&
	       event_view_is_from(query, call->sim_id, call->number);
}

static void event_phone_write_call(const struct event_query *query,
				   const struct feed_entry *entry,
				   struct json_writer *writer)
{
	const struct event *call = query->found;

	json_put_integer(writer, "call_id", call->id);
	json_put_integer(writer, "subscription_id", call->sim_id);
	view_put_line(writer, "from", call->number);
	view_put_contact(writer, query->services, call->number);
	view_put_trust(writer, query->services, call->sim_id, call->number);
	view_put_time(writer, "rang_at", call->at_ms);
}

const struct event_type event_call_missed = {
	.name = "call.missed",
	.description = "Nobody answered an incoming call. Numbers can be forged.",
	.arguments = event_phone_call_arguments,
	.find_problem = event_view_find_problem,
	.payload = event_phone_call_payload,
	.scopes = CLIENT_READ,
	.feed = FEED_CALL,
	.matches = event_phone_call_matches,
	.write_data = event_phone_write_call,
};

/* ---- alert.received */

static const char *const event_phone_categories[] = { "emergency", "notice", NULL };

static const struct schema_field event_phone_alert_arguments[] = {
	{ "category", SCHEMA_STRING, false,
	  "emergency: only what the network marks so; notice: only the rest",
	  .words = event_phone_categories },
	{ 0 },
};

static const struct schema_field event_phone_alert_payload[] = {
	{ "alert_id", SCHEMA_INTEGER, true, "As in the resource sms://alerts" },
	{ "subscription_id", SCHEMA_INTEGER, true,
	  "The SIM that received it; 0: unknown" },
	{ "category", SCHEMA_STRING, true, "How the network marked it",
	  .words = event_phone_categories },
	{ "emergency_type", SCHEMA_STRING, false, "Such as Tsunami, if it says" },
	{ "topic", SCHEMA_INTEGER, false, "Its number, if it has one" },
	{ "received_at", SCHEMA_STRING, true, "RFC 3339" },
	{ 0 },
};

static const char *event_phone_category(const struct event *alert)
{
	return event_phone_categories[alert->state ? 0 : 1];
}

static bool event_phone_alert_matches(struct event_query *query,
				      const struct feed_entry *entry)
{
	const struct tool_call call = event_view_call(query);
	const char *category = argument_text(&call, "category");
	const struct event *alert = event_view_find(query, entry, EVENT_ALERT);

	return alert && (!category || strcmp(category, event_phone_category(alert)) == 0);
}

static void event_phone_write_alert(const struct event_query *query,
				    const struct feed_entry *entry,
				    struct json_writer *writer)
{
	const struct event *alert = query->found;

	json_put_integer(writer, "alert_id", alert->id);
	json_put_integer(writer, "subscription_id", alert->sim_id);
	json_put_string(writer, "category", event_phone_category(alert));
	if (*alert->number)
		view_put_line(writer, "emergency_type", alert->number);
	if (alert->topic >= 0)
		json_put_integer(writer, "topic", alert->topic);
	view_put_time(writer, "received_at", alert->at_ms);
}

const struct event_type event_alert_received = {
	.name = "alert.received",
	.description = "A cell broadcast arrived: a warning of the "
		       "authorities, or another notice to everybody in "
		       "an area. Anybody with a transmitter can send one.",
	.arguments = event_phone_alert_arguments,
	.payload = event_phone_alert_payload,
	.scopes = CLIENT_READ,
	.feed = FEED_ALERT,
	.matches = event_phone_alert_matches,
	.write_data = event_phone_write_alert,
};

/* ---- sim.state_changed */

static const struct schema_field event_phone_sim_arguments[] = {
	EVENT_VIEW_SIM_FIELD,
	{ 0 },
};

static const struct schema_field event_phone_sim_payload[] = {
	{ "subscription_id", SCHEMA_INTEGER, true, "The SIM" },
	{ "state", SCHEMA_STRING, true,
	  "As in get_sms_subscriptions; absent: in no modem" },
	{ "previous", SCHEMA_STRING, false, "Left out for a new SIM" },
	{ 0 },
};

static bool event_phone_sim_matches(struct event_query *query,
				    const struct feed_entry *entry)
{
	return event_view_is_of_sim(query, entry->sim_id) && entry->state <= SIM_ABSENT;
}

static void event_phone_write_sim(const struct event_query *query,
				  const struct feed_entry *entry,
				  struct json_writer *writer)
{
	event_view_put_sim_state(writer, entry);
}

const struct event_type event_sim_state_changed = {
	.name = "sim.state_changed",
	.description = "A SIM can send again, or cannot for now.",
	.arguments = event_phone_sim_arguments,
	.payload = event_phone_sim_payload,
	.scopes = CLIENT_READ,
	.feed = FEED_SIM_STATE,
	.matches = event_phone_sim_matches,
	.write_data = event_phone_write_sim,
};

/* ---- balance.changed */

static const struct schema_field event_phone_balance_payload[] = {
	{ "subscription_id", SCHEMA_INTEGER, true, "The SIM" },
	{ "amount", SCHEMA_STRING, true, "Exact decimal number such as -12.50" },
	{ "currency", SCHEMA_STRING, false,
	  "As the network wrote it; left out when it wrote none" },
	{ "as_of", SCHEMA_STRING, true, "When the network reported it, RFC 3339" },
	{ 0 },
};

static bool event_phone_balance_matches(struct event_query *query,
					const struct feed_entry *entry)
{
	return event_view_is_of_sim(query, entry->sim_id);
}

static void event_phone_write_balance(const struct event_query *query,
				      const struct feed_entry *entry,
				      struct json_writer *writer)
{
	char amount[AMOUNT_BYTES];
	const char *currency = event_view_read_balance(entry, amount);

	json_put_integer(writer, "subscription_id", entry->sim_id);
	json_put_string(writer, "amount", amount);
	if (*currency)
		view_put_line(writer, "currency", currency);
	view_put_time(writer, "as_of", entry->at_ms);
}

const struct event_type event_balance_changed = {
	.name = "balance.changed",
	.description =
		"The balance of a SIM differs from the last reading. It is read when "
		"send_ussd dials the owner's code.",
	.arguments = event_phone_sim_arguments,
	.payload = event_phone_balance_payload,
	.scopes = CLIENT_READ,
	.feed = FEED_BALANCE,
	.matches = event_phone_balance_matches,
	.write_data = event_phone_write_balance,
};

/* ---- gateway.offline_gap */

static const struct schema_field event_phone_gap_arguments[] = {
	{ "only_ended", SCHEMA_BOOLEAN, false, "true: only when a gap has ended" },
	{ 0 },
};

static bool event_phone_gap_matches(struct event_query *query,
				    const struct feed_entry *entry)
{
	const struct tool_call call = event_view_call(query);

	return entry->state || !argument_boolean(&call, "only_ended");
}

static void event_phone_write_gap(const struct event_query *query,
				  const struct feed_entry *entry,
				  struct json_writer *writer)
{
	int64_t from_ms, until_ms;
	const char *reason = event_view_read_gap(entry, &from_ms, &until_ms);

	view_put_time(writer, "from", from_ms);
	if (until_ms)
		view_put_time(writer, "until", until_ms);
	json_put_string(writer, "reason", reason);
}

const struct event_type event_gateway_offline_gap = {
	.name = "gateway.offline_gap",
	.description =
		"A time began or ended in which the gateway could not receive messages "
		"and calls: some of that time may be missing.",
	.arguments = event_phone_gap_arguments,
	.payload = view_gap_fields,
	.scopes = CLIENT_READ,
	.feed = FEED_OFFLINE_GAP,
	.matches = event_phone_gap_matches,
	.write_data = event_phone_write_gap,
};
