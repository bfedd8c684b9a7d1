/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * get_sms_status: where a message is, how it came there, and what that means.
 *
 * All that is told is read from the store when the answer is written; what is waited for
 * only decides when that is.
 */
#include "base/clock.h"
#include "sms/outbox_approval.h"
#include "sms/sender.h"
#include "store/store_message.h"
#include "tools/argument.h"
#include "tools/failure.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "tools/state_meaning.h"
#include "tools/tool_table.h"
#include "tools/wait_reason.h"
#include "tools/watch.h"

enum {
	WAIT_USUAL_SECONDS = 30,
	WAIT_MAX_SECONDS = 120,
};

static const char *const wanted_words[] = { "sent", "delivered", NULL };

static const struct schema_field input[] = {
	{ "message_id", SCHEMA_INTEGER, false,
	  "As send_sms, list_sms or wait_for_sms gave it" },
	{ "idempotency_key", SCHEMA_STRING, false,
	  "Instead of message_id: the key that send_sms was called with", 1,
	  IDEMPOTENCY_KEY_MAX },
	{ "wait_for", SCHEMA_STRING, false,
	  "Answer only when the message is that far, when it cannot come so far "
	  "any more, or when wait_seconds are over",
	  .words = wanted_words },
	{ "wait_seconds", SCHEMA_INTEGER, false,
	  "How long to wait at most; 30 when only wait_for is given", 0,
	  WAIT_MAX_SECONDS },
	{ 0 },
};

static const struct schema_field change_fields[] = {
	{ "state", SCHEMA_STRING, true, "The state it came into" },
	{ "at", SCHEMA_STRING, true, "This phone's clock, RFC 3339" },
	{ "reason", SCHEMA_STRING, false, "Why" },
	{ "meaning", SCHEMA_STRING, true, "In words" },
	{ "note", SCHEMA_STRING, false, "What the owner said to it" },
	{ 0 },
};

static const struct schema_field output[] = {
	{ "message_id", SCHEMA_INTEGER, true, "The gateway's number of it" },
	{ "state", SCHEMA_STRING, true,
	  "received; waiting_approval, scheduled, queued: in the gateway; "
	  "submitting, submitted, held: in oFono; sent: the network took it; "
	  "delivered: a report says so; failed, expired, cancelled: it will not go "
	  "out; unknown: nobody can tell" },
	{ "meaning", SCHEMA_STRING, true, "The state in words" },
	{ "reason", SCHEMA_STRING, false, "Why it is in this state" },
	{ "final", SCHEMA_BOOLEAN, true,
	  "Nothing moves it on any more, but for a late report" },
	{ "reached", SCHEMA_BOOLEAN, false,
	  "Only after a wait: whether the message got as far as wait_for" },
	{ "delivery", SCHEMA_STRING, false,
	  "out: none: no report is awaited, or not yet; awaited; delivered; refused: the "
	  "network gave up; unconfirmed: no report came in time, which proves nothing" },
	{ "phone_number", SCHEMA_STRING, true, "The other end" },
	MESSAGE_VIEW_CONTACT_FIELD,
	{ "trust", SCHEMA_STRING, false,
	  "in: how far the sender is known, as list_sms tells it",
	  .words = sender_trust_words },
	{ "subscription_id", SCHEMA_INTEGER, false, "Its SIM; left out when not known" },
	{ "segments", SCHEMA_INTEGER, false, "out: what the network bills" },
	{ "created_at", SCHEMA_STRING, true, "RFC 3339" },
	{ "send_at", SCHEMA_STRING, false, "out: not before, RFC 3339" },
	{ "expires_at", SCHEMA_STRING, false, "out: not handed over after, RFC 3339" },
	{ "approval_until", SCHEMA_STRING, false,
	  "waiting_approval: without a yes it expires then, RFC 3339" },
	{ "changes", SCHEMA_ARRAY, true, "Every state it was in, oldest first",
	  .members = change_fields },
	{ 0 },
};

enum wanted {
	WANTED_NOTHING,
	WANTED_SENT,
	WANTED_DELIVERED,
};

