/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * If an approval is needed and the client can ask, one form asks for the approval and, if it
 * is open, for the SIM. If the client cannot ask, or its user gives no answer, the message waits
 * for the owner's approval, which is possible only when its SIM is known. A question to the user
 * ends the call's run; see mcp/elicitation.h.
 */
#include "tools/sms_consent.h"

#include "mcp/elicitation.h"
#include "tools/user_question.h"

enum { SMS_CONSENT_MS_PER_SECOND = 1000 };

/* `unable` lists the SIMs, so that the agent can name one. */
static void sms_consent_refuse_sim(const struct sms_order *order, const char *what,
				   const struct refusal *unable)
{
	struct tool_call *call = order->call;

	tool_failure_answer(
		call, FAILURE_ELICITATION_DECLINED,
		arena_printf(call->arena,
			     "The user was asked which SIM to send from, and %s. %s",
			     what, unable->message ? unable->message : ""));
}

/*
 * Asks the user for the SIM. Returns false if the call is answered, or the user is being asked.
 * `unable` is the failure if this client cannot ask.
 */
static bool sms_consent_ask_sim(struct sms_order *order, const struct refusal *unable)
{
	struct tool_call *call = order->call;

	switch (user_question_choose_sim(order, &order->sim_id)) {
	case ELICITATION_ANSWERED:
		return true;
	case ELICITATION_PENDING:
		return false;
	case ELICITATION_DECLINED:
		sms_consent_refuse_sim(order, "declined", unable);
		return false;
	case ELICITATION_DISMISSED:
		sms_consent_refuse_sim(order, "closed the question", unable);
		return false;
	case ELICITATION_UNAVAILABLE:
		break;
	}
	tool_failure_answer_with(call, unable, NULL, NULL);
	return false;
}

/* The user's time counts as waiting, or the host would give up before the call is answered. */
static void sms_consent_leave_to_owner(struct sms_order *order)
{
	order->approval = ORDER_APPROVAL_AWAITED;
	order->is_unread = elicitation_was_about(order->call, USER_QUESTION_APPROVAL_KEY);
	order->wait_seconds -=
		elicitation_waited_ms(order->call) / SMS_CONSENT_MS_PER_SECOND;
	if (order->wait_seconds < 0)
		order->wait_seconds = 0;
}

/*
 * Asks the user for approval and, if `unable` is not NULL, for the SIM in the same form. Returns
 * false if the call is answered, or the user is being asked.
 */
static bool sms_consent_ask_approval(struct sms_order *order,
				     const struct refusal *unable)
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
	case ELICITATION_UNAVAILABLE:
		break;
	}
	sms_consent_leave_to_owner(order);
	if (unable)
		tool_failure_answer_with(call, unable, NULL, NULL);
	return !unable;
}

static bool sms_consent_asks_for_sim(const struct sms_order *order,
				     const struct sms_consent_sim *sim)
{
	if (!sim->chosen)
		return sim->refusal.failure == FAILURE_SUBSCRIPTION_REQUIRED;
	return elicitation_was_about(order->call, USER_QUESTION_SIM_KEY) &&
	       !order->names_sim;
}

bool sms_consent_find_sim(struct sms_order *order, struct sms_consent_sim *sim_out)
{
	*sim_out = (struct sms_consent_sim){
		.refusal = { FAILURE_SUBSCRIPTION_REQUIRED,
			     "The SIMs have changed since the user was asked: "
			     "get_sms_subscriptions lists them." },
	};
	if (!sms_order_pass(order, sms_order_form_checks))
		return false;
	sim_out->chosen = (*sms_order_sim_checks)(order, &sim_out->refusal);
	sim_out->asks = sms_consent_asks_for_sim(order, sim_out);
	if (sim_out->asks)
		order->sim_id = 0;
	return true;
}

bool sms_consent_get(struct sms_order *order, bool needs_approval,
		     const struct refusal *unable)
{
	order->approval = ORDER_APPROVAL_NONE;
	if (needs_approval && !order->needs_owner && user_question_can_ask(order->call))
		return sms_consent_ask_approval(order, unable);
	if (needs_approval)
		sms_consent_leave_to_owner(order);
	return !unable || sms_consent_ask_sim(order, unable);
}
