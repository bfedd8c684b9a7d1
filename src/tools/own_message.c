/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/own_message.h"

#include "config/config.h"
#include "tools/services.h"
#include "tools/tool_failure.h"

static const char *const own_message_states[STATE_LAST + 1] = {
	[STATE_SUBMITTING] = "is being submitted to oFono right now",
	[STATE_SUBMITTED] = "is with oFono and on its way to the network",
	[STATE_HELD] = "is with oFono, which no longer gives it back",
	[STATE_SENT] = "was already sent",
	[STATE_FAILED] = "has already failed",
	[STATE_CANCELLED] = "is cancelled",
	[STATE_UNKNOWN] = "may have been sent; its outcome is unknown",
	[STATE_RECEIVED] = "was received",
	[STATE_DELIVERED] = "was already sent and delivered",
	[STATE_EXPIRED] = "has already expired and was not sent",
};

const char *own_message_too_late(enum message_state state)
{
	return own_message_states[state];
}

static bool own_message_is_of(const struct tool_call *call, const struct message *message)
{
	return message->direction == MESSAGE_OUTGOING &&
	       message->client_id != CLIENT_GATEWAY &&
	       message->client_id != CLIENT_PHONE &&
	       (call->services->config->open || message->client_id == call->client->id);
}

bool own_message_read(struct tool_call *call, int64_t message_id,
		      struct message *message_out)
{
	int error = store_message_get(call->services->store, message_id, call->arena,
				      message_out);

	if (!error && own_message_is_of(call, message_out))
		return true;
	if (!error || error == STORE_E_NOT_FOUND)
		tool_failure_answer(call, FAILURE_NOT_FOUND,
				    arena_printf(call->arena,
						 "You have sent no message %lld.",
						 (long long)message_id));
	else
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The message could not be read.");
	return false;
}
