/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of send_sms. They say what is known and nothing more: "sent" if oFono said so,
 * "delivered" if a delivery report did.
 *
 *   state                            answer
 *   sent, delivered                  success
 *   queued, scheduled, waiting for   success: not sent yet, will go out by itself, do not
 *   approval, with oFono             send it again
 *   failed, cancelled, expired       failure
 *   unknown                          failure: it may have been sent
 *
 * Each names the message: some hosts pass on the first block alone. The answers of the original
 * app are the beginnings of these ("SMS sent to +36201234567").
 *
 * A call that only repeats another gets the same answer about the first one's message, plus a
 * sentence that says so. It never begins with "SMS sent": "Already sent at 14:02 (message 17);
 * nothing new was sent."
 */
#include "tools/sms_answer.h"

#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "sms/outbox.h"
#include "text/replacement.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "config/config.h"

enum { SMS_ANSWER_MS_PER_SECOND = 1000, SMS_ANSWER_DATE_LENGTH = 10 };

static enum delivery sms_answer_delivery(const struct sms_answer *answer)
{
	return store_message_delivery(&answer->message, clock_wall_ms());
}

static void sms_answer_put_repeat(struct json_writer *writer,
				  const struct sms_answer *answer)
{
	if (answer->repeat == POLICY_REPEAT_KEY)
		json_put_boolean(writer, "replayed", true);
	if (answer->repeat == POLICY_REPEAT_SAME)
		json_put_boolean(writer, "duplicate", true);
}

static void sms_answer_write(struct json_writer *writer, const struct sms_answer *answer)
{
	const struct message *message = &answer->message;
	const struct sms_order *order = answer->order;
	enum delivery delivery = sms_answer_delivery(answer);

	json_open_object(writer);
	json_put_integer(writer, "message_id", message->id);
	json_put_string(
		writer, "state",
		message_state_name(message_state_shown(message->state, message->reason)));
	json_put_string(writer, "to_phone_number", message->number);
	json_put_integer(writer, "subscription_id", message->sim_id);
	if (answer->order->route && !answer->repeat)
		json_put_string(writer, "route", answer->order->route);
	json_put_integer(writer, "segments", message->segments);
	json_put_string(writer, "encoding",
			segments_encoding_name(order->segments.encoding));
	view_put_cost(writer, order->call->services, message->sim_id, message->number,
		      message->segments);
	if (order->wait_for == ORDER_WAIT_DELIVERED || delivery > DELIVERY_AWAITED)
		json_put_string(writer, "delivery",
				store_message_delivery_name(delivery));
	if (message->state == STATE_WAITING_APPROVAL && *message->reason)
		json_put_string(writer, "approval_reason", message->reason);
	if (message->send_at_ms)
		view_put_time(writer, "send_at", message->send_at_ms);
	if (message->expires_at_ms)
		view_put_time(writer, "expires_at", message->expires_at_ms);
	sms_answer_put_repeat(writer, answer);
	json_close_object(writer);
}

/* An age that no duplicate can have means that the clock was set since. */
static const char *sms_answer_format_age(const struct sms_answer *answer)
{
	const struct tool_call *call = answer->order->call;
	int64_t age_s =
		(clock_wall_ms() - answer->message.created_ms) / SMS_ANSWER_MS_PER_SECOND;
	int64_t max_s =
		call->services->config->duplicate_seconds + ORDER_WAIT_MOST_SECONDS;
	const char *age = NULL;

	if (age_s >= 0 && age_s <= max_s)
		age = arena_printf(call->arena, "%lld s ago", (long long)age_s);
	return age ? age : "just before";
}

/* A message that the owner rejects, or has yet to approve, is not asked for once more. */
static const char *sms_answer_once_more(const struct sms_answer *answer)
{
	const struct message *message = &answer->message;

	if (message->state == STATE_WAITING_APPROVAL ||
	    (message->state == STATE_FAILED &&
	     failure_of_code(message->reason) == FAILURE_APPROVAL_REJECTED))
		return "";
	return " To send it once more, call again with a new idempotency_key.";
}

