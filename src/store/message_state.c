/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_message.h"

#include <string.h>

#define BIT(state) (1U << (state))
/* States that oFono may report, in any order, of a message that may have reached it. */
#define REPORTED                                                      \
	(BIT(STATE_SENT) | BIT(STATE_FAILED) | BIT(STATE_CANCELLED) | \
	 BIT(STATE_DELIVERED))
/*
 * States that may end a message while it waits in the gateway. Unknown: the message
 * store was restored or rescued and may be older than what was done.
 */
#define ENDED (BIT(STATE_CANCELLED) | BIT(STATE_EXPIRED) | BIT(STATE_UNKNOWN))

const char message_reason_phone_owner[] = "phone_owner_asked";

static const struct {
	const char *name;
	bool final;
	unsigned next; /* bits of the states that may follow */
} message_states[STATE_LAST + 1] = {
	[STATE_QUEUED] = { "queued", false,
			   ENDED | BIT(STATE_SUBMITTING) | BIT(STATE_SCHEDULED) |
				   BIT(STATE_WAITING_APPROVAL) },
	[STATE_SUBMITTING] = { "submitting", false,
			       REPORTED | BIT(STATE_QUEUED) | BIT(STATE_SUBMITTED) |
				       BIT(STATE_HELD) | BIT(STATE_UNKNOWN) |
				       BIT(STATE_EXPIRED) },
	[STATE_SUBMITTED] = { "submitted", false,
			      REPORTED | BIT(STATE_SUBMITTED) | BIT(STATE_HELD) |
				      BIT(STATE_UNKNOWN) },
	[STATE_HELD] = { "held", false,
			 REPORTED | BIT(STATE_SUBMITTED) | BIT(STATE_HELD) |
				 BIT(STATE_UNKNOWN) },
	[STATE_SENT] = { "sent", true, BIT(STATE_DELIVERED) },
	[STATE_FAILED] = { "failed", true, 0 },
	[STATE_CANCELLED] = { "cancelled", true, 0 },
	[STATE_UNKNOWN] = { "unknown", true,
			    REPORTED | BIT(STATE_SUBMITTED) | BIT(STATE_HELD) },
	[STATE_RECEIVED] = { "received", true, 0 },
	[STATE_SCHEDULED] = { "scheduled", false, ENDED | BIT(STATE_QUEUED) },
	[STATE_WAITING_APPROVAL] = { "waiting_approval", false,
				     ENDED | BIT(STATE_SCHEDULED) | BIT(STATE_QUEUED) |
					     BIT(STATE_FAILED) },
	[STATE_DELIVERED] = { "delivered", true, 0 },
	[STATE_EXPIRED] = { "expired", true, 0 },
};

static bool message_state_is_known(int64_t state)
{
	return state >= STATE_QUEUED && state <= STATE_LAST;
}

enum message_state message_state_of(int64_t stored)
{
	return message_state_is_known(stored) ? (enum message_state)stored
					      : STATE_UNKNOWN;
}

const char *message_state_name(enum message_state state)
{
	return message_states[message_state_of(state)].name;
}

bool message_state_is_final(enum message_state state)
{
	return message_states[message_state_of(state)].final;
}

bool message_state_is_waiting(enum message_state state)
{
	return state == STATE_QUEUED || state == STATE_SCHEDULED ||
	       state == STATE_WAITING_APPROVAL;
}

bool message_state_may_become(enum message_state from, enum message_state to)
{
	if (!message_state_is_known(from) ||
	    !message_state_is_known(to)) /* may come from the disk */
		return false;
	return message_states[from].next & BIT(to);
}

enum message_state message_state_shown(enum message_state state, const char *reason)
{
	return state == STATE_SUBMITTED && strcmp(reason, message_reason_phone_owner) == 0
		       ? STATE_WAITING_APPROVAL
		       : state;
}
