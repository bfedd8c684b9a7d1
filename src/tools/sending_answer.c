/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of send_sms. They say what is known and nothing more: "sent" when oFono said
 * so, "delivered" when a report did.
 */
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "config/config.h"
#include "sms/outbox_approval.h"
#include "tools/message_view.h"
#include "tools/sending.h"
#include "tools/services.h"
#include "tools/wait_reason.h"

enum { MS_PER_SECOND = 1000 };

static enum delivery delivery_now(const struct sending *sending)
{
	return store_message_delivery(&sending->message, clock_wall_ms());
}

static void write_repeat(struct json_writer *writer, const struct sending *sending)
{
	if (sending->repeat == POLICY_REPEAT_KEY)
		json_put_boolean(writer, "replayed", true);
	if (sending->repeat == POLICY_REPEAT_SAME)
		json_put_boolean(writer, "duplicate", true);
}

/* The first six stand in the plain case, too; the others where they tell something. */
static void write_members(struct json_writer *writer, const struct sending *sending)
{
	const struct message *message = &sending->message;
	const struct sms_order *order = sending->order;
	enum delivery delivery = delivery_now(sending);

	json_put_integer(writer, "message_id", message->id);
	json_put_string(writer, "state", message_state_name(message->state));
	json_put_string(writer, "to_phone_number", message->number);
	json_put_integer(writer, "subscription_id", message->sim_id);
	json_put_integer(writer, "segments", message->segments);
	json_put_string(writer, "encoding",
			segments_encoding_name(order->segments.encoding));
	if (order->wait_for == ORDER_WAIT_DELIVERED || delivery > DELIVERY_AWAITED)
		json_put_string(writer, "delivery",
				store_message_delivery_name(delivery));
	if (message->send_at_ms)
		message_view_put_time(writer, "send_at", message->send_at_ms);
	if (message->expires_at_ms)
		message_view_put_time(writer, "expires_at", message->expires_at_ms);
	write_repeat(writer, sending);
}

/* Longer ago than a duplicate can be it was by a clock that has been set since. */
static const char *say_when(const struct sending *sending)
{
	const struct tool_call *call = sending->order->call;
	const struct services *services = call->services;
	int64_t age_s = (clock_wall_ms() - sending->message.created_ms) / MS_PER_SECOND;
	int64_t most_s = services->config->duplicate_seconds + ORDER_WAIT_MOST_SECONDS;
	const char *when = NULL;

	if (age_s >= 0 && age_s <= most_s)
		when = arena_printf(call->arena, "%lld s ago", (long long)age_s);
	return when ? when : "just before";
}

/* Said at the end of whatever is said of an earlier message in place of a new one. */
static const char *say_duplicate(const struct sending *sending, const char *text)
{
	bool ended = text && *text && text[strlen(text) - 1] == '.';

	if (sending->repeat != POLICY_REPEAT_SAME || !text)
		return text;
	return arena_printf(
		sending->order->call->arena,
		"%s%s Nothing new was sent: this is what became of message %lld, "
		"the same text to the same number, asked for %s. "
		"To send it once more, call again with a new idempotency_key.",
		text, ended ? "" : ".", (long long)sending->message.id,
		say_when(sending));
}

static void succeed(const struct sending *sending, const char *text)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (writer) {
		json_open_object(writer);
		write_members(writer, sending);
		json_close_object(writer);
		json_writer_free(writer);
	} else {
		structured.failed = true;
	}
	tool_call_succeed(sending->order->call, say_duplicate(sending, text), &structured,
			  true);
}

static void write_failure_facts(struct json_writer *writer, const void *data)
{
	const struct sending *sending = data;

	json_put_integer(writer, "message_id", sending->message.id);
	json_put_string(writer, "state", message_state_name(sending->message.state));
	write_repeat(writer, sending);
}

/* A client that tries again with its key would hear of this failure for ever. */
static const char *say_key_is_used_up(const struct sending *sending, const char *text)
{
	if (!sending->order->idempotency_key || sending->order->key_is_ours || !text)
		return text;
	return arena_printf(sending->order->call->arena,
			    "%s Another try needs a new idempotency_key.", text);
}

