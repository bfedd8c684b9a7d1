/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row's type and members:
 *
 *   received    an incoming message, whole (codes masked without the scope codes)
 *   state       a message of the client's own, or of another program of the phone, has a new
 *               state, or a delivery report came
 *   call, alert, balance, gap, sim
 *
 * Values that may have changed since come from the entry; a message's number, text and key,
 * which never change, come from its row.
 */
#include "tools/change_view.h"

#include <errno.h>
#include <string.h>

#include "base/amount.h"
#include "base/clock.h"
#include "base/hash.h"
#include "numbers/number.h"
#include "phone/sim.h"
#include "tools/event_view.h"
#include "tools/message_view.h"
#include "tools/services.h"

enum { CHANGE_VIEW_ARENA_BYTES = 1024 * 1024 }; /* for one row */

static const char *const change_view_types[] = {
	"received", "state", "call", "alert", "balance", "gap", "sim", NULL,
};

const struct schema_field change_view_fields[] = {
	{ "id", SCHEMA_INTEGER, false,
	  "Ascending, unique within the epoch; left out in a snapshot" },
	{ "type", SCHEMA_STRING, true, "What happened", .words = change_view_types },
	{ "at_ms", SCHEMA_INTEGER, true, "The phone's clock" },
	{ "subscription_id", SCHEMA_INTEGER, false, "The SIM; 0: not known" },
	{ "message_id", SCHEMA_INTEGER, false, "received, state: the message" },
	{ "from", SCHEMA_STRING, false, "received: the sender as oFono wrote it" },
	{ "origin", SCHEMA_STRING, false,
	  "state: phone: another program of the phone sent it",
	  .words = message_view_origins },
	{ "to", SCHEMA_STRING, false, "state, with origin: the recipient" },
	{ "text", SCHEMA_STRING, false,
	  "received, alert, state with origin: exact, from strangers" },
	{ "masked", SCHEMA_BOOLEAN, false, "received, state: without its one-time code" },
	{ "sent_time", SCHEMA_STRING, false, "received: of the service centre" },
	{ "flags", SCHEMA_ARRAY, false, "received, state with origin: as in list_sms",
	  .items = SCHEMA_STRING },
	{ "idempotency_key", SCHEMA_STRING, false, "state: of the message" },
	{ "state", SCHEMA_STRING, false,
	  "state, call, sim: the new state; alert: emergency or notice" },
	{ "previous", SCHEMA_STRING, false, "state, sim: the one before" },
	{ "reason", SCHEMA_STRING, false, "state, call, gap: why" },
	{ "delivery", SCHEMA_STRING, false, "state: as in get_sms_status" },
	{ "call_id", SCHEMA_INTEGER, false, "call: as in list_calls" },
	{ "number", SCHEMA_STRING, false, "call: the other end; empty when withheld" },
	{ "direction", SCHEMA_STRING, false, "call: in or out" },
	{ "alert_id", SCHEMA_INTEGER, false, "alert: identifies it" },
	{ "emergency_type", SCHEMA_STRING, false, "alert: such as Tsunami" },
	{ "topic", SCHEMA_INTEGER, false, "alert: its number, if it has one" },
	{ "amount", SCHEMA_STRING, false, "balance: exact decimal number" },
	{ "currency", SCHEMA_STRING, false, "balance: as the network wrote it" },
	{ "from_ms", SCHEMA_INTEGER, false, "gap: when it began" },
	{ "until_ms", SCHEMA_INTEGER, false, "gap: when it ended; left out: it goes on" },
	{ 0 },
};

bool change_view_is_for(const struct client *client, const struct feed_entry *entry)
{
	switch (entry->type) {
	case FEED_SMS_RECEIVED:
	case FEED_CALL:
	case FEED_ALERT:
	case FEED_BALANCE:
	case FEED_OFFLINE_GAP:
		return true;
	case FEED_SIM_STATE:
		return entry->state <= SIM_ABSENT;
	case FEED_SMS_STATUS:
		return entry->client_id == client->id || entry->client_id == CLIENT_PHONE;
	case FEED_APPROVAL_REQUESTED: /* a state says the same */
	case FEED_APPROVAL_DECIDED:
	case FEED_SMS_COMMAND:
	case FEED_SMS_READ:
		return false;
	}
	return false;
}