/* one call; lives in the call's arena */
struct asking {
	struct tool_call *call;
	int64_t message_id;
	const char *key; /* NULL: it is asked for by its number */
	enum wanted wanted;
	struct watch watch;
	struct json_writer *writer;
};

static void write_change(void *data, const struct message_change *change)
{
	struct asking *asking = data;
	struct json_writer *writer = asking->writer;

	json_open_object(writer);
	json_put_string(writer, "state", message_state_name(change->state));
	message_view_put_time(writer, "at", change->at_ms);
	if (*change->reason)
		json_put_string(writer, "reason", change->reason);
	state_meaning_put(writer, change->state, change->reason);
	if (*change->note)
		message_view_put_shown(writer, "note", change->note);
	json_close_object(writer);
}

static bool has_reached(const struct asking *asking, enum message_state state)
{
	return state == STATE_DELIVERED ||
	       (state == STATE_SENT && asking->wanted == WANTED_SENT);
}

/* There is nothing to wait for: it got so far, or never will. */
static bool is_settled(const struct asking *asking, enum message_state state)
{
	if (state == STATE_SENT && asking->wanted == WANTED_DELIVERED)
		return false;
	return message_state_is_final(state);
}

static void write_times(const struct asking *asking, const struct message *message)
{
	const struct services *services = asking->call->services;
	struct json_writer *writer = asking->writer;

	message_view_put_time(writer, "created_at", message->created_ms);
	if (message->send_at_ms)
		message_view_put_time(writer, "send_at", message->send_at_ms);
	if (message->expires_at_ms)
		message_view_put_time(writer, "expires_at", message->expires_at_ms);
	if (message->state == STATE_WAITING_APPROVAL)
		message_view_put_time(writer, "approval_until",
				      outbox_approval_until(services->outbox,
							    services->config, message));
}

static void write_facts(const struct asking *asking, const struct message *message)
{
	struct json_writer *writer = asking->writer;

	json_put_integer(writer, "message_id", message->id);
	json_put_string(writer, "state", message_state_name(message->state));
	state_meaning_put(writer, message->state, message->reason);
	if (*message->reason)
		json_put_string(writer, "reason", message->reason);
	json_put_boolean(writer, "final", message_state_is_final(message->state));
	if (asking->wanted != WANTED_NOTHING)
		json_put_boolean(writer, "reached", has_reached(asking, message->state));
	message_view_put_line(writer, "phone_number", message->number);
	message_view_put_contact(writer, asking->call->services, message->number);
	if (message->direction == MESSAGE_INCOMING)
		message_view_put_trust(writer, asking->call->services, message->sim_id,
				       message->number);
	if (message->sim_id)
		json_put_integer(writer, "subscription_id", message->sim_id);
	if (message->direction == MESSAGE_OUTGOING) {
		json_put_integer(writer, "segments", message->segments);
		json_put_string(writer, "delivery",
				store_message_delivery_name(store_message_delivery(
					message, clock_wall_ms())));
	}
	write_times(asking, message);
}

static int write_status(struct asking *asking, const struct message *message)
{
	const struct services *services = asking->call->services;
	int error;

	json_open_object(asking->writer);
	write_facts(asking, message);
	json_key(asking->writer, "changes");
	json_open_array(asking->writer);
	error = store_message_changes(services->store, message->id, write_change, asking);
	json_close_array(asking->writer);
	json_close_object(asking->writer);
	return error;
}

static void answer_message(struct asking *asking, const struct message *message)
{
	struct buffer structured = BUFFER_INIT;
	int error;

	asking->writer = json_writer_new(&structured);
	if (!asking->writer) {
		failure_answer(asking->call, FAILURE_INTERNAL, NULL);
		return;
	}
	error = write_status(asking, message);
	json_writer_free(asking->writer);
	if (!error) {
		tool_call_succeed_with_json(asking->call, &structured);
		return;
	}
	buffer_deinit(&structured);
	failure_answer(asking->call, FAILURE_INTERNAL,
		       "The message's history could not be read.");
}

/* Looks no further back than messages and keys are sure to be kept. */
static bool records_were_lost(struct store *store)
{
	int64_t since_ms = clock_wall_ms() - (int64_t)STORE_KEY_DAYS * CLOCK_MS_PER_DAY;

	return !store_receive_gaps_has(store, STORE_GAP_DAMAGED, since_ms) ||
	       !store_receive_gaps_has(store, STORE_GAP_RESTORED, since_ms);
}

