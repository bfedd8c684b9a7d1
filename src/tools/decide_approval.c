/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decide_approval: the owner's yes or no to a message that waits for it, given on a page of
 * a client with the scope admin. Nobody decides about what its own token asked for
 * (tests/integration/test_approval_tools.py).
 */
#include <stdio.h>

#include "console/console.h"
#include "sms/outbox_approval.h"
#include "tools/argument.h"
#include "tools/failure.h"
#include "tools/services.h"
#include "tools/tool_table.h"

enum {
	WORDS_MAX = 200,
	WHO_BYTES = CLIENT_NAME_BYTES + sizeof("client "),
};

static const struct schema_field input[] = {
	{ "message_id", SCHEMA_INTEGER, true, "As list_approvals gives it" },
	{ "approve", SCHEMA_BOOLEAN, true,
	  "true: it goes out, once, within ten minutes; false: never" },
	{ "reason", SCHEMA_STRING, false, "With a no: words for who asked", 1,
	  WORDS_MAX },
	{ 0 },
};

static const struct schema_field output[] = {
	{ "message_id", SCHEMA_INTEGER, true, "The message" },
	{ "approved", SCHEMA_BOOLEAN, true, "What was decided" },
	{ "state", SCHEMA_STRING, true, "Where it is now: see get_sms_status" },
	{ 0 },
};

static const char *state_of(struct tool_call *call, int64_t message_id, bool approved)
{
	const struct services *services = call->services;
	struct message message = { .state = approved ? STATE_QUEUED : STATE_FAILED };

	store_message_get(services->store, message_id, call->arena, &message);
	return message_state_name(message.state);
}

static void answer(struct tool_call *call, int64_t message_id, bool approved)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (!writer) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	json_open_object(writer);
	json_put_integer(writer, "message_id", message_id);
	json_put_boolean(writer, "approved", approved);
	json_put_string(writer, "state", state_of(call, message_id, approved));
	json_close_object(writer);
	json_writer_free(writer);
	tool_call_succeed_with_json(call, &structured);
}

static void answer_outcome(struct tool_call *call, int outcome, int64_t message_id,
			   bool approved)
{
	switch (outcome) {
	case 0:
		answer(call, message_id, approved);
		break;
	case OUTBOX_E_NOT_WAITING:
		failure_answer(call, FAILURE_DECIDED,
			       arena_printf(call->arena,
					    "Message %lld waits for no yes, or no more.",
					    (long long)message_id));
		break;
	case OUTBOX_E_STORAGE:
		failure_answer(call, FAILURE_STORAGE_FULL,
			       "The decision could not be written to the phone's "
			       "storage.");
		break;
	default:
		failure_answer(call, FAILURE_INTERNAL,
			       "The decision could not be stored.");
	}
}

static void decide(struct tool_call *call, int64_t message_id)
{
	const struct services *services = call->services;
	const char *reason = argument_text(call, "reason");
	bool approved = argument_boolean(call, "approve");
	char who[WHO_BYTES];
	int outcome;

	snprintf(who, sizeof(who), "client %s", call->client->name);
	outcome = approved ? outbox_approval_give(services->outbox, message_id, who)
			   : outbox_approval_reject(services->outbox, message_id, who,
						    reason);
	answer_outcome(call, outcome, message_id, approved);
}

static void run(struct tool_call *call)
{
	const struct services *services = call->services;
	int64_t message_id = argument_integer(call, "message_id", 0);
	struct message message;
	int error = store_message_get(services->store, message_id, call->arena, &message);

	if (error == STORE_E_NOT_FOUND)
		failure_answer(call, FAILURE_NOT_FOUND,
			       arena_printf(call->arena, "There is no message %lld.",
					    (long long)message_id));
	else if (error)
		failure_answer(call, FAILURE_INTERNAL, "The message could not be read.");
	else if (message.client_id == call->client->id)
		failure_answer(call, FAILURE_OWN_MESSAGE,
			       "This client asked for that message itself.");
	else
		decide(call, message_id);
}

const struct tool tool_decide_approval = {
	.name = "decide_approval",
	.title = "Say yes or no to a message",
	.description =
		"Gives the owner's yes or no to a message of another client that waits "
		"for it. A yes is for that number, text and SIM, counts once, and lets "
		"it go out, which costs money and cannot be recalled. For the page on "
		"which the owner decides: never call it by yourself.",
	.input = input,
	.output = output,
	.flags = TOOL_DESTRUCTIVE | TOOL_OPEN_WORLD | TOOL_FOR_PAGES,
	.scopes = CLIENT_READ | CLIENT_ADMIN,
	.page = CONSOLE_URI,
	.run = run,
};
