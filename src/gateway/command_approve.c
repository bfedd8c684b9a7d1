/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * approve, reject: what the owner says to messages that wait for it, an item for each; and
 * an error at the end when one of them did not wait.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "gateway/control_command.h"
#include "sms/outbox_approval.h"

enum {
	IDS_MAX = 100,
	WORDS_MAX = 200, /* characters of a reason */
	WHO_BYTES = 40,
	ROW_ARENA_BYTES = 1024 * 1024,
};

struct decision {
	const char *name; /* "approved" */
	int (*decide)(struct control_call *call, int64_t message_id, const char *who);
};

static int approve(struct control_call *call, int64_t message_id, const char *who)
{
	return outbox_approval_give(call->control->outbox, message_id, who);
}

static int reject(struct control_call *call, int64_t message_id, const char *who)
{
	return outbox_approval_reject(call->control->outbox, message_id, who,
				      control_argument(call, "reason"));
}

static const struct decision approval = { "approved", approve };
static const struct decision rejection = { "rejected", reject };

static void hear_yes(void *data, const struct message_change *change)
{
	bool *approved = data;

	*approved |= strcmp(change->reason, outbox_approval_by_owner) == 0 ||
		     strcmp(change->reason, outbox_approval_by_user) == 0;
}

/* Why it does not wait. */
static const char *explain(struct control_call *call, const struct message *message)
{
	static const struct {
		const char *reason, *text;
	} ends[] = {
		{ "approval_rejected", "it was rejected already" },
		{ "approval_not_given", "it has expired, because nobody approved it in "
					"time" },
		{ "approval_expired", "it was approved, and has expired, because it "
				      "could not be sent within ten minutes of that" },
	};
	const char *state = message_state_name(message->state);
	bool approved = false;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (strcmp(ends[i].reason, message->reason) == 0)
			return ends[i].text;
	}
	if (message->direction == MESSAGE_INCOMING)
		return "it came in";
	store_message_changes(call->control->store, message->id, hear_yes, &approved);
	return arena_printf(call->arena,
			    approved ? "it was approved already, and is %s"
				     : "it waits for no approval, and is %s",
			    state);
}

static const char *explain_outcome(struct control_call *call, int outcome,
				   const struct message *message)
{
	if (outcome == OUTBOX_E_STORAGE)
		return "that could not be written to disk; make room and try again";
	if (outcome < 0)
		return "the gateway is at fault; its log says more";
	return message ? explain(call, message) : "there is no such message";
}

/* False: out of memory, and that has been answered. */
static bool tell(struct control_call *call, const struct decision *decision,
		 int64_t message_id, int outcome)
{
	struct arena *arena = arena_new(ROW_ARENA_BYTES);
	struct json_writer *writer = control_item_open(call);
	struct message message;
	bool found = arena && !store_message_get(call->control->store, message_id, arena,
						 &message);
	const char *why =
		outcome ? explain_outcome(call, outcome, found ? &message : NULL) : NULL;

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
		control_close(call);
	}
	arena_free(arena);
	return writer && !call->is_over;
}

static void decide_all(struct control_call *call, const struct decision *decision,
		       const struct json *ids)
{
	unsigned refused = 0;
	char who[WHO_BYTES];
	struct json_writer *writer;

	snprintf(who, sizeof(who), "owner (uid %lld)", (long long)call->asker_uid);
	json_foreach (id, ids) {
		int64_t message_id = 0;
		int outcome;

		json_integer(id, &message_id);
		outcome = decision->decide(call, message_id, who);
		refused += outcome != 0;
		if (!tell(call, decision, message_id, outcome))
			return;
	}
	if (refused) {
		control_fail(call, "not_waiting",
			     "ofono-mcp approvals lists the messages that wait",
			     "%u of %zu message%s could not be %s", refused, ids->count,
			     ids->count == 1 ? "" : "s", decision->name);
	} else if ((writer = control_result_open(call))) {
		json_put_integer(writer, decision->name, (int64_t)ids->count);
		control_close(call);
	}
}

static bool are_numbers(const struct json *ids)
{
	int64_t number;

	json_foreach (id, ids) {
		if (!json_integer(id, &number) || number <= 0)
			return false;
	}
	return true;
}

static bool is_too_long(const char *words)
{
	unsigned count = 0;

	while (words && *words && count <= WORDS_MAX) {
		utf8_next(&words);
		count++;
	}
	return count > WORDS_MAX;
}

static void run(struct control_call *call, const struct decision *decision)
{
	const struct json *ids = json_member(call->arguments, "message_ids");

	if (!ids || ids->type != JSON_ARRAY || !ids->count || ids->count > IDS_MAX ||
	    !are_numbers(ids))
		control_fail(
			call, CONTROL_INVALID_ARGUMENT,
			"ofono-mcp approvals lists the messages that wait, each with "
			"its number",
			"give 1 to %d numbers of messages", IDS_MAX);
	else if (is_too_long(control_argument(call, "reason")))
		control_fail(call, CONTROL_INVALID_ARGUMENT, "Say it shorter",
			     "the reason has more than %d characters", WORDS_MAX);
	else
		decide_all(call, decision, ids);
}

static void run_approve(struct control_call *call)
{
	run(call, &approval);
}

static void run_reject(struct control_call *call)
{
	run(call, &rejection);
}

const struct control_command control_approve = {
	.name = "approve",
	.needs_gateway = true,
	.run = run_approve,
};

const struct control_command control_reject = {
	.name = "reject",
	.needs_gateway = true,
	.run = run_reject,
};
