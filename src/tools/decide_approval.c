/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decide_approval: approves or rejects a message in the owner's place, on a page of a client
 * with the scope admin. A client cannot decide about its own messages
 * (tests/integration/test_approval_tools.py).
 */
#include <stdio.h>

#include "console/console.h"
#include "sms/outbox_approval.h"
#include "tools/argument.h"
#include "tools/services.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"

enum {
	DECIDE_APPROVAL_REASON_MAX = 200,
	DECIDE_APPROVAL_WHO_BYTES = CLIENT_NAME_BYTES + sizeof("client "),
};

static const struct schema_field decide_approval_input[] = {
	{ "message_id", SCHEMA_INTEGER, true, "From list_approvals" },
	{ "approve", SCHEMA_BOOLEAN, true,
	  "true: it is sent, once, within ten minutes; false: never" },
	{ "reason", SCHEMA_STRING, false, "With false: a comment for the client", 1,
	  DECIDE_APPROVAL_REASON_MAX },
	{ 0 },
};

static const struct schema_field decide_approval_output[] = {
	{ "message_id", SCHEMA_INTEGER, true, "The message" },
	{ "approved", SCHEMA_BOOLEAN, true, "The decision" },
	{ "state", SCHEMA_STRING, true, "Its state now: see get_sms_status" },
	{ 0 },
};

static void decide_approval_answer(struct tool_call *call, int64_t message_id,
				   bool approved)
{
	struct message message = { .state = approved ? STATE_QUEUED : STATE_FAILED };
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (!writer) {
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	store_message_get(call->services->store, message_id, call->arena, &message);
	json_open_object(writer);
	json_put_integer(writer, "message_id", message_id);
	json_put_boolean(writer, "approved", approved);
	json_put_string(writer, "state", message_state_name(message.state));
	json_close_object(writer);
	json_writer_free(writer);
	tool_call_succeed_with_json(call, &structured);
}

static void decide_approval_decide(struct tool_call *call, int64_t message_id)
{
	struct outbox *outbox = call->services->outbox;
	const char *reason = argument_text(call, "reason");
	bool approved = argument_boolean(call, "approve");
	char who[DECIDE_APPROVAL_WHO_BYTES];

	snprintf(who, sizeof(who), "client %s", call->client->name);
	switch (approved ? outbox_approval_give(outbox, message_id, who)
			 : outbox_approval_reject(outbox, message_id, who, reason)) {
	case 0:
		decide_approval_answer(call, message_id, approved);
		break;
	case OUTBOX_E_NOT_WAITING:
		tool_failure_answer(call, FAILURE_DECIDED,
				    arena_printf(call->arena,
						 "Message %lld is not waiting for "
						 "approval, or not any more.",
						 (long long)message_id));
		break;
	case OUTBOX_E_STORAGE:
		tool_failure_answer(call, FAILURE_STORAGE_FULL,
				    "The decision could not be written to the phone's "
				    "storage.");
		break;
	default:
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The decision could not be stored.");
	}
}

static void decide_approval_run(struct tool_call *call)
{
	int64_t message_id = argument_integer(call, "message_id", 0);
	struct message message;
	int error = store_message_get(call->services->store, message_id, call->arena,
				      &message);

	if (error == STORE_E_NOT_FOUND)
		tool_failure_answer(call, FAILURE_NOT_FOUND,
				    arena_printf(call->arena, "There is no message %lld.",
						 (long long)message_id));
	else if (error)
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The message could not be read.");
	else if (message.client_id == call->client->id)
		tool_failure_answer(call, FAILURE_OWN_MESSAGE,
				    "This client asked for that message itself.");
	else
		decide_approval_decide(call, message_id);
}

const struct tool tool_decide_approval = {
	.name = "decide_approval",
	.title = "Approve or reject a message",
	.description =
		"Approves or rejects another client's message in the owner's place. An "
		"approval is for that number, text and SIM, counts once, and sends it, "
		"which costs money and cannot be undone. For the page on which the owner "
		"decides: never call it yourself.",
	.input = decide_approval_input,
	.output = decide_approval_output,
	.flags = TOOL_DESTRUCTIVE | TOOL_OPEN_WORLD | TOOL_FOR_PAGES,
	.scopes = CLIENT_READ | CLIENT_ADMIN,
	.page = CONSOLE_URI,
	.run = decide_approval_run,
};
