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

/* Writes the key without what the gateway added for one of several recipients. */
static void change_view_put_key(struct json_writer *writer, const struct message *message)
{
	size_t length = strcspn(message->idempotency_key, STORE_MESSAGE_LIST_MARK);

	if (!length)
		return;
	json_key(writer, "idempotency_key");
	json_write_text(writer, message->idempotency_key, length);
}

static void change_view_put_delivery(struct json_writer *writer,
				     const struct message *message)
{
	enum delivery delivery = store_message_delivery(message, clock_wall_ms());

	if (delivery != DELIVERY_NONE)
		json_put_string(writer, "delivery",
				store_message_delivery_name(delivery));
}

/* Nobody else knows what another program sends. */
static void change_view_put_phone_message(const struct view *view,
					  const struct message *message)
{
	message_view_put_origin(view->writer, message->client_id);
	json_put_string(view->writer, "to", message->number);
	change_view_put_text(view, message);
	message_view_put_flags(view->writer, message, NULL);
}

static void change_view_write_state(const struct view *view,
				    const struct feed_entry *entry,
				    const struct message *message)
{
	struct json_writer *writer = view->writer;

	change_view_open(writer, entry, "state");
	json_put_integer(writer, "message_id", message->id);
	change_view_put_key(writer, message);
	json_put_integer(writer, "subscription_id", message->sim_id);
	json_put_string(writer, "state",
			message_state_name((enum message_state)entry->state));
	if (entry->previous_state)
		json_put_string(
			writer, "previous",
			message_state_name((enum message_state)entry->previous_state));
	if (*entry->detail)
		json_put_string(writer, "reason", entry->detail);
	if ((int)message->state == entry->state)
		change_view_put_delivery(writer, message);
	if (message->client_id == CLIENT_PHONE)
		change_view_put_phone_message(view, message);
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

static void change_view_write_balance(struct json_writer *writer,
				      const struct feed_entry *entry)
{
	char amount[AMOUNT_BYTES];
	const char *currency = event_view_read_balance(entry, amount);

	change_view_open(writer, entry, "balance");
	json_put_integer(writer, "subscription_id", entry->sim_id);
	json_put_string(writer, "amount", amount);
	if (*currency)
		json_put_string(writer, "currency", currency);
	json_close_object(writer);
}

static void change_view_write_gap(struct json_writer *writer,
				  const struct feed_entry *entry)
{
	int64_t from_ms, until_ms;
	const char *reason = event_view_read_gap(entry, &from_ms, &until_ms);

	change_view_open(writer, entry, "gap");
	json_put_integer(writer, "from_ms", from_ms);
	if (until_ms)
		json_put_integer(writer, "until_ms", until_ms);
	json_put_string(writer, "reason", reason);
	json_close_object(writer);
}

static void change_view_write_sim(struct json_writer *writer,
				  const struct feed_entry *entry)
{
	change_view_open(writer, entry, "sim");
	json_put_integer(writer, "subscription_id", entry->sim_id);
	json_put_string(writer, "state", sim_state_name((enum sim_state)entry->state));
	if (entry->previous_state >= 0 && entry->previous_state <= SIM_ABSENT)
		json_put_string(writer, "previous",
				sim_state_name((enum sim_state)entry->previous_state));
	json_close_object(writer);
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
	int error = 0;

	if (entry->type == FEED_BALANCE) {
		change_view_write_balance(view->writer, entry);
	} else if (entry->type == FEED_OFFLINE_GAP) {
		change_view_write_gap(view->writer, entry);
	} else if (entry->type == FEED_SIM_STATE) {
		change_view_write_sim(view->writer, entry);
	} else {
		arena = arena_new(CHANGE_VIEW_ARENA_BYTES);
		error = arena ? change_view_write_row(view, entry, arena) : -ENOMEM;
		arena_free(arena);
	}
	return error;
}