bool change_view_ends_wait(const struct feed_entry *entry)
{
	return entry->type != FEED_SMS_STATUS ||
	       (entry->state != STATE_QUEUED && entry->state != STATE_SUBMITTING &&
		entry->state != STATE_SUBMITTED);
}

static void change_view_open(struct json_writer *writer, const struct feed_entry *entry,
			     const char *type)
{
	json_open_object(writer);
	if (entry->id)
		json_put_integer(writer, "id", entry->id);
	json_put_string(writer, "type", type);
	json_put_integer(writer, "at_ms", entry->at_ms);
}

static void change_view_put_text(const struct view *view, const struct message *message)
{
	struct buffer masked = BUFFER_INIT;

	if (!message_view_masks(view, message) ||
	    !message_view_mask(view->services, message, &masked)) {
		json_put_string(view->writer, "text", message->text);
		return;
	}
	json_key(view->writer, "text");
	json_write_text(view->writer, masked.data ? masked.data : "", masked.length);
	json_put_boolean(view->writer, "masked", true);
	buffer_deinit(&masked);
}

static void change_view_write_received(const struct view *view,
				       const struct feed_entry *entry,
				       const struct message *message)
{
	struct json_writer *writer = view->writer;

	change_view_open(writer, entry, "received");
	json_put_integer(writer, "message_id", message->id);
	json_put_integer(writer, "subscription_id", message->sim_id);
	json_put_string(writer, "from", message->number);
	change_view_put_text(view, message);
	if (*message->sent_time)
		json_put_string(writer, "sent_time", message->sent_time);
	message_view_put_flags(writer, message, NULL);
	json_close_object(writer);
}

static void change_view_write_state(const struct view *view,
				    const struct feed_entry *entry,
				    const struct message *message)
{
	enum delivery delivery = store_message_delivery(message, clock_wall_ms());
	struct json_writer *writer = view->writer;

	change_view_open(writer, entry, "state");
	json_put_integer(writer, "message_id", message->id);
	event_view_put_key(writer, message);
	json_put_integer(writer, "subscription_id", message->sim_id);
	event_view_put_message_state(writer, entry);
	if ((int)message->state == entry->state && delivery != DELIVERY_NONE)
		json_put_string(writer, "delivery",
				store_message_delivery_name(delivery));
	if (message->client_id == CLIENT_PHONE) {
		/* nobody else knows what another program sends */
		message_view_put_origin(writer, message->client_id);
		json_put_string(writer, "to", message->number);
		change_view_put_text(view, message);
		message_view_put_flags(writer, message, NULL);
	}
	json_close_object(writer);
}

bool change_view_is_in_snapshot(const struct client *client,
				const struct message *message)
{
	return message->direction == MESSAGE_INCOMING ||
	       message->client_id == CLIENT_PHONE ||
	       (message->client_id == client->id &&
		!message_state_is_final(message->state));
}

void change_view_write_message(const struct view *view, const struct message *message)
{
	const struct feed_entry entry = {
		.at_ms = message->changed_ms,
		.state = message->state,
		.detail = message->reason,
	};

	if (message->direction == MESSAGE_INCOMING)
		change_view_write_received(view, &entry, message);
	else
		change_view_write_state(view, &entry, message);
}

static void change_view_write_call(const struct view *view,
				   const struct feed_entry *entry,
				   const struct event *call)
{
	struct json_writer *writer = view->writer;

	change_view_open(writer, entry, "call");
	json_put_integer(writer, "call_id", call->id);
	json_put_integer(writer, "subscription_id", call->sim_id);
	json_put_string(writer, "number", call->number);
	json_put_string(writer, "direction",
			store_event_call_was_placed(entry->state) ? "out" : "in");
	json_put_string(writer, "state",
			store_event_call_state_name((enum call_state)entry->state));
	if (*call->text)
		json_put_string(writer, "reason", call->text);
	json_close_object(writer);
}

