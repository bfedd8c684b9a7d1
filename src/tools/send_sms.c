/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_sms: choose the SIM, ask the policy, which also finds the message that this call only
 * repeats, get a yes where one is needed, and the SIM where there are several (both may ask
 * the person), put the message on disk, wait for the network's word, answer.
 *
 * Until outbox_accept() nothing has happened and every refusal is free. After it the
 * message goes its way, and the answer only reports (tools/sending.h). That the policy
 * answers before the lack of a SIM does lets a client ask again when the SIM is gone.
 */
#include "console/console.h"
#include "mcp/request.h"
#include "store/store_message.h"
#include "tools/approval.h"
#include "tools/dry_run.h"
#include "tools/sending.h"
#include "tools/sim_question.h"
#include "tools/tool_table.h"

static const struct schema_field input[] = {
	{ "to_phone_number", SCHEMA_STRING, true,
	  "Recipient in international format, + and country code, "
	  "for example +36201234567" },
	{ "sms_text", SCHEMA_STRING, true,
	  "The text. One segment holds 160 characters of the GSM alphabet, "
	  "or 70 of any other; a longer text is sent, and paid, as several segments" },
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "SIM to send from, as get_sms_subscriptions lists it; "
	  "needed when more than one SIM can send, unless your client can ask its "
	  "person, who is asked then" },
	{ "idempotency_key", SCHEMA_STRING, false,
	  "A word of your own for this message. For 30 days at least, a call with "
	  "the same key never sends again: it is answered with what became of the "
	  "first. Another message needs another key. Without a key, the same text to "
	  "the same number within a short time is taken for the same call made again",
	  1, IDEMPOTENCY_KEY_MAX },
	{ "send_at", SCHEMA_STRING, false,
	  "Not before this time, RFC 3339 with offset, "
	  "for example 2026-11-21T08:30:00+01:00; at most 30 days ahead" },
	{ "valid_for_seconds", SCHEMA_INTEGER, false,
	  "Drop it when it could not be handed over to be sent within this time, "
	  "counted from now, or from send_at",
	  ORDER_VALID_LEAST_SECONDS, ORDER_VALID_MOST_SECONDS },
	{ "wait_for", SCHEMA_STRING, false,
	  "none: answer as soon as it is on disk; "
	  "sent (default): when the network took it; "
	  "delivered: when a delivery report came, which may never be; a client that "
	  "knows tasks of MCP gets a task at once",
	  .words = order_wait_words },
	{ "wait_seconds", SCHEMA_INTEGER, false,
	  "How long to wait for that at most; as long as the owner set when left out, "
	  "mostly 30; a task does not wait",
	  0, ORDER_WAIT_MOST_SECONDS },
	{ "dry_run", SCHEMA_BOOLEAN, false,
	  "Send nothing; tell segments, encoding, SIM, "
	  "and everything that would refuse it" },
	{ 0 },
};

static const char *const encodings[] = { "gsm7", "ucs2", NULL };
static const char *const approvals[] = { "not_required", "required", NULL };

static const struct schema_field output[] = {
	{ "message_id", SCHEMA_INTEGER, false,
	  "The gateway's number of this message; not in a dry run" },
	{ "state", SCHEMA_STRING, false,
	  "waiting_approval, scheduled, queued: waits in the gateway; "
	  "submitting, submitted: given to oFono; "
	  "held: oFono keeps it until the modem is back; "
	  "sent: the network took it, which is not yet delivery; "
	  "delivered: a report says so; not in a dry run" },
	{ "to_phone_number", SCHEMA_STRING, false, "Recipient as given to the network" },
	{ "subscription_id", SCHEMA_INTEGER, false, "SIM it goes out from" },
	{ "segments", SCHEMA_INTEGER, true,
	  "Messages that the network counts and bills" },
	{ "encoding", SCHEMA_STRING, true, "Alphabet of the segments",
	  .words = encodings },
	{ "delivery", SCHEMA_STRING, false,
	  "none: no report is awaited, or not yet; awaited; delivered; "
	  "refused: a report says that it did not arrive; "
	  "unconfirmed: no report came in time" },
	{ "send_at", SCHEMA_STRING, false, "Not before, RFC 3339" },
	{ "expires_at", SCHEMA_STRING, false, "Not handed over after, RFC 3339" },
	{ "replayed", SCHEMA_BOOLEAN, false,
	  "true: this idempotency_key, or this answer of the person, was used before, "
	  "and this is about that message" },
	{ "duplicate", SCHEMA_BOOLEAN, false,
	  "true: the same was asked for just before, and this is about that message" },
	{ "dry_run", SCHEMA_BOOLEAN, false, "true: nothing was sent or stored" },
	{ "would_send", SCHEMA_BOOLEAN, false, "In a dry run: nothing refuses it now" },
	{ "approval", SCHEMA_STRING, false,
	  "In a dry run: required: somebody has to say yes before it goes out",
	  .words = approvals },
	{ "units", SCHEMA_INTEGER, false,
	  "In a dry run: 7-bit characters or 16-bit units of the text" },
	{ "units_left", SCHEMA_INTEGER, false,
	  "In a dry run: how many more fit into the last segment" },
	{ "risky_character", SCHEMA_STRING, false,
	  "In a dry run: a character of the text that oFono may refuse to send" },
	{ "repeats_message_id", SCHEMA_INTEGER, false,
	  "In a dry run: the message that would be answered for in place of sending" },
	{ "refusals", SCHEMA_ARRAY, false, "In a dry run: every reason to refuse it",
	  .members = dry_run_refusal_fields },
	{ 0 },
};

