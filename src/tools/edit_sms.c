/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit_sms: changes text, time or recipient of a message that oFono never had.
 *
 *   own message that waits -> form checks -> policy -> acceptance checks -> approval
 *      -> outbox_edit(): one commit -> answer
 *
 * The new version is judged like a new message, except that it counts once for limits and
 * queue and repeats nothing. An approval was for the old version: the new one is approved
 * anew, or waits for that. Until outbox_edit() has succeeded the message is as it was; every
 * refusal says so. Between the checks and outbox_edit() only the loop's own thread
 * could submit the message, so a message that is being submitted is refused with too_late.
 *
 * A repeated call finds nothing to change and succeeds.
 */
#include <string.h>

#include "base/clock.h"
#include "sms/outbox.h"
#include "store/store_edit.h"
#include "tools/argument.h"
#include "tools/message_view.h"
#include "tools/own_message.h"
#include "tools/sms_consent.h"
#include "tools/sms_order.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"
#include "tools/user_question.h"

static const struct schema_field edit_sms_input[] = {
	{ "message_id", SCHEMA_INTEGER, true, "From send_sms or list_sms" },
	{ "text", SCHEMA_STRING, false, "The new text",
	  .describe = sms_order_describe_text, .other_names = "message body content" },
	{ "send_at", SCHEMA_STRING, false, "The new time with offset, or now",
	  .other_names = SMS_ORDER_OTHER_NAMES_OF_SEND_AT },
	{ "to_phone_number", SCHEMA_STRING, false, "The new recipient",
	  .other_names = "to recipient" },
	{ 0 },
};

static const struct schema_field edit_sms_output[] = {
	{ "message_id", SCHEMA_INTEGER, true, "The message" },
	{ "state", SCHEMA_STRING, true, "queued, scheduled or waiting_approval" },
	{ "to_phone_number", SCHEMA_STRING, true, "Recipient" },
	{ "segments", SCHEMA_INTEGER, true, "Segments, each of which is billed" },
	VIEW_COST_FIELD,
	{ "send_at", SCHEMA_STRING, false, "Not before" },
	{ "expires_at", SCHEMA_STRING, false, "Not submitted after" },
	{ 0 },
};

/* One call; lives in its arena. */
struct edit_sms {
	struct tool_call *call;
	struct message message;	 /* as it was */
	struct sms_order *order; /* the new version */
};

/* ---- answers ------------------------------------------------------------------------- */

static void edit_sms_put_facts(struct json_writer *writer, const void *data)
{
	const struct edit_sms *edit = data;

	json_put_integer(writer, "message_id", edit->message.id);
	json_put_string(writer, "state", message_state_name(edit->message.state));
}

static void edit_sms_refuse(const struct edit_sms *edit, const struct refusal *refusal)
{
	tool_failure_answer_with(edit->call, refusal, edit_sms_put_facts, edit);
}

static void edit_sms_fail(const struct edit_sms *edit, enum failure failure,
			  const char *message)
{
	const struct refusal refusal = { failure, message };

	edit_sms_refuse(edit, &refusal);
}

/* oFono has it, or it has ended: the store knows which. */
static void edit_sms_too_late(struct edit_sms *edit)
{
	struct arena *arena = edit->call->arena;
	struct refusal refusal = {
		.failure = FAILURE_TOO_LATE,
		.fix = "It can no longer be changed; get_sms_status reports its outcome.",
	};
	const char *why;

	if (!own_message_read(edit->call, edit->message.id, &edit->message))
		return;
	why = own_message_too_late(edit->message.state);
	refusal.message =
		arena_printf(arena, "Message %lld %s.", (long long)edit->message.id,
			     why ? why : "is about to be submitted");
	tool_failure_answer_with(edit->call, &refusal, edit_sms_put_facts, edit);
}

