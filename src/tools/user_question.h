/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User question: asks the user in front of the client to approve a message or a call, or to
 * choose a SIM, and says whether an approval is needed at all.
 *
 * A question for approval shows everything that is approved: who asks, number, SIM, segments
 * and the whole text. The text comes last, so that nothing in it can pass for ours. The answer
 * counts for exactly that (mcp/elicitation.h). If the user can't be asked, the owner decides
 * (outbox_approval_give()).
 */
#pragma once

#include "mcp/elicitation.h"
#include "tools/sms_order.h"

/* The key of the question that only asks for a SIM. */
#define USER_QUESTION_SIM_KEY "subscription_id"
/* The key of the question that asks for approval of a message. */
#define USER_QUESTION_APPROVAL_KEY "approval"

/*
 * Does a message or call to this number from this SIM (0 if not chosen yet) need an approval?
 * Returns true if the store can't tell.
 */
bool user_question_approval_needed(const struct tool_call *call, int64_t sim_id,
				   const char *number);

/* Does the owner accept the user's approval, and can this client ask the user? */
bool user_question_can_ask(const struct tool_call *call);

/*
 * Approves `order` as it is now. If it has no SIM yet, the same form asks for one, and
 * order->sim_id is set. Returns ELICITATION_ANSWERED if it is approved, ELICITATION_DECLINED if the
 * user said no; on ELICITATION_DISMISSED or ELICITATION_UNAVAILABLE the owner decides.
 */
enum elicitation_outcome user_question_approve_message(struct sms_order *order);

/*
 * Approves one call. An answer is used up: if the client repeats the call with the same
 * state, the outcome is ELICITATION_DECLINED.
 */
enum elicitation_outcome user_question_approve_call(struct tool_call *call,
						    const char *number,
						    const struct sim *sim,
						    int64_t max_seconds);

/* Asks for the SIM, among those that can send now, or all for a scheduled message. */
enum elicitation_outcome user_question_choose_sim(struct sms_order *order,
						  int64_t *sim_id_out);
