/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_sms:
 *
 *   form checks -> choose the SIM -> policy -> acceptance checks -> approval and SIM from the
 *      user, if needed -> outbox_accept(): on disk -> wait for `wait_for` -> answer
 *
 * Until outbox_accept() nothing has happened, and every refusal is free. After it the message
 * is sent whatever happens to the call, and the answer only reports. A client that cancels
 * its request withdraws the message if oFono does not have it yet.
 *
 * The policy also finds the message that this call only repeats; then nothing is sent, and the
 * call waits for that message. The policy's answer comes before a missing SIM is reported, so
 * a client may repeat its call when the SIM is gone.
 *
 * A question to the user ends this run. With the answer the whole run starts again from the
 * top (mcp/elicitation.h), so SIMs and policy are checked again.
 */
#include "base/clock.h"
#include "console/console.h"
#include "mcp/request.h"
#include "policy/routing.h"
#include "store/store.h"
#include "tools/argument.h"
#include "tools/dry_run.h"
#include "tools/message_view.h"
#include "tools/send_many.h"
#include "tools/many_answer.h"
#include "tools/sim_choice.h"
#include "tools/sms_answer.h"
#include "tools/sms_consent.h"
#include "tools/sms_task.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"
#include "tools/user_question.h"

static const struct schema_field send_sms_input[] = {
	{ "to_phone_number", SCHEMA_STRING, true,
	  "Recipient with + and country code, for example +36201234567; \"\" if "
	  "another parameter names it",
	  .tool_checks_absence = true, .other_names = "to recipient number phone" },
	{ "sms_text", SCHEMA_STRING, true,
	  "A billed segment holds 160 GSM characters, or 70 if any other occurs",
	  .describe = sms_order_describe_text, .other_names = "message body content" },
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "SIM to send from (get_sms_subscriptions lists them); needed if several can send",
	  .fix = sim_choice_fix,
	  .other_names = "sim sim_id sim_slot sim_card slot from_number" },
	{ "idempotency_key", SCHEMA_STRING, false,
	  "Your own unique key: another call with it sends nothing and returns "
	  "what became of the first",
	  0, IDEMPOTENCY_KEY_MAX },
	{ "send_at", SCHEMA_STRING, false,
	  "When to send, at most 30 days ahead, for example 2026-11-21T08:30:00+01:00",
	  .other_names = SMS_ORDER_OTHER_NAMES_OF_SEND_AT },
	{ "valid_for_seconds", SCHEMA_INTEGER, false,
	  "Drop it if it was not submitted within this time from now or send_at",
	  ORDER_VALID_LEAST_SECONDS, ORDER_VALID_MOST_SECONDS },
	{ "wait_for", SCHEMA_STRING, false,
	  "Answer when it is stored (none), sent (default) or delivered, which may never be reported",
	  .words = sms_order_wait_words },
	{ "wait_seconds", SCHEMA_INTEGER, false,
	  "Maximum wait (default set by the owner, usually 30)", 0,
	  ORDER_WAIT_MOST_SECONDS },
	{ "to_phone_numbers", SCHEMA_ARRAY, false,
	  "Recipients of the same text, up to 100 with to_phone_number",
	  .items = SCHEMA_STRING, .other_names = "recipients" },
	{ "reply_to_message_id", SCHEMA_INTEGER, false,
	  "Received message to answer: its sender, from its SIM",
	  .other_names = "reply_to" },
	{ "spread", SCHEMA_BOOLEAN, false,
	  "Schedule what a limit refuses now for the next time that is free" },
	{ "pool", SCHEMA_STRING, false,
	  "Send from a SIM of this pool, and from another one if that fails; without it, from any SIM",
	  .describe = sms_order_describe_pools, .is_offered = sms_order_has_pools },
	{ "if_unknown", SCHEMA_STRING, false,
	  "resend: send it again if its phone is gone for 5 minutes and may have sent "
	  "it. It may arrive twice",
	  .words = sms_order_unknown_words, .is_offered = sms_order_is_routed },
	{ "dry_run", SCHEMA_BOOLEAN, false,
	  "Send nothing; return segments, SIM, the cost if known, and every reason to refuse",
	  .other_names = "preview test test_mode test_run simulate simulated simulation "
			 "validate validate_only check_only draft sandbox mock no_send" },
	{ 0 },
};

