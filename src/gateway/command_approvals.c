/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * approvals, approve, reject: the messages that wait for the owner's approval.
 * approvals answers with an item for each message, oldest first, one page at a time.
 * approve and reject take the IDs of messages. They answer with an item for each, and
 * end with an error if one of them was not waiting.
 *
 * Receivers of webhooks also wait for approval: their items come last, and their IDs begin with w
 * (webhook_ids).
 *
 * A message that was edited has a revision, and whoever approves it names the one that they
 * read: between listing and approving the agent may have edited it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tools/view.h"
#include "base/utf8.h"
#include "gateway/command.h"
#include "gateway/control.h"
#include "sms/outbox.h"
#include "store/store_edit.h"
#include "tools/message_view.h"
#include "tools/services.h"

enum { ROW_ARENA_BYTES = 1024 * 1024 };

/* Returns false if the call is over. */
static bool command_approvals_send_item(struct control_call *call, int64_t message_id)
{
	const struct control *control = call->control;
	const struct services alone = { .store = control->store,
					.config = control->config };
	struct arena *arena = arena_new(ROW_ARENA_BYTES);
	struct json_writer *writer = NULL;
	struct message message;
	int error = arena ? store_message_get(call->control->store, message_id, arena,
					      &message)
			  : -ENOMEM;

	if (error)
		control_call_fail_store(call, error < 0 ? error : -EIO);
	else
		writer = control_call_open_item(call);
	if (writer) {
		message_view_put_approval(
			writer, control->services ? control->services : &alone, &message);
		view_put_line(writer, "phone_number", message.number);
		control_call_close(call);
	}
	arena_free(arena);
	return writer && !call->is_over;
}

static void command_approvals_run(struct control_call *call)
{
	const struct json *after = json_member(call->arguments, "after");
	struct outbox_approval_page page;
	struct json_writer *writer;
	unsigned receivers = 0, computers = 0;
	int64_t after_id = 0;
	int error;

	if (after && !json_integer(after, &after_id)) {
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "Give the ID of a message",
				  "after is not a whole number");
		return;
	}
	error = outbox_approval_page_read(call->control->store, after_id, &page);
	if (error) {
		control_call_fail_store(call, error);
		return;
	}
	for (unsigned i = 0; i < page.listed; i++) {
		if (!command_approvals_send_item(call, page.ids[i]))
			return;
	}
	if (!after_id && !command_clients_send_waiting(call, &computers))
		return;
	error = after_id ? 0 : command_webhooks_send_waiting(call, &receivers);
	if (error) {
		control_call_fail_store(call, error);
		return;
	}
	if (call->is_over)
		return;
	writer = control_call_open_result(call);
	if (!writer)
		return;
	json_put_integer(writer, "listed", page.listed);
	json_put_integer(writer, "more", page.waiting - page.listed);
	json_put_integer(writer, "webhooks", receivers);
	json_put_integer(writer, "pairings", computers);
	control_call_close(call);
}

const struct control_command command_approvals = {
	.name = "approvals",
	.run = command_approvals_run,
};

/* approve, reject */

enum {
	IDS_MAX = 100,
	WORDS_MAX = 200, /* characters of a reason */
};

/* Returns the name of the decision, and of its member in the answer. */
static const char *command_approvals_decision(const struct control_call *call)
{
	return call->command == &command_approve ? "approved" : "rejected";
}

static void command_approvals_note_approval(void *data,
					    const struct message_change *change)
{
	bool *approved = data;

	if (strcmp(change->reason, store_edit_reason) == 0)
		*approved = false;
	*approved |= strcmp(change->reason, outbox_approval_by_owner) == 0 ||
		     strcmp(change->reason, outbox_approval_by_user) == 0;
}

/* Returns why the message is not waiting. */
static const char *command_approvals_explain_state(struct control_call *call,
						   const struct message *message)
{
	static const struct {
		const char *reason, *text;
	} ends[] = {
		{ "approval_rejected", "it is already rejected" },
		{ "approval_not_given", "it has expired: nobody approved it in time" },
		{ "approval_expired", "it was approved, but expired because it could not "
				      "be sent within ten minutes" },
	};
	const char *state = message_state_name(message->state);
	bool approved = false;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (strcmp(ends[i].reason, message->reason) == 0)
			return ends[i].text;
	}
	if (message->direction == MESSAGE_INCOMING)
		return "it is an incoming message";
	store_message_changes(call->control->store, message->id,
			      command_approvals_note_approval, &approved);
	return arena_printf(call->arena,
			    approved ? "it is already approved, and %s"
				     : "it needs no approval, and is %s",
			    state);
}

static const char *command_approvals_explain_outcome(struct control_call *call,
						     int outcome,
						     const struct message *message)
{
	if (outcome == OUTBOX_E_STORAGE)
		return "the decision could not be written to disk; free space and try again";
	if (outcome < 0)
		return "internal error; see the gateway's log";
	if (outcome == OUTBOX_E_EDITED && message)
		return arena_printf(call->arena,
				    "the agent has changed it: read it with " PROGRAM_NAME
				    " approvals, then approve %lld.%u",
				    (long long)message->id, message->revision);
	return message ? command_approvals_explain_state(call, message)
		       : "there is no such message";
}

