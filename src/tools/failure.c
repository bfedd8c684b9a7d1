/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/failure.h"

void failure_answer_with(struct tool_call *call, const struct refusal *refusal,
			 void (*more)(struct json_writer *writer, const void *data),
			 const void *data)
{
	const struct failure_words *words = failure_words(refusal->failure);
	struct tool_error error = {
		.code = words->code,
		.message = refusal->message ? refusal->message
					    : "The gateway is out of memory.",
		.fix = words->fix,
		.retryable = words->retryable,
		.retry_after_seconds = refusal->retry_after_seconds
					       ? (int)refusal->retry_after_seconds
					       : words->retry_after_seconds,
		.more = more,
		.data = data,
	};

	tool_call_fail(call, &error);
}

void failure_answer(struct tool_call *call, enum failure failure, const char *message)
{
	struct refusal refusal = { failure, message };

	failure_answer_with(call, &refusal, NULL, NULL);
}

enum failure failure_of_sim_state(enum sim_state state)
{
	switch (state) {
	case SIM_LOCKED:
		return FAILURE_SIM_LOCKED;
	case SIM_OFFLINE:
		return FAILURE_MODEM_OFF;
	case SIM_ABSENT:
		return FAILURE_SIM_ABSENT;
	case SIM_READY:
	case SIM_SEARCHING:
	case SIM_STARTING:
		return FAILURE_NOT_REGISTERED;
	}
	return FAILURE_INTERNAL;
}