/* Ends answers about an earlier message. `text` and the result: NULL without memory. */
static const char *sms_answer_add_repeat(const struct sms_answer *answer,
					 const char *text)
{
	struct arena *arena = answer->order->call->arena;
	long long id = answer->message.id;

	if (answer->repeat == POLICY_REPEAT_NONE || !text)
		return text;
	if (answer->repeat == POLICY_REPEAT_KEY)
		return arena_printf(arena,
				    "%s Nothing new was sent: this is about message "
				    "%lld, which was asked for before.",
				    text, id);
	return arena_printf(
		arena,
		"%s Nothing new was sent: this is about message %lld, the same text to "
		"the same number, asked for %s.%s",
		text, id, sms_answer_format_age(answer), sms_answer_once_more(answer));
}

static void sms_answer_succeed_with(const struct sms_answer *answer, const char *text)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (writer) {
		sms_answer_write(writer, answer);
		json_writer_free(writer);
	}
	tool_call_succeed(answer->order->call, text, &structured, true);
}

static void sms_answer_succeed(const struct sms_answer *answer, const char *text)
{
	sms_answer_succeed_with(answer, sms_answer_add_repeat(answer, text));
}

static void sms_answer_put_failure_facts(struct json_writer *writer, const void *data)
{
	const struct sms_answer *answer = data;

	json_put_integer(writer, "message_id", answer->message.id);
	json_put_string(writer, "state", message_state_name(answer->message.state));
	sms_answer_put_repeat(writer, answer);
}

/* A client that retries with its key would get this failure for ever. */
static void sms_answer_fail_with(const struct sms_answer *answer, enum failure failure,
				 const char *message, const char *fix)
{
	struct refusal refusal = { failure,
				   answer->repeat == POLICY_REPEAT_SAME
					   ? sms_answer_add_repeat(answer, message)
					   : message,
				   .fix = fix };
	const struct sms_order *order = answer->order;

	if (failure != FAILURE_UNKNOWN_OUTCOME && order->idempotency_key &&
	    !order->key_is_ours && refusal.message)
		refusal.message = arena_printf(
			order->call->arena, "%s Another try needs a new idempotency_key.",
			refusal.message);
	tool_failure_answer_with(order->call, &refusal, sms_answer_put_failure_facts,
				 answer);
}

static void sms_answer_fail(const struct sms_answer *answer, enum failure failure,
			    const char *message)
{
	sms_answer_fail_with(answer, failure, message, NULL);
}

static void sms_answer_add_note(void *data, const struct message_change *change)
{
	struct buffer *note = data;

	if (!*change->note)
		return;
	buffer_append_text(note, ": ");
	escape_text(note, change->note);
}

/* The owner's words are only in the message's history. */
static void sms_answer_rejected(const struct sms_answer *answer)
{
	struct tool_call *call = answer->order->call;
	struct buffer note = BUFFER_INIT;

	store_message_changes(call->services->store, answer->message.id,
			      sms_answer_add_note, &note);
	sms_answer_fail(
		answer, FAILURE_APPROVAL_REJECTED,
		arena_printf(
			call->arena,
			"The owner did not approve the SMS to %s%.*s (message %lld).",
			answer->order->recipient, (int)note.length,
			note.data ? note.data : "", (long long)answer->message.id));
	buffer_deinit(&note);
}

/* Applies only where it is unknown which oFono runs: otherwise the policy refuses such a text. */
static void sms_answer_unsendable(const struct sms_answer *answer)
{
	struct arena *arena = answer->order->call->arena;
	struct replacement_advice advice = replacement_advise(arena, answer->order->text);

	sms_answer_fail_with(
		answer, FAILURE_INVALID_TEXT,
		advice.characters
			? arena_printf(arena, "The oFono of this phone cannot send %s.",
				       advice.characters)
			: NULL,
		advice.fix);
}