/* The message as the store has it from now on, without asking the store. */
static struct message message_of(const struct store_message_draft *draft)
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

/* Nothing is told of the message before it left, or sending_answer(). */
static bool is_awaited(const struct sms_order *order,
		       const struct store_message_draft *draft)
{
	return order->wait_for == ORDER_WAIT_SENT && order->wait_seconds > 0 &&
	       draft->state == STATE_QUEUED && order->call->request &&
	       !request_wants_progress(order->call->request);
}

/* False: refused, and answered. */
static bool submit(struct sending *sending)
{
	struct tool_call *call = sending->order->call;
	const struct services *services = call->services;
	struct store_message_draft draft;
	const char *trouble;

	policy_normalise_number(services->policy, sending->order->sim_id,
				sending->order->number);
	draft = sms_order_draft(sending->order);
	draft.is_awaited = is_awaited(sending->order, &draft);
	sending->message = message_of(&draft);
	switch (outbox_accept(services->outbox, &draft, &sending->message.id)) {
	case 0:
		return true;
	case OUTBOX_E_FULL:
		failure_answer(call, FAILURE_QUEUE_FULL,
			       "Too many messages of this client are waiting.");
		return false;
	case OUTBOX_E_STORAGE:
		trouble = store_trouble(services->store);
		failure_answer(
			call, trouble ? FAILURE_INTERNAL : FAILURE_STORAGE_FULL,
			trouble ? trouble
				: "The message could not be written to the phone's "
				  "storage.");
		return false;
	default:
		failure_answer(call, FAILURE_INTERNAL,
			       "The message could not be stored.");
		return false;
	}
}

/* Since the question the SIMs may have become others, or one: no guess then. */
static bool is_to_ask(const struct sms_order *order, const struct refusal *refusal)
{
	if (refusal)
		return refusal->failure == FAILURE_SUBSCRIPTION_REQUIRED;
	return elicitation_was_about(order->call, SIM_QUESTION_KEY) &&
	       !json_member(order->call->arguments, "subscription_id");
}

/* False: answered, or the person is being asked. */
static bool ask_sim(struct sms_order *order, const struct refusal *unable)
{
	struct tool_call *call = order->call;

	switch (sim_question_ask(order, &order->sim_id)) {
	case ELICITATION_ANSWERED:
		return true;
	case ELICITATION_PENDING:
		return false;
	case ELICITATION_DECLINED:
		failure_answer(
			call, FAILURE_ASKING_DECLINED,
			"The person was asked which SIM to send from, and declined.");
		return false;
	case ELICITATION_DISMISSED:
		failure_answer(
			call, FAILURE_ASKING_DECLINED,
			"The person was asked which SIM to send from, and closed the "
			"question without an answer.");
		return false;
	case ELICITATION_UNAVAILABLE:
		break;
	}
	failure_answer_with(call, unable, NULL, NULL);
	return false;
}