static void change_view_write_alert(const struct view *view,
				    const struct feed_entry *entry,
				    const struct event *alert)
{
	struct json_writer *writer = view->writer;

	change_view_open(writer, entry, "alert");
	json_put_integer(writer, "alert_id", alert->id);
	json_put_integer(writer, "subscription_id", alert->sim_id);
	json_put_string(writer, "state", alert->state ? "emergency" : "notice");
	json_put_string(writer, "text", alert->text);
	if (*alert->number)
		json_put_string(writer, "emergency_type", alert->number);
	if (alert->topic >= 0)
		json_put_integer(writer, "topic", alert->topic);
	json_close_object(writer);
}

/* Returns false if the entry is about a row of the message store; then nothing was written. */
static bool change_view_write_values(struct json_writer *writer,
				     const struct feed_entry *entry)
{
	char amount[AMOUNT_BYTES];
	const char *currency, *reason;
	int64_t from_ms, until_ms;

	switch (entry->type) {
	case FEED_BALANCE:
		currency = event_view_read_balance(entry, amount);
		change_view_open(writer, entry, "balance");
		json_put_integer(writer, "subscription_id", entry->sim_id);
		json_put_string(writer, "amount", amount);
		if (*currency)
			json_put_string(writer, "currency", currency);
		break;
	case FEED_OFFLINE_GAP:
		reason = event_view_read_gap(entry, &from_ms, &until_ms);
		change_view_open(writer, entry, "gap");
		json_put_integer(writer, "from_ms", from_ms);
		if (until_ms)
			json_put_integer(writer, "until_ms", until_ms);
		json_put_string(writer, "reason", reason);
		break;
	case FEED_SIM_STATE:
		change_view_open(writer, entry, "sim");
		event_view_put_sim_state(writer, entry);
		break;
	default:
		return false;
	}
	json_close_object(writer);
	return true;
}

/* Writes an entry about a row of the message store. */
static int change_view_write_row(const struct view *view, const struct feed_entry *entry,
				 struct arena *arena)
{
	bool is_message =
		entry->type == FEED_SMS_RECEIVED || entry->type == FEED_SMS_STATUS;
	struct store *store = view->services->store;
	struct message message;
	struct event event;
	int error;

	if (is_message)
		error = store_message_get(store, entry->subject_id, arena, &message);
	else
		error = event_view_find_row(
			store, entry->type == FEED_CALL ? EVENT_CALL : EVENT_ALERT,
			entry->subject_id, arena, &event);
	if (error)
		return error;
	if (entry->type == FEED_SMS_RECEIVED)
		change_view_write_received(view, entry, &message);
	else if (is_message)
		change_view_write_state(view, entry, &message);
	else if (entry->type == FEED_CALL)
		change_view_write_call(view, entry, &event);
	else
		change_view_write_alert(view, entry, &event);
	return 0;
}

int change_view_write(const struct view *view, const struct feed_entry *entry)
{
	struct arena *arena;
	int error;

	if (change_view_write_values(view->writer, entry))
		return 0;
	arena = arena_new(CHANGE_VIEW_ARENA_BYTES);
	error = arena ? change_view_write_row(view, entry, arena) : -ENOMEM;
	arena_free(arena);
	return error;
}

/*
 * ---- the phone
 *
 * All of it comes from signals that oFono sent earlier, the policy and the store. The digest
 * lets a reader notice any difference without keeping the former text.
 */

#define CHANGE_VIEW_PHONE_LIMITS_FIELD(description)  \
	{ "limits", SCHEMA_ARRAY, true, description, \
	  .members = change_view_phone_limit_fields }

static const struct schema_field change_view_phone_limit_fields[] = {
	{ "per", SCHEMA_STRING, true,
	  "minute, hour, day: messages; month: segments in a calendar month" },
	{ "limit", SCHEMA_INTEGER, true, "Maximum that the owner allows" },
	{ "left", SCHEMA_INTEGER, true, "How many more are accepted now" },
	{ "frees_at_ms", SCHEMA_INTEGER, false,
	  "When more will be left; left out when all are left" },
	{ 0 },
};

