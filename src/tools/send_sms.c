/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_sms:
 *
 *   form checks -> choose the SIM -> policy -> acceptance checks -> approval and SIM from the
 *      user, if needed -> outbox_accept(): on disk -> wait for `wait_for` -> answer
 *
 * Until outbox_accept() nothing has happened, and every refusal is free. After it the message
 * goes its way and the answer only reports. A client that cancels its request withdraws the
 * message if oFono does not have it yet.
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
#include "mcp/elicitation.h"
#include "mcp/request.h"
#include "store/store_party.h"
#include "tools/argument.h"
#include "tools/dry_run.h"
#include "tools/message_view.h"
#include "tools/sms_answer.h"
#include "tools/sms_task.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"
#include "tools/user_question.h"

static const struct schema_field send_sms_input[] = {
	{ "to_phone_number", SCHEMA_STRING, true,
	  "Recipient in international format, with + and country code, for example "
	  "+36201234567" },
	{ "sms_text", SCHEMA_STRING, true,
	  "The text. One segment holds 160 characters of the GSM alphabet, or 70 if it "
	  "has "
	  "any others; a longer text is sent, and billed, as several segments" },
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "SIM to send from, see get_sms_subscriptions; required if more than one SIM "
	  "can "
	  "send, unless your client can ask its user" },
	{ "idempotency_key", SCHEMA_STRING, false,
	  "Your own key for this message. For at least 30 days, a call with the same key "
	  "never sends again but returns what became of the first. Use a new key for "
	  "each "
	  "message. Without a key, the same text to the same number within a short time "
	  "counts as the same call",
	  1, IDEMPOTENCY_KEY_MAX },
	{ "send_at", SCHEMA_STRING, false,
	  "Not before this time, RFC 3339 with offset, for example "
	  "2026-11-21T08:30:00+01:00; at most 30 days ahead" },
	{ "valid_for_seconds", SCHEMA_INTEGER, false,
	  "Drop the message if it could not be submitted within this time, counted from "
	  "now or from send_at",
	  ORDER_VALID_LEAST_SECONDS, ORDER_VALID_MOST_SECONDS },
	{ "wait_for", SCHEMA_STRING, false,
	  "none: answer when it is on disk; "
	  "sent (default): when the network accepted it; "
	  "delivered: when a delivery report came, which may never happen; a client that "
	  "supports MCP tasks gets a task at once",
	  .words = sms_order_wait_words },
	{ "wait_seconds", SCHEMA_INTEGER, false,
	  "Maximum time to wait for that (default: set by the owner, usually 30); a task "
	  "does not wait",
	  0, ORDER_WAIT_MOST_SECONDS },
	{ "dry_run", SCHEMA_BOOLEAN, false,
	  "Send nothing; return segments, encoding, SIM and every reason to refuse it" },
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
	{ "subscription_id", SCHEMA_INTEGER, false, "SIM it goes out from" },
	{ "segments", SCHEMA_INTEGER, true, "Segments, each of which is billed" },
	{ "encoding", SCHEMA_STRING, true, "Alphabet of the segments",
	  .words = send_sms_encodings },
	{ "delivery", SCHEMA_STRING, false,
	  "none: no report is awaited, or not yet; awaited; delivered; "
	  "refused: a report says that it did not arrive; "
	  "unconfirmed: no report came in time" },
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
	{ "units", SCHEMA_INTEGER, false,
	  "dry run: 7-bit characters or 16-bit units of the text" },
	{ "units_left", SCHEMA_INTEGER, false,
	  "dry run: how many more fit into the last segment" },
	{ "risky_character", SCHEMA_STRING, false,
	  "dry run: a character of the text that oFono may refuse to send" },
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

/* The message as the store has it now; it is not read back. */
static struct message send_sms_message(const struct store_message_draft *draft)
{
	return (struct message){
		.direction = MESSAGE_OUTGOING,
		.sim_id = draft->sim_id,
		.client_id = draft->client_id,
		.number = draft->number,
		.text = draft->text,
		.segments = draft->segments,
		.state = draft->state,
		.reason = draft->reason ? draft->reason : "",
		.created_ms = draft->created_ms,
		.changed_ms = draft->created_ms,
		.send_at_ms = draft->send_at_ms,
		.expires_at_ms = draft->expires_at_ms,
	};
}

/* Does the client learn nothing about the message before it is sent? */
static bool send_sms_is_awaited(const struct sms_order *order,
				const struct store_message_draft *draft)
{
	return order->wait_for == ORDER_WAIT_SENT && order->wait_seconds > 0 &&
	       draft->state == STATE_QUEUED && order->call->request &&
	       !request_wants_progress(order->call->request);
}

