/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/message_state.h"

#include <assert.h>

#define WAY(state) (1U << (state))
/* What oFono may tell, in whatever order, of a message that may have reached it. */
#define TOLD                                                          \
	(WAY(STATE_SENT) | WAY(STATE_FAILED) | WAY(STATE_CANCELLED) | \
	 WAY(STATE_DELIVERED))
/*
 * What may end it while it waits in the gateway; unknown: the ledger was restored or
 * rescued, and what it says may be older than what was done.
 */
#define GIVEN_UP (WAY(STATE_CANCELLED) | WAY(STATE_EXPIRED) | WAY(STATE_UNKNOWN))

static const struct {
	const char *name;
	bool final;
	unsigned ways; /* WAY() bits of the states that may follow */
} message_states[STATE_LAST + 1] = {
	[STATE_QUEUED] = { "queued", false, GIVEN_UP | WAY(STATE_SUBMITTING) },
	[STATE_SUBMITTING] = { "submitting", false,
			       TOLD | WAY(STATE_QUEUED) | WAY(STATE_SUBMITTED) |
				       WAY(STATE_HELD) | WAY(STATE_UNKNOWN) |
				       WAY(STATE_EXPIRED) },
	[STATE_SUBMITTED] = { "submitted", false,
			      TOLD | WAY(STATE_HELD) | WAY(STATE_UNKNOWN) },
	[STATE_HELD] = { "held", false,
			 TOLD | WAY(STATE_SUBMITTED) | WAY(STATE_HELD) |
				 WAY(STATE_UNKNOWN) },
	[STATE_SENT] = { "sent", true, WAY(STATE_DELIVERED) },
	[STATE_FAILED] = { "failed", true, 0 },
	[STATE_CANCELLED] = { "cancelled", true, 0 },
	[STATE_UNKNOWN] = { "unknown", true,
			    TOLD | WAY(STATE_SUBMITTED) | WAY(STATE_HELD) },
	[STATE_RECEIVED] = { "received", true, 0 },
	[STATE_SCHEDULED] = { "scheduled", false, GIVEN_UP | WAY(STATE_QUEUED) },
	[STATE_WAITING_APPROVAL] = { "waiting_approval", false,
				     GIVEN_UP | WAY(STATE_SCHEDULED) | WAY(STATE_QUEUED) |
					     WAY(STATE_FAILED) },
	[STATE_DELIVERED] = { "delivered", true, 0 },
	[STATE_EXPIRED] = { "expired", true, 0 },
};

static bool message_state_is_known(enum message_state state)
{
	return state >= STATE_QUEUED && state <= STATE_LAST;
}

const char *message_state_name(enum message_state state)
{
	assert(message_state_is_known(state));
	return message_states[state].name;
}

bool message_state_is_final(enum message_state state)
{
	assert(message_state_is_known(state));
	return message_states[state].final;
}

bool message_state_is_waiting(enum message_state state)
{
	assert(message_state_is_known(state));
	return state == STATE_QUEUED || state == STATE_SCHEDULED ||
	       state == STATE_WAITING_APPROVAL;
}

bool message_state_may_become(enum message_state from, enum message_state to)
{
	if (!message_state_is_known(from) ||
	    !message_state_is_known(to)) /* may come from the disk */
		return false;
	return message_states[from].ways & WAY(to);
}