static void sms_answer_refused(const struct sms_answer *answer)
{
	const struct message *message = &answer->message;
	bool in_part = message_view_may_be_sent_in_part(message->state, message->reason,
							message->segments);

	sms_answer_fail(
		answer, FAILURE_NETWORK_REFUSED,
		arena_printf(answer->order->call->arena,
			     "SMS to %s failed: oFono reports that the network did not "
			     "accept it (message %lld). %s",
			     answer->order->recipient, (long long)message->id,
			     in_part ? "Segments before the refused one may have arrived."
				     : "Nothing was sent."));
}

static void sms_answer_failed(const struct sms_answer *answer)
{
	enum failure failure = failure_of_code(answer->message.reason);
	const struct sms_order *order = answer->order;
	struct arena *arena = order->call->arena;

	if (failure == FAILURE_APPROVAL_REJECTED)
		sms_answer_rejected(answer);
	else if (failure == FAILURE_NETWORK_REFUSED)
		sms_answer_refused(answer);
	else if (failure == FAILURE_INVALID_TEXT && order->segments.unsendable)
		sms_answer_unsendable(answer);
	else
		sms_answer_fail(
			answer, failure,
			arena_printf(
				arena,
				"SMS to %s was refused before it reached the network (message %lld).",
				order->recipient, (long long)answer->message.id));
}

static const char *const sms_answer_additions[] = {
	[DELIVERY_NONE] =
		". No delivery report was requested, so it is unknown whether it arrives",
	[DELIVERY_AWAITED] = ". No delivery report has come yet",
	[DELIVERY_CONFIRMED] = "",
	[DELIVERY_REFUSED] = ", but a delivery report says that it did not arrive",
	[DELIVERY_UNCONFIRMED] =
		". No delivery report came in the time that the network had for it",
};

static void sms_answer_find_sending(void *data, const struct message_change *change)
{
	int64_t *sent_ms = data;

	if (change->state == STATE_SENT)
		*sent_ms = change->at_ms;
}

/*
 * "14:02" by the phone's clock; of another day "2026-11-21 14:02". Returns NULL if memory runs out.
 */
static const char *sms_answer_sending_time(const struct sms_answer *answer)
{
	const struct tool_call *call = answer->order->call;
	int64_t sent_ms = answer->message.changed_ms;
	char sent[CLOCK_TEXT_BYTES], now[CLOCK_TEXT_BYTES];
	bool is_today;

	store_message_changes(call->services->store, answer->message.id,
			      sms_answer_find_sending, &sent_ms);
	clock_format(sent_ms, sent);
	clock_format(clock_wall_ms(), now);
	is_today = strncmp(sent, now, SMS_ANSWER_DATE_LENGTH) == 0;
	return arena_printf(call->arena, "%.*s%s%.5s",
			    is_today ? 0 : SMS_ANSWER_DATE_LENGTH, sent,
			    is_today ? "" : " ", sent + SMS_ANSWER_DATE_LENGTH + 1);
}

/* The words "SMS sent" are for a message of this call. */
static void sms_answer_sent_before(const struct sms_answer *answer)
{
	enum delivery delivery = sms_answer_delivery(answer);
	bool asked = answer->order->wait_for == ORDER_WAIT_DELIVERED;
	bool is_confirmed = delivery == DELIVERY_CONFIRMED;
	bool is_refused = delivery == DELIVERY_REFUSED;
	struct arena *arena = answer->order->call->arena;
	const char *time = sms_answer_sending_time(answer);
	const char *text = NULL;

	if (time)
		text = arena_printf(
			arena,
			"Already sent at %s (message %lld)%s; nothing new was sent%s.",
			time, (long long)answer->message.id,
			is_confirmed ? " and delivered"
			: is_refused ? sms_answer_additions[delivery]
				     : "",
			asked && !is_confirmed && !is_refused
				? sms_answer_additions[delivery]
				: "");
	if (is_refused && answer->is_task) {
		sms_answer_fail(answer, FAILURE_NOT_DELIVERED, text);
		return;
	}
	if (text && answer->repeat == POLICY_REPEAT_SAME)
		text = arena_printf(arena,
				    "%s It is the same text to the same number, "
				    "asked for %s. To send it once more, call "
				    "again with a new idempotency_key.",
				    text, sms_answer_format_age(answer));
	sms_answer_succeed_with(answer, text);
}