static const struct schema_field change_view_phone_voicemail_fields[] = {
	{ "waiting", SCHEMA_BOOLEAN, true, "Voicemail waits" },
	{ "message_count", SCHEMA_INTEGER, true, "0 while waiting: not known" },
	{ "mailbox_number", SCHEMA_STRING, true, "Empty when unknown" },
	{ 0 },
};

static const struct schema_field change_view_phone_sim_fields[] = {
	{ "subscription_id", SCHEMA_INTEGER, true, "Always the same card in this store" },
	{ "iccid", SCHEMA_STRING, false,
	  "The card; left out when oFono does not show it" },
	{ "sim_slot_index", SCHEMA_INTEGER, true, "From 0" },
	{ "state", SCHEMA_STRING, true, "As in get_sms_subscriptions" },
	{ "allowed", SCHEMA_BOOLEAN, true, "The hub may send from it" },
	{ "country", SCHEMA_STRING, false,
	  "Of the card, such as HU; left out when unknown" },
	{ "own_number", SCHEMA_STRING, true, "Often empty" },
	{ "carrier_name", SCHEMA_STRING, true, "May be empty" },
	{ "display_name", SCHEMA_STRING, true, "For people" },
	{ "roaming", SCHEMA_BOOLEAN, true, "Registered with a foreign network" },
	{ "default", SCHEMA_BOOLEAN, true, "Chosen in the phone's settings" },
	{ "mobile_country_code", SCHEMA_STRING, true, "Of the card; may be empty" },
	{ "mobile_network_code", SCHEMA_STRING, true, "Of the card; may be empty" },
	{ "pin_required", SCHEMA_STRING, false, "What a locked card asks for" },
	{ "calls", SCHEMA_BOOLEAN, true, "Its modem places calls" },
	{ "ussd", SCHEMA_BOOLEAN, true, "Its modem dials USSD codes" },
	{ "emergency_numbers", SCHEMA_STRING, true, "Space-separated" },
	{ "voicemail", SCHEMA_OBJECT, false, "Left out when the modem does not say",
	  .members = change_view_phone_voicemail_fields },
	{ "signal_percent", SCHEMA_INTEGER, true, "0 when unknown" },
	CHANGE_VIEW_PHONE_LIMITS_FIELD("Of the SIM, for all clients together"),
	{ 0 },
};

const struct schema_field change_view_phone_fields[] = {
	{ "version", SCHEMA_STRING, true, "Of the gateway" },
	{ "paused", SCHEMA_BOOLEAN, true, "The phone's owner paused all sending" },
	{ "ofono_available", SCHEMA_BOOLEAN, true, "oFono answers" },
	CHANGE_VIEW_PHONE_LIMITS_FIELD("Of the hub, for all SIMs together"),
	{ "sims", SCHEMA_ARRAY, true, "The present cards",
	  .members = change_view_phone_sim_fields },
	{ 0 },
};

struct change_view_phone {
	struct json_writer *writer;
	const struct services *services;
	const struct client *client;
	enum change_view_phone_detail detail;
};

static void change_view_phone_put_limit(void *data, const struct limit *limit,
					int64_t left, int64_t frees_ms)
{
	const struct change_view_phone *view = data;
	struct json_writer *writer = view->writer;

	json_open_object(writer);
	json_put_string(writer, "per", limit_unit_name(limit->unit));
	json_put_integer(writer, "limit", limit->most);
	if (view->detail >= CHANGE_VIEW_PHONE_LEFT)
		json_put_integer(writer, "left", left);
	if (view->detail == CHANGE_VIEW_PHONE_FULL && frees_ms)
		json_put_integer(writer, "frees_at_ms", frees_ms);
	json_close_object(writer);
}

/* Limits that cannot be read are left out: the phone itself judges each message. */
static void change_view_phone_put_limits(const struct change_view_phone *view,
					 const struct client *client, int64_t sim_id)
{
	struct policy_limit_visit visit = { change_view_phone_put_limit, (void *)view,
					    0 };

	json_open_array_at(view->writer, "limits");
	policy_list_limits(view->services->policy, client, sim_id, &visit);
	json_close_array(view->writer);
}