static const char *const send_sms_encodings[] = { "gsm7", "ucs2", NULL };
static const char *const send_sms_approvals[] = { "not_required", "required", NULL };

static const struct schema_field send_sms_output[] = {
	{ "message_id", SCHEMA_INTEGER, false,
	  "Identifies this message; not in a dry run" },
	{ "state", SCHEMA_STRING, false,
	  "waiting_approval, scheduled, queued: waits in the gateway; "
	  "submitting, submitted: given to oFono; "
	  "held: oFono keeps it until the modem is back; "
	  "sent: the network accepted it, which is not delivery; "
	  "delivered: a report says so; not in a dry run" },
	{ "to_phone_number", SCHEMA_STRING, false, "Recipient as given to the network" },
	{ "subscription_id", SCHEMA_INTEGER, false, "SIM it is sent from" },
	{ "route", SCHEMA_STRING, false, "Why this SIM, if you did not name it",
	  .is_offered = sms_order_is_routed },
	{ "results", SCHEMA_ARRAY, false, "to_phone_numbers: one for each recipient",
	  .members = many_answer_fields },
	{ "accepted", SCHEMA_INTEGER, false, "How many of them were accepted" },
	{ "refused", SCHEMA_INTEGER, false, "How many were not" },
	{ "segments", SCHEMA_INTEGER, true, "Segments, each of which is billed" },
	VIEW_COST_FIELD,
	{ "encoding", SCHEMA_STRING, true, "Alphabet of the segments",
	  .words = send_sms_encodings },
	{ "delivery", SCHEMA_STRING, false,
	  "none: no report is awaited, or not yet; awaited; delivered; "
	  "refused: a report says that it did not arrive; unconfirmed: no report came in time" },
	{ "send_at", SCHEMA_STRING, false, "Not before, RFC 3339" },
	{ "expires_at", SCHEMA_STRING, false, "Not submitted after, RFC 3339" },
	{ "replayed", SCHEMA_BOOLEAN, false,
	  "true: this idempotency_key, or this answer of the user, was used before, and "
	  "this is about that message" },
	{ "duplicate", SCHEMA_BOOLEAN, false,
	  "true: the same was asked for just before, and this is about that message" },
	{ "dry_run", SCHEMA_BOOLEAN, false, "true: nothing was sent or stored" },
	{ "would_send", SCHEMA_BOOLEAN, false, "dry run: nothing refuses it now" },
	{ "approval", SCHEMA_STRING, false,
	  "dry run: required: somebody must approve it before it is sent",
	  .words = send_sms_approvals },
	{ "approval_reason", SCHEMA_STRING, false,
	  "Why only the owner can approve it, for example loop_suspected" },
	{ "units", SCHEMA_INTEGER, false,
	  "dry run: 7-bit characters or 16-bit units of the text" },
	{ "units_left", SCHEMA_INTEGER, false,
	  "dry run: how many more fit into the last segment" },
	{ "risky_character", SCHEMA_STRING, false,
	  "dry run: a character of the text that oFono may refuse to send" },
	{ "queued_before", SCHEMA_INTEGER, false,
	  "dry run: messages that this SIM sends first" },
	{ "repeats_message_id", SCHEMA_INTEGER, false,
	  "dry run: the earlier message that would be returned instead of sending" },
	{ "refusals", SCHEMA_ARRAY, false, "dry run: every reason to refuse it",
	  .members = dry_run_refusal_fields },
	{ 0 },
};

/* One call; lives in its arena. */
struct send_sms {
	struct sms_answer answer;
	struct sms_order *order;
	struct tool_wait_message wait;
};