static void edit_sms_write(struct json_writer *writer, const struct edit_sms *edit,
			   const struct message *message)
{
	json_open_object(writer);
	json_put_integer(writer, "message_id", message->id);
	json_put_string(writer, "state", message_state_name(message->state));
	json_put_string(writer, "to_phone_number", message->number);
	json_put_integer(writer, "segments", message->segments);
	view_put_cost(writer, edit->call->services, edit->message.sim_id, message->number,
		      message->segments);
	if (message->send_at_ms)
		view_put_time(writer, "send_at", message->send_at_ms);
	if (message->expires_at_ms)
		view_put_time(writer, "expires_at", message->expires_at_ms);
	json_close_object(writer);
}

static void edit_sms_succeed(const struct edit_sms *edit, const struct message *message,
			     const char *what)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (writer) {
		edit_sms_write(writer, edit, message);
		json_writer_free(writer);
	}
	tool_call_succeed(
		edit->call,
		arena_printf(edit->call->arena, "Message %lld %s. %s",
			     (long long)message->id, what,
			     message_view_meaning(message->state, "", message->segments)),
		&structured, true);
}

/* ---- the new version ----------------------------------------------------------------- */

static int64_t edit_sms_time_to_come(int64_t send_at_ms)
{
	return send_at_ms > clock_wall_ms() ? send_at_ms : 0;
}

/* The validity counts from the new time; without a new time it goes on. */
static int64_t edit_sms_expiry(const struct edit_sms *edit)
{
	const struct message *message = &edit->message;
	int64_t from_ms = edit->order->send_at_ms;

	if (edit->order->keeps_time && !(message->flags & MESSAGE_ENDS_APPROVAL))
		return message->expires_at_ms;
	if (!message->valid_ms)
		return 0;
	if (!from_ms)
		from_ms = edit->order->keeps_time ? message->created_ms : clock_wall_ms();
	return from_ms + message->valid_ms;
}

static void edit_sms_read(struct edit_sms *edit)
{
	const struct tool_call *call = edit->call;
	const struct message *message = &edit->message;
	const char *number = argument_text(call, "to_phone_number");
	const char *text = argument_text(call, "text");
	const char *send_at = argument_filled_text(call, "send_at");
	struct sms_order *order = edit->order;

	*order = (struct sms_order){
		.call = edit->call,
		.recipient = number ? number : message->number,
		.text = text ? text : message->text,
		.sim_id = message->sim_id,
		.valid_ms = message->valid_ms,
		.edits_message_id = message->id,
	};
	if (!send_at)
		order->wished_ms = edit_sms_time_to_come(message->send_at_ms);
	else if (strcasecmp(send_at, "now") != 0)
		order->send_at = send_at;
	if (number)
		order->recipient = sms_order_complete_sender(order, number);
	sms_order_read_number(order);
	segments_measure(order->text, &order->segments);
}

static bool edit_sms_check(const struct edit_sms *edit, const sms_order_check *checks)
{
	struct refusal refusal;

	for (; *checks; checks++) {
		if ((*checks)(edit->order, &refusal))
			continue;
		edit_sms_refuse(edit, &refusal);
		return false;
	}
	return true;
}

static bool edit_sms_check_policy(const struct edit_sms *edit)
{
	struct policy_verdict verdict;
	struct refusal refusal;

	if (!sms_order_judge(edit->order, NULL, &verdict))
		return true;
	refusal = sms_order_refusal(edit->order, &verdict);
	edit_sms_refuse(edit, &refusal);
	return false;
}

/* Returns false if the call is answered, or the user is being asked. */
static bool edit_sms_get_approval(const struct edit_sms *edit)
{
	struct sms_order *order = edit->order;
	bool is_needed =
		order->needs_owner ||
		user_question_approval_needed(edit->call, order->sim_id, order->number);

	return sms_consent_get(order, is_needed, NULL);
}

static bool edit_sms_changes_nothing(const struct edit_sms *edit)
{
	const struct sms_order *order = edit->order;

	return edit->order->keeps_time && strcmp(order->text, edit->message.text) == 0 &&
	       strcmp(order->number, edit->message.number) == 0;
}