static void fail(const struct sending *sending, enum failure failure, const char *message)
{
	struct refusal refusal = { failure, say_duplicate(sending, message) };

	if (failure != FAILURE_UNKNOWN_OUTCOME)
		refusal.message = say_key_is_used_up(sending, refusal.message);

	failure_answer_with(sending->order->call, &refusal, write_failure_facts, sending);
}

static const char *explain_character(const struct sending *sending)
{
	return arena_printf(sending->order->call->arena,
			    "The oFono of this phone cannot encode the character %s; "
			    "nothing was sent. Leave it out.",
			    segments_name_character(sending->order->call->arena,
						    sending->order->text,
						    sending->order->segments.unsendable));
}

static void hear_note(void *data, const struct message_change *change)
{
	struct buffer *note = data;

	if (!*change->note)
		return;
	buffer_append_text(note, ": ");
	escape_text(note, change->note);
}

/* The owner's words are in the history alone. */
static void answer_rejected(const struct sending *sending)
{
	const struct services *services = sending->order->call->services;
	struct arena *arena = sending->order->call->arena;
	struct buffer note = BUFFER_INIT;

	store_message_changes(services->store, sending->message.id, hear_note, &note);
	fail(sending, FAILURE_APPROVAL_REJECTED,
	     arena_printf(arena,
			  "The owner did not approve the SMS to %s%.*s (message %lld).",
			  sending->order->recipient, (int)note.length,
			  note.data ? note.data : "", (long long)sending->message.id));
	buffer_deinit(&note);
}

static void answer_failed(const struct sending *sending)
{
	enum failure failure = failure_of_code(sending->message.reason);
	bool network = failure == FAILURE_NETWORK_REFUSED;

	if (failure == FAILURE_APPROVAL_REJECTED)
		answer_rejected(sending);
	else if (failure == FAILURE_INVALID_TEXT && sending->order->segments.unsendable)
		fail(sending, failure, explain_character(sending));
	else
		fail(sending, failure,
		     arena_printf(sending->order->call->arena,
				  "SMS to %s failed: %s (message %lld).",
				  sending->order->recipient,
				  network ? "oFono reports that "
					    "the network did not take it"
					  : "oFono refused it",
				  (long long)sending->message.id));
}

static void answer_sent(const struct sending *sending)
{
	static const char *const additions[] = {
		[DELIVERY_NONE] = ". No delivery report was asked for, "
				  "so whether it arrives cannot be told",
		[DELIVERY_AWAITED] = ". No delivery report has come yet",
		[DELIVERY_CONFIRMED] = "",
		[DELIVERY_REFUSED] =
			", but a delivery report says that it did not arrive",
		[DELIVERY_UNCONFIRMED] = ". No delivery report came "
					 "in the time that the network had for it",
	};
	enum delivery delivery = delivery_now(sending);
	struct arena *arena = sending->order->call->arena;
	const char *recipient = sending->order->recipient;
	bool asked = sending->order->wait_for == ORDER_WAIT_DELIVERED;

	if (delivery == DELIVERY_REFUSED && sending->is_task)
		fail(sending, FAILURE_NOT_DELIVERED,
		     arena_printf(arena, "SMS sent to %s%s (message %lld).", recipient,
				  additions[delivery], (long long)sending->message.id));
	else if (delivery == DELIVERY_CONFIRMED && asked)
		succeed(sending, arena_printf(arena, "SMS delivered to %s", recipient));
	else if (delivery == DELIVERY_CONFIRMED ||
		 (!asked && delivery != DELIVERY_REFUSED))
		succeed(sending, arena_printf(arena, "SMS sent to %s", recipient));
	else
		succeed(sending, arena_printf(arena, "SMS sent to %s%s (message %lld).",
					      recipient, additions[delivery],
					      (long long)sending->message.id));
}