static void sms_answer_sent(const struct sms_answer *answer)
{
	enum delivery delivery = sms_answer_delivery(answer);
	struct arena *arena = answer->order->call->arena;
	const char *recipient = answer->order->recipient;
	bool asked = answer->order->wait_for == ORDER_WAIT_DELIVERED;
	long long id = answer->message.id;

	if (answer->repeat != POLICY_REPEAT_NONE)
		sms_answer_sent_before(answer);
	else if (delivery == DELIVERY_REFUSED && answer->is_task)
		sms_answer_fail(answer, FAILURE_NOT_DELIVERED,
				arena_printf(arena, "SMS sent to %s%s (message %lld).",
					     recipient, sms_answer_additions[delivery],
					     id));
	else if (delivery == DELIVERY_CONFIRMED && asked)
		sms_answer_succeed(
			answer, arena_printf(arena, "SMS delivered to %s (message %lld)",
					     recipient, id));
	else if (delivery == DELIVERY_CONFIRMED ||
		 (!asked && delivery != DELIVERY_REFUSED))
		sms_answer_succeed(answer,
				   arena_printf(arena, "SMS sent to %s (message %lld)",
						recipient, id));
	else
		sms_answer_succeed(answer,
				   arena_printf(arena, "SMS sent to %s%s (message %lld).",
						recipient, sms_answer_additions[delivery],
						id));
}

/* Follows "it". Returns NULL if memory runs out. */
static const char *sms_answer_where(const struct sms_answer *answer)
{
	static const char *const places[STATE_LAST + 1] = {
		[STATE_QUEUED] = "waits in the gateway's queue",
		[STATE_SUBMITTING] = "is being submitted to oFono",
		[STATE_SUBMITTED] = ("was submitted to oFono, and the "
				     "network has not confirmed it yet"),
		[STATE_HELD] = "is kept by oFono until the modem is back",
	};
	const struct tool_call *call = answer->order->call;
	const struct message *message = &answer->message;
	char time[CLOCK_TEXT_BYTES];

	if (policy_is_paused(call->services->policy) &&
	    message_state_is_waiting(message->state))
		return "waits in the gateway until the owner ends the pause";
	if (message_view_waits_for_clock(message))
		return "waits in the gateway until the phone's clock is set";
	if (message_state_shown(message->state, message->reason) ==
	    STATE_WAITING_APPROVAL)
		return "waits on its phone until the phone's owner approves it";
	if (message->state != STATE_SCHEDULED)
		return places[message->state];
	clock_format(message->send_at_ms, time);
	return arena_printf(call->arena, "waits in the gateway for its time, %s", time);
}

static void sms_answer_pending(const struct sms_answer *answer)
{
	const char *where = sms_answer_where(answer);

	sms_answer_succeed(
		answer,
		where ? arena_printf(
				answer->order->call->arena,
				"SMS to %s is not sent yet: it %s (message %lld). It "
				"goes out by itself; do not send it again.",
				answer->order->recipient, where,
				(long long)answer->message.id)
		      : NULL);
}