static void answer_absence(struct asking *asking)
{
	const struct services *services = asking->call->services;
	struct tool_call *call = asking->call;

	if (records_were_lost(services->store))
		failure_answer(
			call, FAILURE_NOT_FOUND,
			"There is no such message in the gateway's records; but they "
			"were damaged or restored from a backup not long ago, so it may "
			"have been sent all the same. Ask your person before sending it "
			"again.");
	else if (asking->key)
		failure_answer(
			call, FAILURE_KEY_NOT_FOUND,
			"No message of yours with this idempotency_key is kept, and keys "
			"are kept for 30 days at least: unless you used it before that, "
			"it is safe to send it now.");
	else
		failure_answer(call, FAILURE_NOT_FOUND,
			       arena_printf(call->arena,
					    "There is no message %lld: it never was, or "
					    "is no longer kept.",
					    (long long)asking->message_id));
}

/* False: the call has been finished with a failure. */
static bool get_message(struct asking *asking, struct message *message_out)
{
	struct tool_call *call = asking->call;
	const struct services *services = call->services;
	int error;

	if (asking->key)
		error = store_message_by_key(services->store, call->client->id,
					     asking->key, call->arena, message_out);
	else
		error = store_message_get(services->store, asking->message_id,
					  call->arena, message_out);
	if (error == STORE_E_NOT_FOUND)
		answer_absence(asking);
	else if (error)
		failure_answer(call, FAILURE_INTERNAL, "The message could not be read.");
	else
		message_out->reason = wait_reason(services, message_out);
	return error == 0;
}

/* With what is known now. */
static void answer(void *data)
{
	struct asking *asking = data;
	struct message message;

	if (get_message(asking, &message))
		answer_message(asking, &message);
}

static bool hear(void *data, const struct outbox_event *event)
{
	return is_settled(data, event->state);
}

static enum wanted read_wanted(const struct tool_call *call)
{
	const char *word = argument_text(call, "wait_for");

	if (word)
		return word[0] == 's' ? WANTED_SENT : WANTED_DELIVERED;
	return argument_integer(call, "wait_seconds", 0) ? WANTED_SENT : WANTED_NOTHING;
}

/* False: the call has been finished with a failure. */
static bool read_which(struct asking *asking)
{
	struct tool_call *call = asking->call;
	bool by_number = json_member(call->arguments, "message_id");

	asking->message_id = argument_integer(call, "message_id", 0);
	asking->key = argument_text(call, "idempotency_key");
	if (by_number != (asking->key != NULL))
		return true;
	failure_answer(call, FAILURE_INVALID_ARGUMENTS,
		       "Give either message_id or idempotency_key.");
	return false;
}

static void run(struct tool_call *call)
{
	struct asking *asking = arena_alloc(call->arena, sizeof(*asking));
	struct message message;
	int64_t seconds;

	if (!asking) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	asking->call = call;
	asking->wanted = read_wanted(call);
	if (!read_which(asking) || !get_message(asking, &message))
		return;
	asking->message_id = message.id;
	seconds = asking->wanted == WANTED_NOTHING
			  ? 0
			  : argument_integer(call, "wait_seconds", WAIT_USUAL_SECONDS);
	asking->watch = (struct watch){ .hear = hear, .answer = answer, .data = asking };
	if (is_settled(asking, message.state) ||
	    !watch_start(&asking->watch, call, message.id, (uint64_t)seconds))
		answer_message(asking, &message);
}

const struct tool tool_get_sms_status = {
	.name = "get_sms_status",
	.title = "Ask what became of a message",
	.description =
		"Tells where a message is, every state it was in with its time and "
		"reason, and what that means. Call it after send_sms said that the "
		"message is not sent yet, or with wait_for to be told when it is; do "
		"not send again meanwhile. Costs nothing. \"sent\" means that the "
		"network took it, and \"delivered\" that the recipient's phone did; "
		"neither proves that anybody read it.",
	.input = input,
	.output = output,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.run = run,
};
