/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cancel_sms: cancels a message that has not been sent yet.
 *
 *   waits in the gateway        cancelled at once, on disk
 *   oFono has it                oFono is asked, and its answer is waited for
 *   oFono has it, modem away    "held": oFono is asked when the modem is back
 *   anything later              too late
 *
 * Every answer comes from the store or from oFono; nothing is assumed.
 *
 * A hub closes a key before it sends the message from another phone: the message with the key
 * is cancelled if that is still possible, and answered with its state; if there is none, the
 * key is closed on disk, so that a send_sms that comes late is refused.
 */
#include <inttypes.h>
#include <stdio.h>

#include "store/store_feed.h"
#include "store/store_usage.h"
#include "tools/argument.h"
#include "tools/own_message.h"
#include "tools/services.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"

static const struct schema_field cancel_sms_input[] = {
	{ "message_id", SCHEMA_INTEGER, true, "From send_sms or list_sms",
	  .tool_checks_absence = true },
	{ "idempotency_key", SCHEMA_STRING, false,
	  "Instead of message_id: the key that it was sent with", 1, IDEMPOTENCY_KEY_MAX,
	  .scopes = CLIENT_HUB },
	{ "close", SCHEMA_BOOLEAN, false,
	  "true: if no message has the key, none ever will: send_sms with it is refused",
	  .scopes = CLIENT_HUB },
	{ 0 },
};

static const struct schema_field cancel_sms_output[] = {
	{ "message_id", SCHEMA_INTEGER, false, "The message" },
	{ "state", SCHEMA_STRING, true,
	  "cancelled; or held: oFono is asked to cancel it when its modem is back; with "
	  "close also closed: there is none, or any state that it has" },
	{ "epoch", SCHEMA_STRING, false,
	  "closed: of the message store, as in list_changes; in an "
	  "earlier epoch a message with the key may have been sent" },
	{ 0 },
};

/* One call; lives in its arena. */
struct cancel_sms {
	struct tool_call *call;
	int64_t message_id;
	const char *key; /* NULL if the message is named by its ID */
	bool closes;
	enum message_state state;
	struct outbox_cancellation *recall; /* NULL if oFono is not being asked */
};

static void cancel_sms_put_facts(struct json_writer *writer, int64_t message_id,
				 enum message_state state)
{
	json_put_integer(writer, "message_id", message_id);
	json_put_string(writer, "state", message_state_name(state));
}

static void cancel_sms_succeed(const struct cancel_sms *cancel, enum message_state state,
			       const char *text)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (writer) {
		json_open_object(writer);
		cancel_sms_put_facts(writer, cancel->message_id, state);
		json_close_object(writer);
		json_writer_free(writer);
	}
	tool_call_succeed(cancel->call,
			  arena_printf(cancel->call->arena, "Message %lld %s",
				       (long long)cancel->message_id, text),
			  &structured, true);
}

static void cancel_sms_put_failure_facts(struct json_writer *writer, const void *data)
{
	const struct cancel_sms *cancel = data;

	cancel_sms_put_facts(writer, cancel->message_id, cancel->state);
}

static void cancel_sms_fail(const struct cancel_sms *cancel, enum failure failure,
			    const char *what)
{
	struct refusal refusal = {
		failure,
		arena_printf(cancel->call->arena, "Message %lld %s.",
			     (long long)cancel->message_id, what),
	};

	tool_failure_answer_with(cancel->call, &refusal, cancel_sms_put_failure_facts,
				 cancel);
}

/* `outcome` is that of outbox_cancel(): 0 if it was cancelled. */
static void cancel_sms_answer(const struct cancel_sms *cancel, int outcome)
{
	const char *why;

	switch (outcome) {
	case 0:
		cancel_sms_succeed(cancel, STATE_CANCELLED,
				   "is cancelled; it was not sent.");
		break;
	case OUTBOX_E_TOO_LATE:
		why = own_message_too_late(cancel->state);
		if (cancel->closes) {
			cancel_sms_succeed(cancel, cancel->state,
					   why ? why : "could not be cancelled");
			break;
		}
		cancel_sms_fail(cancel, FAILURE_TOO_LATE,
				why ? why : "could not be cancelled");
		break;
	case OUTBOX_E_CANCEL_LATER:
		cancel_sms_succeed(cancel, STATE_HELD,
				   "is not cancelled yet: oFono keeps it, and cannot "
				   "be asked while its modem is away. When the modem "
				   "is back, the gateway cancels it unless oFono "
				   "sends it first; get_sms_status shows the outcome.");
		break;
	case OUTBOX_E_NO_ANSWER:
		cancel_sms_fail(
			cancel, FAILURE_TOO_LATE,
			"may be cancelled or not: oFono was asked and did not answer");
		break;
	case OUTBOX_E_STORAGE:
		cancel_sms_fail(
			cancel, FAILURE_STORAGE_FULL,
			"was not cancelled: it could not be written to the phone's storage");
		break;
	default:
		cancel_sms_fail(cancel, FAILURE_INTERNAL, "could not be cancelled");
		break;
	}
}