static void sms_answer_waiting_approval(const struct sms_answer *answer)
{
	const struct tool_call *call = answer->order->call;
	const struct refusal *needs_owner = answer->order->needs_owner;
	const char *cause = needs_owner ? needs_owner->message : NULL;
	char until[CLOCK_TEXT_BYTES];

	clock_format(
		outbox_approval_until(NULL, call->services->config, &answer->message),
		until);
	if (!cause && answer->order->is_unread)
		cause = "Your user was asked first, but no answer counted: it did not "
			"come, or came sooner than anybody can read the question.";
	sms_answer_succeed(
		answer,
		arena_printf(call->arena,
			     "SMS to %s is not sent yet: it waits for the owner's "
			     "approval, until %s at the latest (message %lld). %s%sIf "
			     "approved, it goes out by itself, otherwise never; do not "
			     "send it again.%s",
			     answer->order->recipient, until,
			     (long long)answer->message.id, cause ? cause : "",
			     cause ? " " : "",
			     call->client && call->client->scopes & CLIENT_READ
				     ? " get_sms_status shows what the owner decided."
				     : ""));
}

static void sms_answer_unknown(const struct sms_answer *answer)
{
	sms_answer_fail(
		answer, FAILURE_UNKNOWN_OUTCOME,
		arena_printf(
			answer->order->call->arena,
			"It is unknown whether the SMS to %s was sent: oFono gave no "
			"answer or went away with it (message %lld). The gateway will "
			"not send it again.",
			answer->order->recipient, (long long)answer->message.id));
}

/* It was not sent. */
static void sms_answer_ended(const struct sms_answer *answer, enum failure failure,
			     const char *what)
{
	sms_answer_fail(answer, failure,
			arena_printf(answer->order->call->arena,
				     "The SMS to %s %s (message %lld).",
				     answer->order->recipient, what,
				     (long long)answer->message.id));
}

/* Follows the recipient. */
static const char *sms_answer_expiry(const char *reason)
{
	if (strcmp(reason, "approval_not_given") == 0)
		return "was not approved in time, so it was not sent";
	if (strcmp(reason, "approval_expired") == 0)
		return "was approved, but could not be sent within ten minutes of the approval";
	return "could not be sent while it was valid";
}

void sms_answer_finish(const struct sms_answer *answer)
{
	switch (answer->message.state) {
	case STATE_QUEUED:
	case STATE_SUBMITTING:
	case STATE_SUBMITTED:
	case STATE_HELD:
	case STATE_SCHEDULED:
	case STATE_RECEIVED: /* never */
		sms_answer_pending(answer);
		break;
	case STATE_WAITING_APPROVAL:
		sms_answer_waiting_approval(answer);
		break;
	case STATE_SENT:
	case STATE_DELIVERED:
		sms_answer_sent(answer);
		break;
	case STATE_FAILED:
		sms_answer_failed(answer);
		break;
	case STATE_CANCELLED:
		sms_answer_ended(answer, FAILURE_CANCELLED,
				 "was cancelled before it was sent");
		break;
	case STATE_UNKNOWN:
		sms_answer_unknown(answer);
		break;
	case STATE_EXPIRED:
		sms_answer_ended(answer, FAILURE_EXPIRED,
				 sms_answer_expiry(answer->message.reason));
		break;
	}
}

void sms_answer_not_accepted(struct tool_call *call, int error)
{
	const char *trouble = store_trouble(call->services->store);

	if (error == OUTBOX_E_FULL)
		tool_failure_answer(call, FAILURE_QUEUE_FULL,
				    "Too many messages of this client are waiting.");
	else if (error == OUTBOX_E_STORAGE)
		tool_failure_answer(
			call, trouble ? FAILURE_INTERNAL : FAILURE_STORAGE_FULL,
			trouble ? trouble
				: "The message could not be written to the phone's storage.");
	else
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The message could not be stored.");
}

bool sms_answer_is_settled(const struct sms_order *order, const struct message *message)
{
	if (order->wait_for == ORDER_WAIT_NONE)
		return true;
	if (order->wait_for == ORDER_WAIT_DELIVERED && message->state == STATE_SENT &&
	    message->delivery == DELIVERY_AWAITED)
		return false;
	return message_state_is_final(message->state) ||
	       message->state == STATE_SCHEDULED;
}
