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
 */
#include "config/config.h"
#include "tools/argument.h"
#include "tools/services.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"

static const struct schema_field cancel_sms_input[] = {
	{ "message_id", SCHEMA_INTEGER, true, "From send_sms" },
	{ 0 },
};

static const struct schema_field cancel_sms_output[] = {
	{ "message_id", SCHEMA_INTEGER, true, "The message" },
	{ "state", SCHEMA_STRING, true,
	  "cancelled; or held: oFono is asked to cancel it when its modem is back" },
	{ 0 },
};

/* One call; lives in its arena. */
struct cancel_sms {
	struct tool_call *call;
	int64_t message_id;
	enum message_state state;
	struct outbox_cancellation *recall; /* NULL: oFono is not being asked */
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

static const char *const cancel_sms_too_late[STATE_LAST + 1] = {
	[STATE_QUEUED] = "could not be cancelled",
	[STATE_SUBMITTING] = "is being submitted to oFono right now",
	[STATE_SUBMITTED] = "is with oFono and on its way to the network",
	[STATE_HELD] = "is with oFono, which does not cancel it any more",
	[STATE_SENT] = "was already sent",
	[STATE_FAILED] = "has already failed",
	[STATE_CANCELLED] = "is cancelled",
	[STATE_UNKNOWN] = "may have been sent; its outcome is unknown",
	[STATE_RECEIVED] = "was received",
	[STATE_SCHEDULED] = "could not be cancelled",
	[STATE_WAITING_APPROVAL] = "could not be cancelled",
	[STATE_DELIVERED] = "was already sent and delivered",
	[STATE_EXPIRED] = "has already expired and was not sent",
};

/* `outcome`: of outbox_cancel(); 0: cancelled */
static void cancel_sms_answer(const struct cancel_sms *cancel, int outcome)
{
	switch (outcome) {
	case 0:
		cancel_sms_succeed(cancel, STATE_CANCELLED,
				   "is cancelled; it was not sent.");
		break;
	case OUTBOX_E_TOO_LATE:
		cancel_sms_fail(cancel, FAILURE_TOO_LATE,
				cancel_sms_too_late[cancel->state]);
		break;
	case OUTBOX_E_CANCEL_LATER:
		cancel_sms_succeed(
			cancel, STATE_HELD,
			"is not cancelled yet: oFono keeps it, and cannot be asked while "
			"its modem is away. When the modem is back, the gateway cancels "
			"it unless oFono sends it first; get_sms_status shows the "
			"outcome.");
		break;
	case OUTBOX_E_NO_ANSWER:
		cancel_sms_fail(cancel, FAILURE_TOO_LATE,
				"may be cancelled or not: oFono was asked and did not "
				"answer");
		break;
	case OUTBOX_E_STORAGE:
		cancel_sms_fail(
			cancel, FAILURE_STORAGE_FULL,
			"was not cancelled: it could not be written to the phone's "
			"storage");
		break;
	default:
		cancel_sms_fail(cancel, FAILURE_INTERNAL, "could not be cancelled");
		break;
	}
}

static bool cancel_sms_is_allowed(const struct tool_call *call,
				  const struct message *message)
{
	return message->direction == MESSAGE_OUTGOING &&
	       (call->services->config->open || message->client_id == call->client->id);
}

/* False: the call has been finished. Another client's message looks like none. */
static bool cancel_sms_read_message(struct cancel_sms *cancel)
{
	struct tool_call *call = cancel->call;
	struct message message;
	int error = store_message_get(call->services->store, cancel->message_id,
				      call->arena, &message);

	if (!error && cancel_sms_is_allowed(call, &message)) {
		cancel->state = message.state;
		return true;
	}
	if (!error || error == STORE_E_NOT_FOUND)
		tool_failure_answer(call, FAILURE_NOT_FOUND,
				    arena_printf(call->arena,
						 "You have sent no message %lld.",
						 (long long)cancel->message_id));
	else
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The message could not be read.");
	return false;
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
	struct cancel_sms *cancel = arena_alloc(call->arena, sizeof(*cancel));
	int outcome = 0;

	if (!cancel) {
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	cancel->call = call;
	cancel->message_id = argument_integer(call, "message_id", 0);
	if (!cancel_sms_read_message(cancel))
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
		"Cancels a message of send_sms that has not been sent yet: scheduled, "
		"waiting in the gateway, or waiting in oFono. Costs nothing. Only "
		"\"cancelled\" means that it is not sent; \"held\" means that it is "
		"cancelled when its modem is back, if oFono has not sent it by then. The "
		"error too_late means that it was sent, or is being sent now, and nobody "
		"can recall it.",
	.input = cancel_sms_input,
	.output = cancel_sms_output,
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT,
	.scopes = CLIENT_SEND,
	.run = cancel_sms_run,
};