/* With the SIM, when `unable` says that it is to be chosen. As above. */
static bool ask_yes(struct sms_order *order, const struct refusal *unable)
{
	struct tool_call *call = order->call;

	switch (approval_ask(order)) {
	case ELICITATION_ANSWERED:
		return true;
	case ELICITATION_PENDING:
		return false;
	case ELICITATION_DECLINED:
		failure_answer(call, FAILURE_PERSON_REJECTED,
			       "Your person was asked whether this message may be sent, "
			       "and said no.");
		return false;
	case ELICITATION_DISMISSED:
		failure_answer(call, FAILURE_PERSON_REJECTED,
			       "Your person was asked whether this message may be sent, "
			       "and closed the question without a yes.");
		return false;
	case ELICITATION_UNAVAILABLE:
		break;
	}
	order->approval = ORDER_APPROVAL_AWAITED;
	if (unable)
		failure_answer_with(call, unable, NULL, NULL);
	return !unable;
}

/* False: refused, and answered. A repeat is none of that. */
static bool pass_policy(struct sending *sending)
{
	struct tool_call *call = sending->order->call;
	const struct services *services = call->services;
	struct policy_request request = sms_order_request(sending->order);
	struct verdict verdict;
	struct refusal refusal;

	switch (policy_check(services->policy, &request, &verdict)) {
	case POLICY_E_REFUSED:
		refusal = (struct refusal){ verdict.failure, verdict.message,
					    verdict.retry_after_seconds };
		failure_answer_with(call, &refusal, NULL, NULL);
		return false;
	case POLICY_E_REPEAT:
		sending->repeat = verdict.repeat;
		sending->message = verdict.first;
		return true;
	}
	return true;
}

/*
 * The yes, where one is needed, and the SIM, when `unable` says that it is to be chosen: one
 * question for both where both are open. As above.
 */
static bool settle(struct sending *sending, const struct refusal *unable)
{
	struct sms_order *order = sending->order;
	bool needs_yes = approval_is_needed(order->call, order->sim_id, order->number);
	bool settled;

	order->approval = needs_yes ? ORDER_APPROVAL_AWAITED : ORDER_APPROVAL_NONE;
	if (needs_yes && approval_may_ask(order->call))
		settled = ask_yes(order, unable);
	else
		settled = !unable || ask_sim(order, unable);
	return settled && (!unable || pass_policy(sending));
}

/*
 * What the policy refuses nobody is asked about, and what it can only tell of a SIM it is
 * asked again when there is one.
 */
static bool choose_sim(struct sending *sending)
{
	struct sms_order *order = sending->order;
	struct refusal refusal = {
		FAILURE_SUBSCRIPTION_REQUIRED,
		"The SIMs have changed since the person was asked: "
		"get_sms_subscriptions lists them.",
	};
	bool chosen = (*sms_order_sim_checks)(order, &refusal);
	bool asks = is_to_ask(order, chosen ? NULL : &refusal);

	if (asks)
		order->sim_id = 0;
	if (!pass_policy(sending))
		return false;
	if (sending->repeat != POLICY_REPEAT_NONE)
		return true;
	if (!sms_order_pass(order, sms_order_acceptance_checks))
		return false;
	if (chosen || asks)
		return settle(sending, asks ? &refusal : NULL);
	failure_answer_with(order->call, &refusal, NULL, NULL);
	return false;
}

static void send_order(struct sending *sending)
{
	if (!sms_order_pass(sending->order, sms_order_form_checks) ||
	    !choose_sim(sending))
		return;
	if (sending->repeat != POLICY_REPEAT_NONE || submit(sending))
		sending_follow(sending);
}

static void run(struct tool_call *call)
{
	struct sending *sending = arena_alloc(call->arena, sizeof(*sending));
	struct sms_order *order = arena_alloc(call->arena, sizeof(*order));

	if (!sending || !order) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	sms_order_read(order, call);
	sending->order = order;
	if (order->dry_run)
		dry_run_answer(order);
	else
		send_order(sending);
}

const struct tool tool_send_sms = {
	.name = "send_sms",
	.title = "Send a text message",
	.description =
		"Sends one text message (SMS) from a SIM of this phone and answers when "
		"the network has taken it. Each segment costs the owner money and "
		"cannot be recalled once it is on the air, so send only what the person "
		"asked for. When more than one SIM can send, subscription_id is needed, "
		"or the person is asked, where your client can do that; where the owner "
		"has to say yes first, the message waits for it. "
		"\"SMS sent\" means that the network accepted the message; it does not "
		"prove that anybody received or read it.",
	.input = input,
	.output = output,
	.flags = TOOL_DESTRUCTIVE | TOOL_OPEN_WORLD,
	.scopes = CLIENT_SEND,
	.page = CONSOLE_URI,
	.run = run,
};
