/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Approval: whether a message needs a yes before it goes out, and asking the person for it.
 *
 * The question tells all that is approved: who asks, number, SIM, segments and the whole
 * text, which comes last, so that nothing in it can pass for ours. An answer counts for
 * exactly that (mcp/elicitation.h). Who cannot be asked leaves it to the owner (outbox_approval_give()).
 */
#ifndef TOOLS_APPROVAL_H
#define TOOLS_APPROVAL_H

#include "mcp/elicitation.h"
#include "tools/sms_order.h"

/* Of a message or a call to this number from this SIM (0: none yet). If in doubt, yes. */
bool approval_is_needed(const struct tool_call *call, int64_t sim_id, const char *number);

/* The owner lets the client's person say yes, and this client can ask. */
bool approval_may_ask(const struct tool_call *call);

/*
 * ELICITATION_ANSWERED: yes, for `order` as it is now; its SIM is the one that was chosen when it
 * had none. A no is ELICITATION_DECLINED, whichever way it was said.
 */
enum elicitation_outcome approval_ask(struct sms_order *order);

/*
 * The same for a call from this SIM that lasts so long at most. A yes is for one call: once it
 * was used, who repeats it is told ELICITATION_DECLINED.
 */
enum elicitation_outcome approval_ask_call(struct tool_call *call, const char *number,
					   const struct sim *sim, int64_t seconds);

/* NULL: no memory. Who asks for it, as the person is told. */
const char *approval_asker(const struct tool_call *call);

#endif