/* Returns false if memory runs out, which has been answered. */
static bool command_approvals_send_decision(struct control_call *call, int64_t message_id,
					    int outcome)
{
	struct arena *arena = arena_new(ROW_ARENA_BYTES);
	struct json_writer *writer = control_call_open_item(call);
	struct message message;
	bool found = arena && !store_message_get(call->control->store, message_id, arena,
						 &message);
	const char *why = outcome ? command_approvals_explain_outcome(
					    call, outcome, found ? &message : NULL)
				  : NULL;

	if (writer) {
		json_put_integer(writer, "message_id", message_id);
		json_put_boolean(writer, command_approvals_decision(call), outcome == 0);
		if (found)
			json_put_string(writer, "state",
					message_state_name(message.state));
		if (found && message.direction == MESSAGE_OUTGOING)
			json_put_string(writer, "phone_number", message.number);
		if (why)
			json_put_string(writer, "why", why);
		control_call_close(call);
	}
	arena_free(arena);
	return writer && !call->is_over;
}

/* Returns 0 if it is as it was accepted. */
static unsigned command_approvals_revision(const struct json **revisions)
{
	int64_t revision = 0;

	if (!*revisions)
		return 0;
	json_integer(*revisions, &revision);
	*revisions = (*revisions)->next;
	return revision > 0 && revision <= UINT_MAX ? (unsigned)revision : 0;
}

/* Returns how many of the messages could not be decided; -1 if the call is over. */
static int command_approvals_decide_messages(struct control_call *call)
{
	const struct json *ids = json_member(call->arguments, "message_ids");
	const struct json *all = json_member(call->arguments, "revisions");
	const struct json *revisions = all && all->type == JSON_ARRAY ? all->first : NULL;
	struct outbox *outbox = call->control->services->outbox;
	const char *who = control_call_who(call);
	int refused = 0;

	if (!who) {
		control_call_fail_store(call, -ENOMEM);
		return -1;
	}
	json_foreach (id, ids) {
		int64_t message_id = 0;
		unsigned revision;
		int outcome;

		json_integer(id, &message_id);
		revision = command_approvals_revision(&revisions);
		outcome =
			call->command == &command_approve
				? outbox_approval_give(outbox, message_id, revision, who)
				: outbox_approval_reject(
					  outbox, message_id, who,
					  control_call_argument(call, "reason"));
		refused += outcome != 0;
		if (!command_approvals_send_decision(call, message_id, outcome))
			return -1;
	}
	return refused;
}

/* The same for receivers of webhooks. */
static int command_approvals_decide_webhooks(struct control_call *call,
					     const struct json *ids)
{
	int refused = 0;

	json_foreach (id, ids) {
		bool is_decided;

		if (!command_webhooks_decide(call, id->text,
					     call->command == &command_approve,
					     &is_decided))
			return -1;
		refused += !is_decided;
	}
	return refused;
}

/* `webhooks` may be NULL: then there are none. */
static void command_approvals_decide_all(struct control_call *call, size_t messages,
					 const struct json *webhooks)
{
	size_t count = messages + (webhooks ? webhooks->count : 0);
	int refused = messages ? command_approvals_decide_messages(call) : 0;
	int others = refused >= 0 && webhooks
			     ? command_approvals_decide_webhooks(call, webhooks)
			     : 0;
	struct json_writer *writer;

	if (refused < 0 || others < 0)
		return;
	if (refused + others) {
		control_call_fail(call, "not_waiting",
				  "To list what waits: " PROGRAM_NAME " approvals",
				  "%d of %zu %s%s could not be %s", refused + others,
				  count, count > messages ? "approval" : "message",
				  count == 1 ? "" : "s",
				  command_approvals_decision(call));
	} else if ((writer = control_call_open_result(call))) {
		json_put_integer(writer, command_approvals_decision(call),
				 (int64_t)count);
		control_call_close(call);
	}
}

static bool command_approvals_are_numbers(const struct json *ids)
{
	int64_t number;

	json_foreach (id, ids) {
		if (!json_integer(id, &number) || number <= 0)
			return false;
	}
	return true;
}

static bool command_approvals_are_texts(const struct json *ids)
{
	if (ids->type != JSON_ARRAY)
		return false;
	json_foreach (id, ids) {
		if (!json_string(id))
			return false;
	}
	return true;
}

static bool command_approvals_is_too_long(const char *words)
{
	unsigned count = 0;

	while (words && *words && count <= WORDS_MAX) {
		utf8_next(&words);
		count++;
	}
	return count > WORDS_MAX;
}

static void command_approvals_run_decision(struct control_call *call)
{
	const struct json *ids = json_member(call->arguments, "message_ids");
	const struct json *webhooks = json_member(call->arguments, "webhook_ids");
	size_t messages = ids ? ids->count : 0;
	size_t count = messages + (webhooks ? webhooks->count : 0);

	if ((ids && ids->type != JSON_ARRAY) || !count || count > IDS_MAX ||
	    (ids && !command_approvals_are_numbers(ids)) ||
	    (webhooks && !command_approvals_are_texts(webhooks)))
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "To list what waits, with its ID: " PROGRAM_NAME
				  " approvals",
				  "give 1 to %d IDs", IDS_MAX);
	else if (command_approvals_is_too_long(control_call_argument(call, "reason")))
		control_call_fail(call, CONTROL_INVALID_ARGUMENT, "Make it shorter",
				  "the reason has more than %d characters", WORDS_MAX);
	else
		command_approvals_decide_all(call, messages, webhooks);
}

const struct control_command command_approve = {
	.name = "approve",
	.needs_gateway = true,
	.run = command_approvals_run_decision,
};

const struct control_command command_reject = {
	.name = "reject",
	.needs_gateway = true,
	.run = command_approvals_run_decision,
};