/* Does the client learn nothing about the message before it is sent? */
static bool send_sms_is_awaited(const struct sms_order *order,
				const struct store_message_draft *draft)
{
	return order->wait_for == ORDER_WAIT_SENT && order->wait_seconds > 0 &&
	       draft->state == STATE_QUEUED && order->call->request &&
	       !request_wants_progress(order->call->request);
}

/* Returns false if the call is refused, and answered. */
static bool send_sms_submit(struct send_sms *send)
{
	struct tool_call *call = send->order->call;
	const struct services *services = call->services;
	struct store_message_draft draft;
	int error;

	policy_normalise_number(services->policy, send->order->sim_id,
				send->order->number);
	draft = sms_order_draft(send->order);
	draft.is_awaited = send_sms_is_awaited(send->order, &draft);
	send->answer.message = sms_order_message(&draft);
	error = outbox_accept(services->outbox, &draft, &send->answer.message.id);
	if (error)
		sms_answer_not_accepted(call, error);
	else if (services->routing)
		routing_use(services->routing, draft.sim_id, draft.number,
			    draft.segments);
	return !error;
}

static bool send_sms_on_change(void *data, const struct outbox_event *event)
{
	struct send_sms *send = data;
	struct message *message = &send->answer.message;

	message->revision += event->edited;
	message->state = event->state;
	message->reason = event->reason;
	message->delivery = event->delivery;
	message->changed_ms = clock_wall_ms();
	return sms_answer_is_settled(send->order, &send->answer.message);
}

/* The answer is about what edit_sms, or a limit of the SIM, made of the message. */
static void send_sms_follow_changes(struct send_sms *send)
{
	struct message *message = &send->answer.message;
	struct sms_order *order = send->order;
	struct tool_call *call = order->call;
	struct message row;

	if ((!message->revision && message->state != STATE_SCHEDULED) ||
	    store_message_get(call->services->store, message->id, call->arena, &row))
		return;
	message->number = order->recipient = row.number;
	message->text = order->text = row.text;
	message->segments = row.segments;
	message->send_at_ms = row.send_at_ms;
	message->expires_at_ms = row.expires_at_ms;
	segments_measure(order->text, &order->segments);
}

/* Before anything is reported about the message, the disk must have it for certain. */
static void send_sms_answer(void *data)
{
	struct send_sms *send = data;
	struct tool_call *call = send->order->call;

	send_sms_follow_changes(send);

	if (message_state_is_final(send->answer.message.state) ||
	    store_sync(call->services->store) == 0)
		sms_answer_finish(&send->answer);
	else
		tool_failure_answer(
			call, FAILURE_NOT_ON_DISK,
			"The phone's storage does not confirm that it has the "
			"message, which may still be sent.");
}

/* A message that another call asked for first is not withdrawn. */
static void send_sms_on_cancelled(void *data)
{
	struct send_sms *send = data;

	if (send->answer.repeat == POLICY_REPEAT_NONE)
		outbox_cancel_abandoned(send->order->call->services->outbox,
					send->answer.message.id);
}

/* Frees the request while the call waits: the answer needs nothing but the recipient. */
static void send_sms_release_request(struct send_sms *send)
{
	struct sms_order *order = send->order;
	struct tool_call *call = order->call;
	bool is_as_given = order->recipient == argument_text(call, "to_phone_number");

	if (!call->request || order->segments.unsendable ||
	    !argument_keep_text(call, "to_phone_number") ||
	    !request_forget(call->request))
		return;
	if (is_as_given)
		order->recipient = argument_text(call, "to_phone_number");
	order->text = send->answer.message.text = NULL;
	order->send_at = NULL;
	order->idempotency_key = order->idempotency_key ? "" : NULL;
}

/* The message is on disk: answers with a task, now, or after a wait. */
static void send_sms_follow(struct send_sms *send)
{
	struct tool_call *call = send->order->call;
	int64_t message_id = send->answer.message.id;

	if (send->answer.repeat != POLICY_REPEAT_NONE)
		outbox_cancel_never_abandoned(call->services->outbox, message_id);
	if (sms_task_begin(&send->answer))
		return;
	send->wait = (struct tool_wait_message){
		.changed = send_sms_on_change,
		.wait = { .answer = send_sms_answer,
			  .cancelled = send_sms_on_cancelled,
			  .data = send },
	};
	if (sms_answer_is_settled(send->order, &send->answer.message) ||
	    !tool_wait_for_message(&send->wait, call, message_id,
				   (uint64_t)send->order->wait_seconds)) {
		send_sms_answer(send);
		return;
	}
	message_view_report_progress(call, message_id, send->answer.message.state);
	send_sms_release_request(send);
}

