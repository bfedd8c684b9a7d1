/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Approval: whether a message needs a yes before it goes out, and asking the person for it.
 *
 * The question tells all that is approved: who asks, number, SIM, segments and the whole
 * text, which comes last, so that nothing in it can pass for ours. An answer counts for
 * exactly that (mcp/ask.h). Who cannot be asked leaves it to the owner (outbox_approve()).
 */
#ifndef TOOLS_APPROVAL_H
#define TOOLS_APPROVAL_H

#include "mcp/ask.h"
#include "tools/sms_order.h"

/* The order has its number. What cannot be found out needs one. */
bool approval_is_needed(const struct sms_order *order);

/* The owner lets the client's person say yes, and this client can ask. */
bool approval_may_ask(const struct sms_order *order);

/*
 * ASK_ANSWERED: yes, for `order` as it is now; its SIM is the one that was chosen when it
 * had none. A no is ASK_DECLINED, whichever way it was said.
 */
enum ask_outcome approval_ask(struct sms_order *order);

#endif
