/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/failure.h"

#include <string.h>

static const struct {
	const char *code;
	const char *fix;
	bool retryable;
	int retry_after_seconds;
} table[] = {
	[FAILURE_INVALID_ARGUMENTS] = {
		"invalid_arguments",
		"Call again with arguments that fit the tool's inputSchema.",
	},
	[FAILURE_INVALID_NUMBER] = {
		"invalid_number",
		"Give the number as + and country code, for example +36201234567.",
	},
	[FAILURE_INVALID_TEXT] = {
		"invalid_text",
		"Change the text and call again.",
	},
	[FAILURE_TEXT_TOO_LONG] = {
		"text_too_long",
		"Shorten the text, or send it as several messages.",
	},
	[FAILURE_SUBSCRIPTION_REQUIRED] = {
		"subscription_required",
		"Call again with subscription_id set to one of these.",
	},
	[FAILURE_SUBSCRIPTION_UNKNOWN] = {
		"subscription_unknown",
		"Call get_sms_subscriptions and use a subscription_id from its answer.",
	},
	[FAILURE_ASKING_DECLINED] = {
		"asking_declined",
		"Do not try again by yourself: nothing was sent, and your person knows why.",
	},
	[FAILURE_SIM_ABSENT] = {
		"sim_absent",
		"Ask the owner to insert the SIM, or to switch its modem on; "
		"get_sms_subscriptions lists the SIMs that are there.",
	},
	[FAILURE_SIM_LOCKED] = {
		"sim_locked",
		"Ask the owner to unlock the SIM on the phone (ofono-mcp unlock). Never "
		"ask for its PIN here.",
	},
	[FAILURE_MODEM_OFF] = {
		"modem_off",
		"Ask the owner to end flight mode on the phone.",
	},
	[FAILURE_NOT_REGISTERED] = {
		"not_registered",
		"Nothing was sent. Try again when the phone has reception.",
		true, 30,
	},
	[FAILURE_QUEUE_FULL] = {
		"queue_full",
		"Nothing was accepted. Wait until messages have gone out.",
		true, 60,
	},
	[FAILURE_STORAGE_FULL] = {
		"storage_full",
		"Nothing was accepted. Ask the owner to free space on the phone; sending "
		"works again by itself as soon as there is room.",
	},
	[FAILURE_NETWORK_REFUSED] = {
		"network_refused",
		"Check the number and the SIM's credit; segments before the refused one may "
		"have been delivered.",
	},
	[FAILURE_NOT_DELIVERED] = {
		"not_delivered",
		"The network took it, so it was paid for. Check the number, and ask your "
		"person before sending it again.",
	},
	[FAILURE_UNKNOWN_OUTCOME] = {
		"unknown_outcome",
		"Do not send it again without asking the person: it may have been delivered.",
	},
	[FAILURE_CANCELLED] = {
		"cancelled",
		"Somebody took it back. Ask your person before sending it again.",
	},
	[FAILURE_EXPIRED] = {
		"expired",
		"It was not sent, and will not be. Send it again if it is still wanted.",
	},
	[FAILURE_NOT_FOUND] = {
		"not_found",
		"Call list_sms and use a message_id from its answer.",
	},
	[FAILURE_KEY_NOT_FOUND] = {
		"not_found",
		"If the message is still wanted, call send_sms with this idempotency_key.",
	},
	[FAILURE_KEY_TAKEN] = {
		"duplicate_suppressed",
		"Nothing was sent. Call again with an idempotency_key that was never used, or "
		"ask with get_sms_status what became of the first message.",
	},
	[FAILURE_TOO_LATE] = {
		"too_late",
		"It cannot be taken back any more; get_sms_status tells what became of it.",
	},
	[FAILURE_OFONO_UNAVAILABLE] = {
		"ofono_unavailable",
		"Nothing was sent. Try again shortly; if it stays so, ask the owner to start "
		"oFono on the phone.",
		true, 10,
	},
	[FAILURE_INTERNAL] = {
		"internal",
		"Ask the owner to look at the gateway's log.",
	},
};

const char *failure_code(enum failure failure)
{
	return table[failure].code;
}

const char *failure_fix(enum failure failure)
{
	return table[failure].fix;
}

void failure_answer_with(struct tool_call *call, const struct refusal *refusal,
			 void (*more)(struct json_writer *writer, const void *data),
			 const void *data)
{
	struct tool_error error = {
		.code = table[refusal->failure].code,
		.message = refusal->message ? refusal->message
					    : "The gateway is out of memory.",
		.fix = table[refusal->failure].fix,
		.retryable = table[refusal->failure].retryable,
		.retry_after_seconds = table[refusal->failure].retry_after_seconds,
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

enum failure failure_of_code(const char *code)
{
	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].code, code) == 0)
			return i;
	}
	return FAILURE_INTERNAL;
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