/* Returns false if the call is answered, or the user is being asked. */
static bool edit_sms_prepare(struct edit_sms *edit)
{
	struct sms_order *order = edit->order;

	if (!order->text[strspn(order->text, " \t\r\n")]) {
		edit_sms_fail(edit, FAILURE_INVALID_TEXT, "text is empty.");
		return false;
	}
	if (!edit_sms_check(edit, sms_order_form_checks))
		return false;
	order->keeps_time =
		order->send_at_ms == edit_sms_time_to_come(edit->message.send_at_ms);
	policy_normalise_number(edit->call->services->policy, order->sim_id,
				order->number);
	if (edit_sms_changes_nothing(edit)) {
		edit_sms_succeed(edit, &edit->message, "is like that already");
		return false;
	}
	if (edit->message.revision >= STORE_EDIT_REVISIONS_MAX) {
		const struct refusal refusal = {
			.failure = FAILURE_INVALID_ARGUMENTS,
			.message = "It was changed too often.",
			.fix = "Cancel it with cancel_sms and send a new message.",
		};

		edit_sms_refuse(edit, &refusal);
		return false;
	}
	if (!edit_sms_check_policy(edit) ||
	    !edit_sms_check(edit, sms_order_acceptance_checks))
		return false;
	order->expires_at_ms = edit_sms_expiry(edit);
	return edit_sms_get_approval(edit);
}

static void edit_sms_store(struct edit_sms *edit)
{
	const struct services *services = edit->call->services;
	struct store_message_draft draft = sms_order_draft(edit->order);
	struct message edited = {
		.id = edit->message.id,
		.number = draft.number,
		.segments = draft.segments,
		.state = draft.state,
		.send_at_ms = draft.send_at_ms,
		.expires_at_ms = draft.expires_at_ms,
	};

	draft.client_id = edit->message.client_id;
	draft.is_spread = edit->order->keeps_time && edit->message.flags & MESSAGE_SPREAD;
	switch (outbox_edit(services->outbox, &edit->message, &draft,
			    edit->order->keeps_time)) {
	case 0:
		edit_sms_succeed(edit, &edited, "is changed");
		break;
	case OUTBOX_E_TOO_LATE:
		edit_sms_too_late(edit);
		break;
	case OUTBOX_E_STORAGE:
		edit_sms_fail(edit, FAILURE_STORAGE_FULL,
			      "The change could not be written to the phone's storage.");
		break;
	default:
		edit_sms_fail(edit, FAILURE_INTERNAL, "The change could not be stored.");
	}
}

static void edit_sms_run(struct tool_call *call)
{
	struct edit_sms *edit = arena_alloc(call->arena, sizeof(*edit));
	struct sms_order *order = arena_alloc(call->arena, sizeof(*order));

	if (tool_wait_for_codes(call))
		return;
	if (!edit || !order) {
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	edit->call = call;
	edit->order = order;
	if (!own_message_read(call, argument_integer(call, "message_id", 0),
			      &edit->message))
		return;
	if (!message_state_is_waiting(edit->message.state)) {
		edit_sms_too_late(edit);
		return;
	}
	if (!argument_text(call, "text") && !argument_filled_text(call, "send_at") &&
	    !argument_text(call, "to_phone_number")) {
		edit_sms_fail(edit, FAILURE_INVALID_ARGUMENTS,
			      "Pass what to change: text, send_at or to_phone_number.");
		return;
	}
	edit_sms_read(edit);
	if (edit_sms_prepare(edit))
		edit_sms_store(edit);
}

const struct tool tool_edit_sms = {
	.name = "edit_sms",
	.title = "Change a waiting message",
	.description =
		"Change text, time or recipient of your message that is still "
		"scheduled, queued or waiting for approval. The new version is checked "
		"and approved like a new message; if it is refused, the old one stays.",
	.input = edit_sms_input,
	.output = edit_sms_output,
	.listed = (const char *const[]){ "state", NULL },
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT | TOOL_OPEN_WORLD,
	.scopes = CLIENT_SEND,
	.nothing_done = "Nothing was changed.",
	.run = edit_sms_run,
	.audit_refusal = audit_send_refused,
};
