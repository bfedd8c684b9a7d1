/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * approvals, approve, reject: the messages that wait for the owner's approval.
 * approvals answers with an item for each message, oldest first, one page at a time.
 * approve and reject take the IDs of messages. They answer with an item for each, and
 * end with an error if one of them was not waiting.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "gateway/command_table.h"
#include "gateway/control_call.h"
#include "sms/outbox_approval.h"
#include "store/store_client.h"
#include "tools/services.h"

enum { ROW_ARENA_BYTES = 1024 * 1024 };

/* Escapes what an agent wrote: it must not move the cursor or hide anything. */
static void command_approvals_put_escaped(struct json_writer *writer, const char *key,
					  const char *text,
					  bool (*append)(struct buffer *buffer,
							 const char *text))
{
	struct buffer shown = BUFFER_INIT;

	append(&shown, text);
	json_key(writer, key);
	json_write_text(writer, shown.failed || !shown.data ? "" : shown.data,
			shown.failed ? 0 : shown.length);
	buffer_deinit(&shown);
}

static void command_approvals_put_time(struct json_writer *writer, const char *key,
				       int64_t wall_ms)
{
	char text[CLOCK_TEXT_BYTES];

	clock_format(wall_ms, text);
	json_put_string(writer, key, text);
}

static void command_approvals_put_row(struct json_writer *writer,
				      const struct control *control,
				      const struct message *message)
{
	const struct sim *sim =
		control->services ? sims_find(control->services->sims, message->sim_id)
				  : NULL;
	char client[CLIENT_NAME_BYTES] = "";

	store_client_name(control->store, message->client_id, client);
	json_put_integer(writer, "message_id", message->id);
	command_approvals_put_escaped(writer, "client", client, escape_line);
	command_approvals_put_escaped(writer, "phone_number", message->number,
				      escape_line);
	json_put_integer(writer, "subscription_id", message->sim_id);
	if (sim)
		command_approvals_put_escaped(writer, "sim", sim->display_name,
					      escape_line);
	command_approvals_put_escaped(writer, "text", message->text, escape_text);
	json_put_integer(writer, "segments", message->segments);
	command_approvals_put_time(writer, "asked_at", message->created_ms);
	if (message->send_at_ms)
		command_approvals_put_time(writer, "send_at", message->send_at_ms);
	command_approvals_put_time(
		writer, "until",
		outbox_approval_until(control->services ? control->services->outbox
							: NULL,
				      control->config, message));
}

/* False: the call is over. */
static bool command_approvals_send_item(struct control_call *call, int64_t message_id)
{
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
		command_approvals_put_row(writer, call->control, &message);
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
	writer = control_call_open_result(call);
	if (!writer)
		return;
	json_put_integer(writer, "listed", page.listed);
	json_put_integer(writer, "more", page.waiting - page.listed);
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
	WHO_BYTES = 40,
};

struct command_approvals_decision {
	const char *name; /* "approved" */
	int (*decide)(struct control_call *call, int64_t message_id, const char *who);
};

static int command_approvals_approve(struct control_call *call, int64_t message_id,
				     const char *who)
{
	return outbox_approval_give(call->control->services->outbox, message_id, who);
}

static int command_approvals_reject(struct control_call *call, int64_t message_id,
				    const char *who)
{
	return outbox_approval_reject(call->control->services->outbox, message_id, who,
				      control_call_argument(call, "reason"));
}

static const struct command_approvals_decision command_approvals_approved = {
	"approved", command_approvals_approve
};
static const struct command_approvals_decision command_approvals_rejected = {
	"rejected", command_approvals_reject
};

static void command_approvals_note_approval(void *data,
					    const struct message_change *change)
{
	bool *approved = data;

	*approved |= strcmp(change->reason, outbox_approval_by_owner) == 0 ||
		     strcmp(change->reason, outbox_approval_by_user) == 0;
}

/* Why the message is not waiting. */
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
		return "the decision could not be written to disk; free space and try "
		       "again";
	if (outcome < 0)
		return "internal error; see the gateway's log";
	return message ? command_approvals_explain_state(call, message)
		       : "there is no such message";
}

/* False: out of memory, which has been answered. */
static bool command_approvals_send_decision(
	struct control_call *call, const struct command_approvals_decision *decision,
	int64_t message_id, int outcome)
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
		json_put_boolean(writer, decision->name, outcome == 0);
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

static void command_approvals_decide_all(
	struct control_call *call, const struct command_approvals_decision *decision,
	const struct json *ids)
{
	unsigned refused = 0;
	char who[WHO_BYTES];
	struct json_writer *writer;

	snprintf(who, sizeof(who), "owner (uid %lld)", (long long)call->peer_uid);
	json_foreach (id, ids) {
		int64_t message_id = 0;
		int outcome;

		json_integer(id, &message_id);
		outcome = decision->decide(call, message_id, who);
		refused += outcome != 0;
		if (!command_approvals_send_decision(call, decision, message_id, outcome))
			return;
	}
	if (refused) {
		control_call_fail(call, "not_waiting",
				  "To list the messages that wait: ofono-mcp approvals",
				  "%u of %zu message%s could not be %s", refused,
				  ids->count, ids->count == 1 ? "" : "s", decision->name);
	} else if ((writer = control_call_open_result(call))) {
		json_put_integer(writer, decision->name, (int64_t)ids->count);
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

static bool command_approvals_is_too_long(const char *words)
{
	unsigned count = 0;

	while (words && *words && count <= WORDS_MAX) {
		utf8_next(&words);
		count++;
	}
	return count > WORDS_MAX;
}

static void command_approvals_run_decision(
	struct control_call *call, const struct command_approvals_decision *decision)
{
	const struct json *ids = json_member(call->arguments, "message_ids");

	if (!ids || ids->type != JSON_ARRAY || !ids->count || ids->count > IDS_MAX ||
	    !command_approvals_are_numbers(ids))
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "To list the messages that wait, with their IDs: "
				  "ofono-mcp approvals",
				  "give 1 to %d message IDs", IDS_MAX);
	else if (command_approvals_is_too_long(control_call_argument(call, "reason")))
		control_call_fail(call, CONTROL_INVALID_ARGUMENT, "Make it shorter",
				  "the reason has more than %d characters", WORDS_MAX);
	else
		command_approvals_decide_all(call, decision, ids);
}

static void command_approvals_run_approve(struct control_call *call)
{
	command_approvals_run_decision(call, &command_approvals_approved);
}

static void command_approvals_run_reject(struct control_call *call)
{
	command_approvals_run_decision(call, &command_approvals_rejected);
}

const struct control_command command_approve = {
	.name = "approve",
	.needs_gateway = true,
	.run = command_approvals_run_approve,
};

const struct control_command command_reject = {
	.name = "reject",
	.needs_gateway = true,
	.run = command_approvals_run_reject,
};
