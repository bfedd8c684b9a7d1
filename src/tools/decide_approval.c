/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decide_approval: approves or rejects a message in the owner's place, on a page of a client
 * with the scope admin. A client cannot decide about its own messages
 * (tests/integration/test_approval_tools.py).
 */
#include <stdio.h>

#include "console/console.h"
#include "sms/outbox.h"
#include "tools/argument.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"
#include "tools/webhook_view.h"

enum {
	DECIDE_APPROVAL_REASON_MAX = 200,
	DECIDE_APPROVAL_WHO_BYTES = CLIENT_NAME_BYTES + sizeof("client "),
};

static const struct schema_field decide_approval_input[] = {
	{ "message_id", SCHEMA_INTEGER, false, "From list_approvals" },
	{ "approval_id", SCHEMA_STRING, false, "Of a webhook, instead of message_id", 1,
	  WEBHOOK_VIEW_ID_BYTES },
	{ "approve", SCHEMA_BOOLEAN, true,
	  "true: a message is sent within ten minutes; false: never" },
	{ "revision", SCHEMA_INTEGER, false, "From list_approvals, if it has one", 0,
	  INT32_MAX },
	{ "reason", SCHEMA_STRING, false, "With false: a comment for the client", 1,
	  DECIDE_APPROVAL_REASON_MAX },
	{ 0 },
};

static const struct schema_field decide_approval_output[] = {
	{ "message_id", SCHEMA_INTEGER, false, "The message" },
	{ "approval_id", SCHEMA_STRING, false, "The webhook" },
	{ "approved", SCHEMA_BOOLEAN, true, "The decision" },
	{ "state", SCHEMA_STRING, true, "Its state now: see get_sms_status" },
	{ 0 },
};

/* `webhook` is NULL for a message. */
static void decide_approval_answer(struct tool_call *call, const char *webhook,
				   int64_t message_id, bool approved)
{
	struct message message = { .state = approved ? STATE_QUEUED : STATE_FAILED };
	const char *state = approved ? "approved" : "rejected";
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = page_open(call, &structured);

	if (!writer)
		return;
	if (webhook) {
		json_put_string(writer, "approval_id", webhook);
	} else {
		store_message_get(call->services->store, message_id, call->arena,
				  &message);
		state = message_state_name(message.state);
		json_put_integer(writer, "message_id", message_id);
	}
	json_put_boolean(writer, "approved", approved);
	json_put_string(writer, "state", state);
	page_close(call, writer, &structured, NULL);
}

static void decide_approval_decide(struct tool_call *call, int64_t message_id)
{
	struct outbox *outbox = call->services->outbox;
	const char *reason = argument_text(call, "reason");
	bool approved = argument_boolean(call, "approve");
	char who[DECIDE_APPROVAL_WHO_BYTES];

	snprintf(who, sizeof(who), "client %s", call->client->name);
	switch (approved ? outbox_approval_give(
				   outbox, message_id,
				   (unsigned)argument_integer(call, "revision", 0), who)
			 : outbox_approval_reject(outbox, message_id, who, reason)) {
	case 0:
		decide_approval_answer(call, NULL, message_id, approved);
		break;
	case OUTBOX_E_NOT_WAITING:
		tool_failure_answer(call, FAILURE_DECIDED,
				    arena_printf(call->arena,
						 "Message %lld is not waiting for "
						 "approval, or no longer.",
						 (long long)message_id));
		break;
	case OUTBOX_E_EDITED:
		tool_failure_answer(call, FAILURE_DECIDED,
				    arena_printf(call->arena,
						 "The client has changed message %lld "
						 "since it was read.",
						 (long long)message_id));
		break;
	case OUTBOX_E_STORAGE:
		tool_failure_answer(
			call, FAILURE_STORAGE_FULL,
			"The decision could not be written to the phone's storage.");
		break;
	default:
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The decision could not be stored.");
	}
}

/* Whose webhook it is; 0 if it does not wait. */
struct decide_approval_search {
	int64_t consent_id, client_id;
};

static void decide_approval_visit(void *data, const struct store_webhook_consent *consent)
{
	struct decide_approval_search *search = data;

	if (consent->id == search->consent_id &&
	    consent->state == WEBHOOK_CONSENT_WAITING)
		search->client_id = consent->client_id;
}

static void decide_approval_run_webhook(struct tool_call *call, const char *id)
{
	struct store *store = call->services->store;
	struct decide_approval_search search = { 0 };
	bool approved = argument_boolean(call, "approve");
	char who[DECIDE_APPROVAL_WHO_BYTES];

	if (webhook_view_read_id(id, &search.consent_id))
		store_webhook_consent_list(store, 0, decide_approval_visit, &search);
	snprintf(who, sizeof(who), "client %s", call->client->name);
	if (!search.client_id)
		tool_failure_answer(
			call, FAILURE_DECIDED,
			"That webhook is not waiting for approval, or no longer.");
	else if (search.client_id == call->client->id)
		tool_failure_answer(call, FAILURE_OWN_MESSAGE,
				    "This client asked for that webhook itself.");
	else if (webhook_view_decide(store, search.consent_id, approved, who))
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The decision could not be stored.");
	else
		decide_approval_answer(call, id, 0, approved);
}

static void decide_approval_run_message(struct tool_call *call)
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

static void decide_approval_run(struct tool_call *call)
{
	const char *webhook = argument_text(call, "approval_id");

	if (webhook)
		decide_approval_run_webhook(call, webhook);
	else
		decide_approval_run_message(call);
}

const struct tool tool_decide_approval = {
	.name = "decide_approval",
	.title = "Approve or reject a message",
	.description = "Approve or reject another client's message, or webhook, in the "
		       "owner's place. For the owner's page: never call it yourself.",
	.input = decide_approval_input,
	.output = decide_approval_output,
	.listed = (const char *const[]){ "state", NULL },
	.flags = TOOL_DESTRUCTIVE | TOOL_OPEN_WORLD | TOOL_FOR_PAGES,
	.scopes = CLIENT_READ | CLIENT_ADMIN,
	.page = CONSOLE_URI,
	.run = decide_approval_run,
};