static const char *where_it_is(const struct sending *sending)
{
	static const char *const places[STATE_LAST + 1] = {
		[STATE_QUEUED] = "waits in the gateway's queue",
		[STATE_SUBMITTING] = "is being handed to oFono",
		[STATE_SUBMITTED] =
			"was handed to oFono, and the network has not confirmed it yet",
		[STATE_HELD] = "is kept by oFono until the modem is back",
	};
	const struct services *services = sending->order->call->services;
	char time[CLOCK_TEXT_BYTES];

	if (policy_is_paused(services->policy) &&
	    message_state_is_waiting(sending->message.state))
		return "waits in the gateway until the owner ends the pause";
	if (wait_is_for_the_clock(&sending->message))
		return "waits in the gateway until the phone's clock is set";
	if (sending->message.state != STATE_SCHEDULED)
		return places[sending->message.state];
	clock_format(sending->message.send_at_ms, time);
	return arena_printf(sending->order->call->arena,
			    "waits in the gateway for its time, %s", time);
}

static void answer_unapproved(const struct sending *sending)
{
	const struct services *services = sending->order->call->services;
	char until[CLOCK_TEXT_BYTES];

	clock_format(outbox_approval_until(NULL, services->config, &sending->message),
		     until);
	succeed(sending,
		arena_printf(sending->order->call->arena,
			     "SMS to %s is not sent yet: it waits for the owner's "
			     "approval, until %s at most (message %lld). After a yes it "
			     "goes out by itself, after a no never; do not send it "
			     "again. get_sms_status tells what the owner decided.",
			     sending->order->recipient, until,
			     (long long)sending->message.id));
}

/* oFono has not told the outcome: say exactly that. */
static void answer_pending(const struct sending *sending)
{
	const char *where = where_it_is(sending);

	succeed(sending,
		where ? arena_printf(sending->order->call->arena,
				     "SMS to %s is not sent yet: "
				     "it %s (message %lld). "
				     "It goes out by itself; do not send it again.",
				     sending->order->recipient, where,
				     (long long)sending->message.id)
		      : NULL);
}

/* Of one that expired. */
static const char *say_what_was_over(const struct sending *sending)
{
	const char *reason = sending->message.reason;

	if (strcmp(reason, "approval_not_given") == 0)
		return "was not approved in time, so it was not sent";
	if (strcmp(reason, "approval_expired") == 0)
		return "was approved, but could not be sent within ten minutes of that";
	return "could not be sent while it was valid";
}

static void answer_unsent(const struct sending *sending)
{
	struct arena *arena = sending->order->call->arena;
	const char *recipient = sending->order->recipient;
	long long id = sending->message.id;

	if (sending->message.state == STATE_UNKNOWN)
		fail(sending, FAILURE_UNKNOWN_OUTCOME,
		     arena_printf(arena,
				  "It is not known whether the SMS to %s was sent: "
				  "oFono gave no answer or went away with it "
				  "(message %lld). The gateway will not send it again.",
				  recipient, id));
	else if (sending->message.state == STATE_EXPIRED)
		fail(sending, FAILURE_EXPIRED,
		     arena_printf(arena, "The SMS to %s %s (message %lld).", recipient,
				  say_what_was_over(sending), id));
	else
		fail(sending, FAILURE_CANCELLED,
		     arena_printf(arena,
				  "The SMS to %s was cancelled "
				  "before it was sent (message %lld).",
				  recipient, id));
}

void sending_answer(const struct sending *sending)
{
	switch (sending->message.state) {
	case STATE_QUEUED:
	case STATE_SUBMITTING:
	case STATE_SUBMITTED:
	case STATE_HELD:
	case STATE_SCHEDULED:
	case STATE_RECEIVED: /* never */
		answer_pending(sending);
		break;
	case STATE_WAITING_APPROVAL:
		answer_unapproved(sending);
		break;
	case STATE_SENT:
	case STATE_DELIVERED:
		answer_sent(sending);
		break;
	case STATE_FAILED:
		answer_failed(sending);
		break;
	case STATE_CANCELLED:
	case STATE_UNKNOWN:
	case STATE_EXPIRED:
		answer_unsent(sending);
		break;
	}
}