/* Returns false if the call is refused, and answered. A repeat is not refused. */
static bool send_sms_check_policy(struct send_sms *send)
{
	struct tool_call *call = send->order->call;
	struct policy_verdict verdict;
	struct refusal refusal;

	switch (sms_order_judge(send->order, NULL, &verdict)) {
	case POLICY_E_REFUSED:
		refusal = sms_order_refusal(send->order, &verdict);
		tool_failure_answer_with(call, &refusal, NULL, NULL);
		return false;
	case POLICY_E_REPEAT:
		send->answer.repeat = verdict.repeat;
		send->answer.message = verdict.first;
		return true;
	}
	return true;
}

/*
 * Gets what only a person can decide. `unable` is not NULL if the SIM is to be chosen; then the
 * policy judges the chosen one again. Returns false if the call is answered, or the user is being
 * asked.
 */
static bool send_sms_ask(struct send_sms *send, const struct refusal *unable)
{
	struct sms_order *order = send->order;
	bool needs_approval =
		order->needs_owner ||
		user_question_approval_needed(order->call, order->sim_id, order->number);

	if (!sms_consent_get(order, needs_approval, unable) ||
	    (unable && !send_sms_check_policy(send)))
		return false;
	if (order->needs_owner)
		order->approval = ORDER_APPROVAL_AWAITED;
	return true;
}

/*
 * The user is not asked about what the policy refuses. Returns false if the call is answered, or
 * the user is being asked.
 */
static bool send_sms_prepare(struct send_sms *send)
{
	struct sms_order *order = send->order;
	struct sms_consent_sim sim;

	if (!sms_consent_find_sim(order, &sim))
		return false;
	if (!send_sms_check_policy(send))
		return false;
	if (send->answer.repeat != POLICY_REPEAT_NONE)
		return true;
	if (!sms_order_pass(order, sms_order_acceptance_checks))
		return false;
	if (sim.chosen || sim.asks)
		return send_sms_ask(send, sim.asks ? &sim.refusal : NULL);
	tool_failure_answer_with(order->call, &sim.refusal, NULL, NULL);
	return false;
}

static void send_sms_run(struct tool_call *call)
{
	struct send_sms *send = arena_alloc(call->arena, sizeof(*send));
	struct sms_order *order = arena_alloc(call->arena, sizeof(*order));

	if (tool_wait_for_codes(call))
		return;
	if (!send || !order) {
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	sms_order_read(order, call);
	send->order = send->answer.order = order;
	if (order->recipients && !order->recipient_refusal.message)
		send_many(order);
	else if (order->dry_run)
		dry_run_answer(order);
	else if (send_sms_prepare(send) &&
		 (send->answer.repeat != POLICY_REPEAT_NONE || send_sms_submit(send)))
		send_sms_follow(send);
}

const struct tool tool_send_sms = {
	.name = "send_sms",
	.title = "Send a text message",
	.description =
		"Send an SMS to one or more recipients, or reply to a message. It costs "
		"the owner money and can't be undone: send only what your user asked "
		"for. \"sent\" means that the network accepted it, not that it was "
		"delivered. If the owner has to approve it, the call waits for that.",
	.input = send_sms_input,
	.output = send_sms_output,
	.listed = (const char *const[]){ "message_id", "state", "results", NULL },
	.flags = TOOL_DESTRUCTIVE | TOOL_OPEN_WORLD,
	.scopes = CLIENT_SEND,
	.page = CONSOLE_URI,
	.run = send_sms_run,
	.nothing_done = "Nothing was sent.",
	.audit_refusal = audit_send_refused,
};
