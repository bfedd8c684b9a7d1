/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cancel_sms: take back a message that is not on the air yet.
 *
 * What waits in the gateway is cancelled at once, on disk. What oFono has is cancelled by
 * oFono or not at all; whatever is answered was read from the store or told by oFono.
 */
#include "config/config.h"
#include "tools/argument.h"
#include "tools/failure.h"
#include "tools/services.h"
#include "tools/tool_table.h"

static const struct schema_field input[] = {
	{ "message_id", SCHEMA_INTEGER, true, "As send_sms gave it" },
	{ 0 },
};

static const struct schema_field output[] = {
	{ "message_id", SCHEMA_INTEGER, true, "As it was asked for" },
	{ "state", SCHEMA_STRING, true,
	  "cancelled; or held: it will be when its modem is back, if oFono lets us" },
	{ 0 },
};

/* one call; lives in the call's arena */
struct cancelling {
	struct tool_call *call;
	int64_t message_id;
	enum message_state state;
	struct outbox_cancellation *recall; /* NULL: oFono is not being asked */
};

static void succeed(const struct cancelling *cancelling, enum message_state state,
		    const char *text)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (writer) {
		json_open_object(writer);
		json_put_integer(writer, "message_id", cancelling->message_id);
		json_put_string(writer, "state", message_state_name(state));
		json_close_object(writer);
		json_writer_free(writer);
	} else {
		structured.failed = true;
	}
	tool_call_succeed(cancelling->call,
			  arena_printf(cancelling->call->arena, "Message %lld %s",
				       (long long)cancelling->message_id, text),
			  &structured, true);
}

static void answer_cancelled(const struct cancelling *cancelling)
{
	succeed(cancelling, STATE_CANCELLED, "is cancelled; it was not sent.");
}

static void answer_later(const struct cancelling *cancelling)
{
	succeed(cancelling, STATE_HELD,
		"is not cancelled yet: "
		"oFono keeps it, and cannot be asked while its modem is away. "
		"When the modem is back the gateway cancels it, "
		"unless oFono is quicker and sends it; "
		"get_sms_status tells what became of it.");
}

static void write_facts(struct json_writer *writer, const void *data)
{
	const struct cancelling *cancelling = data;

	json_put_integer(writer, "message_id", cancelling->message_id);
	json_put_string(writer, "state", message_state_name(cancelling->state));
}

static void answer_failure(const struct cancelling *cancelling, enum failure failure,
			   const char *what)
{
	struct refusal refusal = {
		failure,
		arena_printf(cancelling->call->arena, "Message %lld %s.",
			     (long long)cancelling->message_id, what),
	};

	failure_answer_with(cancelling->call, &refusal, write_facts, cancelling);
}

static const char *const too_late_words[STATE_LAST + 1] = {
	[STATE_QUEUED] = "could not be cancelled",
	[STATE_SUBMITTING] = "is just being handed to oFono",
	[STATE_SUBMITTED] = "is with oFono and on its way to the network",
	[STATE_HELD] = "is with oFono, which does not cancel it any more",
	[STATE_SENT] = "was sent already",
	[STATE_FAILED] = "failed already",
	[STATE_CANCELLED] = "is cancelled",
	[STATE_UNKNOWN] = "may have been sent; nobody can tell",
	[STATE_RECEIVED] = "came in",
	[STATE_SCHEDULED] = "could not be cancelled",
	[STATE_WAITING_APPROVAL] = "could not be cancelled",
	[STATE_DELIVERED] = "was sent and delivered already",
	[STATE_EXPIRED] = "had expired already and was not sent",
};