/* Returns false if the call has been finished. */
static bool cancel_sms_read_message(struct cancel_sms *cancel)
{
	struct message message;

	if (!own_message_read(cancel->call, cancel->message_id, &message))
		return false;
	cancel->state = message.state;
	return true;
}

/* No message has the key. */
static void cancel_sms_close_key(struct cancel_sms *cancel)
{
	struct tool_call *call = cancel->call;
	struct buffer structured = BUFFER_INIT;
	struct store *store = call->services->store;
	struct json_writer *writer;
	char text[20];
	int64_t epoch;
	int error = store_usage_close_key(store, call->client->id, cancel->key);

	if (!error)
		error = store_feed_epoch(store, &epoch);

	if (error) {
		tool_failure_answer(call,
				    error == STORE_E_FULL ? FAILURE_STORAGE_FULL
							  : FAILURE_INTERNAL,
				    "The idempotency_key could not be closed.");
		return;
	}
	writer = json_writer_new(&structured);
	if (writer) {
		json_open_object(writer);
		json_put_string(writer, "state", "closed");
		snprintf(text, sizeof(text), "%016" PRIx64, (uint64_t)epoch);
		json_put_string(writer, "epoch", text);
		json_close_object(writer);
		json_writer_free(writer);
	}
	tool_call_succeed(call, "The idempotency_key is closed: nothing is sent with it.",
			  &structured, true);
}

/* Finds the ID of the message with the key. Returns false if the call has been finished. */
static bool cancel_sms_find_key(struct cancel_sms *cancel)
{
	struct tool_call *call = cancel->call;
	struct message message;
	int error = store_message_by_key(call->services->store, call->client->id,
					 cancel->key, call->arena, &message);

	if (error == STORE_E_NOT_FOUND && cancel->closes)
		cancel_sms_close_key(cancel);
	else if (error == STORE_E_NOT_FOUND)
		tool_failure_answer(call, FAILURE_KEY_NOT_FOUND,
				    "None of your messages has this idempotency_key.");
	else if (error)
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The message could not be read.");
	else
		cancel->message_id = message.id;
	return error == 0;
}

/* The store has what oFono reported meanwhile. */
static void cancel_sms_on_recalled(void *data, int outcome)
{
	struct cancel_sms *cancel = data;

	cancel->recall = NULL;
	if (!cancel_sms_read_message(cancel))
		return;
	cancel_sms_answer(cancel, cancel->state == STATE_CANCELLED ? 0 : outcome);
}

static void cancel_sms_on_abandoned(void *data)
{
	struct cancel_sms *cancel = data;

	outbox_cancel_leave(cancel->recall);
}

static void cancel_sms_on_stopping(void *data)
{
	struct cancel_sms *cancel = data;

	outbox_cancel_leave(cancel->recall);
	cancel_sms_answer(cancel, OUTBOX_E_NO_ANSWER);
}

static const struct request_waiting cancel_sms_waiting = {
	.abandoned = cancel_sms_on_abandoned,
	.stopping = cancel_sms_on_stopping,
};

static void cancel_sms_run(struct tool_call *call)
{
	struct cancel_sms *cancel = tool_wait_alloc(call, sizeof(*cancel));
	struct refusal refusal;
	int outcome = 0;

	if (!cancel)
		return;
	cancel->call = call;
	cancel->message_id = argument_integer(call, "message_id", 0);
	cancel->closes = argument_boolean(call, "close");
	if (!argument_key(call, &cancel->key, &refusal)) {
		tool_failure_answer_with(call, &refusal, NULL, NULL);
		return;
	}
	if (!json_member(call->arguments, "message_id") == !cancel->key ||
	    (cancel->closes && !cancel->key)) {
		tool_failure_answer(
			call, FAILURE_INVALID_ARGUMENTS,
			call->client->scopes & CLIENT_HUB
				? "Pass either message_id or idempotency_key; "
				  "close needs idempotency_key."
				: "cancel_sms: message_id is missing.");
		return;
	}
	if ((cancel->key && !cancel_sms_find_key(cancel)) ||
	    !cancel_sms_read_message(cancel))
		return;
	if (cancel->state != STATE_CANCELLED)
		outcome = outbox_cancel(call->services->outbox, cancel->message_id,
					&cancel->recall);
	if (outcome != OUTBOX_E_CANCELLING) {
		cancel_sms_answer(cancel, outcome);
		return;
	}
	outbox_cancel_wait(cancel->recall, cancel_sms_on_recalled, cancel);
	tool_call_wait(call, &cancel_sms_waiting, cancel);
}

const struct tool tool_cancel_sms = {
	.name = "cancel_sms",
	.title = "Cancel a message",
	.description =
		"Cancel a message that has not been sent yet. Only \"cancelled\" means "
		"that it won't be sent: a \"held\" one is cancelled when its modem is "
		"back, unless oFono sends it first.",
	.input = cancel_sms_input,
	.output = cancel_sms_output,
	.listed = (const char *const[]){ "state", NULL },
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT,
	.scopes = CLIENT_SEND,
	.run = cancel_sms_run,
};