static void change_view_phone_put_card(const struct change_view_phone *view,
				       const struct sim *sim)
{
	const struct modem *modem = sim->modem;
	const char *iccid = modem->sim.present ? modem->sim.card_identifier
					       : modem->remembered.card_identifier;
	const struct country *country =
		policy_home_country(view->services->policy, sim->id);
	struct json_writer *writer = view->writer;

	if (*iccid)
		json_put_string(writer, "iccid", iccid);
	if (country)
		json_put_string(writer, "country", country->code);
	json_put_string(writer, "own_number", sim->own_number);
	json_put_string(writer, "carrier_name", sim->carrier_name);
	json_put_string(writer, "display_name", sim->display_name);
	json_put_string(writer, "mobile_country_code", modem->sim.mobile_country_code);
	json_put_string(writer, "mobile_network_code", modem->sim.mobile_network_code);
	if (modem_sim_lock_of(&modem->sim) != SIM_LOCK_NONE)
		json_put_string(writer, "pin_required", modem->sim.pin_required);
}

static void change_view_phone_put_voicemail(struct json_writer *writer,
					    const struct modem_voicemail *voicemail)
{
	if (!voicemail->known)
		return;
	json_open_object_at(writer, "voicemail");
	json_put_boolean(writer, "waiting", voicemail->waiting);
	json_put_integer(writer, "message_count", voicemail->count);
	json_put_string(writer, "mailbox_number", voicemail->mailbox_number);
	json_close_object(writer);
}

static void change_view_phone_write_sim(const struct change_view_phone *view,
					const struct sim *sim)
{
	struct json_writer *writer = view->writer;

	json_open_object(writer);
	json_put_integer(writer, "subscription_id", sim->id);
	change_view_phone_put_card(view, sim);
	json_put_integer(writer, "sim_slot_index", sim->slot);
	json_put_string(writer, "state", sim_state_name(sim->state));
	json_put_boolean(writer, "allowed", policy_sim_is_allowed(view->client, sim->id));
	json_put_boolean(writer, "roaming", sim->roaming);
	json_put_boolean(writer, "default", sim->is_default);
	json_put_boolean(writer, "calls", modem_has_calls(sim->modem));
	json_put_boolean(writer, "ussd", modem_has_ussd(sim->modem));
	json_put_string(writer, "emergency_numbers", sim->modem->emergency_numbers);
	change_view_phone_put_voicemail(writer, &sim->voicemail);
	if (view->detail == CHANGE_VIEW_PHONE_FULL)
		json_put_integer(writer, "signal_percent", sim->modem->network.strength);
	change_view_phone_put_limits(view, NULL, sim->id);
	json_close_object(writer);
}

void change_view_phone_write(struct json_writer *writer, const struct services *services,
			     const struct client *client,
			     enum change_view_phone_detail detail)
{
	const struct change_view_phone view = { writer, services, client, detail };
	const struct sim *sim;

	json_open_object(writer);
	json_put_string(writer, "version", OFONO_MCP_VERSION);
	json_put_boolean(writer, "paused", policy_is_paused(services->policy));
	json_put_boolean(writer, "ofono_available", ofono_is_available(services->ofono));
	change_view_phone_put_limits(&view, client, 0);
	json_open_array_at(writer, "sims");
	TAILQ_FOREACH (sim, sims_list(services->sims), link)
		change_view_phone_write_sim(&view, sim);
	json_close_array(writer);
	json_close_object(writer);
}

uint64_t change_view_phone_digest(const struct services *services,
				  const struct client *client,
				  enum change_view_phone_detail detail)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	uint64_t digest = 0;

	if (writer)
		change_view_phone_write(writer, services, client, detail);
	json_writer_free(writer);
	if (!text.failed)
		digest = hash_add(HASH_START, text.data, text.length);
	buffer_deinit(&text);
	return digest;
}