/* False: refused, and answered. */
static bool send_sms_submit(struct send_sms *send)
{
	struct tool_call *call = send->order->call;
	const struct services *services = call->services;
	struct store_message_draft draft;
	const char *trouble;

	policy_normalise_number(services->policy, send->order->sim_id,
				send->order->number);
	draft = sms_order_draft(send->order);
	draft.is_awaited = send_sms_is_awaited(send->order, &draft);
	send->answer.message = send_sms_message(&draft);
	switch (outbox_accept(services->outbox, &draft, &send->answer.message.id)) {
	case 0:
		return true;
	case OUTBOX_E_FULL:
		tool_failure_answer(call, FAILURE_QUEUE_FULL,
				    "Too many messages of this client are waiting.");
		return false;
	case OUTBOX_E_STORAGE:
		trouble = store_trouble(services->store);
		tool_failure_answer(
			call, trouble ? FAILURE_INTERNAL : FAILURE_STORAGE_FULL,
			trouble ? trouble
				: "The message could not be written to the phone's "
				  "storage.");
		return false;
	default:
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The message could not be stored.");
		return false;
	}
}

/* Is there nothing to wait for: it got as far as wanted, never will, or not soon? */
static bool send_sms_is_settled(const struct send_sms *send)
{
	const struct message *message = &send->answer.message;

	if (send->order->wait_for == ORDER_WAIT_NONE)
		return true;
	if (send->order->wait_for == ORDER_WAIT_DELIVERED &&
	    message->state == STATE_SENT && message->delivery == DELIVERY_AWAITED)
		return false;
	return message_state_is_final(message->state) ||
	       message->state == STATE_SCHEDULED;
}

static bool send_sms_on_change(void *data, const struct outbox_event *event)
{
	struct send_sms *send = data;
	struct message *message = &send->answer.message;

	message->state = event->state;
	message->reason = event->reason;
	message->delivery = event->delivery;
	message->changed_ms = clock_wall_ms();
	return send_sms_is_settled(send);
}