static void answer(const struct cancelling *cancelling, int outcome)
{
	switch (outcome) {
	case 0:
		answer_cancelled(cancelling);
		break;
	case OUTBOX_E_TOO_LATE:
		answer_failure(cancelling, FAILURE_TOO_LATE,
			       too_late_words[cancelling->state]);
		break;
	case OUTBOX_E_CANCEL_LATER:
		answer_later(cancelling);
		break;
	case OUTBOX_E_NO_ANSWER:
		answer_failure(cancelling, FAILURE_TOO_LATE,
			       "may be cancelled or not: "
			       "oFono was asked to and did not answer");
		break;
	case OUTBOX_E_STORAGE:
		answer_failure(cancelling, FAILURE_STORAGE_FULL,
			       "was not cancelled: "
			       "that could not be written to the phone's storage");
		break;
	default:
		answer_failure(cancelling, FAILURE_INTERNAL, "could not be cancelled");
		break;
	}
}

static bool may_cancel(const struct tool_call *call, const struct message *message)
{
	const struct services *services = call->services;
	const struct client *client = call->client;

	return message->direction == MESSAGE_OUTGOING &&
	       (services->config->open || message->client_id == client->id);
}

/* False: the call has been finished. A stranger's message is as good as none. */
static bool read_message(struct cancelling *cancelling)
{
	struct tool_call *call = cancelling->call;
	const struct services *services = call->services;
	struct message message;
	int error = store_message_get(services->store, cancelling->message_id,
				      call->arena, &message);

	if (!error && may_cancel(call, &message)) {
		cancelling->state = message.state;
		return true;
	}
	if (!error || error == STORE_E_NOT_FOUND)
		failure_answer(call, FAILURE_NOT_FOUND,
			       arena_printf(call->arena, "You have sent no message %lld.",
					    (long long)cancelling->message_id));
	else
		failure_answer(call, FAILURE_INTERNAL, "The message could not be read.");
	return false;
}

/* What oFono told meanwhile is in the store. */
static void on_recalled(void *data, int outcome)
{
	struct cancelling *cancelling = data;

	cancelling->recall = NULL;
	if (!read_message(cancelling))
		return;
	answer(cancelling, cancelling->state == STATE_CANCELLED ? 0 : outcome);
}

static void on_abandoned(void *data)
{
	struct cancelling *cancelling = data;

	outbox_cancel_leave(cancelling->recall);
}

static void on_stopping(void *data)
{
	struct cancelling *cancelling = data;

	outbox_cancel_leave(cancelling->recall);
	answer(cancelling, OUTBOX_E_NO_ANSWER);
}

static const struct request_waiting waiting = {
	.abandoned = on_abandoned,
	.stopping = on_stopping,
};

static void cancel(struct cancelling *cancelling)
{
	const struct services *services = cancelling->call->services;
	int outcome = outbox_cancel(services->outbox, cancelling->message_id,
				    &cancelling->recall);

	if (outcome != OUTBOX_E_CANCELLING) {
		answer(cancelling, outcome);
		return;
	}
	outbox_cancel_wait(cancelling->recall, on_recalled, cancelling);
	tool_call_wait(cancelling->call, &waiting, cancelling);
}

static void run(struct tool_call *call)
{
	struct cancelling *cancelling = arena_alloc(call->arena, sizeof(*cancelling));

	if (!cancelling) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	cancelling->call = call;
	cancelling->message_id = argument_integer(call, "message_id", 0);
	if (!read_message(cancelling))
		return;
	if (cancelling->state == STATE_CANCELLED)
		answer_cancelled(cancelling);
	else
		cancel(cancelling);
}

const struct tool tool_cancel_sms = {
	.name = "cancel_sms",
	.title = "Take a message back",
	.description =
		"Cancels a message that send_sms accepted and that is not on the air "
		"yet: scheduled, waiting in the gateway, or waiting in oFono. Costs "
		"nothing. Only \"cancelled\" means that it does not go out; \"held\" "
		"means that it is cancelled when its modem is back, if oFono has not "
		"sent it by then. The error too_late means that it was sent, or is "
		"being sent now, and cannot be recalled by anybody.",
	.input = input,
	.output = output,
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT,
	.scopes = CLIENT_SEND,
	.run = run,
};