/* Before anything is reported about the message, the disk must have it for certain. */
static void send_sms_answer(void *data)
{
	const struct send_sms *send = data;
	struct tool_call *call = send->order->call;

	if (message_state_is_final(send->answer.message.state) ||
	    outbox_sync(call->services->outbox) == 0)
		sms_answer_finish(&send->answer);
	else
		tool_failure_answer(
			call, FAILURE_STORAGE_FULL,
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

	if (!call->request || order->segments.unsendable ||
	    !argument_keep_text(call, "to_phone_number") ||
	    !request_forget(call->request))
		return;
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
	if (send_sms_is_settled(send) ||
	    !tool_wait_for_message(&send->wait, call, message_id,
				   (uint64_t)send->order->wait_seconds)) {
		send_sms_answer(send);
		return;
	}
	message_view_report_progress(call, message_id, send->answer.message.state);
	send_sms_release_request(send);
}

/* False: refused, and answered. A repeat is not refused. */
static bool send_sms_check_policy(struct send_sms *send)
{
	struct tool_call *call = send->order->call;
	struct policy_request request = sms_order_request(send->order);
	struct policy_verdict verdict;
	struct refusal refusal;

	switch (policy_check(call->services->policy, &request, &verdict)) {
	case POLICY_E_REFUSED:
		refusal = (struct refusal){ verdict.failure, verdict.message,
					    verdict.retry_after_seconds };
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
 * Asks the user for the SIM. False: answered, or the user is being asked. `unable`: the
 * failure if this client cannot ask.
 */
static bool send_sms_ask_sim(struct sms_order *order, const struct refusal *unable)
{
	struct tool_call *call = order->call;

	switch (user_question_choose_sim(order, &order->sim_id)) {
	case ELICITATION_ANSWERED:
		return true;
	case ELICITATION_PENDING:
		return false;
	case ELICITATION_DECLINED:
		tool_failure_answer(
			call, FAILURE_ELICITATION_DECLINED,
			"The user was asked which SIM to send from, and declined.");
		return false;
	case ELICITATION_DISMISSED:
		tool_failure_answer(
			call, FAILURE_ELICITATION_DECLINED,
			"The user was asked which SIM to send from, and closed the "
			"question without an answer.");
		return false;
	case ELICITATION_UNAVAILABLE:
		break;
	}
	tool_failure_answer_with(call, unable, NULL, NULL);
	return false;
}

/*
 * Asks the user for approval and, if `unable` is not NULL, for the SIM in the same form.
 * False: answered, or the user is being asked.
 */
static bool send_sms_ask_approval(struct sms_order *order, const struct refusal *unable)
{
	struct tool_call *call = order->call;

	switch (user_question_approve_message(order)) {
	case ELICITATION_ANSWERED:
		return true;
	case ELICITATION_PENDING:
		return false;
	case ELICITATION_DECLINED:
		tool_failure_answer(
			call, FAILURE_USER_REJECTED,
			"Your user was asked to approve this message, and said no.");
		return false;
	case ELICITATION_DISMISSED:
		tool_failure_answer(call, FAILURE_USER_REJECTED,
				    "Your user was asked to approve this message, and "
				    "closed the question without approving it.");
		return false;
	case ELICITATION_UNAVAILABLE:
		break;
	}
	order->approval = ORDER_APPROVAL_AWAITED;
	if (unable)
		tool_failure_answer_with(call, unable, NULL, NULL);
	return !unable;
}

/*
 * Gets what only a person can decide. `unable`: not NULL if the SIM is to be chosen; then the
 * policy judges the chosen one again. False: answered, or the user is being asked.
 */
static bool send_sms_ask(struct send_sms *send, const struct refusal *unable)
{
	struct sms_order *order = send->order;
	bool needs_approval =
		user_question_approval_needed(order->call, order->sim_id, order->number);
	bool done;

	order->approval = needs_approval ? ORDER_APPROVAL_AWAITED : ORDER_APPROVAL_NONE;
	if (needs_approval && user_question_can_ask(order->call))
		done = send_sms_ask_approval(order, unable);
	else
		done = !unable || send_sms_ask_sim(order, unable);
	return done && (!unable || send_sms_check_policy(send));
}

/*
 * Is the user to choose the SIM? `refusal`: why none was chosen; NULL: one was. If the user
 * was already asked, the question stays: other SIMs may be there now, or only one, and none
 * is guessed.
 */
static bool send_sms_asks_for_sim(const struct sms_order *order,
				  const struct refusal *refusal)
{
	if (refusal)
		return refusal->failure == FAILURE_SUBSCRIPTION_REQUIRED;
	return elicitation_was_about(order->call, USER_QUESTION_SIM_KEY) &&
	       !json_member(order->call->arguments, "subscription_id");
}

/* The user is not asked about what the policy refuses. False: answered, or being asked. */
static bool send_sms_prepare(struct send_sms *send)
{
	struct sms_order *order = send->order;
	struct refusal refusal = {
		FAILURE_SUBSCRIPTION_REQUIRED,
		"The SIMs have changed since the user was asked: get_sms_subscriptions "
		"lists them.",
	};
	bool chosen, asks;

	if (!sms_order_pass(order, sms_order_form_checks))
		return false;
	chosen = (*sms_order_sim_checks)(order, &refusal);
	asks = send_sms_asks_for_sim(order, chosen ? NULL : &refusal);
	if (asks)
		order->sim_id = 0;
	if (!send_sms_check_policy(send))
		return false;
	if (send->answer.repeat != POLICY_REPEAT_NONE)
		return true;
	if (!sms_order_pass(order, sms_order_acceptance_checks))
		return false;
	if (chosen || asks)
		return send_sms_ask(send, asks ? &refusal : NULL);
	tool_failure_answer_with(order->call, &refusal, NULL, NULL);
	return false;
}

static void send_sms_run(struct tool_call *call)
{
	struct send_sms *send = arena_alloc(call->arena, sizeof(*send));
	struct sms_order *order = arena_alloc(call->arena, sizeof(*order));

	if (!send || !order) {
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	sms_order_read(order, call);
	send->order = send->answer.order = order;
	if (order->dry_run)
		dry_run_answer(order);
	else if (send_sms_prepare(send) &&
		 (send->answer.repeat != POLICY_REPEAT_NONE || send_sms_submit(send)))
		send_sms_follow(send);
}

const struct tool tool_send_sms = {
	.name = "send_sms",
	.title = "Send a text message",
	.description = "Sends one text message (SMS) from a SIM of this phone. Each "
		       "segment costs the "
		       "owner money and can't be undone, so send only what the user "
		       "asked for. If "
		       "several SIMs can send, pass subscription_id. \"SMS sent\" means "
		       "that the network "
		       "accepted the message, not that it was delivered; if the owner "
		       "has to approve "
		       "it, the call waits for that.",
	.input = send_sms_input,
	.output = send_sms_output,
	.flags = TOOL_DESTRUCTIVE | TOOL_OPEN_WORLD,
	.scopes = CLIENT_SEND,
	.page = CONSOLE_URI,
	.run = send_sms_run,
	.audit_refusal = audit_send_refused,
};
